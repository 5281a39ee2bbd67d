// A project without a task: its cases are given as text, its parameters are those of its operator
// definition.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/host/operator_definition.h"
#include "judge/run/executor.h"
#include "judge/session/judgement.h"
#include "judge/session/options.h"
#include "task/reference_client.h"
#include "toolchain/project.h"

namespace akgen::judge {

// One case. Inputs and outputs by the names of the definition, as
//   DTYPE[SHAPE]            f16[8,64]; of a list parameter several, f32[8];f32[16]
//   DTYPE[SHAPE]:1,2,3      values, repeated over the tensor
//   DTYPE[SHAPE]~KIND(a,b)  normal(mean,std), uniform(low,high), int(low,high), both included,
//   constant(value) DTYPE[SHAPE]@FILE       raw bytes of the tensor DTYPE[BLOCKS] as FORMAT of
//   ORIGIN[SHAPE]  before any of these: how a tensor lies in memory, and what it holds,
//                           f16[1,2,1,8,8,16] as NDC1HWC0 of NCDHW[1,10,2,8,8]; what is drawn has
//                           zeros where channels are filled up to blocks
// i4 is drawn, compared and given to a reference as the int8 pairs that it is in memory.
// An input that is not named is left out; an output that is not named has what the operator's
// inference says.
struct ProjectCase {
  using Named = std::vector<std::pair<std::string, std::string>>;
  std::string id = "0";
  Named inputs, outputs;
  base::Json attrs = base::Json::object();
};

// [[case]] tables with id, inputs, outputs (name = "text") and attrs, in TOML. AK0403 malformed.
base::Result<std::vector<ProjectCase>> ReadProjectCases(const std::string& file);

struct ProjectRun {
  std::string reference;  // TorchScript text with a function `reference` of the inputs; empty: none
  std::string against;    // another project, whose outputs are the expected values; "": none
  std::string save;  // folder that the inputs and outputs are written to, CASE/NAME.bin; "": none
};

// Of the options without what a task brings. The judgement has the cases in order.
Judgement RunProject(Executor& executor, task::ReferenceClient& reference, const std::string& dir,
                     const std::vector<ProjectCase>& cases, const ProjectRun& run,
                     const Options& options);

// What a project needs that akgen lacks: built, nothing run.
struct ExaminedProject {
  Judgement
      judgement;  // pass: both halves build; else `reason`, `lacking` and `diagnostics` say why not
  OperatorDefinition op;  // without a name where none could be read
  toolchain::Project project;
  std::optional<double> build_kernel_ms;
};
ExaminedProject ExamineProject(Executor& executor, task::ReferenceClient& reference,
                               const std::string& dir, const Options& options);
base::Json ToJson(const ExaminedProject& examined);

}  // namespace akgen::judge
