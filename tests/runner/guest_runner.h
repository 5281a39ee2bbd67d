// A runner for guests that no builder would let through, and what it answers.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "guest/link.h"
#include "runner/runner_client.h"
#include "runner_requests.h"
#include "sim/timing/parameters.h"

namespace akgen::runner {
using base::Json;

class GuestRunner : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto dir = base::TempDir::Create();
    ASSERT_TRUE(dir.ok());
    temp_ = new base::TempDir(std::move(*dir));
    auto r = Runner::Start();
    ASSERT_TRUE(r.ok()) << r.error().ToString();
    runner_ = new Runner(std::move(*r));
  }
  static void TearDownTestSuite() {
    delete runner_;
    delete temp_;
  }

  // `cube`: with a program for Cube cores too, from the same source.
  static std::string ImageOf(const std::string& program, bool cube = false) {
    auto object = base::ReadFile(std::string(GUESTS_DIR) + "/" + program + ".o");
    EXPECT_TRUE(object.ok());
    const std::vector<std::string> objects{object.ok() ? *object : ""};
    auto image = guest::Link(objects, cube ? objects : std::vector<std::string>());
    EXPECT_TRUE(image.ok());
    const std::string path = (temp_->path() / (program + (cube ? ".cube.img" : ".img"))).string();
    EXPECT_TRUE(base::WriteFileAtomic(path, image.ok() ? *image : "").ok());
    return path;
  }

  struct Ran {
    Json reply;
    std::vector<float> y;
    std::string status() const { return reply.value("status", ""); }
    // The machine was too busy to give the run its time: that says nothing about the run, nor of a
    // fault of this side.
    bool Starved() const {
      return status() == "error" &&
             reply.value("detail", "").find("this machine gave it less") != std::string::npos;
    }
    double us() const {
      const Json modelled = reply.value("modelled", Json());
      return modelled.is_object() ? modelled.value("us", 0.0) : 0;
    }
    // y = x + 1, for the x that begins with `first`.
    bool Right(float first = 0) const {
      for (int i = 0; i < 256; ++i)
        if (y[size_t(i)] != first + float(i + 1)) return false;
      return true;
    }
    bool Found(const std::string& code) const {
      for (const Json& f : reply.value("findings", Json::array()))
        if (f.value("code", "") == code) return true;
      return false;
    }
  };
  struct How {
    uint32_t blocks = 1;
    uint64_t seed = 0;
    int wall_ms = 20000;
    float first = 0;
    Json more = Json::object();
    uint64_t memory = 0;  // bytes that it may have; 0: as many as usual
  };
  static Ran Run(const std::string& image, const std::string& entry, uint32_t blocks = 1,
                 uint64_t seed = 0, int wall_ms = 20000) {
    return Run(image, entry, How{blocks, seed, wall_ms, 0, Json::object()});
  }
  // x: first, first + 1 …; 256 floats each. `more` goes into what is asked of the run.
  static Ran Run(const std::string& image, const std::string& entry, const How& how) {
    auto in = base::SharedMemory::Create("in", 1024), out = base::SharedMemory::Create("out", 1024);
    EXPECT_TRUE(in.ok() && out.ok());
    for (int i = 0; i < 256; ++i) {
      const float v = how.first + float(i);
      std::memcpy(in->data() + i * 4, &v, 4);
    }
    sim::RunRequest run = XToY(entry, 1024, how.blocks);
    run.workspace_bytes = 4096;
    for (int i = 0; i < 8; ++i) run.tiling.push_back(uint8_t(how.seed >> 8 * i));
    Json asked = ToJson(run), limits{{"wall_ms", how.wall_ms}};
    if (how.memory) limits["memory"] = how.memory;
    asked.update(how.more);
    auto reply = runner_->Call({{"cmd", "run"},
                                {"so", image},
                                {"runs", {std::move(asked)}},
                                {"limits", std::move(limits)}},
                               {in->fd(), out->fd()}, how.wall_ms + 20000);
    Ran ran;
    EXPECT_TRUE(reply.ok()) << entry << ": " << (reply.ok() ? "" : reply.error().ToString());
    if (reply.ok()) ran.reply = OfOne(std::move(*reply));
    ran.y.resize(256);
    std::memcpy(ran.y.data(), out->data(), 1024);
    return ran;
  }
  static const sim::TimingParameters& Prices() {
    static const sim::TimingParameters prices = *sim::LoadTiming("a2");
    return prices;
  }
  // Asks for modelled time.
  static Json Timed() {
    return {{"timing",
             {{"parameters", sim::ToJson(Prices())},
              {"span_cores", 0},
              {"what_if", false},
              {"scale", 0.0},
              {"keep_trace", false}}}};
  }
  // What was submitted takes at least this long, in microseconds; 0 where there is no time.
  static double LeastTime(const Ran& r, uint32_t blocks) {
    if (r.us() == 0) return 0;
    const sim::TimingParameters& p = Prices();
    const double issued = r.reply.value("vector_ops", 0.0) + r.reply.value("copies", 0.0);
    const double executed = r.reply.value("instructions", 0.0);
    return std::max(issued * p.scalar_issue, executed * p.scalar_least) / blocks / p.clock_mhz;
  }
  // Without what may differ between two runs.
  static std::string Comparable(Json reply) {
    for (const char* key : {"run_us", "run_cpu_us", "process", "console"}) reply.erase(key);
    return reply.dump();
  }
  inline static base::TempDir* temp_ = nullptr;
  inline static Runner* runner_ = nullptr;
};

}  // namespace akgen::runner
