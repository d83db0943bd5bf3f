"""From the first tag on, names that released notebooks use keep working."""

import json
import subprocess

import pytest
from released import lost, released, used


def test_every_name_that_a_released_notebook_uses_is_there():
    complaints = []
    for where, notebook in released():
        names = used(notebook)
        complaints += [f"{where}: {gone}" for pair in sorted(names) if (gone := lost(*pair))]
    assert complaints == []


@pytest.mark.gate("names of released notebooks", "a function and a module renamed after a tag")
def test_a_name_that_went_is_noticed(tmp_path):
    source = [
        "%pip list\n",
        "from attention_course.reference import softmax, softmin\n",
        "from attention_course import errors, training\n",
        "import attention_course.statements, numpy.nowhere",
    ]
    (tmp_path / "book").mkdir()
    cells = [{"cell_type": "code", "source": source}]
    (tmp_path / "book" / "a.ipynb").write_text(json.dumps({"cells": cells}))
    for command in ("init -q", "add .", "commit -qm one", "tag v0.1.0"):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *who, *command.split()], cwd=tmp_path, check=True)
    ((where, notebook),) = released(tmp_path)
    assert where == "v0.1.0:book/a.ipynb"
    assert sorted(filter(None, (lost(*pair) for pair in used(notebook)))) == [
        "attention_course.errors",
        "attention_course.reference.softmin",
        "attention_course.statements",
    ]
