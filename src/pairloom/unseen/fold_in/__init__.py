"""Vectors for new words, while the rest of the model stays unchanged."""
