"""Every cell of a page that meets a GPU, on a GPU that pretends: small, and to the end."""

import ast
import io
import json
import re
import symtable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import gpu
import pytest
import torch
from pretended import H100, T4, pretended_gpu

from attention_course.benchmarks import results

BOOK = Path(__file__).parents[2] / "book"
MEETS = ("benchmarks.run(", "this_device()")
RAW = re.compile(r"\b[A-Z]\w+\(\w+=")  # a table would say it in words


def names_of(code: str) -> tuple[set[str], set[str]]:
    """Return the names that a piece of code uses, and those that it gives."""
    top = symtable.symtable(code, "a cell", "exec")
    inside = [top]
    for table in inside:
        inside += table.get_children()
    uses = {
        name.get_name()
        for table in inside
        for name in table.get_symbols()
        if name.is_referenced() and (table is top or name.is_global())
    }
    given = (x for x in top.get_symbols() if x.is_assigned() or x.is_imported())
    gives = {name.get_name() for name in given}
    return uses - gives, gives


@cache
def cells(path: Path) -> list[tuple[int, str]]:
    """Return the cells of a page that meet a GPU, or use what does, and all that they need."""
    code, chosen, met = {}, set(), set()
    for i, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        source = "".join(cell["source"])
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] != "code" or "exercise" in tags or "%pip" in source:
            continue
        code[i] = source
        for statement in ast.parse(source).body:
            said = ast.unparse(statement)
            uses, gives = names_of(said)
            if uses & met or any(word in said for word in MEETS):
                chosen.add(i)
                met |= gives
            else:
                met -= gives
    named = {i: names_of(source) for i, source in code.items()}
    wanted = list(chosen)
    while wanted:
        i = wanted.pop()
        for name in named[i][0]:
            j = max((j for j in code if j < i and name in named[j][1]), default=i)
            if j not in chosen:
                chosen.add(j)
                wanted.append(j)
    return [(i, code[i]) for i in sorted(chosen)]


PAGES = [path for path in sorted(BOOK.rglob("*.ipynb")) if cells(path)]


def ran(path: Path, monkeypatch) -> tuple[str, dict]:
    """Run the cells; return what they print and what they leave."""
    monkeypatch.chdir(path.parent)
    there: dict = {"ac": __import__("attention_course"), "display": print}
    printed = io.StringIO()
    torch.set_grad_enabled(True)  # a page may have switched it off
    for i, source in cells(path):
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with redirect_stdout(printed):
            exec(compile(tree, f"{path.name} [{i}]", "exec"), there)
            if last:
                value = compile(ast.Expression(last.value), f"{path.name} [{i}]", "eval")
                there[f"shown {i}"] = eval(value, there)
    return printed.getvalue(), there


FEW = "kernel-lab"  # in the gate; the others take a minute
EACH = [
    pytest.param(path, id=path.stem, marks=[] if path.stem == FEW else pytest.mark.thorough)
    for path in PAGES
]


def test_the_pages_that_meet_a_gpu_are_found():
    assert {path.stem for path in PAGES} >= {
        *("complexity", "gpu-attention", "triton-kernel", "kernel-lab", "decoding"),
        *("numerics", "vision-transformer"),
    }


@pytest.mark.parametrize("about", [T4, H100], ids=["T4", "H100"])
@pytest.mark.parametrize("path", EACH)
def test_each_cell_that_meets_a_gpu_runs_to_its_end(path, about, small, monkeypatch):
    with pretended_gpu(about):
        said, _ = ran(path, monkeypatch)
    print(said)
    assert not RAW.findall(said)
    assert "failed" not in said
    assert about.name in said or "device: cuda" in said


@pytest.mark.thorough
def test_a_gpu_is_recorded_once_and_a_page_shows_it(small, tmp_path, monkeypatch, capsys):
    how = ["--parts", "ladder"]
    monkeypatch.setattr(gpu, "DEVICES", tmp_path)
    monkeypatch.setattr(gpu, "SECONDS", 0.1)
    (path,) = (path for path in PAGES if path.stem == "triton-kernel")
    with pretended_gpu(H100):
        assert gpu.main(how) == gpu.main(how) == 0
        assert capsys.readouterr().out.count("all is recorded") == 1
        monkeypatch.setattr(results, "_FOLDER", tmp_path)
        said, left = ran(path, monkeypatch)
    assert "Recorded on NVIDIA H100 80GB HBM3 (torch" in said
    drawn = [x for name, x in left.items() if name.startswith("shown") and hasattr(x, "data")]
    names = " ".join(str(trace.name) for figure in drawn for trace in figure.data)
    for name in ("plain", "tuned blocks"):
        assert f"{name}, live" in names
        assert f"{name}, H100 80GB HBM3" in names


def test_a_chapter_says_once_at_its_end_what_is_on_record():
    asks = {}
    for path in BOOK.rglob("*.ipynb"):
        sources = ["".join(c["source"]) for c in json.loads(path.read_text("utf-8"))["cells"]]
        at = [i for i, source in enumerate(sources) if "on_record(" in source]
        assert all("## Exercises" in sources[i + 1] for i in at)
        asks |= {path.stem: len(at)} if at else {}
    assert asks.keys() >= {path.stem for path in PAGES} - {
        "around-a-kernel",
        "kernel-lab",
        "numerics",
    }
    assert {*asks.values()} == {1}


@pytest.mark.gate("pages on a GPU", "a cell mixes the reader's GPU with the CPU")
def test_a_cell_that_mixes_devices_is_noticed():
    with pretended_gpu(T4), pytest.raises(RuntimeError, match="on the same device"):
        torch.ones(3, device="cuda") + torch.ones(3)
