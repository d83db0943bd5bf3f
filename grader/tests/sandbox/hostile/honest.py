# %% half: WRONG 3: nothing: it forgets to subtract the largest score, and keeps the first part
    exps = np.exp(k @ q)
    weights = exps / exps.sum()
    return weights, weights @ v

# %% in-threads: ERROR 0: nothing wrong, but there are no threads, and the error says so
from concurrent.futures import ThreadPoolExecutor


    with ThreadPoolExecutor(2) as pool:
        scores = np.array(list(pool.map(lambda key: key @ q, k)))
    exps = np.exp(scores - scores.max())
    return exps / exps.sum(), exps / exps.sum() @ v

# %% patches-its-own-numpy: OK 5: nothing: it wraps NumPy's functions, sets limits and a locale
plain = np.exp
np.exp = lambda x: plain(np.asarray(x, dtype=float))
np.softmax = lambda x: np.exp(x - x.max()) / np.exp(x - x.max()).sum()
sys.setrecursionlimit(5000)
os.environ["OMP_NUM_THREADS"] = "4"
warnings.simplefilter("error")


    weights = np.softmax(k @ q)
    return weights, weights @ v

# %% seeds-in-the-call: WRONG 2: to reset the session's generator in each call, not allowed
    np.random.seed(0)
    return right(q, k, v)

# %% seeds-the-generator: OK 5: nothing: a seed and NumPy's error settings while it is loaded
np.random.seed(0)
random.seed(0)
np.seterr(all="ignore")
np.set_printoptions(precision=2)


@solution@

# %% with-type-hints of reinforce-gradient: OK 6: nothing: types, and imports it does not use
import logging
import sys
import time
from typing import Optional, Tuple

from numpy.typing import NDArray

vars: Optional[Tuple[NDArray, float]] = None
tiny = sys.float_info.min
@solution@

# %% writes-a-file-of-its-own: ERROR 0: nothing wrong, but no file can be written
    with tempfile.TemporaryFile() as file:
        np.save(file, k @ q)
        file.seek(0)
        scores = np.load(file)
    exps = np.exp(scores - scores.max())
    return exps / exps.sum(), exps / exps.sum() @ v
