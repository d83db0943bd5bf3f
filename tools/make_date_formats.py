"""Writes how five languages write a date, out of babel's copy of the CLDR.

Colab has no babel, so the few strings that ``data/dates.py`` needs ship with the package.

    python tools/make_date_formats.py          # needs the package babel
"""

import json
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/attention_course/data/corpora/dates/formats.json"
LANGUAGES = {"en": "English", "fr": "French", "de": "German", "es": "Spanish", "it": "Italian"}
STYLES, SKELETONS = ("full", "long", "medium"), ("yMMMEd", "yMMMd")


def patterns(locale) -> list[str]:
    """Return the patterns that spell the month; 3/4/25 alone would be ambiguous."""
    found = [str(locale.date_formats[style].pattern) for style in STYLES]
    found += [str(locale.datetime_skeletons[name].pattern) for name in SKELETONS]
    return list(dict.fromkeys(p for p in found if "MMM" in p))


def describe(language: str) -> dict:
    """Return the patterns and names of one language."""
    from babel import Locale

    locale = Locale.parse(language)
    months = {w: locale.months["format"][w] for w in ("wide", "abbreviated")}
    days = {w: locale.days["format"][w] for w in ("wide", "abbreviated")}
    return {
        "language": LANGUAGES[language],
        "patterns": patterns(locale),
        "months": {w: [names[m] for m in range(1, 13)] for w, names in months.items()},
        "days": {w: [names[d] for d in range(7)] for w, names in days.items()},
    }


def content() -> str:
    """Return the file's text."""
    formats = {language: describe(language) for language in LANGUAGES}
    return json.dumps(formats, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    TARGET.write_text(content(), encoding="utf-8")
