"""From pairs and a checked plan to an Embedding."""
