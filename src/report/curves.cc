#include "report/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

#include "base/files.h"
#include "base/markdown.h"
#include "report/page.h"

namespace akgen::report {
namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::Result;

namespace {
constexpr size_t kPoints = 400, kEnds = 20;
constexpr int kWide = 760, kHigh = 180, kLeft = 70, kBelow = 22;
constexpr const char* kColours[] = {"#1f6feb", "#d1242f", "#1a7f37",
                                    "#bf8700", "#8250df", "#0f8b8d"};
// What is drawn, and how it is called.
constexpr const char* kSeries[][2] = {{"loss", "loss"},
                                      {"validation_loss", "validation loss"},
                                      {"reward", "mean reward"},
                                      {"lr", "learning rate"},
                                      {"grad_norm", "norm of the gradient"},
                                      {"tokens_per_s", "tokens per second"},
                                      {"mfu", "share of the peak (MFU)"}};

using Points = TrainingRun::Points;

// A line of metrics.jsonl: the numbers that it says.
struct Step {
  double step = 0, tokens = 0, seconds = 0;
  std::map<std::string, double> values;  // of kSeries
};

// nullopt: no line of a training run.
std::optional<Step> StepFromJson(const Json& line) {
  if (!line.is_object() || !line.value("step", Json()).is_number() ||
      !line.value("loss", Json()).is_number())
    return std::nullopt;
  Step out{line["step"], line.value("tokens", 0.0), line.value("seconds", 0.0), {}};
  for (const auto& [key, name] : kSeries)
    if (const auto at = line.find(key); at != line.end() && at->is_number()) out.values[key] = *at;
  return out;
}

Points PointsOf(const std::vector<Step>& lines, const char* key) {
  Points all;
  for (const Step& l : lines)
    if (const auto at = l.values.find(key); at != l.values.end())
      all.emplace_back(l.step, at->second);
  return all;
}

Points Thinned(const Points& all) {
  Points out;
  const size_t each = std::max<size_t>(1, (all.size() + kPoints - 1) / kPoints);
  for (size_t i = 0; i < all.size(); i += each) {
    const size_t n = std::min(each, all.size() - i);
    double sum = 0;
    for (size_t k = 0; k < n; ++k) sum += all[i + k].second;
    out.emplace_back(all[i + n - 1].first, sum / static_cast<double>(n));
  }
  return out;
}

double Mean(const Points& all, size_t from, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) sum += all[from + i].second;
  return sum / static_cast<double>(n);
}

TrainingRun RunOf(const fs::path& file, const std::vector<Step>& lines) {
  TrainingRun run;
  run.name = file.filename() == "metrics.jsonl"
                 ? fs::absolute(file).parent_path().filename().string()
                 : file.stem().string();
  for (const auto& [key, name] : kSeries)
    if (Points points = Thinned(PointsOf(lines, key)); !points.empty())
      run.series[key] = std::move(points);
  double seconds = 0;
  for (const Step& l : lines) run.tokens += l.tokens, seconds += l.seconds;
  const Points loss = PointsOf(lines, "loss"), validation = PointsOf(lines, "validation_loss");
  Points rate = PointsOf(lines, "tokens_per_s");
  std::sort(rate.begin(), rate.end(), [](auto& a, auto& b) { return a.second < b.second; });
  const size_t ends = std::min(kEnds, loss.size());
  run.steps = lines.back().step, run.minutes = seconds / 60;
  if (!rate.empty()) run.tokens_per_s = rate[rate.size() / 2].second;
  run.loss_first = Mean(loss, 0, ends), run.loss_last = Mean(loss, loss.size() - ends, ends);
  for (const auto& [step, value] : validation)
    run.validation_best = std::min(value, run.validation_best.value_or(value));
  if (!validation.empty()) run.validation_last = validation.back().second;
  return run;
}

std::string Number(std::optional<double> v, const char* form = "{:.4f}") {
  return v ? fmt::format(fmt::runtime(form), *v) : "–";
}

// The cells of one run's row.
std::vector<std::string> Cells(const TrainingRun& run) {
  return {run.name,
          Number(run.steps, "{:.0f}"),
          Number(run.tokens, "{:.0f}"),
          Number(run.minutes, "{:.1f}"),
          Number(run.tokens_per_s, "{:.0f}"),
          Number(run.loss_first),
          Number(run.loss_last),
          Number(run.validation_best),
          Number(run.validation_last)};
}
constexpr const char* kHeads[] = {
    "run",           "steps",        "tokens",           "minutes",         "tokens/s",
    "loss at first", "loss at last", "validation, best", "validation, last"};

const Points& SeriesOf(const TrainingRun& run, const char* key) {
  static const Points kNone;
  const auto at = run.series.find(key);
  return at == run.series.end() ? kNone : at->second;
}

std::string Drawing(const std::vector<TrainingRun>& runs, const char* key, const char* name) {
  double low = INFINITY, high = -INFINITY, steps = 1;
  for (const TrainingRun& r : runs)
    for (const auto& [step, value] : SeriesOf(r, key))
      steps = std::max(steps, step), low = std::min(low, value), high = std::max(high, value);
  if (!std::isfinite(low) || !std::isfinite(high)) return "";
  if (low >= 0 && low < 0.5 * high) low = 0;
  if (high == low) high = low + std::max(1e-9, std::abs(low));
  std::string out = fmt::format(
      "<h2>{}</h2>\n<div class=\"scroll\"><svg width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{} by step\" "
      "font-size=\"11\" fill=\"currentColor\">\n",
      name, kLeft + kWide + 10, kHigh + kBelow + 10, name);
  auto y = [&](double v) { return 8 + kHigh * (1 - (v - low) / (high - low)); };
  for (int i = 0; i <= 4; ++i) {
    const double v = low + (high - low) * i / 4;
    out += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\"0.15\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5:.4g}</text>\n",
        kLeft, kLeft + kWide, y(v), kLeft - 6, y(v) + 4, v);
  }
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\">1</text><text x=\"{}\" y=\"{}\" text-anchor=\"end\">step "
      "{:.0f}</text>\n",
      kLeft, kHigh + kBelow, kLeft + kWide, kHigh + kBelow, steps);
  size_t colour = 0;
  for (const TrainingRun& r : runs) {
    std::string points;
    for (const auto& [step, value] : SeriesOf(r, key))
      points += fmt::format("{:.1f},{:.1f} ", kLeft + kWide * step / steps, y(value));
    out += fmt::format(
        "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"{}\" "
        "points=\"{}\"><title>{}</title></polyline>\n",
        kColours[colour++ % std::size(kColours)], points, Escaped(r.name));
  }
  return out + "</svg></div>\n";
}
}  // namespace

bool IsTraining(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const auto first = StepFromJson(base::Parse(line));
  return first && first->values.count("tokens_per_s");
}

Result<std::vector<TrainingRun>> TrainingFrom(const std::vector<std::string>& files) {
  std::vector<TrainingRun> runs;
  for (const fs::path file : files) {
    auto text = base::ReadFile(file);
    if (!text.ok()) return text.error();
    std::vector<Step> lines;
    for (size_t at = 0, end = 0; (end = text->find('\n', at)) != std::string::npos; at = end + 1) {
      auto step = StepFromJson(base::Parse(text->substr(at, end - at)));
      if (!step)
        return Error{"AK0610", "the line is not a step of a training run",
                     file.string() + ":" + std::to_string(lines.size() + 1),
                     "give the metrics.jsonl of runs of akgen lm train, and nothing else"};
      lines.push_back(std::move(*step));
    }
    if (lines.empty())
      return Error{"AK0610", "no step was written yet", file.string(),
                   "wait for the run's first step"};
    runs.push_back(RunOf(file, lines));
  }
  return runs;
}

Json ToJson(const std::vector<TrainingRun>& runs) {
  const auto maybe = [](std::optional<double> v) { return v ? Json(*v) : Json(); };
  Json out = Json::array();
  for (const TrainingRun& r : runs)
    out.push_back({{"name", r.name},
                   {"steps", base::WholeOrReal(r.steps)},
                   {"tokens", r.tokens},
                   {"minutes", r.minutes},
                   {"tokens_per_s", maybe(r.tokens_per_s)},
                   {"loss_first", r.loss_first},
                   {"loss_last", r.loss_last},
                   {"validation_best", maybe(r.validation_best)},
                   {"validation_last", maybe(r.validation_last)},
                   {"series", r.series}});
  return {{"runs", out}};
}

std::string TrainingHtml(const std::vector<TrainingRun>& runs, const std::string& title) {
  std::string body = "<div class=\"scroll\"><table><thead><tr>";
  for (const char* head : kHeads) body += fmt::format("<th scope=\"col\">{}</th>", head);
  body += "</tr></thead><tbody>\n";
  size_t colour = 0;
  for (const TrainingRun& run : runs) {
    body += "<tr>";
    for (const std::string& cell : Cells(run))
      body += body.ends_with("<tr>")
                  ? fmt::format("<th scope=\"row\" style=\"color:{}\">{}</th>",
                                kColours[colour++ % std::size(kColours)], Escaped(cell))
                  : "<td>" + Escaped(cell) + "</td>";
    body += "</tr>\n";
  }
  body += "</tbody></table></div>\n";
  for (const auto& [key, name] : kSeries) body += Drawing(runs, key, name);
  return Render(PlainPage(title, body,
                          "Made from metrics.jsonl alone. Losses at the ends are means of up to 20 "
                          "steps, tokens per second the median."));
}

std::string TrainingMarkdown(const std::vector<TrainingRun>& runs) {
  std::string out = "|", rule = "|";
  for (const char* head : kHeads) out += fmt::format(" {} |", head), rule += "---|";
  out += "\n" + rule + "\n";
  for (const TrainingRun& run : runs) {
    out += "|";
    for (const std::string& cell : Cells(run)) out += " " + base::MarkdownText(cell) + " |";
    out += "\n";
  }
  return out;
}

}  // namespace akgen::report
