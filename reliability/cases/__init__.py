"""Cases of bad input, and of odd input that is good, as tables for `reliability.bad_input`."""
