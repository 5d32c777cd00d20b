// How a host program drives the emulator that is linked into a library. All text is UTF-8.
#pragma once

#include <stddef.h>

extern "C" {
#pragma GCC visibility push(default)

// Sets an option; not 0: there is no such option, or no such value.
//   order         forward | reverse | random:SEED   in which blocks begin and threads take turns
//   block_order   the same, of blocks only
//   thread_order  the same, of threads only
//   threads       host threads at most; 0: as many as there are processors
//   stream        any | the address of the stream that work is expected on (0: the default one)
//   device        none | simulated: work is put on the streams of the simulated device
//   report        a file to which each finding is appended as it is made
// The environment's OPWRIGHT_EMULATED sets them at first: "order=random:7,threads=1".
int opwright_emulated_set(const char* name, const char* value);

// Names memory that kernels may access, such as a tensor's. As soon as there is a named region,
// watched kernels (compiled with -fsanitize=thread) may access no other global memory.
void opwright_emulated_region(const void* begin, size_t size_bytes, const char* name);

// Takes one such naming back, when the call that made it ends.
void opwright_emulated_leave_region(const void* begin, size_t size_bytes);

// To be called after an operator's call: tells of a launch error that nobody asked for.
void opwright_emulated_finish();

// What was found since the last reset, a JSON object a line. The text lives until this host thread
// asks again.
//   kind      divergent_barrier, deadlock, inactive_lane, lane_not_in_mask, race,
//             uninitialised_shared, out_of_bounds, misaligned_access, undefined_behaviour,
//             shared_limit, ignored_launch_error, wrong_stream, device_assert, trap, unsupported,
//             address_error; notes: launch_refused; hints, which are notes of watched kernels:
//             divergence, uncoalesced, bank_conflict
//   level     finding | note
//   message, kernel
//   file, line        or, for a memory access, module and offset: `addr2line -i -e module offset`
//   block, thread     of the first occurrence, each [x, y, z]
//   other_block, other_thread, other_module, other_offset     the other access of a race
//   count     how often
const char* opwright_emulated_findings();

// What ran since the last reset, a JSON object a line for each kernel: kernel, launches, blocks,
// threads, grid, block, dynamic_shared_bytes, static_shared_bytes; of watched kernels also traffic
// ({region: {read_bytes, written_bytes, touched_read_bytes, touched_written_bytes}}).
const char* opwright_emulated_kernels();

// Forgets findings, kernels, regions, limits that were asked for, and errors.
void opwright_emulated_reset();

#pragma GCC visibility pop
}
