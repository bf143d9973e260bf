"""Words with their vectors: queries, similarities, documents, classes, and the result of training, `Embedding`."""
