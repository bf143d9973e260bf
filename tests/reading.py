"""Text read in small pieces, for tests of what happens at their edges."""

from pairloom.corpus import decoding, unpacking


def read_in_blocks(patch, n_bytes):
    """Read and cut text in blocks of n_bytes, where usually a megabyte is read at once."""
    for module in (unpacking, decoding):
        patch.setattr(module, "BLOCK_BYTES", n_bytes)
