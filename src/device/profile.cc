#include "device/profile.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "base/csv.h"
#include "base/files.h"

namespace akgen::device {
namespace fs = std::filesystem;
namespace {
base::Error NoTable(const std::string& why, const std::string& where) {
  return {"AK0122", why, where, "docs/hardware.md lists the tables that are read"};
}

// Which columns a kind of table has.
struct TableKind {
  const char *name, *type, *us;
};
constexpr TableKind kKinds[] = {{"opname", "optype", "taskduration(us)"},
                                {"name", "type", "duration(us)"}};

// Files of this name below `folder`, in order.
std::vector<fs::path> FilesCalled(const fs::path& folder, const std::string& begin) {
  std::vector<fs::path> out;
  std::error_code ec;
  for (fs::recursive_directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec))
    if (it->is_regular_file(ec) && it->path().extension() == ".csv" &&
        it->path().filename().string().starts_with(begin))
      out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}
}  // namespace

base::Result<std::vector<KernelRow>> ReadKernelTable(std::string_view text,
                                                     const std::string& where) {
  auto csv = base::ReadCsv(text, where);
  if (!csv.ok()) return csv.error();
  const base::CsvColumns columns(csv->columns);
  for (const TableKind& kind : kKinds) {
    if (!columns.Has(kind.us) || (!columns.Has(kind.name) && !columns.Has(kind.type))) continue;
    std::vector<KernelRow> out;
    for (const base::CsvRow& row : csv->rows) {
      const auto number = [&](const char* column) {
        return base::PositiveNumber(columns.In(row, column));
      };
      out.push_back({columns.In(row, kind.name),
                     columns.In(row, kind.type),
                     {number(kind.us), number("currentfreq"), number("ratedfreq")}});
    }
    if (out.empty()) return NoTable("it has a header and no row", where);
    return out;
  }
  return NoTable("its header is that of no table of launches", where + ":1");
}

base::Result<std::map<std::string, double>> ReadPipeTable(std::string_view text,
                                                          const std::string& where) {
  auto csv = base::ReadCsv(text, where);
  if (!csv.ok()) return csv.error();
  const base::CsvColumns columns(csv->columns);
  if (!columns.Has("block_id"))
    return NoTable("its header is not that of PipeUtilization.csv", where + ":1");
  std::map<std::string, double> out;
  // msprof says mac, msopprof cube.
  for (const std::string column :
       {"vec", "mac", "cube", "scalar", "mte1", "mte2", "mte3", "fixpipe"}) {
    double sum = 0;
    size_t cores = 0;
    for (const base::CsvRow& row : csv->rows) {
      double us = 0;
      for (const char* core : {"", "aiv_", "aic_"})
        us += base::PositiveNumber(columns.In(row, core + column + "_time(us)"));
      if (us > 0) sum += us, ++cores;
    }
    if (cores) out[column == "cube" ? "mac" : column] = sum / double(cores);
  }
  return out;
}

base::Result<std::map<std::string, uint64_t>> ReadApiTable(std::string_view text,
                                                           const std::string& where) {
  auto csv = base::ReadCsv(text, where);
  if (!csv.ok()) return csv.error();
  const base::CsvColumns columns(csv->columns);
  if (!columns.Has("apiname") || !columns.Has("count"))
    return NoTable("its header is not that of api_statistic.csv", where + ":1");
  std::map<std::string, uint64_t> out;
  for (const base::CsvRow& row : csv->rows)
    out[columns.In(row, "apiname")] += uint64_t(base::PositiveNumber(columns.In(row, "count")));
  return out;
}

record::MeasuredTime ReadProfile(const fs::path& folder, const std::string& kernel,
                                 const record::TimingRule& rule) {
  record::MeasuredTime none;
  none.rule = rule;
  std::vector<record::LaunchSample> launches;
  size_t others = 0;
  std::set<fs::path> alone;  // folders whose tables are of the kernel and of nothing else
  const auto tables = FilesCalled(folder, "OpBasicInfo");
  for (const fs::path& file : tables) {
    auto text = base::ReadFile(file);
    auto rows = text.ok() ? ReadKernelTable(*text, file.filename().string()) : text.error();
    if (!rows.ok()) {
      none.note = "the profiler's table cannot be read: " + rows.error().ToString();
      return none;
    }
    const size_t before = others;
    for (const KernelRow& row : *rows)
      if (row.name.find(kernel) != std::string::npos)
        launches.push_back(row.sample);
      else
        ++others;
    if (others == before) alone.insert(file.parent_path());
  }
  if (launches.empty()) {
    none.note = tables.empty() ? "the profiler wrote no table"
                               : "the profiler's tables do not name the kernel";
    if (others) none.note += ", only " + std::to_string(others) + " launches of others";
    return none;
  }
  record::MeasuredTime out = record::MeasuredOf(launches, rule);
  if (int(launches.size()) < rule.repeats && out.note.empty())
    out.note =
        fmt::format("the profiler's tables have {} of {} launches", launches.size(), rule.repeats);
  for (const fs::path& file : FilesCalled(folder, "PipeUtilization"))
    if (auto text = base::ReadFile(file);
        text.ok() && out.pipes.empty() && alone.contains(file.parent_path()))
      if (auto pipes = ReadPipeTable(*text, file.filename().string()); pipes.ok())
        out.pipes = std::move(*pipes);
  return out;
}

}  // namespace akgen::device
