"""What the Transformer is made of, after attention itself."""
