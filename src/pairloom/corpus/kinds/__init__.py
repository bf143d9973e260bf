"""What can be opened as a corpus: text files, columns of tables, lists of words. `sentences.py` chooses the kind."""
