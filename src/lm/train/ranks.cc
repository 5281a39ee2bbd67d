#include "lm/train/ranks.h"

#include <ATen/ATen.h>
#include <signal.h>

#include <charconv>
#include <cstdlib>
#include <string>

#ifdef AKGEN_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif

namespace akgen::lm {
using base::Error;

namespace {
Error BadRanks(const std::string& why) {
  return {"AK1927", why, "environment",
          "set RANK (from 0), WORLD_SIZE, MASTER_ADDR and MASTER_PORT in every process, as "
          "torchrun does"};
}

std::string Said(const char* name) {
  const char* v = std::getenv(name);
  return v ? v : "";
}

base::Result<int64_t> Number(const char* name, int64_t low, int64_t high) {
  const std::string text = Said(name);
  int64_t v = 0;
  auto [end, e] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (e != std::errc() || end != text.data() + text.size() || v < low || v > high)
    return BadRanks(std::string(name) + " is `" + text + "`, a number from " + std::to_string(low) +
                    " to " + std::to_string(high) + " is expected");
  return v;
}

#ifdef AKGEN_GLOO
std::function<void(at::Tensor&)> Connect(int64_t rank, int64_t size, const std::string& address,
                                         int64_t port) {
  ::signal(SIGPIPE, SIG_IGN);  // a peer that is gone is an error of the call that meets it
  c10d::TCPStoreOptions where;
  where.port = uint16_t(port), where.isServer = rank == 0, where.numWorkers = size_t(size),
  where.timeout = std::chrono::minutes(5);
  auto store = c10::make_intrusive<c10d::TCPStore>(address, where);
  auto options = c10d::ProcessGroupGloo::Options::create();
  const std::string wire = Said("GLOO_SOCKET_IFNAME");
  options->devices.push_back(wire.empty() ? c10d::ProcessGroupGloo::createDefaultDevice()
                                          : c10d::ProcessGroupGloo::createDeviceForInterface(wire));
  auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, int(rank), int(size), options);
  return [group](at::Tensor& t) {
    std::vector<at::Tensor> one = {t.is_cpu() && t.is_contiguous() ? t : t.cpu().contiguous()};
    group->allreduce(one)->wait();
    if (!one[0].is_same(t)) t.copy_(one[0]);
  };
}
#endif
}  // namespace

base::Result<Ranks> Ranks::FromEnvironment() {
  Ranks out;
  if (Said("WORLD_SIZE").empty()) return out;
  auto size = Number("WORLD_SIZE", 1, 4096);
  if (!size.ok()) return size.error();
  if (*size == 1) return out;
  auto rank = Number("RANK", 0, *size - 1), port = Number("MASTER_PORT", 1, 65535);
  if (!rank.ok()) return rank.error();
  if (!port.ok()) return port.error();
  if (Said("MASTER_ADDR").empty()) return BadRanks("MASTER_ADDR is empty");
  out.rank_ = *rank, out.size_ = *size;
#ifdef AKGEN_GLOO
  try {
    out.sum_ = Connect(*rank, *size, Said("MASTER_ADDR"), *port);
  } catch (const std::exception& e) {
    const std::string why = e.what();
    return Error{
        "AK1927",
        "the " + std::to_string(*size) +
            " processes did not meet: " + why.substr(0, why.find('\n')),
        Said("MASTER_ADDR") + ":" + std::to_string(*port),
        "start all of them within five minutes, with the same MASTER_ADDR and a free MASTER_PORT"};
  }
  return out;
#else
  return Error{"AK1927",
               "this akgen-lm was built without Gloo, by which processes exchange gradients",
               "environment",
               "install libgloo-dev, then configure and build again; or train in one process"};
#endif
}

void Ranks::AllReduce(at::Tensor& t) const {
  if (!sum_) return;
  try {
    sum_(t);
  } catch (const std::exception& e) {
    const std::string why = e.what();
    throw RankLost(why.substr(0, why.find('\n')));
  }
}

}  // namespace akgen::lm
