#include "generate/conversation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/files.h"
#include "craft/ir/ir.h"
#include "generate/examples.h"

namespace akgen::generate {
namespace fs = std::filesystem;
using base::Result;

namespace {
constexpr size_t kMaxShapes = 3;  // cases whose shapes are shown

fs::path Folder() { return base::HomeDir() / "data/generate"; }

// The pairs for a category, the nearer one last.
struct CategoryPairs {
  const char *categories, *first, *second;
};
constexpr CategoryPairs kPairs[] = {
    {" Norm ", "RowRange", "CenteredRows"},
    {" Reduce Loss Pooling Linalg Sort ", "CenteredRows", "RowRange"},
    {" Optim ", "ScaledTanh", "MomentumStep"},
    {" Activation TensorCreation ", "SquareAbove", "ScaledTanh"},
};
constexpr CategoryPairs kOtherPairs = {"", "ScaledTanh", "SquareAbove"};

// f16 of every case, or one dtype where all have the same.
std::string DtypeList(const std::vector<std::string_view>& of_cases,
                      const std::vector<size_t>& columns) {
  std::vector<std::string_view> said;
  for (size_t c : columns) said.push_back(of_cases[c]);
  if (std::all_of(said.begin(), said.end(), [&](auto d) { return d == said[0]; })) said.resize(1);
  return fmt::format("{}", fmt::join(said, ", "));
}

std::string_view DtypeOf(const task::ParamDesc& p) {
  return p.tensors.empty() ? std::string_view("f32") : craft::ir::ShortName(p.tensors[0].dtype);
}

// Cases whose dtypes no earlier case has.
std::vector<size_t> Columns(const std::vector<task::CaseDesc>& cases) {
  std::vector<size_t> out;
  auto dtypes = [&](size_t c) {
    std::vector<std::string_view> all;
    for (const auto* list : {&cases[c].inputs, &cases[c].outputs})
      for (const task::ParamDesc& p : *list) all.push_back(DtypeOf(p));
    return all;
  };
  for (size_t c = 0; c < cases.size(); ++c)
    if (std::none_of(out.begin(), out.end(), [&](size_t k) { return dtypes(k) == dtypes(c); }))
      out.push_back(c);
  return out;
}

bool Alike(const std::vector<task::CaseDesc>& cases, auto&& holds) {
  return std::all_of(cases.begin(), cases.end(), holds);
}

// The shape of output `o` in terms of an input's, where that fits all cases; else empty.
std::string ShapeInTerms(const task::TaskSpec& task, const std::vector<task::CaseDesc>& cases,
                         size_t o) {
  auto shape = [](const task::ParamDesc& p) {
    return p.tensors.size() == 1 ? std::optional(p.tensors[0].shape) : std::nullopt;
  };
  for (size_t i = 0; i < task.inputs.size(); ++i) {
    const std::string& x = task.inputs[i].name;
    for (const auto& [text, change] :
         {std::pair<std::string, int>{".shape", 0}, {".shape[:-1] + [1]", 1}, {".shape[:-1]", 2}})
      if (Alike(cases, [&](const task::CaseDesc& c) {
            auto from = shape(c.inputs[i]), to = shape(c.outputs[o]);
            if (!from || !to || (change > 0 && from->empty())) return false;
            if (change > 0) from->pop_back();
            if (change == 1) from->push_back(1);
            return *from == *to;
          }))
        return x + text;
  }
  if (Alike(cases, [&](const task::CaseDesc& c) {
        const auto to = shape(c.outputs[o]);
        return to && (to->empty() || *to == std::vector<int64_t>{1});
      }))
    return "[1]";
  return "";
}

std::string OutputLine(const task::TaskSpec& task, const std::vector<task::CaseDesc>& cases,
                       size_t o, const std::vector<size_t>& columns) {
  const task::ParamSpec& out = task.outputs[o];
  if (!out.inplace_of.empty())
    return fmt::format("    {} = inplace({})\n", out.name, out.inplace_of);
  if (out.kind == task::ParamKind::kList) {
    for (const task::ParamSpec& in : task.inputs)
      if (in.kind == task::ParamKind::kList && in.shape == out.shape)
        return fmt::format("    {} = empty({})\n", out.name, in.name);
  }
  std::string dtype;
  for (size_t i = 0; i < task.inputs.size() && dtype.empty(); ++i)
    if (Alike(cases, [&](const task::CaseDesc& c) {
          return DtypeOf(c.inputs[i]) == DtypeOf(c.outputs[o]);
        }))
      dtype = task.inputs[i].name + ".dtype";
  if (dtype.empty()) {
    std::vector<std::string_view> all;
    for (const task::CaseDesc& c : cases) all.push_back(DtypeOf(c.outputs[o]));
    dtype = DtypeList(all, columns);
    if (dtype.find(',') != std::string::npos) dtype = "column(" + dtype + ")";
  }
  std::string shape = ShapeInTerms(task, cases, o);
  if (!shape.empty()) return fmt::format("    {} = empty({}, {})\n", out.name, shape, dtype);
  const task::ParamDesc& first = cases[0].outputs[o];
  return fmt::format(
      "    {} = empty([…], {})  # in the first case [{}]\n", out.name, dtype,
      first.tensors.empty() ? "" : fmt::format("{}", fmt::join(first.tensors[0].shape, ", ")));
}

std::string ShapesText(const task::CaseDesc& c) {
  std::vector<std::string> parts;
  for (const task::ParamDesc& p : c.inputs) {
    if (!p.present) continue;
    std::vector<std::string> tensors;
    for (const task::TensorDesc& t : p.tensors)
      tensors.push_back(
          fmt::format("{}[{}]", craft::ir::ShortName(t.dtype), fmt::join(t.shape, ", ")));
    parts.push_back(fmt::format("{} = {}", p.name, fmt::join(tensors, " + ")));
  }
  for (const task::AttrValue& a : c.attrs) parts.push_back(a.name + " = " + base::Dump(a.value));
  return fmt::format("- {}\n", fmt::join(parts, ", "));
}

Result<std::vector<task::CaseDesc>> Resolved(const task::TaskSpec& task,
                                             const std::vector<task::CaseRow>& cases) {
  std::vector<task::CaseDesc> out;
  for (const task::CaseRow& row : cases) {
    auto c = task::ResolveCase(task, row);
    if (!c.ok()) return c.error();
    out.push_back(std::move(*c));
  }
  return out;
}
}  // namespace

std::string HostSignature(const task::TaskSpec& task, const std::vector<task::CaseDesc>& cases) {
  const std::vector<size_t> columns = Columns(cases);
  std::vector<std::string> params, results;
  for (size_t i = 0; i < task.inputs.size(); ++i) {
    std::vector<std::string_view> dtypes;
    for (const task::CaseDesc& c : cases) dtypes.push_back(DtypeOf(c.inputs[i]));
    const task::ParamSpec& p = task.inputs[i];
    params.push_back(fmt::format("{}: {}({}){}", p.name,
                                 p.kind == task::ParamKind::kList ? "tensors" : "tensor",
                                 DtypeList(dtypes, columns), p.optional ? " = None" : ""));
  }
  for (const task::AttrSpec& a : task.attrs)
    params.push_back(a.name + ": " + craft::ir::AttributeWord(a.type));
  std::string body;
  for (size_t o = 0; o < task.outputs.size(); ++o) {
    if (!task.outputs[o].shape_of.empty()) continue;
    body += OutputLine(task, cases, o, columns);
    results.push_back(task.outputs[o].name);
  }
  return fmt::format("@host\ndef {}({}):\n{}    …\n    return {}\n", task.entry,
                     fmt::join(params, ", "), body, fmt::join(results, ", "));
}

Result<std::string> QuestionText(const task::TaskSpec& task,
                                 const std::vector<task::CaseRow>& cases) {
  auto resolved = Resolved(task, cases);
  if (!resolved.ok()) return resolved.error();
  if (resolved->empty()) return base::Error{"AK0102", "the task has no cases", task.name, ""};
  std::string out = task.description;
  while (out.ends_with("\n")) out.pop_back();
  std::string reference = task.reference;
  if (!reference.ends_with("\n")) reference += "\n";
  out += "\n\n```python\n" + reference +
         "```\n\nWrite its program. The host function:\n\n```python\n" +
         HostSignature(task, *resolved) + "```\n\nIt is called with, among others:\n";
  for (size_t i = 0; i < std::min(kMaxShapes, resolved->size()); ++i)
    out += ShapesText((*resolved)[i * resolved->size() / std::min(kMaxShapes, resolved->size())]);
  return out;
}

std::vector<fs::path> PairFolders(const task::TaskSpec& task) {
  const std::string category = " " + CategoryOf(task) + " ";
  const CategoryPairs* found = &kOtherPairs;
  for (const CategoryPairs& row : kPairs)
    if (std::string_view(row.categories).find(category) != std::string_view::npos) found = &row;
  return {Folder() / "pairs" / found->first, Folder() / "pairs" / found->second};
}

Result<std::vector<Message>> ConversationPrompt(const task::TaskSpec& task,
                                                const std::vector<task::CaseRow>& cases) {
  auto language = base::ReadFile(Folder() / "language.md");
  if (!language.ok()) return language.error();
  std::vector<Message> out = {{"system", *language}};
  for (const fs::path& folder : PairFolders(task)) {
    auto pair = task::LoadTaskFolder(folder);
    if (!pair.ok()) return pair.error();
    auto question = QuestionText(*pair, pair->cases);
    if (!question.ok()) return question.error();
    auto program = base::ReadFile(folder / "program.py");
    if (!program.ok()) return program.error();
    out.push_back({"user", *question});
    out.push_back({"assistant", *program});
  }
  auto question = QuestionText(task, cases);
  if (!question.ok()) return question.error();
  out.push_back({"user", *question});
  return out;
}

}  // namespace akgen::generate
