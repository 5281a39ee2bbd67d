#include "judge/measured.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "base/csv.h"
#include "sim/trace/trace_json.h"

namespace akgen::judge {
namespace {
base::Error NoMeasurement(const std::string& why, const std::string& where) {
  return {"AK0122", why, where,
          "docs/timing.md, Your own measurements, has the tables that are read"};
}

// The kernel that a row names: its last colon comes before the task.
void Tie(const std::string& kernel, MeasuredRow& row) {
  const size_t colon = kernel.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == kernel.size()) {
    row.untied = "names no kernel as PROJECT:TASK";
    return;
  }
  row.project = kernel.substr(0, colon), row.task = kernel.substr(colon + 1);
}

double Median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

base::Result<std::vector<MeasuredRow>> ReadPlain(const base::Csv& csv,
                                                 const base::CsvColumns& columns,
                                                 const std::string& where) {
  std::vector<MeasuredRow> out;
  for (const base::CsvRow& line : csv.rows) {
    MeasuredRow& row = out.emplace_back();
    const std::string us = columns.In(line, "us");
    row.line = line.line, row.what = columns.In(line, "kernel"),
    row.case_id = columns.In(line, "case");
    row.us = base::PositiveNumber(us);
    if (row.us == 0)
      return NoMeasurement("`" + us + "` is no time in microseconds",
                           where + ":" + std::to_string(row.line));
    Tie(row.what, row);
  }
  return out;
}

// "128,256;128,256" of a case's inputs.
std::string ShapesOf(const task::CaseDesc& c) {
  std::string out;
  for (const task::ParamDesc& p : c.inputs) {
    if (!p.present) continue;
    for (const task::TensorDesc& t : p.tensors) {
      if (!out.empty()) out += ";";
      for (size_t d = 0; d < t.shape.size(); ++d)
        out += (d ? "," : "") + std::to_string(t.shape[d]);
    }
  }
  return out;
}

// The case whose inputs have these shapes; else why there is none.
void FindCase(std::string shapes, MeasuredRow& row) {
  std::erase_if(shapes, [](char c) { return c == '"' || c == ' '; });
  auto task = task::LoadTask(row.task);
  if (!task.ok()) {
    row.untied = task.error().message;
    return;
  }
  for (const task::CaseRow& one : task->cases) {
    auto c = task::ResolveCase(*task, one);
    if (!c.ok() || ShapesOf(*c) != shapes) continue;
    if (!row.case_id.empty()) row.untied = "several cases have inputs of " + shapes;
    row.case_id = one.id;
  }
  if (row.case_id.empty()) row.untied = "no case has inputs of " + shapes;
}

std::vector<MeasuredRow> ReadOpSummary(const base::Csv& csv, const base::CsvColumns& columns,
                                       const std::vector<KernelName>& names) {
  std::vector<MeasuredRow> out;
  for (const base::CsvRow& line : csv.rows) {
    MeasuredRow& row = out.emplace_back();
    const std::string name = columns.In(line, "opname"), type = columns.In(line, "optype");
    row.line = line.line, row.what = name.empty() ? type : name;
    row.us = base::PositiveNumber(columns.In(line, "taskduration(us)"));
    const auto known = std::find_if(names.begin(), names.end(), [&](const KernelName& n) {
      return n.name == name || n.name == type;
    });
    if (known == names.end())
      row.untied = "no kernel was named for it";
    else if (row.us == 0)
      row.untied = "it has no duration";
    if (!row.untied.empty()) continue;
    row.project = known->project, row.task = known->task, row.case_id = known->case_id;
    if (row.case_id.empty()) FindCase(columns.In(line, "inputshapes"), row);
  }
  return out;
}

base::Result<std::vector<MeasuredRow>> ReadPipes(const base::Csv& csv,
                                                 const base::CsvColumns& columns,
                                                 const std::string& where,
                                                 const std::vector<KernelName>& names) {
  if (names.size() != 1 || names[0].case_id.empty())
    return NoMeasurement("it is of one kernel, which is to be named with its case", where);
  double sum = 0;
  size_t cores = 0;
  for (const base::CsvRow& line : csv.rows)
    if (const double us = base::PositiveNumber(columns.In(line, "aiv_time(us)")))
      sum += us, ++cores;
  if (!cores) return NoMeasurement("no vector core has a time", where);
  MeasuredRow row;
  row.line = 1, row.what = names[0].name, row.us = sum / double(cores), row.core = true;
  row.project = names[0].project, row.task = names[0].task, row.case_id = names[0].case_id;
  return std::vector{row};
}

using RowsByCase = std::map<std::string, std::vector<size_t>>;

void Untie(std::vector<MeasuredRow>& rows, const std::vector<size_t>& which,
           const std::string& why) {
  for (size_t r : which) rows[r].untied = why;
}

// Of one project and task.
void TraceCases(Judge& judge, std::vector<MeasuredRow>& rows, const RowsByCase& cases,
                Options options, TracedRows& out) {
  const MeasuredRow& first = rows[cases.begin()->second[0]];
  const std::string kernel = first.Kernel();
  auto task = task::LoadTask(first.task);
  std::error_code ec;
  const bool there = std::filesystem::exists(first.project, ec);
  options.cases.clear();
  for (const auto& [id, which] : cases) {
    if (!there)
      Untie(rows, which, "there is no project " + first.project);
    else if (!task.ok())
      Untie(rows, which, task.error().message);
    else if (!task->FindCase(id))
      Untie(rows, which, "the task has no case " + id);
    else
      options.cases.push_back(id);
  }
  if (options.cases.empty()) return;
  const Judgement judgement = judge.Run(first.project, *task, options);
  for (const CaseResult& c : judgement.cases) {
    const std::vector<size_t>& which = cases.at(c.id);
    const auto trace = c.modelled.is_object() ? c.modelled.find("trace") : c.modelled.end();
    if (!HasTime(c.modelled) || trace == c.modelled.end() || trace->is_null()) {
      std::string why = WhyNoTime(c.modelled);
      if (why.empty()) why = c.reason.empty() ? "its trace is too large to keep" : c.reason;
      Untie(rows, which, why);
      continue;
    }
    auto read = base::Checked("the process that holds the chip", [&]() -> base::Result<sim::Trace> {
      return sim::TraceFromJson(*trace);
    });
    if (!read.ok()) {
      Untie(rows, which, read.error().message);
      continue;
    }
    std::vector<double> us;
    for (size_t r : which) us.push_back(rows[r].us);
    out.kernels.push_back(
        {kernel, std::make_shared<sim::Trace>(std::move(*read)), rows[which[0]].core, Median(us)});
    out.rows.push_back(which);
  }
  for (const std::string& id : options.cases)
    if (std::none_of(judgement.cases.begin(), judgement.cases.end(),
                     [&](const CaseResult& c) { return c.id == id; }))
      Untie(rows, cases.at(id), judgement.reason);
}
}  // namespace

std::optional<KernelName> ParseKernelName(const std::string& text) {
  const size_t is = text.find('='), first = text.find(':', is == std::string::npos ? 0 : is),
               second = first == std::string::npos ? first : text.find(':', first + 1);
  if (is == std::string::npos || first == std::string::npos) return std::nullopt;
  KernelName out{text.substr(0, is), text.substr(is + 1, first - is - 1),
                 text.substr(first + 1, second - first - 1),
                 second == std::string::npos ? "" : text.substr(second + 1)};
  if (out.name.empty() || out.project.empty() || out.task.empty()) return std::nullopt;
  return out;
}

base::Result<std::vector<MeasuredRow>> ReadMeasured(std::string_view text, const std::string& where,
                                                    const std::vector<KernelName>& names) {
  auto csv = base::ReadCsv(text, where);
  if (!csv.ok()) return csv.error();
  const base::CsvColumns columns(csv->columns);
  if (columns.Has("kernel") && columns.Has("case") && columns.Has("us"))
    return ReadPlain(*csv, columns, where);
  if (columns.Has("taskduration(us)") && (columns.Has("opname") || columns.Has("optype")))
    return ReadOpSummary(*csv, columns, names);
  if (columns.Has("block_id") && columns.Has("aiv_time(us)"))
    return ReadPipes(*csv, columns, where, names);
  return NoMeasurement("its header is that of no table that is known", where + ":1");
}

base::Result<std::vector<MeasuredRow>> MeasuredIn(const std::vector<base::Json>& records,
                                                  const std::string& where) {
  std::vector<MeasuredRow> out;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto j = record::JudgementFromJson(records[i]);
    if (!j.ok()) return j.error();
    const record::Judgement* npu = j->backend == record::Backend::kNpu ? &*j
                                   : j->npu.empty()                    ? nullptr
                                                                       : &j->npu[0];
    if (!npu) continue;
    for (const record::CaseRecord& c : npu->cases) {
      if (!c.measured || !c.measured->known()) continue;
      MeasuredRow& row = out.emplace_back();
      row.line = int(i) + 1, row.what = j->project + ":" + j->task, row.us = c.measured->us;
      row.project = j->project, row.task = j->task, row.case_id = c.id;
      if (npu->provenance.device) row.soc = npu->provenance.device->soc;
      if (!c.Passed()) row.untied = "its values on the device are " + std::string(c.VerdictName());
    }
  }
  if (out.empty()) return NoMeasurement("no record has a time measured on a real device", where);
  return out;
}

record::Parity ParityOf(const std::vector<MeasuredRow>& rows, const TracedRows& traced,
                        const std::vector<sim::RefitError>& errors) {
  record::Parity out{{}, {}, sim::SummaryOf(errors)};
  for (const sim::RefitError& e : errors) {
    const MeasuredRow& row = rows[traced.rows[e.row][0]];
    std::vector<int> lines;
    for (size_t r : traced.rows[e.row]) lines.push_back(rows[r].line);
    out.rows.push_back({row.Kernel(), row.case_id, lines, row.core, e.regime, e.measured,
                        e.modelled, e.Relative()});
  }
  for (const MeasuredRow& row : rows)
    if (!row.untied.empty()) out.untied.push_back({row.line, row.what, row.case_id, row.untied});
  return out;
}

TracedRows TraceRows(Judge& judge, std::vector<MeasuredRow>& rows, const Options& options) {
  std::map<std::string, RowsByCase> kernels;
  for (size_t r = 0; r < rows.size(); ++r)
    if (rows[r].untied.empty()) kernels[rows[r].Kernel()][rows[r].case_id].push_back(r);
  TracedRows out;
  Options o = options;
  o.seed = 1;  // traces of two calls are the same
  o.time.on = o.time.keep_trace = true;
  o.progress = {};
  size_t done = 0;
  for (const auto& [kernel, cases] : kernels) {
    if (options.progress) options.progress(done++, kernels.size(), kernel);
    TraceCases(judge, rows, cases, o, out);
  }
  return out;
}

}  // namespace akgen::judge
