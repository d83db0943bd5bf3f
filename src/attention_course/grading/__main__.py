"""``python -m attention_course.grading`` is the command ``attention-course``."""

import sys

from attention_course.grading.command import main

sys.exit(main())
