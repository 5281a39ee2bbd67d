// Modelled against measured times: a drawing and tables.
#pragma once
#include <string>

#include "record/parity.h"

namespace akgen::report {

std::string ParityHtml(const record::Parity& parity, const std::string& title);
std::string ParityMarkdown(const record::Parity& parity);

}  // namespace akgen::report
