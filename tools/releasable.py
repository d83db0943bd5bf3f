"""Say whether a tag may be published: it is that of this tree, which has a public address.

python tools/releasable.py v0.1.0
"""

import sys
from pathlib import Path

from stamp import FORMS, ROOT, VERSIONED, address, strange_addresses

from attention_course._setup_cell import UNSET

HOW = "python tools/stamp.py https://github.com/YOU/YOUR-FORK TAG, then commit and tag again"


def faults(tag: str, root: Path = ROOT) -> list[str]:
    """Return what is wrong with a release of ``root`` under this tag."""
    url, stated = address(root)
    found = [f"_config.yml has no public address: {url}"] * (UNSET in url)
    found += [f"the tag is {tag}, _config.yml says {stated}"] * (tag != stated)
    right = [form.format(tag.removeprefix("v")) for form in FORMS]
    for path in (root / name for name in VERSIONED):
        if path.is_file() and not any(one in path.read_text("utf-8") for one in right):
            found.append(f"{path.relative_to(root)} says another version than {tag}")
    return found + strange_addresses(root)


if __name__ == "__main__":
    if wrong := faults(*sys.argv[1:]):
        sys.exit("\n".join([*wrong, f"Nothing is published. What mends it: {HOW}"]))
