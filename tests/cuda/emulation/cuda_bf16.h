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
static inline __nv_bfloat16 __double2bfloat16 (double x) { return __nv_bfloat16 (x); }
static inline float __bfloat162float (__nv_bfloat16 x) { return x; }
static inline float2 __bfloat1622float2 (__nv_bfloat162 v) { return make_float2 (v.x, v.y); }
static inline __nv_bfloat16 __low2bfloat16 (__nv_bfloat162 v) { return v.x; }
static inline __nv_bfloat16 __high2bfloat16 (__nv_bfloat162 v) { return v.y; }
static inline float __low2float (__nv_bfloat162 v) { return v.x; }
static inline float __high2float (__nv_bfloat162 v) { return v.y; }
static inline unsigned short __bfloat16_as_ushort (__nv_bfloat16 x) { return x.bits; }

static inline __nv_bfloat16
__ushort_as_bfloat16 (unsigned short x)
{
  return __nv_bfloat16 (__nv_bfloat16_raw { x });
}

static inline __nv_bfloat162
__floats2bfloat162_rn (float x,
                       float y)
{
  return __nv_bfloat162 (__nv_bfloat16 (x), __nv_bfloat16 (y));
}

static inline __nv_bfloat162
__float22bfloat162_rn (float2 v)
{
  return __floats2bfloat162_rn (v.x, v.y);
}

static inline __nv_bfloat162
__float2bfloat162_rn (float x)
{
  return __floats2bfloat162_rn (x, x);
}

static inline __nv_bfloat162
__halves2bfloat162 (__nv_bfloat16 x,
                    __nv_bfloat16 y)
{
  return __nv_bfloat162 (x, y);
}

static inline __nv_bfloat162
make_bfloat162 (__nv_bfloat16 x,
                __nv_bfloat16 y)
{
  return __nv_bfloat162 (x, y);
}

static inline __nv_bfloat162
__bfloat162bfloat162 (__nv_bfloat16 x)
{
  return __nv_bfloat162 (x, x);
}
