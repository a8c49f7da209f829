/* cuda_bf16: bfloat16, one rounding per operation. */
#pragma once

#include "cuda_runtime.h"
#include "prism-emulation-short.h"

PRISM_EMULATION_SHORT (__nv_bfloat16, __nv_bfloat162, __nv_bfloat16_raw, __nv_bfloat162_raw,
                       prism_emulation_float_to_bfloat, prism_emulation_bfloat_to_float)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16 (float x) { return __nv_bfloat16 (x); }
static inline __nv_bfloat16 __float2bfloat16_rn (float x) { return __nv_bfloat16 (x); }
static inline float __bfloat162float (__nv_bfloat16 x) { return x; }
static inline float __low2float (__nv_bfloat162 v) { return v.x; }
static inline float __high2float (__nv_bfloat162 v) { return v.y; }
static inline unsigned short __bfloat16_as_ushort (__nv_bfloat16 x) { return x.bits; }

static inline __nv_bfloat16
__ushort_as_bfloat16 (unsigned short x)
{
  return __nv_bfloat16 (__nv_bfloat16_raw { x });
}
