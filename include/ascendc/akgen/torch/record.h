// AKGEN_RECORD_LAUNCHES: what a binding asks of the device is written down in place of being done.
// Kernels are not run (each is replaced by a function that names its arguments), tensors hold
// nothing. launches.json, in the working directory, then has what judge/kernelbench/host.h reads:
//   "storages": [[bytes, number of the argument or -1]…], "steps": [["launch", kernel, blocks,
//   [ARG…]] |
//   ["copy", to, offset, from, offset, bytes] | ["fill", to, offset, hex, times]…], "results":
//   [TENSOR…]
// ARG: [storage, offset], "hex bytes" of a number or structure, or null; TENSOR: {"storage",
// "offset", "sizes", "strides", "dtype"}. Offsets in bytes.
#ifndef AKGEN_AKGEN_TORCH_RECORD_H
#define AKGEN_AKGEN_TORCH_RECORD_H
#include <cstring>
#include <fstream>

#include "akgen/torch/types.h"

namespace akgen_torch {
// Ends the program: what it does is nothing that is wrong, and akgen does not record it.
[[noreturn]] inline void NotRecorded(const std::string& what) {
  std::fprintf(stderr, "unsupported: %s\n", what.c_str());
  std::fflush(stderr);
  std::_Exit(3);
}

class Recorder {
 public:
  static Recorder& Get() {
    static Recorder* const recorder = new Recorder;  // kernels may be launched by what ends last
    return *recorder;
  }
  void* Made(size_t bytes, int argument = -1) {
    storages_.push_back(
        {static_cast<uint8_t*>(std::calloc(bytes ? bytes : 1, 1)), bytes, argument});
    return storages_.back().memory;
  }
  void Copy(const void* to, const void* from, size_t bytes) {
    const Place t = Of(to), f = Of(from);
    if (!copies_ || t.storage != last_to_.storage || f.storage != last_from_.storage ||
        t.offset != last_to_.offset + last_bytes_ || f.offset != last_from_.offset + last_bytes_) {
      EndCopy();
      last_to_ = t, last_from_ = f, last_bytes_ = 0, copies_ = true;
    }
    last_bytes_ += bytes;
  }
  // What the host writes: `each` bytes at a time where they are all alike.
  void Fill(const void* to, const void* from, size_t bytes, size_t each) {
    EndCopy();
    const auto* source = static_cast<const uint8_t*>(from);
    bool alike = each != 0 && bytes % each == 0;
    for (size_t i = each; alike && i < bytes; i += each)
      alike = std::memcmp(source, source + i, each) == 0;
    const Place t = Of(to);
    Step("[\"fill\"," + Text(t) + ",\"" + Hex(source, alike ? each : bytes) + "\"," +
         std::to_string(alike ? bytes / each : 1) + "]");
  }
  void Start(uint32_t blocks) { blocks_ = blocks; }
  template <typename... Args>
  void Kernel(const char* name, const Args&... args) {
    EndCopy();
    std::string list;
    ((list += (list.empty() ? "" : ",") + Argument(args)), ...);
    Step("[\"launch\",\"" + std::string(name) + "\"," + std::to_string(blocks_) + ",[" + list +
         "]]");
  }
  void Result(const std::string& dtype, const void* data, const std::string& sizes,
              const std::string& strides) {
    results_ += (results_.empty() ? "" : ",\n ") + std::string("{\"dtype\":\"") + dtype +
                "\",\"sizes\":" + sizes + ",\"strides\":" + strides + ",\"place\":[" +
                Text(Of(data)) + "]}";
  }
  void Write(const char* file) {
    EndCopy();
    std::string storages;
    for (const Storage& s : storages_)
      storages += (storages.empty() ? "[" : ",[") + std::to_string(s.bytes) + "," +
                  std::to_string(s.argument) + "]";
    std::ofstream(file) << "{\"storages\":[" << storages << "],\n\"steps\":[" << steps_
                        << "],\n\"results\":[" << results_ << "]}\n";
  }

 private:
  struct Storage {
    uint8_t* memory;
    size_t bytes;
    int argument;
  };
  struct Place {
    size_t storage = 0, offset = 0;
  };
  Place Of(const void* at) const {
    const auto* p = static_cast<const uint8_t*>(at);
    for (size_t i = storages_.size(); i-- > 0;)
      if (p >= storages_[i].memory && p <= storages_[i].memory + storages_[i].bytes)
        return {i, size_t(p - storages_[i].memory)};
    NotRecorded("an address that is no tensor's");
  }
  static std::string Text(Place p) {
    return std::to_string(p.storage) + "," + std::to_string(p.offset);
  }
  static std::string Hex(const uint8_t* at, size_t bytes) {
    if (bytes > 65536) NotRecorded("more than 64 KiB of values that the host writes into a tensor");
    std::string out;
    for (size_t i = 0; i < bytes; ++i)
      out += "0123456789abcdef"[at[i] >> 4], out += "0123456789abcdef"[at[i] & 15];
    return out;
  }
  template <typename T>
  std::string Argument(const T& v) const {
    if constexpr (std::is_pointer_v<T>)
      return v ? "[" + Text(Of((const void*)v)) + "]" : "null";
    else
      return "\"" + Hex(reinterpret_cast<const uint8_t*>(&v), sizeof v) + "\"";
  }
  void EndCopy() {
    if (copies_ && last_bytes_)
      Step("[\"copy\"," + Text(last_to_) + "," + Text(last_from_) + "," +
           std::to_string(last_bytes_) + "]");
    copies_ = false;
  }
  void Step(const std::string& step) {
    if (steps_.size() > (size_t{64} << 20)) NotRecorded("more steps than can be recorded");
    steps_ += (steps_.empty() ? "" : ",\n ") + step;
  }

  std::vector<Storage> storages_;
  std::string steps_, results_;
  uint32_t blocks_ = 0;
  bool copies_ = false;
  Place last_to_, last_from_;
  size_t last_bytes_ = 0;
};
}  // namespace akgen_torch

extern "C" inline void akgen_recorded_launch(uint32_t blocks) {
  akgen_torch::Recorder::Get().Start(blocks);
}
#endif
