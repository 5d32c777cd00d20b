#error "cooperative_groups/memcpy_async.h is not emulated: asynchronous copies to shared memory"
