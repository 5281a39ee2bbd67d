// What host code may call: a list of what is allowed. Tiling needs C++'s containers, strings and
// streams, memory and mathematics; files, clocks, threads, processes and the environment are on no
// list.
#include <cctype>
#include <set>
#include <string_view>

#include "judge/session/rules.h"

namespace akgen::judge {
namespace {
bool Mathematics(std::string name) {
  static const std::set<std::string> kNames = {
      "sin",   "cos",    "tan",    "asin",      "acos",   "atan",      "atan2",    "sinh",
      "cosh",  "tanh",   "asinh",  "acosh",     "atanh",  "exp",       "exp2",     "expm1",
      "log",   "log2",   "log10",  "log1p",     "pow",    "sqrt",      "cbrt",     "hypot",
      "fabs",  "fmax",   "fmin",   "fdim",      "fmod",   "remainder", "ceil",     "floor",
      "round", "trunc",  "rint",   "nearbyint", "lround", "llround",   "lrint",    "llrint",
      "ldexp", "frexp",  "modf",   "scalbn",    "logb",   "ilogb",     "copysign", "erf",
      "erfc",  "tgamma", "lgamma", "fma",       "abs",    "labs",      "llabs",    "div",
      "ldiv",  "nan"};
  if (kNames.contains(name)) return true;
  if (!name.empty() && (name.back() == 'f' || name.back() == 'l')) name.pop_back();
  return kNames.contains(name);
}

// Of the C library, beside mathematics. (clang-format would put one name on a line.)
// clang-format off
const std::set<std::string> kOfC = {
      "memcpy", "memmove", "memset", "memcmp", "memchr", "strlen", "strnlen", "strcmp", "strncmp", "strcpy",
      "strncpy", "strcat", "strncat", "strchr", "strrchr", "strstr", "strtol", "strtoll", "strtoul", "strtoull",
      "strtod", "strtof", "atoi", "atol", "atoll", "atof", "__isoc23_strtol", "__isoc23_strtoll",
      "__isoc23_strtoul", "__isoc23_strtoull", "snprintf", "sprintf", "vsnprintf", "vsprintf", "printf",
      "vprintf", "fprintf", "puts", "putchar", "fputs", "fputc", "fwrite", "fflush", "stdout", "stderr",
      "malloc", "calloc", "realloc", "free", "qsort", "bsearch", "abort", "__assert_fail",
      "__stack_chk_fail", "__errno_location", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower",
      "toupper", "tolower", "__ctype_b_loc", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_mutex_init",
      "pthread_mutex_destroy", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_rwlock_unlock",
      "pthread_once", "pthread_self", "__once_proxy", "__gxx_personality_v0", "__libc_single_threaded",
      "__dso_handle", "__tls_get_addr", "_GLOBAL_OFFSET_TABLE_", "memcpy_s", "memmove_s", "memset_s",
      "strcpy_s", "strncpy_s", "strcat_s", "sprintf_s", "snprintf_s", "vsnprintf_s", "CheckLogLevel", "DlogRecord",
      // answered with nothing, and said so (host/log.cc)
      "getenv", "secure_getenv",
      // what a JSON library asks the decimal point of
      "localeconv"};

// Of C++'s own library: classes, namespaces and functions, by the first name below std (and below std::__cxx11).
const std::set<std::string, std::less<>> kOfStd = {
      // containers, strings, memory
      "vector", "map", "set", "list", "deque", "array", "unordered_map", "unordered_set", "bitset", "pair", "tuple", "basic_string",
      "basic_string_view", "allocator", "char_traits", "shared_ptr", "__shared_ptr", "__shared_count", "_Sp_counted_base",
      "_Sp_counted_ptr_inplace", "_Sp_make_shared_tag", "unique_ptr", "function", "_Function_base", "__detail", "pmr",
      "_Rb_tree_increment", "_Rb_tree_decrement", "_Rb_tree_insert_and_rebalance", "_Rb_tree_rebalance_for_erase",
      "_Hash_bytes", "_Fnv_hash_bytes", "hash", "nothrow", "align", "to_chars", "from_chars",
      // streams in memory and the standard ones, which are captured
      "basic_ostream", "basic_istream", "basic_iostream", "basic_ios", "ios_base", "basic_streambuf", "basic_stringbuf",
      "basic_ostringstream", "basic_istringstream", "basic_stringstream", "cout", "cerr", "clog", "endl", "flush", "ws", "getline",
      "__ostream_insert", "__ostream_fill", "locale", "ctype", "ctype_byname", "num_put", "num_get", "numpunct", "use_facet",
      "has_facet",
      // errors
      "exception", "bad_alloc", "bad_array_new_length", "bad_cast", "bad_typeid", "bad_function_call", "bad_exception",
      "bad_weak_ptr", "bad_optional_access", "bad_variant_access", "bad_any_cast", "runtime_error", "logic_error", "out_of_range",
      "invalid_argument", "length_error", "domain_error", "range_error", "overflow_error", "underflow_error", "system_error", "_V2",
      "error_code", "error_category", "type_info", "terminate", "uncaught_exception", "uncaught_exceptions", "__exception_ptr",
      "current_exception", "rethrow_exception", "nested_exception",
      // one thread may still take a lock
      "mutex", "recursive_mutex", "once_flag", "__once_call", "__once_callable"};
// clang-format on

// What include/ascendc offers to host code: namespaces, and the log's functions.
constexpr std::string_view kOfAscendC[] = {
    "ops",     "gert",          "ge",           "optiling",  "platform_ascendc", "fe",
    "AscendC", "matmul_tiling", "tuningtiling", "RuntimeKb", "AkgenHostLog"};

bool AllowedInC(const std::string& name) {
  return name.starts_with("__cxa_") || name == "__dynamic_cast" || name.starts_with("_Unwind_") ||
         kOfC.contains(name) || Mathematics(name);
}

// The next "6vector" of a mangled name; empty when something else comes.
std::string_view TakeName(std::string_view* mangled) {
  size_t digits = 0, length = 0;
  while (digits < mangled->size() && digits < 4 &&
         std::isdigit(static_cast<unsigned char>((*mangled)[digits])))
    length = length * 10 + size_t((*mangled)[digits++] - '0');
  if (length == 0 || length > mangled->size() - digits) return {};
  std::string_view name = mangled->substr(digits, length);
  mangled->remove_prefix(digits + length);
  return name;
}

bool AllowedInStd(std::string_view below) {
  std::string_view name = TakeName(&below);
  if (name == "__cxx11") name = TakeName(&below);
  // An operator, as the stream's <<: its operands are of the classes above.
  if (name.empty()) return below.size() > 2 && std::islower(static_cast<unsigned char>(below[0]));
  return kOfStd.contains(name) || name.starts_with("__throw_");
}

// By where its name begins: "_Z", then what kind of thing it is, then the outermost name.
bool AllowedInCpp(std::string_view s) {
  s.remove_prefix(2);
  for (const char* allocation : {"nw", "na", "dl", "da"})
    if (s.starts_with(allocation)) return true;
  for (const char* kind : {"TV", "TT", "TI", "TS", "GV"})
    if (s.starts_with(kind)) s.remove_prefix(2);
  if (s.starts_with("Th") || s.starts_with("Tv"))  // a thunk: the distance goes before the name
    while (!s.empty() && s[0] != 'N') s.remove_prefix(1);
  if (s.starts_with("N")) s.remove_prefix(1);
  while (s.starts_with("K") || s.starts_with("V") || s.starts_with("R") || s.starts_with("O"))
    s.remove_prefix(1);
  if (s.starts_with("St")) return AllowedInStd(s.substr(2));
  if (s.starts_with("S"))
    return s.size() > 1 &&
           std::string_view("osabid").find(s[1]) != std::string_view::npos;  // ostream, string …
  if (s.starts_with("10__cxxabiv1") || s.starts_with("9__gnu_cxx")) return true;
  std::string_view rest = s, name = TakeName(&rest);
  if (name.empty()) return s.size() == 1 || s.starts_with("P");  // typeinfo of plain types
  for (std::string_view space : kOfAscendC)
    if (name == space) return true;
  return false;
}
}  // namespace

std::optional<std::string> ClosedToHost(const std::vector<std::string>& symbols) {
  for (const std::string& s : symbols)
    if (!(s.starts_with("_Z") ? AllowedInCpp(s) : AllowedInC(s))) return s;
  return std::nullopt;
}

std::optional<Breach> BreachInHostImports(const std::vector<std::string>& symbols) {
  const auto closed = ClosedToHost(symbols);
  if (!closed) return std::nullopt;
  return Breach{
      "AK0603",
      "host code calls '" + *closed + "': tiling depends on shapes, dtypes and attributes alone",
      "op_host",
      "remove the call; files, clocks, threads, processes and the environment are closed to host "
      "code",
      0};
}

}  // namespace akgen::judge
