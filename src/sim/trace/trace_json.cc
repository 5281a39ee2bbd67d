#include "sim/trace/trace_json.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

namespace akgen::sim {
namespace {
using base::Json;

Json ShapeJson(const TraceEvent& e) {
  return {int(e.kind), e.pipe,    e.bits,       e.bypass,      e.op,      e.bursts,
          e.n,         e.repeats, e.bank_reads, e.bank_writes, e.address, e.stride};
}

TraceEvent ShapeFromJson(const Json& j) {
  TraceEvent e;
  const unsigned kind = j.at(0), pipe = j.at(1), op = j.at(4);
  if (kind > unsigned(TraceKind::kCrossWait) || pipe >= AKGEN_PIPE_COUNT || op >= AKGEN_OP_COUNT_)
    base::ThrowJsonShape("a record of a trace that no chip makes");
  e.kind = TraceKind(kind), e.pipe = uint8_t(pipe), e.op = uint16_t(op);
  e.bits = j.at(2), e.bypass = j.at(3), e.bursts = j.at(5), e.n = j.at(6), e.repeats = j.at(7);
  e.bank_reads = j.at(8), e.bank_writes = j.at(9), e.address = j.at(10), e.stride = j.at(11);
  if (!std::isfinite(e.bank_reads) || !std::isfinite(e.bank_writes))
    base::ThrowJsonShape("a record of a trace that no chip makes");
  return e;
}

uint32_t WordAt(const std::string& text, size_t i) {
  if (8 * i + 8 > text.size()) base::ThrowJsonShape("a trace that ends within a record");
  uint32_t word = 0;
  for (char c : text.substr(8 * i, 8)) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) base::ThrowJsonShape("a character that is not a hexadecimal digit");
    word = word << 4 | uint32_t(digit);
  }
  return word;
}
}  // namespace

Json ToJson(const Trace& trace) {
  if (trace.cut() || trace.records() > kMaxRecordsToSend) return nullptr;
  Json out{{"shapes", Json::array()}, {"blocks", Json::array()}, {"executed", Json::array()}};
  if (trace.cube()) out["cores"] = {trace.cube(), trace.vector()};
  for (const TraceEvent& e : trace.shapes()) out["shapes"].push_back(ShapeJson(e));
  for (uint32_t b = 0; b < trace.block_count(); ++b) {
    std::string text;
    text.reserve(trace.words(b).size() * 8);
    for (uint32_t word : trace.words(b)) fmt::format_to(std::back_inserter(text), "{:08x}", word);
    out["blocks"].push_back(std::move(text));
    out["executed"].push_back(trace.executed(b));
  }
  return out;
}

Trace TraceFromJson(const Json& j) {
  std::vector<TraceEvent> shapes;
  for (const Json& one : j.at("shapes")) shapes.push_back(ShapeFromJson(one));
  const Json& blocks = j.at("blocks");
  Trace out(uint32_t(blocks.size()), kMaxRecordsToSend);
  if (j.contains("cores")) {
    const uint32_t cube = j.at("cores").at(0), vector = j.at("cores").at(1);
    if (cube > 1 || vector > 2 || cube + vector == 0 || blocks.size() % (cube + vector))
      base::ThrowJsonShape("a block of cores that no chip has");
    out.SetCores(cube, vector);
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const auto& text = blocks[b].get_ref<const std::string&>();
    for (size_t i = 0; 8 * i < text.size();) {
      const uint32_t shape = WordAt(text, i++);
      if (shape >= shapes.size()) base::ThrowJsonShape("a record of a trace that no chip makes");
      TraceEvent e = shapes[shape];
      if (HasCount(e.kind)) e.n = WordAt(text, i++);
      if (HasPlace(e.kind))
        e.address = WordAt(text, i) | uint64_t(WordAt(text, i + 1)) << 32, i += 2;
      out.Add(b, e);
    }
    out.Executed(b, j.at("executed").at(b));
  }
  return out;
}

}  // namespace akgen::sim
