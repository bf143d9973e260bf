"""Kernels that count, and what is computed from counts."""
