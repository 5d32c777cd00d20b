// The functions of the runtime library, once for each spelling: OPWRIGHT_API(Malloc) is cudaMalloc
// or hipMalloc, OPWRIGHT_API_VENDOR whose they are. Without a simulated device streams are not
// asynchronous: what is put on one has happened when the call returns. That it is put on the right
// one is watched.
//
// No #pragma once: this is included twice.

enum OPWRIGHT_API(Error_t) {
  OPWRIGHT_API(Success) = 0,
  OPWRIGHT_API(ErrorInvalidValue) = 1,
  OPWRIGHT_API(ErrorMemoryAllocation) = 2,
  OPWRIGHT_API(ErrorOutOfMemory) = 2,
  OPWRIGHT_API(ErrorInitializationError) = 3,
  OPWRIGHT_API(ErrorInvalidConfiguration) = 9,
  OPWRIGHT_API(ErrorInvalidSymbol) = 13,
  OPWRIGHT_API(ErrorInvalidDevicePointer) = 17,
  OPWRIGHT_API(ErrorInvalidDeviceFunction) = 98,
  OPWRIGHT_API(ErrorNoDevice) = 100,
  OPWRIGHT_API(ErrorInvalidDevice) = 101,
  OPWRIGHT_API(ErrorInvalidResourceHandle) = 400,
  OPWRIGHT_API(ErrorNotReady) = 600,
  OPWRIGHT_API(ErrorIllegalAddress) = 700,
  OPWRIGHT_API(ErrorLaunchOutOfResources) = 701,
  OPWRIGHT_API(ErrorAssert) = 710,
  OPWRIGHT_API(ErrorMisalignedAddress) = 716,
  OPWRIGHT_API(ErrorLaunchFailure) = 719,
  OPWRIGHT_API(ErrorNotSupported) = 801,
  OPWRIGHT_API(ErrorUnknown) = 999,
};

enum OPWRIGHT_API(MemcpyKind) {
  OPWRIGHT_API(MemcpyHostToHost),
  OPWRIGHT_API(MemcpyHostToDevice),
  OPWRIGHT_API(MemcpyDeviceToHost),
  OPWRIGHT_API(MemcpyDeviceToDevice),
  OPWRIGHT_API(MemcpyDefault),
};

enum OPWRIGHT_API(FuncAttribute) {
  OPWRIGHT_API(FuncAttributeMaxDynamicSharedMemorySize) = 8,
  OPWRIGHT_API(FuncAttributePreferredSharedMemoryCarveout) = 9,
};

enum OPWRIGHT_API(FuncCache_t) {
  OPWRIGHT_API(FuncCachePreferNone),
  OPWRIGHT_API(FuncCachePreferShared),
  OPWRIGHT_API(FuncCachePreferL1),
  OPWRIGHT_API(FuncCachePreferEqual),
};

enum {
  OPWRIGHT_API(StreamDefault) = 0,
  OPWRIGHT_API(StreamNonBlocking) = 1,
  OPWRIGHT_API(EventDefault) = 0,
  OPWRIGHT_API(EventDisableTiming) = 2,
  OPWRIGHT_API(HostAllocDefault) = 0,
};

typedef ::opwright_emulated_stream* OPWRIGHT_API(Stream_t);
typedef ::opwright_emulated_event* OPWRIGHT_API(Event_t);
typedef void (*OPWRIGHT_API(HostFn_t))(void*);

#define OPWRIGHT_E OPWRIGHT_API(Error_t)
#define OPWRIGHT_S OPWRIGHT_API(Stream_t)
#define OPWRIGHT_AT const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define OPWRIGHT_OK       \
  {                       \
    return OPWRIGHT_E(0); \
  }

inline OPWRIGHT_E OPWRIGHT_API(GetLastError)() {
  return OPWRIGHT_E(::opwright::emulated::take_error());
}
inline OPWRIGHT_E OPWRIGHT_API(PeekAtLastError)() {
  return OPWRIGHT_E(::opwright::emulated::peek_error());
}
inline const char* OPWRIGHT_API(GetErrorString)(OPWRIGHT_E error) {
  return ::opwright::emulated::error_text(int(error));
}
inline const char* OPWRIGHT_API(GetErrorName)(OPWRIGHT_E error) {
  return ::opwright::emulated::error_name(int(error), OPWRIGHT_API_VENDOR);
}

inline OPWRIGHT_E OPWRIGHT_API(DeviceSynchronize)() {
  return OPWRIGHT_E(::opwright::emulated::wait_for_device());
}
inline OPWRIGHT_E OPWRIGHT_API(StreamSynchronize)(OPWRIGHT_S stream) {
  return OPWRIGHT_E(::opwright::emulated::wait_for_stream(stream));
}
inline OPWRIGHT_E OPWRIGHT_API(StreamQuery)(OPWRIGHT_S stream) {
  return OPWRIGHT_E(::opwright::emulated::query_stream(stream));
}
inline OPWRIGHT_E OPWRIGHT_API(StreamCreate)(OPWRIGHT_S* stream) {
  return OPWRIGHT_E(::opwright::emulated::make_stream(stream));
}
inline OPWRIGHT_E OPWRIGHT_API(StreamCreateWithFlags)(OPWRIGHT_S* stream, unsigned) {
  return OPWRIGHT_API(StreamCreate)(stream);
}
inline OPWRIGHT_E OPWRIGHT_API(StreamCreateWithPriority)(OPWRIGHT_S* stream, unsigned, int) {
  return OPWRIGHT_API(StreamCreate)(stream);
}
inline OPWRIGHT_E OPWRIGHT_API(StreamDestroy)(OPWRIGHT_S) OPWRIGHT_OK inline OPWRIGHT_E
    OPWRIGHT_API(StreamWaitEvent)(OPWRIGHT_S, OPWRIGHT_API(Event_t), unsigned = 0) OPWRIGHT_OK
    inline OPWRIGHT_E OPWRIGHT_API(EventCreate)(OPWRIGHT_API(Event_t) * event) {
  *event = nullptr;
  return OPWRIGHT_E(0);
}
inline OPWRIGHT_E OPWRIGHT_API(EventCreateWithFlags)(OPWRIGHT_API(Event_t) * event, unsigned) {
  return OPWRIGHT_API(EventCreate)(event);
}
inline OPWRIGHT_E OPWRIGHT_API(EventRecord)(OPWRIGHT_API(Event_t), OPWRIGHT_S stream = nullptr,
                                            OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "an event", file, line);
  return OPWRIGHT_E(0);
}
inline OPWRIGHT_E OPWRIGHT_API(EventSynchronize)(OPWRIGHT_API(Event_t)) OPWRIGHT_OK
    inline OPWRIGHT_E OPWRIGHT_API(EventQuery)(OPWRIGHT_API(Event_t)) OPWRIGHT_OK inline OPWRIGHT_E
    OPWRIGHT_API(EventDestroy)(OPWRIGHT_API(Event_t)) OPWRIGHT_OK

    template <typename T>
    OPWRIGHT_E OPWRIGHT_API(Malloc)(T** memory, size_t size_bytes) {
  return OPWRIGHT_E(::opwright::emulated::allocate(reinterpret_cast<void**>(memory), size_bytes));
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(MallocAsync)(T** memory, size_t size_bytes, OPWRIGHT_S stream,
                                     OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "an allocation", file, line);
  return OPWRIGHT_API(Malloc)(memory, size_bytes);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(MallocManaged)(T** memory, size_t size_bytes, unsigned = 1) {
  return OPWRIGHT_API(Malloc)(memory, size_bytes);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(HostMalloc)(T** memory, size_t size_bytes, unsigned = 0) {
  return OPWRIGHT_API(Malloc)(memory, size_bytes);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(MallocHost)(T** memory, size_t size_bytes, unsigned = 0) {
  return OPWRIGHT_API(Malloc)(memory, size_bytes);
}
inline OPWRIGHT_E OPWRIGHT_API(Free)(void* memory) {
  return OPWRIGHT_E(::opwright::emulated::release(memory));
}
inline OPWRIGHT_E OPWRIGHT_API(FreeHost)(void* memory) { return OPWRIGHT_API(Free)(memory); }
inline OPWRIGHT_E OPWRIGHT_API(FreeAsync)(void* memory, OPWRIGHT_S stream, OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "a deallocation", file, line);
  return OPWRIGHT_API(Free)(memory);
}
inline OPWRIGHT_E OPWRIGHT_API(Memcpy)(void* to, const void* from, size_t size_bytes,
                                       OPWRIGHT_API(MemcpyKind)) {
  return OPWRIGHT_E(::opwright::emulated::copy(to, from, size_bytes, nullptr, true));
}
inline OPWRIGHT_E OPWRIGHT_API(MemcpyAsync)(void* to, const void* from, size_t size_bytes,
                                            OPWRIGHT_API(MemcpyKind), OPWRIGHT_S stream = nullptr,
                                            OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "a copy", file, line);
  return OPWRIGHT_E(::opwright::emulated::copy(to, from, size_bytes, stream, false));
}
// The device does this on the default stream, and the host doesn't wait for it.
inline OPWRIGHT_E OPWRIGHT_API(Memset)(void* to, int value, size_t size_bytes, OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(nullptr, "a fill", file, line);
  return OPWRIGHT_E(::opwright::emulated::fill(to, value, size_bytes, nullptr));
}
inline OPWRIGHT_E OPWRIGHT_API(MemsetAsync)(void* to, int value, size_t size_bytes,
                                            OPWRIGHT_S stream = nullptr, OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "a fill", file, line);
  return OPWRIGHT_E(::opwright::emulated::fill(to, value, size_bytes, stream));
}

template <typename T>
OPWRIGHT_E OPWRIGHT_API(MemcpyToSymbol)(
    const T& symbol, const void* from, size_t size_bytes, size_t offset_bytes = 0,
    OPWRIGHT_API(MemcpyKind) = OPWRIGHT_API(MemcpyHostToDevice)) {
  if (offset_bytes + size_bytes > sizeof(T)) {
    return OPWRIGHT_E(::opwright::emulated::keep_error(OPWRIGHT_API(ErrorInvalidValue)));
  }
  memcpy(reinterpret_cast<char*>(const_cast<T*>(&symbol)) + offset_bytes, from, size_bytes);
  return OPWRIGHT_E(0);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(MemcpyToSymbolAsync)(const T& symbol, const void* from, size_t size_bytes,
                                             size_t offset_bytes, OPWRIGHT_API(MemcpyKind) kind,
                                             OPWRIGHT_S stream = nullptr, OPWRIGHT_AT) {
  ::opwright::emulated::work_on_stream(stream, "a copy", file, line);
  return OPWRIGHT_API(MemcpyToSymbol)(symbol, from, size_bytes, offset_bytes, kind);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(MemcpyFromSymbol)(
    void* to, const T& symbol, size_t size_bytes, size_t offset_bytes = 0,
    OPWRIGHT_API(MemcpyKind) = OPWRIGHT_API(MemcpyDeviceToHost)) {
  if (offset_bytes + size_bytes > sizeof(T)) {
    return OPWRIGHT_E(::opwright::emulated::keep_error(OPWRIGHT_API(ErrorInvalidValue)));
  }
  memcpy(to, reinterpret_cast<const char*>(&symbol) + offset_bytes, size_bytes);
  return OPWRIGHT_E(0);
}
template <typename T>
OPWRIGHT_E OPWRIGHT_API(GetSymbolAddress)(void** address, const T& symbol) {
  *address = const_cast<T*>(&symbol);
  return OPWRIGHT_E(0);
}

struct OPWRIGHT_API_DEVICE {
  char name[256] = "opwright emulator";
  char gcnArchName[256] = "emulated";
  size_t totalGlobalMem = size_t{8} << 30;
  size_t sharedMemPerBlock =
      OPWRIGHT_API_VENDOR == ::opwright::emulated::Vendor::hip ? 65536 : 49152;
  size_t sharedMemPerBlockOptin =
      OPWRIGHT_API_VENDOR == ::opwright::emulated::Vendor::hip ? 65536 : 232448;
  size_t sharedMemPerMultiprocessor =
      OPWRIGHT_API_VENDOR == ::opwright::emulated::Vendor::hip ? 65536 : 233472;
  size_t totalConstMem = 65536;
  int regsPerBlock = 65536;
  int warpSize = OPWRIGHT_WAVE_SIZE;
  int maxThreadsPerBlock = 1024;
  int maxThreadsDim[3] = {1024, 1024, 64};
  int maxGridSize[3] = {2147483647, 65535, 65535};
  int maxThreadsPerMultiProcessor = 2048;
  int multiProcessorCount = 8;
  int l2CacheSize = 4 << 20;
  int major = 9;
  int minor = 0;
  int integrated = 1;
  int concurrentKernels = 1;
};

inline OPWRIGHT_E OPWRIGHT_API(GetDeviceProperties)(OPWRIGHT_API_DEVICE* properties, int) {
  *properties = OPWRIGHT_API_DEVICE();
  return OPWRIGHT_E(0);
}
inline OPWRIGHT_E OPWRIGHT_API(GetDevice)(int* device) {
  return OPWRIGHT_E(::opwright::emulated::ask_device(device));
}
inline OPWRIGHT_E OPWRIGHT_API(GetDeviceCount)(int* count) {
  return OPWRIGHT_E(::opwright::emulated::count_devices(count));
}
inline OPWRIGHT_E OPWRIGHT_API(SetDevice)(int device) {
  return OPWRIGHT_E(::opwright::emulated::choose_device(device));
}

template <typename Kernel>
OPWRIGHT_E OPWRIGHT_API(FuncSetCacheConfig)(Kernel, OPWRIGHT_API(FuncCache_t)) OPWRIGHT_OK
    template <typename Kernel>
    OPWRIGHT_E OPWRIGHT_API(OccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, Kernel,
                                                                       int threads, size_t) {
  *blocks = threads > 0 ? 2048 / threads : 0;
  return OPWRIGHT_E(0);
}
template <typename Kernel>
OPWRIGHT_E OPWRIGHT_API(OccupancyMaxPotentialBlockSize)(int* blocks, int* threads, Kernel,
                                                        size_t = 0, int = 0) {
  *blocks = 16;
  *threads = 256;
  return OPWRIGHT_E(0);
}

inline OPWRIGHT_E opwright_set_function_attribute(const char* kernel,
                                                  OPWRIGHT_API(FuncAttribute) which,
                                                  long long value) {
  if (which != OPWRIGHT_API(FuncAttributeMaxDynamicSharedMemorySize)) return OPWRIGHT_E(0);
  return OPWRIGHT_E(
      ::opwright::emulated::set_dynamic_shared_limit(kernel, value, OPWRIGHT_API_VENDOR));
}

// Times of an emulated device would mean nothing.
__attribute__((error("timing a kernel is not emulated"))) OPWRIGHT_E
    OPWRIGHT_API(EventElapsedTime)(float*, OPWRIGHT_API(Event_t), OPWRIGHT_API(Event_t));
__attribute__((error("a cooperative launch is not emulated"))) OPWRIGHT_E
    OPWRIGHT_API(LaunchCooperativeKernel)(const void*, dim3, dim3, void**, size_t, OPWRIGHT_S);
__attribute__((error(
    "a launch with untyped arguments is not emulated: write kernel<<<...>>>(...)"))) OPWRIGHT_E
    OPWRIGHT_API(LaunchKernel)(const void*, dim3, dim3, void**, size_t, OPWRIGHT_S);
__attribute__((error("a function of the host on a stream is not emulated"))) OPWRIGHT_E
    OPWRIGHT_API(LaunchHostFunc)(OPWRIGHT_S, OPWRIGHT_API(HostFn_t), void*);

#undef OPWRIGHT_E
#undef OPWRIGHT_S
#undef OPWRIGHT_AT
#undef OPWRIGHT_OK
