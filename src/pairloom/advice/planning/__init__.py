"""How long a training will take, and how much memory and traffic it needs, from counts alone."""
