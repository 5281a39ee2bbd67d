#include "report/parity.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <vector>

#include "base/markdown.h"
#include "report/page.h"

namespace akgen::report {
namespace {
using record::Parity;
using record::ParityRow;

constexpr int kSide = 420, kMargin = 50;
constexpr size_t kWorst = 12;
// One regime, one colour.
const std::map<std::string, const char*> kColourOf{
    {"launch", "#1f6feb"}, {"bandwidth", "#1a7f37"}, {"compute", "#d1242f"}, {"sync", "#8250df"}};

std::string NameOfRow(const ParityRow& row) { return row.kernel + ", case " + row.case_id; }

std::vector<ParityRow> WorstFirst(std::vector<ParityRow> out) {
  const auto off = [](const ParityRow& r) { return std::fabs(std::log(1 + r.error)); };
  std::stable_sort(out.begin(), out.end(),
                   [&](const ParityRow& a, const ParityRow& b) { return off(a) > off(b); });
  if (out.size() > kWorst) out.resize(kWorst);
  return out;
}

// Decades that hold all times.
struct Decades {
  int from = 0, to = 1;
  explicit Decades(const std::vector<ParityRow>& rows) {
    double least = 1e300, most = 0;
    for (const ParityRow& r : rows)
      for (const double us : {r.measured, r.modelled})
        least = std::min(least, us), most = std::max(most, us);
    if (most <= 0 || least <= 0) return;
    from = int(std::floor(std::log10(least))),
    to = std::max(from + 1, int(std::ceil(std::log10(most))));
  }
  double At(double us) const { return (std::log10(us) - from) / (to - from) * kSide; }
};

std::string ScatterSvg(const std::vector<ParityRow>& rows) {
  const Decades axis(rows);
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {0} {0}\" width=\"{0}\" height=\"{0}\" role=\"img\" "
      "aria-label=\"modelled against measured\" "
      "font-size=\"11\" fill=\"currentColor\">\n",
      kSide + 2 * kMargin);
  const int left = kMargin, bottom = kMargin + kSide;
  for (int d = axis.from; d <= axis.to; ++d) {
    const double at = double(d - axis.from) / (axis.to - axis.from) * kSide;
    fmt::format_to(std::back_inserter(out),
                   "<path d=\"M{0:.1f} {1}V{2}M{3} {4:.1f}H{5}\" stroke=\"#8884\" "
                   "fill=\"none\"/><text x=\"{0:.1f}\" "
                   "y=\"{6}\" text-anchor=\"middle\">{7:g}</text><text x=\"{8}\" y=\"{4:.1f}\" "
                   "text-anchor=\"end\">{7:g}</text>\n",
                   left + at, kMargin, bottom, left, bottom - at, left + kSide, bottom + 16,
                   std::pow(10.0, d), left - 6);
  }
  fmt::format_to(std::back_inserter(out), "<path d=\"M{} {}L{} {}\" stroke=\"currentColor\"/>\n",
                 left, bottom, left + kSide, kMargin);
  for (const ParityRow& r : rows) {
    const auto colour = kColourOf.find(r.bound_by);
    fmt::format_to(std::back_inserter(out),
                   "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\" "
                   "fill-opacity=\"0.7\"><title>{}: measured "
                   "{:.2f} us, modelled {:.2f} us, {}</title></circle>\n",
                   left + axis.At(r.measured), bottom - axis.At(r.modelled),
                   colour == kColourOf.end() ? "#6e7781" : colour->second, Escaped(NameOfRow(r)),
                   r.measured, r.modelled, Escaped(r.bound_by));
  }
  return out + fmt::format(
                   "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">measured, us</text><text "
                   "x=\"{}\" y=\"{}\">"
                   "modelled, us</text></svg>\n",
                   left + kSide / 2, bottom + 36, 4, kMargin - 14);
}

using TableRows = std::vector<std::vector<std::string>>;

std::string PercentOf(double share) { return fmt::format("{:.1f} %", 100 * share); }

TableRows RegimeTable(const record::ErrorSummary& errors) {
  TableRows out{{"bound by", "rows", "median error", "p90"}};
  const auto add = [&](const std::string& name, const record::ErrorQuantiles& e) {
    out.push_back({name, std::to_string(e.rows), PercentOf(e.median), PercentOf(e.p90)});
  };
  for (const auto& [regime, e] : errors.by_regime) add(regime, e);
  add("all", errors);
  return out;
}

TableRows WorstTable(const std::vector<ParityRow>& rows) {
  TableRows out{{"row", "bound by", "measured us", "modelled us", "error"}};
  for (const ParityRow& r : WorstFirst(rows))
    out.push_back({NameOfRow(r), r.bound_by, fmt::format("{:.2f}", r.measured),
                   fmt::format("{:.2f}", r.modelled), fmt::format("{:+.1f} %", 100 * r.error)});
  return out;
}

TableRows UntiedTable(const std::vector<record::UntiedRow>& untied) {
  TableRows out{{"line", "row", "why it is not used"}};
  for (const record::UntiedRow& r : untied) out.push_back({std::to_string(r.line), r.what, r.why});
  return out;
}

std::string TableHtml(const std::string& heading, const TableRows& rows) {
  if (rows.size() < 2) return "";
  std::string out = "<h2>" + heading + "</h2>\n<table>\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const char* cell = i ? "td" : "th";
    out += "<tr>";
    for (const std::string& text : rows[i])
      out += fmt::format("<{0}>{1}</{0}>", cell, Escaped(text));
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string TableMarkdown(const std::string& heading, const TableRows& rows) {
  if (rows.size() < 2) return "";
  std::string out = "## " + heading + "\n\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& text : rows[i]) out += "| " + base::MarkdownText(text) + " ";
    out += "|\n";
    if (i) continue;
    for (size_t k = 0; k < rows[0].size(); ++k) out += "|---";
    out += "|\n";
  }
  return out + "\n";
}
}  // namespace

std::string ParityHtml(const Parity& parity, const std::string& title) {
  return Render(
      PlainPage(title,
                ScatterSvg(parity.rows) +
                    TableHtml("Error by what bounds the kernel", RegimeTable(parity.errors)) +
                    TableHtml("Worst rows", WorstTable(parity.rows)) +
                    TableHtml("Rows that are not used", UntiedTable(parity.untied)),
                "modelled times are akgen's; measured ones are yours"));
}

std::string ParityMarkdown(const Parity& parity) {
  return TableMarkdown("Error by what bounds the kernel", RegimeTable(parity.errors)) +
         TableMarkdown("Worst rows", WorstTable(parity.rows)) +
         TableMarkdown("Rows that are not used", UntiedTable(parity.untied));
}

}  // namespace akgen::report
