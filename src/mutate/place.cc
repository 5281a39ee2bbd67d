// Faults of place: buffers too short, accesses that start or end elsewhere, work that is left out.
#include <algorithm>

#include "mutate/kernel_view.h"
#include "mutate/operators.h"

namespace akgen::mutate {
namespace {
using Detectors = std::vector<std::string>;
using Lines = std::vector<LineRange>;
// A wrong place gives wrong values, undefined data, or leaves its memory or its share.
const Detectors kPlace{"memcheck", "initcheck", "racecheck", "wrong_answer"};

// The operand `arg` of an access, as `tensor[offset]` or `tensor`: the text that starts `more`
// elements further on.
std::string Shifted(const SourceIndex& index, const SourceCall& c, Span arg,
                    const std::string& more) {
  std::string text = index.Text(c.file, arg);
  std::string name = KernelView::FirstName(text);
  if (text == name || text == "this->" + name) return text + "[" + more + "]";
  if (!text.ends_with("]")) return "";
  size_t open = text.find('[');
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0 && i + 1 != text.size()) return "";
  }
  return text.substr(0, open + 1) + "(" + text.substr(open + 1, text.size() - open - 2) + ") + " +
         more + "]";
}

// A brace-initialised parameter struct: `Type name{a, b, …}` or `Type name = {…}`.
struct Params {
  const SourceVariable* variable;
  std::vector<Span> parts;
};

std::vector<Params> ParamsOf(const SourceIndex& index, const std::string& type_part) {
  std::vector<Params> out;
  for (const auto& v : index.variables) {
    if (v.type.find(type_part) == std::string::npos) continue;
    const std::string& text = index.files[v.file].text;
    size_t open = text.find_first_of("{(", v.whole.begin);
    if (open == std::string::npos || open >= v.whole.end) continue;
    Params p{&v, {}};
    int depth = 0;
    size_t from = open + 1;
    for (size_t i = open; i < v.whole.end; ++i) {
      if (text[i] == '(' || text[i] == '{' || text[i] == '<') ++depth;
      bool close = (text[i] == ')' || text[i] == '}' || text[i] == '>') && --depth == 0;
      if (!close && !(text[i] == ',' && depth == 1)) continue;
      size_t a = text.find_first_not_of(" \t\n", from), b = text.find_last_not_of(" \t\n", i - 1);
      if (a <= b && a < i) p.parts.push_back({a, b + 1});
      from = i + 1;
      if (close) break;
    }
    if (!p.parts.empty()) out.push_back(std::move(p));
  }
  return out;
}

Lines LinesOfParams(const KernelView& view, const Params& p) {
  Lines lines = view.UsesOf(p.variable->name);
  lines.push_back(view.LinesOf(p.variable->file, p.variable->whole));
  return lines;
}
}  // namespace

void FindShrinkBuffer(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const SourceCall* c : CallsNamed(index, {"InitBuffer"})) {
    if (c->args.size() < 2) continue;
    std::string queue = KernelView::FirstName(index.Arg(*c, 0));
    Lines lines = view.UsesOfQueue(queue);
    lines.push_back(view.LinesOf(*c));
    out->push_back({"",
                    "InitBuffer gives " + queue + " half its length",
                    c->file,
                    {Append(index, c->file, c->args.back(), " / 2")},
                    {"memcheck", "initcheck", "racecheck", "wrong_answer"},
                    lines,
                    ""});
  }
}

void FindShiftOffset(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    if (c.name == "SetGlobalBuffer" && !c.args.empty()) {
      std::string tensor = KernelView::FirstName(c.object);
      Lines lines = view.UsesOf(tensor);
      lines.push_back(view.LinesOf(c));
      out->push_back({"",
                      "SetGlobalBuffer of " + tensor + " starts 16 elements further on",
                      c.file,
                      {Append(index, c.file, c.args[0], " + 16")},
                      kPlace,
                      lines,
                      ""});
    }
    std::string pipe = view.PipeOf(c);
    if (pipe.empty() || pipe == "S") continue;
    for (size_t i = 0; i < c.args.size() && i < 3; ++i) {
      std::string name = KernelView::FirstName(index.Arg(c, i));
      if (!view.IsGlobal(c, name) && !(view.IsLocal(c, name) && i == 0)) continue;
      std::string text = Shifted(index, c, c.args[i], "32");
      if (!text.empty())
        out->push_back({"",
                        c.name + " takes " + name + " 32 elements further on",
                        c.file,
                        {Replace(c.args[i], text)},
                        kPlace,
                        {view.LinesOf(c)},
                        ""});
    }
  }
}

void FindBreakAlignment(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    std::string pipe = view.PipeOf(c);
    if (pipe.empty() || pipe == "S" || c.name == "SetCmpMask" || c.name == "GetCmpMask") continue;
    // A reduction's result may start at any element.
    size_t first = c.name.find("Reduce") != std::string::npos ? 1 : 0;
    for (size_t i = first; i < c.args.size() && i < 3; ++i) {
      std::string name = KernelView::FirstName(index.Arg(c, i));
      if (!view.IsLocal(c, name)) continue;
      // Of elements of 4 bits one alone has no address.
      const bool nibbles =
          std::any_of(index.variables.begin(), index.variables.end(), [&](const auto& v) {
            return v.name == name && v.type.find("int4b_t") != std::string::npos;
          });
      std::string text = Shifted(index, c, c.args[i], nibbles ? "2" : "1");
      if (!text.empty())
        out->push_back({"",
                        c.name + " takes " + name + (nibbles ? " two elements" : " one element") +
                            " further on",
                        c.file,
                        {Replace(c.args[i], text)},
                        {"memcheck", "wrong_answer"},
                        {view.LinesOf(c)},
                        "operands in UB start on a multiple of 32 bytes"});
    }
  }
}

void FindCutTail(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& c : index.calls) {
    std::string pipe = view.PipeOf(c);
    if (pipe.empty() || pipe == "S" || c.args.size() < 3) continue;
    std::string count = index.Arg(c, c.args.size() - 1), name = KernelView::FirstName(count);
    bool plain = count.find_first_of("{}[\"") == std::string::npos && !view.IsLocal(c, name) &&
                 !view.IsGlobal(c, name);
    bool params = false;
    for (const auto& v : index.variables)
      params |= v.name == count && v.type.find("Param") != std::string::npos;
    if (!plain || params || count.find("Mode") != std::string::npos || count == "true" ||
        count == "false")
      continue;
    bool copy = c.name == "DataCopy" || c.name == "DataCopyPad";
    out->push_back(
        {"",
         c.name + (copy ? " moves half of its elements" : " leaves its last element out"),
         c.file,
         {Append(index, c.file, c.args.back(), copy ? " / 2" : " - 1")},
         kPlace,
         {view.LinesOf(c)},
         ""});
  }
  for (const char* type : {"DataCopyExtParams", "DataCopyParams"})
    for (const Params& p : ParamsOf(index, type))
      if (p.parts.size() > 1)
        out->push_back({"",
                        p.variable->name + " has half of its block length",
                        p.variable->file,
                        {Append(index, p.variable->file, p.parts[1], " / 2")},
                        kPlace,
                        LinesOfParams(view, p),
                        ""});
}

void FindSkipRound(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const auto& l : index.loops) {
    std::string text = index.Text(l.file, l.condition);
    size_t less = text.find('<');
    if (less == std::string::npos || text.find_first_of("&|>!", 0) != std::string::npos ||
        text.find('<', less + 1) != std::string::npos)
      continue;
    size_t right = less + (less + 1 < text.size() && text[less + 1] == '=' ? 2 : 1);
    Span bound{l.condition.begin + right, l.condition.end};
    const SourceFunction* f = index.FunctionAt(l.file, l.condition.begin);
    Lines lines;
    if (f)
      for (const auto& c : index.calls)
        if (c.file == l.file && f->body.Holds(c.whole) && !view.PipeOf(c).empty())
          lines.push_back(view.LinesOf(c));
    lines.push_back(view.LinesOf(l.file, l.condition));
    out->push_back({"",
                    "the loop ends one step early",
                    l.file,
                    {Append(index, l.file, bound, " - 1")},
                    kPlace,
                    lines,
                    ""});
  }
}

void FindSkipBlock(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  Lines sync;
  for (const SourceCall* c :
       CallsNamed(index, {"SyncAll", "CrossCoreSetFlag", "CrossCoreWaitFlag", "IBSet", "IBWait"}))
    sync.push_back(view.LinesOf(*c));
  for (const auto& f : index.functions) {
    const std::string& text = index.files[f.file].text;
    size_t head = text.rfind("__global__", f.body.begin);
    if (head == std::string::npos ||
        text.substr(head, f.body.begin - head).find_first_of("{};") != std::string::npos)
      continue;
    Lines lines = sync;
    lines.push_back(view.LinesOf(f.file, {f.body.begin, f.body.begin + 1}));
    out->push_back(
        {"",
         "the last block returns at once",
         f.file,
         {Replace({f.body.begin + 1, f.body.begin + 1},
                  " if (AscendC::GetBlockIdx() + 1 == AscendC::GetBlockNum()) return; ")},
         {"initcheck", "synccheck", "wrong_answer"},
         lines,
         ""});
  }
  for (const SourceCall* c : CallsNamed(index, {"GetBlockIdx", "get_block_idx"})) {
    Lines lines = view.Accesses("ALL");
    lines.push_back(view.LinesOf(*c));
    out->push_back({"",
                    "a block takes the share of its neighbour",
                    c->file,
                    {Replace(c->whole, "(" + index.Text(c->file, c->whole) + " / 2 * 2)")},
                    {"memcheck", "initcheck", "racecheck", "synccheck", "wrong_answer"},
                    lines,
                    ""});
  }
}

// Shared with value.cc through the params of copies: blockCount and strides.
void FindCopyParts(const SourceIndex& index, size_t part, const std::string& tail,
                   const std::string& what, Mutations* out) {
  KernelView view(index);
  for (const char* type : {"DataCopyExtParams", "DataCopyParams"})
    for (const Params& p : ParamsOf(index, type))
      if (part < p.parts.size())
        out->push_back({"",
                        p.variable->name + what,
                        p.variable->file,
                        {Append(index, p.variable->file, p.parts[part], tail)},
                        kPlace,
                        LinesOfParams(view, p),
                        ""});
}

void FindRepeatParts(const SourceIndex& index, size_t part, const std::string& tail,
                     const std::string& what, Mutations* out) {
  KernelView view(index);
  for (const Params& p : ParamsOf(index, "RepeatParams"))
    if (part < p.parts.size())
      out->push_back({"",
                      p.variable->name + what,
                      p.variable->file,
                      {Append(index, p.variable->file, p.parts[part], tail)},
                      kPlace,
                      LinesOfParams(view, p),
                      ""});
}

}  // namespace akgen::mutate
