#include "craft/prove/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "base/hash.h"
#include "craft/prove/lemmas.h"
#include "craft/prove/replay.h"
#include "craft/prove/walk.h"

namespace akgen::craft::prove {
namespace {
// One thing that a program has to keep, over all columns, ranks and paths.
struct Question {
  Answer answer;
  bool reached = false;  // its facts can be true
  struct Way {
    bool proven = true;
    std::string stopped;
  };
  std::map<int, Way> ways;
  int tried = 0;  // attempts to refute it
};

class Prover {
 public:
  Prover(const Compiled& c, Solver& s) : compiled_(c), solver_(s) {}

  Report Run() {
    const auto start = std::chrono::steady_clock::now();
    for (column_ = 0; column_ < compiled_.programs.size(); ++column_) {
      const ir::Program& program = compiled_.programs[column_];
      const std::vector<Ranks> choices = RankChoices(program);
      if (choices.empty()) Broken("its tensors have too many ranks to look at each");
      for (const Ranks& ranks : choices) One(Walk(program, ranks));
    }
    for (Question& q : questions_) report_.answers.push_back(Final(q));
    if (launches_ == 0) Broken("no launch is reached");
    for (const std::string& why : broken_)
      report_.answers.push_back(
          {"program", {1, 1, 1}, "the program is taken apart", Status::kNotDecided, why, {}, 0, 0});
    report_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(report_);
  }

 private:
  void Broken(const std::string& why) {
    if (std::ranges::find(broken_, why) == broken_.end()) broken_.push_back(why);
  }

  void One(const Walked& w) {
    if (!w.broken.empty()) return Broken(w.broken);
    for (const Obligation& o : w.obligations) {
      Question& q = Find(o);
      if (q.answer.status == Status::kRefuted) continue;
      const bool reached = Reached(w.terms, o);
      q.reached |= reached;
      if (reached && o.kind == "ub") ++launches_;
      Question::Way& way = q.ways[o.way];
      // One way is enough; those behind it count as not shown.
      if (std::ranges::any_of(q.ways,
                              [&](const auto& w) { return w.first < o.way && w.second.proven; })) {
        way.proven = false;
        continue;
      }
      if (!reached || (!way.proven && q.tried > 1)) continue;
      if (o.stopped.empty() && Holds(w.terms, o)) continue;
      way.proven = false;
      // What elements of the caller's tensors have to be is not a shape's fault.
      const std::string data = DataIn(w.terms, o.goal);
      if (way.stopped.empty()) {
        way.stopped = o.stopped.empty() ? Stopped(w.terms, o) : o.stopped;
        if (!data.empty()) way.stopped += ", which depends on data: " + data;
      }
      if (data.empty() && q.tried++ < 2) TryToRefute(w, o, q);
    }
  }

  void TryToRefute(const Walked& w, const Obligation& o, Question& q) {
    auto found = Refute(compiled_, column_, w, o, solver_);
    if (!found) return;
    q.answer.status = Status::kRefuted;
    q.answer.why = found->why, q.answer.text = found->text, q.answer.cores = found->cores;
    q.answer.column = column_;
  }

  Question& Find(const Obligation& o) {
    const std::string key =
        fmt::format("{}:{}:{}:{}", o.kind, o.place.line, o.place.column, o.what);
    auto [it, fresh] = by_key_.insert({key, questions_.size()});
    if (fresh) {
      questions_.emplace_back();
      questions_.back().answer = {o.kind, o.place, o.what, Status::kProven, {}, {}, 0, 0};
    }
    return questions_[it->second];
  }

  // Not satisfiable facts prove everything, and are no proof.
  bool Reached(const Terms& terms, const Obligation& o) {
    if (o.kind == "race" || o.kind == "order" || o.kind == "cover")
      return true;  // asked of statements that are reached
    return Solve(terms, o.facts) != Satisfiable::kNo;
  }
  bool Holds(const Terms& terms, const Obligation& o) {
    if (o.goal->kind == Formula::kTrue) return true;
    std::vector<F> all = o.facts;
    all.push_back(Not(o.goal));
    return Solve(terms, all) == Satisfiable::kNo ||
           Solve(terms, std::move(all), true) == Satisfiable::kNo;
  }
  Satisfiable Solve(const Terms& terms, std::vector<F> all, bool more = false) {
    all = WithDefinitions(terms, std::move(all));
    std::vector<F> lemmas = FunctionLemmas(terms, all);
    all.insert(all.end(), lemmas.begin(), lemmas.end());
    all = WithEqualities(std::move(all));
    lemmas = ProductLemmas(terms, all, more);
    all.insert(all.end(), lemmas.begin(), lemmas.end());
    std::string text;
    for (const F& f : all) text += Key(f) + ";";
    if (auto it = known_.find(text); it != known_.end()) return it->second;
    ++report_.queries;
    return known_[text] = solver_.Check(all, false, nullptr);
  }

  static std::string DataIn(const Terms& terms, const F& goal) {
    for (const F& f : WithDefinitions(terms, {goal}))
      for (int atom : AtomsOf(f))
        if (terms.At(atom).of_data) return terms.At(atom).name;
    return {};
  }

  // The part of the goal that does not follow.
  std::string Stopped(const Terms& terms, const Obligation& o) {
    std::vector<F> parts = o.goal->kind == Formula::kAnd ? o.goal->args : std::vector<F>{o.goal};
    for (const F& part : parts) {
      std::vector<F> all = o.facts;
      all.push_back(Not(part));
      if (parts.size() == 1 || Solve(terms, std::move(all)) != Satisfiable::kNo)
        return terms.Text(part);
    }
    return terms.Text(o.goal);
  }

  static Answer Final(Question& q) {
    Answer& a = q.answer;
    if (a.status == Status::kRefuted) return a;
    const bool proven = std::ranges::any_of(q.ways, [](const auto& w) { return w.second.proven; });
    if (proven && q.reached) return a;
    a.status = Status::kNotDecided;
    a.why = q.reached ? q.ways.begin()->second.stopped
                      : "no shape reaches it: what require() and conditions say is never true";
    return a;
  }

  const Compiled& compiled_;
  Solver& solver_;
  size_t column_ = 0, launches_ = 0;
  Report report_;
  std::vector<std::string> broken_;
  std::vector<Question> questions_;
  std::map<std::string, size_t> by_key_;
  std::unordered_map<std::string, Satisfiable> known_;
};
}  // namespace

std::string_view NameOf(Status s) {
  static constexpr std::string_view kNames[] = {"proven", "refuted", "not_decided"};
  return kNames[static_cast<int>(s)];
}

bool Report::AllProven() const {
  return !answers.empty() &&
         std::ranges::all_of(answers, [](const Answer& a) { return a.status == Status::kProven; });
}

Report Prove(const Compiled& compiled, Solver& solver) { return Prover(compiled, solver).Run(); }

base::Json ToJson(const Report& r) {
  base::Json answers = base::Json::array();
  for (const Answer& a : r.answers) {
    base::Json j{{"kind", a.kind},
                 {"line", a.place.line},
                 {"column", a.place.column},
                 {"what", a.what},
                 {"status", NameOf(a.status)}};
    if (!a.why.empty()) j["why"] = a.why;
    if (a.status == Status::kRefuted) j["case"] = a.text, j["cores"] = a.cores, j["of"] = a.column;
    answers.push_back(std::move(j));
  }
  return {{"obligations", answers}, {"queries", r.queries}, {"seconds", r.seconds}};
}

base::Result<Report> ReportFromJson(const base::Json& j) {
  Report r;
  try {
    r.queries = j.at("queries").get<size_t>();
    r.seconds = j.at("seconds").get<double>();
    for (const auto& o : j.at("obligations")) {
      Answer a;
      a.kind = o.at("kind").get<std::string>();
      a.place = {o.at("line").get<int>(), o.at("column").get<int>(), 1};
      a.what = o.at("what").get<std::string>();
      const auto status = o.at("status").get<std::string>();
      a.status = status == "proven"    ? Status::kProven
                 : status == "refuted" ? Status::kRefuted
                                       : Status::kNotDecided;
      a.why = o.value("why", "");
      a.text = o.value("case", "");
      a.cores = o.value("cores", int64_t{0});
      a.column = o.value("of", size_t{0});
      r.answers.push_back(std::move(a));
    }
  } catch (const std::exception& e) {
    return base::Error{"AK0012", std::string("the prover's answer is malformed: ") + e.what(), "",
                       "build akgen completely: ./run.sh"};
  }
  return r;
}

}  // namespace akgen::craft::prove
