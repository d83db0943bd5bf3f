"""What the page's Python is made of: the public source, and no secret."""

import io
import zipfile

from attention_course.site.tryit import PACKAGE, course_files, course_zip, served

ROOT = PACKAGE.parents[1]
COURSE = course_zip(course_files())


def test_it_is_the_public_source_and_nothing_of_an_assignment():
    with zipfile.ZipFile(io.BytesIO(COURSE)) as file:
        names = file.namelist()
        for name in names:
            assert file.read(name) == (PACKAGE.parent / name).read_bytes()
    assert {name.split("/")[0] for name in names} == {"attention_course"}
    folders = {name.split("/")[1] for name in names if name.count("/") > 1}
    assert folders == {"reference", "exercises", "assembled", "data"}
    manifests = [path.read_text("utf-8") for path in ROOT.glob("assignments/*/assignment.toml")]
    answers = [text.partition("model_answer")[2] for text in manifests]
    parts = [line.strip() for text in answers for line in text.splitlines() if len(line) > 40]
    inside = b"".join((PACKAGE.parent / name).read_bytes() for name in names)
    assert not [part for part in parts if part.encode() in inside]
    assert parts


def test_the_same_source_gives_the_same_bytes_of_ten_megabytes_at_most():
    assert course_zip(course_files()) == COURSE
    assert sum(map(len, served(COURSE).values())) < 9_600_000
