// Structured fuzzing of everything that reads what others made. A door is a name, texts that it
// takes, and a function that reads one text as the program would; a new reader is one AKGEN_DOOR in
// a doors_*.cc.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"

namespace akgen::fuzz {

// How far an input came: it was no JSON (or no text of the language), it was read and refused, or
// it was taken.
enum class Depth { kUnreadable, kRefused, kTaken };

struct Door {
  std::string name;
  std::vector<std::string> seeds;                      // valid ones
  std::function<Depth(const std::string& text)> read;  // neither throws nor ends the process
};

std::vector<Door>& Doors();
struct Registered {
  Registered(std::string name, std::vector<std::string> seeds,
             std::function<Depth(const std::string&)> read) {
    Doors().push_back({std::move(name), std::move(seeds), std::move(read)});
  }
};
// Doors that are found in what the program itself lists; asked for when main() has begun.
std::vector<void (*)()>& DoorFinders();
struct FoundBy {
  explicit FoundBy(void (*finder)()) { DoorFinders().push_back(finder); }
};
#define AKGEN_DOOR(id, name, seeds, ...) \
  static const ::akgen::fuzz::Registered id(name, seeds, __VA_ARGS__)

// What a Status or Result says about the depth, for a text that is JSON line by line or as a whole.
bool IsJson(const std::string& text);
template <class R>
Depth DepthOf(const R& result, const std::string& text) {
  return result.ok() ? Depth::kTaken : IsJson(text) ? Depth::kRefused : Depth::kUnreadable;
}

// A folder in memory, where there is one, that all inputs of a process are written to.
const std::filesystem::path& Folder();
std::filesystem::path Written(const std::string& name, const std::string& text);

// One changed text: mostly one value, key or element of the JSON of one line is replaced, taken
// away, doubled or moved; the rest are changed bytes. The same for the same seed.
std::string Mutated(const std::string& text, uint64_t seed);

}  // namespace akgen::fuzz
