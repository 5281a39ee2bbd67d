#include "guest/link.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "guest/layout.h"
#include "guest/link_input.h"

namespace akgen::guest {
namespace linking {

base::Error Refused(const std::string& what) { return {"AK0305", what, "", ""}; }

uint64_t BaseOf(const Linked& l, Part part) {
  switch (part) {
    case Part::kCode: return kCodeBase;
    case Part::kVariables: return kVariablesBase;
    case Part::kInitialisers:
      return kConstantsBase + (l.loaded[size_t(Part::kConstants)].size() + 15) / 16 * 16;
    case Part::kBlockVariables:
      return kVariablesBase + (l.loaded[size_t(Part::kVariables)].size() + 15) / 16 * 16;
    default: return kConstantsBase;
  }
}

namespace {
uint64_t MostOf(Part part) {
  return part == Part::kCode                                         ? kMaxCode
         : part == Part::kVariables || part == Part::kBlockVariables ? kMaxVariables
                                                                     : kMaxConstants;
}

// Gives every section its place and copies its bytes there.
base::Status Place(Linked* l) {
  for (Object& object : l->objects)
    for (Section& s : object.sections) {
      if (s.part == Part::kDropped) continue;
      std::string& out = s.part == Part::kDebug ? l->debug[s.name] : l->loaded[size_t(s.part)];
      const uint64_t align = std::clamp<uint64_t>(s.head.sh_addralign, 1, 4096),
                     size = s.head.sh_size;
      const uint64_t at = (out.size() + align - 1) / align * align;
      if (size > MostOf(s.part) || at > MostOf(s.part) - size)
        return Refused("the kernel's code or variables are too large for a chip: " + s.name);
      s.place = at;
      out.resize(at);
      out.append(s.bytes);
      out.resize(at + size);
    }
  // Two of the parts lie behind others and are loaded with them.
  for (auto [part, base, most] : {std::tuple(Part::kInitialisers, kConstantsBase, kMaxConstants),
                                  std::tuple(Part::kBlockVariables, kVariablesBase, kMaxVariables)})
    if (BaseOf(*l, part) + l->loaded[size_t(part)].size() > base + most)
      return Refused("the kernel's constants or variables are too large for a chip");
  // Only now is it known where initialisers begin.
  for (Object& object : l->objects)
    for (Section& s : object.sections)
      if (s.part < Part::kDebug) s.place += BaseOf(*l, s.part);
  return {};
}

struct Definition {
  uint64_t address = 0;
  bool weak = false, known = false;
};

bool IsLocal(const Symbol& s) { return ELF64_ST_BIND(s.row.st_info) == STB_LOCAL; }
bool IsDefined(const Object& o, const Symbol& s) {
  return s.row.st_shndx == SHN_ABS ||
         (s.row.st_shndx != SHN_UNDEF && s.row.st_shndx < o.sections.size() &&
          o.sections[s.row.st_shndx].part != Part::kDropped);
}
uint64_t OwnAddress(const Object& o, const Symbol& s) {
  return s.row.st_value + (s.row.st_shndx == SHN_ABS ? 0 : o.sections[s.row.st_shndx].place);
}

base::Status Define(const Linked& l, std::map<std::string, Definition>* names) {
  for (const Object& o : l.objects)
    for (const Symbol& s : o.symbols) {
      if (s.row.st_shndx == SHN_COMMON) return Refused("'" + s.name + "' is a common variable");
      if (IsLocal(s) || s.name.empty()) continue;
      Definition& d = (*names)[s.name];
      if (!IsDefined(o, s)) continue;
      const bool weak = ELF64_ST_BIND(s.row.st_info) == STB_WEAK;
      if (d.known && !d.weak && !weak) return Refused("'" + s.name + "' is defined twice");
      if (!d.known || (d.weak && !weak)) d = {OwnAddress(o, s), weak, true};
    }
  return {};
}

base::Status Resolve(Linked* l) {
  std::map<std::string, Definition> names;
  if (auto s = Define(*l, &names); !s.ok()) return s;
  // Imports are numbered in the order of their names: the same for every order of sections.
  for (auto& [name, d] : names) {
    if (d.known) continue;
    d = {CallAddress(l->imports.size()), false, true};
    l->imports.push_back(name);
  }
  if (l->imports.size() > kMaxImports)
    return Refused("the kernel takes too many functions from outside");
  for (Object& o : l->objects)
    for (Symbol& s : o.symbols) {
      if (!IsLocal(s) && !s.name.empty())
        s.address = names[s.name].address;
      else if (IsDefined(o, s))
        s.address = OwnAddress(o, s);
    }
  return {};
}

// What a program's objects, those from `first` on, take from outside; names as the compiler wrote
// them.
std::set<std::string> Undefined(const std::vector<Object>& objects, size_t first,
                                std::string_view suffix) {
  std::set<std::string> defined, undefined;
  for (size_t i = first; i < objects.size(); ++i)
    for (const Symbol& s : objects[i].symbols)
      if (!IsLocal(s) && !s.name.empty())
        (IsDefined(objects[i], s) ? defined : undefined)
            .insert(s.name.substr(0, s.name.size() - suffix.size()));
  for (const std::string& name : defined) undefined.erase(name);
  return undefined;
}

base::Status ReadProgram(const std::vector<std::string>& files, const char* suffix,
                         const Ready& ready, std::map<std::string, bool>* groups,
                         std::vector<Object>* objects) {
  const size_t first = objects->size();
  for (const std::string& bytes : files) {
    objects->emplace_back();
    if (auto s = ReadObject(bytes, suffix, groups, &objects->back()); !s.ok()) return s;
  }
  if (files.empty()) return {};
  objects->push_back(ready.Excerpt(Undefined(*objects, first, suffix)));
  for (Symbol& s : objects->back().symbols)
    if (!s.name.empty()) s.name += suffix;
  return {};
}
}  // namespace
}  // namespace linking

base::Result<std::string> Link(const std::vector<std::string>& objects,
                               const std::vector<std::string>& cube, const Ready& ready,
                               const Ready& cube_ready) {
  using namespace linking;
  Linked l;
  std::map<std::string, bool> groups;
  if (auto s = ReadProgram(objects, "", ready, &groups, &l.objects); !s.ok()) return s.error();
  if (auto s = ReadProgram(cube, kCubeSuffix, cube_ready, &groups, &l.objects); !s.ok())
    return s.error();
  if (auto s = Place(&l); !s.ok()) return s.error();
  if (auto s = Resolve(&l); !s.ok()) return s.error();
  for (const Object& o : l.objects)
    for (unsigned i = 0; i < o.sections.size(); ++i)
      if (o.sections[i].head.sh_type == SHT_RELA)
        if (auto s = Relocate(o, i, &l); !s.ok()) return s.error();
  return WriteImage(l);
}

}  // namespace akgen::guest
