# tries: to return an object that says it is equal to everything
# expect: ERROR 0
class Equal:
    shape = property(lambda self: self)
    dtype = ndim = size = shape

    def _yes(self, *args, **kwargs):
        return True

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = _yes
    __hash__ = object.__hash__

    def _self(self, *args, **kwargs):
        return self

    __sub__ = __rsub__ = __abs__ = __call__ = __getitem__ = __add__ = __mul__ = _self
    __array_priority__ = 10**9

    def __getattr__(self, name):
        return self

    def all(self, *args, **kwargs):
        return True


def four_steps(q, k, v):
    return Equal(), Equal()
