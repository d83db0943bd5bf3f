import math
import re
import sys
from typing import ClassVar

import pytest

from attention_course.drawing import palette
from attention_course.widgets import Temperature
from attention_course.widgets.kit import in_node
from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.compose import WIDGETS, compose
from attention_course.widgets.kit.traits import (
    Checked,
    choice,
    flag,
    items,
    number,
    numbers,
    text,
    whole,
)

FOLDERS = sorted(path.parent.name for path in WIDGETS.glob("*/index.js"))
STYLES = sorted(WIDGETS.glob("*/style.css"))


class Sample(CourseWidget):
    _state: ClassVar[tuple[str, ...]] = ("size", "kind", "more")
    size = whole(1, 5, 2)
    kind = choice(("a", "b"), "a")
    more = numbers(10.0, 0, 2)
    on = flag(default=True)

    def _fallback(self):
        return f"<p>{self.size}</p>"


@pytest.fixture
def folder(tmp_path):
    def write(**sources):
        for name, source in sources.items():
            path = tmp_path / f"{name.replace('__', '/')}.js"
            path.parent.mkdir(exist_ok=True)
            path.write_text(source, encoding="utf-8")
        return tmp_path

    return write


def test_imports_become_part_of_the_module_once_and_in_order(folder):
    made = compose(
        "dial/index",
        folder(
            dial__index='import { b } from "./maths.js";\n'
            'import { a } from "../kit/maths.js";\nexport default { a, b };\n',
            dial__maths='import { a } from "../kit/maths.js";\nexport const b = a + 1;\n',
            kit__maths="const hidden = 1;\nexport const a = hidden;\n",
        ),
    )

    assert made.count("const kit$maths = (() => {") == 1
    assert made.index("const kit$maths") < made.index("const dial$maths")
    assert "import" not in made
    assert re.findall(r"^export .*", made, re.MULTILINE) == ["export default { a, b };"]


def test_comments_on_their_own_lines_go_and_code_stays(folder):
    source = (
        "// why\n/** doc\n * more */\nconst a = 1; // kept\n"
        '  /** @type {X} */ (a);\nconst b = "// text";\n/** end */\nexport default { a };\n'
    )
    made = compose("top", folder(top=source))

    assert "why" not in made
    assert "doc" not in made
    assert "end" not in made
    assert '/** @type {X} */ (a);\nconst b = "// text";' in made


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("const a = 1;\n", "must have a default export"),
        ('import all from "./one.js";\nexport default {};\n', "another form"),
        ('import { a } from "https://a.example/x.js";\nexport default {};\n', "another form"),
        ("const a = 1;\nexport { a };\nexport default {};\n", "another form"),
        ('import { a } from "./absent.js";\nexport default {};\n', "got no absent.js"),
    ],
)
def test_a_module_that_cannot_be_composed_is_refused(folder, source, message):
    with pytest.raises(ValueError, match=message):
        compose("top", folder(top=source))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_widget_is_one_module_with_one_export(folder):
    made = compose(f"{folder}/index")

    assert re.findall(r"^export (\w+)", made, re.MULTILINE) == ["default"]
    assert not re.search(r"^import\b", made, re.MULTILINE)


def test_the_palettes_colours_are_the_style_sheets():
    css = (WIDGETS / "kit" / "style.css").read_text(encoding="utf-8")
    rules = re.findall(r"\.ac-root(\S*) \{([^}]*--ac-query[^}]*)\}", css)
    assert [selector for selector, _ in rules] == ["", '[data-ac-theme="dark"]']
    for i, (_, rule) in enumerate(rules):
        found = dict(re.findall(r"--ac-([\w-]+): (#\w{6});", rule))
        theme = ("light", "dark")[i]
        looks = {**palette.ROLES, **palette.SERIES}
        wanted = {name: getattr(look, theme) for name, look in looks.items()}
        wanted |= {name: pair[i] for name, pair in palette.NEUTRALS.items()}
        wanted |= {f"seq-{n}": c for n, c in enumerate(palette.SEQUENTIAL[theme])}
        wanted |= {f"div-{n}": c for n, c in enumerate(palette.DIVERGING[theme])}
        assert {name: found.get(name) for name in wanted} == wanted


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.parent.name)
def test_every_class_is_prefixed_and_no_rule_reaches_the_page(path):
    css = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = re.findall(r"(?:^|[};{])\s*([^@{};]+?)\s*\{", css)

    classes = re.findall(r"\.(-?[a-zA-Z_][\w-]*)", " ".join(selectors))
    assert [name for name in classes if not name.startswith("ac-")] == []
    parts = [part.strip() for selector in selectors for part in selector.split(",")]
    assert [part for part in parts if ".ac-" not in part] == []


def test_a_widget_remembers_its_first_state_and_says_itself_alike():
    widget = Sample(size=3)
    widget.size = 4

    assert widget.initial == {"size": 3, "kind": "a", "more": []}
    assert repr(widget) == "Sample(size=4, kind='a', more=[])"
    assert widget.key == "sample"
    assert widget.fallback == "<p>3</p>"
    assert Sample(key="mine").key == "mine"


def test_where_no_widget_is_shown_the_fallback_is(monkeypatch):
    assert Sample()._repr_mimebundle_()[0]["text/html"] == "<p>2</p>"
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    assert "text/html" not in Sample()._repr_mimebundle_()[0]


def test_only_where_outputs_are_stored_does_node_say_the_fallback(monkeypatch):
    monkeypatch.delenv(in_node.STORES, raising=False)
    assert Temperature().fallback == ""
    assert "text/html" not in Temperature()._repr_mimebundle_()[0]
    monkeypatch.setenv(in_node.STORES, "1")
    fallback = Temperature(temperature=10, words=["a", "<b>", "c", "d"]).fallback
    assert fallback.startswith("<p>“&lt;b&gt;” gets 0.906 of the weight.")
    assert fallback.count("<tr>") == 7


def test_without_node_a_store_says_what_is_missing(monkeypatch):
    monkeypatch.setenv(in_node.STORES, "1")
    monkeypatch.setenv("PATH", "/nowhere")
    in_node._node.cache_clear()
    with pytest.raises(RuntimeError, match=r"Node must be on the path, .* got no node"):
        Temperature()


def test_a_script_that_fails_says_where():
    with pytest.raises(ValueError, match=r"temperature/describe\.js must take the state, got"):
        Temperature.described({})


def test_what_is_not_finite_comes_back_as_a_number():
    state = Temperature().stored() | {"temperature": 0.0}
    assert math.isnan(Temperature.described(state)["readouts"]["weight-0"])


BAD = [
    ({"size": 9}, "Sample: size must be a whole number from 1 to 5, got 9"),
    ({"size": "x"}, "got 'x'"),
    ({"size": True}, "got True"),
    ({"size": 1.5}, "got 1.5"),
    ({"kind": "c"}, "kind must be one of 'a', 'b', got 'c'"),
    ({"more": [1, 2, 3]}, "more must be a list of at most 2 numbers"),
    ({"more": 1}, "more must be a list"),
    ({"on": 1}, "on must be True or False, got 1"),
    ({"sise": 1}, "Sample: arguments must be among key, .*, got sise"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_a_bad_argument_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Sample(**arguments)


def test_a_bad_value_is_refused_later_too_and_changes_nothing():
    widget = Sample(size=3)
    with pytest.raises(ValueError, match="Sample: size must be"):
        widget.size = 0
    assert widget.size == 3


def test_what_a_trait_may_be_is_written_once_and_travels_to_the_browser():
    limits = Sample.fixed()["limits"]

    assert Sample().limits == limits
    assert limits == {
        "kind": {"kind": "choice", "options": ["a", "b"], "expected": "one of 'a', 'b'"},
        "more": {
            "kind": "items",
            "fewest": 0,
            "most": 2,
            "item": {"kind": "number", "min": -10.0, "max": 10.0},
            "expected": "a list of at most 2 numbers from -10 to 10",
        },
        "on": {"kind": "flag", "expected": "True or False"},
        "size": {"kind": "whole", "min": 1, "max": 5, "expected": "a whole number from 1 to 5"},
    }


@pytest.mark.parametrize(
    ("trait", "good", "bad"),
    [
        (text("a word", 2, 4, "ab", pattern="[a-z]*"), ["ab", "abcd"], ["a", "abcde", "aB", 7]),
        (text("text", 0, 3, ""), ["", "a\nb"], ["abcd", None]),
        (items(whole(0, 1, 0), 1, 2, [0], "bits"), [[0], (1, 0)], [[], [2], [0] * 3, "0", {}]),
        (choice((4, 16), 4), [4, 16], [5, True, "4"]),
        (number(0.0, 1.0, 0.5), [0, 1, 0.3], [True, "0", float("nan"), 1.1]),
        (numbers(2.0, 1, 2), [[1], [2, -2]], [[], [3], ["1"], [True], None]),
    ],
)
def test_each_kind_of_trait_takes_and_refuses(trait, good, bad):
    trait.name = "given"
    for value in good:
        trait.validate(None, value)
    for value in bad:
        with pytest.raises(ValueError, match="given must be"):
            trait.validate(None, value)


def test_a_table_names_every_column():
    with pytest.raises(ValueError, match="table: head must have words for every column, got"):
        table(("", "weight"), [("1", "0.5")], "Weights")


def test_a_table_escapes_its_cells():
    made = table(("a", "<b>"), [("1", "x & y")], "c")

    assert '<th scope="col">&lt;b&gt;</th>' in made
    assert "<td>x &amp; y</td>" in made
