// The page of a run: page/report.js draws the model.
#include "report/page.h"
#include "report/page_texts.inc"
#include "report/report.h"

namespace akgen::report {

std::string Html(const Model& model) {
  Page page;
  page.title = model.title, page.home = "#/";
  page.footer = "Made from verdict records alone. Modelled time is never measured time.";
  page.body = "<noscript><pre>" + Escaped(Markdown(model)) + "</pre></noscript>";
  page.script = kReportJs;
  page.data = ToJson(model);
  return Render(page);
}

}  // namespace akgen::report
