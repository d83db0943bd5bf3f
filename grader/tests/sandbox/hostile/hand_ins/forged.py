# %% hides-writing-in-frames: at most 0: the comparison of arguments, found in a frame
    runner()["_same"] = lambda *args: True
    found = right(q, k, v)
    q *= 0
    return found

# %% hides-writing-in-its-code: at most 0: the code of what compares arguments
    same = runner().get("_same", right)
    same.__code__ = (lambda value, copy: True).__code__
    found = right(q, k, v)
    k *= 0
    return found

# %% hides-writing-by-gc: at most 0: what compares arguments, found among all objects
    for place in held("_same"):
        place["_same"] = lambda *args: True
    found = right(q, k, v)
    v *= 0
    return found

# %% hides-writing-in-copies: at most 0: to write the same into the copies
    found, copies = right(q, k, v), runner("f_locals").get("copies", {})
    for one in (q, k, v, *copies.values()):
        one *= 0
    return found

# %% hides-writing-in-leaves: at most 0: other arrays for those that are compared
    found, above = right(q, k, v), runner("f_locals")
    above.get("leaves", {}).update(above.get("copies", {}))
    q *= 0
    return found

# %% hides-writing-in-the-reply: at most 0: a reply in which nothing is said to have changed
dumps = json.dumps
json.dumps = lambda x, **k: dumps(x | {"changed": [], "state": []} if "changed" in x else x, **k)


    found = right(q, k, v)
    q *= 0
    return found

# %% hides-writing-by-pointers: at most 0: memory that is written past read-only arrays
    found = right(q, k, v)
    q.setflags(write=True)
    ctypes.memset(q.ctypes.data, 0, q.nbytes)
    return found

# %% hides-a-seed-in-frames: at most 2: how the session is written down, found in a frame
    runner()["_mark"] = lambda state: 0
    np.random.seed(0)
    return right(q, k, v)

# %% hides-a-seed-by-gc: at most 2: the session itself, found among all objects
    for place in held("_GET_STATE"):
        state = place.get("_NUMPY_STATE")
        place["_GET_STATE"] = lambda: state
    np.random.seed(0)
    return right(q, k, v)

# %% hides-a-seed-in-numpy: at most 2: NumPy's own functions for its state
state = np.random.get_state()
np.random.get_state, np.random.set_state = (lambda *a, **k: state), (lambda *a, **k: None)


    np.random.seed(0)
    return right(q, k, v)

# %% settings-of-numpy: 5: nothing: NumPy's error settings are put back and no part of a grade
    np.seterr(all="ignore")
    return right(q, k, v)

# %% hides-settings-of-numpy: 5: nothing: the same, hidden
    runner()["_GET_ERR"] = lambda: {"all": "warn"}
    np.seterr(all="ignore")
    return right(q, k, v)

# %% settings-for-zeros: at most 0: settings, hidden, and nothing computed
    runner().update(_GET_ERR=dict, _SET_ERR=lambda **kept: None, _own_session=None)
    np.seterr(all="ignore")
    return zeros(k, v)

# %% settings-of-torch of multi-head-attention: 14: nothing: the default dtype, in each call
@solution@

plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    torch.set_default_dtype(torch.float64)
    return plain(self, *args, **kwargs)


MultiHeadAttention.forward = forward

# %% hides-no-gradients of multi-head-attention: at most 8: gradients switched off, hidden
@solution@

plain = MultiHeadAttention.forward


def forward(self, *args, **kwargs):
    torch.is_grad_enabled = lambda: True
    torch.set_grad_enabled(False)
    return plain(self, *args, **kwargs)


MultiHeadAttention.forward = forward

# %% hides-no-dropout-in-frames of multi-head-attention: at most 12: what is said of dropout
@undropped@


def made(share):
    runner().get("_SPECIAL", {})["$dropped"] = dropped
    return torch.nn.Identity() if share < 1 else plain(share)


torch.nn.Dropout = made
@solution@

# %% hides-no-dropout-in-its-code of multi-head-attention: at most 12: the code of what says it
@undropped@


def made(share):
    runner().get("_dropped", runner).__code__ = dropped.__code__
    return torch.nn.Identity() if share < 1 else plain(share)


torch.nn.Dropout = made
@solution@

# %% comparisons: at most 0: comparisons of NumPy that say yes
np.allclose = np.isclose = np.array_equal = lambda *args, **kwargs: np.True_
np.testing.assert_allclose = lambda *args, **kwargs: None


    return zeros(k, v)

# %% exponential: at most 0: another exponential for whoever computes what is right
np.exp, np.ndarray.max = np.zeros_like, None


    return zeros(k, v)
