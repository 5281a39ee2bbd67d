#include "craft/emit/merge_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace akgen::craft {
namespace {
using Group = std::vector<size_t>;  // columns
using Tokens = std::vector<std::string>;

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    const size_t end = text.find('\n', i) + 1;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::string JoinLines(const std::vector<std::string>& lines, size_t first, size_t last) {
  std::string out;
  for (size_t i = first; i < last; ++i) out += lines[i];
  return out;
}

int Opened(const std::string& line) {
  return static_cast<int>(std::count(line.begin(), line.end(), '{') -
                          std::count(line.begin(), line.end(), '}'));
}

// Words and numbers as a whole, every other character by itself.
Tokens Tokenize(const std::string& text) {
  auto of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  Tokens out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (of_word(text[i]) && end < text.size() && of_word(text[end])) ++end;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

int BytesOf(const std::string& type) {
  static const std::map<std::string, int> kBytes = {
      {"float", 4},   {"half", 2},    {"bfloat16_t", 2}, {"int8_t", 1},
      {"uint8_t", 1}, {"int16_t", 2}, {"int32_t", 4},    {"int64_t", 8}};
  auto it = kBytes.find(type);
  return it == kBytes.end() ? 0 : it->second;
}

std::string Indented(const std::string& text) {
  std::string out;
  for (const std::string& line : SplitLines(text)) out += "  " + line;
  return out;
}

class Merger {
 public:
  Merger(const std::vector<ClassText>& columns, const std::vector<TypeParameter>& parameters,
         const std::vector<int>& granules)
      : columns_(columns), parameters_(parameters), granules_(granules) {}

  std::optional<MergedClass> Run() {
    Group all;
    for (size_t c = 0; c < columns_.size(); ++c) all.push_back(c);
    MergedClass out;
    for (size_t part = 0; part < columns_[0].size(); ++part) {
      std::optional<std::string> text;
      switch (columns_[0][part].kind) {
        case ClassPart::kFixed: text = Unified(TextsOf(part), all); break;
        case ClassPart::kStatements: text = Statements(TextsOf(part), all); break;
        case ClassPart::kDeclarations: text = Longest(part); break;
      }
      if (!text) return std::nullopt;
      out.body += *text;
    }
    if (row_step_ && !DefineRowStep(all, out.body)) return std::nullopt;
    out.parameters.assign(used_.begin(), used_.end());
    return out;
  }

 private:
  const std::string& Text(size_t column, size_t part) const { return columns_[column][part].text; }

  std::vector<std::string> TextsOf(size_t part) const {
    std::vector<std::string> out;
    for (size_t c = 0; c < columns_.size(); ++c) out.push_back(Text(c, part));
    return out;
  }

  // The columns' text as one: where words differ, a type parameter that has these types, or a
  // number by its cause.
  std::optional<std::string> Unified(const std::vector<std::string>& texts, const Group& group) {
    std::vector<Tokens> tokens;
    for (size_t c : group) tokens.push_back(Tokenize(texts[c]));
    std::string out;
    std::set<size_t> used;
    bool row_step = false;
    for (const Tokens& t : tokens)
      if (t.size() != tokens[0].size()) return std::nullopt;
    for (size_t i = 0; i < tokens[0].size(); ++i) {
      auto all_are = [&](auto&& of_column) {
        for (size_t g = 0; g < group.size(); ++g)
          if (tokens[g][i] != of_column(group[g])) return false;
        return true;
      };
      if (all_are([&](size_t) { return tokens[0][i]; })) {
        out += tokens[0][i];
        continue;
      }
      if (all_are([&](size_t c) { return std::to_string(granules_[c]); })) {
        row_step = true;
        out += "kRowStep";
        continue;
      }
      size_t p = 0;
      for (; p < parameters_.size(); ++p) {
        const auto& types = parameters_[p].types;
        const bool type = all_are([&](size_t c) { return types[c]; });
        if (!type && !all_are([&](size_t c) { return std::to_string(BytesOf(types[c])); }))
          continue;
        out += type ? parameters_[p].name : fmt::format("int64_t(sizeof({}))", parameters_[p].name);
        used.insert(p);
        break;
      }
      if (p == parameters_.size()) return std::nullopt;
    }
    used_.insert(used.begin(), used.end());
    row_step_ |= row_step;
    return out;
  }

  // First the lines that all columns begin with, then what differs.
  std::optional<std::string> Statements(const std::vector<std::string>& texts, const Group& all) {
    std::vector<std::vector<std::string>> lines;
    for (const std::string& t : texts) lines.push_back(SplitLines(t));
    std::string out, pending;
    size_t same = 0, seen = 0;
    for (int depth = 0;; ++seen) {
      std::vector<std::string> line;
      for (const auto& l : lines)
        if (seen < l.size()) line.push_back(l[seen]);
      if (line.size() < lines.size()) break;
      const auto unified = Unified(line, all);
      if (!unified) break;
      pending += *unified;
      depth += Opened(*unified);
      if (depth > 0) continue;
      out += pending;
      pending.clear();
      same = seen + 1;
    }
    std::vector<std::string> rest;
    for (const auto& l : lines) rest.push_back(JoinLines(l, same, l.size()));
    if (std::all_of(rest.begin(), rest.end(), [](const auto& r) { return r.empty(); })) return out;
    const auto branches = Branches(rest, all);
    if (!branches) return std::nullopt;
    return out + *branches;
  }

  std::optional<std::string> Branches(const std::vector<std::string>& texts, const Group& all) {
    std::vector<Group> groups;
    for (size_t c : all) {
      auto fits = [&](Group g) {
        g.push_back(c);
        return Unified(texts, g).has_value();
      };
      auto group = std::find_if(groups.begin(), groups.end(), fits);
      if (group == groups.end())
        groups.push_back({c});
      else
        group->push_back(c);
    }
    // Those with nothing to do come last: they need no branch.
    std::stable_partition(groups.begin(), groups.end(),
                          [&](const Group& g) { return !texts[g[0]].empty(); });
    return Chain(groups, [&](const Group& g) { return Unified(texts, g); });
  }

  // if constexpr (…) { … } else if constexpr …
  template <typename F>
  std::optional<std::string> Chain(const std::vector<Group>& groups, F text_of) {
    std::string out;
    for (size_t g = 0; g < groups.size(); ++g) {
      auto text = text_of(groups[g]);
      if (!text) return std::nullopt;
      const bool last = g + 1 == groups.size();
      if (last && text->empty()) break;
      Group rest;
      for (size_t r = g + 1; r < groups.size(); ++r)
        rest.insert(rest.end(), groups[r].begin(), groups[r].end());
      auto when = last ? std::string() : Condition(groups[g], rest);
      if (!when) return std::nullopt;
      out += fmt::format("{}{}{{\n{}", g ? "    } else " : "    ",
                         last ? "" : fmt::format("if constexpr ({}) ", *when), Indented(*text));
    }
    return out + "    }\n";
  }

  static std::string IsType(const std::string& parameter, const std::string& type) {
    return fmt::format("IsSameType<{}, {}>::value", parameter, type);
  }

  // What the types of `group` have and those of `rest` have not: by one parameter where that tells
  // them apart.
  std::optional<std::string> Condition(const Group& group, const Group& rest) {
    std::string best;
    size_t least = SIZE_MAX, parameter = 0;
    for (size_t p = 0; p < parameters_.size(); ++p) {
      auto types_of = [&](const Group& g) {
        std::set<std::string> types;
        for (size_t c : g) types.insert(parameters_[p].types[c]);
        return types;
      };
      const auto mine = types_of(group), theirs = types_of(rest);
      if (std::any_of(mine.begin(), mine.end(), [&](const auto& t) { return theirs.count(t) > 0; }))
        continue;
      const bool inverted = theirs.size() < mine.size();
      const auto& named = inverted ? theirs : mine;
      if (named.size() >= least) continue;
      least = named.size();
      parameter = p;
      best.clear();
      for (const auto& t : named)
        best += (best.empty() ? ""
                 : inverted   ? " && "
                              : " || ") +
                std::string(inverted ? "!" : "") + IsType(parameters_[p].name, t);
    }
    if (least != SIZE_MAX) return used_.insert(parameter), best;
    return ByAll(group, rest);
  }
  std::optional<std::string> ByAll(const Group& group, const Group& rest) {
    std::set<std::string> mine, theirs;
    for (const Group* g : {&group, &rest})
      for (size_t c : *g) {
        std::string all;
        for (const TypeParameter& p : parameters_)
          all += (all.empty() ? "" : " && ") + IsType(p.name, p.types[c]);
        (g == &group ? mine : theirs).insert(all);
      }
    std::string out;
    for (const auto& one : mine) {
      if (theirs.count(one)) return std::nullopt;
      out += (out.empty() ? "(" : " || (") + one + ")";
    }
    for (size_t p = 0; p < parameters_.size(); ++p) used_.insert(p);
    return out;
  }

  // Each column's declarations are the first of the longest one's, or there is no class for all.
  std::optional<std::string> Longest(size_t part) const {
    std::string out;
    for (size_t c = 0; c < columns_.size(); ++c)
      out = std::max(out, Text(c, part),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    for (size_t c = 0; c < columns_.size(); ++c)
      if (out.compare(0, Text(c, part).size(), Text(c, part)) != 0) return std::nullopt;
    return out;
  }

  bool DefineRowStep(const Group& all, std::string& body) {
    std::map<int, Group> groups;
    for (size_t c : all) groups[granules_[c]].push_back(c);
    std::string value;
    for (auto it = groups.begin(); it != groups.end(); ++it) {
      Group rest;
      for (auto r = std::next(it); r != groups.end(); ++r)
        rest.insert(rest.end(), r->second.begin(), r->second.end());
      auto when = rest.empty() ? std::string() : Condition(it->second, rest);
      if (!when) return false;
      value +=
          rest.empty() ? std::to_string(it->first) : fmt::format("{} ? {} : ", *when, it->first);
    }
    body += fmt::format(
        "  // Elements: rows of tiles begin at multiples of it.\n"
        "  static constexpr int64_t kRowStep = {};\n",
        value);
    return true;
  }

  const std::vector<ClassText>& columns_;
  const std::vector<TypeParameter>& parameters_;
  const std::vector<int>& granules_;
  std::set<size_t> used_;
  bool row_step_ = false;
};
}  // namespace

std::optional<MergedClass> MergeColumns(const std::vector<ClassText>& columns,
                                        const std::vector<TypeParameter>& parameters,
                                        const std::vector<int>& granules) {
  for (const ClassText& c : columns)
    if (c.size() != columns[0].size()) return std::nullopt;
  return Merger(columns, parameters, granules).Run();
}

}  // namespace akgen::craft
