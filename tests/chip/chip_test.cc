#include "chip/chip.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "chip/timing_file.h"

namespace akgen::chip {
namespace {

std::string DefaultText() {
  auto text = base::ReadFile(base::HomeDir() / "data/chips/910B2.toml");
  EXPECT_TRUE(text.ok());
  return text.ok() ? *text : "";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Chip, DefaultIs910B2) {
  auto chip = LoadChip();
  ASSERT_TRUE(chip.ok()) << chip.error().ToString();
  EXPECT_EQ(chip->name, "910B2");
  EXPECT_EQ(chip->npu_arch, 2201);
  EXPECT_EQ(chip->aicore, 220);
  EXPECT_EQ(chip->aic, 24);
  EXPECT_EQ(chip->aiv, 48);
  EXPECT_EQ(chip->clock_mhz, 1800);
  EXPECT_EQ(chip->ub.bytes, 192u * 1024);
  EXPECT_EQ(chip->UsableUb(), 192u * 1024 - 256);
  EXPECT_EQ(chip->l0c.align, 64u);
  EXPECT_EQ(chip->limits.event_ids, 8);
  EXPECT_EQ(chip->ub_banks.groups * chip->ub_banks.per_group * int(chip->ub_banks.bytes),
            192 * 1024);
  EXPECT_EQ(chip->rates.at("vector").bytes_per_cycle, 256);
  EXPECT_FALSE(chip->rates.at("vector").source.empty());
}

TEST(Chip, EveryFileLoadsAndIsConsistent) {
  ASSERT_GE(ChipNames().size(), 12u);
  for (const std::string& name : ChipNames()) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << chip.error().ToString();
    EXPECT_EQ(chip->name, name);
    EXPECT_EQ(chip->soc, "Ascend" + name);
    EXPECT_GT(chip->aiv, 0) << name;
    EXPECT_EQ(chip->ub.bytes % chip->data_block_bytes, 0u) << name;
    if (chip->split) EXPECT_EQ(chip->aiv, 2 * chip->aic) << name;
    EXPECT_EQ(chip->runnable, chip->npu_arch == 2201) << name;
    EXPECT_TRUE(chip->soc.starts_with(chip->family)) << name;
    if (chip->runnable) EXPECT_TRUE(LoadTimingFile(chip->timing).ok()) << name;
  }
}

TEST(Chip, CrossesProcessesWhole) {
  for (const std::string& name : ChipNames()) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << name;
    auto back = ChipFromJson(base::Parse(base::Dump(ToJson(*chip))));
    ASSERT_TRUE(back.ok()) << back.error().ToString();
    EXPECT_EQ(*back, *chip) << name;
  }
}

TEST(Chip, MessageWithoutAFieldIsRefused) {
  const base::Json whole = ToJson(*LoadChip());
  for (const auto& [key, value] : whole.items()) {
    base::Json less = whole, other = whole;
    less.erase(key);
    other[key] = nullptr;
    for (const base::Json& j : {less, other}) {
      auto chip = ChipFromJson(j);
      ASSERT_FALSE(chip.ok()) << key;
      EXPECT_EQ(chip.error().code, "AK0014");
    }
  }
  EXPECT_FALSE(ChipFromJson("910B2").ok());
}

TEST(Chip, SpellingsOfTheName) {
  for (const char* name : {"910B4", "910b4", "Ascend910B4", "ascend910b4"}) {
    auto chip = LoadChip(name);
    ASSERT_TRUE(chip.ok()) << name;
    EXPECT_EQ(chip->aiv, 40);
  }
}

TEST(Chip, UnknownNameSuggests) {
  auto chip = LoadChip("910B5");
  ASSERT_FALSE(chip.ok());
  EXPECT_EQ(chip.error().code, "AK0120");
  EXPECT_NE(chip.error().fix.find("910B4"), std::string::npos) << chip.error().fix;
  EXPECT_EQ(LoadChip("../secrets").error().code, "AK0120");
}

TEST(Chip, NearNamesAreAtMostTwoLettersAway) {
  const auto near = [](const char* name) {
    const std::string fix = LoadChip(name).error().fix;
    return fix.starts_with("did you mean") ? fix : "";
  };
  EXPECT_EQ(near("310P"), "did you mean 310P3?");     // one is missing
  EXPECT_EQ(near("310"), "did you mean 310P3?");      // two
  EXPECT_EQ(near("31"), "");                          // three
  EXPECT_EQ(near("a310P3b"), "did you mean 310P3?");  // two are too many
  EXPECT_EQ(near("ab310P3c"), "");                    // three
  EXPECT_EQ(near("3x0Py"), "did you mean 310P3?");    // two are others
  EXPECT_EQ(near("3xyPz"), "");                       // three
  EXPECT_EQ(near("910_9381x"), "did you mean 910_9381, 910_9382, 910_9391?");
  EXPECT_NE(LoadChip("x").error().fix.find("use one of 310P3, 910B1, 910B2,"), std::string::npos);
}

TEST(Chip, KnownButNotRunnable) {
  auto chip = LoadChip("310P3");
  ASSERT_TRUE(chip.ok());
  EXPECT_FALSE(chip->runnable);
  EXPECT_FALSE(chip->split);
}

TEST(Chip, BrokenFilesAreRefused) {
  std::string text = DefaultText();
  ASSERT_TRUE(ParseChip(text, "t").ok());
  struct Row {
    std::string from, to, key, why;
  };
  const Row rows[] = {
      {"unit = \"MHz\"", "unit = \"GHz\"", "cores.clock", "must have unit \"MHz\""},
      {"source = \"arch\"", "source = \"hearsay\"", "memory.cache_line",
       "must name a source listed under [sources]"},
      {"24, unit = \"cores\", source = \"ini\"", "24, unit = \"cores\"", "cores.aic",
       "must name a source listed under [sources]"},
      {"clock = {", "clok = {", "cores.clock", "is missing"},
      {"runnable = true", "runnable = \"yes\"", "runnable", "is missing or of the wrong type"},
      {"value = 196608", "value = -1", "memory.ub", "must have a value of at least 0"},
      {"value = 196608", "value = \"1\"", "memory.ub", "must have a value of at least 0"},
      {"value = 196608", "value = 196608.5", "memory.ub", "must have a whole number as its value"},
      {"value = 196608", "value = 4294967296", "memory.ub",
       "must have a whole number as its value"},  // 2^32
      {"align = 512", "aline = 512", "memory.l0a", "must have a whole number as its align"},
      {"align = 512", "align = 0", "memory.l0a", "must have an alignment"},
      {"[rates]", "[ratings]", "rates", "is missing"},
      {"gm_to_ub = { value = 32, unit = \"B/cycle\"", "gm_to_ub = { value = 32, unit = \"B\"",
       "rates.gm_to_ub", "must have unit \"B/cycle\""},
  };
  for (const Row& row : rows) {
    auto chip = ParseChip(Replaced(text, row.from, row.to), "chip.toml");
    ASSERT_FALSE(chip.ok()) << row.to;
    EXPECT_EQ(chip.error().code, "AK0121");
    EXPECT_EQ(chip.error().message, "broken chip file: `" + row.key + "` " + row.why) << row.to;
    EXPECT_EQ(chip.error().where, "chip.toml");
  }
  auto syntax = ParseChip(Replaced(text, "[cores]", "[cores"), "chip.toml");
  ASSERT_FALSE(syntax.ok());
  EXPECT_EQ(syntax.error().where, "chip.toml:19");
  const std::string two = Replaced(Replaced(text, "runnable = true", ""), "clock = {", "clok = {");
  EXPECT_NE(ParseChip(two, "t").error().message.find("`runnable`"), std::string::npos)
      << "the first is told";
}

TEST(Chip, LimitsThatAreTaken) {
  const std::string text = DefaultText();
  auto least = ParseChip(
      Replaced(Replaced(text, "value = 196608", "value = 0"), "align = 512", "align = 1"), "t");
  ASSERT_TRUE(least.ok()) << least.error().ToString();
  EXPECT_EQ(least->ub.bytes, 0u);
  EXPECT_EQ(least->l0a.align, 1u);
  auto most = ParseChip(Replaced(text, "value = 196608", "value = 4294967295"), "t");
  ASSERT_TRUE(most.ok()) << most.error().ToString();
  EXPECT_EQ(most->ub.bytes, 4294967295u);
  const Rate& rate = most->rates.at("gm_to_ub");
  EXPECT_EQ(rate.bytes_per_cycle, 32);
  EXPECT_EQ(rate.head_cycles, 94);
  EXPECT_TRUE(rate.source.starts_with("Ascend C instruction performance tables"));
  EXPECT_EQ(most->BytesPerCycle("gm_to_ub"), 32);
  EXPECT_EQ(most->BytesPerCycle("nowhere"), 0);
}

// What a chip is before its file was read: nothing, and the sizes that all have.
TEST(Chip, BeforeItsFile) {
  base::Json j = ToJson(Chip());
  const base::Json all =
      base::Json::parse(R"({"runnable":false,"split":true,"cores.system_clock":50,
      "memory.gm_align":1,"memory.cache_line":64,"memory.data_block":32,"memory.repeat":256,"limits.max_repeat":255})");
  for (const auto& [key, value] : j.items()) {
    if (all.contains(key))
      EXPECT_EQ(value, all[key]) << key;
    else if (value.is_number())
      EXPECT_EQ(value, 0) << key;
    else if (value.is_array())
      EXPECT_EQ(value, base::Json::array({0, 32})) << key;
    else
      EXPECT_TRUE(value.empty() || value == "") << key;
  }
  EXPECT_EQ(j.size(), 40u);
}

constexpr const char* kTiming = R"([parameters]
launch = { value = 0, unit = "us", kind = "fitted", source = "s" }
head = { value = 2.5, unit = "us", kind = "fitted", source = "s" }
[[vector]]
rate = "add"
rate_16 = 128
rate_32 = 64
[[vector]]
rate = "div"
rate_16 = 0.5
rate_32 = 0.25
passes = 3
)";

TEST(TimingFiles, AreReadToTheLetter) {
  auto file = ParseTimingFile(kTiming, "t.toml");
  ASSERT_TRUE(file.ok()) << file.error().ToString();
  EXPECT_EQ(file->parameters, (std::map<std::string, double>{{"head", 2.5}, {"launch", 0}}));
  const auto add = file->vector.at("add"), div = file->vector.at("div");
  EXPECT_EQ(add.per_cycle[0], 128);
  EXPECT_EQ(add.per_cycle[1], 64);
  EXPECT_EQ(add.passes, 1);
  EXPECT_EQ(div.per_cycle[0], 0.5);
  EXPECT_EQ(div.per_cycle[1], 0.25);
  EXPECT_EQ(div.passes, 3);
}

TEST(TimingFiles, WhatIsWrongIsNamed) {
  const std::string number =
      "has a row without its rate's name or with a number that is not above 0";
  const struct {
    std::string from, to, message;
  } rows[] = {
      {"[parameters]", "[parameter]", "parameters is missing"},
      {"value = 2.5, ", "", "head has no value"},
      {"value = 2.5", "value = \"2\"", "head has no value"},
      {"value = 2.5", "value = -0.5", "head is not a sensible number"},
      {"value = 2.5", "value = inf", "head is not a sensible number"},
      {"value = 2.5", "value = nan", "head is not a sensible number"},
      {"value = 2.5, unit = \"us\"", "value = 2.5", "head lacks its unit, kind or source"},
      {"value = 2.5, unit = \"us\", kind = \"fitted\"", "value = 2.5, unit = \"us\"",
       "head lacks its unit, kind or source"},
      {"2.5, unit = \"us\", kind = \"fitted\", source = \"s\"",
       "2.5, unit = \"us\", kind = \"fitted\"", "head lacks its unit, kind or source"},
      {"rate_16 = 128", "rate_16 = 0", "vector " + number},
      {"rate_32 = 64", "rate_32 = 0", "vector " + number},
      {"rate_32 = 64\n", "", "vector " + number},
      {"passes = 3", "passes = 0", "vector " + number},
      {"rate = \"div\"", "rate = \"\"", "vector " + number},
  };
  for (const auto& row : rows) {
    auto file = ParseTimingFile(Replaced(kTiming, row.from, row.to), "t.toml");
    ASSERT_FALSE(file.ok()) << row.to;
    EXPECT_EQ(file.error().code, "AK0121");
    EXPECT_EQ(file.error().message, row.message);
    EXPECT_EQ(file.error().where, "t.toml");
  }
  const std::string parameters = "[parameters]\n";
  EXPECT_EQ(ParseTimingFile(parameters, "t").error().message,
            "vector is missing: one table per rate of vector instructions");
  EXPECT_EQ(ParseTimingFile("vector = [3]\n" + parameters, "t").error().message,
            "vector has a row that is not a table");
  EXPECT_EQ(ParseTimingFile("[", "t.toml").error().where, "t.toml");
  EXPECT_FALSE(LoadTimingFile("no_such_file").ok());
}

}  // namespace
}  // namespace akgen::chip
