"""What the temperature says on a page."""

SAID = [(r"Entropy (.+?) nats", "entropy")]
