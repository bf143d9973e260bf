"""Numbers and words -> plots and pages that need no script and no network."""
