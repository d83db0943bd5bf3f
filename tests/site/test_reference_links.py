"""Which names in code become links, read as Python reads them; the text stays as it was."""

import pytest

from attention_course.site.reference_links import Names, code_text, link_page
from attention_course.site.reference_source import Package

FILES = {
    "__init__.py": "from toy.parts import *\n",
    "parts/__init__.py": (
        "from toy.parts.one import Thing, twice\nfrom toy.parts.late import late\n"
        "__all__ = ['Thing', 'late', 'twice']\n"
    ),
    "parts/one.py": (
        "from toy._base import Base\n\n"
        "class Thing(Base):\n    def own(self):\n        return twice(1)\n\n"
        "def twice(x):\n    return 2 * x\n\ndef _hidden():\n    pass\n\nMOST = 3\n"
    ),
    "parts/late.py": "def late():\n    pass\n",
    "_base.py": "class Base:\n    def given(self):\n        pass\n",
}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source") / "toy"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return Package(folder)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from toy import twice\ntwice(3)", ["twice", "twice"]),
        ("from toy import twice as double\ndouble(3)", ["twice", "double"]),
        ("import toy as t\nt.twice(t.MOST)", ["twice"]),
        ("import toy.parts.one\ntoy.parts.one.twice(1)", ["parts", "one", "twice"]),
        ("from toy.parts import *\nlate()", ["late"]),
        (
            "from toy import Thing\nx = Thing()\nx.own(); x.given()",
            ["Thing"] * 2 + ["own", "given"],
        ),
        ("from toy import twice\nf'{twice(1)}'", ["twice", "twice"]),
        ("from toy import twice\n%timeit twice(1)\ntwice(2)", ["twice", "twice"]),
        ("from toy import twice\nif 1:\n    !ls\ntwice(2)", ["twice", "twice"]),
        ("import numpy as np\nnp.twice(1)", []),
        ("twice(1)", []),
        ("from numpy import twice\ntwice(1)", []),
        ("from toy import twice\ntwice = 3\ntwice", ["twice"]),
        ("from toy import twice\ndef f(twice):\n    return twice", ["twice"]),
        ("from toy import twice\ndef f():\n    return twice(1)", ["twice", "twice"]),
        ("from toy import twice\ng(twice=1)\n'twice'  # twice", ["twice"]),
        ("from toy.parts.one import _hidden\n_hidden()", []),
        ("from toy import twice\ntwice(", []),
    ],
)
def test_a_name_means_what_it_means_in_python(package, code, found):
    spots = Names(package).find(code)
    assert [name for _, (name, _) in sorted(spots.items())] == found
    lines = code.split("\n")
    for (line, column), (name, _) in spots.items():
        assert lines[line][column:].startswith(name)


def test_what_a_cell_binds_holds_for_the_cells_after_it(package):
    names = Names(package)
    names.find("from toy import twice")
    assert names.find("é = twice(1)").keys() == {(0, 4)}
    names.find("twice = 1")
    assert names.find("twice(1)") == {}


def page(*cells, language="ipython3"):
    blocks = [
        f'<div class="highlight-{language} notranslate"><div class="highlight"><pre>{cell}'
        "</pre></div></div>"
        for cell in cells
    ]
    return "<p>twice</p>" + "".join(blocks)


IMPORT = '<span class="kn">from</span> toy <span class="kn">import</span> <span>twice</span>'
CALL = '<span class="n">twice</span><span class="p">(</span>a <span class="o">&lt;</span> b)'


def test_a_page_links_each_name_and_keeps_its_text(package):
    body = page(IMPORT, f"{CALL}\n{CALL}")
    made = link_page(body, package, lambda d: f"at/{d.module}#{d.name}")
    assert code_text(made) == code_text(body)
    assert made.count('href="at/toy.parts.one#twice"') == 3
    assert made.count('tabindex="-1"') == 1  # the second in its cell
    assert "<p>twice</p>" in made


def test_source_on_show_is_read_with_the_names_of_its_module(package):
    shown = (
        '<span class="c1"># toy.parts.one.Thing</span>\n<span class="k">class</span> Thing():\n'
        "    x <span>=</span> <span>twice</span>(1)"
    )
    made = link_page(page(shown, language="python"), package, lambda d: d.name)
    assert '# <a class="ac-name" href="Thing">toy.parts.one.Thing</a>' in made
    assert '<a class="ac-name" href="twice">twice</a>' in made
    assert code_text(made) == code_text(page(shown))
