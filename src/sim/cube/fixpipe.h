// What Fixpipe makes of the numbers it takes out of L0C: quantisation, ReLU, conversion.
#pragma once
#include <cstdint>

namespace akgen::sim::cube {

// QuantMode_t's numbers.
enum Quant : uint8_t {
  kNoQuant,
  kF322F16,
  kF322BF16,
  kDeqF16,
  kVDeqF16,
  kQF322B8,
  kVQF322B8,
  kReq8,
  kVReq8,
  kQuantModes
};
inline bool OfChannels(uint8_t mode) {
  return mode == kVDeqF16 || mode == kVQF322B8 || mode == kVReq8;
}
inline bool TakesWord(uint8_t mode) { return mode >= kDeqF16; }
// May this mode turn the one type into the other?
bool Converts(uint8_t mode, uint8_t from, uint8_t to);

struct Conversion {
  uint8_t mode = kNoQuant;
  uint8_t from = 0;  // AkgenDtype of what it takes: float or int32
  bool relu = false;
  bool keep_infinity =
      false;  // bit 48 of CTRL: else what overflows half becomes its largest number
};
// `n` numbers of four bytes side by side. `words`: quantisation words, one for each or (step 0) one
// for all.
void Convert(const Conversion& how, const uint8_t* from, uint32_t n, const uint64_t* words,
             uint32_t step, uint8_t* to);
// The scale of a quantisation word is a float of ten bits of mantissa: not infinite, not subnormal,
// and a number.
bool HasScale(uint64_t word);
const char* NameOfScale(uint64_t word);      // of one without
uint32_t BytesAfter(const Conversion& how);  // of an element

}  // namespace akgen::sim::cube
