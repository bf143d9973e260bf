"""Measurements: pairloom beside its peers, and beside what the machine can do."""
