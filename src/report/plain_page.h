// A page of text, tables and drawings in one file that needs no network and runs no script.
#pragma once
#include <string>

namespace akgen::report {

std::string Escaped(const std::string& text);
// `body` is HTML, the others are text.
std::string PlainPage(const std::string& title, const std::string& body, const std::string& footer);

}  // namespace akgen::report
