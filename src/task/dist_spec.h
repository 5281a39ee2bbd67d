// A distribution as task.toml and draws write it (inputs.h), before a case is known: a number may
// be the name of a column there.
#pragma once
#include <string>

#include "base/fields.h"

namespace akgen::task {

struct DistSpec {
  std::string kind;                   // "": it is none
  base::Json high;                    // a number or "$column", as the next
  base::Json copy_of, copy_fraction;  // elements that are another input's
  base::Json numbers, at, dims;       // of coordinates
  base::Json integers, bools;         // in its place, for tensors of such dtypes

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("kind", m.kind);
    io.Field("high", m.high);
    io.Field("copy_of", m.copy_of);
    io.Field("copy_fraction", m.copy_fraction);
    io.Field("numbers", m.numbers);
    io.Field("at", m.at);
    io.Field("dims", m.dims);
    io.Field("integers", m.integers);
    io.Field("bools", m.bools);
  }
};
// Empty where `dist` is no table. Throws base::Json::exception where its kind is no text.
inline DistSpec DistSpecOf(const base::Json& dist) {
  return dist.is_object() ? base::MessageFromJson<DistSpec>(dist) : DistSpec();
}

// Columns that most tasks have, with a meaning beyond the task.
struct UsualColumns {
  base::Json dtype, shape;  // null: the task has none
  std::string DtypeName() const { return dtype.is_string() ? dtype.get<std::string>() : ""; }

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("dtype", m.dtype);
    io.Field("shape", m.shape);
  }
};
inline UsualColumns UsualColumnsOf(const base::Json& columns) {
  return columns.is_object() ? base::MessageFromJson<UsualColumns>(columns) : UsualColumns();
}

}  // namespace akgen::task
