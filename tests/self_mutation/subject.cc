// A program in which the test plants faults: prints one line for each function.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#define TWICE(x) ((x) * 2)

namespace subject {

struct Row {
  const char* name;
  int bytes;
};
constexpr Row kRows[] = {{"float", 4}, {"half", 2}};
constexpr int kBound = 3;

constexpr int Squared(int n) { return n > 46340 ? 0 : n * n; }

bool Fits(int used, int limit) { return used <= limit; }

bool Both(bool one, bool other) { return one && other; }

int Clamp(int n) {
  if (n < 0) return -1;
  return std::min(n, 7);
}

int Difference(int a, int b) { return a - b; }

int Apart(int a, int b) { return Difference(a, b); }

int Sum(const std::vector<int>& numbers) {
  int sum = 10;
  sum = 0;
  for (int n : numbers) sum += n;
  return sum;
}

bool Named(const std::string& name) { return name == "half"; }

template <int N>
int Sized() {
  std::array<int, N + 1> room{};
  if constexpr (N > 2) return int(room.size());
  return TWICE(N);
}

int Kind(int n) {
  switch (n) {
    case 1: return 1;
    default: return 0;
  }
}

// In a lambda, and converted: braces take no narrower number.
size_t Twice(size_t n) {
  const auto more = [&] { return size_t{1} + n; };
  return more();
}

}  // namespace subject

int main() {
  using namespace subject;
  static_assert(Squared(kBound) == 9);
  std::printf("rows %d %d\n", kRows[0].bytes, kRows[1].bytes);
  std::printf("fits %d %d\n", Fits(3, 3), Fits(4, 3));
  std::printf("both %d %d\n", Both(true, false), Both(false, true));
  std::printf("clamp %d %d %d\n", Clamp(-5), Clamp(7), Clamp(9));
  std::printf("apart %d\n", Apart(5, 3));
  std::printf("sum %d\n", Sum({1, 2}));
  std::printf("named %d %d\n", Named("half"), Named("float"));
  std::printf("sized %d %d\n", Sized<2>(), Sized<3>());
  std::printf("kind %d\n", Kind(1));
  std::printf("twice %zu\n", Twice(2));
}
