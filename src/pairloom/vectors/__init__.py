"""Words with their vectors, and the questions one asks of them."""
