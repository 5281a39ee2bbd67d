// Runs a task's TorchScript reference in float64: here, where task/evaluate knows its operations
// and they are few, else in akgen-reference, the process that has libtorch. Goldens are cached by
// content (script, resolved case, seed, generator version) below CacheDir()/goldens, so a repeated
// judgement starts no process and draws no reference.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/channel.h"
#include "record/graph.h"
#include "record/reference_messages.h"
#include "task/inputs.h"
#include "task/nudge.h"
#include "task/task.h"

namespace akgen::task {

class ReferenceClient {
 public:
  struct Options {
    bool cache = true;
    bool evaluate = true;               // what task/evaluate can do is not asked of libtorch
    int timeout_ms = 300000;            // for one case
    uint64_t cache_limit = 4ull << 30;  // bytes below CacheDir()/goldens; oldest files go first
    uint64_t cache_file_limit = 256u << 20;  // larger goldens are not kept
  };
  ReferenceClient() = default;
  explicit ReferenceClient(Options options) : options_(options) {}

  // The reference outputs, flat in the order of c.outputs, each rounded once to its dtype. `inputs`
  // must be GenerateInputs(task, c, seed). AK0110 the script does not compile, AK0111 it failed
  // while running, AK0112 its result does not fit the task's outputs, AK0113 akgen-reference cannot
  // be started or died, AK0114 too large.
  base::Result<TensorSet> Golden(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                                 const TensorSet& inputs);

  // The peer: the same script run in the precision of the case's widest floating input tensor,
  // every result of every operator rounded to it. Cached and refused like Golden.
  base::Result<TensorSet> Peer(const TaskSpec& task, const CaseDesc& c, uint64_t seed,
                               const TensorSet& inputs);

  // Runs the reference on given tensors, without the cache. `own_precision`: as the peer. `nudge`:
  // each floating element of the inputs, or of what arithmetic makes, is changed by up to this
  // share of itself, up or down, in one of several patterns.
  base::Result<TensorSet> Run(const TaskSpec& task, const CaseDesc& c, const TensorSet& inputs,
                              bool own_precision = false, double nudge = 0, int pattern = 0,
                              bool of_results = false);

  // The outputs in float64, with `undecided` for each sum or product whose terms do not fit float32
  // unless they cancel: in which order it is made decides there.
  base::Result<TensorSet> Crowded(const TaskSpec& task, const CaseDesc& c, const TensorSet& inputs,
                                  record::UndecidedSum undecided);

  // The outputs as float64, from inputs of float64 throughout: what integers would be had they no
  // limits. AK0111 where the script needs integers.
  base::Result<TensorSet> Exact(const TaskSpec& task, const CaseDesc& c, const TensorSet& inputs);

  // The outputs as float64, and of those that are rounded to integers what they are rounded from,
  // with all floating arithmetic in float32 (`single`) or as the reference says. AK0112 where no
  // output is rounded.
  base::Result<TensorSet> RunInSingle(const TaskSpec& task, const CaseDesc& c,
                                      const TensorSet& inputs);
  base::Result<TensorSet> RunUnrounded(const TaskSpec& task, const CaseDesc& c,
                                       const TensorSet& inputs, bool single);

  // The outputs where float32 may decide otherwise on the way: what torch.round takes, within the
  // script, is changed by `ties` of itself; and what no integer holds is converted to another one
  // than usual. AK0112 where the script does not do that.
  struct Otherwise {
    double ties = 0;
    bool conversions = false;
  };
  base::Result<TensorSet> RunOtherwise(const TaskSpec& task, const CaseDesc& c,
                                       const TensorSet& inputs, const Otherwise& otherwise);

  // The narrow variants of the reference, that are wrong in one way at one place
  // (task/reference/variants.h).
  base::Result<std::vector<record::ReferenceVariant>> Variants(const TaskSpec& task);
  // What one of them gives, in float32 (in the inputs' own dtypes where the reference is native),
  // without the cache.
  base::Result<TensorSet> RunVariant(const TaskSpec& task, const CaseDesc& c,
                                     const TensorSet& inputs,
                                     const record::ReferenceVariant& variant);
  // By operator ("erf@4"): the least and the greatest finite argument that variants on an interval
  // have in this case.
  using Arguments = std::map<std::string, std::pair<double, double>>;
  base::Result<Arguments> SeenArguments(const TaskSpec& task, const CaseDesc& c,
                                        const TensorSet& inputs);

  // What the reference does in this case. AK0115 a static graph cannot express it.
  base::Result<record::Graph> Graph(const TaskSpec& task, const CaseDesc& c,
                                    const TensorSet& inputs);

  bool last_was_cached() const { return cached_; }
  bool unreachable() const {
    return unreachable_;
  }  // libtorch was needed and akgen-reference could not be started
  bool last_was_evaluated() const { return evaluated_; }  // by Run, without libtorch

 private:
  base::Status Start();
  // Nothing: libtorch has to do it.
  std::optional<TensorSet> Evaluated(const TaskSpec& task, const CaseDesc& c,
                                     const TensorSet& inputs, bool own_precision,
                                     const Nudge& nudge);
  base::Result<TensorSet> Outputs(record::ReferenceRequest request, const CaseDesc& c,
                                  const TensorSet& inputs, std::vector<ParamDesc> outputs,
                                  record::ReferenceReply* said = nullptr);
  // `silent`: what is said of a process that does not answer, without the reason.
  base::Result<record::ReferenceReply> Ask(const record::ReferenceRequest& request,
                                           const std::vector<int>& fds, const base::Error& silent);
  base::Result<TensorSet> Cached(const TaskSpec& task, const CaseDesc& c, const std::string& key,
                                 const TensorSet& inputs, bool own_precision);

  Options options_;
  base::HelperProcess process_;
  bool cached_ = false, evaluated_ = false, unreachable_ = false;
};

// Whether Golden() ever gave this case's outputs here. The numbers, up to gigabytes, may be gone;
// the mark stays.
bool HasGolden(const TaskSpec& task, const CaseDesc& c);

// Cache key of a golden: 32 hex digits.
std::string GoldenKey(const TaskSpec& task, const CaseDesc& c, uint64_t seed);

}  // namespace akgen::task
