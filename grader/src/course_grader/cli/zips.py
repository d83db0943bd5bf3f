"""Makes zips whose bytes depend on what is in them and on nothing else."""

import io
import zipfile
from collections.abc import Container, Mapping

MIDNIGHT = (1980, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, str | bytes], programs: Container[str] = ()) -> bytes:
    """Return a zip; the same files give the same bytes, and ``programs`` can be run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, MIDNIGHT)
            entry.external_attr = (0o755 if name in programs else 0o644) << 16
            entry.create_system = 3
            package.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
