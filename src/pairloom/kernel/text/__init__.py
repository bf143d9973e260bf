"""Kernels that read text: words, numbers, lines of pairs, phrases."""
