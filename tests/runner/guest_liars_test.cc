// What hostile guests say of themselves changes neither what is found nor what it takes.
#include <string_view>

#include "guest_runner.h"

namespace akgen::runner {
namespace {
class Liars : public GuestRunner {
 protected:
  static const std::string& Image() {
    static const std::string image = ImageOf("liars");
    return image;
  }
  static Ran Timed(const char* entry) {
    return Run(Image(), entry, How{1, 0, 20000, 0, GuestRunner::Timed()});
  }
};

TEST_F(Liars, ConstantsAreNoComputation) {
  for (float first : {0.0f, 7.0f}) {
    EXPECT_TRUE(Run(Image(), "honest", How{1, 0, 20000, first, Json::object()}).Right(first));
    Ran r = Run(Image(), "knows_the_answer", How{1, 0, 20000, first, Json::object()});
    EXPECT_EQ(r.status(), "ok");
    EXPECT_EQ(r.Right(first), first == 0) << "values decide, whoever made them";
  }
  // An output that does not depend on the input is told apart even where it happens to be right.
  EXPECT_EQ(Run(Image(), "knows_the_answer").reply["unread"], Json::parse("[0]"));
  EXPECT_EQ(Run(Image(), "honest").reply["unread"], Json::array());
}

TEST_F(Liars, WorkIsPaidClaimedOrNot) {
  const double honest = Timed("honest").us();
  ASSERT_GT(honest, 0);
  for (const char* entry : {"claims_nothing", "claims_odd_work"}) {
    Ran r = Timed(entry);
    EXPECT_EQ(r.status(), "ok") << r.reply.dump();
    EXPECT_TRUE(r.Right());
    EXPECT_GE(r.us(),
              r.reply.value("instructions", 0.0) * Prices().scalar_least / Prices().clock_mhz)
        << entry;
    EXPECT_GT(r.us(), 2 * honest) << entry;
  }
}

TEST_F(Liars, ReadsArePaidWordByWord) {
  const double one_by_one = Timed("reads_one_by_one").us();
  ASSERT_GT(one_by_one, Timed("honest").us());
  for (const char* entry : {"announces_all_at_once", "announces_past_the_cache"}) {
    Ran r = Timed(entry);
    EXPECT_EQ(r.status(), "ok") << r.reply.dump();
    EXPECT_GE(r.us(), 0.99 * one_by_one) << entry;
  }
}

TEST_F(Liars, WhatWasHandedOverStaysAsItWas) {
  Ran r = Run(Image(), "changes_its_mind");
  EXPECT_EQ(r.status(), "ok") << r.reply.dump();
  EXPECT_TRUE(r.Right());
}

TEST_F(Liars, TwoFacesAreSeen) {
  Ran first = Run(Image(), "has_two_faces", How{1, 0, 20000, 0, {{"hash", true}}});
  ASSERT_TRUE(first.Right()) << first.reply.dump();
  Json probe{{"expect", first.reply["hash"]}, {"schedules", {1, 2, 3, 4, 5, 6, 7, 8}}};
  Ran other = Run(Image(), "has_two_faces", How{1, 0, 20000, 0, {{"probe", probe}}});
  EXPECT_TRUE(other.reply["probe"].value("differs", false)) << other.reply.dump();
  Ran honest = Run(Image(), "honest", How{1, 0, 20000, 0, {{"probe", probe}}});
  EXPECT_FALSE(honest.reply["probe"].value("differs", true)) << honest.reply.dump();
}

// Whatever it does, the answer says so in the words of this side, the same on every run.
TEST_F(Liars, EachEndIsExplained) {
  struct Row {
    const char* entry;
    std::string_view ends;  // "" : it goes on, and what was found is told
  };
  const Row rows[] = {{"counts_wrongly", ""},
                      {"strides_backwards", ""},
                      {"writes_by_every_pointer", ""},
                      {"frees_twice", ""},
                      {"odd_events", ""},
                      {"sets_too_often", ""},
                      {"odd_buffers", ""},
                      {"masks_to_nowhere", "stopped"},
                      {"invents_handles", "stopped"},
                      {"odd_pipes", "crash"},
                      {"odd_cross_pipe", "crash"},
                      {"waits_for_ever", "deadlock"},
                      {"waits_for_no_block", ""},
                      {"waits_for_itself", "deadlock"},
                      {"prints_what_is_not_there", "stopped"},
                      {"asserts_without_end", "stopped"},
                      {"unsupported_without_end", "unsupported"},
                      {"calls_no_function", "crash"},
                      {"recurses", "stopped"}};
  for (const Row& row : rows) {
    Ran r = Run(Image(), row.entry);
    if (row.ends.empty())
      EXPECT_TRUE(!r.reply["findings"].empty()) << row.entry << r.reply.dump();
    else
      EXPECT_EQ(r.status(), row.ends) << row.entry << r.reply.dump();
    EXPECT_EQ(Comparable(r.reply), Comparable(Run(Image(), row.entry).reply)) << row.entry;
  }
}

TEST_F(Liars, PrintsAreOnlyText) {
  Ran r = Run(Image(), "prints_any_bytes");
  EXPECT_EQ(r.status(), "ok");
  EXPECT_TRUE(r.Right());
  EXPECT_LE(r.reply.value("print", "").size(),
            3u * 65536);  // what is no text is written as three bytes
  for (const char* entry : {"turns_of_nobody", "odd_tpipe"})
    EXPECT_TRUE(Run(Image(), entry).Right()) << entry;
}

TEST_F(Liars, NoWayToGoOnForEver) {
  for (const char* entry :
       {"fills_for_ever", "issues_for_ever", "makes_queues_for_ever", "returns_into_calls"}) {
    // On a machine that has no time for it nothing is known of the kernel: asked again.
    const How how{1, 0, 1000, 0, Json::object(), 1u << 30};
    Ran r = Run(Image(), entry, how);
    for (int turn = 0; turn < 4 && r.Starved(); ++turn) r = Run(Image(), entry, how);
    EXPECT_TRUE(r.status() == "timeout" || r.status() == "memory") << entry << r.reply.dump();
  }
  EXPECT_EQ(Run(Image(), "is_everywhere").status(), "ok");
}

}  // namespace
}  // namespace akgen::runner
