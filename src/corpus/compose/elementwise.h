// Operations of a composition on single elements. Each returns the value that it makes.
#pragma once
#include <string>

#include "corpus/compose/draft.h"

namespace akgen::corpus {

class Elementwise {
 public:
  explicit Elementwise(Draft& draft) : d_(draft) {}

  size_t Add(size_t a, size_t b, const char* op = "add");
  size_t Mul(size_t a, size_t b);
  size_t Scaled(size_t v, double by);
  size_t Simple(const std::string& op, size_t v, double low, double high);
  size_t Within(size_t v, double most);  // |x| <= most
  size_t Above(size_t v, double least);  // x >= least > 0
  size_t Unary(size_t v);
  size_t Binary(size_t v);
  size_t Again(size_t v);
  size_t WithNumber(size_t v);
  size_t Compare(size_t v);
  size_t Choice(size_t v);
  size_t Activation(size_t v);

 private:
  size_t Shifted(size_t v, double by);
  size_t UnaryPositive(size_t v);
  size_t WithScalar(size_t v);

  Draft& d_;
};

}  // namespace akgen::corpus
