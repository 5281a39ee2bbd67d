// The page: four texts of page/ put together at build time, and the model as data in it.
#include <string_view>

#include "report/page.inc"
#include "report/plain_page.h"
#include "report/report.h"

namespace akgen::report {
using base::Json;
namespace {
void Put(std::string& page, std::string_view mark, const std::string& text) {
  if (size_t at = page.find(mark); at != std::string::npos) page.replace(at, mark.size(), text);
}

// JSON inside a script element: no `<` may stand in it, and in JSON it stands in strings only.
std::string Embedded(const Json& model) {
  std::string out;
  for (char c : base::Dump(model)) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}
}  // namespace

std::string Html(const Model& model) {
  std::string page(kPageHtml);
  // Data last: what stands in it is never looked at again.
  Put(page, "<!--TITLE-->", Escaped(model.title));
  Put(page, "<!--STYLE-->", std::string(kPageCss));
  Put(page, "<!--SCRIPT-->", std::string(kPageJs));
  Put(page, "<!--PLAIN-->", "<pre>" + Escaped(Markdown(model)) + "</pre>");
  size_t at = page.rfind("<!--DATA-->");
  page.replace(at, std::string_view("<!--DATA-->").size(), Embedded(ToJson(model)));
  return page;
}

}  // namespace akgen::report
