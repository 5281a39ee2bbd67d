// The shell that all pages share: one file, no network, one look (page/).
#pragma once
#include <string>

#include "base/json.h"

namespace akgen::report {

std::string Escaped(const std::string& text);

struct Page {
  std::string title, footer;  // text
  std::string home;           // where the name in the header leads to, "": nowhere
  std::string nav, body;      // HTML
  std::string style, script;  // beside those of all pages
  base::Json data;  // null: none, and no script but that of light and dark; else in it as the
                    // element "data"
};
// The page runs the scripts that are put in here, which it names by their hash, and no others.
std::string Render(const Page& page);

// A page of text, tables and drawings, below a heading; `nav` leads to other pages of a server.
Page PlainPage(const std::string& title, const std::string& body, const std::string& footer,
               const std::string& nav = "");

}  // namespace akgen::report
