// Documentation read from a user's folder and cut into knowledge units.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace akgen::corpus {

struct TextRead {
  std::string text;       // UTF-8
  bool repaired = false;  // bytes that are not UTF-8 were replaced
  std::string refused;    // not empty: it is no text, and why
};
// Binaries, texts of more than 4 MiB and texts that are broken in more than one byte of twenty are
// refused.
TextRead ReadText(const std::filesystem::path& file);

// Headings, paragraphs, lists, code and table cells of an HTML page as Markdown; scripts, styles
// and navigation are left out.
std::string MarkdownOfHtml(const std::string& html);

struct Unit {
  std::string title;  // its headings, from the outermost on
  std::string text;
  int line = 1;  // of the Markdown, where it begins
};
// One for each heading with something below it; long ones are cut between paragraphs, never in a
// fence. Units of less than 200 characters are no units.
std::vector<Unit> CutMarkdown(const std::string& text);

}  // namespace akgen::corpus
