// A place in a source for one small fault.
#pragma once
#include <string>
#include <vector>

namespace akgen::mutator {

// Bytes [offset, offset + length) of the file become `text`, in which kSwitch stands for "this
// fault is on".
struct Edit {
  unsigned offset = 0, length = 0;
  std::string text;
};
inline constexpr const char* kSwitch = "@ON@";

struct Site {
  std::string file;      // absolute
  std::string function;  // qualified; a variable's name outside functions
  std::string kind;  // comparison, condition, early_return, argument, limit, constant, table, reset
  std::string before;  // as a person reads the change
  std::string after;
  unsigned line = 0;
  Edit readable;            // the change as a person would write it, without the switch
  std::vector<Edit> edits;  // the change with the switch, in order of offset, apart
};

}  // namespace akgen::mutator
