"""What a trained model is worth: scores, reasons, one page about its training, and what changed between models."""
