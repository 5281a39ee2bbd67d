#include "report/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "base/files.h"
#include "report/plain_page.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr size_t kPoints = 400, kEnds = 20;
constexpr int kWide = 760, kHigh = 180, kLeft = 70, kBelow = 22;
constexpr const char* kColours[] = {"#1f6feb", "#d1242f", "#1a7f37", "#bf8700", "#8250df", "#0f8b8d"};
// What is drawn, and how it is called.
constexpr const char* kSeries[][2] = {{"loss", "loss"},
                                      {"validation_loss", "validation loss"},
                                      {"reward", "mean reward"},
                                      {"lr", "learning rate"},
                                      {"grad_norm", "norm of the gradient"},
                                      {"tokens_per_s", "tokens per second"},
                                      {"mfu", "share of the peak (MFU)"}};

using Points = std::vector<std::pair<double, double>>;

Points PointsOf(const std::vector<Json>& lines, const char* key) {
  Points all;
  for (const Json& l : lines)
    if (l.contains(key) && l[key].is_number()) all.emplace_back(l["step"].get<double>(), l[key].get<double>());
  return all;
}

Json Thinned(const Points& all) {
  Json out = Json::array();
  const size_t each = std::max<size_t>(1, (all.size() + kPoints - 1) / kPoints);
  for (size_t i = 0; i < all.size(); i += each) {
    const size_t n = std::min(each, all.size() - i);
    double sum = 0;
    for (size_t k = 0; k < n; ++k) sum += all[i + k].second;
    out.push_back({all[i + n - 1].first, sum / static_cast<double>(n)});
  }
  return out;
}

double Mean(const Points& all, size_t from, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += all[from + i].second;
  return sum / static_cast<double>(n);
}

Json RunOf(const fs::path& file, const std::vector<Json>& lines) {
  Json series = Json::object();
  for (const auto& [key, name] : kSeries)
    if (Json points = Thinned(PointsOf(lines, key)); !points.empty()) series[key] = points;
  double tokens = 0, seconds = 0;
  for (const Json& l : lines) tokens += l.value("tokens", 0.0), seconds += l.value("seconds", 0.0);
  const Points loss = PointsOf(lines, "loss"), validation = PointsOf(lines, "validation_loss");
  Points rate = PointsOf(lines, "tokens_per_s");
  std::sort(rate.begin(), rate.end(), [](auto& a, auto& b) { return a.second < b.second; });
  const size_t ends = std::min(kEnds, loss.size());
  Json run{{"name", file.filename() == "metrics.jsonl" ? fs::absolute(file).parent_path().filename().string()
                                                       : file.stem().string()},
           {"steps", lines.back()["step"]},
           {"tokens", tokens},
           {"minutes", seconds / 60},
           {"tokens_per_s", rate.empty() ? Json() : Json(rate[rate.size() / 2].second)},
           {"loss_first", Mean(loss, 0, ends)},
           {"loss_last", Mean(loss, loss.size() - ends, ends)},
           {"validation_best", nullptr},
           {"validation_last", nullptr},
           {"series", series}};
  for (const auto& [step, value] : validation)
    if (run["validation_best"].is_null() || value < run["validation_best"].get<double>())
      run["validation_best"] = value;
  if (!validation.empty()) run["validation_last"] = validation.back().second;
  return run;
}

std::string Number(const Json& v, const char* form = "{:.4f}") {
  return v.is_number() ? fmt::format(fmt::runtime(form), v.get<double>()) : "–";
}

// The cells of one run's row.
std::vector<std::string> Cells(const Json& run) {
  return {run["name"],
          Number(run["steps"], "{:.0f}"),
          Number(run["tokens"], "{:.0f}"),
          Number(run["minutes"], "{:.1f}"),
          Number(run["tokens_per_s"], "{:.0f}"),
          Number(run["loss_first"]),
          Number(run["loss_last"]),
          Number(run["validation_best"]),
          Number(run["validation_last"])};
}
constexpr const char* kHeads[] = {"run",           "steps",        "tokens",           "minutes",         "tokens/s",
                                  "loss at first", "loss at last", "validation, best", "validation, last"};

std::string Drawing(const Json& runs, const char* key, const char* name) {
  double low = INFINITY, high = -INFINITY, steps = 1;
  for (const Json& r : runs)
    for (const Json& p : r["series"].value(key, Json::array()))
      steps = std::max(steps, p[0].get<double>()), low = std::min(low, p[1].get<double>()),
      high = std::max(high, p[1].get<double>());
  if (!std::isfinite(low) || !std::isfinite(high)) return "";
  if (low >= 0 && low < 0.5 * high) low = 0;
  if (high == low) high = low + std::max(1e-9, std::abs(low));
  std::string out = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\"><svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{} by step\" "
      "font-size=\"11\" fill=\"currentColor\">\n",
      name, kLeft + kWide + 10, kHigh + kBelow + 10, name);
  auto y = [&](double v) { return 8 + kHigh * (1 - (v - low) / (high - low)); };
  for (int i = 0; i <= 4; ++i) {
    const double v = low + (high - low) * i / 4;
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\"0.15\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.4g}</text>\n",
        kLeft, kLeft + kWide, y(v), kLeft - 6, y(v) + 4, v);
  }
  out += fmt::format("<text x=\"{}\" y=\"{}\">1</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">step {:.0f}</text>\n",
                     kLeft, kHigh + kBelow, kLeft + kWide, kHigh + kBelow, steps);
  size_t colour = 0;
  for (const Json& r : runs) {
    std::string points;
    for (const Json& p : r["series"].value(key, Json::array()))
      points += fmt::format("{:.1f},{:.1f} ", kLeft + kWide * p[0].get<double>() / steps, y(p[1].get<double>()));
    out += fmt::format(
        "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"{}\" points=\"{}\"><title>{}</title></polyline>\n",
        kColours[colour++ % std::size(kColours)], points, Escaped(r["name"]));
  }
  return out + "</svg></div>\n";
}
}  // namespace

bool IsTraining(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const Json first = base::Parse(line);
  return first.is_object() && first.contains("step") && first.contains("loss") && first.contains("tokens_per_s");
}

Result<Json> TrainingFrom(const std::vector<std::string>& files) {
  Json runs = Json::array();
  for (const fs::path file : files) {
    auto text = base::ReadFile(file);
    if (!text.ok()) return text.error();
    std::vector<Json> lines;
    for (size_t at = 0, end = 0; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
      Json line = base::Parse(text->substr(at, end - at));
      if (!line.is_object() || !line.value("step", Json()).is_number() || !line.value("loss", Json()).is_number())
        return Error{"AK0610", "the line is not a step of a training run",
                     file.string() + ":" + std::to_string(lines.size() + 1),
                     "give the metrics.jsonl of runs of akgen lm train, and nothing else"};
      lines.push_back(std::move(line));
    }
    if (lines.empty())
      return Error{"AK0610", "no step was written yet", file.string(), "wait for the run's first step"};
    runs.push_back(RunOf(file, lines));
  }
  return Json{{"runs", runs}};
}

std::string TrainingHtml(const Json& model, const std::string& title) {
  std::string body = "<div class=\"scroll\"><table><thead><tr>";
  for (const char* head : kHeads) body += fmt::format("<th scope=\"col\">{}</th>", head);
  body += "</tr></thead><tbody>\n";
  size_t colour = 0;
  for (const Json& run : model["runs"]) {
    body += "<tr>";
    for (const std::string& cell : Cells(run))
      body += body.ends_with("<tr>") ? fmt::format("<th scope=\"row\" style=\"color:{}\">{}</th>",
                                                   kColours[colour++ % std::size(kColours)], Escaped(cell))
                                     : "<td>" + Escaped(cell) + "</td>";
    body += "</tr>\n";
  }
  body += "</tbody></table></div>\n";
  for (const auto& [key, name] : kSeries) body += Drawing(model["runs"], key, name);
  return PlainPage(
      title, body,
      "Made from metrics.jsonl alone. Losses at the ends are means of up to 20 steps, tokens per second the median.");
}

std::string TrainingMarkdown(const Json& model) {
  std::string out = "|", rule = "|";
  for (const char* head : kHeads) out += fmt::format(" {} |", head), rule += "---|";
  out += "\n" + rule + "\n";
  for (const Json& run : model["runs"]) {
    out += "|";
    for (const std::string& cell : Cells(run)) out += " " + cell + " |";
    out += "\n";
  }
  return out;
}

}  // namespace akgen::report
