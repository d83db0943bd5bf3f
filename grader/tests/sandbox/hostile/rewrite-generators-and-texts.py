# tries: generators, texts and dictionaries where arrays are asked for
# expect: ERROR|WRONG 0
def four_steps(q, k, v):
    if len(k) == 1:
        return "1.0", "nan"
    if len(k) == 4:
        return {"weights": 1}, {"context": 1}
    return (x for x in iter(int, 1)), (x for x in q)
