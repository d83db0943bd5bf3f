import numpy as np


def schedule(arrivals, prompts, outputs, most, chunk):
    """Return the steps of each first and last token, (n,) each."""
    unread, written = prompts.copy(), np.zeros_like(outputs)
    first, last = np.zeros_like(outputs), np.zeros_like(outputs)
    queue, running, now = list(range(len(arrivals))), [], 0
    while queue or running:
        while queue and arrivals[queue[0]] <= now and len(running) < most:
            running.append(queue.pop(0))
        room = chunk
        for r in running:
            part = min(room, unread[r])
            unread[r] -= part
            room -= part
            if unread[r] == 0:
                if not written[r]:
                    first[r] = now
                last[r] = now
                written[r] += 1
        running = [r for r in running if written[r] < outputs[r]]
        now += 1
    return first, last
