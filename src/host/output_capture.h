// Collects what host code prints (printf, std::cout) while it runs, so that it cannot mix with a
// protocol.
#pragma once
#include <string>

namespace akgen::host {

class OutputCapture {
 public:
  OutputCapture();   // redirects standard output to memory; does nothing when the system refuses
  ~OutputCapture();  // restores it
  // At most `limit` bytes from the start of what was printed.
  std::string Take(size_t limit);

 private:
  int memory_ = -1;
  int saved_ = -1;
};

}  // namespace akgen::host
