"""Text read in small blocks, for tests of words and lines that cross their edges."""

from pairloom.corpus import decoding, unpacking


def read_in_blocks(patch, n_bytes):
    """Read text in blocks of n_bytes, instead of a megabyte."""
    for module in (unpacking, decoding):
        patch.setattr(module, "BLOCK_BYTES", n_bytes)
