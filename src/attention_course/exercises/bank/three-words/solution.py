def entry_of(word):
    """Return the line of the lexicon for squirrel, pretty or pour."""
    head, french, english = {
        "squirrel": (
            "noun beast masculine",
            "écureuil écureuils",
            "squirrel squirrels",
        ),
        "pretty": (
            "adjective before beast/wear",
            "joli jolie jolis jolies joli",
            "pretty",
        ),
        "pour": (
            "verb who drink/cup",
            "verse versent versé",
            "pour pours poured",
        ),
    }[word]
    return f"{head} | {french} | {english}"
