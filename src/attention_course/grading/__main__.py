"""``python -m attention_course.grading`` is the command ``attention-course``."""

import sys

from attention_course.grading.command import main

if __name__ == "__main__":
    sys.exit(main())
