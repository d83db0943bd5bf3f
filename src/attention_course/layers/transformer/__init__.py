"""The layers of the chapters on the Transformer, as torch modules."""
