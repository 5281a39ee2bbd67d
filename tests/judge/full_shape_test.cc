// Cases too large to run: fewer rows that repeat, who writes a place, and outputs folded to the
// size of few rows.
#include <gtest/gtest.h>

#include <cstring>

#include "judge/session/drawn_blocks.h"
#include "judge/session/smaller_case.h"

namespace akgen::judge {
namespace {

std::vector<uint64_t> Share(uint32_t block, uint32_t blocks, uint64_t bytes, uint64_t tile) {
  std::vector<uint64_t> out;
  if (!tile) return {bytes * block / blocks, bytes * (block + 1) / blocks};
  for (uint64_t at = block * tile; at < bytes; at += blocks * tile)
    out.insert(out.end(), {at, std::min(at + tile, bytes)});
  return out;
}

// Blocks that were run until the one that writes `at` was found; `tile` 0: each has one share, else
// they take turns.
size_t RunsToFind(uint64_t at, uint64_t tile) {
  constexpr uint32_t kBlocks = 40;
  constexpr uint64_t kBytes = 1 << 20;
  WrittenPieces pieces(kBytes);
  std::set<uint32_t> ran;
  auto run = [&](uint32_t b) {
    ran.insert(b);
    pieces.Add(b, Share(b, kBlocks, kBytes, tile));
  };
  run(0), run(kBlocks - 1);
  while (!pieces.Has(at)) run(*pieces.Next(at, kBlocks, ran));
  return ran.size();
}

TEST(WrittenPieces, TheWriterOfAPlaceIsFoundInAFewRuns) {
  for (uint64_t at = 0; at < (1 << 20); at += 9973) {
    EXPECT_LE(RunsToFind(at, 0), 4u) << at;
    EXPECT_LE(RunsToFind(at, 1000), 5u) << at;
  }
}

TEST(WrittenPieces, WhatNobodyWritesEndsWithAllBlocks) {
  WrittenPieces pieces(1000);
  std::set<uint32_t> ran;
  while (auto next = pieces.Next(999, 7, ran)) {
    ran.insert(*next);
    pieces.Add(*next, std::vector<uint64_t>{*next * 10ull, *next * 10ull + 10});
  }
  EXPECT_EQ(ran.size(), 7u);
  EXPECT_TRUE(pieces.Has(69));
  EXPECT_FALSE(pieces.Has(70));
}

task::TaskSpec Add() {
  task::TaskSpec task;
  task.name = "Add";
  for (const char* name : {"x", "y", "z"}) {
    task::ParamSpec p;
    p.name = name, p.dtype = "float16", p.shape = "$shape", p.present = true, p.compared = true;
    (p.name == "z" ? task.outputs : task.inputs).push_back(p);
  }
  return task;
}

TEST(RepeatCase, RowsFillPagesAndAreAnOddMultiple) {
  const auto task = Add();
  const task::CaseRow row{"0", {{"shape", {1 << 22, 24}}}};
  const auto c = RepeatCase(task, row, *task::ResolveCase(task, row));
  ASSERT_TRUE(c.ok()) << c.error().message;
  EXPECT_EQ(c->few.inputs[0].tensors[0].Bytes() % 4096, 0u);
  EXPECT_EQ(c->rows % 256, 0) << "24 halves are 48 bytes: 256 rows fill pages";
  EXPECT_EQ(c->rows / 256 % 2, 1);
  EXPECT_EQ(c->few.outputs[0].tensors[0].shape, (std::vector<int64_t>{c->rows, 24}));
}

TEST(RepeatCase, OnlyRowsAreRepeated) {
  auto task = Add();
  const task::CaseRow row{"0", {{"shape", {1 << 22, 24}}, {"turned", {24, 1 << 22}}}};
  task.outputs[0].shape = base::Json::array({24});
  auto c = RepeatCase(task, row, *task::ResolveCase(task, row));
  ASSERT_FALSE(c.ok());
  EXPECT_EQ(c.error().message, "output 'z' is made of all rows");
  task.outputs[0].shape = "$shape", task.outputs[0].zeroed = true;
  EXPECT_FALSE(RepeatCase(task, row, *task::ResolveCase(task, row)).ok());
  const task::CaseRow few{"1", {{"shape", {2, 1 << 20}}}};
  task.outputs[0].zeroed = false;
  EXPECT_FALSE(RepeatCase(task, few, *task::ResolveCase(task, few)).ok())
      << "two rows cannot repeat three";
}

TEST(FoldedOutputs, EqualRowsAreKeptOnceAndOthersBesideThem) {
  task::CaseDesc few;
  few.outputs.resize(1);
  few.outputs[0].name = "z";
  few.outputs[0].tensors = {{base::Dtype::kUint8, {10}}};
  task::TensorSet golden;
  golden.tensors = task::Flatten(few.outputs), golden.layout = task::LayoutOf(golden.tensors);
  golden.memory = std::move(*base::SharedMemory::Create("golden", golden.layout.bytes));
  std::memset(golden.memory.data(), 7, 10);
  FoldedOutputs folded(few, golden);
  const std::vector<uint8_t> ones(25, 1), two(1, 2);
  ASSERT_TRUE(folded.Add(0, 8, ones)
                  .ok());  // to the end of the rows, then twice all of them, and three bytes
  ASSERT_EQ(folded.layers().size(), 1u);
  ASSERT_TRUE(folded.Add(0, 1003, two).ok());
  ASSERT_EQ(folded.layers().size(), 2u);
  EXPECT_EQ(folded.kept(), 26u);
  const uint8_t *a = folded.layers()[0].outputs.data(), *b = folded.layers()[1].outputs.data();
  EXPECT_EQ(std::vector<uint8_t>(a, a + 10), std::vector<uint8_t>(10, 1));
  EXPECT_EQ(std::vector<uint8_t>(b, b + 10), (std::vector<uint8_t>{7, 7, 7, 2, 7, 7, 7, 7, 7, 7}));
}

}  // namespace
}  // namespace akgen::judge
