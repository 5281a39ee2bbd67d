#include "toolchain/kernel_cores.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "base/text.h"

namespace akgen::toolchain {
namespace {
using base::IsWord;

bool IsBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) || c == '\\';
}  // `\` joins macro lines

// What a block of this kernel starts, as its qualifier __cube__ or __mix__ says: Cube cores and
// Vector cores, 16 bits each. 0: no such qualifier.
uint32_t CoresByQualifier(const std::string& mask, std::string_view name) {
  for (const std::string_view word : {"__cube__", "__mix__"})
    for (size_t at = mask.find(word); at != mask.npos; at = mask.find(word, at + 1)) {
      size_t from = at + word.size(), open = from;
      unsigned cube = 1, vector = 0;
      if (word == "__mix__") {
        if (std::sscanf(mask.c_str() + from, " ( %u , %u )", &cube, &vector) != 2 || cube > 1 ||
            vector > 2)
          continue;
        open = mask.find(')', from) + 1;
      }
      // The declarator: the word before the first bracket that is not an attribute's.
      open = mask.find('(', open);
      if (open == mask.npos) break;
      size_t end = open;
      while (end > 0 && IsBlank(mask[end - 1])) --end;
      size_t begin = end;
      while (begin > 0 && IsWord(mask[begin - 1])) --begin;
      if (std::string_view(mask).substr(begin, end - begin) == name) return cube | vector << 16;
    }
  return 0;
}

// Is this the text between __global__ and the body of a kernel of that name?
bool Declares(std::string_view head, std::string_view name) {
  for (size_t at = head.find(name); at != head.npos; at = head.find(name, at + 1)) {
    size_t end = at + name.size();
    while (end < head.size() && IsBlank(head[end])) ++end;
    if (at > 0 && !IsWord(head[at - 1]) && end < head.size() && head[end] == '(') return true;
  }
  return false;
}

// The same by the kernel types that its body names: of several, the one with most cores.
uint32_t CoresByType(const std::string& mask, std::string_view name) {
  struct {
    std::string_view type;
    uint32_t cores;
  } const kTypes[] = {{"KERNEL_TYPE_AIV_ONLY", 1u << 16},
                      {"KERNEL_TYPE_MIX_AIV_1_0", 1u << 16},
                      {"KERNEL_TYPE_AIC_ONLY", 1},
                      {"KERNEL_TYPE_MIX_AIC_1_0", 1},
                      {"KERNEL_TYPE_MIX_AIC_1_1", 1 | 1u << 16},
                      {"KERNEL_TYPE_MIX_AIC_1_2", 1 | 2u << 16}};
  for (size_t at = mask.find("__global__"); at != mask.npos; at = mask.find("__global__", at + 1)) {
    const size_t end = std::min(mask.find("__global__", at + 1), mask.size());
    const std::string_view definition = std::string_view(mask).substr(at, end - at);
    const size_t open = definition.find('{');
    if (open == definition.npos || definition.find(';') < open ||
        !Declares(definition.substr(0, open), name))
      continue;
    uint32_t most = 0;
    for (size_t word = definition.find("KERNEL_TASK_TYPE"); word != definition.npos;
         word = definition.find("KERNEL_TASK_TYPE", word + 1)) {
      const std::string_view said = definition.substr(word, definition.find(')', word) - word);
      for (const auto& [type, cores] : kTypes)
        if (said.find(type) != said.npos) most = std::max(most, cores);
    }
    if (most) return most;
  }
  return 0;
}

// The same for a kernel that says nothing, or one that is called through a pointer. Objects of the
// Matmul library are on Cube cores, or on the two Vector cores of each that serves them.
uint32_t CoresByObjects(const std::string& mask) {
  if (mask.find("REGIST_MATMUL_OBJ") == mask.npos) return 0;
  const bool alone =
      mask.find("__cube__") != mask.npos || mask.find("ASCENDC_CUBE_ONLY") != mask.npos;
  return alone ? 1u : 1u | 2u << 16;
}

}  // namespace

uint32_t CoresIn(const std::string& mask, std::string_view kernel) {
  if (const uint32_t cores = CoresByQualifier(mask, kernel)) return cores;
  if (const uint32_t cores = CoresByType(mask, kernel)) return cores;
  return CoresByObjects(mask);
}

std::string_view TypeByQualifier(const std::string& head) {
  if (head.find("__cube__") != head.npos) return "KERNEL_TYPE_AIC_ONLY";
  if (head.find("__vector__") != head.npos) return "KERNEL_TYPE_AIV_ONLY";
  const size_t mix = head.find("__mix__");
  unsigned cube = 0, vector = 0;
  if (mix == head.npos ||
      std::sscanf(head.c_str() + mix, "__mix__ ( %u , %u )", &cube, &vector) != 2)
    return "";
  if (cube == 0) return "KERNEL_TYPE_MIX_AIV_1_0";
  return vector == 0   ? "KERNEL_TYPE_MIX_AIC_1_0"
         : vector == 1 ? "KERNEL_TYPE_MIX_AIC_1_1"
                       : "KERNEL_TYPE_MIX_AIC_1_2";
}

}  // namespace akgen::toolchain
