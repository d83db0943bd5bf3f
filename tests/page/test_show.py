"""Code on show is the file's, ready to be copied, and is read without importing it."""

import ast
import re
import subprocess
import sys

import pytest
from rules import taught_code as skeletons

import attention_course as ac
from attention_course._source import WIDEST, _to_copy, source_of
from attention_course.page.show import show

PACKAGE = '''"""A package."""
raise ImportError("never imported")
from shown.inner import Inner as Outer
'''
MODULE = '''"""A module."""
import nowhere


class Inner(Base):
    """One line."""

    # kept

    size: int = 3

    @property
    def double(self) -> int:
        r"""Several

        lines.
        """

        return 2 * self.size  # kept too

    def empty(self):
        """Nothing but this."""


def wide():
    return "{wide}"


@checked(n=whole(1), scale=lambda x: {{"a": x}})
@kept
def shaped(
    q: Float[Tensor, "*batch q d_k"],  # gone with the head
    k: Float[Tensor, "*batch #k d_k"],
    mask: Bool[Tensor, "..."] | None = None,
    *more: int,
    W_1: Float[Tensor, "d_k d_k"] | float = 1e-05,
    W_2: Float[Tensor, " d_k"] = {{"a": 1}}["a":2],
    BLOCK: tl.constexpr = 4,
) -> tuple[Float[Tensor, "*batch q d_v"], Float[Tensor, "*batch"]]:  # kept
    """Shapes."""
    found: list[int] = []
    late: int
    return found


def long():
{body}
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown/__init__.py").write_text(PACKAGE)
    body = "\n".join(f"    a{i} = {i}" for i in range(30))
    text = MODULE.format(wide="x" * 80, body=body)
    (tmp_path / "shown/inner.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)


INNER = """\
# shown.inner.Inner
class Inner(Base):
    # kept

    size = 3

    @property
    def double(self):
        return 2 * self.size  # kept too

    def empty(self):
        pass"""


@pytest.mark.parametrize("name", ["shown.inner.Inner", "shown.Outer"])
def test_a_dotted_name_is_read_and_not_imported(package, name):
    assert source_of(name) == INNER
    assert "shown" not in sys.modules


def test_a_method_is_dedented(package):
    lines = source_of("shown.inner.Inner.double").splitlines()
    assert lines[:3] == [
        "# shown.inner.Inner.double",
        "@property",
        "def double(self):",
    ]


@pytest.mark.parametrize(
    "thing", [ac.softmax, ac.layers.DotScore, ac.reference.softmax, ac.layers.attend]
)
def test_it_is_the_packages_code(thing):
    """With every docstring taken out of both, the trees are the same."""
    shown = ast.parse(source_of(thing, lines=None)).body[0]
    assert shown.name == thing.__name__
    assert not [n for n in ast.walk(shown) if getattr(n, "body", 0) and _docstring(n)]


def _docstring(node):
    return isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node)


SHAPED = """\
@kept
def shaped(
    q, k, mask=None, *more, W_1=1e-05, W_2={"a": 1}["a":2],
    BLOCK: tl.constexpr = 4,
):  # kept
    # q: (*batch, q, d_k)  k: (*batch, k, d_k)  W_1: (d_k, d_k)  W_2: (d_k,)
    #  ->  (*batch, q, d_v), (*batch)
    found = []
    return found"""


def test_shapes_stand_in_a_comment_and_checks_and_annotations_are_gone(package):
    assert source_of("shown.inner.shaped").partition("\n")[2] == SHAPED


TAKES = '''from shown.sizes import WIDTH
LOW, HIGH = 0, 9
MADE = len("made")


class Row(NamedTuple):
    x: Float[Tensor, "a b"]
    many: int = HIGH


def row(x):
    """Check, then compute."""
    check_width("row", x)
    if x is None:
        check_nothing(MADE)
    return Row(x[LOW:WIDTH])


def check(x):
    _check_width(x)
'''
ROW = """\
# shown.takes.row
LOW = 0
WIDTH = {'wide': 7}
def row(x):
    if x is None:
        check_nothing(MADE)
    return Row(x[LOW:WIDTH])"""


def test_constants_stand_above_and_checks_that_are_not_all_are_gone(package, tmp_path):
    (tmp_path / "shown/takes.py").write_text(TAKES)
    (tmp_path / "shown/sizes.py").write_text('WIDTH = {"wide": 7}\n')
    assert source_of("shown.takes.row") == ROW
    record = 'HIGH = 9\nclass Row(NamedTuple):\n    x: "(a, b)"\n    many: int = HIGH'
    assert source_of("shown.takes.Row").partition("\n")[2] == record
    assert source_of("shown.takes.check").endswith("def check(x):\n    _check_width(x)")


@pytest.mark.parametrize("part", ["reference", "layers"])
def test_what_is_shown_reads_as_its_file_does(part):
    """The same tree without annotations and checks, below a head and shapes that fit."""
    for path in (skeletons.PACKAGE / part).rglob("[!_]*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                shown = _to_copy(text, node)
                again = ast.parse(shown).body[0]
                assert skeletons.skeleton_of(again) == skeletons.skeleton_of(node), shown
                heads = re.findall(r"^ *(?:def |# .*(?:->|: \()).*", shown, re.MULTILINE)
                assert all(len(line) <= WIDEST for line in heads), shown
                assert "@checked" not in shown


def test_a_long_name_stands_in_two_lines():
    long = "attention_course.reference.transformer.cross_attention.cross_attention_by_loops"
    assert source_of(long).splitlines()[:3] == [
        "# attention_course.reference.transformer.cross_attention.",
        "#     cross_attention_by_loops",
        "def cross_attention_by_loops(x, memory, W_q, W_k, W_v, W_o, mask=None):",
    ]


def test_a_name_and_the_thing_itself_show_the_same():
    assert source_of("attention_course.reference.softmax", None) == source_of(ac.softmax, None)


def test_text_and_markdown_and_nothing_else(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(sys.modules[show.__module__], "display", shown.append)
    show(ac.layers.attend, lines=None)
    assert shown[0]._repr_markdown_() == f"```python\n{shown[0]!r}\n```"
    assert [name for name in dir(shown[0]) if name.startswith("_repr_")] == ["_repr_markdown_"]


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ("shown.inner.long", "at most 30 lines, got shown.inner.long with 31: split it"),
        ("shown.inner.wide", "at most 76 columns wide, got 93 in shown.inner.wide: return"),
        ("shown.inner.gone", "got 'shown.inner.gone', which is none"),
        ("shown", "thing must be a function, a class or a dotted name"),
        ("nowhere.at.all", "which is none"),
        ("sys.exit", "which is none"),
        ("shown..inner", "which is none"),
        (3, "thing must be a function, a class or a dotted name, .*, got 3"),
        (len, "which is none"),
    ],
)
def test_what_cannot_be_shown_is_named(package, thing, words):
    with pytest.raises(ValueError, match=f"show: .*{words}"):
        source_of(thing)


def test_what_the_notebook_defines_stands_there_already():
    def mine(): ...

    mine.__module__, mine.__qualname__ = "__main__", "mine"
    with pytest.raises(ValueError, match="mine is defined in the notebook"):
        source_of(mine)


def test_a_long_definition_may_be_asked_for(package):
    assert source_of("shown.inner.long", lines=None).count("\n") == 31


def test_hold_and_show_load_no_widget_and_no_torch():
    code = (
        "import sys, attention_course as ac\n"
        "ac.hold('one is one', 1, within=(1, 1))\n"
        "ac.show('attention_course.page.numbers.rounded'), ac.predict\n"
        "print(sorted({'torch', 'plotly', 'ipywidgets', 'anywidget'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.splitlines()[-1] == "[]", run.stderr
