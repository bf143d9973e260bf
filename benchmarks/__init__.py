"""Measurements: wordloom beside its peers, and beside what the machine can do."""
