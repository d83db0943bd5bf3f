"""The workflows run what README says and a test has tried; pinned, with no rights to spare."""

import re

import pytest
import yaml
from rules.source import ROOT

WORKFLOWS = {path.stem: path for path in (ROOT / ".github/workflows").glob("*.yml")}
# Each was seen pinned in several well-kept repositories; another hash is to be looked at first.
SEEN = {
    "actions/checkout": "3d3c42e5aac5ba805825da76410c181273ba90b1",
    "actions/setup-python": "5fda3b95a4ea91299a34e894583c3862153e4b97",
    "actions/upload-artifact": "043fb46d1a93c77aae656e7c1c64a875d1fc6a0a",
    "actions/download-artifact": "3e5f45b2cfb9172054b4087a40e8e0b5a5461e7c",
    "actions/upload-pages-artifact": "7b1f4a764d45c48632c6b24a0339c27f5614fb0b",
    "actions/deploy-pages": "d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e",
}


def commands(workflow: str, job: str) -> list[str]:
    """Return what the steps of a job run."""
    steps = yaml.safe_load(WORKFLOWS[workflow].read_text("utf-8"))["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step]


def test_the_test_job_runs_the_two_commands_of_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    block = readme.split("\n## Two commands\n")[1].split("```")[1]
    book, test = [line.split("#")[0].strip() for line in block.strip().splitlines()]
    asked, *rest = commands("test", "test")
    assert rest == [book, ".ci/run"]
    assert f"\n{test}\n" in (ROOT / ".ci/run").read_text("utf-8")
    assert asked in (ROOT / "tools/system").read_text("utf-8")


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_takes_known_actions_and_gives_no_rights_by_itself(name):
    text = WORKFLOWS[name].read_text("utf-8")
    used = re.findall(r"uses: (\S+)@(\S+)", text)
    assert dict(used).items() <= SEEN.items()
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    assert "secrets." not in text
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 180
        assert job["permissions"]


def test_the_makefile_has_what_the_workflows_call():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    text = "".join(path.read_text("utf-8") for path in WORKFLOWS.values())
    called = set(re.findall(r"run: make ([a-z-]+)", text))
    called |= set(re.search(r"what: \[(.*)\]", text)[1].split(", "))
    called |= set(re.findall(r"\bmake ([a-z-]+)", (ROOT / ".ci/run").read_text("utf-8")))
    assert called > {"book", "test", "links", "take-home"}
    assert [name for name in called if not re.search(rf"(?m)^{name}:", makefile)] == []
