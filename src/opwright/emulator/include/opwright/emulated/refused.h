// What is not emulated, so that a kernel which uses it is refused by name and line.
#pragma once

#define OPWRIGHT_REFUSED(name)    \
  template <typename... Anything> \
  __attribute__((error(#name " is not emulated"))) int name(const Anything&...);

OPWRIGHT_REFUSED(tex1D)
OPWRIGHT_REFUSED(tex1Dfetch)
OPWRIGHT_REFUSED(tex2D)
OPWRIGHT_REFUSED(tex3D)
OPWRIGHT_REFUSED(surf2Dread)
OPWRIGHT_REFUSED(surf2Dwrite)
OPWRIGHT_REFUSED(__pipeline_memcpy_async)
OPWRIGHT_REFUSED(__pipeline_commit)
OPWRIGHT_REFUSED(__pipeline_wait_prior)
OPWRIGHT_REFUSED(__nv_cvt_float_to_fp8)
OPWRIGHT_REFUSED(__builtin_amdgcn_mfma_f32_32x32x8f16)
OPWRIGHT_REFUSED(__builtin_amdgcn_mfma_f32_16x16x16f16)
OPWRIGHT_REFUSED(__builtin_amdgcn_wmma_f32_16x16x16_f16_w32)
#undef OPWRIGHT_REFUSED
