// A real device as an executor. Host code is built and called as for the simulated chip, so that
// both launch a kernel with the same tiling data, blocks and workspace; kernels are built by the
// vendor's compiler and run on the device.
#pragma once
#include <memory>
#include <vector>

#include "device/npu.h"
#include "judge/run/executor.h"

namespace akgen::judge {

class RealDevice final : public Executor {
 public:
  // `chip` stays the caller's and outlives this. AK0620, AK0621.
  static base::Result<std::unique_ptr<Executor>> Open(Executor& chip,
                                                      const device::NpuOptions& options);

  base::Result<toolchain::BuildReply> Build(const toolchain::BuildRequest& request) override;
  base::Result<std::vector<toolchain::SourceLine>> Symbolise(
      const std::string& object, const std::vector<uint64_t>& pcs) override;
  Description Describe(const std::string& host_object, const chip::Chip& chip) override;
  std::vector<TileReply> Tile(const std::string& host_object,
                              const std::vector<TileRequest>& requests, int wall_ms) override;
  std::vector<sim::RunReply> Run(const Launch& launch) override;
  ProgramReply RunProgram(const ProgramLaunch& launch) override;
  ProgramReply RunScript(const ProgramLaunch& launch) override;
  bool CountsWork() override { return false; }
  base::Json Layers() override;
  std::optional<record::DeviceFacts> Facts() override { return npu_.facts(); }

 private:
  RealDevice(Executor& chip, device::Npu npu) : chip_(chip), npu_(std::move(npu)) {}
  Executor& chip_;
  device::Npu npu_;
};

}  // namespace akgen::judge
