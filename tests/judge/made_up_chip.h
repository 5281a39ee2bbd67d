// An executor that compiles and runs nothing: it answers as a test says. What it runs is y = -x of
// 32-bit integers, for a project with both halves.
#pragma once
#include <sys/mman.h>

#include <deque>
#include <span>

#include "base/files.h"
#include "judge/run/executor.h"

namespace akgen::judge {

class MadeUpChip : public Executor {
 public:
  // What changes as a test goes on: the answers to the next runs, the last one for all that follow.
  struct Answer {
    sim::RunReply reply;
    int wrong = 0;  // elements from the first on
    bool writes_inputs = false;
  };
  MadeUpChip() {
    host.status = "ok";
    OperatorDefinition op;
    op.name = "Neg";
    op.inputs = {{"x", {3}, {2}}}, op.outputs = {{"y", {3}, {2}}};
    op.configs = {"ascend910b"};
    host.ops = {op}, host.tiling = {{"Neg", "T"}};
    tiling.status = "ok", tiling.block_dim = 2, tiling.tiling_key = 7, tiling.tiling = {1, 2, 3, 4};
    answers.emplace_back();
    answers[0].reply.status = "ok";
  }

  base::Result<toolchain::BuildReply> Build(const toolchain::BuildRequest& request) override {
    asked += "build " + request.kind + (request.only_key ? " (key)" : "") + "\n";
    if (!broken.empty()) return base::Error{"AK0010", broken, "", ""};
    toolchain::BuildReply& reply = request.kind == "host" ? host_build : kernel_build;
    reply.key = request.kind + "-key", reply.so = request.kind + ".so", reply.build_ms = 2;
    return reply;
  }
  // An address is a line; those from 1000 on are of the headers.
  base::Result<std::vector<toolchain::SourceLine>> Symbolise(
      const std::string&, const std::vector<uint64_t>& pcs) override {
    std::vector<toolchain::SourceLine> out;
    for (uint64_t pc : pcs) {
      toolchain::SourceLine line;
      line.file = pc >= 1000 ? "/x/include/ascendc/a.h" : pc ? "op_kernel/neg.cpp" : "";
      line.line = int(pc);
      out.push_back(line);
    }
    return out;
  }
  Description Describe(const std::string& object, const chip::Chip& chip) override {
    asked += "describe " + object + " on " + chip.name + "\n";
    return host;
  }
  std::vector<TileReply> Tile(const std::string& object, const std::vector<TileRequest>& requests,
                              int wall_ms) override {
    asked += "tile " + object + " within " + std::to_string(wall_ms) +
             (requests[0].only_infer ? " only to infer" : "") + "\n";
    return std::vector<TileReply>(requests.size(), tiling);
  }
  std::vector<sim::RunReply> Run(const Launch& launch) override {
    std::vector<sim::RunReply> out;
    for (const sim::RunRequest& run : launch.runs) {
      Note(launch, run);
      const Answer answer = answers.front();
      if (answers.size() > 1) answers.pop_front();
      Compute(launch, run, answer);
      out.push_back(answer.reply);
    }
    return out;
  }
  ProgramReply RunProgram(const ProgramLaunch&) override { return {}; }
  ProgramReply RunScript(const ProgramLaunch&) override { return {}; }
  bool CountsWork() override { return true; }
  base::Json Layers() override { return {"landlock"}; }

  std::string asked, broken;  // broken: why nothing is built
  toolchain::BuildReply host_build = Built(), kernel_build = Built();
  Description host;
  TileReply tiling;
  std::deque<Answer> answers;

 private:
  static toolchain::BuildReply Built() {
    toolchain::BuildReply reply;
    reply.ok = true;
    return reply;
  }
  void Note(const Launch& launch, const sim::RunRequest& run) {
    asked += "run " + launch.object + " " + run.entry + " blocks " + std::to_string(run.blocks) +
             " key " + std::to_string(run.tiling_key) + " tiling " +
             std::to_string(run.tiling.size()) + " workspace " +
             std::to_string(run.workspace_bytes) + " within " + std::to_string(launch.wall_ms) +
             " schedule " + std::to_string(run.schedule) + (run.hash ? " hash" : "") +
             (run.sites ? " sites" : "") + (run.exact ? " exact" : "") +
             (run.timing ? " timed" : "") + (run.probe ? " probe" : "") + " checks " +
             sim::NamesOf(run.checks).dump() + "\n";
  }
  static std::span<int32_t> At(int fd, const sim::RunRegion& region, bool writes) {
    const size_t bytes = region.offset + region.bytes;
    void* at = ::mmap(nullptr, bytes, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) return {};
    return {reinterpret_cast<int32_t*>(static_cast<uint8_t*>(at) + region.offset),
            region.bytes / sizeof(int32_t)};
  }
  static void Compute(const Launch& launch, const sim::RunRequest& run, const Answer& answer) {
    const sim::RunRegion *in = nullptr, *out = nullptr;
    for (const sim::RunRegion& r : run.regions) (r.role == sim::Role::kInput ? in : out) = &r;
    if (!in || !out) return;
    const auto x = At(launch.inputs_fd, *in, answer.writes_inputs);
    const auto y = At(launch.outputs_fd, *out, true);
    for (size_t i = 0; i < std::min(x.size(), y.size()); ++i)
      y[i] = -x[i] + (int(i) < answer.wrong ? 1 : 0);
    if (answer.writes_inputs && !x.empty()) ++x[0];
  }
};

}  // namespace akgen::judge
