"""Vectors for words that a model has never seen, from how they are spelled."""
