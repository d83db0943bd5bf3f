# %% a-megabyte: ERROR|MALFORMED|WRONG|TIMEOUT|MEMORY 0: a source of a megabyte, all one list
four_steps = None
x = [@="[0], " * 200_000@]

# %% attributes: ERROR|DIED|MEMORY|TIMEOUT 0: the compiler's stack, with 100,000 attributes
x = head@=".a" * 100_000@

# %% brackets: ERROR|DIED|MEMORY 0: the parser, with brackets deeper than it goes
x = @="(" * 100_000 + ")" * 100_000@

# %% lone-surrogate: ERROR|MALFORMED|DIED 0: a source that is no text: half of two surrogates
x = '@="\ud800"@'

# %% minus-signs: ERROR|DIED|MEMORY 0: the compiler's stack, with 100,000 minus signs
x = @="-" * 100_000@1

# %% nested-result: ERROR|DIED|WRONG 0: a list in itself, and one that is 100,000 deep
    deep = []
    for _ in range(10**5):
        deep = [deep]
    loop = []
    loop.append(loop)
    return (loop, deep) if len(k) % 2 else (deep, loop)

# %% not-python: ERROR|MALFORMED 0: a notebook's magic and a shell line instead of Python
%%bash
!touch /tmp/attention-hostile

# %% null-byte: ERROR|MALFORMED 0: a NUL in the source
x = 'a@="\0"@b'

# %% recursion: DIED|ERROR|MEMORY|TIMEOUT 0: recursion without an end, its limit taken away
sys.setrecursionlimit(10**9)


    return four_steps(q, k, v)
