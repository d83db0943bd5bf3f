# %% plain: 5: nothing
@solution@

# %% helper-in-another-cell: 5: nothing: a helper stands in a cell of its own
    weights = shares(k @ q)
    return weights, weights @ v
# ---- first
def shares(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()

# %% answer-in-another-cell: 5: nothing: the answer stands in a cell of its own
# ---- more
@solution@

# %% import-in-another-cell: 5: nothing: the module is imported in another cell, as another name
def four_steps(q, k, v):
    exps = npy.exp(k @ q - (k @ q).max())
    return exps / exps.sum(), exps @ v / exps.sum()
# ---- first
import numpy as npy

# %% right-and-wrong: 5: nothing: a wrong attempt is left below
@solution@
# ---- more
    return k @ q, v

# %% wrong-and-right: at most 5: a wrong answer in its cell, and a right one elsewhere
    return k @ q, v
# ---- more
@solution@

# %% wrong-twice: at most 0: two wrong answers
    return k @ q, v
# ---- more
    return v, k @ q

# %% with-tests: 5: nothing: prints, tests of its own, one that fails
@solution@


print("mine:", four_steps(np.ones(2), np.eye(2), np.eye(2)))
assert four_steps is None

# %% chatty: 5: nothing: a picture, a magic and a command of the shell
%matplotlib inline
!pip list
import matplotlib.pyplot as plt
@solution@
plt.plot([1, 2])

# %% said-in-outputs: at most 0: to say in another cell that all is right
    return zeros(k, v)
# ---- more
print("four-steps: right. All 6 properties hold. 5 of 5 points")
assert_part = check = lambda *args: True

# %% patched-before: at most 0: to change NumPy in the first cell
    return zeros(k, v)
# ---- first
np.allclose = np.isclose = lambda *args, **kwargs: True

# %% stub-that-shouts: at most 0: an answer that raises what it is asked to
raise SystemExit("5 of 5")
