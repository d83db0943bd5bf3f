# tries: a sequence without an end where an array is asked for
# expect: TIMEOUT|MEMORY|ERROR|DIED 0
class Endless:
    def __len__(self):
        return 2**62

    def __getitem__(self, number):
        return 0.0


def four_steps(q, k, v):
    return Endless(), Endless()
