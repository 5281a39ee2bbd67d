// Faults of the Cube core's instructions: fields of their parameter structures, unit flags, the
// pipe of a cross-core flag.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "mutate/kernel_view.h"
#include "mutate/operators.h"

namespace akgen::mutate {
namespace {
const std::vector<std::string> kField{"memcheck", "initcheck", "racecheck", "synccheck",
                                      "wrong_answer"};

// How a field becomes wrong: its expression gets a tail, is negated, or is replaced.
struct Fault {
  const char* structure;
  const char* field;
  size_t place;  // in the braces of the constructor that public kernels use
  const char *before, *after;
  const char* what;
};
constexpr size_t kNone = SIZE_MAX;
constexpr Fault kFaults[] = {
    {"Nd2NzParams", "nValue", 1, "(", ") - 1", "a row less"},
    {"Nd2NzParams", "dValue", 2, "(", ") - 1", "a column less"},
    {"Nd2NzParams", "srcDValue", 4, "(", ") + 1", "rows one element further apart"},
    {"Nd2NzParams", "dstNzC0Stride", 5, "(", ") + 1", "columns one row further apart"},
    {"LoadData2DParams", "startIndex", 0, "(", ") + 1", "starts a fractal later"},
    {"LoadData2DParams", "repeatTimes", 1, "(", ") - 1", "a fractal less"},
    {"LoadData2DParams", "srcStride", 2, "(", ") + 1", "sources one fractal further apart"},
    {"LoadData2DParams", "dstGap", 4, "(", ") + 1", "destinations one fractal further apart"},
    {"LoadData2DParams", "ifTranspose", 5, "!(", ")",
     "transposes where it should not, or the reverse"},
    {"LoadData2dTransposeParams", "repeatTimes", 1, "(", ") - 1", "a square less"},
    {"LoadData2dTransposeParams", "srcStride", 2, "(", ") + 1", "sources one square further apart"},
    {"LoadData3DParamsV2", "mExtension", kNone, "(", ") - 16", "16 rows less"},
    {"LoadData3DParamsV2", "kExtension", kNone, "(", ") - 16", "16 columns less"},
    {"LoadData3DParamsV2", "l1W", kNone, "(", ") + 16", "an image 16 wider"},
    {"MmadParams", "m", 0, "(", ") - 1", "a row less"},
    {"MmadParams", "n", 1, "(", ") - 1", "a column less"},
    {"MmadParams", "k", 2, "(", ") - 1", "a product less for each sum"},
    {"MmadParams", "cmatrixInitVal", 5, "!(", ")",
     "starts from what was there where it should start from 0, or the reverse"},
    {"FixpipeParamsV220", "nSize", 0, "(", ") - 1", "a column less"},
    {"FixpipeParamsV220", "mSize", 1, "(", ") - 1", "a row less"},
    {"FixpipeParamsV220", "srcStride", 2, "(", ") + 16", "columns 16 rows further apart in L0C"},
    {"FixpipeParamsV220", "dstStride", 3, "(", ") + 1", "rows one element further apart"},
    {"FixpipeParamsV220", "reluEn", 4, "!(", ")", "has ReLU where it should not, or the reverse"},
};

bool IsOf(const std::string& type, const std::string& structure) {
  const size_t at = type.find(structure);
  if (at == std::string::npos) return false;
  const size_t end = at + structure.size();
  return (at == 0 || !base::IsWord(type[at - 1])) &&
         (end == type.size() || !base::IsWord(type[end]));
}

// The parts between brackets that open at `open`, or none.
std::vector<Span> Parts(const std::string& text, size_t open) {
  std::vector<Span> parts;
  size_t from = open + 1;
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '{' || c == '[') ++depth;
    const bool closes = c == ')' || c == '}' || c == ']';
    if (closes) --depth;
    if ((depth == 1 && c == ',') || (closes && depth == 0)) {
      while (from < i && std::isspace(static_cast<unsigned char>(text[from]))) ++from;
      parts.push_back({from, i});
      from = i + 1;
    }
    if (closes && depth == 0) return parts;
    if (c == ';') break;
  }
  return {};
}

// `name.field = expression;` in the variable's function, after it.
std::vector<Span> Assignments(const SourceIndex& index, const SourceVariable& v,
                              const std::string& field) {
  std::vector<Span> out;
  const SourceFunction* f = index.FunctionAt(v.file, v.whole.begin);
  if (!f) return out;
  const std::string& text = index.files[v.file].text;
  const std::string wanted = v.name + "." + field;
  for (size_t at = text.find(wanted, v.whole.end); at != std::string::npos && at < f->body.end;
       at = text.find(wanted, at + 1)) {
    if (base::IsWord(text[at - 1])) continue;
    size_t i = at + wanted.size();
    while (std::isspace(static_cast<unsigned char>(text[i]))) ++i;
    if (text[i] != '=' || text[i + 1] == '=') continue;
    const size_t end = text.find(';', ++i);
    while (std::isspace(static_cast<unsigned char>(text[i]))) ++i;
    if (end != std::string::npos) out.push_back({i, end});
  }
  return out;
}

// Where an expression of this field stands: assignments to variables, places in braces of variables
// and of calls.
struct Place {
  size_t file;
  Span span;
  std::vector<LineRange> lines;
};
std::vector<Place> PlacesOf(const SourceIndex& index, const KernelView& view, const Fault& f) {
  std::vector<Place> out;
  auto add = [&](size_t file, Span span, std::vector<LineRange> lines) {
    lines.push_back(view.LinesOf(file, span));
    out.push_back({file, span, std::move(lines)});
  };
  for (const auto& v : index.variables) {
    if (!IsOf(v.type, f.structure)) continue;
    for (const Span& s : Assignments(index, v, f.field)) add(v.file, s, view.UsesOf(v.name));
    const std::string& text = index.files[v.file].text;
    const size_t open = text.find_first_of("({;", v.whole.begin);
    if (f.place == kNone || open == std::string::npos || text[open] == ';' || open >= v.whole.end)
      continue;
    const std::vector<Span> parts = Parts(text, open);
    if (f.place < parts.size() && parts.size() > 3)
      add(v.file, parts[f.place], view.UsesOf(v.name));
  }
  for (const auto& c : index.calls)
    for (const Span& arg : c.args) {
      const std::string text = index.Text(c.file, arg);
      const size_t open = text.find_first_of("({");
      if (f.place == kNone || open == std::string::npos || !IsOf(text.substr(0, open), f.structure))
        continue;
      const std::vector<Span> parts = Parts(index.files[c.file].text, arg.begin + open);
      if (f.place < parts.size() && parts.size() > 3)
        add(c.file, parts[f.place], {view.LinesOf(c)});
    }
  return out;
}

// What comes after a wrong operand shows it as well: undefined data, races, flags that are left.
void AddLater(const KernelView& view, std::vector<LineRange>* lines) {
  for (const SourceCall* c : CallsNamed(
           view.index(), {"LoadData", "LoadDataWithTranspose", "Mmad", "Fixpipe", "DataCopy"}))
    lines->push_back(view.LinesOf(*c));
}
}  // namespace

void FindWrongCubeField(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const Fault& f : kFaults)
    for (Place& p : PlacesOf(index, view, f)) {
      AddLater(view, &p.lines);
      out->push_back({"",
                      std::string(f.structure) + "'s " + f.field + ": " + f.what,
                      p.file,
                      {Replace(p.span, f.before + index.Text(p.file, p.span) + f.after)},
                      kField,
                      p.lines,
                      ""});
    }
}

void FindWrongUnitFlag(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const char* structure : {"MmadParams", "FixpipeParamsV220"})
    for (Place& p : PlacesOf(index, view, {structure, "unitFlag", kNone, "", "", ""})) {
      AddLater(view, &p.lines);
      for (const auto& [text, what, rule] : {std::tuple{"0", "0", ""},
                                             {"2", "2, and so leaves the flag", ""},
                                             {"1", "1", "unitFlag is 0, 2 or 3"}})
        if (index.Text(p.file, p.span) != text && index.Text(p.file, p.span) != "0")
          out->push_back({"",
                          std::string(structure) + "'s unitFlag is " + what,
                          p.file,
                          {Replace(p.span, text)},
                          kField,
                          p.lines,
                          rule});
    }
}

// A flag that another pipe sets hands over what is not done yet.
void FindWrongFlagPipe(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  for (const SourceCall* c : CallsNamed(index, {"CrossCoreSetFlag"})) {
    const std::string& text = index.files[c->file].text;
    const size_t at = text.find("PIPE_", c->whole.begin);
    if (at == std::string::npos || at >= c->whole.end) continue;
    size_t end = at;
    while (base::IsWord(text[end])) ++end;
    if (text.substr(at, end - at) == "PIPE_MTE2") continue;
    std::vector<LineRange> lines = view.Accesses("ALL");
    lines.push_back(view.LinesOf(*c));
    out->push_back({"",
                    "CrossCoreSetFlag on PIPE_MTE2 instead of " + text.substr(at, end - at),
                    c->file,
                    {Replace({at, end}, "PIPE_MTE2")},
                    {"racecheck", "synccheck", "initcheck", "wrong_answer"},
                    lines,
                    ""});
  }
}

}  // namespace akgen::mutate
