// A repository of tuned tilings, which operators register what they look up in. There is none here: what is registered
// is dropped, and every tiling function computes its own. The classes are declared by the operators' own headers.
#include <functional>
#include <memory>
#include <string>

#include "exe_graph/runtime/tiling_context.h"
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
OpBankKeyFuncRegistryV2::OpBankKeyFuncRegistryV2(const ge::AscendString&, const Parse&, const Load&) {}

class TuningTilingDef;
using TuningTilingDefConstructor = std::shared_ptr<TuningTilingDef> (*)();
class FMK_FUNC_HOST_VISIBILITY TuningTilingClassFactory {
 public:
  static void RegisterTilingData(const ge::AscendString& type, TuningTilingDefConstructor const constructor);
};
void TuningTilingClassFactory::RegisterTilingData(const ge::AscendString&, TuningTilingDefConstructor const) {}
}  // namespace tuningtiling

namespace RuntimeKb {
// 0: found.
FMK_FUNC_HOST_VISIBILITY uint32_t QueryBank(const void*, size_t, const std::string&, const std::string&, uint32_t,
                                            std::shared_ptr<tuningtiling::TuningTilingDef>&);
uint32_t QueryBank(const void*, size_t, const std::string&, const std::string&, uint32_t,
                   std::shared_ptr<tuningtiling::TuningTilingDef>&) {
  return 1;
}
}  // namespace RuntimeKb
