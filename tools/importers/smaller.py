"""Shapes of a task file that a simulator can bear: its numbers capped, and where that is not enough those of its layers, and single numbers halved."""
import dataclasses

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from akgen.kernelbench.source import OUTER, Caps, Refused, largest, module_of, numbers, on, small_enough

WORK = 1 << 28  # multiplications and results of one forward, at most, where that can be
TOGETHER = 8  # all inputs, parameters and outputs, in units of `elements`
LARGE = 64  # the largest tensor, in the same units, where the layers are large themselves
SEARCHED = 64 * LARGE  # likewise of what is made smaller still
INNER = (64, 32, 16, 8)
PARTS = (2, 4, 8, 16, 32, 64)
EVERY = 1 << 62
HALVED = (4, 16)  # the least that single numbers are halved from: of the module, of classes


class Counting(TorchDispatchMode):
    """Results, and multiplications of products and convolutions, of what is computed."""

    def __init__(self):
        super().__init__()
        self.work = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        first = out[0] if isinstance(out, (tuple, list)) and out else out
        if isinstance(first, torch.Tensor):
            self.work += first.numel() * self.times(func._schema.name.split("::")[1], args)
        return out

    @staticmethod
    def times(name, args):
        if name in ("mm", "bmm", "addmm", "baddbmm"):
            return args[-1].shape[-2]
        if name != "convolution":
            return 1
        image, weight, transposed, groups = args[0], args[1], args[6], args[8]
        if image.shape[1] != (weight.shape[0] if transposed else weight.shape[1] * groups):  # which "meta" does not look at
            raise Refused(f"forward failed: {image.shape[1]} channels for a convolution of other ones")
        return weight[0].numel() * (image.shape[1] // weight.shape[1] if transposed else 1)


def forward(inputs, model, device):
    """(largest tensor, all tensors, work) of one forward; on "meta" nothing is computed."""
    with on(device), torch.no_grad(), Counting() as counting:
        outs = model.to(device)(*inputs)
    outs = outs if isinstance(outs, (tuple, list)) else [outs]
    sizes = [t.numel() for t in [*inputs, *model.parameters(), *outs] if isinstance(t, torch.Tensor)]
    if 0 in sizes:
        raise Refused("a tensor has no elements")
    return max(sizes, default=1), sum(sizes), counting.work


class Search:
    def __init__(self, source, path, elements, draw):
        self.source, self.path, self.elements, self.draw = source, path, elements, draw
        self.refused, self.tried = None, set()  # why the first did not run
        self.over, self.caps = None, None  # of what runs and asks for least

    def share(self, found):
        """Of what can be borne; at most 1 is good."""
        return max(found[0] / self.elements, found[1] / (TOGETHER * self.elements), found[2] / WORK)

    def runs(self, caps):
        """Tries these caps. What runs is kept where nothing before it asked for less."""
        became = tuple(numbers(self.source, self.path, caps))
        if became in self.tried:
            return False
        self.tried.add(became)
        try:
            over = self.share(self.cost(caps))
        except Refused as e:
            self.refused = self.refused or e
            return False
        if self.over is None or over < self.over:
            self.over, self.caps = over, caps
        return True

    def cost(self, caps, devices=("meta", "cpu")):
        for device in devices:
            try:
                return forward(*self.draw(module_of(self.source, self.path, caps), device), device)
            except NotImplementedError:  # PyTorch cannot tell the shapes of that operator
                continue
            except Refused:
                raise
            except Exception as e:  # the file's own code, or an operator that "meta" lacks and says so otherwise
                if device == "meta" and "meta tensor" in str(e):
                    continue
                raise Refused(f"forward failed: {type(e).__name__}: {(str(e).splitlines() or [''])[0][:200]}") from None
        return 1, 1, 1  # it will be seen where its values are made

    def good(self):
        return self.over is not None and self.over <= 1

    def look(self, tried):
        """The first of these caps that are good, else of those whose tensors are large the first that run."""
        for caps in small_enough(self.source, self.path, self.elements, self.draw, SEARCHED, tried):
            if self.runs(caps) and (self.good() or largest(self.source, self.path, caps, self.draw) > self.elements):
                return

    def halve(self):
        """One number after the other, the largest first, as long as the model runs and that makes it smaller."""
        kept = set()
        while not self.good():
            left = [(value, -place) for place, (value, inner) in enumerate(numbers(self.source, self.path, self.caps))
                    if value >= HALVED[inner] and place not in kept]
            if not left:
                return
            value, place = max(left)
            before = self.over
            self.runs(dataclasses.replace(self.caps, own=tuple({**dict(self.caps.own), -place: value // 2}.items())))
            if self.over == before:
                kept.add(-place)


def smaller(source, path, elements, draw):
    """Caps of the file's numbers with which its forward runs and asks for little: at most so many elements in a tensor, where that can be."""
    search = Search(source, path, elements, draw)
    search.cost(Caps(), ("meta",))  # what is wrong with the file as it is
    search.look(OUTER)
    for tried in ([Caps(EVERY, 0, part) for part in PARTS], *([Caps(caps.outer, inner) for caps in OUTER] for inner in INNER),
                  [Caps(EVERY, EVERY, part) for part in PARTS]):
        if not search.good():
            search.look(tried)
    if search.caps:
        search.halve()
    if not search.caps or search.over > LARGE:
        raise search.refused or Refused(f"no shape of at most {LARGE * elements} elements was found by capping its numbers")
    return search.caps
