// Arguments of the tools (serve/tools.h), after they were checked by the schemas that the tools
// show. All readers throw base::Json::exception.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "chip/chip.h"

namespace akgen::serve {

// Of tools that take a candidate: the members of a submission (serve/submission.h), and what is no
// part of it.
struct CandidateArguments {
  base::Json submission;
  std::string folder;  // of this machine, in place of files; empty: none
  std::string chip{chip::kDefaultChip};
  bool record = false;               // judge: the whole record too
  std::string case_id;               // profile, mutate_check; empty: one is chosen
  std::vector<std::string> classes;  // mutate_check
  size_t count = 8;                  // mutate_check: mutants at most
};
CandidateArguments CandidateArgumentsFromJson(const base::Json& arguments);

// Of a standalone kernel: run, profile.
struct KernelArguments {
  std::string source, launch;
  std::string chip{chip::kDefaultChip};
  uint64_t seed = 1;
  bool time = false;
};
std::optional<KernelArguments> KernelArgumentsFromJson(
    const base::Json& arguments);  // nothing: they name no source

struct ListTasksArguments {
  std::optional<int64_t> level;
  std::string category, contains;  // part of a name
};
ListTasksArguments ListTasksArgumentsFromJson(const base::Json& arguments);

// show_task, api_card, explain_finding: what is asked for, by one of its names.
struct LookupArguments {
  std::optional<std::string> task;
  std::string name, code;
};
LookupArguments LookupArgumentsFromJson(const base::Json& arguments);

// validate_program, lower_program.
struct ProgramArguments {
  std::string program;
  std::string chip{chip::kDefaultChip};
};
ProgramArguments ProgramArgumentsFromJson(const base::Json& arguments);

}  // namespace akgen::serve
