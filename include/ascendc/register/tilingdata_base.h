// Tiling structs as classes: BEGIN_TILING_DATA_DEF … END_TILING_DATA_DEF declare one,
// REGISTER_TILING_DATA_CLASS ties it to an operator. A field has set_<name> and get_<name>;
// SaveToBuffer writes the bytes the kernel reads.
//
// Layout of those bytes: every field lies at a multiple of its element size, a nested struct at a
// multiple of 8, and the whole is rounded up to 8. That is the natural layout of a C++ struct with
// alignas(8).
#ifndef AKGEN_REGISTER_TILINGDATA_BASE_H
#define AKGEN_REGISTER_TILINGDATA_BASE_H
#include "graph/types.h"

namespace optiling {
class FieldInfo {
 public:
  FieldInfo(const char* type, const char* name, size_t count, size_t offset, const char* kind)
      : dtype_(type), name_(name), arrSize_(count), offset_(offset), classType_(kind) {}
  const char* dtype_;
  const char* name_;
  size_t arrSize_;
  size_t offset_;          // bytes, in the saved buffer
  const char* classType_;  // "0" one value, "1" array, "2" struct
};

// Base of the declared classes. Values live in the derived object; this keeps the table that maps
// them to bytes, as distances from this object, so that copies are whole.
class TilingDef {
 public:
  // Writes GetDataSize() bytes; writes nothing when capacity is smaller (and GetDataSize still says
  // what is needed).
  void SaveToBuffer(void* data, size_t capacity) const;
  size_t GetDataSize() const { return data_size_; }
  const char* GetTilingClassName() const { return class_name_; }
  std::vector<FieldInfo> GetFieldInfo() const;
  // From now on setters also write into `data` (GetDataSize() bytes), and SaveToBuffer does
  // nothing.
  void SetDataPtr(void* data);
  // Nested classes in order, for whoever prints the layout.
  std::vector<const TilingDef*> GetNested() const;
  // Takes the fields' values out of GetDataSize() bytes.
  void AkgenAssign(const void* data);

 protected:
  explicit TilingDef(const char* class_name) : class_name_(class_name) {}
  size_t AddField(const char* type, const char* name, const void* value, size_t size, size_t count,
                  bool is_array);
  size_t AddStruct(const char* type, const char* name, TilingDef* nested);
  void Finish() { data_size_ = (data_size_ + 7) / 8 * 8; }
  void Changed(size_t offset, const void* value, size_t size) {
    if (attached_ != nullptr) std::memcpy(attached_ + offset, value, size);
  }

 private:
  struct Field {
    const char* type;
    const char* name;
    ptrdiff_t from_this;
    size_t size, count, offset;
    const char* kind;
  };
  void Write(uint8_t* data) const;
  const void* At(const Field& field) const {
    return reinterpret_cast<const uint8_t*>(this) + field.from_this;
  }
  const char* class_name_;
  size_t data_size_ = 0;
  uint8_t* attached_ = nullptr;
  std::vector<Field> fields_;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();
// Called while a host library is loaded. Returns true.
bool AkgenRegisterTilingData(const char* op_type, const char* class_name,
                             TilingDataConstructor constructor);
}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                 \
  class class_name : public ::optiling::TilingDef {                       \
   public:                                                                \
    class_name() : ::optiling::TilingDef(#class_name) { this->Finish(); } \
    explicit class_name(void* data) : class_name() {                      \
      if (data != nullptr) this->SetDataPtr(data);                        \
    }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                        \
 public:                                                                                    \
  void set_##field_name(data_type value) {                                                  \
    field_name##_ = value;                                                                  \
    this->Changed(field_name##_offset_, &field_name##_, sizeof(field_name##_));             \
  }                                                                                         \
  data_type get_##field_name() const { return field_name##_; }                              \
                                                                                            \
 private:                                                                                   \
  data_type field_name##_ = 0;                                                              \
  size_t field_name##_offset_ =                                                             \
      this->AddField(#data_type, #field_name, &field_name##_, sizeof(data_type), 1, false); \
                                                                                            \
 public:

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                \
 public:                                                                                         \
  void set_##field_name(const arr_type* values) {                                                \
    if (values != field_name##_) std::memcpy(field_name##_, values, sizeof(field_name##_));      \
    this->Changed(field_name##_offset_, field_name##_, sizeof(field_name##_));                   \
  }                                                                                              \
  arr_type* get_##field_name() { return field_name##_; }                                         \
  const arr_type* get_##field_name() const { return field_name##_; }                             \
                                                                                                 \
 private:                                                                                        \
  arr_type field_name##_[arr_size] = {};                                                         \
  size_t field_name##_offset_ =                                                                  \
      this->AddField(#arr_type, #field_name, field_name##_, sizeof(arr_type), (arr_size), true); \
                                                                                                 \
 public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                            \
 public:                                                                                 \
  struct_type field_name;                                                                \
                                                                                         \
 private:                                                                                \
  size_t field_name##_offset_ = this->AddStruct(#struct_type, #field_name, &field_name); \
                                                                                         \
 public:

#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                    \
  [[maybe_unused]] static const bool op_type##class_name##_registered =                    \
      ::optiling::AkgenRegisterTilingData(#op_type, #class_name,                           \
                                          []() -> std::shared_ptr<::optiling::TilingDef> { \
                                            return std::make_shared<class_name>();         \
                                          });
#endif
