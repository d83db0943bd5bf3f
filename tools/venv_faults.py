"""venv_faults.py OLDEST WANTED: say why the environment that runs this cannot be used.

Prints the reason, or nothing. Versions are written as ``3.11``; an empty one is not looked at.
It runs on old versions of Python 3 too, because that may be what is wrong.
"""

import sys
from pathlib import Path


def numbers(version):
    """Return a version as numbers, to be compared."""
    return tuple(int(part) for part in version.split("."))


def made_for():
    """Return the folder from which the course was installed here, or None."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        origin = distribution("attention-course").read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    return Path(url2pathname(urlsplit(json.loads(origin)["url"]).path)) if origin else None


def half_installed():
    """Return a package that lacks files, or None."""
    from importlib.metadata import distributions

    for found in distributions():
        files = [f for f in found.files or () if f.suffix != ".pyc"]
        if not files or not all(file.locate().exists() for file in files):
            return found.metadata["Name"]
    return None


def fault(oldest, wanted, folder):
    """Return why the environment cannot be used for the course in ``folder``, or None."""
    version = "{}.{}".format(*sys.version_info)
    if oldest and sys.version_info[:2] < numbers(oldest):
        return "is Python " + version
    if wanted and wanted != version:
        return f"is Python {version}, and {wanted} was asked for"
    try:
        import pip  # noqa: F401
    except ImportError:
        return "has no pip, so making it was interrupted"
    place = made_for()
    if place is not None and not (place.exists() and place.samefile(folder)):
        return f"was made for the folder {place}"
    if Path(sys.prefix, ".installing").exists():
        package = half_installed()
        if package:
            return f"has an interrupted installation of {package}"
    return None


if __name__ == "__main__":
    print(fault(sys.argv[1], sys.argv[2], ".") or "", end="")
