#include "serve/tool_arguments.h"

namespace akgen::serve {
using base::Json;

CandidateArguments CandidateArgumentsFromJson(const Json& j) {
  CandidateArguments a;
  a.submission = j;
  a.folder = j.value("folder", ""), a.record = j.value("record", false),
  a.chip = j.value("chip", a.chip);
  a.case_id = j.value("case", ""), a.classes = j.value("classes", a.classes),
  a.count = j.value("count", a.count);
  for (const char* own : {"folder", "record", "case", "classes", "count", "launch"})
    a.submission.erase(own);
  if (!a.folder.empty() && !j.contains("project")) a.submission["project"] = a.folder;
  if (j.contains("text") && !j.contains("form")) a.submission["form"] = "auto";
  return a;
}

std::optional<KernelArguments> KernelArgumentsFromJson(const Json& j) {
  if (!j.contains("source")) return std::nullopt;
  KernelArguments a;
  a.source = j.at("source").get<std::string>(), a.launch = j.value("launch", ""),
  a.chip = j.value("chip", a.chip);
  a.seed = j.value("seed", a.seed), a.time = j.value("time", a.time);
  return a;
}

ListTasksArguments ListTasksArgumentsFromJson(const Json& j) {
  ListTasksArguments a;
  if (j.contains("level")) a.level = j["level"].get<int64_t>();
  a.category = j.value("category", ""), a.contains = j.value("contains", "");
  return a;
}

LookupArguments LookupArgumentsFromJson(const Json& j) {
  LookupArguments a;
  if (j.contains("task")) a.task = j["task"].get<std::string>();
  a.name = j.value("name", ""), a.code = j.value("code", "");
  return a;
}

ProgramArguments ProgramArgumentsFromJson(const Json& j) {
  return {j.at("program").get<std::string>(), j.value("chip", std::string(chip::kDefaultChip))};
}

}  // namespace akgen::serve
