#include "serve/metrics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace akgen::serve {
namespace {
std::string Escaped(const std::string& value) {
  std::string out;
  for (char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

std::string TextOf(const Metrics::Labels& labels) {
  std::string out;
  for (const auto& [name, value] : labels)
    out += (out.empty() ? "" : ",") + name + "=\"" + Escaped(value) + "\"";
  return out;
}

std::string Number(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-Inf" : "+Inf";
  return fmt::format("{}", v);
}

std::string Line(const std::string& name, const std::string& labels, double value) {
  return name + (labels.empty() ? "" : "{" + labels + "}") + " " + Number(value) + "\n";
}

std::string With(const std::string& labels, double bound) {
  return labels + (labels.empty() ? "" : ",") + "le=\"" + Number(bound) + "\"";
}
}  // namespace

void Metrics::Counter(const std::string& name, const std::string& help) {
  std::lock_guard lock(mutex_);
  families_[name] = {"counter", help, {}, {}, {}};
}

void Metrics::Histogram(const std::string& name, const std::string& help,
                        std::vector<double> bounds) {
  std::lock_guard lock(mutex_);
  families_[name] = {"histogram", help, std::move(bounds), {}, {}};
}

void Metrics::Gauge(const std::string& name, const std::string& help,
                    std::function<double()> value) {
  std::lock_guard lock(mutex_);
  families_[name] = {"gauge", help, {}, std::move(value), {}};
}

void Metrics::Count(const std::string& name, const Labels& labels, double by) {
  std::lock_guard lock(mutex_);
  families_.at(name).series[TextOf(labels)].sum += by;
}

void Metrics::Observe(const std::string& name, double value, const Labels& labels) {
  std::lock_guard lock(mutex_);
  Family& family = families_.at(name);
  Series& series = family.series[TextOf(labels)];
  series.buckets.resize(family.bounds.size() + 1);
  const auto at =
      std::lower_bound(family.bounds.begin(), family.bounds.end(), value) - family.bounds.begin();
  ++series.buckets[static_cast<size_t>(at)];
  series.sum += value;
}

double Metrics::Value(const std::string& name, const Labels& labels) const {
  std::lock_guard lock(mutex_);
  const auto& series = families_.at(name).series;
  auto it = series.find(TextOf(labels));
  return it == series.end() ? 0 : it->second.sum;
}

std::string Metrics::Text() const {
  std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, family] : families_) {
    out += "# HELP " + name + " " + family.help + "\n# TYPE " + name + " " + family.type + "\n";
    if (family.value) out += Line(name, "", family.value());
    if (family.type == "counter" && family.series.empty()) out += Line(name, "", 0);
    for (const auto& [labels, series] : family.series) {
      if (family.type == "counter") {
        out += Line(name, labels, series.sum);
        continue;
      }
      double count = 0;
      for (size_t i = 0; i < series.buckets.size(); ++i) {
        count += static_cast<double>(series.buckets[i]);
        out += Line(name + "_bucket",
                    With(labels, i < family.bounds.size() ? family.bounds[i] : INFINITY), count);
      }
      out += Line(name + "_sum", labels, series.sum) + Line(name + "_count", labels, count);
    }
  }
  return out;
}

}  // namespace akgen::serve
