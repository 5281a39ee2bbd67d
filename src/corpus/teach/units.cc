#include "corpus/teach/units.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/files.h"

namespace akgen::corpus {
namespace {
constexpr size_t kMaxBytes = 4 << 20, kLeast = 200, kLimit = 6000;

// Length of the UTF-8 sequence at `i`, 0 when there is none.
size_t SequenceAt(const std::string& s, size_t i) {
  const auto c = static_cast<unsigned char>(s[i]);
  const size_t n = c < 0x80                ? 1
                   : c >= 0xc2 && c < 0xe0 ? 2
                   : c >= 0xe0 && c < 0xf0 ? 3
                   : c >= 0xf0 && c < 0xf5 ? 4
                                           : 0;
  if (i + n > s.size()) return 0;
  for (size_t k = 1; k < n; ++k)
    if ((static_cast<unsigned char>(s[i + k]) & 0xc0) != 0x80) return 0;
  return n;
}

std::string Lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

std::string Entity(const std::string& name) {
  static const std::pair<const char*, const char*> kEntities[] = {
      {"lt", "<"},   {"gt", ">"},  {"amp", "&"}, {"quot", "\""},
      {"apos", "'"}, {"#39", "'"}, {"nbsp", " "}};
  for (const auto& [key, text] : kEntities)
    if (name == key) return text;
  return "&" + name + ";";
}

// What a tag becomes in Markdown; `pre`: inside of preformatted text.
std::string Mark(const std::string& tag, bool& pre) {
  if (tag.size() == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6')
    return "\n\n" + std::string(static_cast<size_t>(tag[1] - '0'), '#') + " ";
  if (tag == "pre") return pre = true, "\n\n```\n";
  if (tag == "/pre") return pre = false, "\n```\n\n";
  if (tag == "li") return "\n- ";
  if (tag == "td" || tag == "th") return " | ";
  if ((tag == "code" || tag == "/code") && !pre) return "`";
  for (const char* block : {"p", "/p", "br", "div", "/div", "tr", "/tr", "ul", "/ul", "ol", "/ol",
                            "table", "/table", "/h1", "/h2", "/h3", "/h4", "/h5", "/h6"})
    if (tag == block) return tag == "br" || tag == "tr" ? "\n" : "\n\n";
  return "";
}
}  // namespace

TextRead ReadText(const std::filesystem::path& file) {
  TextRead out;
  std::error_code ec;
  if (std::filesystem::file_size(file, ec) > kMaxBytes || ec)
    return out.refused = ec ? "it cannot be read" : "it is too large", out;
  auto text = base::ReadFile(file);
  if (!text.ok()) return out.refused = "it cannot be read", out;
  if (text->find('\0') != std::string::npos) return out.refused = "it is a binary", out;
  size_t broken = 0;
  for (size_t i = 0; i < text->size();) {
    size_t n = SequenceAt(*text, i);
    if (n == 0)
      out.text += "\xef\xbf\xbd", ++broken;
    else
      out.text.append(*text, i, n);
    i += std::max<size_t>(n, 1);
  }
  out.repaired = broken > 0;
  if (broken * 20 > text->size()) out.refused = "its encoding is broken", out.text.clear();
  return out;
}

std::string MarkdownOfHtml(const std::string& html) {
  std::string out;
  bool pre = false;
  for (size_t i = 0; i < html.size();) {
    if (html.compare(i, 4, "<!--") == 0) {
      size_t end = html.find("-->", i);
      i = end == std::string::npos ? html.size() : end + 3;
    } else if (html[i] == '<') {
      size_t end = std::min(html.find('>', i), html.size() - 1), stop = i + 1;
      while (stop < end &&
             (std::isalnum(static_cast<unsigned char>(html[stop])) || html[stop] == '/'))
        ++stop;
      const std::string tag = Lower(html.substr(i + 1, stop - i - 1));
      i = end + 1;
      out += Mark(tag, pre);
      if (tag != "script" && tag != "style" && tag != "nav" && tag != "head") continue;
      size_t close = Lower(html.substr(i)).find("</" + tag);
      i = close == std::string::npos ? html.size() : i + close;
    } else if (html[i] == '&' && html.find(';', i) < i + 8) {
      size_t end = html.find(';', i);
      out += Entity(html.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const bool space = !pre && std::isspace(static_cast<unsigned char>(html[i]));
      if (!space)
        out += html[i];
      else if (!out.empty() && !std::isspace(static_cast<unsigned char>(out.back())))
        out += ' ';
      ++i;
    }
  }
  return out;
}

std::vector<Unit> CutMarkdown(const std::string& text) {
  std::vector<Unit> out;
  std::vector<std::string> path;
  Unit unit;
  bool fence = false;
  int number = 0;
  auto close = [&] {
    if (unit.text.size() >= kLeast) out.push_back(unit);
    unit.text.clear();
  };
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) fence = !fence;
    const size_t level = fence ? 0 : std::min(line.find_first_not_of('#'), line.size());
    if (level > 0 && level <= 6 && level < line.size() && line[level] == ' ') {
      close();
      path.resize(std::min(path.size(), level - 1));
      path.push_back(line.substr(level + 1));
      unit.title.clear();
      for (const std::string& p : path) unit.title += (unit.title.empty() ? "" : " / ") + p;
      continue;
    }
    if (unit.text.size() > kLimit && !fence && line.empty()) close();
    if (unit.text.empty()) {
      if (line.empty()) continue;
      unit.line = number;
    }
    unit.text += line + "\n";
  }
  close();
  return out;
}

}  // namespace akgen::corpus
