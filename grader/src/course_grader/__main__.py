"""``python -m course_grader`` is the command ``attention-course``."""

import sys

from course_grader.cli.command import main

if __name__ == "__main__":
    sys.exit(main())
