// A prepared statement with values bound and read by position.
#pragma once
#include <sqlite3.h>

#include <string>
#include <string_view>

namespace akgen::store {

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { rc_ = ::sqlite3_prepare_v2(db, sql, -1, &s_, nullptr); }
  ~Statement() { ::sqlite3_finalize(s_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(std::string_view v) {
    return Note(::sqlite3_bind_text(s_, ++at_, v.data(), int(v.size()), SQLITE_TRANSIENT));
  }
  Statement& Bind(int64_t v) { return Note(::sqlite3_bind_int64(s_, ++at_, v)); }
  Statement& Bind(double v) { return Note(::sqlite3_bind_double(s_, ++at_, v)); }
  // SQLITE_ROW, SQLITE_DONE or what went wrong.
  int Step() { return rc_ == SQLITE_OK ? ::sqlite3_step(s_) : rc_; }
  void Reset() {
    ::sqlite3_reset(s_);
    at_ = 0;
  }
  std::string Text(int column) const {
    auto p = reinterpret_cast<const char*>(::sqlite3_column_text(s_, column));
    return p ? std::string(p, size_t(::sqlite3_column_bytes(s_, column))) : std::string();
  }
  int64_t Int(int column) const { return ::sqlite3_column_int64(s_, column); }
  double Real(int column) const { return ::sqlite3_column_double(s_, column); }

 private:
  Statement& Note(int rc) {
    if (rc_ == SQLITE_OK) rc_ = rc;
    return *this;
  }
  sqlite3_stmt* s_ = nullptr;
  int rc_ = SQLITE_OK, at_ = 0;
};

}  // namespace akgen::store
