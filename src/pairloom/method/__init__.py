"""The paper as definitions in plain NumPy: for people to read, and for the kernels to be tested against."""
