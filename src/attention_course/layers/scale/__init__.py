"""The layers of the chapters on long sequences, as functions on tensors."""
