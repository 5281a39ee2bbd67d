#include "generate/examples.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "base/files.h"

namespace akgen::generate {
namespace fs = std::filesystem;

namespace {
bool Holds(const char* list, const std::string& word) {
  return (" " + std::string(list) + " ").find(" " + word + " ") != std::string::npos;
}

// Categories of akgen's tasks, and what people call them, in lower case.
constexpr std::pair<const char*, const char*> kCategories[] = {
    {"Activation", "activation activations"},
    {"Comparison", "comparison compare"},
    {"Condition", "condition"},
    {"Foreach", "foreach"},
    {"GMM", "gmm"},
    {"Index", "index indexing"},
    {"Linalg", "linalg"},
    {"Loss", "loss losses"},
    {"Mask", "mask"},
    {"Math", "math elementwise broadcast"},
    {"Norm", "norm normalization normalisation"},
    {"Optim", "optim optimizer optimiser optimizers"},
    {"Pooling", "pooling pool"},
    {"Reduce", "reduce reduction"},
    {"Sort", "sort"},
    {"TensorCreation", "tensorcreation"},
    {"TensorMove", "tensormove"},
};

// akgen's own programs: the categories they are an example for, and the tasks they would give away.
struct CraftExampleRow {
  const char *file, *categories, *answers;
};
constexpr CraftExampleRow kCraftExamples[] = {
    {"lerp.py", "Math Comparison Condition", "Lerp"},
    {"fast_gelu.py", "Activation Math Comparison Condition TensorCreation", "FastGelu"},
    {"softmax.py", "Activation", "InplaceAttnSoftmax"},
    {"rms_norm.py", "Norm", "RmsNorm"},
    {"max_pool.py", "Pooling", "MaxPool MaxPool2d MaxPooling2d"},
    {"sum_rows.py", "Reduce Loss Norm Linalg Pooling", ""},
    {"mean_squared_error.py", "Loss", "MseLoss"},
    {"adam.py", "Optim", "ApplyAdamWV2 Adam"},
    {"foreach_mul_scalar.py", "Foreach Optim", "ForeachMulScalar ForeachMulScalarList"},
    {"tril.py", "Mask", "Tril Triu"},
    {"take_rows.py", "Index TensorMove", "GatherV3"},
    {"swap_axes.py", "TensorMove", ""},
    {"dynamic_quantize.py", "GMM", ""},
};

}  // namespace

std::string CategoryOf(const task::TaskSpec& task) {
  std::string said = task.category;
  std::transform(said.begin(), said.end(), said.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  for (const auto& [name, words] : kCategories)
    if (Holds(words, said)) return name;
  return task.category;
}

fs::path DirectExample(const task::TaskSpec& task) {
  std::string category = CategoryOf(task);
  bool rows =
      category == "Norm" || category == "Reduce" || category == "Loss" || category == "Pooling";
  std::vector<std::pair<const char*, const char*>> order = {{"add_double_buffer", "UnalignAdd"},
                                                            {"fast_gelu", "FastGelu"}};
  if (rows) order.insert(order.begin(), {"rms_norm_rows", "RmsNorm"});
  for (const auto& [folder, name] : order)
    if (task.name != name) return base::HomeDir() / "examples/kernels" / folder;
  return {};
}

fs::path CraftExample(const task::TaskSpec& task) {
  std::string category = CategoryOf(task);
  const CraftExampleRow* found = nullptr;
  for (const auto& row : kCraftExamples) {
    bool fits = Holds(row.categories, category) && !(found && Holds(found->categories, category));
    if (!Holds(row.answers, task.name) && (!found || fits)) found = &row;
  }
  return base::HomeDir() / "examples/craft" / found->file;
}

}  // namespace akgen::generate
