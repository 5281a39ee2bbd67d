#include "judge/run/real_device.h"

namespace akgen::judge {

base::Result<std::unique_ptr<Executor>> RealDevice::Open(Executor& chip,
                                                         const device::NpuOptions& options) {
  auto npu = device::Npu::Open(options);
  if (!npu.ok()) return npu.error();
  return std::unique_ptr<Executor>(new RealDevice(chip, std::move(*npu)));
}

base::Result<toolchain::BuildReply> RealDevice::Build(const toolchain::BuildRequest& request) {
  if (request.backend != record::Backend::kNpu) return chip_.Build(request);
  return npu_.Build(request);
}

base::Result<std::vector<toolchain::SourceLine>> RealDevice::Symbolise(
    const std::string&, const std::vector<uint64_t>&) {
  return std::vector<toolchain::SourceLine>();  // a device names no places
}

Description RealDevice::Describe(const std::string& host_object, const chip::Chip& chip) {
  return chip_.Describe(host_object, chip);
}

std::vector<TileReply> RealDevice::Tile(const std::string& host_object,
                                        const std::vector<TileRequest>& requests, int wall_ms) {
  return chip_.Tile(host_object, requests, wall_ms);
}

std::vector<sim::RunReply> RealDevice::Run(const Launch& launch) {
  std::vector<sim::RunReply> out;
  for (const sim::RunRequest& run : launch.runs)
    out.push_back(npu_.Run(
        {launch.object, run, launch.inputs_fd, launch.outputs_fd, launch.wall_ms, launch.measure}));
  return out;
}

// Kernels' alone: host code is confined as for the chip.
base::Json RealDevice::Layers() {
  return npu_.confined() ? base::Json{"no_new_privs", "rlimits", "landlock"} : base::Json::array();
}

ProgramReply RealDevice::RunProgram(const ProgramLaunch& launch) {
  return chip_.RunProgram(launch);
}
ProgramReply RealDevice::RunScript(const ProgramLaunch& launch) { return chip_.RunScript(launch); }

}  // namespace akgen::judge
