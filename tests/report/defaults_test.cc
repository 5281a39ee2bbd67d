// What options are where nobody says anything, and that results begin with nothing.
#include <gtest/gtest.h>

#include "report/curves.h"
#include "report/on_device.h"
#include "report/report.h"

namespace akgen::report {
namespace {
TEST(ReportDefaults, Curves) {
  EXPECT_EQ(double(TrainingRun().steps), 0);
  EXPECT_EQ(double(TrainingRun().tokens), 0);
  EXPECT_EQ(double(TrainingRun().minutes), 0);
  EXPECT_EQ(double(TrainingRun().loss_first), 0);
  EXPECT_EQ(double(TrainingRun().loss_last), 0);
}
TEST(ReportDefaults, OnDevice) {
  EXPECT_EQ(double(DeviceRow().sample), 0);
  EXPECT_EQ(double(DeviceRow().measured), 0);
  EXPECT_EQ(double(DeviceRow().vendor_code), 0);
}
TEST(ReportDefaults, Report) {
  EXPECT_TRUE(Options().code);
  EXPECT_EQ(double(ReportSample().number), 0);
  EXPECT_FALSE(ReportSample().right);
  EXPECT_EQ(double(ReportTask().level), 0);
  EXPECT_EQ(double(ReportTask().right), 0);
  EXPECT_EQ(double(ReportTask().of), 0);
  EXPECT_EQ(double(FlowStage().left), 0);
  EXPECT_FALSE(Model().has_hidden);
}
}  // namespace
}  // namespace akgen::report
