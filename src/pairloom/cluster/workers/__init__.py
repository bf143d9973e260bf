"""One worker of a cluster: its share of the rows, and its blocks of every round."""
