#include "guest/ready.h"

#include <map>
#include <vector>

#include "guest/link_input.h"

namespace akgen::guest {
using namespace linking;

struct Ready::Content {
  struct Reached {
    std::vector<bool> sections, symbols;
    std::set<std::string> others;
  };

  std::string bytes;
  Object object;
  std::map<std::string_view, size_t> defined;  // name → symbol
  std::vector<std::vector<size_t>> patches;    // of a section: those with its relocations

  bool Has(const Symbol& s) const {
    return s.row.st_shndx != SHN_UNDEF && s.row.st_shndx < object.sections.size() &&
           object.sections[s.row.st_shndx].part != Part::kDropped;
  }
  void Index();
  Reached From(const std::set<std::string>& names) const;
  void Follow(size_t section, Reached* reached, std::vector<size_t>* open) const;
  void Meet(size_t symbol, Reached* reached, std::vector<size_t>* open) const;
};

void Ready::Content::Index() {
  patches.resize(object.sections.size());
  for (size_t i = 0; i < object.sections.size(); ++i) {
    const Section& s = object.sections[i];
    if (s.head.sh_type == SHT_RELA && s.head.sh_info < patches.size())
      patches[s.head.sh_info].push_back(i);
  }
  for (size_t i = 0; i < object.symbols.size(); ++i) {
    const Symbol& s = object.symbols[i];
    if (ELF64_ST_BIND(s.row.st_info) != STB_LOCAL && !s.name.empty() && Has(s))
      defined.emplace(s.name, i);
  }
}

void Ready::Content::Meet(size_t symbol, Reached* reached, std::vector<size_t>* open) const {
  if (symbol >= object.symbols.size() || reached->symbols[symbol]) return;
  reached->symbols[symbol] = true;
  const Symbol& s = object.symbols[symbol];
  if (!Has(s)) {
    if (!s.name.empty()) reached->others.insert(s.name);
  } else if (!reached->sections[s.row.st_shndx]) {
    reached->sections[s.row.st_shndx] = true;
    open->push_back(s.row.st_shndx);
  }
}

void Ready::Content::Follow(size_t section, Reached* reached, std::vector<size_t>* open) const {
  for (size_t rows : patches[section]) {
    reached->sections[rows] = true;
    const std::string_view bytes = object.sections[rows].bytes;
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= bytes.size(); at += sizeof(Elf64_Rela)) {
      Elf64_Rela row;
      std::memcpy(&row, bytes.data() + at, sizeof row);
      Meet(ELF64_R_SYM(row.r_info), reached, open);
    }
  }
}

Ready::Content::Reached Ready::Content::From(const std::set<std::string>& names) const {
  Reached reached{
      std::vector<bool>(object.sections.size()), std::vector<bool>(object.symbols.size()), {}};
  std::vector<size_t> open;
  for (const std::string& name : names) {
    if (auto at = defined.find(name); at != defined.end())
      Meet(at->second, &reached, &open);
    else
      reached.others.insert(name);
  }
  while (!open.empty()) {
    const size_t section = open.back();
    open.pop_back();
    Follow(section, &reached, &open);
  }
  return reached;
}

base::Result<Ready> Ready::Read(std::string bytes) {
  auto content = std::make_shared<Content>();
  content->bytes = std::move(bytes);
  std::map<std::string, bool> groups;
  if (auto s = ReadObject(content->bytes, "", &groups, &content->object); !s.ok()) return s.error();
  for (const Section& s : content->object.sections)
    if (s.part == Part::kInitialisers)
      return Refused("a variable that has to be initialised before the program runs");
  content->Index();
  Ready out;
  out.content_ = std::move(content);
  return out;
}

bool Ready::Defines(std::string_view name) const {
  return content_ && content_->defined.contains(name);
}

std::set<std::string> Ready::LeftOver(const std::set<std::string>& names) const {
  return content_ ? content_->From(names).others : names;
}

Object Ready::Excerpt(const std::set<std::string>& names) const {
  Object out;
  if (!content_) return out;
  const Content::Reached reached = content_->From(names);
  const Object& all = content_->object;
  out.file = all.file;
  out.sections.resize(all.sections.size());
  out.symbols.resize(all.symbols.size());
  for (size_t i = 0; i < all.sections.size(); ++i)
    if (reached.sections[i]) out.sections[i] = all.sections[i];
  for (size_t i = 0; i < all.symbols.size(); ++i)
    if (reached.symbols[i]) out.symbols[i] = all.symbols[i];
  return out;
}

}  // namespace akgen::guest
