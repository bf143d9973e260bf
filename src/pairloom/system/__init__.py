"""The machine: files written whole or not at all, threads, locks, memory, temporary files."""
