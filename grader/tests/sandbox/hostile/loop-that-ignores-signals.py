# tries: an endless loop that ignores every signal it may ignore and swallows every exception
# expect: TIMEOUT 0
import signal


def four_steps(q, k, v):
    for number in signal.valid_signals():
        try:
            signal.signal(number, lambda *ignored: None)
        except (OSError, ValueError):
            continue
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
