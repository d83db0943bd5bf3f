"""``attention-course term``: the totals of a term, of what was graded in several folders."""

import argparse
from datetime import UTC, datetime

from course_grader.cli.private import require_private
from course_grader.marking.term import EXAMPLE, load_term, sums
from course_grader.reports.term_report import files_of
from course_grader.safe_text import listed, one_line
from course_grader.tables import write, write_table


def run(options: argparse.Namespace) -> int:
    """Write the files of a term and say what is open; status 1 if something is to look at."""
    if options.example:
        print(EXAMPLE.read_text(encoding="utf-8"), end="")
        return 0
    if not options.out:
        raise ValueError("--out FOLDER must be given: it is where the totals are written")
    require_private(options.out)
    term = load_term(options.file)
    found = sums(term, datetime.now(UTC))
    for name, text in files_of(term, found).items():
        (write_table if name == "term.csv" else write)(options.out / name, text)
    waiting = [one.person.student for one in found if not one.total]
    print(
        f"{options.out / 'term.html'}: {len(found) - len(waiting)} of {len(found)} totals stand"
    )
    if waiting:
        more = f", and {len(waiting) - 10} more" if len(waiting) > 10 else ""
        print(f"  open: {listed(waiting[:10])}{more}; the page says why")
    if none := [one.person.student for one in found if one.nothing]:
        print(f"  handed in nothing: {listed(none)}")
    for line in term.said:
        print(f"  to look at: {one_line(line, 400)}")
    return 1 if term.said else 0
