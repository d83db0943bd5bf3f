# tries: to fetch a model from elsewhere, and to load a pickle that runs a command
# exercise: multi-head-attention
# expect: ERROR|DIED 0
import io
import os
import pickle

import torch


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/attention-hostile",)


try:
    torch.load(io.BytesIO(pickle.dumps(Command())), weights_only=False)
except Exception:
    print("no pickle")
torch.hub.load("attention/hostile", "model")
