// Text from elsewhere inside Markdown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace akgen::base {

// `text` as one line that shows itself: what Markdown, HTML or a link would make of it is escaped,
// control characters and line ends become spaces, bytes that are no UTF-8 become U+FFFD. Of more
// than `most` bytes the rest is left out.
std::string MarkdownText(std::string_view text, size_t most = 1 << 20);

}  // namespace akgen::base
