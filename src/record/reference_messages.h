// What akgen and akgen-reference say to each other (task/reference_client.h).
#pragma once
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"
#include "record/graph.h"
#include "record/script.h"

namespace akgen::record {

struct ReferenceTensor {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> shape;
  size_t offset = 0;  // bytes into the shared memory
};

struct ReferenceParameter {
  std::string name;
  std::string kind;  // "tensor", "list" or "scalar"; "none": an optional one that is left out
  std::vector<ReferenceTensor> tensors;
};

struct ReferenceAttribute {
  std::string name, type;  // type: int, float, bool, string, list_int, list_float
  base::Json value;
};

// A reference that is wrong in one way at one place (task/reference/variants.h).
struct ReferenceVariant {
  std::string name;          // "" is the reference itself
  double low = 0, high = 0;  // where it is right, of a variant that is right on an interval
  bool on_interval = false;
  std::string place;  // the line of the script, or the input
};

// Descriptor 0 holds the inputs; descriptor 1 takes the outputs, where they are computed.
// What stands for a sum that fits float32 in some orders of its terms only, and for a product that
// does in some orders of its factors.
enum class UndecidedSum {
  kItself,
  kNan,
  kAbove,  // the infinities
  kBelow,
  kLost,  // NaN, and 0 for products
};
inline std::optional<double> ValueOf(UndecidedSum sum) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (sum) {
    case UndecidedSum::kNan:
    case UndecidedSum::kLost: return std::numeric_limits<double>::quiet_NaN();
    case UndecidedSum::kAbove: return kInfinity;
    case UndecidedSum::kBelow: return -kInfinity;
    case UndecidedSum::kItself: break;
  }
  return std::nullopt;
}

struct ReferenceRequest {
  bool graph = false;     // the operations are asked for, else the outputs
  bool variants = false;  // the variants are asked for
  bool as_nodes = false;  // the script itself is asked for, of no case
  bool watch = false;     // beside the outputs: what the variants on an interval are given
  std::optional<ReferenceVariant> variant;  // computed instead of the reference
  std::string script, name;                 // name: of its file, for messages
  bool native = false;                      // inputs keep their dtypes
  std::optional<std::string> round;  // dtype to which the result of every operator is rounded
  bool exact = false;                // integers are raised to float64 as well
  double nudge = 0;  // each floating element of the inputs is changed by up to this share of itself
  int pattern = 0;   // which are made larger and which smaller
  bool noisy = false;      // `nudge` changes what arithmetic makes, instead of the inputs
  bool single = false;     // all floating arithmetic is float32, where the script says float64 too
  bool unrounded = false;  // without the torch.round that its outputs end in
  double before_rounding = 0;    // what torch.round takes is changed by this share of itself
  bool other_undefined = false;  // what no integer holds is converted to another one than usual
  UndecidedSum undecided = UndecidedSum::kItself;
  std::vector<ReferenceParameter> inputs, outputs;
  std::vector<ReferenceAttribute> attributes;
  size_t input_bytes = 0, output_bytes = 0;
};

struct ReferenceReply {
  std::optional<base::Error> error;
  double ms = 0;
  std::optional<Graph> graph;
  std::optional<ScriptBlock> script;
  std::vector<ReferenceVariant> variants;
  std::map<std::string, std::pair<double, double>>
      seen;  // by variant: least and greatest finite argument
};

base::Json ToJson(const std::vector<ReferenceParameter>& parameters);
base::Json ToJson(const std::vector<ReferenceAttribute>& attributes);
base::Json ToJson(const ReferenceRequest& request);
base::Json ToJson(const ReferenceReply& reply);
// Both throw base::Json::exception.
ReferenceRequest ReferenceRequestFromJson(const base::Json& request);
ReferenceReply ReferenceReplyFromJson(const base::Json& reply);

}  // namespace akgen::record
