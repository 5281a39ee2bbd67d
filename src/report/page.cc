#include "report/page.h"

#include <string_view>

#include "base/base64.h"
#include "base/hash.h"
#include "report/page_texts.inc"

namespace akgen::report {

std::string Escaped(const std::string& text) {
  std::string out;
  for (char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

namespace {
// JSON inside a script element: no `<` may stand in it, and in JSON it stands in strings only.
std::string Embedded(const base::Json& data) {
  std::string out = "<script type=\"application/json\" id=\"data\">";
  const std::string text = base::Dump(data);
  out.reserve(text.size() + 64);
  for (char c : text) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out + "</script>";
}

// How a policy names a script: SHA-256 of all that stands in its element.
std::string NameOfScript(const std::string& script) {
  const std::string hex = base::Sha256(script);
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(uint8_t(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return "'sha256-" + base::ToBase64(bytes) + "'";
}
}  // namespace

// The shell is read once from its beginning: what is put in is never looked at again.
std::string Render(const Page& page) {
  const std::string brand =
      page.home.empty() ? "<span class=\"brand\">akgen</span>"
                        : "<a class=\"brand\" href=\"" + Escaped(page.home) + "\">akgen</a>";
  const std::string script =
      std::string(kThemeJs) + (page.data.is_null() ? "" : std::string(kPartsJs) + page.script);
  const std::pair<std::string_view, std::string> parts[] = {
      {"<!--SCRIPTS-->", "; script-src " + NameOfScript(script)},
      {"<!--TITLE-->", Escaped(page.title)},
      {"<!--STYLE-->", std::string(kLookCss) + page.style},
      {"<!--BRAND-->", brand},
      {"<!--NAV-->", page.nav},
      {"<!--BODY-->", page.body},
      {"<!--FOOTER-->", Escaped(page.footer)},
      {"<!--DATA-->", page.data.is_null() ? "" : Embedded(page.data)},
      {"<!--SCRIPT-->", "<script>" + script + "</script>"}};
  std::string_view rest = kShellHtml;
  std::string out;
  for (const auto& [mark, text] : parts) {
    const size_t at = rest.find(mark);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + mark.size());
  }
  out += rest;
  return out;
}

Page PlainPage(const std::string& title, const std::string& body, const std::string& footer,
               const std::string& nav) {
  Page page;
  page.title = title, page.footer = footer, page.nav = nav, page.home = nav.empty() ? "" : "/";
  page.body = "<h1>" + Escaped(title) + "</h1>\n" + body;
  return page;
}

}  // namespace akgen::report
