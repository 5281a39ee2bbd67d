"""PyTorch task files in the style of KernelBench, and candidates in the format of AscendKernelBench.

`source` reads task files, `task` makes what a judgement needs of one, `rules` are those of the benchmark for model_new.py, `model` records what
a candidate's model does (in the sandbox, as a file: it imports nothing of this package). `akgen bench ascendkernelbench` starts them.
"""


class Refused(Exception):
    """This file cannot be used; the text says why."""
