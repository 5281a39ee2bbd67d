// What a user can cause is a value, not an exception: Result<T> holds a T or an Error with a
// diagnostic code, Result<T, E> another reason.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace akgen::base {

// One diagnostic. `code` has a page docs/diagnostics/<code>.md; `where` is file:line or a name;
// `fix` says what to do.
struct Error {
  std::string code;
  std::string message;
  std::string where;
  std::string fix;
  std::string ToString() const;
};

template <typename T, typename E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::move(value)) {}
  Result(E error) : v_(std::move(error)) {}
  bool ok() const { return std::holds_alternative<T>(v_); }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<T>(v_); }
  const T& value() const { return std::get<T>(v_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const E& error() const { return std::get<E>(v_); }

 private:
  std::variant<T, E> v_;
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}
  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace akgen::base
