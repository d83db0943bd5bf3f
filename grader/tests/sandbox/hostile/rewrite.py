# %% array-protocol: WRONG|ERROR 0: another array, of another length, each time it is asked
class Shifting:
    asked = 0

    def __array__(self, dtype=None, copy=None):
        Shifting.asked += 1
        return np.zeros(Shifting.asked % 8)

    __array_function__ = __array_ufunc__ = lambda self, *args, **kwargs: True
    __len__ = lambda self: 10**9


    return Shifting(), Shifting()

# %% builtins: WRONG|ERROR|DIED|PROTOCOL 0: to replace the builtins that a harness uses
builtins.isinstance = lambda *args: True
builtins.len = lambda x: 2
builtins.sum = lambda x, *more: 0
builtins.all = builtins.any = lambda *args: True
builtins.zip = lambda *args, **kwargs: iter(())
builtins.print = lambda *args, **kwargs: None


    return [0.0], [0.0]

# %% endless-sequence: TIMEOUT|MEMORY|ERROR|DIED 0: a sequence without an end for an array
class Endless:
    __len__ = lambda self: 2**62
    __getitem__ = lambda self, number: 0.0


    return Endless(), Endless()

# %% equal-to-everything: ERROR 0: an object that says it is equal to everything
class Equal:
    shape = property(lambda self: self)
    dtype = ndim = size = shape
    all = _yes = lambda self, *args, **kwargs: True
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__
    _self = lambda self, *args, **kwargs: self
    __sub__ = __rsub__ = __abs__ = __call__ = __getitem__ = __add__ = __mul__ = _self
    __array_priority__ = 10**9
    __getattr__ = lambda self, name: self


    return Equal(), Equal()

# %% exit-hooks: ERROR|DIED 0: hooks that run when it ends: excepthook, a destructor, a thread
class Last:
    __del__ = lambda self: os._exit(0)


kept = Last()
sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *args: os._exit(0)


    raise ValueError(kept)

# %% floats-that-run-code: DIED 0: numbers that run code where they are turned into floats
class Number(float):
    __float__ = lambda self: os._exit(0)


class Row(list):
    __len__ = lambda self: os._exit(0)


    return Row([Number(0.2)] * len(k)), v[0]

# %% generators-and-texts: ERROR|WRONG 0: generators, texts and dictionaries for arrays
    if len(k) == 1:
        return "1.0", "nan"
    if len(k) == 4:
        return {"weights": 1}, {"context": 1}
    return (x for x in iter(int, 1)), (x for x in q)

# %% inputs-in-place: WRONG 0: to zero its inputs, so that a later reference agrees with it
    q[...] = 0
    k[...] = 0
    v[...] = 0
    return np.full(len(k), 1 / len(k)), np.zeros(v.shape[1])

# %% masked-array: WRONG 0: masked arrays in which nothing is left to compare
    return np.ma.zeros(len(k)), np.ma.array(np.zeros(v.shape[1]), mask=True)

# %% memory-of-constants: WRONG|DIED|ERROR|PROTOCOL|TIMEOUT 0: to write into cached objects
    ctypes.memset(id(7) + 24, 1, 1)
    ctypes.memset(id(np.pi) + 16, 0, 8)
    return zeros(k, v)

# %% notebook-machinery: ERROR|WRONG 0: a notebook's input transformers, magics and shell
shell = globals().get("get_ipython", lambda: None)()
if shell is not None:
    shell.input_transformers_post.append(lambda lines: [])
    shell.run_cell_magic("bash", "", "touch /tmp/attention-hostile")


    return zeros(k, v)

# %% object-array: ERROR 0: arrays of objects whose arithmetic runs code
class Bomb:
    __float__ = __index__ = __int__ = __add__ = __sub__ = lambda *args: os._exit(0)


    return np.array([Bomb()] * len(k)), np.array([Bomb()] * v.shape[1])

# %% patched-comparison: WRONG 0: to make every comparison of NumPy say yes
for name in ("allclose", "isclose", "array_equal"):
    setattr(np, name, lambda *args, **kwargs: np.True_)
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None
np.all = np.any = lambda *args, **kwargs: True


    return zeros(k, v)

# %% patched-generators: WRONG 0: to know the tests' inputs by patching every generator
class Zeros:
    __init__ = lambda self, *args: None
    __getattr__ = lambda self, name: lambda *args, **kwargs: np.zeros(
        kwargs.get("size", args[-1] if args else ())
    )


np.random.default_rng = np.random.Generator = np.random.RandomState = Zeros
np.random.seed(0)
random.seed(0)


    return np.full(len(k), 1 / len(k)), np.zeros(v.shape[1])

# %% poisoned-modules: ERROR|DIED|WRONG|PROTOCOL 0: sys.modules, imports and the recycler
    np.exp = np.array = np.zeros = np.float64 = None
    np.ndarray = np.ascontiguousarray = None
    sys.modules.update(dict.fromkeys(("json", "struct", "numpy", "os", "socket")))
    sys.meta_path.clear()
    sys.path_hooks.clear()
    gc.disable()
    builtins.__import__ = None
    raise ValueError("all of it is poisoned")

# %% strange-dtypes: ERROR 0: complex, structured, date and text arrays, one after the other
    kinds = ["c16", "M8[s]", "U9", [("weights", "f8"), ("\x1b[31m", "i4")], "V8"]
    kind = kinds[len(k) % len(kinds)]
    return np.zeros(len(k), kind), np.zeros(v.shape[1], kind)

# %% subclass-with-lying-shape: WRONG|ERROR 0: a subclass of ndarray that lies about all of it
class Liar(np.ndarray):
    shape = property(lambda self: (5,))
    nbytes = property(lambda self: 10**15)
    size = property(lambda self: -1)
    __eq__ = lambda self, other: True
    __hash__ = None
    tobytes = lambda self, *args: b"\0" * 10**7
    __array_wrap__ = lambda self, *args, **kwargs: True
    astype = lambda self, *args, **kwargs: self


    return np.zeros(len(k)).view(Liar), np.zeros(v.shape[1]).view(Liar)

# %% syntax-trees: WRONG 0: to strip assertions from what is compiled and imported after it
real = builtins.compile


class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)


def stripped(source, name, mode, *args, **kwargs):
    if isinstance(source, str):
        source = ast.fix_missing_locations(Strip().visit(ast.parse(source)))
    return real(source, name, mode, *args, **kwargs)


builtins.compile = stripped
sys.flags = type("flags", (), {"optimize": 2})


    return zeros(k, v)
