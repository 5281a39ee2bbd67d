// How an output of a case compares with the reference.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace akgen::record {

struct ElementDifference {
  int64_t index = 0;        // flat
  double out = 0, ref = 0;  // what it is, and what is expected
};

struct OutputResult {
  std::string name, rule;
  int64_t elements = 0, mismatches = 0;
  double max_abs = 0, max_rel = 0;
  std::vector<ElementDifference> first, worst;  // of the mismatches
  std::string region;                           // where all of them lie; "": nothing simple holds
  std::vector<int64_t> shape;                   // empty in older records
  base::Json histogram;                         // of errors (task/histogram.h)
};

// What an output holds, where nothing says what it should.
struct OutputValues {
  std::string name;
  int64_t elements = 0, nan = 0, infinite = 0;
  std::optional<double> low, high;  // of those that are finite, if any is
};
base::Json ToJson(const OutputValues& values);
OutputValues OutputValuesFromJson(const base::Json& json);  // throws base::Json::exception

// Members by name.
base::Json ToJson(const OutputResult& result);
// Throws base::Json::exception.
OutputResult OutputResultFromJson(const base::Json& json);

}  // namespace akgen::record
