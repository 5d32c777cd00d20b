// The C interface of the Ascend runtime, as far as torch-npu needs it to capture, fuse and replay
// graphs.
//
// Compiled against the headers in torch-npu's own wheel. What is not here returns an error: see
// unsimulated.py.
#include "acl/acl.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_op_compiler.h"
#include "acl/super_kernel.h"
#include "device.h"

using simulated::Graph;
using simulated::note;
using simulated::Range;
using simulated::Stream;
using simulated::Task;

namespace {

constexpr aclError kFine = 0;
constexpr aclError kInvalid = 107000;
constexpr aclError kNoContext = 107002;
constexpr aclError kCapturing = 107027;
constexpr aclError kNoMemory = 207001;
constexpr aclError kNotSimulated = 207000;
constexpr size_t kMemoryBytes = size_t(4) << 30;
constexpr size_t kAlignment = 512;

// A point in a stream's work.
struct Event {
  Stream* stream = nullptr;
  uint64_t number = 0;
  std::chrono::steady_clock::time_point reached;
};

int current_device = -1;
int scopes = 0;
size_t used_bytes = 0;
std::map<void*, size_t> blocks;
std::vector<std::unique_ptr<Stream>> streams;
std::set<Stream*> open_streams;
std::map<int, int64_t> parameters;

Stream* new_stream() {
  streams.push_back(std::make_unique<Stream>(int(streams.size())));
  open_streams.insert(streams.back().get());
  return streams.back().get();
}

Stream* stream_of(aclrtStream handle) {
  static Stream* const default_stream = new_stream();
  return handle == nullptr ? default_stream : static_cast<Stream*>(handle);
}

Event* event_of(aclrtEvent handle) { return static_cast<Event*>(handle); }

bool is_capturing() {
  for (const auto& stream : streams)
    if (stream->capturing != nullptr) return true;
  return false;
}

void finish_all() {
  for (size_t i = 0; i < streams.size(); ++i) streams[i]->finish();
}

aclError allocate(void** place, size_t bytes) {
  if (used_bytes + bytes > kMemoryBytes) return kNoMemory;
  if (posix_memalign(place, kAlignment, bytes > 0 ? bytes : 1) != 0) return kNoMemory;
  std::memset(*place, 0xA5, bytes);  // nobody may count on what lies there
  blocks[*place] = bytes;
  used_bytes += bytes;
  return kFine;
}

std::string name_of(const char* name) { return name == nullptr ? "(none)" : name; }

std::string joined(char** names, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + std::string(names[i]);
  return text;
}

void note_number(const char* name, uint32_t value) {
  note(std::string("option ") + name + "=" + std::to_string(value));
}

void note_names(const char* name, const aclskDcciOption& option) {
  note(std::string("option ") + name + "=" + joined(option.kernelNames, option.kernelCnt));
}

void note_option(const aclskOption& option) {
  switch (option.optionType) {
    case aclskOptionType::PRELOAD_CODE:
      return note_number("preload_code", option.preload.preloadMode);
    case aclskOptionType::SPLIT_MODE:
      return note_number("split_mode", option.splitMode.splitCnt);
    case aclskOptionType::STREAM_FUSION:
      return note_number("stream_fusion", option.streamFusion.streamFusion);
    case aclskOptionType::CONSTANT_CODEGEN:
      return note_number("constant_codegen", option.constantCodegen.enableConstant);
    case aclskOptionType::AUTO_OP_PARALLEL:
      return note_number("auto_op_parallel", option.autoOpParallel.enableAutoOpParallel);
    case aclskOptionType::EARLY_START:
      return note_number("early_start", option.earlyStart.enableEarlyStart);
    case aclskOptionType::DEBUG_SYNC_ALL:
      return note_number("debug_sync_all", option.debugSync.debugSyncAll);
    case aclskOptionType::DEBUG_OP_EXEC_TRACE:
      return note_number("debug_op_exec_trace", option.debugOpExecTrace.enableOpExecTrace);
    case aclskOptionType::DEBUG_CROSS_CORE_SYNC_CHECK:
      return note_number("debug_cross_core_sync_check",
                         option.debugCrossCoreSyncCheck.enableCrossCoreSyncCheck);
    case aclskOptionType::DEBUG_PER_OP_MAX_CORE_NUM:
      return note_number("debug_per_op_max_core_num",
                         option.debugPerOpMaxCoreNum.enableDebugPerOpMaxCoreNum);
    case aclskOptionType::DCCI_BEFORE_KERNEL_START:
      return note_names("dcci_before_kernel_start", option.dcciBeforeKernelStart);
    case aclskOptionType::DCCI_AFTER_KERNEL_END:
      return note_names("dcci_after_kernel_end", option.dcciAfterKernelEnd);
    case aclskOptionType::DCCI_DISABLE_ON_KERNEL:
      return note_names("dcci_disable_on_kernel", option.disableKernelDcci);
    default:
      return note_number("type", uint32_t(option.optionType));
  }
}

}  // namespace

extern "C" {

// Setting up

aclError aclInit(const char*) { return kFine; }
aclError aclFinalize() { return kFine; }
const char* aclGetRecentErrMsg() { return "simulated device"; }
const char* aclrtGetSocName() { return "Ascend910B1"; }

aclError aclrtGetDeviceCount(uint32_t* count) {
  *count = 1;
  return kFine;
}

aclError aclrtSetDevice(int32_t device) {
  current_device = device;
  return kFine;
}

aclError aclrtResetDevice(int32_t) { return kFine; }

aclError aclrtGetDevice(int32_t* device) {
  *device = current_device;
  return current_device < 0 ? kNoContext : kFine;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  *context = &current_device;
  return kFine;
}

aclError aclrtSetCurrentContext(aclrtContext) { return kFine; }

aclError aclrtGetPrimaryCtxState(int32_t, uint32_t*, int32_t* active) {
  *active = 1;
  return kFine;
}

aclError aclGetDeviceCapability(uint32_t, aclDeviceInfo what, int64_t* value) {
  if (what == ACL_DEVICE_INFO_L2_SIZE) return kNotSimulated;
  *value = what == ACL_DEVICE_INFO_AI_CORE_NUM ? simulated::kCubes : simulated::kCores;
  return kFine;
}

aclError aclrtGetDeviceResLimit(int32_t, aclrtDevResLimitType what, uint32_t* value) {
  *value = what == ACL_RT_DEV_RES_CUBE_CORE ? simulated::kCubes : simulated::kCores;
  return kFine;
}

aclError aclrtGetStreamResLimit(aclrtStream, aclrtDevResLimitType what, uint32_t* value) {
  return aclrtGetDeviceResLimit(0, what, value);
}

aclError aclrtUseStreamResInCurrentThread(aclrtStream) { return kFine; }
aclError aclrtUnuseStreamResInCurrentThread(aclrtStream) { return kFine; }

aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t, int32_t) {
  *can = 0;
  return kFine;
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode) { return kFine; }
aclError aclrtSetOpExecuteTimeOut(uint32_t) { return kFine; }
aclError aclrtSetOpWaitTimeout(uint32_t) { return kFine; }
aclError aclrtSetStreamFailureMode(aclrtStream, uint64_t) { return kFine; }

aclError aclrtSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  parameters[option] = value;
  return kFine;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  *value = parameters[option];
  return kFine;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt option, int64_t value) {
  return aclrtSetSysParamOpt(option, value);
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt option, int64_t* value) {
  return aclrtGetSysParamOpt(option, value);
}

aclError aclSetCompileopt(aclCompileOpt, const char*) { return kFine; }
size_t aclGetCompileoptSize(aclCompileOpt) { return 1; }

aclError aclGetCompileopt(aclCompileOpt, char* value, size_t length) {
  if (length > 0) value[0] = '\0';
  return kFine;
}

aclError aclopSetCompileFlag(aclOpCompileFlag) { return kFine; }

// Memory

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free_bytes, size_t* total_bytes) {
  *total_bytes = kMemoryBytes;
  *free_bytes = kMemoryBytes - used_bytes;
  return kFine;
}

aclError aclrtMalloc(void** place, size_t bytes, aclrtMemMallocPolicy) {
  return allocate(place, bytes);
}

aclError aclrtMallocAlign32(void** place, size_t bytes, aclrtMemMallocPolicy) {
  return allocate(place, bytes);
}

aclError aclrtFree(void* place) {
  const auto block = blocks.find(place);
  if (block == blocks.end()) return kInvalid;
  finish_all();
  used_bytes -= block->second;
  blocks.erase(block);
  std::free(place);
  return kFine;
}

aclError aclrtMallocHost(void** place, size_t bytes) {
  return posix_memalign(place, 64, bytes > 0 ? bytes : 1) == 0 ? kFine : kNoMemory;
}

aclError aclrtFreeHost(void* place) {
  finish_all();
  std::free(place);
  return kFine;
}

aclError aclrtMemcpy(void* to, size_t room, const void* from, size_t bytes, aclrtMemcpyKind) {
  if (bytes > room) return kInvalid;
  if (is_capturing()) return kCapturing;
  finish_all();
  std::memcpy(to, from, bytes);
  return kFine;
}

aclError aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t bytes, aclrtMemcpyKind,
                          aclrtStream stream) {
  if (bytes > room) return kInvalid;
  stream_of(stream)->give({[=] { std::memcpy(to, from, bytes); }, {}, {}, 0, 0});
  return kFine;
}

aclError aclrtMemset(void* place, size_t room, int32_t value, size_t bytes) {
  if (bytes > room) return kInvalid;
  finish_all();
  std::memset(place, value, bytes);
  return kFine;
}

aclError aclrtMemsetAsync(void* place, size_t room, int32_t value, size_t bytes,
                          aclrtStream stream) {
  if (bytes > room) return kInvalid;
  stream_of(stream)->give({[=] { std::memset(place, value, bytes); }, {}, {}, 0, 0});
  return kFine;
}

// Streams and events

aclError aclrtCreateStream(aclrtStream* stream) {
  *stream = new_stream();
  return kFine;
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) {
  return aclrtCreateStream(stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
  stream_of(stream)->finish();
  return kFine;
}

aclError aclrtDestroyStreamForce(aclrtStream) { return kFine; }

aclError aclrtSynchronizeStream(aclrtStream stream) {
  if (stream_of(stream)->capturing != nullptr) return kCapturing;
  stream_of(stream)->finish();
  return kFine;
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t) {
  return aclrtSynchronizeStream(stream);
}

aclError aclrtSynchronizeDevice() {
  if (is_capturing()) return kCapturing;
  finish_all();
  return kFine;
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t) { return aclrtSynchronizeDevice(); }

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  stream_of(stream)->finish();  // time passes for whoever asks
  *status = ACL_STREAM_STATUS_COMPLETE;
  return kFine;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* id) {
  *id = stream_of(stream)->id;
  return kFine;
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) {
  *event = new Event;
  return kFine;
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  return aclrtCreateEventWithFlag(event, flag);
}

aclError aclrtDestroyEvent(aclrtEvent) { return kFine; }  // a stream may still come to it

aclError aclrtResetEvent(aclrtEvent, aclrtStream) { return kFine; }

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  Event* const own = event_of(event);
  stream_of(stream)->give(
      {[own] { own->reached = std::chrono::steady_clock::now(); }, {}, {}, 0, 0});
  own->stream = stream_of(stream);
  own->number = own->stream->given();
  return kFine;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  const Event awaited = *event_of(event);
  if (awaited.stream == nullptr || awaited.stream == stream_of(stream)) return kFine;
  if (is_capturing()) return kNotSimulated;  // a graph of several streams
  stream_of(stream)->give({[awaited] { awaited.stream->finish(awaited.number); }, {}, {}, 0, 0});
  return kFine;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  if (event_of(event)->stream != nullptr) event_of(event)->stream->finish(event_of(event)->number);
  return kFine;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  *status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  return aclrtSynchronizeEvent(event);
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  *status = ACL_EVENT_WAIT_STATUS_COMPLETE;
  return aclrtSynchronizeEvent(event);
}

aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent begin, aclrtEvent end) {
  const auto time = event_of(end)->reached - event_of(begin)->reached;
  *milliseconds = std::chrono::duration<float, std::milli>(time).count();
  return kFine;
}

// Graphs

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode) {
  stream_of(stream)->capturing = new Graph;
  stream_of(stream)->scope = 0;
  note("captureBegin");
  return kFine;
}

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,
                                aclmdlRI* graph) {
  Graph* const own = stream_of(stream)->capturing;
  *status = own == nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_NONE : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  if (graph != nullptr) *graph = own;
  return kFine;
}

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* graph) {
  Graph* const own = stream_of(stream)->capturing;
  *graph = own;
  if (own == nullptr) return kInvalid;
  stream_of(stream)->capturing = nullptr;
  int kernels = 0;
  for (const Task& task : own->tasks) kernels += task.cores > 0;
  note("captureEnd kernels " + std::to_string(kernels));
  return kFine;
}

aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode*) { return kFine; }

aclError aclmdlRIExecuteAsync(aclmdlRI graph, aclrtStream stream) {
  note("execute");
  stream_of(stream)->replay(*static_cast<Graph*>(graph));
  return kFine;
}

aclError aclmdlRIDestroy(aclmdlRI graph) {
  finish_all();
  delete static_cast<Graph*>(graph);
  return kFine;
}

// SuperKernel

aclError aclskScopeBegin(const char* name, aclrtStream stream) {
  note("aclskScopeBegin " + name_of(name));
  if (name != nullptr && !simulated::fault("dropped_scope")) stream_of(stream)->scope = ++scopes;
  return kFine;
}

aclError aclskScopeEnd(const char* name, aclrtStream stream) {
  note("aclskScopeEnd " + name_of(name));
  stream_of(stream)->scope = 0;
  return kFine;
}

aclError aclskOptimize(aclmdlRI model, aclskOptions* options) {
  Graph* const graph = static_cast<Graph*>(model);
  note("aclskOptimize");
  graph->optimised = true;
  for (size_t i = 0; options != nullptr && i < options->numOptions; ++i) {
    const aclskOption& option = options->options[i];
    note_option(option);
    if (option.optionType == aclskOptionType::DEBUG_PER_OP_MAX_CORE_NUM)
      graph->a_kernel_per_operator = option.debugPerOpMaxCoreNum.enableDebugPerOpMaxCoreNum != 0;
  }
  return kFine;
}

// What a real device has not: a kernel that is a function of the host.

aclError opwright_simulated_launch(aclrtStream stream, void (*kernel)(int64_t), int64_t number,
                                   int cores, const Range* reads, size_t read_count,
                                   const Range* writes, size_t write_count) {
  Task task;
  task.run = [=] { kernel(number); };
  task.reads.assign(reads, reads + read_count);
  task.writes.assign(writes, writes + write_count);
  task.cores = cores;
  stream_of(stream)->give(std::move(task));
  return kFine;
}

}  // extern "C"
