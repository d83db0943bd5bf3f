def schedule(arrivals, prompts, outputs, most, chunk):
    """Return the steps of each first and last token, (n,) each."""
    raise NotImplementedError
