// Fitting to measurements with known parameters, and the traces that come as messages for it.
#include "sim/timing/refit.h"

#include <gtest/gtest.h>

#include "random_trace.h"
#include "sim/timing/descend.h"
#include "sim/trace/trace_json.h"

namespace akgen::sim {
namespace {
constexpr uint32_t kAllCores = 48;

TimingParameters FileOfA2() { return *LoadTiming("a2"); }

TEST(TraceMessage, ReplaysAsTheTraceDid) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Dice dice(seed);
    Trace trace = TraceOf(KernelOf(DrawShape(dice)));
    trace.Executed(0, 1'000'000);
    const Trace back = TraceFromJson(base::Parse(base::Dump(ToJson(trace))));
    EXPECT_EQ(back.blocks(), trace.blocks());
    const TimingParameters p = FileOfA2();
    EXPECT_EQ(Replay(back, p, {}).us, Replay(trace, p, {}).us);
  }
}

TEST(TraceMessage, WhatNoChipWritesIsRefused) {
  Dice dice(1);
  const base::Json good = ToJson(TraceOf(KernelOf(DrawShape(dice))));
  const auto refused = [&](auto&& spoil) {
    base::Json j = good;
    spoil(j);
    EXPECT_THROW(TraceFromJson(j), base::Json::exception) << j.dump().substr(0, 200);
  };
  refused([](base::Json& j) { j["blocks"][0] = "ffffffff"; });
  refused([](base::Json& j) { j["blocks"][0] = "0000"; });
  refused([](base::Json& j) { j["blocks"][0] = "0000000g"; });
  refused([](base::Json& j) { j["blocks"][0] = 1; });
  refused([](base::Json& j) { j["shapes"][0][0] = 99; });
  refused([](base::Json& j) { j["shapes"][0][1] = 99; });
  refused([](base::Json& j) { j["shapes"][0][4] = 60000; });
  refused([](base::Json& j) { j["shapes"][0].erase(0); });
  refused([](base::Json& j) { j.erase("executed"); });
}

// Kernels that show the launch (one core, all cores, little to do), memory (large copies) and the
// clock (vector work).
std::vector<MeasuredKernel> KernelsOfAll() {
  std::vector<MeasuredKernel> out;
  const auto add = [&](const char* group, uint32_t blocks, uint32_t tiles, uint32_t vectors,
                       uint32_t bytes) {
    KernelShape s;
    s.blocks = blocks, s.tiles = tiles, s.buffers = 2, s.vectors = vectors, s.repeats = 64,
    s.bytes = bytes;
    out.push_back({group, std::make_shared<Trace>(TraceOf(KernelOf(s))), false, 1});
  };
  for (uint32_t blocks : {1u, 2u, 8u, 24u, 48u}) add("small", blocks, 1, 1, 512);
  for (uint32_t tiles : {40u, 80u}) add("copies", kAllCores, tiles, 1, 32768);
  for (uint32_t tiles : {20u, 40u}) add("work", kAllCores, tiles, 40, 2048);
  return out;
}

TEST(Refit, KnownTruthIsRecovered) {
  const TimingParameters start = FileOfA2();
  base::Json truth = ToJson(start);
  const std::vector<std::pair<std::string, double>> changes{
      {"clock_mhz", 0.8}, {"launch_us", 1.4}, {"launch_core_us", 1.4}, {"hbm_rate", 0.7}};
  for (const auto& [name, factor] : changes) NumberAt(truth, name) *= factor;
  std::vector<MeasuredKernel> rows = KernelsOfAll();
  const auto measured = ErrorsOf(rows, TimingFromJson(truth), kAllCores);
  for (size_t r = 0; r < rows.size(); ++r) rows[r].measured = measured[r].modelled;
  const Refit refit = RefitTo(rows, start, kAllCores);
  const base::Json found = ToJson(refit.parameters);
  for (const auto& [name, factor] : changes)
    EXPECT_NEAR(found[name].get<double>() / truth[name].get<double>(), 1, 0.1) << name;
  EXPECT_GT(QuantileOf(refit.before, 0.5), 0.2);
  EXPECT_LT(QuantileOf(refit.after, 0.9), 0.03);
  EXPECT_EQ(refit.left_out.size(), rows.size());
}

TEST(Refit, WhatNoRowShowsStays) {
  std::vector<MeasuredKernel> rows = KernelsOfAll();
  rows.resize(5);
  for (MeasuredKernel& row : rows) row.measured = 8;
  const TimingParameters start = FileOfA2();
  const Refit refit = RefitTo(rows, start, kAllCores);
  EXPECT_EQ(refit.parameters.hbm_rate, start.hbm_rate);
  EXPECT_NE(std::find(refit.kept.begin(), refit.kept.end(), "hbm_rate"), refit.kept.end());
  EXPECT_TRUE(refit.left_out.empty()) << "one operator alone";
  EXPECT_TRUE(RefitTo({}, start, kAllCores).fitted.empty());
}

}  // namespace
}  // namespace akgen::sim
