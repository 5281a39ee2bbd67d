// A candidate in the format of AscendKernelBench: custom_op.asc and model_new.py.
#pragma once
#include <filesystem>
#include <string>

#include "base/status.h"

namespace akgen::judge::kernelbench {

struct Answer {
  std::string asc, model;
};

// Both files of a folder; or a model's answer in one file, as JSON with `custom_op_asc` and
// `model_new_py`, or as text with two fenced blocks tagged custom_op.asc and model_new.py. AK0510:
// there is none of these.
base::Result<Answer> ReadAnswer(const std::filesystem::path& path);

}  // namespace akgen::judge::kernelbench
