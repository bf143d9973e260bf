"""From files and iterables to a vocabulary and to ids in a memory-mapped file."""
