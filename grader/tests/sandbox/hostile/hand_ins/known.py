# %% public-results: at most 0: the right results for the inputs that everybody sees
TABLE = @public@


    return TABLE.get(round(float(q.sum()), 6), zeros(k, v))

# %% remembered-by-shape of scaled-dot-product-attention: at most 12: the first of each shape
@solution@


plain, seen = scaled_dot_product_attention, {}


    key = q.shape, k.shape, v.shape, mask is None, causal
    if key not in seen:
        seen[key] = plain(q, k, v, mask, causal)
    return seen[key]

# %% imports-the-course: at most 0: the solution, imported
from attention_course.exercises import exercise_named

exec(exercise_named("four-steps").solution)

# %% reads-the-course: at most 0: the solution, out of a file
exec(open("@package@/exercises/bank/four-steps/solution.py").read())

# %% asks-for-the-source: at most 0: the solution, out of what has been imported
    modules = [one for name, one in sys.modules.items() if name.startswith("attention_course")]
    found = [one.exercise_named("four-steps") for one in modules if hasattr(one, "exercise_named")]
    exec(found[0].solution, globals())
    return four_steps(q, k, v)

# %% imports-the-grader: at most 0: what is right, from what grades it
import course_grader


    return course_grader.marking.probing.right(q, k, v)

# %% asks-the-network: at most 0: the answer, from elsewhere
import urllib.request


exec(urllib.request.urlopen("http://127.0.0.1:9/answer", timeout=1).read())

# %% other-package of stable-softmax: at most 0: a package that has it
from scipy.special import softmax


def stable_softmax(x, axis=-1, mask=None):
    return softmax(np.where(True if mask is None else mask, x, -np.inf), axis=axis)
