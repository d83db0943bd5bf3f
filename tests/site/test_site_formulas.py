import re
import subprocess
import sys

import pytest

from attention_course.drawing.palette import ROLES
from attention_course.site.mathematics import parts_of, prepare_display, set_formula
from attention_course.site.roles import colour_roles

SEEN = re.compile(r'<span class="katex-html".*', re.DOTALL)


@pytest.mark.parametrize("latex", [r"\frac{1}", r"\unknown{x}", r"x_{", "é", r"\href{x}{y}"])
def test_a_bad_formula_is_an_error_that_shows_what_katex_said(latex):
    with pytest.raises(ValueError, match="set_formula: latex must be what KaTeX knows, got"):
        set_formula(latex)


@pytest.mark.parametrize(
    ("latex", "role"),
    [
        (r"\mathbf{q}", "query"),
        (r"\mathbf q", "query"),
        ("Q", "query"),
        ("K^\\top", "key"),
        (r"\boldsymbol{v}", "value"),
        ("e_{ij}", "score"),
        (r"\alpha_{ij}", "weight"),
        (r"\boldsymbol\alpha", "weight"),
        (r"\mathbf{c}", "context"),
        (r"\mathbf{s}_{i-1}", "query"),
        (r"\mathbf a_t", "weight"),
    ],
)
def test_each_role_symbol_is_set_in_its_role(latex, role):
    seen = SEEN.search(set_formula(latex)).group(0)

    assert f"ac-{role}" in seen
    assert not any(f"ac-{other}" in seen for other in ROLES if other != role)


@pytest.mark.parametrize(
    "latex",
    [
        "d_k",
        "e^x",
        r"\alpha",
        r"\text{Q and K}",
        "v_t",
        r"\mathbf{qk}",
        r"\mathbf{v}_a^\top \tanh(x)",
        r"V_o y",
        r"\mathbf{s}_i",
        r"\mathbf{h}_t",
    ],
)
def test_what_is_no_role_symbol_is_left_alone(latex):
    assert colour_roles(latex) == latex


def test_a_decoder_s_state_is_a_query_on_the_pages_where_it_asks():
    assert "ac-query" in colour_roles(r"W_p \mathbf h_t", "book/recurrent/luong")
    assert "ac-query" in colour_roles(r"\mathbf{h}_{t-1}", "recurrent/captioning")
    for page in ("why/rnn-bottleneck", "recurrent/captioning"):
        assert "ac-query" not in colour_roles(r"\mathbf{h}_t", page)
    assert "ac-query" not in colour_roles(r"\tilde{\mathbf{h}}_t", "recurrent/luong")


def test_lstmn_s_letters_have_roles_on_its_page_alone():
    latex = (
        r"a_i^t = v^\top \tanh(W_h h_i), \; s^t = \operatorname{softmax}(a^t), \; \sum s_i^t"
    )
    found = colour_roles(latex, "recurrent/lstmn")
    assert [found.count(f"ac-{role}") for role in ("score", "weight", "value")] == [2, 2, 0]
    assert r"{\htmlClass{ac-weight}{s}}_i^t" in found
    assert colour_roles(latex, "recurrent/luong") == latex


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"a, \qquad b", ["a,", "b"]),
        (r"a \qquad\text{and}\qquad b", None),
        (r"\frac{a, \qquad b}{c}", None),
        (r"\begin{aligned} a, \qquad b \\ c \end{aligned}", None),
        (r"a, \quad b", None),
    ],
)
def test_a_display_comes_apart_at_wide_spaces_behind_commas_only(latex, expected):
    assert parts_of(latex) == (expected or [latex])
    assert all(set_formula(part, True) for part in parts_of(latex))


def test_numbers_of_equations_are_left_to_sphinx():
    made = prepare_display(r"\begin{align}a &= b\end{align}")

    assert made == r"\begin{align*}a &= b\end{align*}"
    assert "eqn-num" not in set_formula(made, True)


def test_a_process_that_sets_a_formula_without_a_build_ends():
    code = "from attention_course.site.mathematics import set_formula; set_formula('x')"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
