"""A small book with the reference of a package that cannot be imported."""

import re

import pytest
import small_book
from small_book import CONFIG, code, text

pytestmark = pytest.mark.thorough

TOC = "format: jb-book\nroot: book/index\nchapters: [{file: book/page}, {file: book/api}]\n"
HEAD = "---\nnosearch: true\n---\n\n# API\n\n"
TRAP = "raise RuntimeError('imported')\n"
PART = '''"""Two functions: the first of the sentences."""

from toy._shapes import Float
import absent_library

class Pair:
    """A record.

    Attributes:
        left: what stands *left*.
    """

    left: int

def twice(
    q: Float[absent_library.Array, "*batch q d_k"], pair: Pair, *, times: float = 2.0
) -> Float[absent_library.Array, "*batch q d_k"]:
    r"""Double the queries; see :func:`NAME`.

    .. math:: q' = 2 \\mathbf{q}

    Args:
        q: the queries.
        times: how often.

    Raises:
        ValueError: if it cannot.

    Source:
        Nobody (2020), equation 1.

    >>> twice(2)
    4
    """
    return thrice(q)

def thrice(q):
    """Three times."""
    return 3 * q

def unused():
    """Nothing."""
'''


def build(folder, part=PART, name="thrice", wanted="parts"):
    (folder / "source" / "toy" / "parts").mkdir(parents=True)
    files = {
        "_config.yml": CONFIG.replace("language: en-GB", "course_package: toy"),
        "_toc.yml": TOC,
        "toy/__init__.py": TRAP,
        "toy/parts/__init__.py": f"{TRAP}__all__ = ['twice']\n",
        "toy/parts/one.py": part.replace("NAME", name),
        "book/api.md": f"{HEAD}```{{course-reference}} {wanted}\n```\n",
    }
    used = "from toy.parts.one import twice\ntwice(1)\ndef thrice(q):\n    return 3 * q"
    cells = [text("# The page"), code(used)]
    return small_book.build(folder, {"index": [text("# Start")], "page": cells}, files)


def test_the_pages_are_made_without_importing_the_package(tmp_path):
    book = build(tmp_path)
    site = book.html
    assert book.code == 0, book.log
    page = (site / "book/api/parts/one.html").read_text("utf-8")

    assert "<code>twice(q, pair, *, times=2.0)</code>" in page
    assert '<code>q</code> <code class="ac-type">Float[*batch q d_k]</code>' in page
    assert '<a href="#Pair">Pair</a>' in page
    assert "the queries." in page
    assert 'class="enclosing ac-query"' in page
    assert "<code>ValueError</code> if it cannot." in page
    assert "Nobody (2020), equation 1." in page
    assert 'href="#thrice"' in page
    said = re.findall(
        r'id="(\w+)" class="ac-def"|(\w+ in <a href="../../page.html">The page)', page
    )
    assert ["".join(pair) for pair in said][2:] == [
        *("twice", 'Used in <a href="../../page.html">The page'),
        *("thrice", 'Taught in <a href="../../page.html">The page', "unused"),
    ]
    assert '<a class="ac-name" href="#thrice">thrice</a>' in page  # in the source
    chapter = (site / "book/page.html").read_text("utf-8")
    assert chapter.count('href="api/parts/one.html#twice"') == 2
    index = (site / "book/api.html").read_text("utf-8")
    assert 'href="api/parts/one.html#twice"' in index
    assert "parts" not in (site / "searchindex.js").read_text("utf-8")


@pytest.mark.gate("API reference: no import of the package", "a reader that imports it")
def test_a_reference_that_imports_the_package_is_red(tmp_path, monkeypatch):
    importing = "import sys; sys.path.insert(0, '.'); import toy\n"
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(
        "import attention_course.site.reference_pages as pages\n"
        f"def read(folder):\n    exec({importing!r})\n"
        "pages.read_package = read\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(hook))
    book = build(tmp_path)
    assert book.code != 0
    assert "imported" in book.log


@pytest.mark.gate("API reference: names in docstrings", "a name that is not")
@pytest.mark.parametrize(
    ("seeded", "said"),
    [
        ({"name": "forgotten"}, "nothing in the package is called forgotten"),
        ({"wanted": "nowhere"}, "expected a part of the package, got nowhere"),
        ({"part": PART.replace(r"\mathbf{q}", r"\frac{1}")}, "what KaTeX knows"),
        ({"part": PART.replace("the queries.", "the `queries.")}, "start-string without"),
    ],
)
def test_what_a_docstring_gets_wrong_turns_the_build_red(tmp_path, seeded, said):
    book = build(tmp_path, **seeded)
    assert book.code != 0
    assert sum(said in line for line in book.warnings) == 1, book.log
