"""Vectors -> pictures: a place for every word on a map, labels that do not overlap, colours, SVG, HTML and PNG."""
