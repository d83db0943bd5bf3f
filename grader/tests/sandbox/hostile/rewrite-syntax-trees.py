# tries: to strip assertions from whatever is compiled and imported after it
# expect: WRONG 0
import ast
import builtins
import sys

import numpy as np

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


def four_steps(q, k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])
