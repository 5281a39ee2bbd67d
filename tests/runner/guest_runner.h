// A runner for guests that no builder would let through, and what it answers.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/files.h"
#include "chip/chip.h"
#include "guest/link.h"
#include "runner/runner_client.h"
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

  static std::string ImageOf(const std::string& program) {
    auto object = base::ReadFile(std::string(GUESTS_DIR) + "/" + program + ".o");
    EXPECT_TRUE(object.ok());
    auto image = guest::Link({object.ok() ? *object : ""});
    EXPECT_TRUE(image.ok());
    const std::string path = (temp_->path() / (program + ".img")).string();
    EXPECT_TRUE(base::WriteFileAtomic(path, image.ok() ? *image : "").ok());
    return path;
  }

  struct Ran {
    Json reply;
    std::vector<float> y;
    std::string status() const { return reply.value("status", ""); }
    double us() const { return reply.contains("modelled") ? reply["modelled"].value("us", 0.0) : 0; }
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
  };
  static Ran Run(const std::string& image, const std::string& entry, uint32_t blocks = 1, uint64_t seed = 0,
                 int wall_ms = 20000) {
    return Run(image, entry, How{blocks, seed, wall_ms, 0, Json::object()});
  }
  // x: first, first + 1 …; 256 floats each. `more` goes into the request.
  static Ran Run(const std::string& image, const std::string& entry, const How& how) {
    auto in = base::SharedMemory::Create("in", 1024), out = base::SharedMemory::Create("out", 1024);
    EXPECT_TRUE(in.ok() && out.ok());
    for (int i = 0; i < 256; ++i) {
      const float v = how.first + float(i);
      std::memcpy(in->data() + i * 4, &v, 4);
    }
    std::string tiling;
    for (int i = 0; i < 8; ++i)
      for (int shift : {4, 0}) tiling += "0123456789abcdef"[(how.seed >> (8 * i + shift)) & 15];
    static const Json chip = chip::ToJson(*chip::LoadChip());
    Json request{{"cmd", "run"},
                 {"chip", chip},
                 {"so", image},
                 {"entry", entry},
                 {"regions",
                  {{{"name", "x"}, {"role", "input"}, {"offset", 0}, {"bytes", 1024}},
                   {{"name", "y"}, {"role", "output"}, {"offset", 0}, {"bytes", 1024}}}},
                 {"args", {0, 1, "workspace", "tiling"}},
                 {"workspace_bytes", 4096},
                 {"tiling_hex", tiling},
                 {"blocks", how.blocks},
                 {"limits", {{"wall_ms", how.wall_ms}}}};
    request.update(how.more);
    auto reply = runner_->Call(request, {in->fd(), out->fd()}, how.wall_ms + 20000);
    Ran ran;
    EXPECT_TRUE(reply.ok()) << entry << ": " << (reply.ok() ? "" : reply.error().ToString());
    if (reply.ok()) ran.reply = *reply;
    ran.y.resize(256);
    std::memcpy(ran.y.data(), out->data(), 1024);
    return ran;
  }
  static const sim::TimingParameters& Prices() {
    static const sim::TimingParameters prices = *sim::LoadTiming("a2");
    return prices;
  }
  // Asks for modelled time.
  static Json Timed() { return {{"timing", {{"parameters", sim::ToJson(Prices())}}}}; }
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
