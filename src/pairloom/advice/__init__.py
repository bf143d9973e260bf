"""What people ask before they train: how long it takes, which settings suit, and whether this machine is ready."""
