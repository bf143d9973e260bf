"""This machine and this installation -> what works, and what to do about the rest."""
