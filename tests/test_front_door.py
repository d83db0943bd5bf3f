"""``import attention_course as ac``: light, complete, and a name is always the same thing."""

import subprocess
import sys
from importlib import import_module
from inspect import ismodule
from pkgutil import iter_modules

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import attention_course as ac

HEAVY = {"torch", "plotly", "ipywidgets", "anywidget", "numpy"}
PARTS = sorted(name for name in ac.__all__ if ismodule(getattr(ac, name)))
# A submodule with the name of what its package exports would be put in its place by an import.
TWINS = sorted(
    f"attention_course.{part}.{module.name}"
    for part in PARTS
    if hasattr(getattr(ac, part), "__path__")
    for module in iter_modules(getattr(ac, part).__path__)
    if module.name in getattr(getattr(ac, part), "__all__", ())
)


def fresh(code: str) -> str:
    """Return what a fresh Python prints."""
    command = [sys.executable, "-c", f"import sys\n{code}"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_import_alone_loads_nothing_heavy_and_yet_knows_its_names():
    loaded = f"sorted(set(sys.modules) & {HEAVY})"
    assert fresh(f"import attention_course as ac; print({loaded})") == "[]"
    seen = f"import attention_course as ac; print('softmax' in dir(ac), {loaded})"
    assert fresh(seen) == "True ['numpy']"


@pytest.mark.parametrize(
    "name", ["softmax", "scaled_dot_product_attention", "layers", "check", "explore"]
)
def test_dir_has_the_name_and_so_has_import(name):
    assert name in dir(ac)
    assert fresh(f"from attention_course import {name}; print({name} is not None)") == "True"


def test_every_name_that_is_announced_is_there():
    assert {name: getattr(ac, name) for name in ac.__all__}
    assert [name for name in dir(ac) if not hasattr(ac, name)] == []


def test_a_name_is_the_same_object_wherever_it_is_asked_for():
    assert ac.softmax is ac.reference.softmax
    assert ac.check is ac.exercises.check


def test_an_unknown_name_says_so():
    with pytest.raises(AttributeError, match="'attention_course' has no attribute 'sofmax'"):
        _ = ac.sofmax


def test_some_submodules_have_the_name_of_what_their_package_exports():
    assert "attention_course.reference.softmax" in TWINS


@pytest.mark.parametrize("twin", TWINS)
def test_an_exported_name_stays_the_function_whatever_was_imported_before(twin):
    part, _, name = twin.rpartition(".")
    code = f"import {twin}\nimport attention_course as ac, {part}\n"
    code += f"from {part} import {name} as n\n"
    code += f"print(type({part}.{name}).__name__, type(n).__name__)\n"
    code += f"print(type(getattr(ac, {name!r}, n)).__name__)"
    assert fresh(code).split() == [type(getattr(import_module(part), name)).__name__] * 3
    assert not ismodule(getattr(import_module(part), name))


@pytest.mark.parametrize("jedi", [True, False])
def test_tab_completes_the_names(jedi):
    shell = InteractiveShell()
    shell.Completer.use_jedi = jedi
    shell.run_cell("import attention_course as ac")
    with provisionalcompleter():
        found = {one.text.rpartition(".")[2] for one in shell.Completer.completions("ac.so", 5)}
    softmaxes = {"softmax", "softmax_in_format", "softmax_jacobian", "softmax_with_sink"}
    assert found == {*softmaxes, "soft_cap"}
