// Fallback without LLVM: a compiler command per unit. The virtual files are written out below the
// object's folder, which is the only one the command may write.
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/files.h"
#include "toolchain/builder/compiler.h"
#include "toolchain/rewrite.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {

struct Finished {
  int status = -1;
  std::string text;
};

Finished RunCommand(std::vector<std::string> args) {
  int pipe[2];
  if (::pipe(pipe) != 0) return {};
  pid_t pid = ::fork();
  if (pid < 0) return {};
  if (pid == 0) {
    ::dup2(pipe[1], 1);
    ::dup2(pipe[1], 2);
    ::close(pipe[0]);
    std::vector<char*> argv;
    for (auto& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::setenv("LC_ALL", "C", 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(pipe[1]);
  Finished out;
  char buffer[4096];
  for (ssize_t n; (n = ::read(pipe[0], buffer, sizeof buffer)) > 0;)
    out.text.append(buffer, size_t(n));
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return out;
}

// "file:line:column: error: message", as both g++ and clang++ print it.
bool ParseLine(const std::string& line, BuildDiagnostic* d) {
  for (const char* severity : {": fatal error: ", ": error: ", ": warning: ", ": note: "}) {
    size_t at = line.find(severity);
    if (at == std::string::npos) continue;
    std::string place = line.substr(0, at);
    size_t column = place.rfind(':');
    size_t row = column == std::string::npos ? column : place.rfind(':', column - 1);
    if (row == std::string::npos) continue;
    d->severity = severity[2] == 'w' ? "warning" : severity[2] == 'n' ? "note" : "error";
    d->file = place.substr(0, row);
    d->line = std::atoi(place.c_str() + row + 1);
    d->column = std::atoi(place.c_str() + column + 1);
    d->message = line.substr(at + std::string(severity).size());
    return true;
  }
  return false;
}

class CommandCompiler : public Compiler {
 public:
  CommandCompiler() {
    Finished v = RunCommand({AKGEN_COMPILER, "--version"});
    version_ = v.text.substr(0, v.text.find('\n'));
    clang_ = version_.find("clang") != std::string::npos;
  }
  std::string Backend() const override { return "command " AKGEN_COMPILER; }
  std::string Version() const override { return version_; }
  bool CanPrecompile() const override { return false; }
  bool CanCompileGuests() const override { return false; }
  bool CanCountWork() const override { return false; }
  bool NeedsProcesses() const override { return true; }
  std::vector<std::string> ReadableDirs() const override {
    return {"/usr/include", "/usr/local", "/usr/lib",  "/usr/libexec",
            "/usr/bin",     "/dev/null",  "/proc/self"};
  }
  void WarmUp(const std::vector<std::string>&) override {}
  void Settle() override {}
  bool Precompile(const std::string&, const std::vector<std::string>&,
                  const std::vector<std::string>&, const std::string&,
                  const std::string&) override {
    return false;
  }
  CompileOutcome Compile(const CompileJob& job, const VirtualFiles& files,
                         const VirtualLinks& links) override;

 private:
  std::string version_;
  bool clang_ = false;
};

// The word `asm` in any spelling, outside comments and strings. Coarser than what the compiler
// itself sees.
bool NamesAssembly(const std::string& text) {
  std::string code = BlankCommentsAndStrings(text);
  for (size_t at = code.find("asm"); at != std::string::npos; at = code.find("asm", at + 3)) {
    size_t start = at, end = at + 3;
    auto word = [&](size_t i) {
      return i < code.size() &&
             (std::isalnum(static_cast<unsigned char>(code[i])) || code[i] == '_');
    };
    while (start > 0 && word(start - 1)) --start;
    while (word(end)) ++end;
    std::string name = code.substr(start, end - start);
    if (name == "asm" || name == "__asm" || name == "__asm__") return true;
  }
  return false;
}

CompileOutcome CommandCompiler::Compile(const CompileJob& job, const VirtualFiles& given,
                                        const VirtualLinks& links) {
  VirtualFiles files = given;
  for (const auto& [name, path] : links) files.emplace(name, given.at(path));
  CompileOutcome out;
  for (const auto& [path, text] : files)
    if (job.device_code && NamesAssembly(text)) {
      out.diagnostics.push_back(
          {"error", path, 0, 0, "inline assembly of the host is not kernel code", {}});
      return out;
    }
  fs::path work = fs::path(job.object).parent_path(), root = work / "root";
  std::error_code ec;
  for (const auto& [path, text] : files) {
    fs::path place = root / fs::path(path).relative_path();
    if (fs::exists(place, ec)) continue;
    fs::create_directories(place.parent_path(), ec);
    if (auto written = base::WriteFileAtomic(place, text); !written.ok()) {
      out.fault = written.error().ToString();
      return out;
    }
  }
  auto moved = [&](const std::string& p) { return (root / fs::path(p).relative_path()).string(); };
  std::string headers = (base::HomeDir() / "include/ascendc").lexically_normal().string();
  std::vector<std::string> args{AKGEN_COMPILER, "-c", "-pipe"};
  for (const auto& f : job.flags) {
    if (f == "-gline-tables-only" && !clang_)
      args.push_back("-g1");
    else if (f.starts_with("-ferror-limit=") && !clang_)
      args.push_back("-fmax-errors=" + f.substr(14));
    else
      args.push_back(f);
  }
  for (const auto& s : job.search) {
    bool map = s.find("-prefix-map=") != std::string::npos,
         own = s.find(headers) != std::string::npos;
    if (s.starts_with("-I") && s != "-I" + headers)
      args.push_back("-I" + moved(s.substr(2)));
    else if (map && !own)
      args.push_back(s.substr(0, s.find('=') + 1) + moved(s.substr(s.find('=') + 1)));
    else
      args.push_back(s);
  }
  // Line tables say nothing of where this process happens to run.
  args.push_back("-fdebug-prefix-map=" + fs::current_path(ec).string() + "=.");
  if (!job.prelude.empty()) args.insert(args.end(), {"-include", moved(job.prelude)});
  args.insert(args.end(), {"-o", job.object, "-x", "c++", moved(job.source)});
  ::setenv("TMPDIR", work.c_str(), 1);
  Finished done = RunCommand(args);
  std::istringstream lines(done.text);
  for (std::string line; std::getline(lines, line);) {
    BuildDiagnostic d;
    if (!ParseLine(line, &d)) continue;
    if (d.file.starts_with(root.string())) d.file = d.file.substr(root.string().size());
    if (d.severity != "note")
      out.diagnostics.push_back(std::move(d));
    else if (!out.diagnostics.empty())
      out.diagnostics.back().notes.push_back(std::move(d));
  }
  out.ok = done.status == 0;
  if (!out.ok && out.diagnostics.empty())
    out.diagnostics.push_back(
        {"error", "", 0, 0, "the compiler failed: " + done.text.substr(0, 2000), {}});
  return out;
}
}  // namespace

std::unique_ptr<Compiler> Compiler::Make() { return std::make_unique<CommandCompiler>(); }

}  // namespace akgen::toolchain
