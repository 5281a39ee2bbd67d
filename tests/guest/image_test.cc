// Images and objects from anywhere: what is malformed is refused, and no byte of them is believed.
#include <elf.h>

#include <cstddef>
#include <cstring>

#include "guest/layout.h"
#include "programs.h"

namespace akgen::guest {
namespace {

TEST(Image, NamesImportsAndFunctions) {
  auto file = Link({ObjectOf("compute", 0)});
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(IsImage(*file));
  auto image = ReadImage(*file);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->imports, (std::vector<std::string>{"outside_half", "outside_twice"}));
  EXPECT_TRUE(image->functions.contains("Scramble"));
}

TEST(Image, LinksSeveralObjectsAndIsTheSameEveryTime) {
  auto once = Link({ObjectOf("compute", 0), ObjectOf("hostile", 2)});
  auto again = Link({ObjectOf("compute", 0), ObjectOf("hostile", 2)});
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(*once, *again);
  auto image = ReadImage(*once);
  ASSERT_TRUE(image.ok());
  EXPECT_TRUE(image->functions.contains("Scramble") && image->functions.contains("ReadAt"));
}

TEST(Image, TakesWhatItNeedsOfWhatIsReady) {
  auto ready = Ready::Read(ObjectOf("outside", 0));
  ASSERT_TRUE(ready.ok());
  EXPECT_TRUE(ready->Defines("outside_twice"));
  EXPECT_FALSE(ready->Defines("outside_further"));
  EXPECT_EQ(ready->LeftOver({"another", "outside_twice"}),
            (std::set<std::string>{"another", "outside_further"}));
  auto file = Link({ObjectOf("compute", 0)}, {}, *ready);
  ASSERT_TRUE(file.ok());
  auto image = ReadImage(*file);
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->imports, (std::vector<std::string>{"outside_further", "outside_half"}));
  EXPECT_TRUE(image->functions.contains("outside_twice"));
  EXPECT_FALSE(image->functions.contains("outside_unused"));
  EXPECT_FALSE(Ready::Read("nothing").ok());
}

TEST(Image, RefusesWhatIsDefinedTwice) {
  auto twice = Link({ObjectOf("compute", 0), ObjectOf("compute", 2)});
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().code, "AK0305");
}

TEST(Image, RefusesOtherFiles) {
  for (const std::string& file : {std::string(),
                                  std::string("\x7f"
                                              "ELF"),
                                  std::string(4096, 'x'), ObjectOf("compute", 0)}) {
    EXPECT_FALSE(IsImage(file));
    ASSERT_FALSE(ReadImage(file).ok());
    EXPECT_EQ(ReadImage(file).error().code, "AK0304");
  }
  EXPECT_FALSE(Link({std::string("nothing")}).ok());
}

// Every byte of the head and a sample of all others, changed: an error or an image within its
// limits, never worse. A file of three segments (8 bytes of code, 8 of constants, 4 of variables
// and 4 zero ones), and what may be said of one of them: the last that is taken, the first that is
// not.
struct Segment {
  uint64_t address, file_bytes, bytes;
  uint32_t flags;
  uint64_t offset = 512;
};
std::string FileOf(const std::vector<Segment>& segments) {
  std::string file(1024, '\x13');
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64, head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_EXEC, head.e_machine = EM_RISCV, head.e_phoff = sizeof head;
  head.e_phnum = uint16_t(segments.size());
  std::memcpy(file.data(), &head, sizeof head);
  for (size_t i = 0; i < segments.size(); ++i) {
    const Segment& s = segments[i];
    Elf64_Phdr p{};
    p.p_type = PT_LOAD, p.p_flags = s.flags, p.p_offset = s.offset, p.p_vaddr = s.address;
    p.p_filesz = s.file_bytes, p.p_memsz = s.bytes;
    std::memcpy(file.data() + sizeof head + i * sizeof p, &p, sizeof p);
  }
  return file;
}

TEST(Image, SegmentsAtTheirLimits) {
  const Segment code{kCodeBase, 8, 8, PF_R | PF_X}, constants{kConstantsBase, 8, 8, PF_R},
      variables{kVariablesBase, 4, 8, PF_R | PF_W};
  auto whole = ReadImage(FileOf({code, constants, variables}));
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole->code, (std::vector<uint32_t>(2, 0x13131313)));
  EXPECT_EQ(whole->constants, std::vector<uint8_t>(8, 0x13));
  EXPECT_EQ(whole->variables, (std::vector<uint8_t>{0x13, 0x13, 0x13, 0x13, 0, 0, 0, 0}));
  const std::string outside = "a segment lies outside the file",
                    other =
                        "a segment that is neither code, constants nor variables, or is too large";
  const struct {
    Segment segment;
    std::string refused;
  } rows[] = {
      {{kCodeBase, 512, 512, PF_R | PF_X}, ""},  // to the file's end
      {{kCodeBase, 516, 516, PF_R | PF_X}, outside},
      {{kCodeBase, 8, 4, PF_R | PF_X}, outside},  // more in the file than in memory
      {{kCodeBase, 8, 10, PF_R | PF_X}, other},   // no whole instructions
      {{kCodeBase, 8, kMaxCode, PF_R | PF_X}, ""},
      {{kCodeBase, 8, kMaxCode + 4, PF_R | PF_X}, other},
      {{kCodeBase, 8, 8, PF_R | PF_W | PF_X}, other},
      {{kCodeBase + 4, 8, 8, PF_R | PF_X}, other},
      {{kConstantsBase, 8, 9, PF_R}, ""},
      {{kConstantsBase, 8, kMaxConstants, PF_R}, ""},
      {{kConstantsBase, 8, kMaxConstants + 1, PF_R}, other},
      {{kConstantsBase, 8, 8, PF_R | PF_W}, other},
      {{kConstantsBase + 1, 8, 8, PF_R}, other},
      {{kVariablesBase, 8, kMaxVariables, PF_R | PF_W}, ""},
      {{kVariablesBase, 8, kMaxVariables + 1, PF_R | PF_W}, other},
      {{kVariablesBase, 8, 8, PF_R}, other},
      {{kVariablesBase + 8, 8, 8, PF_R | PF_W}, other},
      {{kVariablesBase, 0, 0, PF_R | PF_W, 1024}, ""},
  };
  for (const auto& row : rows) {
    const std::string file = FileOf({row.segment});
    EXPECT_TRUE(IsImage(file));
    auto image = ReadImage(file);
    EXPECT_EQ(image.ok() ? "" : image.error().message,
              row.refused.empty() ? "" : "the guest image is malformed: " + row.refused)
        << std::hex << row.segment.address << " " << row.segment.bytes;
  }
  std::string many = FileOf({code});
  many[offsetof(Elf64_Ehdr, e_phnum)] = 17;
  EXPECT_EQ(ReadImage(many).error().message, "the guest image is malformed: too many segments");
  std::string cut = FileOf({code}).substr(0, 100);
  EXPECT_EQ(ReadImage(cut).error().message,
            "the guest image is malformed: its segments lie outside the file");
  std::string note = FileOf({{kVariablesBase + 8, 8, 8, PF_R}});
  note[sizeof(Elf64_Ehdr)] = PT_NOTE;  // is not loaded, so it may be anything
  EXPECT_TRUE(ReadImage(note).ok());
}

TEST(Image, DamagedFiles) {
  auto file = Link({ObjectOf("compute", 0)});
  ASSERT_TRUE(file.ok());
  const std::string object = ObjectOf("compute", 0);
  uint64_t seed = 7;
  for (int turn = 0; turn < 4000; ++turn) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    std::string bad = turn % 2 ? object : *file;
    const size_t head = turn % 3 ? bad.size() : 512, at = size_t(seed >> 20) % head;
    bad[at] = char(seed >> 9);
    if (turn % 7 == 0) bad.resize(at);
    if (turn % 2) {
      (void)Link({bad});
      continue;
    }
    auto image = ReadImage(bad);
    if (!image.ok()) continue;
    EXPECT_LE(image->code.size() * 4, kMaxCode);
    EXPECT_LE(image->variables.size(), kMaxVariables);
    Window window;
    Program program(*image, kEngines[turn / 2 % 2], 0);
    Machine machine(program, window);
    machine.Begin(kCodeBase, std::vector<uint64_t>{5});
    (void)machine.Run(10000);
  }
}

}  // namespace
}  // namespace akgen::guest
