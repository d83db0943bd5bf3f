"""Real sentences in four languages, to look at word order."""

from importlib import resources

LANGUAGES = ("english", "french", "german", "spanish")


def load_verses() -> dict[str, dict[str, str]]:
    """Read the parallel sentences.

    Returns:
        For each verse (``"John 15:1"``) its text by language.

    Source:
        Public-domain texts; see ``corpora/verses/PROVENANCE.md``.

    >>> load_verses()["John 15:1"]["spanish"].split()[:5]
    ['Yo', 'soy', 'la', 'vid', 'verdadera,']
    """
    file = resources.files("attention_course") / "data" / "corpora" / "verses" / "verses.txt"
    header, *lines = file.read_text(encoding="utf-8").splitlines()
    languages = header.split("\t")[1:]
    rows = (line.split("\t") for line in lines)
    return {verse: dict(zip(languages, texts, strict=True)) for verse, *texts in rows}
