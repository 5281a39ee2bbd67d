// Counters, gauges and histograms in Prometheus' text format 0.0.4.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace akgen::serve {

class Metrics {
 public:
  // A name is declared once, before it is used, with a line of help. Label values are escaped; keep
  // their number small.
  void Counter(const std::string& name, const std::string& help);
  void Histogram(const std::string& name, const std::string& help, std::vector<double> bounds);
  void Gauge(const std::string& name, const std::string& help, std::function<double()> value);

  using Labels = std::vector<std::pair<std::string, std::string>>;
  void Count(const std::string& name, const Labels& labels = {}, double by = 1);
  void Observe(const std::string& name, double value, const Labels& labels = {});
  double Value(const std::string& name,
               const Labels& labels = {}) const;  // of a counter; 0: never counted

  std::string Text() const;

 private:
  struct Series {
    double sum = 0;
    std::vector<uint64_t>
        buckets;  // histograms: at most bounds[i], not cumulative; the last one is the rest
  };
  struct Family {
    std::string type, help;
    std::vector<double> bounds;
    std::function<double()> value;
    std::map<std::string, Series> series;  // by labels as text
  };
  mutable std::mutex mutex_;
  std::map<std::string, Family> families_;
};

}  // namespace akgen::serve
