// Faults of the host half: a definition that fits neither task nor chip nor its own names, and a
// workspace that is too small. Found in the text: the names are the toolkit's own.
#include <algorithm>
#include <charconv>
#include <set>

#include "base/regex.h"
#include "mutate/kernel_view.h"
#include "mutate/operators.h"
#include "toolchain/rewrite.h"

namespace akgen::mutate {
namespace {

// Every match of a pattern in the host's files, comments and strings of the same length blanked
// where `code`.
template <typename F>
void EachMatch(const SourceIndex& index, const char* pattern, bool code, F found) {
  const base::Regex expression(pattern);
  for (size_t file = 0; file < index.files.size(); ++file) {
    if (!index.files[file].host) continue;
    const std::string blank = toolchain::BlankCommentsAndStrings(index.files[file].text);
    const std::string& text = code ? blank : index.files[file].text;
    for (const base::Match& m : expression.All(text))
      if (blank[m[0].begin] == text[m[0].begin]) found(file, m);  // not inside a comment
  }
}
Span SpanOf(const base::Group& group) { return {group.begin, group.end}; }

// The whole host half: a finding about a definition may stand at any of its lines.
std::vector<LineRange> HostLines(const SourceIndex& index) {
  std::vector<LineRange> lines;
  for (size_t file = 0; file < index.files.size(); ++file)
    if (index.files[file].host)
      lines.push_back({file, 0, index.LineAt(file, index.files[file].text.size())});
  return lines;
}

class Definitions {
 public:
  Definitions(const SourceIndex& index, Mutations* out)
      : index_(index), out_(*out), lines_(HostLines(index)) {
    EachMatch(index_, R"rx(\b\w+\s*\.\s*(?:In|Out)put\(\s*"(\w+)"\s*\))rx", false,
              [&](size_t, const base::Match& m) { again_.insert(m[1].text); });
  }

  void Add(size_t file, std::vector<Edit> edits, const std::string& what, const char* rule) {
    out_.push_back({.what = what,
                    .file = file,
                    .edits = std::move(edits),
                    .detectors = {"definition"},
                    .lines = lines_,
                    .rule = rule});
  }

  // Chips that the definition names: none of the family is left.
  void Chips() {
    std::vector<Edit> edits;
    size_t where = 0;
    EachMatch(index_, R"rx(AddConfig\(\s*("ascend910[^"]*"))rx", false,
              [&](size_t file, const base::Match& m) {
                if (!edits.empty() && file != where) return;
                where = file;
                edits.push_back(Replace(SpanOf(m[1]), "\"ascend310p\""));
              });
    if (!edits.empty())
      Add(where, edits, "the definition names another chip only",
          "nothing is built for a chip that AddConfig leaves out");
  }
  void Registration() {
    EachMatch(index_, R"rx(REGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,)rx", true,
              [&](size_t file, const base::Match& m) {
                if (m[1].text.find('_') == std::string::npos)
                  Add(file, {Replace(SpanOf(m[1]), m[1].text + "Other")},
                      "tiling data is registered for another operator",
                      "tiling data belongs to the operator it is registered for");
              });
  }
  // One entry less in the list of data types; data types of a parameter that no case has.
  void DataTypes() {
    EachMatch(index_, R"rx(\.DataType\(\s*\{([^{}]*)\})rx", true,
              [&](size_t file, const base::Match& m) {
                const Span list = SpanOf(m[1]);
                if (!Holds(file, list.begin)) return;
                const std::string text = m[1].text;
                if (const size_t comma = text.rfind(','); comma != std::string::npos)
                  Add(file, {Replace({list.begin + comma, list.end}, "")},
                      "a parameter's list of data types is one shorter",
                      "the lists of all parameters are of one length");
                const std::string& all = index_.files[file].text;
                const size_t end = std::min(all.find(';', list.end), all.size());
                if (all.substr(list.end, end - list.end).find(".Scalar(") != std::string::npos)
                  return;  // converted by the caller
                std::string other =
                    base::Regex(R"rx((ge::)?DT_\w+)rx").Replace(text, "ge::DT_COMPLEX128");
                if (text.find("DT_COMPLEX") == std::string::npos && other != text)
                  Add(file, {Replace(list, other)},
                      "a parameter has data types that the task does not ask for",
                      "the data types of a call are one column of the definition");
              });
  }
  void Kinds() {
    EachMatch(index_, R"rx(\.ParamType\(\s*(REQUIRED)\s*\))rx", true,
              [&](size_t file, const base::Match& m) {
                if (Holds(file, SpanOf(m[1]).begin))
                  Add(file, {Replace(SpanOf(m[1]), "DYNAMIC")},
                      "one tensor is defined as a list of tensors",
                      "a parameter is what the task says: one tensor or a list");
              });
  }
  void Attributes() {
    EachMatch(index_, R"rx(Attr\(\s*"(\w+)"\s*\))rx", false,
              [&](size_t file, const base::Match& m) {
                Add(file, {Replace(SpanOf(m[1]), m[1].text + "_of_it")},
                    "an attribute has another name", "callers pass attributes by the task's names");
              });
  }
  // The kernel file has a function of another name than the operator's.
  void Entry() {
    for (const auto& f : index_.functions) {
      const std::string& text = index_.files[f.file].text;
      const size_t head = text.rfind("__global__", f.body.begin);
      if (head == std::string::npos || f.name.empty()) continue;
      const size_t at = text.find(f.name, head);
      if (at >= f.body.begin ||
          text.substr(head, f.body.begin - head).find_first_of("{};") != std::string::npos)
        continue;
      Add(f.file, {Replace({at, at + f.name.size()}, f.name + "_kernel")},
          "the kernel function has another name",
          "the operator calls a kernel function that is named after it");
    }
  }

 private:
  // Whether what stands there is said of a parameter for every chip: not by one chip's own
  // configuration, nor of a parameter that such a configuration defines again.
  bool Holds(size_t file, size_t at) const {
    const std::string& text = index_.files[file].text;
    const size_t begin = text.rfind(';', at) + 1;  // 0 in the first statement
    const std::string statement = text.substr(begin, at - begin);
    static const base::Regex kOwn(R"rx(this\s*->\s*(?:In|Out)put\(\s*"(\w+)"\s*\))rx");
    const auto own = kOwn.Find(statement);
    return own && !again_.contains((*own)[1].text);
  }

  const SourceIndex& index_;
  Mutations& out_;
  const std::vector<LineRange> lines_;
  std::set<std::string> again_;
};

bool HasHost(const SourceIndex& index) {
  return std::any_of(index.files.begin(), index.files.end(),
                     [](const SourceText& f) { return f.host; });
}
}  // namespace

void FindWrongDefinition(const SourceIndex& index, Mutations* out) {
  if (!HasHost(index)) return;
  Definitions d(index, out);
  d.Chips();
  d.Registration();
  d.DataTypes();
  d.Kinds();
  d.Attributes();
  d.Entry();
}

// What tiling writes to GetWorkspaceSizes, halved, without one of its parts, or nothing; of a
// standalone kernel the number in its launch line.
void FindSmallWorkspace(const SourceIndex& index, Mutations* out) {
  KernelView view(index);
  auto add = [&](size_t file, Span span, const std::string& text, const std::string& what) {
    std::vector<LineRange> lines = view.Accesses("ALL");
    const auto waits =
        CallsNamed(index, {"SyncAll", "IBSet", "IBWait", "WaitPreBlock", "NotifyNextBlock"});
    for (const SourceCall* c : waits) lines.push_back(view.LinesOf(*c));
    for (const auto& c : index.calls) lines.push_back(view.LinesOf(c));
    out->push_back(
        {.what = what,
         .file = file,
         .edits = {Replace(span, text)},
         .detectors = {"memcheck", "initcheck", "racecheck", "synccheck", "wrong_answer"},
         .lines = lines});
  };
  EachMatch(index, R"rx((?:[Ww]ork[Ss]pace\w*|GetWorkspaceSizes\(1\))\s*\[0\]\s*=\s*([^;]+);)rx",
            true, [&](size_t file, const base::Match& m) {
              const Span span = SpanOf(m[1]);
              const std::string text = m[1].text;
              if (text == "0") return;
              add(file, span, "(" + text + ") / 2", "half of the workspace");
              const size_t plus = text.find(" + ");
              if (plus == std::string::npos) return add(file, span, "0", "no workspace");
              add(file, span, text.substr(0, plus), "the workspace without what is added last");
              add(file, span, text.substr(plus + 3), "the workspace without what it starts with");
            });
  if (HasHost(index)) return;
  const std::string& text = index.files[0].text;
  const base::Regex number(R"rx(workspace\[(\d+)\])rx");
  if (const size_t launch = text.find("// launch:"); launch != std::string::npos) {
    const std::string line = text.substr(launch, text.find('\n', launch) - launch);
    const auto m = number.Find(line);
    if (!m) return;
    const base::Group& group = (*m)[1];
    size_t bytes = 0;
    if (std::from_chars(group.text.data(), group.text.data() + group.text.size(), bytes).ec !=
        std::errc())
      return;
    const Span span{launch + group.begin, launch + group.end};
    add(0, span, std::to_string(bytes / 2), "half of the workspace");
    add(0, span, "32", "32 bytes of workspace");
  }
}

}  // namespace akgen::mutate
