"""Work on the machines of a Ray cluster. The results are those of one machine."""
