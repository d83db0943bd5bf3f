import io
import os
import stat
import struct
import zipfile

import pytest

from course_grader.submissions import unpack
from course_grader.submissions.unpack import opened


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return path


def zip_of(files):
    return zipped(io.BytesIO(), files).getvalue()


def listed(path):
    with opened(path) as members:
        return {member.name: member.refused for member in members}


def member(name, mode=0):
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = mode << 16
    return info


def test_ordinary_members_are_listed_and_read(tmp_path):
    path = zipped(tmp_path / "a.zip", {"a/x.ipynb": b"1", "./b.ipynb": b"2"})
    with opened(path) as members:
        assert [m.read() for m in members] == [b"1", b"2"]
        assert [m.parts for m in members] == [("a", "x.ipynb"), ("b.ipynb",)]


@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/etc/x", "a\\..\\x", "\\x", "C:/x", "..\\x"]
)
def test_a_name_that_leads_out_is_refused_and_the_rest_is_read(tmp_path, name):
    path = zipped(tmp_path / "a.zip", {name: b"1", "ok.ipynb": b"2"})
    came = listed(path)
    assert came[name] == "its name leads out of the zip"
    assert came["ok.ipynb"] == ""


def test_a_link_and_a_device_in_a_zip_are_refused(tmp_path):
    files = {
        member("link", stat.S_IFLNK | 0o777): b"/etc/passwd",
        member("pipe", stat.S_IFIFO | 0o600): b"",
        member("file", stat.S_IFREG | 0o600): b"",
    }
    came = listed(zipped(tmp_path / "a.zip", files))
    assert came == {"link": "a link", "pipe": "not an ordinary file", "file": ""}


def test_a_bomb_is_refused_before_it_is_unzip_of(tmp_path):
    path = zipped(tmp_path / "a.zip", {"bomb": bytes(unpack.MOST_BYTES + 1), "ok": b"1"})
    assert path.stat().st_size < 100_000
    assert listed(path) == {"bomb": "larger than 64 MiB", "ok": ""}


def test_a_bomb_that_lies_about_its_size_is_never_unpacked_beyond_it(tmp_path):
    path = zipped(tmp_path / "a.zip", {"bomb": bytes(5_000_000)})
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    assert struct.unpack_from("<I", data, at)[0] == 5_000_000
    struct.pack_into("<I", data, at, 10)
    path.write_bytes(data)
    with opened(path) as [bomb], pytest.raises(ValueError, match="cannot be unpacked"):
        bomb.read()


def test_members_together_are_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(unpack, "MOST_TOGETHER", 2**30)
    monkeypatch.setattr(unpack, "MOST_MEMBERS", 4)
    names = [f"{i}" for i in range(6)]
    came = listed(zipped(tmp_path / "a.zip", dict.fromkeys(names, b"1")))
    assert list(came.values()) == [""] * 4 + ["the zip has more than 4 members"] * 2
    monkeypatch.setattr(unpack, "MOST_TOGETHER", 3)
    came = listed(zipped(tmp_path / "b.zip", dict.fromkeys(names[:3], b"12")))
    assert [bool(reason) for reason in came.values()] == [False, True, True]


def test_an_encrypted_or_oddly_packed_member_is_refused(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("lzma", b"1", zipfile.ZIP_LZMA)
        archive.writestr("secret", b"1")
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    path.write_bytes(data)
    assert listed(path) == {"lzma": "packed in an unusual way", "secret": "encrypted"}


def test_a_damaged_member_says_so_and_the_others_are_read(tmp_path):
    path = zipped(tmp_path / "a.zip", {"bad": os.urandom(500), "good": b"1"})
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    with opened(path) as [bad, good]:
        with pytest.raises(ValueError, match="cannot be unpacked"):
            bad.read()
        assert good.read() == b"1"


def test_what_a_system_leaves_behind_is_passed_over(tmp_path):
    names = ["__MACOSX/._a.ipynb", ".DS_Store", "a/.ipynb_checkpoints/a.ipynb", "a/a.ipynb"]
    assert list(listed(zipped(tmp_path / "a.zip", dict.fromkeys(names, b"")))) == ["a/a.ipynb"]


def test_links_and_pipes_in_a_folder_are_refused(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.ipynb").write_text("secret")
    (folder / "link.ipynb").symlink_to(tmp_path / "elsewhere" / "secret.ipynb")
    (folder / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "ok.ipynb").write_text("1")
    assert listed(folder) == {
        "link.ipynb": "a link",
        "folder": "a link",
        "pipe.ipynb": "not an ordinary file",
        "ok.ipynb": "",
    }


def test_a_file_exchanged_for_a_link_after_the_listing_is_not_followed(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "a.ipynb").write_text("1")
    with opened(folder) as [file]:
        (folder / "a.ipynb").unlink()
        (folder / "a.ipynb").symlink_to("/etc/passwd")
        with pytest.raises(ValueError, match="cannot be read"):
            file.read()


def test_a_file_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "a.ipynb").touch()
    os.truncate(tmp_path / "a.ipynb", unpack.MOST_BYTES + 1)
    assert listed(tmp_path) == {"a.ipynb": "larger than 64 MiB"}


def test_what_is_neither_folder_nor_zip_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    for name, found in [("a.txt", "another kind of file"), ("b.zip", "nothing")]:
        refused = pytest.raises(ValueError, match=f"folder or a zip, found {found} there")
        with refused, opened(tmp_path / name):
            pass


def test_a_truncated_zip_is_refused_in_words(tmp_path):
    (tmp_path / "a.zip").write_bytes(zip_of({"a": b"1"})[20:])
    with pytest.raises(ValueError, match="cannot be"), opened(tmp_path / "a.zip") as members:
        members[0].read()


def test_a_zip_that_a_student_handed_in_is_looked_into_once(tmp_path):
    inner = zip_of({"a/hw.ipynb": b"{}", "README.txt": b"x", "__MACOSX/hw.ipynb": b"y"})
    twice = zip_of({"b.zip": inner, "deep.ipynb": b"1"})
    for path in (
        tmp_path / "folder",
        zipped(tmp_path / "c.zip", {"ada.zip": inner, "t.ZIP": twice}),
    ):
        if path.suffix != ".zip":
            path.mkdir()
            (path / "ada.zip").write_bytes(inner)
            (path / "t.ZIP").write_bytes(twice)
        with opened(path) as members:
            assert {m.name: m.read() for m in members} == {
                "ada.zip/a/hw.ipynb": b"{}",
                "t.ZIP/deep.ipynb": b"1",
            }


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK no zip", "a zip that cannot be read"),
        (zip_of({"a.txt": b""}), "a zip without a notebook"),
        (zip_of({f"{i}.ipynb": b"" for i in range(11)}), "a zip with 11 notebooks"),
        (zip_of({f"{i}": b"" for i in range(1_001)}), "a zip with more than 1000 files"),
        (zip_of({"a.ipynb": bytes(unpack.MOST_BYTES + 1)}), "larger than 64 MiB"),
        (zip_of({"../a.ipynb": b""}), "its name leads out of the zip"),
    ],
)
def test_a_strange_zip_inside_says_why_it_is_not_read(tmp_path, data, reason):
    (tmp_path / "ada.zip").write_bytes(data)
    (tmp_path / "bob.ipynb").write_bytes(b"{}")
    with opened(tmp_path) as members:
        first, last = members
    assert first.refused.startswith(reason)
    assert not last.refused


def test_a_zip_in_a_zip_is_opened_and_a_third_is_not(tmp_path):
    given = zip_of({"x.ipynb": b"1", "README.txt": b"how"})
    twice = zip_of({"handed out.zip": given, "note.txt": b"hello"})
    path = zipped(
        tmp_path / "a.zip", {"ada/mine.zip": twice, "bob/b.zip": zip_of({"c": twice})}
    )
    with opened(path) as members:
        [ada, bob] = members
        assert ada.name == "ada/mine.zip/handed out.zip/x.ipynb"
        assert ada.read() == b"1"
        assert bob.refused == "a zip without a notebook"
    deeper = zipped(tmp_path / "b.zip", {"ada/mine.zip": zip_of({"a.zip": twice})})
    assert listed(deeper) == {"ada/mine.zip": "a zip without a notebook"}
    two = zipped(tmp_path / "c.zip", {"ada/mine.zip": zip_of({"a.zip": given, "b.zip": given})})
    assert listed(two) == {"ada/mine.zip": "a zip without a notebook"}
