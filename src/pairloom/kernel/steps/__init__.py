"""Kernels that train: steps of gradient descent, and the dealing of pairs into blocks."""
