# tries: nothing: it says of which types its arguments are, and imports what it does not use
# exercise: reinforce-gradient
# expect: OK 6
import logging
import sys
import time
from typing import Optional, Tuple

from numpy.typing import NDArray

vars: Optional[Tuple[NDArray, float]] = None
tiny = sys.float_info.min
@solution@
