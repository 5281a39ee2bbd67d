#include "judge/session/project_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/seed.h"
#include "judge/host/blocked.h"
#include "judge/run/blame.h"
#include "judge/run/value_range.h"
#include "judge/session/project_text.h"
#include "judge/session/session.h"

namespace akgen::judge {
namespace fs = std::filesystem;
namespace {
using base::Json;
using record::Verdict;

const std::string* GivenText(const ProjectCase::Named& list, const std::string& name) {
  for (const auto& [n, text] : list)
    if (n == name) return &text;
  return nullptr;
}

base::Status OnlyKnown(const ProjectCase::Named& given, const std::vector<ParamDefinition>& params,
                       const char* what) {
  for (const auto& [name, text] : given) {
    std::string known;
    bool found = false;
    for (const ParamDefinition& p : params) {
      found = found || p.name == name;
      known += (known.empty() ? "" : ", ") + p.name;
    }
    if (!found)
      return BadCase(fmt::format("the definition has no {} '{}'; it has {}", what, name, known),
                     name);
  }
  return {};
}

task::ParamSpec SpecOf(const ParamDefinition& definition, const TensorText& text) {
  task::ParamSpec p;
  p.name = definition.name;
  p.dtype = std::string(base::NameOf(text.dtype));
  if (definition.presence == Presence::kDynamic) {
    p.kind = task::ParamKind::kList;
    p.shape = text.shapes;
  } else {
    p.shape = text.shapes.front();
  }
  p.optional = definition.presence == Presence::kOptional;
  p.declared = text.declared;
  p.dist = !text.dist.is_null() ? text.dist
           : text.DeclaredDtype() == task::kInt4
               ? Json{{"kind", "int"}, {"low", -128}, {"high", 127}}
               : UsualValues(text.dtype);
  return p;
}

// The column of the definition that the inputs' dtypes and formats are in.
size_t DtypeColumn(const std::vector<ParamDefinition>& inputs,
                   const std::map<std::string, TensorText>& given) {
  const size_t columns = inputs.empty() ? 0 : inputs[0].dtypes.size();
  for (size_t column = 0; column < columns; ++column) {
    bool fits = true;
    for (const ParamDefinition& p : inputs) {
      auto g = given.find(p.name);
      if (g == given.end() || column >= p.dtypes.size()) continue;
      if (p.dtypes[column] != g->second.DeclaredDtype()) fits = false;
      if (g->second.declared && column < p.formats.size() &&
          p.formats[column] != g->second.declared->format)
        fits = false;
    }
    if (fits) return column;
  }
  return 0;
}

// The operator that a folder add_rms_norm is of.
std::string OperatorOfFolder(const std::string& dir) {
  std::string out;
  bool upper = true;
  for (char c : fs::weakly_canonical(dir).filename().string()) {
    if (c == '_')
      upper = true;
    else
      out += upper ? char(std::toupper(static_cast<unsigned char>(c))) : c, upper = false;
  }
  return out;
}

class ProjectSession {
 public:
  ProjectSession(Executor& e, task::ReferenceClient& r, const std::string& dir,
                 const ProjectRun& run, const Options& o)
      : executor_(e), reference_(r), dir_(dir), run_(run), options_(o) {
    options_.cases.clear();
    options_.show_values = true;
    if (!options_.seed) options_.seed = 1;
  }

  Judgement Describe() {
    task::TaskSpec none;
    none.name = OperatorOfFolder(dir_);
    Session session(executor_, reference_, none, options_);
    Judgement j = session.Describe(dir_);
    op_ = session.op(), host_ = session.host(), project_ = session.project();
    host_so_ = session.host_object();
    return j;
  }

  Judgement Run(const ProjectCase& given) {
    auto task = TaskOf(given);
    if (!task.ok()) return Broken(given, Verdict::kRuntimeError, task.error().ToString());
    auto c = task::ResolveCase(*task, task->cases[0]);
    if (!c.ok()) return Broken(given, Verdict::kRuntimeError, c.error().ToString());
    if (auto s = task::CheckInputs(*task, *c); !s.ok())
      return Broken(given, Verdict::kRuntimeError, s.error().ToString());
    Options o = options_;
    o.fill_inputs = [&](const task::CaseDesc& desc, const task::TensorSet& inputs) {
      return Fill(desc, inputs);
    };
    if (!run_.reference.empty())
      o.expected = [&](const task::CaseDesc& desc, const task::TensorSet& inputs) {
        return reference_.Run(*task, desc, inputs);
      };
    if (!run_.against.empty())
      o.expected = [&](const task::CaseDesc& desc, const task::TensorSet&) {
        return Other(*task, desc);
      };
    std::vector<record::OutputValues> values;
    o.outputs = [&](const task::CaseDesc&, const Packed& packed) {
      Save(given.id, packed);
      for (const auto& v : packed.flat_outputs)
        values.push_back(
            ValuesOf(v.name, v.desc.dtype, packed.outputs.data() + v.offset,
                     v.desc.Bytes() / size_t(std::max(1, base::SizeOf(v.desc.dtype)))));
    };
    Judgement j = Session(executor_, reference_, *task, o).Run(dir_);
    if (!o.expected && j.cases.size() == 1) j.cases[0].values = std::move(values);
    return j;
  }

 private:
  static Judgement Broken(const ProjectCase& c, Verdict v, const std::string& reason) {
    Judgement j;
    j.verdict = v, j.reason = reason;
    j.cases.emplace_back();
    j.cases[0].id = c.id, j.cases[0].verdict = v, j.cases[0].reason = reason;
    return j;
  }

  base::Result<task::TaskSpec> TaskOf(const ProjectCase& given) {
    task::TaskSpec task;
    task.name = op_.name;
    task.entry = project_.entry.name;
    task.reference = run_.reference;
    task.cases.push_back({given.id, Json::object()});
    if (auto s = OnlyKnown(given.inputs, op_.inputs, "input"); !s.ok()) return s.error();
    std::vector<ParamDefinition> written =
        op_.outputs;  // by the kernel: inputs too, where the case names them so
    written.insert(written.end(), op_.inputs.begin(), op_.inputs.end());
    if (auto s = OnlyKnown(given.outputs, written, "output"); !s.ok()) return s.error();
    std::map<std::string, TensorText> texts;
    files_.clear();
    for (const auto& [name, text] : given.inputs) {
      auto parsed = ParseTensor(text);
      if (!parsed.ok()) return parsed.error();
      texts[name] = *parsed;
    }
    const size_t column = DtypeColumn(op_.inputs, texts);
    for (const ParamDefinition& p : op_.inputs) {
      const std::string& name = p.name;
      if (texts.contains(name)) {
        task.inputs.push_back(SpecOf(p, texts[name]));
        files_.push_back(texts[name].file);
        continue;
      }
      if (p.presence == Presence::kRequired)
        return BadCase("the required input '" + name + "' is not given", name);
      TensorText absent;
      absent.shapes = {{}};
      task.inputs.push_back(SpecOf(p, absent));
      if (task.inputs.back().kind == task::ParamKind::kList)
        task.inputs.back().shape = Json::array();
      task.inputs.back().optional = true;
      task.inputs.back().present = false;
      files_.emplace_back();
    }
    if (auto s = AddAttrs(given, task); !s.ok()) return s.error();
    return AddOutputs(given, column, std::move(task));
  }

  base::Status AddAttrs(const ProjectCase& given, task::TaskSpec& task) {
    for (const auto& item : given.attrs.items()) {
      bool known = false;
      for (const AttrDefinition& a : op_.attrs) known = known || a.name == item.key();
      if (!known)
        return BadCase("the definition has no attribute '" + item.key() + "'", item.key());
    }
    for (const AttrDefinition& a : op_.attrs)
      if (given.attrs.contains(a.name)) task.attrs.push_back({a.name, a.type, given.attrs[a.name]});
    return {};
  }

  base::Result<task::TaskSpec> AddOutputs(const ProjectCase& given, size_t column,
                                          task::TaskSpec task) {
    std::vector<std::vector<int64_t>> inferred;
    std::vector<int> dtypes;
    std::string log;
    const bool all_given = std::all_of(op_.outputs.begin(), op_.outputs.end(), [&](const auto& p) {
      return GivenText(given.outputs, p.name) != nullptr;
    });
    if (!all_given) {
      auto reply = Infer(task, given, column);
      if (!reply.ok()) return reply.error();
      inferred = reply->inferred_shapes, dtypes = reply->inferred_dtypes, log = reply->log;
    }
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      const ParamDefinition& p = op_.outputs[i];
      const std::string& name = p.name;
      TensorText text;
      if (const std::string* written = GivenText(given.outputs, name)) {
        auto parsed = ParseTensor(*written);
        if (!parsed.ok()) return parsed.error();
        text = *parsed;
      } else {
        if (i >= inferred.size() ||
            std::any_of(inferred[i].begin(), inferred[i].end(), [](int64_t d) { return d < 0; }))
          return BadCase("the shape of output '" + name + "' cannot be inferred" +
                             (log.empty() ? "" : " (it logged: " + log + ")") + ": give it",
                         name);
        text.shapes = {inferred[i]};
        if (column < p.dtypes.size())
          text.dtype = base::Dtype(p.dtypes[column]);
        else if (i < dtypes.size() && dtypes[i] >= 0)
          text.dtype = base::Dtype(dtypes[i]);
        if (int(text.dtype) == task::kInt4) {
          auto pairs = PairsOf(inferred[i]);
          if (!pairs.ok()) return pairs.error();
          text = *pairs;
        }
      }
      task.outputs.push_back(SpecOf(p, text));
      task.outputs.back().dist = Json();
      task.outputs.back().zeroed = text.dist == Json{{"kind", "constant"}, {"value", 0}};
      for (const auto& in : task.inputs)
        if (in.name == name && in.present.is_null()) task.outputs.back().inplace_of = name;
    }
    return AddWrittenInputs(given, std::move(task));
  }

  // Inputs that a kernel writes to though the definition has no output of that name.
  base::Result<task::TaskSpec> AddWrittenInputs(const ProjectCase& given,
                                                task::TaskSpec task) const {
    for (const ParamDefinition& p : op_.inputs) {
      const std::string* written = GivenText(given.outputs, p.name);
      const bool is_output = std::any_of(op_.outputs.begin(), op_.outputs.end(),
                                         [&](const auto& o) { return o.name == p.name; });
      if (!written || is_output) continue;
      auto text = ParseTensor(*written);
      if (!text.ok()) return text.error();
      task.outputs.push_back(SpecOf(p, *text));
      task.outputs.back().dist = Json();
      task.outputs.back().inplace_of = p.name, task.outputs.back().in_signature = false;
    }
    return task;
  }

  // Shapes and dtypes of the outputs, by the operator's own functions.
  base::Result<TileReply> Infer(const task::TaskSpec& task, const ProjectCase& given,
                                size_t column) {
    auto c = task::ResolveCase(task, task.cases[0]);
    if (!c.ok()) return c.error();
    auto chip = chip::LoadChip(options_.chip);
    if (!chip.ok()) return chip.error();
    auto inputs = task::GenerateInputs(task, *c, *options_.seed);
    if (!inputs.ok()) return inputs.error();
    if (auto s = Fill(*c, *inputs); !s.ok()) return s.error();
    TileRequest request = TileRequestOf(task, op_, *c, *inputs, *chip, true);
    request.only_infer = true;
    for (const ParamDefinition& p : op_.outputs) {
      TileTensor t;
      if (column < p.dtypes.size()) t.dtype = base::Dtype(p.dtypes[column]);
      request.outputs.push_back({true, p.presence == Presence::kDynamic, {t}});
    }
    constexpr int kMs = 10000;
    TileReply reply = executor_.Tile(host_so_, {request}, kMs).at(0);
    if (reply.status == "ok") return reply;
    return BadCase("the shapes of the outputs cannot be inferred (" + reply.detail + "): give them",
                   given.id);
  }

  base::Status Fill(const task::CaseDesc& c, const task::TensorSet& inputs) {
    size_t flat = 0;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const size_t count = c.inputs[i].tensors.size();
      if (!files_[i].empty() && count == 1) {
        auto bytes = base::ReadFile(files_[i]);
        if (!bytes.ok()) return bytes.error();
        auto to = inputs.Bytes(flat);
        if (bytes->size() != to.size())
          return BadCase(
              fmt::format("{} has {} bytes, the tensor {}", files_[i], bytes->size(), to.size()),
              files_[i]);
        std::copy(bytes->begin(), bytes->end(), to.begin());
      }
      if (const auto& declared = c.inputs[i].declared; declared && files_[i].empty())
        ClearFilling(inputs.Bytes(flat), c.inputs[i].tensors[0], *declared);
      if (!run_.save.empty())
        for (size_t t = 0; t < count; ++t) {
          auto from = inputs.Bytes(flat + t);
          Write(c.id, c.inputs[i].name, t, count,
                {reinterpret_cast<const char*>(from.data()), from.size()});
        }
      flat += count;
    }
    return {};
  }

  void Write(const std::string& id, const std::string& name, size_t index, size_t count,
             std::string_view bytes) {
    const fs::path folder = fs::path(run_.save) / id;
    std::error_code ec;
    fs::create_directories(folder, ec);
    (void)base::WriteFileAtomic(
        folder / (name + (count > 1 ? "." + std::to_string(index) : "") + ".bin"),
        std::string(bytes));
  }

  void Save(const std::string& id, const Packed& packed) {
    if (run_.save.empty()) return;
    std::map<std::string, size_t> seen, total;
    for (const auto& o : packed.flat_outputs) ++total[o.name];
    for (const auto& o : packed.flat_outputs)
      Write(id, "out." + o.name, seen[o.name]++, total[o.name],
            {reinterpret_cast<const char*>(packed.outputs.data() + o.offset), o.desc.Bytes()});
  }

  // The outputs of the other project, on the same inputs.
  base::Result<task::TensorSet> Other(const task::TaskSpec& task, const task::CaseDesc& c) {
    task::TensorSet out;
    out.tensors = task::Flatten(c.outputs);
    out.layout = task::LayoutOf(out.tensors);
    auto memory = base::SharedMemory::Create("akgen-expected", out.layout.bytes);
    if (!memory.ok()) return memory.error();
    out.memory = std::move(*memory);
    Options o = options_;
    o.fill_inputs = [&](const task::CaseDesc& desc, const task::TensorSet& inputs) {
      return Fill(desc, inputs);
    };
    o.expected = nullptr;
    bool ran = false;
    o.outputs = [&](const task::CaseDesc&, const Packed& packed) {
      for (size_t i = 0; i < out.tensors.size() && i < packed.flat_outputs.size(); ++i)
        std::copy_n(packed.outputs.data() + packed.flat_outputs[i].offset, out.tensors[i].Bytes(),
                    out.Bytes(i).begin());
      ran = true;
    };
    task::TaskSpec bare = task;
    bare.reference.clear();
    const Judgement j = Session(executor_, reference_, bare, o).Run(run_.against);
    if (!ran)
      return base::Error{"AK0404", "the other project gives no outputs: " + j.reason, run_.against,
                         "run it alone"};
    return out;
  }

  Executor& executor_;
  task::ReferenceClient& reference_;
  std::string dir_;
  const ProjectRun& run_;
  Options options_;
  OperatorDefinition op_;
  Description host_;
  toolchain::Project project_;
  std::string host_so_;
  std::vector<std::string> files_;  // of each input
};

void AddCase(Judgement one, Judgement* all) {
  if (all->cases.empty()) {
    *all = std::move(one);
    return;
  }
  if (all->verdict == Verdict::kPass && one.verdict != Verdict::kPass)
    all->verdict = one.verdict, all->reason = one.reason;
  for (auto& d : one.diagnostics) all->diagnostics.push_back(std::move(d));
  all->lacking.insert(all->lacking.end(), one.lacking.begin(), one.lacking.end());
  all->build_host_ms += one.build_host_ms, all->build_kernel_ms += one.build_kernel_ms;
  for (auto& c : one.cases) all->cases.push_back(std::move(c));
}
}  // namespace

Judgement RunProject(Executor& executor, task::ReferenceClient& reference, const std::string& dir,
                     const std::vector<ProjectCase>& cases, const ProjectRun& run,
                     const Options& options) {
  ProjectSession session(executor, reference, dir, run, options);
  Judgement all = session.Describe();
  if (all.verdict != Verdict::kPass) return all;
  const double host_ms = all.build_host_ms;
  all.cases.clear();
  for (const ProjectCase& c : cases) AddCase(session.Run(c), &all);
  all.build_host_ms += host_ms;
  return all;
}

ExaminedProject ExamineProject(Executor& executor, task::ReferenceClient& reference,
                               const std::string& dir, const Options& options) {
  task::TaskSpec none;
  none.name = OperatorOfFolder(dir);
  Session session(executor, reference, none, options);
  ExaminedProject out{session.Describe(dir), session.op(), session.project(), {}};
  Judgement& j = out.judgement;
  if (j.verdict != Verdict::kPass) return out;
  const toolchain::BuildReply kernel = session.BuildKernelFor({});
  out.build_kernel_ms = kernel.build_ms;
  j.diagnostics.insert(j.diagnostics.end(), kernel.diagnostics.begin(), kernel.diagnostics.end());
  if (!kernel.ok) {
    j.verdict = VerdictOf(kernel),
    j.reason = "the kernel does not build: " +
               ReasonOf(kernel, {options.repository, options.with_sources, options.include_dirs});
    j.lacking = kernel.lacking;
  }
  return out;
}

Json ToJson(const ExaminedProject& e) {
  Json out{{"project", e.judgement.project},
           {"op", e.op.name},
           {"kernel", e.project.kernel.filename().string()},
           {"inputs", Json::array()},
           {"outputs", Json::array()},
           {"attrs", Json::array()},
           {"host_sources", Json::array()},
           {"verdict", record::NameOf(e.judgement.verdict)},
           {"reason", e.judgement.reason},
           {"lacking", e.judgement.lacking},
           {"diagnostics", record::ToJson(e.judgement.diagnostics)},
           {"build_host_ms", e.judgement.build_host_ms},
           {"build_libraries_ms", e.judgement.build_libraries_ms}};
  for (const auto& p : e.op.inputs) out["inputs"].push_back(ToJson(p));
  for (const auto& p : e.op.outputs) out["outputs"].push_back(ToJson(p));
  for (const auto& a : e.op.attrs) out["attrs"].push_back(ToJson(a));
  for (const auto& s : e.project.host_sources) out["host_sources"].push_back(s.filename().string());
  if (e.build_kernel_ms) out["build_kernel_ms"] = *e.build_kernel_ms;
  return out;
}

}  // namespace akgen::judge
