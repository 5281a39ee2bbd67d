// What people see: verdict tables, findings with their places, errors.
#pragma once
#include <string>

#include "base/status.h"
#include "judge/judge.h"
#include "record/build_diagnostic.h"
#include "report/explain.h"

namespace akgen::cli {

void PrintError(const base::Error& error);
// Prints it as well. A usage error where a named file is not a store or is damaged, else an
// internal error.
int StoreFailed(const base::Error& error);
// Nothing says what the outputs should hold: what they hold, a line each.
void PrintOutputValues(const std::vector<record::OutputValues>& outputs);
inline constexpr const char* kNotCompared =
    "clean (no reference: values not compared)";  // in place of "pass"
// `compared`: with a reference; without one warnings are shown, and nothing passes. `read`: the
// candidate's sources.
void PrintJudgement(const judge::Judgement& j, const report::ReadSource& read, bool verbose,
                    bool compared = true);
std::string TextOf(
    const record::BuildDiagnostic& diagnostic);  // as compilers say it, without an end of line
void PrintFinding(const record::Finding& f, const report::ReadSource& read);
void PrintOutputOf(std::string_view kernel);  // what a kernel printed, on lines of its own
// Writes JSON to a file atomically, or to standard output for "-". Returns an exit code.
int WriteJson(const base::Json& json, const std::string& path);

}  // namespace akgen::cli
