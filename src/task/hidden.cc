#include "task/hidden.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "task/compare.h"
#include "task/dist_spec.h"
#include "task/fields.h"
#include "task/range.h"

namespace akgen::task {
namespace {
using base::Json;
using base::Result;
using Kind = Relation::Kind;

constexpr int kTries = 24;       // per case, before only its values are new
constexpr size_t kEvidence = 3;  // distinct cases that make "always the same" a rule
constexpr int64_t kSmall = 4;    // with less evidence, numbers up to this are taken for structure

void Walk(const Json& v, const std::string& pointer, std::vector<std::string>& out) {
  if (v.is_number_integer()) out.push_back(pointer);
  if (v.is_array())
    for (size_t i = 0; i < v.size(); ++i) Walk(v[i], pointer + "/" + std::to_string(i), out);
}

int64_t At(const Json& columns, const std::string& pointer) {
  return columns.at(Json::json_pointer(pointer)).get<int64_t>();
}

// Columns that shapes refer to, in order.
std::vector<std::string> ShapeColumns(const TaskSpec& task) {
  std::vector<std::string> out;
  std::function<void(const Json&)> add = [&](const Json& shape) {
    if (IsColumn(shape)) {
      std::string name = shape.get<std::string>().substr(1);
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (shape.is_array())
      for (const Json& d : shape) add(d);
  };
  for (const auto& p : task.inputs) add(p.shape);
  for (const auto& p : task.outputs) add(p.shape);
  return out;
}

// Pointers of a case: shapes first. `shapes` becomes how many of them belong to shapes.
std::vector<std::string> Pointers(const TaskSpec& task, const Json& columns, size_t& shapes) {
  std::vector<std::string> out;
  std::vector<std::string> first = ShapeColumns(task);
  for (const std::string& name : first)
    if (columns.contains(name)) Walk(columns[name], "/" + name, out);
  shapes = out.size();
  for (const auto& [name, v] : columns.items())
    if (name != "id" && std::find(first.begin(), first.end(), name) == first.end())
      Walk(v, "/" + name, out);
  return out;
}

struct Evidence {
  std::vector<std::vector<int64_t>> cases;  // distinct value vectors
  bool All(const std::function<bool(const std::vector<int64_t>&)>& holds) const {
    return std::all_of(cases.begin(), cases.end(), holds);
  }
};

// Cases of the same structure that also agree in the small numbers beside the shapes (axes,
// strides, modes): what holds between shapes depends on those.
Evidence Collect(const TaskSpec& task, const CaseRow& of, const std::vector<std::string>& pointers,
                 size_t shapes) {
  std::set<std::vector<int64_t>> seen;
  for (const CaseRow& row : task.cases) {
    size_t n;
    if (Pointers(task, row.columns, n) != pointers) continue;
    std::vector<int64_t> values;
    bool alike = true;
    for (size_t i = 0; i < pointers.size(); ++i) {
      values.push_back(At(row.columns, pointers[i]));
      int64_t wanted = At(of.columns, pointers[i]);
      alike &= i < shapes || wanted > kSmall || values[i] == wanted;
    }
    if (alike) seen.insert(std::move(values));
  }
  return {{seen.begin(), seen.end()}};
}

// Columns hold any numbers: what overflows wraps around, and relates to nothing.
int64_t Times(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
int64_t Plus(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }

int64_t Product(const std::vector<int64_t>& v, size_t first, size_t count) {
  int64_t n = 1;
  for (size_t i = first; i < first + count; ++i) n = Times(n, v[i]);
  return n;
}

Relation Explain(const Evidence& e, size_t i, bool shape) {
  int64_t value = e.cases[0][i];
  bool constant = e.All([&](const auto& v) { return v[i] == value; });
  if (constant && (e.cases.size() >= kEvidence || value <= kSmall)) return {Kind::kConstant};
  if (!shape && value <= kSmall) return {Kind::kConstant};
  for (size_t j = 0; j < i; ++j)
    if (e.All([&](const auto& v) { return v[i] == v[j]; })) return {Kind::kEqual, j};
  for (size_t j = 0; j < i; ++j) {
    if (e.All([&](const auto& v) { return Times(2, v[i]) == v[j]; })) return {Kind::kHalf, j};
    if (e.All([&](const auto& v) { return v[i] == Times(2, v[j]); })) return {Kind::kTwice, j};
  }
  for (size_t j = 0; j + 2 <= i; ++j)
    for (size_t count = 2; j + count <= i; ++count)
      if (e.All([&](const auto& v) { return v[i] == Product(v, j, count); }))
        return {Kind::kProduct, j, count};
  return {shape ? Kind::kFree : Kind::kUnknown};
}

// A dimension worth trying. `old` is the published one.
int64_t Dimension(uint64_t bits, int64_t old) {
  constexpr std::array<int64_t, 16> kPrimes{2,  3,  5,  7,   11,  13,  17,  29,
                                            31, 61, 97, 127, 131, 251, 257, 509};
  uint64_t pick = bits >> 32;
  switch (bits % 6) {
    case 0: return 1;
    case 1: return kPrimes[pick % kPrimes.size()];
    case 2: return 16 * (1 + int64_t(pick % 32)) + 1 + int64_t((pick >> 8) % 15);  // a ragged tail
    case 3: return 49 + int64_t(pick % 160);  // more rows than cores
    case 4: return std::max<int64_t>(1, Plus(old, pick & 1 ? 1 : -1));
    default: return 16 * (1 + int64_t(pick % 40));
  }
}

class Redrawer {
 public:
  Redrawer(const TaskSpec& task, const CaseRow& row, int64_t elements = kHiddenElements)
      : task_(task), row_(row), elements_(elements), r_(Relate(task, row)) {
    bool unknown = false;
    for (size_t i = 0; i < r_.pointers.size(); ++i) {
      values_.push_back(At(row.columns, r_.pointers[i]));
      if (Fixed(r_.pointers[i])) r_.relations[i] = {Kind::kConstant};
      if (r_.relations[i].kind == Kind::kFree) free_.push_back(i);
      unknown |= r_.relations[i].kind == Kind::kUnknown;
    }
    if (unknown) free_.clear();
  }
  bool can() const { return !free_.empty(); }

  // A random part of the free numbers gets new values; later tries change fewer.
  CaseRow Draw(uint64_t key, int attempt, const std::string& id) const {
    std::vector<int64_t> v = values_;
    uint64_t n = 0;
    size_t one = size_t(task::Draw(key, n++) % free_.size());
    for (size_t f = 0; f < free_.size(); ++f) {
      uint64_t toss = task::Draw(key, n++), bits = task::Draw(key, n++);
      bool change = attempt < kTries / 2 ? toss % 3 != 0 : f == one;
      if (change || f == one)
        v[free_[f]] = Rounded(r_.pointers[free_[f]], Dimension(bits, values_[free_[f]]));
    }
    CaseRow out = row_;
    out.id = id;
    for (const std::string& name : task_.hidden.toggle)
      out.columns[name] = bool(task::Draw(key, n++) & 1);
    for (int shrink = 0; shrink < 40; ++shrink) {
      Follow(v);
      for (size_t i = 0; i < v.size(); ++i) out.columns[Json::json_pointer(r_.pointers[i])] = v[i];
      auto c = ResolveCase(task_, out);
      if (!c.ok() || ElementsOf(*c) <= elements_) break;
      size_t largest = *std::max_element(free_.begin(), free_.end(),
                                         [&](size_t a, size_t b) { return v[a] < v[b]; });
      if (v[largest] <= 1) break;
      v[largest] = Rounded(r_.pointers[largest], v[largest] / 2);
    }
    out.columns["id"] = id;
    return out;
  }

 private:
  void Follow(std::vector<int64_t>& v) const {
    for (size_t i = 0; i < v.size(); ++i) {
      const Relation& r = r_.relations[i];
      if (r.kind == Kind::kEqual) v[i] = v[r.of];
      if (r.kind == Kind::kTwice) v[i] = Times(2, v[r.of]);
      if (r.kind == Kind::kProduct) v[i] = Product(v, r.of, r.count);
      if (r.kind == Kind::kHalf) {
        v[r.of] = Plus(v[r.of], v[r.of] & 1);
        v[i] = v[r.of] / 2;
      }
    }
    for (size_t i = 0; i < v.size(); ++i)
      if (r_.relations[i].kind == Kind::kEqual)
        v[i] = v[r_.relations[i].of];  // what a half made even
  }
  // "/shape/0", and every column and list it lies in.
  template <typename F>
  void Enclosing(const std::string& pointer, F f) const {
    for (size_t end = pointer.size(); end != 0 && end != std::string::npos;
         end = pointer.rfind('/', end - 1))
      f(pointer.substr(1, end - 1));
  }
  static int64_t Up(int64_t v, int64_t multiple) {
    return Times(std::max<int64_t>(1, Plus(v, multiple - 1) / multiple), multiple);
  }
  int64_t Multiple(const std::string& column) const {
    const auto at = row_.columns.find(column);
    return at != row_.columns.end() && at->is_number_integer()
               ? std::max<int64_t>(1, at->get<int64_t>())
               : 1;
  }
  bool Fixed(const std::string& pointer) const {
    bool fixed = false;
    Enclosing(pointer, [&](const std::string& name) {
      fixed |= std::find(task_.hidden.fixed.begin(), task_.hidden.fixed.end(), name) !=
               task_.hidden.fixed.end();
    });
    return fixed;
  }
  int64_t Rounded(const std::string& pointer, int64_t v) const {
    Enclosing(pointer, [&](const std::string& name) {
      if (auto it = task_.hidden.multiple.find(name); it != task_.hidden.multiple.end())
        v = Up(v, it->second);
      if (auto it = task_.hidden.multiple_of.find(name); it != task_.hidden.multiple_of.end())
        v = Up(v, Multiple(it->second));
      if (auto it = task_.hidden.least.find(name); it != task_.hidden.least.end())
        v = std::max(v, it->second);
      if (auto it = task_.hidden.most.find(name); it != task_.hidden.most.end())
        v = std::min(v, it->second);
    });
    return std::max<int64_t>(1, v);
  }

  const TaskSpec& task_;
  const CaseRow& row_;
  int64_t elements_;
  Relations r_;
  std::vector<int64_t> values_;
  std::vector<size_t> free_;
};

// Whether the reference takes the case. An error is the process's, not the case's.
Result<bool> Accepted(const TaskSpec& task, const CaseRow& row, uint64_t seed,
                      ReferenceClient& reference) {
  auto c = ResolveCase(task, row);
  if (!c.ok() || ElementsOf(*c) > kHiddenElements) return false;
  auto inputs = GenerateInputs(task, *c, seed);
  if (!inputs.ok())
    return inputs.error().code == "AK0003" ? Result<bool>(inputs.error()) : Result<bool>(false);
  auto golden = reference.Golden(task, *c, seed, *inputs);
  if (golden.ok()) return !NanEverywhere(*c, *golden);
  if (golden.error().code == "AK0113") return golden.error();
  return false;
}

// The template as it is: new values only. The smallest published case of its dtype when it is too
// large.
CaseRow ValuesOnly(const TaskSpec& task, const CaseRow& row, const std::string& id) {
  const Json wanted = UsualColumnsOf(row.columns).dtype;
  const CaseRow* best = &row;
  int64_t least = INT64_MAX;
  for (const CaseRow& r : task.cases) {
    auto c = ResolveCase(task, r);
    const Json dtype = UsualColumnsOf(r.columns).dtype;
    if (!c.ok() || (!dtype.is_null() && !wanted.is_null() && dtype != wanted)) continue;
    int64_t n = ElementsOf(*c);
    if (r.id == row.id && n <= kHiddenElements) return WithId(r, id);
    if (n < least) least = n, best = &r;
  }
  return WithId(*best, id);
}

// The case with its inputs drawn as in a case of the range group, one that the reference takes at
// these shapes.
Result<std::optional<CaseRow>> Widened(const TaskSpec& task, const CaseRow& row, uint64_t seed,
                                       uint64_t turn, ReferenceClient& reference) {
  auto range = RangeCases(task, reference);
  if (!range.ok()) return range.error();
  for (uint64_t t = 0; t < 4 && !range->empty(); ++t) {
    const CaseRow& other = (*range)[size_t(Draw(seed ^ turn, t) % range->size())];
    CaseRow wide = row;
    wide.draws = other.draws, wide.range = true;
    if (other.draws.empty() ||
        UsualColumnsOf(other.columns).dtype != UsualColumnsOf(row.columns).dtype)
      continue;
    auto accepted = Accepted(task, wide, seed, reference);
    if (!accepted.ok()) return accepted.error();
    if (*accepted) return std::optional(std::move(wide));
  }
  return std::optional<CaseRow>();
}

uint64_t KeyOf(const TaskSpec& task, uint64_t seed) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : task.name) h = (h ^ c) * 0x100000001b3ull;
  return Draw(h, seed);
}
}  // namespace

int64_t ElementsOf(const CaseDesc& c) {
  int64_t n = 0;
  for (const auto* side : {&c.inputs, &c.outputs})
    for (const auto& t : Flatten(*side)) n += t.Numel();
  return n;
}

std::optional<CaseRow> Redrawn(const TaskSpec& task, const CaseRow& row, uint64_t key, int attempt,
                               const std::string& id, int64_t elements) {
  Redrawer redrawer(task, row, elements);
  if (!redrawer.can()) return std::nullopt;
  return redrawer.Draw(key, attempt, id);
}

CaseRow WithId(const CaseRow& row, const std::string& id) {
  CaseRow out = row;
  out.id = id, out.columns["id"] = id;
  return out;
}

Relations Relate(const TaskSpec& task, const CaseRow& row) {
  Relations r;
  size_t shapes = 0;
  r.pointers = Pointers(task, row.columns, shapes);
  Evidence e = Collect(task, row, r.pointers, shapes);
  for (size_t i = 0; i < r.pointers.size(); ++i) r.relations.push_back(Explain(e, i, i < shapes));
  return r;
}

Result<std::vector<CaseRow>> HiddenCases(const TaskSpec& task, uint64_t seed, int count,
                                         const std::string& prefix, ReferenceClient& reference,
                                         bool widen) {
  std::vector<CaseRow> out;
  uint64_t key = KeyOf(task, seed);
  size_t start = size_t(Draw(key, 0) % task.cases.size());
  for (int k = 0; k < count; ++k) {
    std::string id = prefix + std::to_string(k);
    // Templates evenly over the published cases, so that every dtype has its turn.
    const CaseRow& row =
        task.cases[(start + size_t(k) * std::max<size_t>(1, task.cases.size() / size_t(count))) %
                   task.cases.size()];
    Redrawer redrawer(task, row);
    bool found = false;
    for (int t = 0; redrawer.can() && t < kTries && !found; ++t) {
      CaseRow drawn = redrawer.Draw(Draw(key, 1 + uint64_t(k) * kTries + uint64_t(t)), t, id);
      auto accepted = Accepted(task, drawn, seed, reference);
      if (!accepted.ok()) return accepted.error();
      found = *accepted;
      if (found) out.push_back(std::move(drawn));
    }
    if (!found) out.push_back(ValuesOnly(task, row, id));
    if (!widen || k % 2 == 0) continue;
    auto wide = Widened(task, out.back(), seed, uint64_t(k), reference);
    if (!wide.ok()) return wide.error();
    if (*wide) out.back() = std::move(**wide);
  }
  return out;
}

}  // namespace akgen::task
