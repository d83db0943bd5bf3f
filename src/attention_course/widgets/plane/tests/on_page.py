"""What the plane says on a page."""

SAID = [
    (r"entropy of the weights is (.+?) nats", "entropy"),
    (r"The context is \((.+?), ", "context-0"),
]
UNNAMED = {"key_points"}
