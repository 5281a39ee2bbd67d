// Inputs of a case, drawn from a seed. The generator is counter-based (every element is a function
// of seed, task, case, tensor and index), uses integer and IEEE arithmetic only, and so gives the
// same bytes on every machine.
#pragma once
#include <cstdint>
#include <span>

#include "base/files.h"
#include "task/task.h"

namespace akgen::task {

// Distributions (`dist` of an input, a table with `kind`):
//   normal, heavy   mean, std                     uniform  low, high (high excluded)      int low,
//   high (both included) bool     p                             values   values: list, repeated
//   over the tensor, each `stride` (1) times in a row; constant value index    high (excluded): 0 …
//   high-1 ring     low, high: complex numbers of that magnitude, high excluded, in any direction
//   ranges   high: pairs (start, length) that lie in [0, high) wide     low, high: exponents of
//   two; magnitudes from 2^low to 2^high, of either sign ramp     low, high: along `axis` (-1) from
//   one to the other     level  mean, std: one normal variate for each line lines    of: a list of
//   these tables, first (0): line i along `axis` is drawn from number (i + first) of them, and
//   holds its `spike` at one place
// and for every kind: abs (take the magnitude); least, most (limits that values beyond are set to;
// after abs); copy_of = input, copy_fraction (that share of the elements is taken from the same
// place of an earlier input); specials = list of values ("inf", "-inf", "nan" or numbers) put at
// random places, special_fraction (share for each, default: one place each), special_if = "$column"
// (only when true); integers = a table used instead when the dtype is an integer, bools = the same
// for bool. Numbers may be "$column". complex64: real and imaginary part drawn independently.
//
// Fills `out`, one span per flat tensor (Flatten(c.inputs)), each of exactly Bytes() bytes.
// AK0102 a distribution is malformed; AK0104 a span has the wrong size.
base::Status GenerateInputs(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                            std::span<const std::span<uint8_t>> out);

// What of AK0102 can be said without drawing anything.
base::Status CheckInputs(const TaskSpec& task, const CaseDesc& c);

// The same in one block of anonymous shared memory.
struct TensorSet {
  std::vector<TensorDesc> tensors;  // flat
  Layout layout;
  base::SharedMemory memory;
  std::span<uint8_t> Bytes(size_t i) const {
    return {memory.data() + layout.offsets[i], tensors[i].Bytes()};
  }
};
base::Result<TensorSet> GenerateInputs(const TaskSpec& task, const CaseDesc& c, uint64_t seed);

// One 64-bit draw of the generator: stream `key`, counter `index`.
uint64_t Draw(uint64_t key, uint64_t index);

}  // namespace akgen::task
