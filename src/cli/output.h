// What people see: verdict tables, findings with their places, errors.
#pragma once
#include <string>

#include "base/status.h"
#include "judge/judge.h"

namespace akgen::cli {

void PrintError(const base::Error& error);
void PrintJudgement(const judge::Judgement& j, bool verbose);
void PrintFinding(const record::Finding& f);
// Writes JSON to a file atomically, or to standard output for "-". Returns an exit code.
int WriteJson(const base::Json& json, const std::string& path);

}  // namespace akgen::cli
