# tries: to replace the builtins that a harness uses
# expect: WRONG|ERROR|DIED|PROTOCOL 0
import builtins

builtins.isinstance = lambda *args: True
builtins.len = lambda x: 2
builtins.sum = lambda x, *more: 0
builtins.all = builtins.any = lambda *args: True
builtins.zip = lambda *args, **kwargs: iter(())
builtins.print = lambda *args, **kwargs: None


def four_steps(q, k, v):
    return [0.0], [0.0]
