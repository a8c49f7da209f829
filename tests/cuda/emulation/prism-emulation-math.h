/* prism-emulation-math: CUDA's functions on numbers that C does not have. Rounding is to nearest
 * wherever the name says so or nothing; approximate functions (__expf) are the exact ones here. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

template <typename To, typename From>
static inline To
prism_emulation_bits (From from)
{
  static_assert (sizeof (To) == sizeof (From), "sizes must be the same");
  To to;

  memcpy (&to, &from, sizeof to);
  return to;
}

#define PRISM_EMULATION_UNARY(type, name, expression) \
  static inline type name (type x) { return expression; }
#define PRISM_EMULATION_BINARY(type, name, expression) \
  static inline type name (type x, type y) { return expression; }
#define PRISM_EMULATION_CAST(to, name, from) \
  static inline to name (from x) { return prism_emulation_bits<to> (x); }

/* The C library declares some of these names itself. */
#define __expf expf
#define __logf logf
#define __log2f log2f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __sincosf sincosf
#define rsqrt prism_emulation_rsqrt
#define rsqrtf prism_emulation_rsqrtf
#define sincospi prism_emulation_sincospi
#define sincospif prism_emulation_sincospif
#define sinpi prism_emulation_sinpi
#define sinpif prism_emulation_sinpif
#define cospi prism_emulation_cospi
#define cospif prism_emulation_cospif

PRISM_EMULATION_CAST (unsigned int, __float_as_uint, float)
PRISM_EMULATION_CAST (int, __float_as_int, float)
PRISM_EMULATION_CAST (float, __uint_as_float, unsigned int)
PRISM_EMULATION_CAST (float, __int_as_float, int)
PRISM_EMULATION_CAST (long long, __double_as_longlong, double)
PRISM_EMULATION_CAST (double, __longlong_as_double, long long)

PRISM_EMULATION_UNARY (float, rsqrtf, 1.0f / sqrtf (x))
PRISM_EMULATION_UNARY (double, rsqrt, 1.0 / sqrt (x))
PRISM_EMULATION_UNARY (float, __frcp_rn, 1.0f / x)
PRISM_EMULATION_UNARY (float, __fsqrt_rn, sqrtf (x))
PRISM_EMULATION_UNARY (float, __frsqrt_rn, (float) (1.0 / sqrt ((double) x)))
PRISM_EMULATION_UNARY (float, __saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
PRISM_EMULATION_UNARY (double, __drcp_rn, 1.0 / x)
PRISM_EMULATION_UNARY (double, __dsqrt_rn, sqrt (x))
PRISM_EMULATION_BINARY (float, __fadd_rn, x + y)
PRISM_EMULATION_BINARY (float, __fsub_rn, x - y)
PRISM_EMULATION_BINARY (float, __fmul_rn, x * y)
PRISM_EMULATION_BINARY (float, __fdiv_rn, x / y)
PRISM_EMULATION_BINARY (float, __fdividef, x / y)
PRISM_EMULATION_BINARY (double, __dadd_rn, x + y)
PRISM_EMULATION_BINARY (double, __dsub_rn, x - y)
PRISM_EMULATION_BINARY (double, __dmul_rn, x * y)
PRISM_EMULATION_BINARY (double, __ddiv_rn, x / y)

static inline float
__fmaf_rn (float x,
           float y,
           float z)
{
  return fmaf (x, y, z);
}

static inline double
__fma_rn (double x,
          double y,
          double z)
{
  return fma (x, y, z);
}

/* sin (π x) and cos (π x), exact where the result is: the argument is brought to |x| ≤ 1/4. */
static inline void
sincospi (double x,
          double *sine,
          double *cosine)
{
  const double turn = x - 2.0 * rint (x / 2.0), quarter = rint (2.0 * turn);
  const double angle = (turn - quarter / 2.0) * M_PI, s = sin (angle), c = cos (angle);

  switch ((int) quarter & 3)
    {
    case 0:
      *sine = s, *cosine = c;
      break;
    case 1:
      *sine = c, *cosine = 0.0 - s;
      break;
    case 2:
      *sine = 0.0 - s, *cosine = -c;
      break;
    default:
      *sine = -c, *cosine = s;
    }
}

static inline void
sincospif (float x,
           float *sine,
           float *cosine)
{
  double s, c;

  sincospi (x, &s, &c);
  *sine = (float) s;
  *cosine = (float) c;
}

static inline double
sinpi (double x)
{
  double s, c;

  sincospi (x, &s, &c);
  return s;
}

static inline double
cospi (double x)
{
  double s, c;

  sincospi (x, &s, &c);
  return c;
}

PRISM_EMULATION_UNARY (float, sinpif, (float) sinpi (x))
PRISM_EMULATION_UNARY (float, cospif, (float) cospi (x))

/* Conversions: rn to nearest, rz towards zero, rd down, ru up. */
static inline float __double2float_rn (double x) { return (float) x; }
static inline float __int2float_rn (int x) { return (float) x; }
static inline float __uint2float_rn (unsigned int x) { return (float) x; }
static inline float __ll2float_rn (long long x) { return (float) x; }
static inline double __ull2double_rn (unsigned long long x) { return (double) x; }
static inline int __float2int_rn (float x) { return (int) rintf (x); }
static inline int __float2int_rz (float x) { return (int) x; }
static inline int __float2int_rd (float x) { return (int) floorf (x); }
static inline int __float2int_ru (float x) { return (int) ceilf (x); }
static inline unsigned int __float2uint_rn (float x) { return (unsigned int) rintf (x); }
static inline int __double2int_rn (double x) { return (int) rint (x); }

/* Bits. */
static inline int __popc (unsigned int x) { return __builtin_popcount (x); }
static inline int __popcll (unsigned long long x) { return __builtin_popcountll (x); }
static inline int __clz (int x) { return x == 0 ? 32 : __builtin_clz ((unsigned int) x); }
static inline int __clzll (long long x)
{
  return x == 0 ? 64 : __builtin_clzll ((unsigned long long) x);
}
static inline int __ffs (int x) { return __builtin_ffs (x); }
static inline int __ffsll (long long x) { return __builtin_ffsll (x); }

static inline unsigned int
__brev (unsigned int x)
{
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32 (x);
}

static inline unsigned int
__umulhi (unsigned int x,
          unsigned int y)
{
  return (unsigned int) ((uint64_t) x * y >> 32);
}

static inline int
__mulhi (int x,
         int y)
{
  return (int) ((int64_t) x * y >> 32);
}

static inline unsigned long long
__umul64hi (unsigned long long x,
            unsigned long long y)
{
  return (unsigned long long) ((unsigned __int128) x * y >> 64);
}

static inline unsigned int
__umul24 (unsigned int x,
          unsigned int y)
{
  return (x & 0xffffffu) * (y & 0xffffffu);
}

static inline unsigned int
__funnelshift_l (unsigned int low,
                 unsigned int high,
                 unsigned int shift)
{
  return (unsigned int) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
}

static inline unsigned int
__funnelshift_r (unsigned int low,
                 unsigned int high,
                 unsigned int shift)
{
  return (unsigned int) (((uint64_t) high << 32 | low) >> (shift & 31));
}

static inline unsigned int
__byte_perm (unsigned int x,
             unsigned int y,
             unsigned int selector)
{
  const uint64_t bytes = (uint64_t) y << 32 | x;
  unsigned int result = 0;

  for (int i = 0; i < 4; i++)
    {
      unsigned int select = selector >> 4 * i & 15u;
      unsigned int byte = (unsigned int) (bytes >> 8 * (select & 7u)) & 255u;

      if (select & 8u)
        byte = byte & 128u ? 255u : 0u;
      result |= byte << 8 * i;
    }
  return result;
}

/* min and max as CUDA declares them: whole numbers and floating point, of mixed types too. */
template <typename A, typename B>
static inline typename std::common_type<A, B>::type
min (A a,
     B b)
{
  typedef typename std::common_type<A, B>::type T;

  if constexpr (std::is_floating_point<T>::value)
    return (T) fmin ((T) a, (T) b);
  return (T) b < (T) a ? (T) b : (T) a;
}

template <typename A, typename B>
static inline typename std::common_type<A, B>::type
max (A a,
     B b)
{
  typedef typename std::common_type<A, B>::type T;

  if constexpr (std::is_floating_point<T>::value)
    return (T) fmax ((T) a, (T) b);
  return (T) a < (T) b ? (T) b : (T) a;
}

/* Loads and stores with a hint for the caches. */
#define PRISM_EMULATION_LOAD(name) \
  template <typename T> \
  static inline T name (const T *address) \
  { \
    return *address; \
  }
#define PRISM_EMULATION_STORE(name) \
  template <typename T> \
  static inline void name (T *address, T value) \
  { \
    *address = value; \
  }

PRISM_EMULATION_LOAD (__ldg)
PRISM_EMULATION_LOAD (__ldca)
PRISM_EMULATION_LOAD (__ldcg)
PRISM_EMULATION_LOAD (__ldcs)
PRISM_EMULATION_LOAD (__ldlu)
PRISM_EMULATION_LOAD (__ldcv)
PRISM_EMULATION_STORE (__stwb)
PRISM_EMULATION_STORE (__stcg)
PRISM_EMULATION_STORE (__stcs)
PRISM_EMULATION_STORE (__stwt)
