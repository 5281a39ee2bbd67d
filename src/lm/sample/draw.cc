#include "lm/sample/draw.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace akgen::lm {

uint64_t Random::Next() {
  uint64_t z = x_ += 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

namespace {
// Which of `ids` (with weights p, not normalised) is drawn.
size_t Pick(std::vector<double>& p, double top_p, Random& random) {
  double sum = std::accumulate(p.begin(), p.end(), 0.0);
  if (top_p < 1) {
    std::vector<size_t> order(p.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p[a] > p[b]; });
    double kept = 0;
    for (size_t i : order) {
      if (kept >= top_p * sum) p[i] = 0;
      kept += p[i];
    }
    sum = std::accumulate(p.begin(), p.end(), 0.0);
  }
  double u = random.Uniform() * sum;
  size_t last = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0) continue;
    last = i;
    if (u < p[i]) return i;
    u -= p[i];
  }
  return last;
}
}  // namespace

std::pair<int, double> DrawToken(const float* logits, int size, const std::vector<int>* allowed,
                                 double temperature, double top_p, Random& random) {
  double most = *std::max_element(logits, logits + size), sum = 0;
  for (int i = 0; i < size; ++i) sum += std::exp(double(logits[i]) - most);
  auto log_p = [&](int id) { return double(logits[id]) - most - std::log(sum); };
  std::vector<int> all;
  if (!allowed) {
    all.resize(size_t(size));
    std::iota(all.begin(), all.end(), 0);
    allowed = &all;
  }
  int best = (*allowed)[0];
  for (int id : *allowed)
    if (logits[id] > logits[best]) best = id;
  if (temperature <= 0) return {best, log_p(best)};
  std::vector<double> p;
  for (int id : *allowed)
    p.push_back(std::exp((double(logits[id]) - double(logits[best])) / temperature));
  int token = (*allowed)[Pick(p, top_p, random)];
  return {token, log_p(token)};
}

}  // namespace akgen::lm
