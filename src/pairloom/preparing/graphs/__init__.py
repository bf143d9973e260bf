"""From the edges of a graph to random walks, which are text to train on."""
