#include "judge/session/rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string_view>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"
#include "task/compare.h"
#include "toolchain/project.h"
#include "toolchain/rewrite.h"

namespace akgen::judge {
namespace fs = std::filesystem;
using base::Dtype;
using base::Json;
namespace {
constexpr uintmax_t kLargestSource = 8u << 20;  // the builder shows no larger one to a compiler

int LineOf(const std::string& text, size_t at) {
  return 1 + int(std::count(text.begin(), text.begin() + long(at), '\n'));
}

// Words of C++ with their places.
template <typename F>
void EachWord(const std::string& code, F f) {
  for (size_t i = 0; i < code.size();) {
    if (!base::IsWord(code[i])) {
      ++i;
      continue;
    }
    size_t from = i;
    while (i < code.size() && base::IsWord(code[i])) ++i;
    f(std::string_view(code).substr(from, i - from), from);
  }
}

bool NamesTheJudge(std::string_view word) {
  while (word.starts_with('_')) word.remove_prefix(1);
  return word.starts_with("akgen") || word.starts_with("AKGEN") || word.starts_with("Akgen");
}

// Builtins that read this machine's clock, processor or call stack.
bool AsksTheMachine(std::string_view word) {
  for (const char* start : {"__builtin_ia32_", "__builtin_cpu_"})
    if (word.starts_with(start)) return true;
  for (const char* name : {"_rdtsc", "__rdtsc", "__rdtscp", "_rdtscp", "__builtin_readcyclecounter",
                           "__builtin_readsteadycounter", "__builtin_return_address",
                           "__builtin_frame_address", "__builtin_extract_return_addr"})
    if (word == name) return true;
  return false;
}

// Macros and questions to the compiler that tell kernel code which machine it is compiled for: the
// device's own macros
// (__CCE_AICORE__, __NPU_ARCH__) are those of the chip.
bool TellsTheMachine(std::string_view word) {
  for (const char* start :
       {"__riscv", "__x86_64", "__amd64", "__i386", "__aarch64", "__linux", "__gnu_linux", "__unix",
        "__clang_", "__GNUC_", "__has_builtin", "__has_constexpr_builtin", "__is_target_"})
    if (word.starts_with(start) && word != "__clang__") return true;
  for (const char* name :
       {"__VERSION__", "__OPTIMIZE__", "__OPTIMIZE_SIZE__", "__NO_INLINE__", "__ELF__", "__llvm__",
        "__PIC__", "__PIE__", "__pic__", "__pie__", "__BIGGEST_ALIGNMENT__", "__FILE_NAME__",
        "__has_feature", "__has_extension"})
    if (word == name) return true;
  return false;
}

// Log headers ask for the thread's number through syscall(); nothing else goes that way.
bool AsksForItsNumber(const std::string& code, size_t after) {
  std::string call;
  for (; after < code.size() && call.size() < 14 && code[after] != ';'; ++after)
    if (!std::isspace(static_cast<unsigned char>(code[after]))) call += code[after];
  return call.starts_with("(__NR_gettid)") || call.starts_with("(SYS_gettid)");
}

// A preprocessor line that names the judge inside quotes, where words are blanked.
size_t QuotedJudge(const std::string& text, const std::string& code) {
  for (size_t at = text.find("akgen"); at != std::string::npos; at = text.find("akgen", at + 1)) {
    size_t line = text.rfind('\n', at) + 1;  // npos + 1 is the first line
    size_t first = code.find_first_not_of(" \t", line);
    if (first != std::string::npos && first < at && code[first] == '#') return at;
  }
  return std::string::npos;
}

std::optional<Breach> BreachIn(const std::string& file, const std::string& text, bool host) {
  const std::string code = toolchain::BlankCommentsAndStrings(text);
  std::optional<Breach> found;
  auto breach = [&](const char* codename, const std::string& message, const char* fix, size_t at) {
    if (!found) found = Breach{codename, message, file, fix, LineOf(code, at)};
  };
  EachWord(code, [&](std::string_view word, size_t at) {
    std::string quoted = "'" + std::string(word) + "'";
    if (NamesTheJudge(word))
      breach("AK0601", quoted + " names the judge: a candidate knows Ascend C only",
             "remove the name; nothing written for the chip needs it", at);
    else if (AsksTheMachine(word) || (!host && TellsTheMachine(word)))
      breach("AK0602", quoted + " asks the machine that judges, which is not the chip",
             "remove the call; GetSystemCycle is the chip's clock", at);
    else if (word == "syscall" && !AsksForItsNumber(code, at + word.size()))
      breach("AK0603", "a system call: a candidate has Ascend C and C++",
             "remove the call; syscall(SYS_gettid) in a log line is fine", at);
    else if (host && (word == "asm" || word == "__asm" || word == "__asm__"))
      breach("AK0602", "host code holds assembly", "write it in C++", at);
  });
  if (size_t at = QuotedJudge(text, code); at != std::string::npos)
    breach("AK0601", "a file of the judge is named: a candidate knows Ascend C only",
           "include Ascend C's headers only", at);
  return found;
}

template <typename F>
void EachFloating(const std::vector<task::ParamDesc>& params, F f) {
  for (const auto& p : params)
    for (const auto& t : p.tensors)
      if (base::IsFloating(t.dtype)) f(t);
}
}  // namespace

std::optional<Breach> BreachInSources(const fs::path& project) {
  std::error_code ec;
  fs::recursive_directory_iterator it(project, fs::directory_options::skip_permission_denied, ec),
      end;
  for (; !ec && it != end; it.increment(ec)) {
    std::error_code ignored;
    if (!it->is_regular_file(ignored) || !toolchain::SourceLike(it->path()) ||
        it->file_size(ignored) > kLargestSource)
      continue;
    auto text = base::ReadFile(it->path());
    std::string name = it->path().lexically_relative(project).string();
    if (text.ok())
      if (auto breach = BreachIn(name, *text, name.starts_with("op_host"))) return breach;
  }
  return std::nullopt;
}

uint64_t DigestOf(const task::TensorSet& tensors) {
  static const uint64_t key = std::random_device{}() * 0x9e3779b97f4a7c15ull | 1;
  uint64_t sum = key;
  auto add = [](uint64_t& to, uint64_t word) {
    to = (to ^ word) * 0xff51afd7ed558ccdull;
    to ^= to >> 32;
  };
  for (size_t i = 0; i < tensors.tensors.size(); ++i) {
    const auto bytes = tensors.Bytes(i);
    std::array<uint64_t, 4> lanes{sum, sum + 1, sum + 2,
                                  sum + 3};  // which do not wait for one another
    size_t at = 0;
    for (; at + sizeof lanes <= bytes.size(); at += sizeof lanes) {
      std::array<uint64_t, 4> words;
      std::memcpy(words.data(), bytes.data() + at, sizeof words);
      for (size_t k = 0; k < words.size(); ++k) add(lanes[k], words[k]);
    }
    for (; at < bytes.size(); ++at) add(lanes[0], bytes[at]);
    for (const uint64_t lane : lanes) add(sum, lane);
    sum = (sum ^ bytes.size()) * key;
  }
  return sum;
}

std::optional<Breach> SilentDowncast(const task::CaseDesc& c, const Json& arithmetic) {
  size_t floating = 0;
  bool wide = true;
  for (const auto* params : {&c.inputs, &c.outputs})
    EachFloating(*params, [&](const task::TensorDesc& t) {
      ++floating;
      wide = wide && base::SizeOf(t.dtype) >= 4;
    });
  // An integer output (quantisation) is reached through half on this chip: there is no direct
  // conversion.
  for (const auto& p : c.outputs)
    for (const auto& t : p.tensors) wide = wide && base::IsFloating(t.dtype);
  if (!floating || !wide) return std::nullopt;
  uint64_t shorter = 0, wider = 0;
  for (const auto& [what, n] : arithmetic.get<std::map<std::string, uint64_t>>())
    if (what == "float16" || what == "bfloat16" || what == "narrowing_casts")
      shorter += n;
    else if (what == "float32")
      wider += n;
  if (!shorter) return std::nullopt;
  return Breach{"AK0605",
                "the tensors are float32, but " + std::to_string(shorter) +
                    " instructions compute in 16 bits (" + std::to_string(wider) + " in float32)",
                "", "compute in the dtype of the tensors or a wider one", 0};
}

std::optional<Breach> InputsChanged(uint64_t before, const task::TensorSet& now) {
  if (DigestOf(now) == before) return std::nullopt;
  return Breach{"AK0604", "the inputs changed while the candidate ran", "",
                "write to the outputs and the workspace only", 0};
}

std::optional<Breach> StateKept(uint64_t at) {
  if (!at) return std::nullopt;
  return Breach{
      "AK0607",
      "the kernel keeps state: its global or static variables changed, from byte " +
          std::to_string(at - 1) + " of its data on",
      "", "hold state in local variables, UB or the workspace; on the chip a launch starts afresh",
      0};
}

std::string NothingToCompare(const task::CaseDesc& c, const task::TensorSet& golden) {
  return task::NanEverywhere(c, golden)
             ? std::string("AK0606") +
                   ": the reference is NaN everywhere: any output of NaN would agree with it"
             : "";
}

std::string ChangedUnderneath(const fs::path& project, const std::string& before) {
  return base::HashOfFolder(project) == before
             ? ""
             : std::string("AK0608") + ": the candidate's folder changed while it was judged";
}

}  // namespace akgen::judge
