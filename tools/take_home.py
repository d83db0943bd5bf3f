"""Put into dist/ what one takes home: the built site and the notebooks as zips, and the wheel.

    python tools/take_home.py

The site opens by a double click on the ``index.html`` in its folder: no server, no network.
Twice the same tree gives twice the same bytes.
"""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from attention_course import __version__

ROOT = Path(__file__).resolve().parent.parent
SITE, DIST = ROOT / "_build" / "html", ROOT / "dist"
MOST = 60_000_000
# What Sphinx leaves for itself, and what is packed already.
LEFT_OUT = {".doctrees", ".buildinfo", ".DS_Store", ".ipynb_checkpoints"}
PACKED = {".gz", ".png", ".whl", ".woff2", ".zip"}


def pack(path: Path, base: Path, files: Iterable[Path]) -> int:
    """Zip files into one folder that has the zip's name; return its size in bytes."""
    with ZipFile(path, "w") as archive:
        for file in sorted(files):
            inside = file.relative_to(base)
            if LEFT_OUT & set(inside.parts) or not file.is_file():
                continue
            entry = ZipInfo(f"{path.stem}/{inside.as_posix()}")
            entry.external_attr = 0o644 << 16
            packed = file.suffix in PACKED
            entry.compress_type = ZIP_STORED if packed else ZIP_DEFLATED
            archive.writestr(entry, file.read_bytes())
    return path.stat().st_size


def main() -> int:
    """Write them, and say what they weigh."""
    if not (SITE / "index.html").is_file():
        print(
            "expected a built site in _build/html, found none: run make book", file=sys.stderr
        )
        return 1
    DIST.mkdir(exist_ok=True)
    name = f"attention-measured-{__version__}"
    site = pack(DIST / f"{name}-site.zip", SITE, SITE.rglob("*"))
    book = ROOT / "book"
    pack(DIST / f"{name}-notebooks.zip", book, book.rglob("*.ipynb"))
    wheel = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
    subprocess.run([*wheel, "--wheel-dir", DIST, ROOT], check=True)
    for made in sorted(DIST.glob(f"*{__version__}*")):
        print(f"{made.stat().st_size / 1e6:6.1f} MB  {made.relative_to(ROOT)}")
    if site > MOST:
        print(f"expected a site of at most {MOST / 1e6:.0f} MB, got {site / 1e6:.1f}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
