// Log macros of the operator-base library, for host code that is built without it: they go into the
// log of the current call (toolchain/slog.h).
#ifndef AKGEN_OP_COMMON_LOG_LOG_H
#define AKGEN_OP_COMMON_LOG_LOG_H
#include "akgen/host_std.h"
#include "base/err_msg.h"
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "toolchain/slog.h"

constexpr int32_t OP_MODULE_ID = 63;

namespace Ops {
namespace Base {
// Whose message it is: a name, or the type and the name of a context's operator.
inline std::string GetOpInfo(const std::string& name) { return name; }
inline std::string GetOpInfo(const char* name) { return name == nullptr ? "nil" : name; }
template <typename Context, typename = decltype(std::declval<Context>()->GetNodeType())>
std::string GetOpInfo(Context context) {
  if (context == nullptr) return "nil:nil";
  return GetOpInfo(context->GetNodeType()) + ":" + GetOpInfo(context->GetNodeName());
}

inline std::string ToString(ge::DataType type) {
  return ge::TypeUtils::DataTypeToSerialString(type);
}
inline std::string ToString(ge::Format format) {
  return ge::TypeUtils::FormatToSerialString(format);
}
inline std::string ToString(const gert::Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.GetDimNum(); ++i)
    out += (i ? ", " : "") + std::to_string(shape.GetDim(i));
  return out + "]";
}
inline std::string ToString(const std::vector<const gert::Shape*>& shapes) {
  std::string out;
  for (const gert::Shape* shape : shapes)
    out += (out.empty() ? "" : ", ") + (shape ? ToString(*shape) : "nil");
  return out;
}

inline uint64_t GetTid() { return 1; }
inline const char* GetSafeStr(const char* text) { return text; }
inline const char* GetSafeStr(const std::string& text) { return text.c_str(); }

inline std::string AkgenText(const std::string& text) { return text; }
inline std::string AkgenText(const char* text) { return text == nullptr ? "nil" : text; }
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
std::string AkgenText(T number) {
  return std::to_string(number);
}
template <typename Who, typename... Args>
void AkgenComplain(const char* what, const Who& who, const Args&... args) {
  std::string text = GetOpInfo(who) + ": " + what;
  ((text += " [" + AkgenText(args) + "]"), ...);
  AkgenHostLog(DLOG_ERROR, "%s", text.c_str());
}
}  // namespace Base
}  // namespace Ops

#define AKGEN_OP_LOG(level, who, format, ...) \
  AkgenHostLog((level), "%s: " format, Ops::Base::GetOpInfo(who).c_str(), ##__VA_ARGS__)
#define OP_LOGE(who, ...) AKGEN_OP_LOG(DLOG_ERROR, who, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(who, ...) AKGEN_OP_LOG(DLOG_ERROR, who, __VA_ARGS__)
#define OP_LOGW(who, ...) AKGEN_OP_LOG(DLOG_WARN, who, __VA_ARGS__)
#define OP_LOGI(who, ...) AKGEN_OP_LOG(DLOG_INFO, who, __VA_ARGS__)
#define OP_LOGD(who, ...) AKGEN_OP_LOG(DLOG_DEBUG, who, __VA_ARGS__)
#define D_OP_LOGE(who, ...) AKGEN_OP_LOG(DLOG_ERROR, who, __VA_ARGS__)
#define D_OP_LOGW(who, ...) AKGEN_OP_LOG(DLOG_WARN, who, __VA_ARGS__)
#define D_OP_LOGI(who, ...) AKGEN_OP_LOG(DLOG_INFO, who, __VA_ARGS__)
#define D_OP_LOGD(who, ...) AKGEN_OP_LOG(DLOG_DEBUG, who, __VA_ARGS__)
#define OpLogSub(module, level, who, ...) ((void)(module), AKGEN_OP_LOG(level, who, __VA_ARGS__))
#define OpLogErrSub(module, level, who, ...) ((void)(module), AKGEN_OP_LOG(level, who, __VA_ARGS__))
#ifndef unlikely
#define unlikely(x) __builtin_expect((x), 0)
#define likely(x) __builtin_expect((x), 1)
#endif
#define OP_CHECK_IF(condition, log, return_expr) \
  do {                                           \
    if (condition) {                             \
      log;                                       \
      return_expr;                               \
    }                                            \
  } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)      \
  do {                                                    \
    if ((pointer) == nullptr) {                           \
      OP_LOGE(context, "%s is a null pointer", #pointer); \
      return ge::GRAPH_FAILED;                            \
    }                                                     \
  } while (0)

// Predefined complaints: the operator, then what is wrong and what it should be.
#define OP_LOGE_WITH_INVALID_INPUT_SHAPE(...) \
  Ops::Base::AkgenComplain("invalid input shape", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR(...) Ops::Base::AkgenComplain("invalid attr", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(...) \
  Ops::Base::AkgenComplain("invalid attr size", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT(...) Ops::Base::AkgenComplain("invalid input", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE(...) \
  Ops::Base::AkgenComplain("invalid input shapesize", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(...) \
  Ops::Base::AkgenComplain("invalid input format", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(...) \
  Ops::Base::AkgenComplain("invalid input dtype", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE(...) Ops::Base::AkgenComplain("invalid shape", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shape with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shapes with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(...) Ops::Base::AkgenComplain("invalid shapedim", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shapedim with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shapedims with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(...) \
  Ops::Base::AkgenComplain("invalid shapesize", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shapesize with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid shapesizes with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT(...) Ops::Base::AkgenComplain("invalid format", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid format with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid formats with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE(...) Ops::Base::AkgenComplain("invalid dtype", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid dtype with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid dtypes with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUM(...) \
  Ops::Base::AkgenComplain("invalid tensornum", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid tensornums with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE(...) Ops::Base::AkgenComplain("invalid value", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE(...) Ops::Base::AkgenComplain("invalid listsize", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid value with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid values with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_STRIDE(...) Ops::Base::AkgenComplain("invalid stride", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_PATH(...) Ops::Base::AkgenComplain("file path", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_OPEN(...) Ops::Base::AkgenComplain("file open", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_PARSE(...) Ops::Base::AkgenComplain("file parse", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_CONFIG(...) Ops::Base::AkgenComplain("invalid config", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_CONFIG_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid config with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_CONFIGS_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid configs with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_GRAPH_NODE(...) \
  Ops::Base::AkgenComplain("invalid graph node", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid argument with reason", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(...) \
  Ops::Base::AkgenComplain("invalid listsize with reason", __VA_ARGS__)
#endif
