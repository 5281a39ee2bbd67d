#include "device/profile.h"

#include <gtest/gtest.h>

#include <cctype>
#include <sstream>

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

// Whole headers as the vendor's documentation and sources have them, and as versions spell them:
// with and without blanks before units, in small letters.
std::vector<std::string> SpellingsOf(const std::string& header) {
  std::vector<std::string> out{header, header, header, header};
  for (size_t at = out[1].find('('); at != std::string::npos; at = out[1].find('(', at + 2))
    out[1].insert(at, " ");
  std::erase(out[2], ' ');
  for (char& c : out[3]) c = char(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// One cell for each column: 12.5 below `named`, a name below other words, else 7.
std::string RowOf(const std::string& header, const std::map<std::string, std::string>& named) {
  std::string row, column;
  std::istringstream columns(header);
  while (std::getline(columns, column, ','))
    row += (row.empty() ? "" : ",") + (named.contains(column) ? named.at(column) : "7");
  return row;
}

TEST(KernelTable, WholeHeadersOfEachProfiler) {
  struct {
    const char *header, *name, *type, *us;
  } const tables[] = {
      {"Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated "
       "Freq",
       "Op Name", "Op Type", "Task Duration(us)"},
      {"Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start "
       "Time(us),Task Duration(us),"
       "Task Wait Time(us),Block Dim,Mix Block Dim,Input Shapes,Input Data Types,Output "
       "Shapes,aicore_time(us),"
       "total_cycles,vec_time(us),vec_ratio,mac_time(us),mac_ratio,icache_miss_rate",
       "Op Name", "OP Type", "Task Duration(us)"},
      {"Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,Accelerator Core,Start "
       "Time(us),Duration(us),"
       "Wait Time(us),Block Dim,Input Shapes",
       "Name", "Type", "Duration(us)"}};
  for (const auto& t : tables) {
    const std::string row = RowOf(t.header, {{t.name, "k"}, {t.type, "K"}, {t.us, "12.5"}});
    for (const std::string& header : SpellingsOf(t.header)) {
      const auto rows = ReadKernelTable(header + "\n" + row + "\n", "t.csv");
      ASSERT_TRUE(rows.ok()) << header << ": " << rows.error().ToString();
      EXPECT_EQ((*rows)[0].name, "k") << header;
      EXPECT_EQ((*rows)[0].type, "K") << header;
      EXPECT_EQ((*rows)[0].sample.us, 12.5) << header;
    }
  }
}

TEST(PipeTable, WholeHeadersOfBothProfilers) {
  const std::string both[] = {
      "block_id,sub_block_id,aic_time(us),aic_total_cycles,aic_cube_time(us),aic_cube_ratio,aic_"
      "scalar_time(us),"
      "aic_mte1_time(us),aic_mte2_time(us),aic_mte3_time(us),aic_fixpipe_time(us),aiv_time(us),aiv_"
      "vec_time(us)",
      "block_id,aicore_time(us),total_cycles,mac_time(us),scalar_time(us),mte1_time(us),mte2_time("
      "us),mte3_time(us),"
      "fixpipe_time(us),vec_time(us)"};
  for (const std::string& header : both)
    for (const std::string& spelled : SpellingsOf(header)) {
      const auto pipes = ReadPipeTable(spelled + "\n" + RowOf(header, {}) + "\n", "t");
      ASSERT_TRUE(pipes.ok()) << spelled;
      for (const char* pipe : {"mac", "scalar", "mte1", "mte2", "mte3", "fixpipe", "vec"})
        EXPECT_EQ(pipes->count(pipe), 1u) << pipe << " of " << spelled;
      EXPECT_EQ(pipes->size(), 7u);
    }
}

TEST(KernelTable, OnlyOneOfNameAndTypeIsNeeded) {
  EXPECT_EQ(ReadKernelTable("OP Type,Task Duration(us)\nAdd,3\n", "t").value()[0].type, "Add");
  EXPECT_EQ(ReadKernelTable("Op Name,Task Duration(us)\na,3\n", "t").value()[0].name, "a");
}

TEST(KernelTable, FrequenciesUnderTheirSpellings) {
  for (const char* header : {"Op Name,Task Duration(us),Current Freq,Rated Freq",
                             "op name,task duration (us),CurrentFreq,rated freq"}) {
    const auto rows = ReadKernelTable(std::string(header) + "\nk,4,1500,1800\n", "t");
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ((*rows)[0].sample.clock_mhz, 1500);
    EXPECT_EQ((*rows)[0].sample.rated_mhz, 1800);
  }
}

TEST(KernelTable, ARowWithoutADurationHasNone) {
  const auto rows =
      ReadKernelTable("Op Name,Task Duration(us)\nk,N/A\nk,-1\nk,\nk,inf\nk,2\n", "t");
  ASSERT_TRUE(rows.ok());
  std::vector<double> us;
  for (const KernelRow& row : *rows) us.push_back(row.sample.us);
  EXPECT_EQ(us, (std::vector<double>{0, 0, 0, 0, 2}));
}

TEST(KernelTable, WhatIsNoTableIsAnError) {
  for (const char* text : {"", "\x01\x02", "Op Name,Block Dim\nk,3\n", "Task Duration(us)\n3\n",
                           "Op Name,Task Duration(us)\nk,3\nk",
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
  for (const char* header :
       {"API Name,Time(us),Count,Avg(us)", "api name,time (us),count,avg (us)"}) {
    const auto calls = ReadApiTable(
        std::string(header) + "\naclrtMemcpy,9,3,3\naclrtMemcpy,2,4,.5\naclrtMalloc,1,1,1\n", "t");
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
    ASSERT_TRUE(base::WriteFileAtomic(folder / "OpBasicInfo_2026.csv",
                                      std::string("Op Name,Task Duration(us)\nk_mix,") +
                                          (launch[0] == '1' ? "9" : "5") + "\nother,99\n")
                    .ok());
  }
  const record::MeasuredTime time = ReadProfile(dir->path(), "k_mix", {});
  EXPECT_EQ(time.launches, 3);
  EXPECT_EQ(time.us, 5);
  EXPECT_EQ(time.note, "the profiler's tables have 3 of 100 launches");
  record::TimingRule three;
  three.repeats = 3;
  EXPECT_EQ(ReadProfile(dir->path(), "k_mix", three).note, "");
  EXPECT_FALSE(ReadProfile(dir->path(), "absent", {}).known());
}

// Pipes of another kernel's folder are not this one's.
TEST(Profile, PipesAreOfTheKernelAlone) {
  auto dir = base::TempDir::Create();
  ASSERT_TRUE(dir.ok());
  for (const char* name : {"another", "k"}) {
    const auto folder = dir->path() / "OPPROF_X" / name / "0";
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(base::WriteFileAtomic(folder / "OpBasicInfo.csv",
                                      "Op Name,Task Duration(us)\n" + std::string(name) + ",5\n")
                    .ok());
    ASSERT_TRUE(base::WriteFileAtomic(folder / "PipeUtilization.csv",
                                      std::string("block_id,aiv_vec_time(us)\n0,") +
                                          (name[0] == 'k' ? "2" : "99") + "\n")
                    .ok());
  }
  EXPECT_EQ(ReadProfile(dir->path(), "k", {}).pipes, (std::map<std::string, double>{{"vec", 2}}));
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
