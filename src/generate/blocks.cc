// Where code stands in a text.
#include <algorithm>
#include <cctype>
#include <optional>

#include "base/json.h"
#include "base/regex.h"
#include "generate/extract.h"

namespace akgen::generate {
namespace {
using base::Json;

constexpr size_t kLongLine = 4096;  // no name stands in a longer line; keeps the patterns cheap

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> out;
  std::string line;
  for (char c : text) {
    if (c == '\n')
      out.push_back(std::move(line)), line.clear();
    else if (c != '\r' && c != '\0')
      line += c;
  }
  if (!line.empty()) out.push_back(std::move(line));
  return out;
}

std::string Trim(const std::string& s) {
  size_t a = s.find_first_not_of(" \t");
  return a == std::string::npos ? "" : s.substr(a, s.find_last_not_of(" \t") - a + 1);
}

std::string Lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return s;
}

// The last thing in a line that looks like the path of a source file.
std::string PathIn(const std::string& line) {
  if (line.size() > kLongLine) return "";
  static const base::Regex kPath(
      R"([A-Za-z0-9_\-./\\]*[A-Za-z0-9_]\.(?:cpp|cc|cxx|hpp|h|asc|py)\b)");
  std::string found;
  for (base::Match& m : kPath.All(line)) found = std::move(m[0].text);
  return found;
}

// "// op_kernel/x.cpp", "// File: x.h", "# === x.py ===": a line that only names a file.
std::string Header(const std::string& line) {
  if (line.size() > 300) return "";
  static const base::Regex kHeader(
      R"(^\s*(?://|#|/\*)+[\s=*-]*(?:[Ff]ile(?:\s*name)?\s*:?\s*)?([A-Za-z0-9_\-./]*[A-Za-z0-9_]\.(?:cpp|cc|cxx|hpp|h|asc|py))[\s=*/-]*$)");
  const auto m = kHeader.Whole(line);
  return m ? (*m)[1].text : "";
}

struct Fence {
  char mark = 0;
  size_t length = 0, indent = 0;
  std::string info;
};
std::optional<Fence> FenceIn(const std::string& line) {
  size_t at = line.find_first_not_of(" \t>");
  if (at == std::string::npos || (line[at] != '`' && line[at] != '~')) return std::nullopt;
  Fence f{line[at], 0, at, ""};
  while (at + f.length < line.size() && line[at + f.length] == f.mark) ++f.length;
  if (f.length < 3) return std::nullopt;
  f.info = Trim(line.substr(at + f.length));
  if (f.mark == '`' && f.info.find('`') != std::string::npos) return std::nullopt;
  return f;
}

// A block whose text holds several files, each under its header, becomes several.
void AddBlock(std::vector<Block>& out, const Block& b) {
  std::vector<std::string> lines = Lines(b.text);
  Block part{b.name, b.language, ""};
  for (const std::string& line : lines) {
    std::string name = Header(line);
    if (!name.empty()) {
      if (part.text.find_first_not_of(" \t\n") != std::string::npos) out.push_back(part);
      part = {name, b.language, ""};
      continue;
    }
    part.text += line + "\n";
  }
  if (part.text.find_first_not_of(" \t\n") != std::string::npos) out.push_back(part);
}

void AddFenced(const std::string& text, std::vector<Block>& out) {
  std::vector<std::string> lines = Lines(text);
  for (size_t i = 0; i < lines.size(); ++i) {
    auto open = FenceIn(lines[i]);
    if (!open) continue;
    Block b;
    size_t word = open->info.find_first_of(" \t:{");
    b.language = Lower(open->info.substr(0, word));
    b.name = PathIn(open->info);
    for (size_t back = i; b.name.empty() && back > 0 && back + 3 > i; --back) {
      std::string above = Trim(lines[back - 1]);
      if (above.empty()) continue;
      if (above.size() <= 200) b.name = PathIn(above);
      break;
    }
    size_t end = i + 1;
    for (; end < lines.size(); ++end) {
      auto close = FenceIn(lines[end]);
      if (close && close->mark == open->mark && close->length >= open->length &&
          close->info.empty())
        break;
      const std::string& line = lines[end];
      size_t strip = std::min({open->indent, line.find_first_not_of(" \t>"), line.size()});
      b.text += line.substr(strip) + "\n";
    }
    AddBlock(out, b);
    i = end;
  }
}

// <file name="op_kernel/x.cpp">…</file>, <op_kernel/x.cpp>…</…>, <op_kernel>…</op_kernel>.
void AddTagged(const std::string& text, std::vector<Block>& out) {
  static const base::Regex kOpen(
      R"(<(?:file\s+(?:name|path)\s*=\s*["']?([^"'>\s]{1,200})["']?|([A-Za-z_][\w\-]{0,60}(?:/[\w\-.]{1,100})?)|([\w\-]{1,100}\.(?:cpp|h|py)))\s*>)");
  static const std::vector<std::string> kFolders = {"op_kernel", "op_host", "kernel_impl",
                                                    "host_impl", "kernel",  "host",
                                                    "tiling",    "program", "code"};
  size_t from = 0;
  for (size_t at; (at = text.find('<', from)) != std::string::npos;) {
    std::string head = text.substr(at, 400);
    from = at + 1;
    const auto match = kOpen.AtStart(head);
    if (!match) continue;
    const base::Match& m = *match;
    std::string tag = m[2].text, name = m[1].matched                         ? m[1].text
                                        : m[3].matched                       ? m[3].text
                                        : tag.find('.') != std::string::npos ? tag
                                                                             : "";
    if (name.empty() && std::find(kFolders.begin(), kFolders.end(), Lower(tag)) == kFolders.end())
      continue;
    std::string closing = m[1].matched ? "</file>" : "</" + (m[3].matched ? m[3].text : tag) + ">";
    size_t begin = at + m[0].end, end = text.find(closing, begin);
    std::string inside =
        text.substr(begin, end == std::string::npos ? std::string::npos : end - begin);
    std::vector<Block> fenced;
    AddFenced(inside, fenced);
    if (fenced.size() == 1) inside = fenced[0].text, name = name.empty() ? fenced[0].name : name;
    AddBlock(out, {name, "", inside});
    from = end == std::string::npos ? text.size() : end + closing.size();
  }
}

void AddJson(const Json& j, const std::string& name, std::vector<Block>& out) {
  if (j.is_string()) {
    std::string text = j.get<std::string>();
    std::vector<Block> fenced;
    AddFenced(text, fenced);
    if (fenced.empty())
      AddBlock(out, {PathIn(name), "", text});
    else
      out.insert(out.end(), fenced.begin(), fenced.end());
  } else if (j.is_array()) {
    for (const Json& e : j) AddJson(e, "", out);
  } else if (j.is_object()) {
    for (const char* path : {"path", "name", "file", "filename"})
      for (const char* content : {"content", "code", "text", "source"})
        if (j.contains(path) && j[path].is_string() && j.contains(content))
          return AddJson(j[content], j[path], out);
    for (const auto& [key, value] : j.items())
      if (!value.is_string() || value.get<std::string>().find('\n') != std::string::npos)
        AddJson(value, key, out);
  }
}

bool LooksLikeCode(const std::string& text) {
  return (text.find("#include") != std::string::npos &&
          text.find("__aicore__") != std::string::npos) ||
         (text.find("@kernel") != std::string::npos && text.find("@host") != std::string::npos);
}

// Code with nothing around it: files behind lines that say `File:`, from the first of them on (a
// client has taken the fence off); or one file, with prose before and after.
void AddBare(const std::string& text, std::vector<Block>& out) {
  static const base::Regex kFile(R"(^\s*(?://|#|/\*)+[\s=*-]*[Ff]ile\b)");
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = Trim(text.substr(at, std::min(end - at, kLongLine)));
    if (!Header(line).empty() && kFile.AtStart(line))
      return AddBlock(out, {"", "", text.substr(at)});
    at = end + 1;
  }
  if (!LooksLikeCode(text)) return;
  bool cpp = text.find("#include") != std::string::npos;
  size_t begin = cpp ? text.find("#include") : std::min(text.find("@kernel"), text.find("@host"));
  std::string code = text.substr(begin);
  if (cpp && code.rfind('}') != std::string::npos) code.resize(code.rfind('}') + 1);
  AddBlock(out, {"", "", code});
}
}  // namespace

std::vector<Block> Blocks(const std::string& text) {
  std::vector<Block> out;
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '['))
    if (Json j = base::Parse(text); !j.is_discarded()) AddJson(j, "", out);
  if (out.empty()) AddTagged(text, out);
  if (!out.empty()) return out;
  AddFenced(text, out);
  std::vector<Block> plain;
  for (Block& b : out) {
    Json j = b.language == "json" || b.language.empty() ? base::Parse(b.text)
                                                        : Json(Json::value_t::discarded);
    if (!j.is_discarded() && (j.is_object() || j.is_array()))
      AddJson(j, "", plain);
    else
      plain.push_back(std::move(b));
  }
  if (plain.empty()) AddBare(text, plain);
  return plain;
}

}  // namespace akgen::generate
