#include "device/profile.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace akgen::device {
namespace {
// One launch of 12.5 us under every spelling of a header that versions of the profilers have used.
TEST(KernelTable, EverySpellingOfAHeader) {
  const char* const headers[] = {
      "Op Name,OP Type,Task Duration(us)",              // msprof, op_summary
      "Op Name,OP Type,Task Duration (us)",             // newer
      "op name,op type,task duration(us)",              //
      "OpName,OpType,TaskDuration(us)",                 //
      "Op Name,Op Type,Task Duration(us)",              // msopprof, OpBasicInfo
      " Op Name , Op Type , Task Duration( us ) ",      //
      "Name,Type,Duration(us)",                         // torch_npu, kernel_details
      "Name,Type,Duration (us)",                        //
      "NAME,TYPE,DURATION(US)",                         //
      "\xef\xbb\xbfOp Name,OP Type,Task Duration(us)",  // with a byte order mark
  };
  for (const char* header : headers) {
    const auto rows = ReadKernelTable(std::string(header) + "\nadd_custom,Add,12.5\n", "t.csv");
    ASSERT_TRUE(rows.ok()) << header << ": " << rows.error().ToString();
    ASSERT_EQ(rows->size(), 1u) << header;
    EXPECT_EQ((*rows)[0].name, "add_custom") << header;
    EXPECT_EQ((*rows)[0].type, "Add") << header;
    EXPECT_EQ((*rows)[0].sample.us, 12.5) << header;
    EXPECT_EQ((*rows)[0].sample.rated_mhz, 0) << header;
  }
}

TEST(KernelTable, OnlyOneOfNameAndTypeIsNeeded) {
  EXPECT_EQ(ReadKernelTable("OP Type,Task Duration(us)\nAdd,3\n", "t").value()[0].type, "Add");
  EXPECT_EQ(ReadKernelTable("Op Name,Task Duration(us)\na,3\n", "t").value()[0].name, "a");
}

TEST(KernelTable, FrequenciesUnderTheirSpellings) {
  for (const char* header :
       {"Op Name,Task Duration(us),Current Freq,Rated Freq", "op name,task duration (us),CurrentFreq,rated freq"}) {
    const auto rows = ReadKernelTable(std::string(header) + "\nk,4,1500,1800\n", "t");
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ((*rows)[0].sample.clock_mhz, 1500);
    EXPECT_EQ((*rows)[0].sample.rated_mhz, 1800);
  }
}

TEST(KernelTable, ARowWithoutADurationHasNone) {
  const auto rows = ReadKernelTable("Op Name,Task Duration(us)\nk,N/A\nk,-1\nk,\nk,inf\nk,2\n", "t");
  ASSERT_TRUE(rows.ok());
  std::vector<double> us;
  for (const KernelRow& row : *rows) us.push_back(row.sample.us);
  EXPECT_EQ(us, (std::vector<double>{0, 0, 0, 0, 2}));
}

TEST(KernelTable, WhatIsNoTableIsAnError) {
  for (const char* text :
       {"", "\x01\x02", "Op Name,Block Dim\nk,3\n", "Task Duration(us)\n3\n", "Op Name,Task Duration(us)\nk,3\nk",
        "Op Name,Task Duration(us)\n\"k,3\n", "Op Name,Task Duration(us)\n"}) {
    const auto rows = ReadKernelTable(text, "t.csv");
    ASSERT_FALSE(rows.ok()) << text;
    EXPECT_EQ(rows.error().code, "AK0122") << text;
  }
}

TEST(PipeTable, MeanOfTheCoresThatWork) {
  const auto pipes = ReadPipeTable(
      "block_id,sub_block_id,aic_mac_time(us),aiv_vec_time(us),AIV_MTE2_TIME (us)\n"
      "0,vector0,NA,2.0,5\n0,vector1,NA,4.0,5\n0,cube0,7.5,NA,NA\n",
      "t");
  ASSERT_TRUE(pipes.ok());
  EXPECT_EQ(*pipes, (std::map<std::string, double>{{"vec", 3.0}, {"mte2", 5.0}, {"mac", 7.5}}));
  EXPECT_FALSE(ReadPipeTable("vec_time(us)\n3\n", "t").ok());
}

TEST(ApiTable, CountsCalls) {
  for (const char* header : {"API Name,Time(us),Count,Avg(us)", "api name,time (us),count,avg (us)"}) {
    const auto calls =
        ReadApiTable(std::string(header) + "\naclrtMemcpy,9,3,3\naclrtMemcpy,2,4,.5\naclrtMalloc,1,1,1\n", "t");
    ASSERT_TRUE(calls.ok());
    EXPECT_EQ(calls->at("aclrtMemcpy"), 7u);
  }
  EXPECT_FALSE(ReadApiTable("Name\nx\n", "t").ok());
}

// Tables of several launches lie in folders of their own.
TEST(Profile, AllTablesBelowAFolderCount) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  for (const char* launch : {"0", "1", "2"}) {
    const auto folder = dir->path() / "OPPROF_X" / "k" / launch;
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(base::WriteFileAtomic(
                    folder / "OpBasicInfo_2026.csv",
                    std::string("Op Name,Task Duration(us)\nk_mix,") + (launch[0] == '1' ? "9" : "5") + "\nother,99\n")
                    .ok());
  }
  const record::MeasuredTime time = ReadProfile(dir->path(), "k_mix", {});
  EXPECT_EQ(time.launches, 3);
  EXPECT_EQ(time.us, 5);
  EXPECT_EQ(time.note, "");
  EXPECT_FALSE(ReadProfile(dir->path(), "absent", {}).known());
}

TEST(Measured, OutliersAndSlowLaunches) {
  std::vector<record::LaunchSample> launches;
  for (int i = 0; i < 50; ++i) launches.push_back({10.0 + i % 3 * 0.01, 1800, 1800});
  launches.push_back({90, 1800, 1800});
  launches.push_back({12, 1500, 1800});
  const record::MeasuredTime time = record::MeasuredOf(launches, {});
  EXPECT_EQ(time.launches, 51);
  EXPECT_EQ(time.slow_clock, 1);
  EXPECT_EQ(time.outliers, 1);
  EXPECT_NEAR(time.us, 10.01, 1e-9);
  EXPECT_EQ(time.clock_mhz, 1500);
}
}  // namespace
}  // namespace akgen::device
