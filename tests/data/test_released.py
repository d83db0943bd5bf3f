"""Weights that the wheel leaves out come from the release, once; others are refused."""

import hashlib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from attention_course.data import released
from attention_course.data.tensors import load_checkpoint

CHECKPOINTS = Path(released.__file__).parent / "checkpoints"
WHOLE, NAME = (CHECKPOINTS / "glimpser.safetensors").read_bytes(), "small"


@pytest.fixture
def release(monkeypatch, tmp_path):
    """A release on this machine: what it sends, and whether it says that there is more."""
    asked, sent = [], {"content": WHOLE, "more": 0}

    class Host(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(sent["content"]) + sent["more"]))
            self.end_headers()
            self.wfile.write(sent["content"])

        def log_message(self, *about):
            pass

    server = HTTPServer(("127.0.0.1", 0), Host)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    course = f"attention-course @ git+http://127.0.0.1:{server.server_port}/a/b@v9.8.7"
    monkeypatch.setattr(released, "COURSE", course)
    monkeypatch.setitem(released.RELEASED, NAME, hashlib.sha256(WHOLE).hexdigest())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield asked, sent, tmp_path / "cache/attention-course" / f"{NAME}.safetensors"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_hashes_are_those_of_the_files():
    for name, found in released.RELEASED.items():
        content = (CHECKPOINTS / f"{name}.safetensors").read_bytes()
        assert hashlib.sha256(content).hexdigest() == found


def test_it_is_fetched_once_and_what_is_kept_must_be_the_same(release):
    asked, _, kept = release
    arrays, about = load_checkpoint(NAME)
    assert (arrays.keys(), about) == (
        load_checkpoint("glimpser")[0].keys(),
        load_checkpoint("glimpser")[1],
    )
    load_checkpoint(NAME)
    assert asked == [f"/a/b/releases/download/v9.8.7/{NAME}.safetensors"]
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]
    kept.write_bytes(WHOLE[:-1])
    load_checkpoint(NAME)
    assert len(asked) == 2
    assert kept.read_bytes() == WHOLE


def test_a_folder_that_cannot_be_written_costs_nothing_but_another_fetch(release):
    asked, _, kept = release
    kept.parent.parent.write_text("no folder")
    load_checkpoint(NAME)
    load_checkpoint(NAME)
    assert len(asked) == 2


@pytest.mark.parametrize(
    ("content", "more", "words"),
    [
        (WHOLE[:-1] + b"x", 0, r"its SHA-256 must be \w+, got \w+ of 81,384 bytes"),
        (WHOLE[:1000], len(WHOLE) - 1000, "IncompleteRead"),
    ],
)
def test_another_file_and_half_a_file_are_refused_and_not_kept(release, content, more, words):
    _, sent, kept = release
    sent.update(content=content, more=more)
    with pytest.raises(OSError, match=words):
        load_checkpoint(NAME)
    assert not kept.exists()


@pytest.mark.parametrize(
    ("course", "words"),
    [
        ("git+http://127.0.0.1:9/a/b@v9.8.7", "refused"),
        ("git+https://github.com/-set-owner-/b@v9.8.7", "has no public address"),
    ],
)
def test_where_nothing_can_be_fetched_it_says_which_file_to_put_where(
    release, monkeypatch, course, words
):
    _, _, kept = release
    monkeypatch.setattr(released, "COURSE", course)
    with pytest.raises(OSError, match=words) as caught:
        load_checkpoint(NAME)
    assert kept.name in str(caught.value)
    assert str(kept.parent) in str(caught.value)
    kept.parent.mkdir(parents=True)
    kept.write_bytes(WHOLE)
    assert load_checkpoint(NAME)[0]
