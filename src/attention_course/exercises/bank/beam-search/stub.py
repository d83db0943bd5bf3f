def search_beams(next_logits, start, end, longest, width):
    """Return the words of the best beam, at most longest of them."""
    raise NotImplementedError
