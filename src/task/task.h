// An operator task: what an operator takes and gives, the cases it is judged on, how inputs are
// drawn, how close the outputs must be, and the TorchScript text that defines the reference. One
// folder tasks/levelN/Category/Name/ each, with task.toml, cases.json and reference.py.
// docs/tasks.md describes the format.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "base/json.h"
#include "base/status.h"

namespace akgen::task {

// kScalar is a tensor parameter of few elements whose value an operator library would pass as a
// plain number (or a list of numbers); the kernel still gets its address. kList is one parameter of
// several tensors (ListTensorDesc).
enum class ParamKind { kTensor, kList, kScalar };
std::string_view NameOf(ParamKind kind);

// An output of indices: what they point at decides, so that equal elements may be chosen in place
// of each other.
enum class IndexKey { kValue, kMagnitude, kParts };  // of an element: itself, |v|, |re| + |im|
struct IndexSpec {
  std::string of;  // input the indices point into; empty: no indices
  base::Json
      axis;  // the axis they count along, a number or "$column"; null: the input is taken as flat
  base::Json first = 0;   // number of the first element
  base::Json stride = 1;  // elements from one number to the next
  IndexKey key = IndexKey::kValue;
};

// What a tensor is to its operator where its memory is described in another way: elements of four
// bits as int8 pairs, a blocked format by its blocks. Formats are ge::Format.
inline constexpr int kFormatNd = 2;
struct Declared {
  int dtype = 0;                                      // ge::DataType
  int format = kFormatNd, origin_format = kFormatNd;  // as it lies in memory, and what lies there
  std::vector<int64_t> origin, storage;               // shapes, in elements
};
inline constexpr int kInt4 = 29;  // ge::DT_INT4: two in a byte, the first in its low half

// What an operator takes of an input's dtype. With a bound or without NaN it needs a source.
struct Domain {
  base::Json low, high;  // numbers or "$column"; null: none
  bool nan = true;
  std::string source;
};

// As written in task.toml; "$column" references are resolved per case by ResolveCase.
struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::kTensor;
  bool optional = false;
  base::Json dtype;  // "float16" or "$column"
  base::Json
      shape;  // list of dimensions, each a number or "$column", or "$column"; kList: list of shapes
  base::Json present;  // optional parameters: true, false or "$column"
  base::Json dist;     // inputs: how values are drawn (inputs.h)
  base::Json
      upstream;   // inputs: how upstream draws them, where it is not like that; the linter uses it
  Domain domain;  // inputs
  base::Json
      compared;  // outputs: true, false or "$column"; false: the kernel may leave it as it is
  std::string
      inplace_of;  // outputs: name of the input whose memory this output is; empty: own memory
  std::string shape_of;  // outputs: name of the output whose shape the kernel writes here; the host
                         // does not see it
  bool zeroed = false;   // outputs: holds zeros before the kernel starts, which may add to them
  IndexSpec index;       // outputs
  bool in_signature = true;  // outputs: false when the kernel has no parameter for it (the result
                             // lies in the input)
  std::optional<Declared> declared;  // no task has it: a project's cases
};

struct AttrSpec {
  std::string name;
  std::string type;  // int, float, bool, string, list_int, list_float
  base::Json value;  // literal or "$column"
  base::Json other;  // list: further values that the range group tries where the cases have only
                     // one; null: by type
};

// The rule an output is compared by (compare.h). Numbers not given take the rule's own.
struct PrecisionSpec {
  std::string rule;     // "D", "C", "R", "R+i", "M", "Q"
  base::Json limit;     // C, Q: a number or {dtype: number}
  base::Json integers;  // "rule" or "exact"
  base::Json ulps;      // {dtype: n}: outputs at most n representable values away are always equal
  base::Json k;         // M: the reduced dimension, a number or "$column"
};

// [hidden]: what the generator of hidden cases (hidden.h) must keep. Names are columns or places in
// them: "shape", "shape/0". `multiple`, `least` and `most` bound the dimensions that are drawn.
struct HiddenSpec {
  std::vector<std::string> fixed;
  std::map<std::string, int64_t> multiple, least, most;
  std::map<std::string, std::string> multiple_of;  // as multiple, of the number in another column
  std::vector<std::string> toggle;                 // columns of true or false that are drawn again
};

// A case as cases.json has it, or made from one of those: then inputs may be drawn in another way,
// and attributes that task.toml gives a value may have another.
struct CaseRow {
  std::string id;
  base::Json columns;                            // object
  base::Json draws = base::Json::object();       // by input, in place of its `dist`
  base::Json attributes = base::Json::object();  // by attribute, in place of its value
  bool range = false;                            // of the range group (range.h)
};

base::Json ToJson(const CaseRow& row);
CaseRow CaseRowFromJson(const base::Json& row);  // throws base::Json::exception

struct TaskSpec {
  std::string name, category, entry, description;
  int level = 0;
  std::filesystem::path folder;
  std::vector<ParamSpec> inputs, outputs;
  std::vector<AttrSpec> attrs;
  PrecisionSpec precision;
  HiddenSpec hidden;
  std::vector<std::string>
      lint_right;  // [lint] right: answers of the linter that are right for this task
  std::vector<CaseRow> cases;
  std::string reference;  // TorchScript text with a function `reference`
  bool native_reference =
      false;  // run in the inputs' own dtypes (exact data movement); default float64

  const CaseRow* FindCase(std::string_view id) const;
};

// One tensor of a case. A parameter of kind kList has several.
struct TensorDesc {
  base::Dtype dtype = base::Dtype::kFloat32;
  std::vector<int64_t> shape;  // empty: a 0-dimensional tensor of one element
  int64_t Numel() const;
  size_t Bytes() const;
};

struct IndexDesc {
  int of = 0;     // index of the input
  int axis = -1;  // -1: flat
  int64_t first = 0, stride = 1;
  IndexKey key = IndexKey::kValue;
};

struct ParamDesc {
  std::string name;
  ParamKind kind = ParamKind::kTensor;
  bool present =
      true;  // false: an optional input left out; `tensors` is empty, the kernel gets address 0
  std::vector<TensorDesc> tensors;  // exactly one unless kList or absent
  bool compared =
      true;  // outputs: false when the case does not ask for it; it has memory all the same
  bool is_shape = false;  // outputs: the shape of another output, no output of the operator itself
  bool zeroed = false;    // outputs: starts as zeros instead of poison
  std::optional<IndexDesc> index;  // outputs
  int inplace_of = -1;             // outputs: index of the aliased input, -1 none
  bool in_signature = true;
  std::optional<Declared> declared;
  int DeclaredDtype() const;  // ge::DataType of its tensors; there is one at least
  const std::vector<int64_t>& DeclaredShape(size_t tensor) const;
};

struct AttrValue {
  std::string name;
  std::string type;  // as AttrSpec
  base::Json value;  // number, bool, string or array
};

// A case with every column put in.
struct CaseDesc {
  std::string id;
  std::vector<ParamDesc> inputs, outputs;
  std::vector<AttrValue> attrs;
  base::Json columns;
  base::Json draws = base::Json::object();  // as in the row
  bool range = false;                       // as in the row
  uint64_t memory_estimate = 0;  // bytes: inputs, outputs and the reference's working copies
};

// A case needing more than this is skipped, with the estimate as the reason.
inline constexpr uint64_t kCaseMemoryLimit = 8ull << 30;
// Empty when the case fits in `limit` bytes, else one sentence why it does not.
std::string TooLarge(const CaseDesc& c, uint64_t limit = kCaseMemoryLimit);

// The task with inputs drawn as upstream draws them.
TaskSpec AsUpstream(TaskSpec task);

// The id of one case to stand for all: the smallest with an input of 32 KiB to 16 MiB (several
// tiles, several blocks, and what hundreds of runs can afford), else the largest below, else the
// smallest above. "" without cases.
std::string TypicalCase(const TaskSpec& task);

// `name_or_folder`: "Sqrt", "sqrt" (the entry) or a folder that holds task.toml.
// AK0101 no such task (with near matches), AK0102 malformed file (with its place).
base::Result<TaskSpec> LoadTask(const std::string& name_or_folder);
base::Result<TaskSpec> LoadTaskFolder(const std::filesystem::path& folder);

struct TaskInfo {
  std::string name, category;
  int level = 0;
  std::filesystem::path folder;
};
// Tasks under `root` (default: HomeDir()/tasks) by folder names alone, sorted by level, category,
// name.
std::vector<TaskInfo> ListTasks(const std::filesystem::path& root = {});

// AK0102 a column is missing or has the wrong type, AK0103 no case with that id.
base::Result<CaseDesc> ResolveCase(const TaskSpec& task, const CaseRow& row);
base::Result<CaseDesc> ResolveCase(const TaskSpec& task, std::string_view case_id);
// What is wrong with a case, as far as can be told without drawing its inputs or running its
// reference: AK0102 with task, case and column. LoadTask checks all of them.
base::Status CheckCase(const TaskSpec& task, const CaseRow& row);

// The tensors of parameters in order (list elements in order, absent ones none): the flat order
// that GenerateInputs, Layout and the reference use.
std::vector<TensorDesc> Flatten(const std::vector<ParamDesc>& params);

// What a device allocator sets aside for a tensor: 32 bytes more, rounded up to 512 (the PyTorch
// adapter's rule).
size_t AllocationBytes(size_t bytes);
// Where each flat tensor lies in one block of memory: offsets are multiples of 512 bytes.
struct Layout {
  std::vector<size_t> offsets;
  size_t bytes = 0;  // at least 1, so that the block can always be mapped
};
Layout LayoutOf(const std::vector<TensorDesc>& tensors);

}  // namespace akgen::task
