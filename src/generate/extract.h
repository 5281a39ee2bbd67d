// Extracts code from a model's answer: fenced blocks with and without names and languages, unclosed
// ones, tags around files, JSON around code, bare code, prose in between.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace akgen::generate {

using Files = std::map<std::string, std::string>;  // path below the project -> content

struct Extracted {
  Files files;          // empty: nothing to judge
  std::string problem;  // one sentence why there is nothing, for the model to read
};

// An operator project: op_kernel/… and op_host/…. Names the model gives are kept where they are
// plain file names in these folders; a file without a name gets one from its content and `entry`.
// Of several versions of a file the last counts. `kernel_only`: host files are left out.
Extracted ExtractProject(const std::string& text, const std::string& entry, bool kernel_only);

// A program of the kernel language, as "program.py".
Extracted ExtractProgram(const std::string& text);

// How an answer is written: one fenced block, since many trainers' clients pass on the first one
// alone. A project's files stand in it one after another, each behind a line `// File: PATH`.
// ExtractProject reads it with and without the fence, and other forms.
std::string AnswerText(const Files& files);
std::string AnswerFormat();  // the same in words, for prompts of projects

// For extract only. One piece of code and what the text around it says.
struct Block {
  std::string name;      // a path as written, or empty
  std::string language;  // lower case, or empty
  std::string text;
};
std::vector<Block> Blocks(const std::string& text);

}  // namespace akgen::generate
