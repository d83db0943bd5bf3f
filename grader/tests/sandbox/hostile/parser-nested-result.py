# tries: a list that contains itself, and one that is a hundred thousand deep
# expect: ERROR|DIED|WRONG 0
def four_steps(q, k, v):
    deep = []
    for _ in range(10**5):
        deep = [deep]
    loop = []
    loop.append(loop)
    return (loop, deep) if len(k) % 2 else (deep, loop)
