/* cuda_fp16: half precision, one rounding per operation. */
#pragma once

#include "cuda_runtime.h"
#include "prism-emulation-short.h"

PRISM_EMULATION_SHORT (__half, __half2, __half_raw, __half2_raw, prism_emulation_float_to_half,
                       prism_emulation_half_to_float)

typedef __half half;
typedef __half2 half2;

static inline __half __float2half (float x) { return __half (x); }
static inline __half __float2half_rn (float x) { return __half (x); }
static inline float __half2float (__half x) { return x; }
static inline float __low2float (__half2 v) { return v.x; }
static inline float __high2float (__half2 v) { return v.y; }
static inline unsigned short __half_as_ushort (__half x) { return x.bits; }

static inline __half
__ushort_as_half (unsigned short x)
{
  return __half (__half_raw { x });
}
