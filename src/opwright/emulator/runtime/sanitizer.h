// The functions of AddressSanitizer's library, where it is loaded; the runtime links without it.
#pragma once

#include <cstddef>

extern "C" {
__attribute__((weak)) void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom,
                                                           size_t* size);
__attribute__((weak)) void __asan_poison_memory_region(const volatile void* address, size_t size);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void* address, size_t size);
__attribute__((weak)) void* __asan_get_report_pc();
__attribute__((weak)) const char* __asan_get_report_description();
__attribute__((weak)) void __asan_set_error_report_callback(void (*callback)(const char*));
}

namespace opwright {
namespace emulated {

inline void poison(const void* address, size_t size) {
  if (__asan_poison_memory_region && size) __asan_poison_memory_region(address, size);
}

inline void unpoison(const void* address, size_t size) {
  if (__asan_unpoison_memory_region && size) __asan_unpoison_memory_region(address, size);
}

}  // namespace emulated
}  // namespace opwright
