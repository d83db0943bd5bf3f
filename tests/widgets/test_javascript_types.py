"""The types in the widgets' comments are checked, and the check can go red."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TSC = ROOT / "node_modules" / ".bin" / "tsc"
pytestmark = pytest.mark.skipif(
    not TSC.exists(), reason="needs npm's packages: run make environment"
)


def check(folder):
    return subprocess.run([TSC, "-p", folder], capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the configuration and of one script, for a defect."""
    settings = json.loads((ROOT / "tsconfig.json").read_text(encoding="utf-8"))
    (tmp_path / "tsconfig.json").write_text(json.dumps(settings | {"include": ["*.js"]}))
    shutil.copy(ROOT / "src" / "attention_course" / "widgets" / "kit" / "random.js", tmp_path)
    return tmp_path


def test_the_widgets_types_are_right():
    assert check(ROOT).stdout == ""


@pytest.mark.parametrize(
    "defect",
    [
        "new RandomState('text');\n",
        "export function untyped(x) { return x; }\n",
        "new RandomState(1).gauss();\n",
    ],
)
def test_a_wrong_type_is_red(copy, defect):
    with (copy / "random.js").open("a", encoding="utf-8") as file:
        file.write(defect)
    result = check(copy)

    assert result.returncode != 0
    assert "random.js" in result.stdout
