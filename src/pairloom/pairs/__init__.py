"""What training learns from: rounds of pairs, dealt into blocks that share no row."""
