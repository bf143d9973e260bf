"""Figures for what pairloom promises about faults: each module breaks something on purpose and counts the outcomes."""
