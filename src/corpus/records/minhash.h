// Near duplicates: sketches of sets of shingles whose agreement estimates how much two texts have
// in common.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace akgen::corpus {

inline constexpr size_t kSketch = 64,
                        kBands =
                            8;  // 8 rows a band: sets that share 77 % meet in half of all cases
using Sketch = std::array<uint32_t, kSketch>;

// Of the lines of a text, alone and two and three in a row; numbers and the numbers in names do not
// count.
Sketch SketchOf(const std::string& text);
// Estimated size of what both have over what either has, 0 to 1.
double Likeness(const Sketch& a, const Sketch& b);
// Sketches that agree in one of these are worth comparing.
std::array<int64_t, kBands> BandsOf(const Sketch& s);

}  // namespace akgen::corpus
