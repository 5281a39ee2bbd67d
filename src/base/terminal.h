// What may be written to a terminal beside plain text. See https://no-color.org.
#pragma once
#include <string>
#include <string_view>

namespace akgen::base {

// Is it a terminal that can go back in its line and clear it? Not TERM=dumb, nor without TERM.
bool MovesCursor(int fd);
// May text be coloured? Not with NO_COLOR set to anything, either.
bool Colours(int fd);
// Text of a candidate's: what would move the cursor, change a title or erase is written as \xNN.
// Lines and tabs stay.
std::string Printable(std::string_view text);
// "4 s", "2 min 10 s", "3 h 5 min".
std::string TimeText(double seconds);

}  // namespace akgen::base
