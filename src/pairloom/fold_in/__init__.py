"""Vectors for new words, with the rest of the model unchanged."""
