#include "report/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.h"

namespace akgen::report {
namespace {
using record::Finding;
using record::Place;
constexpr int kAround = 2;  // lines shown on either side

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::string Indented(const std::vector<std::string>& lines, int line) {
  std::string out;
  for (int i = std::max(1, line - kAround); i <= std::min(int(lines.size()), line + kAround); ++i)
    out += fmt::format("  {} {:>5} | {}\n", i == line ? '>' : ' ', i, lines[size_t(i - 1)]);
  return out;
}

// From the line on up to the statement's end.
std::string StatementAt(const std::vector<std::string>& lines, int line) {
  std::string out;
  for (size_t i = size_t(line) - 1; i < lines.size() && out.size() < 4000; ++i) {
    out += lines[i] + " ";
    if (out.find(';') != std::string::npos) return out.substr(0, out.find(';'));
  }
  return out;
}

// The variables that the arguments of a call of `name` begin with; of no such call: of the
// statement's first.
std::vector<std::string> Operands(const std::string& statement, const std::string& name) {
  std::vector<std::string> out;
  size_t at = statement.find(name);
  at = statement.find('(', at == std::string::npos || name.empty() ? 0 : at);
  if (at == std::string::npos) return out;
  int depth = 0;
  bool begins = true;
  for (size_t i = at; i < statement.size(); ++i) {
    const char c = statement[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth == 0) break;
    if (depth == 1 && (c == ',' || c == '(')) {
      begins = true;
      continue;
    }
    if (!begins || c == ' ' || c == '&' || c == '*') continue;
    begins = false;
    size_t end = i;
    while (end < statement.size() && base::IsWord(statement[end])) ++end;
    const std::string word = statement.substr(i, end - i);
    if (!word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) &&
        std::find(out.begin(), out.end(), word) == out.end())
      out.push_back(word);
  }
  return out;
}

struct Source {
  std::string queue, call;  // DeQue, AllocTensor, Get
  int line = 0;
};
// A whole word: `a`, not the one in LocalTensor.
size_t FindWord(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !base::IsWord(text[at - 1])) &&
        (end == text.size() || !base::IsWord(text[end])))
      return at;
  }
  return std::string::npos;
}

// Where a variable was last set from a queue or a buffer, above the line.
Source SourceOf(const std::vector<std::string>& lines, const std::string& variable, int line) {
  for (int i = std::min(line, int(lines.size())); i >= 1; --i) {
    const std::string& text = lines[size_t(i - 1)];
    const size_t sign = text.find('='), at = FindWord(text, variable);
    if (at == std::string::npos || sign == std::string::npos || at > sign) continue;
    for (const char* call : {"DeQue", "AllocTensor", "Get<"}) {
      const size_t c = text.find(call, sign);
      if (c == std::string::npos || c < 2) continue;
      size_t dot = text.rfind('.', c), begin = dot == std::string::npos ? c : dot;
      const size_t after = begin;
      while (begin > sign &&
             (base::IsWord(text[begin - 1]) || text[begin - 1] == '>' || text[begin - 1] == '-'))
        --begin;
      std::string queue = text.substr(begin, after - begin);
      if (queue.starts_with("this->")) queue.erase(0, 6);
      return {queue, call[0] == 'G' ? "Get" : call, i};
    }
  }
  return {};
}

std::string Described(const std::vector<std::string>& lines, const Place& p) {
  if (p.line <= 0 || p.line > int(lines.size())) return "";
  std::string out;
  for (const auto& variable : Operands(StatementAt(lines, p.line), p.what)) {
    const Source from = SourceOf(lines, variable, p.line);
    if (from.queue.empty()) continue;
    out += fmt::format("{}{} is of {} ({}, line {})", out.empty() ? "" : "; ", variable, from.queue,
                       from.call, from.line);
  }
  return out.empty() ? "" : "    " + out + "\n";
}

std::string Side(const char* title, const Place& p, const ReadSource& read) {
  std::string out =
      fmt::format("  {}{}{}{}: {}:{}\n", title, p.what.empty() ? "" : ", " + p.what,
                  p.pipe.empty() ? "" : ", " + p.pipe,
                  p.block < 0 ? "" : fmt::format(", block {}", p.block), p.file, p.line);
  if (p.file.empty() || p.line <= 0) return out;
  const auto lines = LinesOf(read(p.file));
  return out + Indented(lines, p.line) + Described(lines, p);
}

// PIPE_MTE2 to PIPE_V: the hard event MTE2_V.
std::string EventOf(const std::string& from, const std::string& to) {
  constexpr std::string_view kPipe = "PIPE_";
  if (!from.starts_with(kPipe) || !to.starts_with(kPipe)) return "";
  return from.substr(kPipe.size()) + "_" + to.substr(kPipe.size());
}

// A name that both sides use and a queue gave out.
std::string SharedQueue(const Finding& f, const ReadSource& read) {
  const auto here = LinesOf(read(f.place.file)), there = LinesOf(read(f.other->file));
  if (f.place.line <= 0 || f.place.line > int(here.size()) || f.other->line <= 0 ||
      f.other->line > int(there.size()))
    return "";
  std::map<std::string, std::string> queues;
  for (const auto& v : Operands(StatementAt(there, f.other->line), f.other->what))
    if (const Source s = SourceOf(there, v, f.other->line); !s.queue.empty() && s.call != "Get")
      queues[s.queue] = v;
  for (const auto& v : Operands(StatementAt(here, f.place.line), f.place.what))
    if (const Source s = SourceOf(here, v, f.place.line); queues.contains(s.queue))
      return fmt::format("{}.EnQue({}) behind line {}, {} = {}.DeQue<T>() before line {}", s.queue,
                         queues[s.queue], f.other->line, v, s.queue, f.place.line);
  return "";
}

std::string Order(const Finding& f, const ReadSource& read) {
  if (!f.other || f.check != "racecheck") return "";
  const Place& first = *f.other;
  if (first.block >= 0 && f.place.block >= 0 && first.block != f.place.block)
    return "  missing: an order between the two blocks\n  change: SyncAll() between the two, or "
           "parts that do not "
           "meet\n";
  if (first.pipe == f.place.pipe)
    return fmt::format(
        "  missing: line {} before line {}, both on {}\n  change: PipeBarrier<{}>() before line "
        "{}\n",
        first.line, f.place.line, first.pipe, first.pipe, f.place.line);
  std::string out = fmt::format("  missing: {} (line {}) before {} (line {})\n", first.pipe,
                                first.line, f.place.pipe, f.place.line);
  const std::string event = EventOf(first.pipe, f.place.pipe), queue = SharedQueue(f, read);
  if (!f.edits.empty()) return out;
  if (!queue.empty()) out += "  change: " + queue + "\n";
  if (!event.empty())
    out += fmt::format(
        "  {}: SetFlag<HardEvent::{}>(id) behind line {}, WaitFlag<HardEvent::{}>(id) before line "
        "{}\n",
        queue.empty() ? "change" : "or", event, first.line, event, f.place.line);
  return out;
}
}  // namespace

std::string ExcerptOfLine(const std::string& text, int line, const std::string& word,
                          const std::string& indent) {
  std::string shown;
  for (const char c : text) shown += c == '\t' ? ' ' : c;
  size_t from = word.empty() ? std::string::npos : FindWord(shown, word), n = word.size();
  if (from == std::string::npos) {
    from = std::min(shown.find_first_not_of(' '), shown.size());
    const size_t comment = std::min(shown.find("//", from), shown.size());
    n = shown.find_last_not_of(' ', comment ? comment - 1 : 0) + 1 - from;
  }
  if (n == 0 || from >= shown.size()) return "";
  return fmt::format("{0}{1:>5} | {2}\n{0}{3:>5} | {4}^{5}\n", indent, line, shown, "",
                     std::string(from, ' '), std::string(n - 1, '~'));
}

std::string ExcerptAt(const std::string& file, int line, int column, const ReadSource& read,
                      const std::string& indent) {
  const auto lines = LinesOf(read(file));
  if (line <= 0 || line > int(lines.size())) return "";
  std::string text = lines[size_t(line - 1)];
  std::replace(text.begin(), text.end(), '\t', ' ');
  if (column <= 0 || column > int(text.size()) + 1) return "";
  return fmt::format("{0}{1:>5} | {2}\n{0}{3:>5} | {4}^\n", indent, line, text, "",
                     std::string(size_t(column - 1), ' '));
}

std::string Excerpt(const Place& p, const ReadSource& read, const std::string& indent) {
  if (p.file.empty() || p.line <= 0) return "";
  const auto lines = LinesOf(read(p.file));
  if (p.line > int(lines.size())) return "";
  const std::string queues = Described(lines, p);
  return ExcerptOfLine(lines[size_t(p.line - 1)], p.line, p.what, indent) +
         (queues.empty() ? "" : indent + "    " + queues);
}

std::string Explain(const Finding& f, const ReadSource& read) {
  std::string out = fmt::format("{}{}: {}{}\n", f.warning ? "warning " : "", f.code, f.message,
                                f.count > 1 ? fmt::format(" ({} times)", f.count) : "");
  out += Side("here", f.place, read);
  if (f.other) out += Side("other side", *f.other, read);
  if (!f.memory.empty())
    out += fmt::format("  memory: {} at {}, {} bytes{}\n", f.memory, f.address, f.bytes,
                       f.buffer.empty() ? "" : ", " + f.buffer);
  out += Order(f, read);
  for (const auto& e : f.edits)
    out += fmt::format(
        "  change (tried: the finding goes away): {}:{}:{}{}: {}\n", e.file, e.line, e.column,
        e.line == e.end_line && e.column == e.end_column ? " insert" : " replace", e.text);
  if (!f.fix.empty()) out += "  fix: " + f.fix + "\n";
  return out;
}

}  // namespace akgen::report
