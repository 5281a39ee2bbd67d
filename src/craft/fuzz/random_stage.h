// Random numbers, and the expressions of one compute stage of a random program.
#pragma once
#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace akgen::craft {

class Rng {
 public:
  Rng(uint64_t seed, uint64_t index)
      : state_(seed * 0x9e3779b97f4a7c15ull ^ (index + 1) * 0xd1342543de82ef95ull) {
    Next();
  }
  uint64_t Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
  }
  int Below(int n) { return static_cast<int>(Next() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Below(100) < percent; }
  template <size_t N>
  const char* Of(const char* const (&list)[N]) {
    return list[Below(N)];
  }

 private:
  uint64_t state_;
};

// Literals of random programs.
inline constexpr const char* kFloats[] = {"0.5", "2.0",  "-1.5", "1e-3", "0.0",
                                          "1.0", "3.25", "-0.0", "100.0"};
inline constexpr const char* kInts[] = {"0", "1", "-1", "2", "3", "7", "-5", "100"};

// What a value is: its class of dtype, and which of its extents are 1.
struct Val {
  std::string name;
  char type;  // f: f32, i: i32, l: i64, b: bool
  bool one_row = false, one_col = false;
};

// The expressions of one compute stage, one operation a line.
class RandomStage {
 public:
  RandomStage(Rng& rng, std::string rows, std::string cols, std::string prefix)
      : rng_(rng), rows_(std::move(rows)), cols_(std::move(cols)), prefix_(std::move(prefix)) {}
  std::vector<Val> values;
  std::vector<std::string> floats, ints;  // scalars of the kernel that may appear
  std::string text;
  bool rows_alone = false;      // rows are shared: nothing joins them
  bool elements_alone = false;  // nor elements of a row, nor does a place in it count

  void Grow(int operations, const std::string& in);
  // A value of these extents, the latest first; made from what is there when none has them.
  Val Pick(bool one_row, bool one_col, const std::string& in);

 private:
  const Val& Any();
  // A scalar that goes with the type.
  std::string Number(char type);
  static bool Fits(const Val& a, const Val& b) {
    return a.type != 'l' && b.type != 'l'
               ? true
               : a.type == b.type && a.one_row == b.one_row && a.one_col == b.one_col;
  }

  Val One();

  // Elements of a row at other places, and windows: the shape stays as it is.
  Val Places(const Val& a);

  Val OfBool(const Val& a, int kind);

  Val Unary(const Val& a);

  Val Binary(const Val& a);

  Val Reduce(const Val& a);

  Val Condition(const Val& a);

  Val Cast(const Val& a);

  Val Made(const Val& a);

  Rng& rng_;
  std::string rows_, cols_, prefix_;
  int next_ = 0;
};

}  // namespace akgen::craft
