// Scalars of host and kernel functions as expressions of atoms. For prove/ only.
#pragma once
#include <set>

#include "craft/prove/walk.h"

namespace akgen::craft::prove {

// An integer, a condition, or something else by its text: floats and strings.
struct Value {
  Poly number;
  F condition;
  std::string text;
};

class Evaluator {
 public:
  explicit Evaluator(Walked& to) : to_(to) {}
  virtual ~Evaluator() = default;

 protected:
  Value Eval(const ir::S& s);
  Poly Int(const ir::S& s) { return Eval(s).number; }
  F Condition(const ir::S& s);
  // Text in which names stand for their values: equal texts are equal values.
  std::string Text(const ir::S& s);
  virtual Value Special(const ir::Scalar& s) = 0;
  // What has to hold here; afterwards it does.
  void Need(const char* kind, const F& goal, const std::string& what);
  Value Opaque(const std::string& key, const std::string& name, ir::Ty type);

  Walked& to_;
  std::map<std::string, Value> env_;
  std::vector<F> facts_;
  Place place_;
  bool silent_ = false;  // collects no obligations
  int scope_ = 0;        // facts are added to it, not taken away

  // Facts that end with it.
  class Scope {
   public:
    Scope(Evaluator& e, F fact) : e_(e), facts_(e.facts_.size()), scope_(e.scope_) {
      e.scope_ = ++e.scopes_;
      e.facts_.push_back(std::move(fact));
    }
    ~Scope() {
      e_.facts_.resize(facts_);
      e_.scope_ = scope_;
    }

   private:
    Evaluator& e_;
    size_t facts_;
    int scope_;
  };

 private:
  Value Binary(const ir::Scalar& s);
  Value Call(const ir::S& s);
  F Compare(const ir::Scalar& s);
  Value Under(const F& condition, const ir::S& s);
  std::set<std::string> asked_;
  int scopes_ = 0;
};

}  // namespace akgen::craft::prove
