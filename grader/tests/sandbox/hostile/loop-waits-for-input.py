# tries: to wait for a person
# expect: ERROR 0
def four_steps(q, k, v):
    return float(input("the weights, please: ")), v
