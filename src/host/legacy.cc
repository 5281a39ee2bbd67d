// Parts of the toolkit's host side that operators declare for themselves and that hold nothing
// here: a bank of tuned tilings (what is registered is dropped, and every tiling function computes
// its own), and a cache of tilings. The first cut of a convolution's gradient, from which its
// tiling function goes on, is the smallest here.
#include <functional>
#include <memory>
#include <string>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "register/register_types.h"

namespace tuningtiling {
using Convert = std::function<bool(const gert::TilingContext*, std::shared_ptr<void>&, size_t&)>;
using Parse = std::function<bool(const std::shared_ptr<void>&, size_t, ge::AscendString&)>;
using Load = std::function<bool(std::shared_ptr<void>&, size_t&, const ge::AscendString&)>;

class FMK_FUNC_HOST_VISIBILITY OpBankKeyFuncRegistry {
 public:
  OpBankKeyFuncRegistry(const ge::AscendString& type, const Convert& convert);
  OpBankKeyFuncRegistry(const ge::AscendString& type, const Parse& parse, const Load& load);
};
class FMK_FUNC_HOST_VISIBILITY OpBankKeyFuncRegistryV2 {
 public:
  OpBankKeyFuncRegistryV2(const ge::AscendString& type, const Convert& convert);
  OpBankKeyFuncRegistryV2(const ge::AscendString& type, const Parse& parse, const Load& load);
};

OpBankKeyFuncRegistry::OpBankKeyFuncRegistry(const ge::AscendString&, const Convert&) {}
OpBankKeyFuncRegistry::OpBankKeyFuncRegistry(const ge::AscendString&, const Parse&, const Load&) {}
OpBankKeyFuncRegistryV2::OpBankKeyFuncRegistryV2(const ge::AscendString&, const Convert&) {}
OpBankKeyFuncRegistryV2::OpBankKeyFuncRegistryV2(const ge::AscendString&, const Parse&,
                                                 const Load&) {}

class TuningTilingDef;
using TuningTilingDefConstructor = std::shared_ptr<TuningTilingDef> (*)();
class FMK_FUNC_HOST_VISIBILITY TuningTilingClassFactory {
 public:
  static void RegisterTilingData(const ge::AscendString& type,
                                 TuningTilingDefConstructor const constructor);
};
void TuningTilingClassFactory::RegisterTilingData(const ge::AscendString&,
                                                  TuningTilingDefConstructor const) {}
}  // namespace tuningtiling

namespace RuntimeKb {
// 0: found.
FMK_FUNC_HOST_VISIBILITY uint32_t QueryBank(const void*, size_t, const std::string&,
                                            const std::string&, uint32_t,
                                            std::shared_ptr<tuningtiling::TuningTilingDef>&);
uint32_t QueryBank(const void*, size_t, const std::string&, const std::string&, uint32_t,
                   std::shared_ptr<tuningtiling::TuningTilingDef>&) {
  return 1;
}
}  // namespace RuntimeKb

namespace optiling {
// Whether the cache is ready for this operator.
FMK_FUNC_HOST_VISIBILITY bool TilingPrepareForOpCache(gert::TilingContext*);
FMK_FUNC_HOST_VISIBILITY bool TilingPrepareForOpCache(gert::TilingParseContext*);
bool TilingPrepareForOpCache(gert::TilingContext*) { return true; }
bool TilingPrepareForOpCache(gert::TilingParseContext*) { return true; }

// Blocks of 16 in L0 and L1, how many there are of each, and cores along each axis.
struct Conv3dBackpropV2TBETilingData {
  int32_t m_l0, k_l0, n_l0;
  int32_t m_al1, n_bl1, k_al1, k_bl1;
  int32_t db_l0c, db_al1, db_bl1;
  int32_t batch_dim, d_dim, group_dim, m_dim, n_dim, k_dim;
};
enum OpTypeV2 : size_t {};
FMK_FUNC_HOST_VISIBILITY bool GetTbeTiling(gert::TilingContext*, Conv3dBackpropV2TBETilingData&,
                                           const OpTypeV2);
bool GetTbeTiling(gert::TilingContext*, Conv3dBackpropV2TBETilingData& cut, const OpTypeV2) {
  cut = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return true;
}
}  // namespace optiling
