// `akgen doctor`: what is missing on this machine, and the command that installs it.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/judging_options.h"
#include "cli/output.h"
#include "cli/project_run.h"
#include "device/npu.h"
#include "judge/judge.h"
#include "sandbox/sandbox.h"
#include "toolchain/system.h"

namespace akgen::cli {
namespace {
bool Line(bool good, const std::string& what, const std::string& fix) {
  fmt::print("{} {}{}\n", good ? "ok     " : "missing", what,
             good || fix.empty() ? "" : "\n        fix: " + fix);
  return good;
}

bool Program(const char* name) {
  return ::access((base::ExecutableDir() / name).c_str(), X_OK) == 0;
}

int RunDoctor() {
  bool good = true;
  for (const char* p : {"akgen-builder", "akgen-runner", "akgen-judge"})
    good &= Line(Program(p), p, "install akgen again, or build it completely: ./run.sh");
  Line(Program("akgen-reference"), "akgen-reference (TorchScript references)",
       "install the package akgen in place of akgen-judge; from source: apt-get install "
       "libtorch-dev, build again");
  good &= Line(!toolchain::LinkerPath().empty(), "linker (ld)", "apt-get install binutils");
  good &=
      Line(std::filesystem::exists(base::HomeDir() / "include/ascendc/kernel_operator.h"),
           "kernel headers below " + base::HomeDir().string(), "set AKGEN_HOME to akgen's folder");
  good &= Line(std::filesystem::exists(base::HomeDir() / "tasks"),
               "tasks below " + base::HomeDir().string(), "set AKGEN_HOME to akgen's folder");
  good &=
      Line(::access(base::CacheDir().c_str(), W_OK) == 0,
           "writable cache " + base::CacheDir().string(), "set AKGEN_CACHE to a writable folder");
  for (const sandbox::Layer& layer : sandbox::Report())
    Line(layer.active, "sandbox layer " + layer.layer + ": " + layer.detail,
         "docs/containers.md says what the machine or the container has to allow");
  auto b = toolchain::Builder::Start();
  if (b.ok()) {
    auto s = b->Status();
    Line(s.ok(), s.ok() ? "builder: " + base::Dump(toolchain::ToJson(*s)) : "builder answers", "");
  }
  return good ? kOk : kFault;
}

// What judging on a real device needs.
int RunDeviceDoctor(int id) {
  device::Toolkit toolkit;
  bool good = Line(Program("akgen-device"), "akgen-device", "build akgen completely: ./run.sh");
  for (const device::ToolkitPart& part : device::LookForToolkit(&toolkit)) {
    Line(part.good, part.what + (part.found.empty() ? "" : ": " + part.found), part.fix);
    good &= part.good || !part.needed;
  }
  if (!good) return kFault;
  constexpr int kBusyMs = 1000;
  auto npu = device::Npu::Open({.id = id, .busy_ms = kBusyMs});
  Line(npu.ok(), fmt::format("device {}{}", id, npu.ok() ? ": " + npu->facts().soc : ""),
       npu.ok() ? "" : npu.error().message + "; `npu-smi info` lists the devices");
  if (npu.ok())
    Line(npu->confined(), "sandbox of kernels: Landlock",
         "docs/containers.md; without it a candidate's kernel code may do what you may");
  return npu.ok() ? kOk : kFault;
}
}  // namespace

static void AddDoctor(CLI::App& app, int& exit_code) {
  auto project = std::make_shared<std::string>();
  auto json = std::make_shared<std::string>();
  auto around = std::make_shared<AroundOptions>();
  CLI::App* c = app.add_subcommand("doctor",
                                   "Report what is missing on this machine and how to install it, "
                                   "or what a project needs that akgen lacks");
  c->add_option("project", *project, "Folder with op_host/ and op_kernel/: built, not run");
  c->add_option("--json", *json,
                "Of a project: write the answer to this file (- for standard output)");
  around->AddTo(*c);
  auto judging = std::make_shared<JudgingOptions>();
  judging->AddTo(*c, JudgingOptions::kDevice);
  c->footer(
      "Example: akgen doctor\n"
      "         akgen doctor --device npu\n"
      "         akgen doctor my_repository/norm/rms_norm --with-sources opbase\n"
      "Exit code: 0 kernels can be judged here, 3 something is missing (each such line ends with "
      "what installs it).");
  c->callback([project, json, around, judging, &exit_code] {
    const judge::DeviceOptions devices = judging->Devices();
    if (!project->empty())
      exit_code = ExamineProject(*project, *around, *json);
    else
      exit_code = devices.sim ? RunDoctor() : kOk;
    if (project->empty() && devices.npu)
      exit_code = std::max(exit_code, RunDeviceDoctor(devices.npu_id));
  });
}

static const Command kDoctorCommand{170, AddDoctor};

}  // namespace akgen::cli
