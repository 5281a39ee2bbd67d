#include "judge/tune.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace akgen::judge {
namespace {
using base::IsWord;
constexpr std::string_view kMark = "// tune:";

std::string Trimmed(std::string_view s) {
  size_t from = s.find_first_not_of(" \t\r"), to = s.find_last_not_of(" \t\r");
  return from == std::string_view::npos ? "" : std::string(s.substr(from, to - from + 1));
}

std::vector<std::string> SplitAtCommas(std::string_view s) {
  std::vector<std::string> out;
  for (size_t from = 0; from <= s.size();) {
    size_t to = std::min(s.find(',', from), s.size());
    out.push_back(Trimmed(s.substr(from, to - from)));
    from = to + 1;
  }
  return out;
}

bool IsNumber(const std::string& s) {
  return !s.empty() &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c); });
}

// The word before `at`, past blanks and one '=' or '(': what the value is given to.
std::string NameBefore(std::string_view line, size_t at) {
  auto blanks = [&] {
    while (at > 0 && line[at - 1] == ' ') --at;
  };
  blanks();
  if (at > 0 && (line[at - 1] == '=' || line[at - 1] == '(')) --at;
  blanks();
  size_t end = at;
  while (at > 0 && IsWord(line[at - 1])) --at;
  return std::string(line.substr(at, end - at));
}

base::Error Malformed(const std::string& file, int line, std::string why) {
  return {"AK0402", std::move(why), file + ":" + std::to_string(line),
          "put the comment behind one line with the number, as in: constexpr uint32_t kTile = "
          "2048;  // tune: 1024, "
          "2048, 4096"};
}

// The line's number that is one of the values, as a word of its own.
base::Result<Tunable> Declared(const std::string& file, int number, std::string_view line,
                               size_t mark) {
  Tunable t;
  t.file = file, t.line = number;
  t.values = t.texts = SplitAtCommas(line.substr(mark + kMark.size()));
  if (t.values.size() < 2 || !std::all_of(t.values.begin(), t.values.end(), IsNumber))
    return Malformed(file, number, "'tune:' takes two or more whole numbers, separated by commas");
  size_t found = 0;
  for (size_t i = 0; i < mark;) {
    if (!IsWord(line[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < mark && IsWord(line[end])) ++end;
    auto it = std::find(t.values.begin(), t.values.end(), line.substr(i, end - i));
    if (it != t.values.end())
      ++found, t.now = size_t(it - t.values.begin()), t.at = i, t.length = end - i;
    i = end;
  }
  if (found != 1)
    return Malformed(file, number,
                     "the line holds " + std::string(found ? "several" : "none") +
                         " of the numbers to choose from");
  t.name = NameBefore(line, t.at);
  return t;
}

base::Status FindDeclared(const std::string& file, const std::string& text,
                          std::vector<Tunable>& out) {
  int number = 0;
  for (size_t from = 0; from < text.size(); ++number) {
    size_t end = std::min(text.find('\n', from), text.size());
    std::string_view line = std::string_view(text).substr(from, end - from);
    if (size_t mark = line.find(kMark); mark != std::string_view::npos) {
      auto t = Declared(file, number + 1, line, mark);
      if (!t.ok()) return t.error();
      t->at += from;
      out.push_back(std::move(*t));
    }
    from = end + 1;
  }
  return {};
}

// tune(a, b, c) means a; another choice is the same call with its value in front.
void FindCalls(const std::string& file, const std::string& text, std::vector<Tunable>& out) {
  for (size_t at = 0; (at = text.find("tune(", at)) != std::string::npos; at += 5) {
    size_t begin = text.rfind('\n', at) + 1, close = text.find(')', at);  // npos + 1 is 0
    if (close == std::string::npos) return;
    if ((at > 0 && IsWord(text[at - 1])) || text.find('#', begin) < at) continue;
    Tunable t;
    t.file = file, t.line = 1 + int(std::count(text.begin(), text.begin() + long(at), '\n'));
    t.at = at + 5, t.length = close - t.at;
    t.name = NameBefore(text, at);
    t.values = SplitAtCommas(std::string_view(text).substr(t.at, t.length));
    for (size_t i = 0; i < t.values.size(); ++i) {
      std::string chosen = t.values[i];
      for (size_t k = 0; k < t.values.size(); ++k)
        if (k != i) chosen += ", " + t.values[k];
      t.texts.push_back(chosen);
    }
    if (t.values.size() > 1) out.push_back(std::move(t));
  }
}

class Search {
 public:
  Search(const std::vector<Tunable>& tunables, size_t budget,
         const std::function<std::optional<double>(const Choice&)>& objective)
      : tunables_(tunables), budget_(budget), objective_(objective) {}

  TuneResult Run() {
    result_.combinations = 1;
    for (const Tunable& t : tunables_) result_.combinations *= double(t.values.size());
    Choice now;
    for (const Tunable& t : tunables_) now.push_back(t.now);
    Try(now);
    if (result_.combinations <= double(budget_))
      TryAll();
    else
      TryInTurn();
    result_.complete = double(result_.trials.size()) == result_.combinations;
    return std::move(result_);
  }

 private:
  bool Try(const Choice& choice) {  // did it gain?
    if (result_.trials.size() >= budget_ || !seen_.try_emplace(choice, true).second) return false;
    result_.trials.push_back({choice, objective_(choice)});
    const std::optional<double>& us = result_.trials.back().us;
    if (!us || (result_.best && *us >= *result_.trials[*result_.best].us)) return false;
    result_.best = result_.trials.size() - 1;
    return true;
  }

  void TryAll() {
    for (Choice c(tunables_.size(), 0);;) {
      Try(c);
      size_t i = c.size();
      while (i > 0 && ++c[i - 1] == tunables_[i - 1].values.size()) c[--i] = 0;
      if (i == 0) return;
    }
  }

  void TryInTurn() {
    for (bool gained = true; gained && result_.trials.size() < budget_;) {
      gained = false;
      for (size_t i = 0; i < tunables_.size(); ++i) {
        const Choice from = result_.trials[result_.best.value_or(0)].choice;
        for (size_t v = 0; v < tunables_[i].values.size(); ++v) {
          Choice c = from;
          c[i] = v;
          gained |= Try(c);
        }
      }
    }
  }

  const std::vector<Tunable>& tunables_;
  const size_t budget_;
  const std::function<std::optional<double>(const Choice&)>& objective_;
  std::map<Choice, bool> seen_;
  TuneResult result_;
};
}  // namespace

base::Result<std::vector<Tunable>> TunablesOf(const SourceFiles& files) {
  std::vector<Tunable> out;
  for (const auto& [file, text] : files) {
    if (file.ends_with(".py"))
      FindCalls(file, text, out);
    else if (auto s = FindDeclared(file, text, out); !s.ok())
      return s.error();
  }
  return out;
}

SourceFiles Chosen(const SourceFiles& files, const std::vector<Tunable>& tunables,
                   const Choice& choice) {
  SourceFiles out = files;
  for (size_t i = tunables.size();
       i-- > 0;)  // from the end of a file, so that places before stay where they are
    out[tunables[i].file].replace(tunables[i].at, tunables[i].length, tunables[i].texts[choice[i]]);
  return out;
}

TuneResult Tune(const std::vector<Tunable>& tunables, size_t budget,
                const std::function<std::optional<double>(const Choice&)>& objective) {
  return Search(tunables, std::max<size_t>(1, budget), objective).Run();
}

}  // namespace akgen::judge
