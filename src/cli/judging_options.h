// How kernels are judged and run: the options that commands have in common, defined once.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "base/json.h"
#include "chip/chip.h"
#include "judge/judge.h"
#include "judge/run/lone.h"
#include "record/backend.h"

namespace akgen::cli {

struct JudgingOptions {
  std::string chip{chip::kDefaultChip}, checks = "all", auto_sync,
                                        backend{record::NameOf(record::kDefaultBackend)};
  int timeout_s = 120;  // of one case, or of a standalone kernel's run
  std::string device = "sim";
  int npu = 0;

  enum Part : unsigned {
    kChip = 1,
    kChecks = 2,
    kTimeout = 4,
    kBackend = 8,
    kDevice = 32,
    kSealedBackend = 16,  // in place of kBackend: what is made of the verdicts asks for evidence,
                          // and native is refused
    kAll = kChip | kChecks | kTimeout | kBackend,
  };
  // Words that an option does not know are refused while parsing.
  void AddTo(CLI::App& command, unsigned parts = kAll, const std::string& group = "");

  record::Backend Backend() const { return *record::BackendFromName(backend); }
  base::Json Checks() const;  // {"memcheck": bool, …, "auto_sync": bool}, as the judge takes them
  judge::DeviceOptions Devices() const;
  void Into(judge::Options& options) const;
  void Into(judge::LoneOptions& options) const;
};

// Says beside a verdict or a run of native execution that it is not sealed.
void WarnOfUnsealed(record::Backend backend);

}  // namespace akgen::cli
