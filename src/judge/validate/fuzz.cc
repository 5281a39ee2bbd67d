#include "judge/validate/fuzz.h"

#include <chrono>
#include <optional>

#include "base/files.h"
#include "craft/interpret/arguments.h"

namespace akgen::judge {
namespace {
using base::Json;
using craft::RandomProgram;
constexpr size_t kMaxFailures = 20, kMaxTried = 16, kMaxRounds = 40;

// Members that are numbers, by name: for both directions.
constexpr std::pair<const char*, uint64_t FuzzResult::*> kCounts[] = {
    {"seed", &FuzzResult::seed},
    {"first", &FuzzResult::first},
    {"count", &FuzzResult::count},
    {"done", &FuzzResult::done},
    {"products", &FuzzResult::products},
    {"agree", &FuzzResult::agree},
    {"refused_by_checker", &FuzzResult::refused_by_checker},
    {"refused_by_interpreter", &FuzzResult::refused_by_interpreter},
    {"mismatch", &FuzzResult::mismatch},
    {"finding", &FuzzResult::finding},
    {"build_failed", &FuzzResult::build_failed},
    {"crashed", &FuzzResult::crashed},
    {"wrong_proof", &FuzzResult::wrong_proof},
    {"elements", &FuzzResult::elements},
    {"exact", &FuzzResult::exact},
    {"undecided", &FuzzResult::undecided}};

Json ToJson(const FuzzFailure& f) {
  Json out{{"index", f.index},
           {"outcome", f.outcome},
           {"reason", f.reason},
           {"source", f.program.source},
           {"inputs", f.program.inputs}};
  if (f.small)
    out["small"] = {{"source", f.small->program.source},
                    {"inputs", f.small->program.inputs},
                    {"reason", f.small->reason}};
  return out;
}

FuzzFailure FailureFromJson(const Json& f) {
  FuzzFailure out{
      f.at("index"), f.at("outcome"), {f.at("source"), f.at("inputs")}, f.at("reason"), {}};
  if (f.contains("small")) {
    const Json& small = f["small"];
    out.small = FuzzFailure::Small{{small.at("source"), small.at("inputs")}, small.at("reason")};
  }
  return out;
}

// Where programs of an outcome are counted; null: refused ones, which are told apart by who
// refused.
uint64_t FuzzResult::* CountOf(Validated::Outcome outcome) {
  switch (outcome) {
    case Validated::kAgree: return &FuzzResult::agree;
    case Validated::kMismatch: return &FuzzResult::mismatch;
    case Validated::kFinding: return &FuzzResult::finding;
    case Validated::kBuildFailed: return &FuzzResult::build_failed;
    case Validated::kCrashed: return &FuzzResult::crashed;
    case Validated::kRefused: break;
  }
  return nullptr;
}

class Fuzzing {
 public:
  Fuzzing(Validator& v, const FuzzOptions& o) : validator_(v), o_(o) {}

  base::Result<FuzzResult> Run() {
    if (auto st = Resume(); !st.ok()) return st.error();
    const uint64_t before = s_.done;
    while (s_.done < o_.count) {
      auto start = std::chrono::steady_clock::now();
      uint64_t from = o_.first + s_.done, to = std::min(from + o_.per_build, o_.first + o_.count);
      if (auto st = One(from, to); !st.ok()) return st.error();
      s_.done = to - o_.first;
      s_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (!o_.state.empty())
        if (auto st = base::WriteFileAtomic(o_.state, base::Dump(ToJson(s_), 1) + "\n"); !st.ok())
          return st.error();
      if (o_.progress)
        o_.progress(s_.done, before,
                    std::to_string(s_.agree) + " agree, " + std::to_string(s_.Bad()) + " do not");
    }
    return s_;
  }

 private:
  base::Status Resume() {
    s_.seed = o_.seed, s_.first = o_.first, s_.count = o_.count, s_.products = o_.products;
    if (o_.state.empty()) return {};
    auto text = base::ReadFile(o_.state);
    if (!text.ok()) return {};
    auto old = base::Checked(o_.state, [&]() -> base::Result<FuzzResult> {
      return FuzzResultFromJson(base::Parse(*text));
    });
    if (!old.ok() || old->schema != s_.schema || old->seed != o_.seed || old->first != o_.first ||
        old->products != s_.products)
      return base::Error{"AK0401", o_.state + " belongs to another run", o_.state,
                         "name another file, or remove it"};
    s_ = std::move(*old);
    s_.count = o_.count;
    return {};
  }

  // Null: refused; `why` has the code.
  std::optional<Validation> Prepare(const RandomProgram& p, const std::string& label,
                                    std::string& why) {
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

  base::Status One(uint64_t from, uint64_t to) {
    std::vector<Validation> all;
    std::vector<std::pair<uint64_t, RandomProgram>> programs;
    for (uint64_t i = from; i < to; ++i) {
      RandomProgram p =
          o_.products ? craft::GenerateProduct(o_.seed, i) : craft::Generate(o_.seed, i);
      std::string why;
      auto v = Prepare(p, std::to_string(i), why);
      if (!v) {
        ++s_.refused_by_checker;
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
        ++s_.refused_by_interpreter;
        Refusal(v.reason);
        continue;
      }
      ++(s_.*CountOf(v.outcome));
      s_.elements += v.elements, s_.exact += v.exact, s_.undecided += v.undecided;
      if (v.outcome == Validated::kAgree)
        s_.worst = std::max(s_.worst, v.worst);
      else if (s_.failures.size() < kMaxFailures)
        s_.failures.push_back(Failure(programs[i].first, programs[i].second, v));
    }
    for (const auto& [index, program] : programs) {
      if (!o_.contradiction) break;
      auto why = o_.contradiction(program);
      if (!why.ok()) return why.error();
      if (why->empty()) continue;
      ++s_.wrong_proof;
      if (s_.failures.size() < kMaxFailures)
        s_.failures.push_back({index, "wrong proof", program, *why, {}});
    }
    return {};
  }

  void Refusal(const std::string& why) { ++s_.refusals[why.substr(0, 60)]; }

  FuzzFailure Failure(uint64_t index, const RandomProgram& p, const Validated& v) {
    FuzzFailure f{index, std::string(NameOf(v.outcome)), p, v.reason, {}};
    if (!o_.shrink) return f;
    f.small = {p, v.reason};
    for (size_t round = 0;
         round < kMaxRounds && Smaller(f.small->program, v.outcome, f.small->reason); ++round) {}
    return f;
  }

  // Takes the first smaller program that fails in the same way.
  bool Smaller(RandomProgram& p, Validated::Outcome outcome, std::string& reason) {
    std::vector<RandomProgram> next = craft::Smaller(p), tried;
    for (size_t at = 0; at < next.size();) {
      std::vector<Validation> all;
      tried.clear();
      for (; at < next.size() && all.size() < kMaxTried; ++at) {
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
  FuzzResult s_;
};
}  // namespace

Json ToJson(const FuzzResult& r) {
  Json out{{"schema", r.schema},
           {"seconds", r.seconds},
           {"worst", r.worst},
           {"refusals", r.refusals},
           {"failures", Json::array()}};
  for (const auto& [name, member] : kCounts) out[name] = r.*member;
  for (const FuzzFailure& f : r.failures) out["failures"].push_back(ToJson(f));
  return out;
}

FuzzResult FuzzResultFromJson(const Json& j) {
  FuzzResult r;
  j.at("schema").get_to(r.schema);
  for (const auto& [name, member] : kCounts) r.*member = j.value(name, uint64_t{0});
  j.at("seconds").get_to(r.seconds), j.at("worst").get_to(r.worst),
      j.at("refusals").get_to(r.refusals);
  for (const Json& f : j.at("failures")) r.failures.push_back(FailureFromJson(f));
  return r;
}

base::Result<FuzzResult> Fuzz(Validator& validator, const FuzzOptions& options) {
  return Fuzzing(validator, options).Run();
}

}  // namespace akgen::judge
