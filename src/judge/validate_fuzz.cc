#include "judge/validate_fuzz.h"

#include <chrono>
#include <optional>

#include "base/files.h"
#include "craft/interpret/arguments.h"

namespace akgen::judge {
namespace {
using base::Json;
using craft::RandomProgram;
constexpr size_t kMostFailures = 20, kMostTried = 16, kMostRounds = 40;

class Fuzzing {
 public:
  Fuzzing(Validator& v, const FuzzOptions& o) : validator_(v), o_(o) {}

  base::Result<Json> Run() {
    if (auto st = Resume(); !st.ok()) return st.error();
    const uint64_t before = Count("done");
    while (Count("done") < o_.count) {
      auto start = std::chrono::steady_clock::now();
      uint64_t from = o_.first + Count("done"), to = std::min(from + o_.together, o_.first + o_.count);
      One(from, to);
      s_["done"] = to - o_.first;
      s_["seconds"] =
          s_["seconds"].get<double>() + std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!o_.state.empty())
        if (auto st = base::WriteFileAtomic(o_.state, base::Dump(s_, 1) + "\n"); !st.ok()) return st.error();
      size_t bad = Count("mismatch") + Count("finding") + Count("build_failed") + Count("crashed");
      if (o_.progress)
        o_.progress(Count("done"), before,
                    std::to_string(Count("agree")) + " agree, " + std::to_string(bad) + " do not");
    }
    return s_;
  }

 private:
  uint64_t Count(const char* name) const { return s_[name].get<uint64_t>(); }
  void Add(const char* name, uint64_t n = 1) { s_[name] = Count(name) + n; }

  base::Status Resume() {
    s_ = {{"schema", 1},    {"seed", o_.seed}, {"first", o_.first},         {"count", o_.count},         {"done", 0},
          {"seconds", 0.0}, {"worst", 0.0},    {"failures", Json::array()}, {"refusals", Json::object()}};
    for (const char* n : {"agree", "refused_by_checker", "refused_by_interpreter", "mismatch", "finding",
                          "build_failed", "crashed", "elements", "exact", "undecided"})
      s_[n] = 0;
    if (o_.state.empty()) return {};
    auto text = base::ReadFile(o_.state);
    if (!text.ok()) return {};
    Json old = base::Parse(*text);
    if (!old.is_object() || old.value("schema", 0) != 1 || old.value("seed", uint64_t{0}) != o_.seed ||
        old.value("first", uint64_t{0}) != o_.first)
      return base::Error{"AK0401", o_.state + " belongs to another run", o_.state, "name another file, or remove it"};
    s_ = old;
    s_["count"] = o_.count;
    return {};
  }

  // Null: refused; `why` has the code.
  std::optional<Validation> Prepare(const RandomProgram& p, const std::string& label, std::string& why) {
    craft::Compiled c = craft::Compile(p.source, validator_.target());
    if (!c.diagnostics.empty()) {
      why = c.diagnostics.list()[0].code + ": " + c.diagnostics.list()[0].message;
      return std::nullopt;
    }
    auto one = craft::ParseCase(c.programs, p.inputs, o_.seed);
    if (!one.ok()) {
      why = one.error().code + ": " + one.error().message;
      return std::nullopt;
    }
    return Validation{c.lowered[one->column], std::move(one->args), label};
  }

  void One(uint64_t from, uint64_t to) {
    std::vector<Validation> all;
    std::vector<std::pair<uint64_t, RandomProgram>> programs;
    for (uint64_t i = from; i < to; ++i) {
      RandomProgram p = craft::Generate(o_.seed, i);
      std::string why;
      auto v = Prepare(p, std::to_string(i), why);
      if (!v) {
        Add("refused_by_checker");
        Refusal(why);
        continue;
      }
      programs.push_back({i, std::move(p)});
      all.push_back(std::move(*v));
    }
    std::vector<Validated> done = validator_.Run(all);
    for (size_t i = 0; i < done.size(); ++i) {
      const Validated& v = done[i];
      if (v.outcome == Validated::kRefused) {
        Add("refused_by_interpreter");
        Refusal(v.reason);
        continue;
      }
      Add(std::string(NameOf(v.outcome)).c_str());
      Add("elements", v.elements);
      Add("exact", v.exact);
      Add("undecided", v.undecided);
      if (v.outcome == Validated::kAgree) s_["worst"] = std::max(s_["worst"].get<double>(), v.worst);
      else if (s_["failures"].size() < kMostFailures)
        s_["failures"].push_back(Failure(programs[i].first, programs[i].second, v));
    }
  }

  void Refusal(const std::string& why) {
    Json& n = s_["refusals"][why.substr(0, 60)];
    n = n.is_null() ? 1 : n.get<int>() + 1;
  }

  Json Failure(uint64_t index, const RandomProgram& p, const Validated& v) {
    Json f{{"index", index},
           {"outcome", NameOf(v.outcome)},
           {"reason", v.reason},
           {"source", p.source},
           {"inputs", p.inputs}};
    if (!o_.shrink) return f;
    RandomProgram small = p;
    std::string reason = v.reason;
    for (size_t round = 0; round < kMostRounds && Smaller(small, v.outcome, reason); ++round) {}
    f["small"] = {{"source", small.source}, {"inputs", small.inputs}, {"reason", reason}};
    return f;
  }

  // Takes the first smaller program that fails in the same way.
  bool Smaller(RandomProgram& p, Validated::Outcome outcome, std::string& reason) {
    std::vector<RandomProgram> next = craft::Smaller(p), tried;
    for (size_t at = 0; at < next.size();) {
      std::vector<Validation> all;
      tried.clear();
      for (; at < next.size() && all.size() < kMostTried; ++at) {
        std::string why;
        auto v = Prepare(next[at], "", why);
        if (!v) continue;
        all.push_back(std::move(*v));
        tried.push_back(next[at]);
      }
      std::vector<Validated> done = validator_.Run(all);
      for (size_t i = 0; i < done.size(); ++i)
        if (done[i].outcome == outcome) {
          p = tried[i];
          reason = done[i].reason;
          return true;
        }
    }
    return false;
  }

  Validator& validator_;
  const FuzzOptions& o_;
  Json s_;
};
}  // namespace

base::Result<Json> Fuzz(Validator& validator, const FuzzOptions& options) { return Fuzzing(validator, options).Run(); }

}  // namespace akgen::judge
