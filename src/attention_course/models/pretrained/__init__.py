"""Models that others trained, in the course's own layers; their packages are an optional extra.

``files`` finds and checks what is installed, ``formats`` reads GGUF, ``wordpiece``,
``byte_pairs`` and ``smiles`` cut texts into tokens, ``encoder`` and ``decoder`` build the
models, ``interventions`` silences heads and evens their weights out.
"""
