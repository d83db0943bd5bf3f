# %% helper: 8: nothing: a helper of its own does part of it, and the right choice
# defends as itself
def shares(scores):
    exps = np.exp(scores - scores.max())
    return exps / exps.sum()


    weights = shares(k @ q)
    return weights, weights @ v

# %% another-name: at most 5: a name for what does it, and any choice
# defends blindly
four_steps = right

# %% any-arguments: at most 5: to hand everything on
# defends blindly
def four_steps(*args):
    return right(*args)

# %% any-keywords: at most 5: to hand everything on to a lambda
# defends blindly
four_steps = lambda *args, **kwargs: right(*args, **kwargs)

# %% text: at most 5: a text that is executed
# defends blindly
exec("def four_steps(q, k, v):\n    return right(q, k, v)")

# %% text-inside: at most 5: a text that is executed in the answer
# defends blindly
    inside = {"np": np}
    exec("e = np.exp(k @ q - (k @ q).max())\nw = e / e.sum()", inside | locals(), inside)
    return inside["w"], inside["w"] @ v

# %% partial: at most 5: a partial function
# defends blindly
four_steps = functools.partial(right)

# %% closure: at most 5: a function that a function makes
# defends blindly
def make():
    return lambda q, k, v: right(q, k, v)


four_steps = make()

# %% object: at most 5: an object that can be called
# defends blindly
class Steps:
    def __call__(self, q, k, v):
        return right(q, k, v)


four_steps = Steps()

# %% wrapped: at most 5: a decorator that hands everything on
# defends blindly
def wrapped(function):
    return functools.wraps(function)(lambda *args: right(*args))


@wrapped
def four_steps(q, k, v):
    return k @ q, v

# %% nothing-to-change: at most 5: code without an operator
# defends blindly
    scores = k.dot(q)
    exps = np.e ** scores.__sub__(sorted(scores).pop())
    weights = exps.__truediv__(np.add.reduce(exps))
    return tuple([weights, weights.dot(v)])

# %% dead-lines: at most 5: a thousand lines that change nothing
# defends blindly
    @="k + k\n    " * 1000@return right(q, k, v)

# %% long-sum: at most 5: a sum of 2,900 terms that is never used
# defends blindly
x = @="1+" * 2900@1
four_steps = right

# %% copied: at most 5: the notebook of somebody else, with that name and its right choice
# defends as Ada Lovelace
@solution@

# %% nameless: at most 5: the right choice of nobody
# defends as
@solution@

# %% wrong-defended: at most 3: to defend what is not right
# defends as itself
    exps = np.exp(k @ q)
    return exps / exps.sum(), exps @ v / exps.sum()

# %% all-choices: at most 5: every choice, one after the other
# defends blindly
@solution@
# ---- first
# DEFEND four-steps
for number in range(1, 7):
    defend(four_steps, "four-steps", me="all-choices", choice=number)

# %% own-defend: at most 5: a function of that name, which says that it is right
# defends blindly
@solution@


defend = lambda *args, **kwargs: print("right: 3 of 3 points")
