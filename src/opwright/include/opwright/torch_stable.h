// The part of PyTorch's stable C ABI that a binding uses, declared as torch 2.10 declares it.
//
// Declared here and not included from torch: its header brings in half of <iostream>, which takes
// longer to compile than the binding, and would tie the store's entry to one torch. That the two
// agree is a test: it compiles this header together with torch's own.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {

struct AtenTensorOpaque;
using AtenTensorHandle = AtenTensorOpaque*;
struct TorchLibraryOpaque;
using TorchLibraryHandle = TorchLibraryOpaque*;
struct StringOpaque;
using StringHandle = StringOpaque*;
using AOTITorchError = int32_t;
using StableIValue = uint64_t;

int32_t aoti_torch_device_type_cpu();
int32_t aoti_torch_device_type_cuda();
int32_t aoti_torch_device_type_meta();
int32_t aoti_torch_device_type_xpu();
int32_t aoti_torch_device_type_privateuse1();

int32_t aoti_torch_dtype_float64();
int32_t aoti_torch_dtype_float32();
int32_t aoti_torch_dtype_bfloat16();
int32_t aoti_torch_dtype_float16();
int32_t aoti_torch_dtype_int64();
int32_t aoti_torch_dtype_int32();
int32_t aoti_torch_dtype_int16();
int32_t aoti_torch_dtype_int8();
int32_t aoti_torch_dtype_uint8();
int32_t aoti_torch_dtype_bool();
int32_t aoti_torch_dtype_complex64();
int32_t aoti_torch_dtype_complex128();
size_t aoti_torch_dtype_element_size(int32_t dtype);

AOTITorchError aoti_torch_is_defined(AtenTensorHandle tensor, bool* defined);
AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle tensor, void** data);
AOTITorchError aoti_torch_get_dim(AtenTensorHandle tensor, int64_t* dim);
AOTITorchError aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** sizes);
AOTITorchError aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** strides);
AOTITorchError aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t* dtype);
AOTITorchError aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t* device_type);
AOTITorchError aoti_torch_get_device_index(AtenTensorHandle tensor, int32_t* device_index);
AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle tensor, AtenTensorHandle* shared);
AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle tensor);
AOTITorchError aoti_torch_empty_strided(int64_t dim, const int64_t* sizes, const int64_t* strides,
                                        int32_t dtype, int32_t device_type, int32_t device_index,
                                        AtenTensorHandle* made);
AOTITorchError aoti_torch_copy_(AtenTensorHandle to, AtenTensorHandle from, int32_t non_blocking);

bool aoti_torch_grad_mode_is_enabled();
void aoti_torch_grad_mode_set_enabled(bool enabled);
AOTITorchError torch_call_dispatcher(const char* name, const char* overload, StableIValue* stack,
                                     uint64_t built_for_version);

AOTITorchError torch_string_c_str(StringHandle text, const char** characters);
AOTITorchError torch_delete_string(StringHandle text);

AOTITorchError aoti_torch_library_init_impl(const char* ns, const char* dispatch_key,
                                            const char* file, uint32_t line,
                                            TorchLibraryHandle* made);
AOTITorchError torch_library_impl(TorchLibraryHandle library, const char* name,
                                  void (*kernel)(StableIValue*, uint64_t, uint64_t),
                                  uint64_t built_for_version);
AOTITorchError aoti_torch_delete_library_object(TorchLibraryHandle library);

AOTITorchError torch_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                  void (*f)(int64_t, int64_t, void*), void* context);

// Since torch 2.13. Weak: null in an older one.
__attribute__((weak)) const char* torch_exception_get_what_without_backtrace();

}  // extern "C"
