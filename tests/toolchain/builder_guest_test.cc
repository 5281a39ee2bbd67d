// Guests: functions of the headers are compiled once for all of them.
#include "builder_fixture.h"
#include "guest/image.h"
#include "guest/ready.h"

namespace akgen::toolchain {
namespace fs = std::filesystem;
namespace {
constexpr const char* kFill = "_ZN7AscendC9DuplicateIfEEvRKNS_11LocalTensorIT_EERKS2_RKi";

class GuestBuildTest : public BuilderTest {
 protected:
  static void SetUpTestSuite() { StartWithoutHeaders(); }
  // The functions of a kernel, with `more` in front of it.
  std::map<std::string, uint64_t> FunctionsOf(const std::string& more) {
    BuildRequest r;
    r.device.arch = kArch;
    r.backend = Backend::kGuest;
    r.sources = {
        {"/project/op_kernel/k.cpp", "#include \"kernel_operator.h\"\n" + more +
                                         "extern \"C\" __global__ __aicore__ void k(GM_ADDR x) {\n"
                                         "  AscendC::LocalTensor<float> t;\n"
                                         "  AscendC::Duplicate(t, 0.0f, 8);\n}\n"}};
    r.project_dir = "/project";
    const BuildReply reply = Build(r);
    EXPECT_TRUE(reply.ok) << reply.FirstError();
    EXPECT_TRUE(reply.diagnostics.empty());
    auto file = base::ReadFile(reply.so);
    auto image = file.ok() ? guest::ReadImage(*file) : base::Result<guest::Image>(file.error());
    EXPECT_TRUE(image.ok());
    std::map<std::string, uint64_t> out;
    if (image.ok())
      for (const auto& [name, at] : image->functions) out[name] = at;
    return out;
  }
  guest::Ready Header() {
    for (const auto& entry : fs::directory_iterator(cache_->path() / "pch"))
      if (entry.path().extension() == ".o")
        return *guest::Ready::Read(*base::ReadFile(entry.path()));
    ADD_FAILURE() << "nothing was compiled in advance";
    return {};
  }
};

TEST_F(GuestBuildTest, TakesTheFunctionsOfTheHeaders) {
  EXPECT_TRUE(FunctionsOf("").contains(kFill));
  const guest::Ready header = Header();
  EXPECT_TRUE(header.Defines(kFill));
  // Its constructor, which the compiler makes, is work of the kernel that calls it.
  EXPECT_FALSE(header.Defines("_ZN7AscendC6tiling13SoftMaxTilingC2Ev"));
  EXPECT_FALSE(header.LeftOver({kFill}).contains("akgen_scalar_work"));
}

TEST_F(GuestBuildTest, SpecialisesWhatWasCompiledInAdvance) {
  FunctionsOf("template <> struct AscendC::DataCopyPadExtParams<float> { int one; };\n");
}

}  // namespace
}  // namespace akgen::toolchain
