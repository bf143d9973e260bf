"""Who trains the rounds, and where the matrices are: the threads of this process, or workers on Ray."""
