"""What pairloom promises about faults, as figures: each module here breaks something on purpose, and counts."""
