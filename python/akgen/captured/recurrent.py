"""Recurrent layers as their steps, one after the other: the program is written for the number of steps of the example."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, List, Tuple

from .operators import RULES, linear
from .values import Num, Ten, number_of

if TYPE_CHECKING:
    from .writer import Writer

MAX_STEPS = 64  # of all layers and directions
State = List[Ten]  # h, and c where there is one


def parts(w: Writer, gates: Ten, count: int) -> List[Ten]:
    """`count` gates that lie beside each other."""
    n = gates.shape[-1] // count
    return [w.do("slice", gates, -1, i * n, (i + 1) * n, 1) for i in range(count)]


def lstm_step(w: Writer, x: Ten, state: State, turn: Callable[[Ten], Ten]) -> State:
    i, f, g, o = parts(w, w.do("add", x, turn(state[0])), 4)
    kept = w.do("mul", w.do("sigmoid", f), state[1])
    c = w.do("add", kept, w.do("mul", w.do("sigmoid", i), w.do("tanh", g)))
    return [w.do("mul", w.do("sigmoid", o), w.do("tanh", c)), c]


def gru_step(w: Writer, x: Ten, state: State, turn: Callable[[Ten], Ten]) -> State:
    (xr, xz, xn), (hr, hz, hn) = parts(w, x, 3), parts(w, turn(state[0]), 3)
    r, z = w.do("sigmoid", w.do("add", xr, hr)), w.do("sigmoid", w.do("add", xz, hz))
    n = w.do("tanh", w.do("add", xn, w.do("mul", r, hn)))
    return [w.do("add", n, w.do("mul", z, w.do("sub", state[0], n)))]


def plain_step(activation: str) -> Callable[..., State]:
    def step(w: Writer, x: Ten, state: State, turn: Callable[[Ten], Ten]) -> State:
        return [w.do(activation, w.do("add", x, turn(state[0])))]
    return step


def layer(w: Writer, x: Ten, state: State, weights: List[Any], step: Callable[..., State], backwards: bool) -> Tuple[List[Ten], State]:
    """One direction of one layer: x is [time, batch, features], the result a [1, batch, features] for each time."""
    inward, turning = weights[0], weights[1]
    bias, turning_bias = (weights[2], weights[3]) if len(weights) == 4 else (None, None)
    every = linear(w, [x, inward, bias], None)
    outs: List[Ten] = []
    for t in reversed(range(x.shape[0])) if backwards else range(x.shape[0]):
        state = step(w, w.do("select", every, 0, t), state, lambda h: linear(w, [h, turning, turning_bias], None))
        outs.append(w.do("unsqueeze", state[0], 0))
    return outs[::-1] if backwards else outs, state


def joined(w: Writer, made: List[List[Ten]]) -> Ten:
    """[time, batch, features] of one direction, or of both: one join of all steps, and views of it."""
    steps = [step for each in zip(*made) for step in each]
    out = w.do("cat", steps, 0) if len(steps) > 1 else steps[0]
    if len(made) == 1:
        return out
    batch, features = w.size(out, 1), w.size(out, 2)
    apart = w.do("reshape", out, [len(made[0]), 2, batch, features])
    return w.do("reshape", w.do("transpose", apart, 1, 2), [len(made[0]), batch, Num(f"({features.text} * 2)", features.value * 2)])


def recurrent(w: Writer, a: List[Any], step: Callable[..., State]) -> List[Any]:
    x, first, weights = a[0], a[1] if isinstance(a[1], list) else [a[1]], list(a[2])
    biases, layers, dropout, train, both, batch_first = (number_of(v) for v in a[3:9])
    if train and dropout and layers > 1:
        raise w.refuse("dropout draws random numbers in training mode; call net.eval()", "random")
    if batch_first:
        x = w.do("transpose", x, 0, 1)
    directions = 2 if both else 1
    if x.shape[0] * layers * directions > MAX_STEPS:
        raise w.refuse(f"{x.shape[0] * layers * directions} steps of a recurrent layer; a program has at most {MAX_STEPS}", "loop")
    w.pin(a[0], [1 if batch_first else 0])
    each, last, at = 4 if biases else 2, [[] for _ in first], 0
    for _ in range(layers):
        made = []
        for direction in range(directions):
            state = [w.do("select", s, 0, at) for s in first]
            out, state = layer(w, x, state, weights[at * each:(at + 1) * each], step, direction == 1)
            made.append(out)
            for all_of, one in zip(last, state):
                all_of.append(w.do("unsqueeze", one, 0))
            at += 1
        x = joined(w, made)
    ends = [w.do("cat", s, 0) if len(s) > 1 else s[0] for s in last]
    return [w.do("transpose", x, 0, 1) if batch_first else x, *ends]


def rule_of(step: Callable[..., State]) -> Callable[..., List[Any]]:
    return lambda w, a, dtype: recurrent(w, a, step)


RULES["lstm"] = rule_of(lstm_step)
RULES["gru"] = rule_of(gru_step)
RULES["rnn_tanh"] = rule_of(plain_step("tanh"))
RULES["rnn_relu"] = rule_of(plain_step("relu"))
