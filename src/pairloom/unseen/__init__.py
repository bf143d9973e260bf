"""Vectors for words that a model was not trained on, from new text (`fold_in/`) or their letters (`spelling/`)."""
