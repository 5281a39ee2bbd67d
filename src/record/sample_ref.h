// What a record of a judgement is told about its place, where it is one of many: members that
// whoever collects records adds to them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/fields.h"

namespace akgen::record {

struct SampleRef {
  std::optional<int64_t> sample;  // number of the candidate for the task; nothing: the next one
  std::string part = "public";    // public, hidden
  base::Json timeline;            // name of a page beside the report; null: none

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Strict("sample", m.sample);
    io.Strict("part", m.part);
    io.Field("timeline", m.timeline);
  }
};

// Of the configuration that a run of a benchmark keeps in its store: what says how its candidates
// were asked for.
struct RunShape {
  base::Json samples;         // candidates for each task; not a number: one
  std::string form = "full";  // full, kernel-only
  int Samples() const {
    return samples.is_number_integer() && samples.get<int>() > 0 ? samples.get<int>() : 1;
  }

  template <class Self, class Io>
  static void EachField(Self& m, Io& io) {
    io.Field("samples", m.samples);
    io.Field("form", m.form);
  }
};
inline RunShape RunShapeOf(const base::Json& config) {
  return config.is_object() ? base::MessageFromJson<RunShape>(config) : RunShape();
}

}  // namespace akgen::record
