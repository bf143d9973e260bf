"""From edges to walks, which are a text to train on."""
