"""Every public function of the reference, with the arguments of its own docstring's example."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Callable

from attention_course import reference

FOUND = pkgutil.walk_packages(reference.__path__, reference.__name__ + ".")
MODULES = [importlib.import_module(info.name) for info in FOUND]
FUNCTIONS = {
    f"{module.__name__.removeprefix('attention_course.')}.{name}": function
    for module in MODULES
    if "._" not in module.__name__
    for name, function in vars(module).items()
    if inspect.isfunction(function)
    and function.__module__ == module.__name__
    and not name.startswith("_")
}


def run_example(function: Callable, call: Callable[[dict], object]) -> None:
    """Run the example in a docstring; each call in it goes to ``call``, arguments by name."""
    signature = inspect.signature(function)

    def instead(*given, **named):
        return call(dict(signature.bind(*given, **named).arguments))

    names = vars(importlib.import_module(function.__module__)) | {function.__name__: instead}
    example = doctest.DocTestParser().get_doctest(function.__doc__, names, "", None, 0)
    doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None)


def last_call(function: Callable, all_of_them: bool = False) -> dict:
    """Return the arguments of the last call in a function's example; defaults if asked."""
    calls: list[dict] = []

    def call(given: dict):
        calls.append(given)
        return function(**given)

    run_example(function, call)
    parameters = inspect.signature(function).parameters.values() if all_of_them else ()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    return defaults | calls[-1] if calls else {}
