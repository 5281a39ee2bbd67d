#include "lm/train/state.h"

#include <ATen/ATen.h>

#include <cstring>

#include "lm/model/safetensors.h"

namespace akgen::lm {
using base::Error;

namespace {
// Tensors of the file beside the weights and moments.
constexpr const char *kPosition = "position", *kSettings = "settings";
}  // namespace

base::Status SaveState(const TrainState& s, const std::filesystem::path& file) {
  at::Tensor parts[] = {s.flat.detach().to(at::kCPU).contiguous(),
                        s.first.to(at::kCPU).contiguous(), s.second.to(at::kCPU).contiguous()};
  const char* names[] = {"weights", "moment1", "moment2"};
  int64_t position[] = {s.step, s.epoch, s.next};
  std::string settings = base::Dump(s.settings);
  std::map<std::string, TensorView> tensors;
  for (size_t i = 0; i < 3; ++i)
    tensors[names[i]] = {"F32",
                         {parts[i].numel()},
                         static_cast<const char*>(parts[i].data_ptr()),
                         size_t(parts[i].numel()) * 4};
  tensors[kPosition] = {"I64", {3}, reinterpret_cast<const char*>(position), sizeof position};
  tensors[kSettings] = {"U8", {int64_t(settings.size())}, settings.data(), settings.size()};
  return WriteTensors(file, tensors);
}

base::Result<TrainState> LoadState(const std::filesystem::path& path, int64_t size) {
  auto file = TensorFile::Open(path);
  if (!file.ok()) return file.error();
  const auto& t = file->tensors();
  auto fits = [&](const char* name, const char* dtype, int64_t n) {
    auto it = t.find(name);
    return it != t.end() && it->second.dtype == dtype && it->second.shape.size() == 1 &&
           (n < 0 || it->second.shape[0] == n);
  };
  if (!fits("weights", "F32", size) || !fits("moment1", "F32", size) ||
      !fits("moment2", "F32", size) || !fits(kPosition, "I64", 3) || !fits(kSettings, "U8", -1))
    return Error{"AK1924",
                 "the state is not one of this model (" + std::to_string(size) + " weights)",
                 path.string(),
                 "resume with the settings the run was started with, or choose another --out"};
  auto tensor = [&](const char* name) {
    at::Tensor x = at::empty({size}, at::kFloat);
    std::memcpy(x.data_ptr(), t.at(name).data, t.at(name).bytes);
    return x;
  };
  TrainState s;
  s.flat = tensor("weights"), s.first = tensor("moment1"), s.second = tensor("moment2");
  int64_t position[3];
  std::memcpy(position, t.at(kPosition).data, sizeof position);
  s.step = position[0], s.epoch = position[1], s.next = position[2];
  s.settings = base::Parse(
      {reinterpret_cast<const char*>(t.at(kSettings).data), size_t(t.at(kSettings).bytes)});
  return s;
}

}  // namespace akgen::lm
