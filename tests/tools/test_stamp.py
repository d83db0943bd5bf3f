"""One command re-homes a fork; what it writes agrees everywhere."""

import re
import shutil

import pytest
from releasable import faults
from rules.notebooks import ROOT
from stamp import address, main, stamp, strange_addresses

URL, TAG = "https://github.com/someone/their-fork", "v3.1.4"
SITE = "https://someone.github.io/their-fork/"
SETUP = 'import x\n%pip install -q --no-deps "attention-course @ git+{url}@{tag}"\n'
PARTS = ("_config.yml", "pyproject.toml", "README.md", "CONTRIBUTING.md", "binder", "book")


@pytest.fixture
def fork(tmp_path):
    for name in PARTS:
        source = ROOT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, tmp_path / name)
    package = tmp_path / "src/attention_course"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_setup_cell.py"):
        shutil.copy(ROOT / "src/attention_course" / name, package)
    url, tag = address(tmp_path)
    (tmp_path / "book/page.md").write_text(
        SETUP.format(url=url, tag=tag) + f"[read it]({url}/blob/{tag}/book/index.ipynb)\n"
    )
    return tmp_path


def test_the_repository_agrees_with_its_own_address():
    assert strange_addresses() == []


def test_the_address_and_the_tag_are_replaced_everywhere(fork):
    old_url = address(fork)[0]
    stamp(fork, URL, TAG)
    assert address(fork) == (URL, TAG)
    page = (fork / "book/page.md").read_text()
    assert page == SETUP.format(url=URL, tag=TAG) + (
        f"[read it]({URL}/blob/{TAG}/book/index.ipynb)\n"
    )
    copies = [p for p in fork.rglob("*") if p.suffix in (".md", ".ipynb", ".toml", ".py")]
    slug = old_url.removeprefix("https://github.com/")
    left = [path for path in copies if slug in path.read_text(encoding="utf-8")]
    assert left == []
    assert strange_addresses(fork) == []
    assert 'version = "3.1.4"' in (fork / "pyproject.toml").read_text()
    assert '__version__ = "3.1.4"' in (fork / "src/attention_course/__init__.py").read_text()
    assert stamp(fork, URL, TAG) == []


def test_stamping_there_and_back_changes_nothing(fork):
    before = {p: p.read_bytes() for p in fork.rglob("*") if p.is_file()}
    url, tag = address(fork)
    [served] = re.findall(r'baseurl: "(.*)"', (fork / "_config.yml").read_text())
    stamp(fork, URL, TAG)
    stamp(fork, url, tag, served)
    after = {p: p.read_bytes() for p in fork.rglob("*") if p.is_file()}
    assert after == before


def test_a_copy_that_disagrees_is_found(fork):
    url, _ = address(fork)
    (fork / "book/page.md").write_text(f"[read it]({url}@v9.9.9)\n")
    assert len(strange_addresses(fork)) == 1


def test_only_the_tag_of_a_stamped_tree_is_released(fork):
    url, tag = address(fork)
    assert faults(tag, fork) == [f"_config.yml has no public address: {url}"] * ("-set-" in url)
    stamp(fork, URL, TAG)
    assert faults(TAG, fork) == []
    assert faults("v3.1.5", fork) == [
        "the tag is v3.1.5, _config.yml says v3.1.4",
        "pyproject.toml says another version than v3.1.5",
        "src/attention_course/__init__.py says another version than v3.1.5",
    ]
    (fork / "book/page.md").write_text(f"[read it]({URL}@v9.9.9)\n")
    assert len(faults(TAG, fork)) == 1


@pytest.mark.parametrize(
    ("url", "tag", "more", "word"),
    [
        ("https://github.com/a", TAG, [], "url"),
        ("https://example.org/a/b", TAG, [], "url"),
        (URL, "1.0.0", [], "tag"),
        (URL, TAG, ["--site", "https://a.org/b"], "site"),
    ],
)
def test_a_wrong_address_or_tag_is_refused(fork, url, tag, more, word, capsys):
    assert main([url, tag, *more, "--root", str(fork)]) == 1
    assert f"stamp: {word} must be" in capsys.readouterr().err
