#include "task/range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/files.h"
#include "base/hash.h"
#include "task/element.h"
#include "task/fields.h"
#include "task/hidden.h"
#include "task/other_values.h"
#include "task/range_compare.h"
#include "task/range_draws.h"
#include "task/special_values.h"

namespace akgen::task {
namespace {
using base::Json;
using base::Result;

constexpr int kRulesVersion = 19;  // raise when the rules here or in range_draws.cc change
constexpr uint64_t kTrySeed = 1;   // values that a case is tried with; a judgement draws others
constexpr int kShapes = 10;        // shapes to choose from
constexpr int64_t kMaxElements = 1 << 16;  // of a case whose shapes cannot be drawn again
constexpr double kTellingShare = 0.25;     // of the elements, so that a wide case says something
constexpr size_t kMaxLines = 5;            // cases of lines for each set of dtypes
constexpr int64_t kMaxPublished =
    1 << 21;  // of a published case, where no smaller shapes can be drawn
const std::set<std::string> kForLargeCases = {"wide",      "edges",  "lines", "spots",  "small",
                                              "stretched", "scales", "large", "weights"};
constexpr size_t kLargeSpots = 8;  // of such a case: NaN and an infinity in each of four inputs
// Inputs whose special values are to be told, evenly: fewer of large cases.
constexpr int64_t kLeastSpecial = 4, kMaxSpecial = 16, kSpecialElements = 1 << 22;

uint64_t HashOfName(const std::string& text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned char c : text) h = (h ^ c) * 0x100000001b3ull;
  return h;
}

// How far a case is worth its time: nothing when the reference refuses it.
struct Tried {
  double telling = 0;  // the least share over the floating outputs; 1 without such
};

// Asks the reference what it makes of a case.
class Trials {
 public:
  Trials(const TaskSpec& task, ReferenceClient& reference) : task_(task), reference_(reference) {}

  // What ended the process of the reference, after which nothing is tried.
  const std::optional<base::Error>& fatal() const { return fatal_; }
  std::nullopt_t Refused(const base::Error& why) {
    if (why.code == "AK0113") fatal_ = why;  // the process, not the case
    return std::nullopt;
  }

  // Runs the reference on the case; nothing where it refuses it.
  std::optional<Tried> Try(const CaseRow& row) {
    if (fatal_) return std::nullopt;
    auto c = ResolveCase(task_, row);
    if (!c.ok() || ElementsOf(*c) > kMaxPublished) return std::nullopt;
    auto inputs = GenerateInputs(task_, *c, kTrySeed);
    if (!inputs.ok()) return std::nullopt;
    auto golden = reference_.Run(task_, *c, *inputs);
    if (!golden.ok()) return Refused(golden.error());
    auto peer = reference_.Run(task_, *c, *inputs, true);
    if (!peer.ok()) return Refused(peer.error());
    Tried tried{1};
    for (size_t i = 0; i < golden->tensors.size(); ++i) {
      const TensorDesc& t = golden->tensors[i];
      if (!base::IsFloating(t.dtype) || t.Numel() == 0) continue;
      tried.telling = std::min(
          tried.telling, double(Telling(t, golden->Bytes(i), peer->Bytes(i))) / double(t.Numel()));
    }
    return tried;
  }

  // The largest magnitude of that sign with which outputs are finite, within a thousandth; nothing
  // where they always are, or never.
  std::optional<double> FiniteUpTo(const CaseRow& row, const RangeDraws& d, double sign,
                                   double largest) {
    double low = 1, high = largest;
    if (FiniteWith(row, d, sign * low) != true || FiniteWith(row, d, sign * high) != false)
      return std::nullopt;
    while (high > 1.001 * low) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      const auto finite = FiniteWith(row, d, sign * middle);
      if (!finite) return std::nullopt;
      (*finite ? low : high) = middle;
    }
    return sign * low;
  }

 private:
  // Whether all outputs are finite with this value in all inputs; nothing where the reference does
  // not take it.
  std::optional<bool> FiniteWith(const CaseRow& row, const RangeDraws& d, double value) {
    CaseRow with = row;
    with.draws = Json::object(), with.range = true;
    const Draws draws = d.Constant(value);
    for (const auto& [name, dist] : draws) with.draws[name] = dist;
    auto c = ResolveCase(task_, with);
    auto inputs = c.ok() && !draws.empty() ? GenerateInputs(task_, *c, kTrySeed)
                                           : Result<TensorSet>(base::Error{});
    if (!inputs.ok()) return std::nullopt;
    auto golden = reference_.Run(task_, *c, *inputs);
    if (!golden.ok()) return Refused(golden.error());
    for (size_t i = 0; i < golden->tensors.size(); ++i)
      if (const TensorDesc& t = golden->tensors[i]; base::IsFloating(t.dtype))
        for (int64_t k = 0; k < t.Numel(); ++k)
          if (!Finite(ElementAt(t.dtype, golden->Bytes(i).data(), k).value)) return false;
    return true;
  }

  const TaskSpec& task_;
  ReferenceClient& reference_;
  std::optional<base::Error> fatal_;
};

class Rules {
 public:
  Rules(const TaskSpec& task, ReferenceClient& reference)
      : task_(task), reference_(reference), trials_(task, reference) {}

  base::Result<std::vector<CaseRow>> Run() {
    const auto groups = BySignature();
    for (size_t k = 0; k < groups.size(); ++k)
      Signature(groups[k].first, groups[k].second, k, groups.size());
    Specials();
    Attributes();
    if (trials_.fatal()) return *trials_.fatal();
    return std::move(out_);
  }

 private:
  using Rows = std::vector<const CaseRow*>;

  // Published cases by the dtypes of their tensors, in order of appearance.
  std::vector<std::pair<std::string, Rows>> BySignature() {
    std::vector<std::pair<std::string, Rows>> out;
    for (const CaseRow& row : task_.cases) {
      auto c = ResolveCase(task_, row);
      if (!c.ok()) continue;
      std::string name;
      std::set<base::Dtype> seen;
      for (const auto& t : Flatten(c->inputs))
        if (seen.insert(t.dtype).second)
          name += (name.empty() ? "" : "-") + std::string(base::NameOf(t.dtype));
      auto known =
          std::find_if(out.begin(), out.end(), [&](const auto& e) { return e.first == name; });
      if (known == out.end()) known = out.insert(out.end(), {name, {}});
      known->second.push_back(&row);
    }
    return out;
  }

  // The best of several shapes for this purpose: many lines, long enough. As published where none
  // can be drawn.
  std::optional<CaseRow> Shaped(const Rows& rows, const std::string& id, uint64_t key,
                                bool one_line) {
    std::vector<std::pair<double, CaseRow>> drawn;
    for (int k = 0; k < kShapes; ++k) {
      const CaseRow& row = *rows[size_t(Draw(key, uint64_t(k)) % rows.size())];
      auto one = Redrawn(task_, row, Draw(key, 100 + uint64_t(k)), k, id, kRangeElements);
      if (!one) one = WithId(row, id);
      auto c = ResolveCase(task_, *one);
      if (c.ok() && ElementsOf(*c) <= kMaxElements)
        drawn.emplace_back(Score(*c, one_line), std::move(*one));
    }
    std::stable_sort(drawn.begin(), drawn.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [score, row] : drawn)
      if (trials_.Try(row)) return std::move(row);
    const CaseRow* least = nullptr;
    int64_t least_elements = kMaxPublished;
    for (const CaseRow* row : rows)
      if (auto c = ResolveCase(task_, *row); c.ok() && ElementsOf(*c) <= least_elements)
        least = row, least_elements = ElementsOf(*c);
    if (!least) return std::nullopt;
    return WithId(*least, id);
  }

  static double Score(const CaseDesc& c, bool one_line) {
    const TensorDesc* largest = nullptr;
    const auto tensors = Flatten(c.inputs);
    for (const TensorDesc& t : tensors)
      if (!largest || t.Numel() > largest->Numel()) largest = &t;
    if (!largest || largest->Numel() == 0) return 0;
    const double length = largest->shape.empty() ? 1 : double(largest->shape.back());
    const double lines = double(largest->Numel()) / length;
    if (one_line) return length / lines;
    const bool list = std::any_of(c.inputs.begin(), c.inputs.end(),
                                  [](const auto& p) { return p.tensors.size() > 1; });
    return (list ? 4 : 1) * std::min(lines, 20.0) * std::min(length, 100.0) *
           std::min(double(largest->Numel()), 4096.0);
  }

  // Adds the case with these draws. Where the reference refuses them all, each input's that it
  // takes by itself.
  std::optional<Tried> Add(CaseRow row, const Draws& draws) {
    row.draws = Json::object(), row.range = true;
    for (const auto& [name, dist] : draws) row.draws[name] = dist;
    auto tried = trials_.Try(row);
    if (!tried) {
      row.draws = Json::object();
      for (const auto& [name, dist] : draws) {
        row.draws[name] = dist;
        if (auto with = trials_.Try(row))
          tried = with;
        else
          row.draws.erase(name);
      }
      if (!tried) return std::nullopt;
    }
    out_.push_back(std::move(row));
    return tried;
  }

  // The first of the alternatives that tells enough, else the one that tells most.
  // True: the first one.
  bool Best(const CaseRow& row, const std::vector<Draws>& alternatives, double enough) {
    std::optional<CaseRow> best;
    double most = 0;
    int tried_first = 0;
    for (const Draws& draws : alternatives) {
      auto tried = Add(row, draws);
      if (!tried) continue;
      CaseRow made = std::move(out_.back());
      out_.pop_back();
      ++tried_first;
      if (tried->telling > most) best = std::move(made), most = tried->telling;
      if (most >= enough) break;
    }
    if (best) out_.push_back(std::move(*best));
    return best && most >= enough && tried_first == 1;
  }

  // Where results become too large for their dtype: a term of them may be so before.
  void Overflow(const CaseRow& row, const RangeDraws& d) {
    const double largest = LargestNumber(d.of());
    std::vector<double> ends;
    if (largest > 0)
      for (double sign : {1.0, -1.0})
        if (auto end = trials_.FiniteUpTo(row, d, sign, largest)) ends.push_back(*end);
    if (!ends.empty()) Best(row, {d.Around(ends)}, kTellingShare / 4);
  }

  // The `number`-th of so many sets of dtypes, named `name`.
  void Signature(const std::string& name, const Rows& rows, size_t number, size_t signatures) {
    const uint64_t key = HashOfName(task_.name + "/" + name);
    int turn = 0;
    auto with = [&](const char* kind, bool one_line, auto make) {
      const std::string id = "range-" + std::string(kind) + (name.empty() ? "" : "-" + name);
      auto shaped = Shaped(rows, id, Draw(key, uint64_t(++turn)), one_line);
      auto c = shaped ? ResolveCase(task_, *shaped) : Result<CaseDesc>(base::Error{});
      if (!shaped || !c.ok() || (ElementsOf(*c) > kMaxElements && !kForLargeCases.contains(kind)))
        return;
      make(*shaped, RangeDraws(task_, *c, turn));
    };
    bool tells_specials = false;
    with("wide", false,
         [&](const CaseRow& row, const RangeDraws& d) { Best(row, d.Wide(), kTellingShare); });
    with("edges", false, [&](const CaseRow& row, const RangeDraws& d) {
      tells_specials = Best(row, d.Edges(), kTellingShare / 4);
    });
    with("limits", false, [&](const CaseRow& row, const RangeDraws& d) {
      Best(row, d.Limits(), kTellingShare / 4);
    });
    with("overflow", false, [&](const CaseRow& row, const RangeDraws& d) { Overflow(row, d); });
    with("lines", false,
         [&](const CaseRow& row, const RangeDraws& d) { Lines(row, d, -1, false); });
    with("alike", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (d.Lined() > 1) Lines(row, d, -1, true);
    });
    with("columns", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (RankOf(d.of()) > 1) Best(row, d.Lines(0, 0, false), kTellingShare / 4);
    });
    with("row", true, [&](const CaseRow& row, const RangeDraws& d) {
      Best(row, d.Lines(-1, 2, true), kTellingShare / 4);
    });
    with("indices", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (const Draws draws = d.Indices(); !draws.empty()) Add(row, draws);
    });
    with("weights", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (const Draws draws = d.Weights(); !draws.empty()) Add(row, draws);
    });
    with("numbers", false,
         [&](const CaseRow& row, const RangeDraws& d) { Each(row, d.Numbers(number)); });
    with("whole", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (IsReduction(d.of())) Each(row, Turns(d.Whole(), number, signatures));
    });
    with("spots", false, [&](const CaseRow& row, const RangeDraws& d) {
      if (tells_specials) return;  // each element by itself
      std::vector<Draws> spots = Turns(d.Spots(), number, signatures);
      const auto c = ResolveCase(task_, row);
      if (c.ok() && ElementsOf(*c) > kMaxElements && spots.size() > kLargeSpots)
        spots.resize(kLargeSpots);
      Each(row, spots);
    });
    // Each once in a task, of float32: of sums in half that cancel, an element or two are wrong by
    // chance.
    for (size_t k = 0; const auto& [kind, factors] : RangeDraws::Scales())
      if (name.find("float16") == std::string::npos && k++ % signatures == number)
        with(kind, false,
             [&](const CaseRow& row, const RangeDraws& d) { Each(row, {d.Scaled(factors)}); });
  }

  // For NaN and for infinities in each of the floating inputs: if no case tells a kernel that loses
  // them, whatever its dtypes, the first of several draws with which one does.
  void Specials() {
    const auto groups = BySignature();
    const auto first =
        groups.empty() ? Result<CaseDesc>(base::Error{}) : ResolveCase(task_, *groups[0].second[0]);
    if (!first.ok()) return;
    std::vector<SpecialValue> open = SpecialsOf(task_, *first);
    SpecialValues told(task_, reference_);
    for (size_t k = 0; k < out_.size(); ++k) EraseTold(open, told, out_[k]);
    for (int added = 0; !open.empty() && !trials_.fatal();) {
      const SpecialValue special = open.front();
      open.erase(open.begin());
      for (const auto& [name, rows] : groups)
        if (Show(rows, special, added, told)) {
          ++added;
          EraseTold(open, told, out_.back());
          break;
        }
    }
  }

  static std::vector<SpecialValue> SpecialsOf(const TaskSpec& task, const CaseDesc& c) {
    const RangeDraws draws(task, c, 1);
    std::vector<size_t> inputs;
    for (size_t i = 0; i < c.inputs.size(); ++i)
      if (!draws.Special(i, true).empty() || !draws.Special(i, false).empty()) inputs.push_back(i);
    const auto most = size_t(std::clamp(kSpecialElements / std::max<int64_t>(1, ElementsOf(c)),
                                        kLeastSpecial, kMaxSpecial));
    const size_t step = (inputs.size() + most - 1) / most;
    std::vector<SpecialValue> out;
    for (size_t k = 0; k < inputs.size(); k += step)
      for (bool nan : {true, false})
        if (!draws.Special(inputs[k], nan).empty()) out.push_back({inputs[k], nan});
    return out;
  }

  void EraseTold(std::vector<SpecialValue>& open, SpecialValues& told, const CaseRow& row) {
    if (!open.empty() && !trials_.fatal()) told.Take(row);
    std::erase_if(open, [&](const SpecialValue& special) {
      return !trials_.fatal() && Tells(told, special);
    });
  }

  bool Tells(SpecialValues& told, const SpecialValue& special) {
    const auto tells = told.Tells(special);
    if (!tells.ok()) trials_.Refused(tells.error());
    return tells.ok() && *tells;
  }

  // Adds a case by which the loss of these values is told, if one of the draws makes it.
  bool Show(const Rows& rows, const SpecialValue& special, int added, SpecialValues& told) {
    const std::string id = "range-special" + (added ? "-" + std::to_string(added + 1) : "");
    const auto row = Shaped(rows, id, HashOfName(task_.name + id), false);
    const auto c = row ? ResolveCase(task_, *row) : Result<CaseDesc>(base::Error{});
    if (!c.ok()) return false;
    for (const Draws& draws : RangeDraws(task_, *c, 1).Special(special.input, special.nan)) {
      if (!Add(*row, draws)) continue;
      told.Take(out_.back());
      if (Tells(told, special)) return true;
      out_.pop_back();
    }
    return false;
  }

  // Those whose turn it is with this set of dtypes.
  static std::vector<Draws> Turns(const std::vector<Draws>& all, size_t number, size_t signatures) {
    std::vector<Draws> own;
    for (size_t k = number; k < all.size(); k += signatures) own.push_back(all[k]);
    return own;
  }

  void Each(const CaseRow& row, const std::vector<Draws>& all) {
    int k = 0;
    for (const Draws& draws : all)
      if (CaseRow one = k++ ? WithId(row, row.id + "-" + std::to_string(k)) : row; !draws.empty())
        Add(one, draws);
  }

  // As many cases as it takes until each kind of line has had its turn.
  void Lines(const CaseRow& row, const RangeDraws& d, int axis, bool alike) {
    const int64_t lines = std::max<int64_t>(1, LinesAlong(d.of(), axis));
    for (size_t k = 0, first = 0; k < kMaxLines && first < RangeDraws::Parts();
         ++k, first += size_t(lines)) {
      CaseRow one = k ? WithId(row, row.id + "-" + std::to_string(k)) : row;
      Best(one, d.Lines(axis, int64_t(first), alike), kTellingShare / 4);
    }
  }

  static void Set(CaseRow& row, const AttrSpec& attr, const Json& value) {
    if (IsColumn(attr.value))
      row.columns[attr.value.get<std::string>().substr(1)] = value;
    else
      row.attributes[attr.name] = value;
  }

  // Each attribute with other values than the published ones, and all of them with their first
  // other value: some say something only beside others.
  void Attributes() {
    auto groups = BySignature();
    if (groups.empty()) return;
    // In the finest precision first, where most can be told.
    auto step = [&](const auto& group) {
      auto c = ResolveCase(task_, *group.second[0]);
      double coarsest = 0;
      if (c.ok())
        for (const TensorDesc& t : Flatten(c->outputs))
          coarsest = std::max(coarsest, StepOf(t.dtype));
      return coarsest;
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const auto& a, const auto& b) { return step(a) < step(b); });
    std::vector<std::pair<const AttrSpec*, Json>> firsts;
    for (const AttrSpec& attr : task_.attrs) {
      std::vector<Json> published;
      for (const CaseRow& row : task_.cases)
        if (auto v = Resolve(attr.value, row.columns, "");
            v.ok() && std::find(published.begin(), published.end(), *v) == published.end())
          published.push_back(*v);
      int k = 0;
      for (const Json& other : OtherValues(attr, published)) {
        if (k == 0) firsts.emplace_back(&attr, other);
        const std::string id = "range-" + attr.name + (k ? "-" + std::to_string(k) : "");
        auto row = Shaped(groups[size_t(k++) % groups.size()].second, id, HashOfName(id), false);
        if (!row) continue;
        Set(*row, attr, other);
        Add(*row, {});
      }
    }
    if (firsts.size() < 2) return;
    auto row = Shaped(groups[0].second, "range-attributes", HashOfName("range-attributes"), false);
    for (const auto& [attr, other] : firsts)
      if (row) Set(*row, *attr, other);
    if (row) Add(*row, {});
  }

  const TaskSpec& task_;
  ReferenceClient& reference_;
  Trials trials_;
  std::vector<CaseRow> out_;
};

// What the cases follow from.
std::string KeyOf(const TaskSpec& task) {
  Json key{{"version", kRulesVersion},
           {"reference", task.reference},
           {"cases", Json::array()},
           {"inputs", Json::array()}};
  for (const CaseRow& row : task.cases) key["cases"].push_back(row.columns);
  for (const ParamSpec& p : task.inputs)
    key["inputs"].push_back(
        {p.name, p.dtype, p.shape, p.dist, p.domain.low, p.domain.high, p.domain.nan});
  for (const AttrSpec& a : task.attrs) key["attrs"].push_back({a.name, a.value, a.other});
  const HiddenSpec& h = task.hidden;  // says which shapes there may be
  key["hidden"] = Json::array({h.fixed, h.multiple, h.least, h.most, h.multiple_of, h.toggle});
  return base::ContentHash(base::Dump(key));
}

std::optional<std::vector<CaseRow>> ReadKept(const std::filesystem::path& path) {
  auto text = base::ReadFile(path);
  if (!text.ok()) return std::nullopt;
  auto rows = base::Checked("range cases", [&]() -> Result<std::vector<CaseRow>> {
    std::vector<CaseRow> out;
    for (const Json& row : base::Parse(*text)) out.push_back(CaseRowFromJson(row));
    return out;
  });
  if (!rows.ok() || rows->empty()) return std::nullopt;
  return *rows;
}
}  // namespace

Result<std::vector<CaseRow>> RangeCases(const TaskSpec& task, ReferenceClient& reference) {
  if (task.reference.empty()) return std::vector<CaseRow>{};
  const std::string name = KeyOf(task) + ".json";
  // An installation brings those of its own tasks, which take libtorch to find.
  if (auto shipped = ReadKept(base::HomeDir() / "data/ranges" / name)) return std::move(*shipped);
  const auto path = base::CacheDir() / "ranges" / name;
  if (auto kept = ReadKept(path)) return std::move(*kept);
  auto rows = Rules(task, reference).Run();
  if (!rows.ok()) return rows.error();
  Json kept = Json::array();
  for (const CaseRow& row : *rows) kept.push_back(ToJson(row));
  std::error_code ec;
  std::filesystem::create_directories(path.parent_path(), ec);
  (void)base::WriteFileAtomic(path, base::Dump(kept));  // not being able to only costs time later
  return rows;
}

Result<std::vector<CaseRow>> AttributeCases(const TaskSpec& task, ReferenceClient& reference) {
  if (task.attrs.empty()) return std::vector<CaseRow>{};
  auto rows = RangeCases(task, reference);
  if (rows.ok()) std::erase_if(*rows, [](const CaseRow& row) { return !row.draws.empty(); });
  return rows;
}

}  // namespace akgen::task
