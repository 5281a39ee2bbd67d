#include "task/wrong_elements.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace akgen::task {
namespace {
constexpr size_t kMaxRuns = size_t{1} << 20;

double Badness(const Mismatch& m) {
  const double off = std::fabs(m.out - m.ref);
  return std::isfinite(off) ? off / (std::fabs(m.ref) + 1e-7) : HUGE_VAL;
}

std::string Ordinal(int64_t n) {
  const bool teen = n % 100 >= 11 && n % 100 <= 13;
  return std::to_string(n) + (teen          ? "th"
                              : n % 10 == 1 ? "st"
                              : n % 10 == 2 ? "nd"
                              : n % 10 == 3 ? "rd"
                                            : "th");
}

// What an index along an axis is called.
std::string AxisName(size_t axis, size_t rank) {
  if (axis + 1 == rank) return "column";
  return rank == 2 ? "row" : "index";
}

std::string OnAxis(size_t axis, const std::vector<int64_t>& shape, int64_t low, int64_t high) {
  const std::string name = AxisName(axis, shape.size());
  std::string many = name == "index" ? "indices" : name + "s",
              where = name == "index" ? " of axis " + std::to_string(axis) : "";
  const std::string of = " of " + std::to_string(shape[axis]);
  if (low == high) return name + " " + std::to_string(low) + of + where;
  if (high + 1 == shape[axis])
    return "the last " + std::to_string(high - low + 1) + of + " " + many + where;
  if (low == 0) return "the first " + std::to_string(high + 1) + of + " " + many + where;
  return many + " " + std::to_string(low) + " to " + std::to_string(high) + of + where;
}

int64_t Elements(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}
}  // namespace

void WrongElements::Add(int64_t index, double out, double ref) {
  ++count_;
  const Mismatch m{index, out, ref};
  if (first_.size() < kShown) first_.push_back(m);
  if (worst_.size() < kWorst || Badness(m) > Badness(worst_.back())) {
    worst_.insert(std::upper_bound(
                      worst_.begin(), worst_.end(), m,
                      [](const Mismatch& a, const Mismatch& b) { return Badness(a) > Badness(b); }),
                  m);
    if (worst_.size() > kWorst) worst_.pop_back();
  }
  if (!runs_.empty() && runs_.back().end == index)
    ++runs_.back().end;
  else if (runs_.size() < kMaxRuns)
    runs_.push_back({index, index + 1});
  else
    all_runs_ = false;
}

std::string WrongElements::OfRuns(const std::vector<int64_t>& shape, int64_t elements) const {
  // Each run has the same length and follows the one before at the same distance.
  const int64_t long_ = runs_[0].end - runs_[0].begin, apart = runs_[1].begin - runs_[0].begin;
  const bool regular =
      runs_.size() > 2 &&
      std::adjacent_find(runs_.begin(), runs_.end(), [&](const Run& a, const Run& b) {
        return b.begin - a.begin != apart || b.end - b.begin != long_;
      }) == runs_.end();
  const int64_t row = shape.empty() ? 1 : shape.back();
  if (regular && shape.size() > 1 && apart == row && long_ < row) {
    const int64_t low = runs_[0].begin % row;
    const std::string columns = OnAxis(shape.size() - 1, shape, low, low + long_ - 1);
    const bool all_rows = runs_[0].begin < row && runs_.back().begin >= elements - row;
    const int64_t from = runs_[0].begin / row, to = runs_.back().begin / row;
    return columns + (all_rows ? ", in every row"
                               : ", in rows " + std::to_string(from) + " to " + std::to_string(to));
  }
  if (regular && long_ == 1)
    return "every " + Ordinal(apart) + " element from " + std::to_string(runs_[0].begin) + " on";
  if (regular)
    return std::to_string(long_) + " elements of every " + std::to_string(apart) + " from " +
           std::to_string(runs_[0].begin) + " on";
  // All in one part of one axis.
  int64_t inner = elements;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t outer = inner;
    inner /= std::max<int64_t>(1, shape[axis]);
    int64_t low = shape[axis], high = -1;
    for (const Run& r : runs_) {
      const int64_t a = r.begin % outer / inner, b = (r.end - 1) % outer / inner;
      const bool wraps = r.begin / outer != (r.end - 1) / outer;
      low = std::min(low, wraps ? 0 : a), high = std::max(high, wraps ? shape[axis] - 1 : b);
    }
    if (high - low + 1 <= shape[axis] / 2 || low == high)
      return "all in " + OnAxis(axis, shape, low, high);
  }
  if (count_ >= elements - elements / 10) return "nearly every element";
  // At least how they are cut up.
  if (runs_.size() > 64) return "";
  const auto [least, most] = std::minmax_element(
      runs_.begin(), runs_.end(),
      [](const Run& a, const Run& b) { return a.end - a.begin < b.end - b.begin; });
  const int64_t few = least->end - least->begin, many = most->end - most->begin;
  return std::to_string(runs_.size()) + " stretches of " + std::to_string(few) +
         (few == many ? "" : " to " + std::to_string(many)) + " elements, from " +
         IndexText(runs_[0].begin, shape) + " to " + IndexText(runs_.back().end - 1, shape);
}

std::string WrongElements::Region(const std::vector<int64_t>& shape) const {
  const int64_t elements = Elements(shape);
  if (count_ == 0 || !all_runs_) return "";
  if (count_ == elements) return elements == 1 ? "" : "every element";
  if (runs_.size() > 1) return OfRuns(shape, elements);
  const auto [begin, end] = runs_[0];
  if (end - begin == 1)
    return elements - 1 == begin ? "the last element" : "element " + IndexText(begin, shape);
  int64_t inner = elements;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis) {
    const int64_t outer = inner;
    inner /= std::max<int64_t>(1, shape[axis]);
    if (begin % inner || end % inner || begin / outer != (end - 1) / outer) continue;
    const std::string rest =
        begin / outer == 0 && outer == elements ? "" : " of index " + std::to_string(begin / outer);
    return OnAxis(axis, shape, begin % outer / inner, (end - 1) % outer / inner) + rest;
  }
  const int64_t n = end - begin;
  if (end == elements)
    return "the last " + std::to_string(n) + " elements, from " + IndexText(begin, shape) + " on";
  if (begin == 0) return "the first " + std::to_string(n) + " elements";
  return "elements " + IndexText(begin, shape) + " to " + IndexText(end - 1, shape);
}

std::string IndexText(int64_t flat, const std::vector<int64_t>& shape) {
  if (shape.size() < 2) return std::to_string(flat);
  std::string out;
  for (size_t axis = shape.size(); axis-- > 0;) {
    const int64_t n = std::max<int64_t>(1, shape[axis]);
    out = std::to_string(flat % n) + (out.empty() ? "" : ", ") + out;
    flat /= n;
  }
  return "[" + out + "]";
}

}  // namespace akgen::task
