// Registered tiling structures and their bytes.
#include "register/tilingdata_base.h"

namespace optiling {

size_t TilingDef::AddField(const char* type, const char* name, const void* value, size_t size,
                           size_t count, bool is_array) {
  size_t offset = (data_size_ + size - 1) / size * size;
  ptrdiff_t from_this = static_cast<const uint8_t*>(value) - reinterpret_cast<const uint8_t*>(this);
  fields_.push_back({type, name, from_this, size, count, offset, is_array ? "1" : "0"});
  data_size_ = offset + size * count;
  return offset;
}

size_t TilingDef::AddStruct(const char* type, const char* name, TilingDef* nested) {
  size_t offset = (data_size_ + 7) / 8 * 8;
  ptrdiff_t from_this = reinterpret_cast<uint8_t*>(nested) - reinterpret_cast<uint8_t*>(this);
  fields_.push_back({type, name, from_this, nested->data_size_, 1, offset, "2"});
  data_size_ = offset + nested->data_size_;
  return offset;
}

void TilingDef::Write(uint8_t* data) const {
  std::memset(data, 0, data_size_);
  for (const Field& field : fields_) {
    if (field.kind[0] == '2') {
      static_cast<const TilingDef*>(At(field))->Write(data + field.offset);
    } else {
      std::memcpy(data + field.offset, At(field), field.size * field.count);
    }
  }
}

void TilingDef::SaveToBuffer(void* data, size_t capacity) const {
  if (attached_ != nullptr || data == nullptr || capacity < data_size_) return;
  Write(static_cast<uint8_t*>(data));
}

void TilingDef::AkgenAssign(const void* data) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  for (const Field& field : fields_) {
    void* value = const_cast<void*>(At(field));
    if (field.kind[0] == '2') {
      static_cast<TilingDef*>(value)->AkgenAssign(bytes + field.offset);
    } else {
      std::memcpy(value, bytes + field.offset, field.size * field.count);
      Changed(field.offset, value, field.size * field.count);
    }
  }
}

void TilingDef::SetDataPtr(void* data) {
  attached_ = static_cast<uint8_t*>(data);
  for (const Field& field : fields_) {
    if (field.kind[0] != '2') continue;
    auto* nested = const_cast<TilingDef*>(static_cast<const TilingDef*>(At(field)));
    nested->SetDataPtr(attached_ == nullptr ? nullptr : attached_ + field.offset);
  }
}

std::vector<FieldInfo> TilingDef::GetFieldInfo() const {
  std::vector<FieldInfo> result;
  for (const Field& field : fields_) {
    result.emplace_back(field.type, field.name, field.count, field.offset, field.kind);
  }
  return result;
}

std::vector<const TilingDef*> TilingDef::GetNested() const {
  std::vector<const TilingDef*> result;
  for (const Field& field : fields_) {
    if (field.kind[0] == '2') result.push_back(static_cast<const TilingDef*>(At(field)));
  }
  return result;
}

}  // namespace optiling
