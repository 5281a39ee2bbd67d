// Bounded memory and string functions. 0 on success; on a capacity too small they write nothing and
// say so.
#ifndef AKGEN_SECUREC_H
#define AKGEN_SECUREC_H
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

typedef int errno_t;
#ifndef EOK
#define EOK 0
#endif
#ifndef EINVAL_AND_RESET
#define EINVAL_AND_RESET 150
#define ERANGE_AND_RESET 162
#endif
#define SECUREC_MEM_MAX_LEN (0x7fffffffUL)

inline errno_t memcpy_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr) return EINVAL_AND_RESET;
  if (count > capacity) return ERANGE_AND_RESET;
  std::memcpy(to, from, count);
  return EOK;
}
inline errno_t memset_s(void* to, size_t capacity, int value, size_t count) {
  if (to == nullptr) return EINVAL_AND_RESET;
  if (count > capacity) return ERANGE_AND_RESET;
  std::memset(to, value, count);
  return EOK;
}
inline errno_t strcpy_s(char* to, size_t capacity, const char* from) {
  return from == nullptr ? EINVAL_AND_RESET : memcpy_s(to, capacity, from, std::strlen(from) + 1);
}
inline errno_t memmove_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr) return EINVAL_AND_RESET;
  if (count > capacity) return ERANGE_AND_RESET;
  std::memmove(to, from, count);
  return EOK;
}
inline errno_t strcat_s(char* to, size_t capacity, const char* from) {
  if (to == nullptr || from == nullptr) return EINVAL_AND_RESET;
  const size_t length = std::strlen(to), added = std::strlen(from);
  if (length >= capacity || added >= capacity - length) return ERANGE_AND_RESET;
  std::memcpy(to + length, from, added + 1);
  return EOK;
}
inline int vsnprintf_s(char* to, size_t capacity, size_t count, const char* format,
                       va_list arguments) {
  if (to == nullptr || count >= capacity) return -1;
  const int written = std::vsnprintf(to, count + 1, format, arguments);
  return written > static_cast<int>(count) ? -1 : written;
}
inline int snprintf_s(char* to, size_t capacity, size_t count, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int written = std::vsnprintf(to, count + 1 < capacity ? count + 1 : capacity, format, args);
  va_end(args);
  return written < 0 || static_cast<size_t>(written) > count ? -1 : written;
}
inline int sprintf_s(char* to, size_t capacity, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int written = std::vsnprintf(to, capacity, format, args);
  va_end(args);
  return written < 0 || static_cast<size_t>(written) >= capacity ? -1 : written;
}
#endif
