#error "cuda_pipeline.h is not emulated: asynchronous copies to shared memory"
