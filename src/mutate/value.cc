// Faults of value: repeats, masks, strides, rounding, precision.
#include <algorithm>

#include "mutate/kernel_view.h"
#include "mutate/operators.h"

namespace akgen::mutate {
namespace {
const std::vector<std::string> kValue{"memcheck", "initcheck", "racecheck", "wrong_answer"};

// The form op(…, mask, repeatTime, repeat parameters): index of the repeat, or none.
bool RepeatAt(const SourceIndex& index, const KernelView& view, const SourceCall& c,
              size_t* repeat) {
  if (view.PipeOf(c) != "V" || c.args.size() < 4) return false;
  std::string last = index.Arg(c, c.args.size() - 1);
  bool params = last.starts_with("{") || last.find("Params") != std::string::npos;
  for (const auto& v : index.variables)
    params |= v.name == last && v.type.find("RepeatParams") != std::string::npos;
  *repeat = c.args.size() - 2;
  return params;
}

// Numbers in the braces of a repeat parameter that is written in place.
std::vector<Span> Numbers(const SourceIndex& index, const SourceCall& c, Span arg) {
  std::string text = index.Text(c.file, arg);
  std::vector<Span> out;
  size_t open = text.find('{');
  for (size_t i = open; open != std::string::npos && i < text.size(); ++i) {
    if (!std::isdigit(static_cast<unsigned char>(text[i])) ||
        std::isalnum(static_cast<unsigned char>(text[i - 1])))
      continue;
    size_t end = text.find_first_not_of("0123456789", i);
    out.push_back({arg.begin + i, arg.begin + end});
    i = end;
  }
  return out;
}
}  // namespace

void FindWrongRepeat(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    size_t r = 0;
    if (!RepeatAt(index, view, c, &r)) continue;
    out->push_back({"",
                    c.name + " repeats once less",
                    c.file,
                    {Append(index, c.file, c.args[r], " - 1")},
                    kValue,
                    {view.LinesOf(c)},
                    ""});
  }
  FindCopyParts(index, 0, " - 1", " has one block less", out);
  FindCopyParts(index, 0, " + 4096", " has 4096 blocks more than it should", out);
  for (auto m = out->rbegin(); m != out->rend() && m->what.ends_with("more than it should"); ++m)
    m->rule = "blockCount is at most 4095";
}

void FindWrongMask(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    size_t r = 0;
    if (!RepeatAt(index, view, c, &r)) continue;  // behind three others at least
    std::string mask = index.Arg(c, r - 1), name = KernelView::FirstName(mask);
    bool array = false;
    for (const auto& v : index.variables)
      array |= v.name == mask && v.type.find('[') != std::string::npos;
    bool from_register =
        c.templ.find("false") != std::string::npos;  // isSetMask = false: the argument is not used
    if (array || from_register || view.IsLocal(c, name)) continue;
    out->push_back({"",
                    c.name + "'s mask leaves one element out",
                    c.file,
                    {Append(index, c.file, c.args[r - 1], " - 1")},
                    kValue,
                    {view.LinesOf(c)},
                    ""});
    out->push_back({"",
                    c.name + "'s mask has more elements than a repeat holds",
                    c.file,
                    {Append(index, c.file, c.args[r - 1], " + 256")},
                    kValue,
                    {view.LinesOf(c)},
                    "a mask selects elements of one repeat"});
  }
}

void FindWrongStride(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    if (view.PipeOf(c) != "V" || c.args.empty()) continue;
    for (const Span& n : Numbers(index, c, c.args.back()))
      out->push_back({"",
                      c.name + "'s stride is one more",
                      c.file,
                      {Append(index, c.file, n, " + 1")},
                      kValue,
                      {view.LinesOf(c)},
                      ""});
  }
  FindCopyParts(index, 2, " + 1", " has a source stride one larger", out);
  FindCopyParts(index, 3, " + 1", " has a destination stride one larger", out);
  for (size_t part = 0; part < 6; ++part)
    FindRepeatParts(index, part, " + 1", " has a stride one larger", out);
}

void FindWrongCastMode(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  const std::vector<std::string> modes{"CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND",
                                       "CAST_TRUNC"};
  for (const SourceCall* c : CallsNamed(index, {"Cast"}))
    for (const Span& arg : c->args) {
      std::string text = index.Text(c->file, arg);
      size_t at = text.rfind("CAST_");
      if (at == std::string::npos) continue;
      std::string old = text.substr(at);
      for (const std::string& mode : modes) {
        if (mode == old || (mode != "CAST_CEIL" && mode != "CAST_TRUNC")) continue;
        out->push_back({"",
                        "Cast rounds with " + mode + " instead of " + old,
                        c->file,
                        {Replace({arg.begin + at, arg.end}, mode)},
                        {"wrong_answer", "memcheck"},
                        {view.LinesOf(*c)},
                        ""});
      }
    }
}

// Scalars that hold a float, and whole functions whose tensors are float.
void FindNarrowAccumulate(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& v : index.variables) {
    std::string text = index.Text(v.file, v.whole);
    size_t at = text.find("float");
    if ((v.type != "float" && v.type != "const float") || at == std::string::npos ||
        !index.FunctionAt(v.file, v.whole.begin))
      continue;
    std::vector<LineRange> lines = view.UsesOf(v.name);
    lines.push_back(view.LinesOf(v.file, v.whole));
    out->push_back({"",
                    v.name + " is held in half",
                    v.file,
                    {Replace({v.whole.begin + at, v.whole.begin + at + 5}, "half")},
                    kValue,
                    lines,
                    ""});
  }
  for (const auto& f : index.functions) {
    std::string body = index.Text(f.file, f.body);
    if (body.find("Reduce") == std::string::npos && body.find("Add(") == std::string::npos &&
        body.find("Sum") == std::string::npos)
      continue;
    Mutation m{"",     "the tensors of " + f.name + " are half instead of float",
               f.file, {},
               kValue, {view.LinesOf(f.file, f.body)},
               ""};
    for (size_t at = body.find("<float>"); at != std::string::npos;
         at = body.find("<float>", at + 1))
      m.edits.push_back(Replace({f.body.begin + at + 1, f.body.begin + at + 6}, "half"));
    if (!m.edits.empty()) out->push_back(std::move(m));
  }
}

}  // namespace akgen::mutate
