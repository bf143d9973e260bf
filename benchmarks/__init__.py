"""Measurements: pairloom compared with other programs, and with the limits of the machine."""
