"""What a page may load, said to the browser: its own files, and no script in between.

A site on static pages has no headers of its own, so every page carries its content-security
policy. The few scripts that are in a page are named by their hash: they run before the page
is painted. Python in the page needs ``wasm-unsafe-eval``, and its worker and the widgets'
modules ``blob:``; Plotly and Sphinx write ``style`` attributes.
"""

import base64
import hashlib
import re
from pathlib import Path

from sphinx.application import Sphinx

# A page that a later build left as it was has its policy already.
HEAD = re.compile(r'<head>(?:\n<meta http-equiv="Content-Security-Policy"[^>]*>)?')
INLINE = re.compile(r"<script(?![^>]*\s(?:src|type)=)[^>]*>(.*?)</script>", re.DOTALL)
# From disk, Firefox does not take a file for its page's own.
OWN = "'self' file:"
POLICY = (
    f"default-src {OWN}",  # Firefox asks it about the next page, which is fetched ahead
    f"script-src {OWN} blob: 'wasm-unsafe-eval'",
    f"worker-src {OWN} blob:",
    f"connect-src {OWN} blob: data:",
    f"style-src {OWN} 'unsafe-inline'",
    f"font-src {OWN} data:",
    f"img-src {OWN} blob: data:",
    f"form-action {OWN}",
    "base-uri 'self'",
    "frame-src 'none'",
    "object-src 'none'",
)


def policy_of(page: str) -> str:
    """Return the policy of a page's HTML, with the hashes of the scripts that are in it."""
    digests = {hashlib.sha256(text.encode()).digest() for text in INLINE.findall(page)}
    allowed = sorted(f" 'sha256-{base64.b64encode(one).decode()}'" for one in digests)
    return "; ".join(
        part + "".join(allowed) if part.startswith("script-src") else part for part in POLICY
    )


def write(app: Sphinx) -> None:
    """Put its policy first into the head of every page (``build-finished``)."""
    for path in Path(app.outdir).rglob("*.html"):
        page = path.read_text("utf-8")
        meta = f'<meta http-equiv="Content-Security-Policy" content="{policy_of(page)}">'
        path.write_text(HEAD.sub(f"<head>\n{meta}", page, count=1), "utf-8")
