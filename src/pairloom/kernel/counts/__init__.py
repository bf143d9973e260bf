"""Kernels that count, and that compute from counts."""
