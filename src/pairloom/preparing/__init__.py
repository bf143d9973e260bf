"""Before pairs are drawn: a text is looked at, its phrases are joined, or walks over a graph become a text."""
