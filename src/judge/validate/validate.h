// Translation validation: a program of the kernel language gives on the simulated chip what its
// interpreter gives, and no check has a finding. Both share no operation: the interpreter computes
// in src/craft/interpret, the chip in src/sim.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "chip/chip.h"
#include "craft/craft.h"
#include "craft/interpret/interpret.h"
#include "judge/run/executor.h"
#include "record/verdict.h"

namespace akgen::judge {

// One program (one column of dtypes) and one set of inputs.
struct Validation {
  craft::LoweredProgram program;
  craft::Arguments args;
  std::string label;
  int like = -1;  // an earlier one in the list with the same program, which is then built once
  std::string kernel =
      {};  // op_kernel/NAME.cpp in place of what the program is lowered to; findings name its lines
  bool keep = false;     // the chip's outputs are wanted
  bool refused = false;  // run also what the interpreter refuses: does the chip refuse it, too?
};

// How the two sides compare, element by element. Bound: Tensor::err of craft/interpret/interpret.h.
struct Validated {
  enum Outcome {
    kAgree,     // every decided element within its bound (exact where that is 0), no finding
    kRefused,   // the interpreter refuses these inputs (AK1530 … AK1533): nothing is run
    kMismatch,  // an element beyond its bound, or one that one side writes and the other does not
    kFinding,   // a check of the chip
    kBuildFailed,  // our own lowering does not compile, or the tiling function fails
    kCrashed,      // the kernel, or a helper
  };
  Outcome outcome = kCrashed;
  std::string label, reason;
  int64_t elements = 0, exact = 0,
          undecided =
              0;     // outputs' elements; of them to be equal bit by bit, and with no finite bound
  double worst = 0;  // largest difference over its bound
  std::vector<record::Finding> findings;
  std::vector<std::pair<std::string, craft::Tensor>>
      outputs;  // with Validation::keep: what the chip wrote, by the tensor's name, with the
                // interpreter's bounds
};
std::string_view NameOf(Validated::Outcome outcome);
base::Json ToJson(const Validated& v);

class Validator {
 public:
  // Starts the helper processes. AK0013 when they cannot be started; AK1001 for a chip that is not
  // known.
  static base::Result<Validator> Start(const std::string& chip,
                                       record::Backend backend = record::kDefaultBackend);
  // All programs are built together and run one after the other in one process; where that fails,
  // in halves, and so on. Without names (of lines) findings come faster.
  std::vector<Validated> Run(const std::vector<Validation>& all);
  craft::Limits limits() const;
  const craft::Target& target() const {
    return target_;
  }  // programs that it runs are lowered for this
  const chip::Chip& chip() const { return chip_; }
  void set_run_ms(int ms) { run_ms_ = ms; }  // for all runs of a process together; default a minute

 private:
  struct Job;
  Validator(std::unique_ptr<Executor> e, chip::Chip c, const craft::Target& t,
            record::Backend backend)
      : executor_(std::move(e)), chip_(std::move(c)), target_(t), backend_(backend) {}
  void Interpret(Job& job) const;
  void RunTogether(std::vector<Job*> jobs);
  bool BuildTogether(const std::vector<Job*>& jobs, std::string& host, std::string& kernel,
                     std::string& why);
  TileRequest TileRequestOf(const Job& job) const;
  bool TileAll(std::vector<Job*>& jobs, const std::string& host, std::string& why);

  std::unique_ptr<Executor> executor_;
  chip::Chip chip_;
  craft::Target target_;
  record::Backend backend_;
  int run_ms_ = 60000;
};

}  // namespace akgen::judge
