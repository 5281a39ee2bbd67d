// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "device/confine.h"
#include "device/job.h"
#include "device/npu.h"
#include "device/toolkit.h"
#include "device/translate.h"

namespace akgen::device {
namespace {
TEST(DeviceDefaults, Confine) { EXPECT_FALSE(Confinement().programs); }
TEST(DeviceDefaults, Job) {
  EXPECT_EQ(double(Job().device), 0);
  EXPECT_EQ(double(Job().timeout_ms), 0);
  EXPECT_EQ(double(Job().timing_ms), 0);
  EXPECT_EQ(double(JobReply().code), 0);
  EXPECT_TRUE(JobReply().same_outputs);
}
TEST(DeviceDefaults, Npu) {
  EXPECT_EQ(double(NpuOptions().id), 0);
  EXPECT_TRUE(NpuOptions().profile);
  EXPECT_EQ(double(NpuOptions().start_ms), 60000);
  EXPECT_EQ(double(NpuOptions().timing_ms), 120000);
  EXPECT_EQ(double(NpuOptions().busy_ms), 900000);
}
TEST(DeviceDefaults, Toolkit) {
  EXPECT_TRUE(ToolkitPart().needed);
  EXPECT_FALSE(ToolkitPart().good);
}
TEST(DeviceDefaults, Translate) { EXPECT_EQ(double(Translation().parameters), 0); }
}  // namespace
}  // namespace akgen::device
