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

PRISM_EMULATION_UNARY (float, rsqrtf, 1.0f / sqrtf (x))
PRISM_EMULATION_UNARY (double, rsqrt, 1.0 / sqrt (x))
PRISM_EMULATION_BINARY (float, __fmul_rn, x * y)

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

/* Bits. */
static inline int __popc (unsigned int x) { return __builtin_popcount (x); }
static inline int __popcll (unsigned long long x) { return __builtin_popcountll (x); }
static inline int __clz (int x) { return x == 0 ? 32 : __builtin_clz ((unsigned int) x); }
static inline int __clzll (long long x)
{
  return x == 0 ? 64 : __builtin_clzll ((unsigned long long) x);
}
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

static inline unsigned int
__funnelshift_l (unsigned int low,
                 unsigned int high,
                 unsigned int shift)
{
  return (unsigned int) (((uint64_t) high << 32 | low) << (shift & 31) >> 32);
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

/* A load with a hint for the caches. */
template <typename T>
static inline T
__ldg (const T *address)
{
  return *address;
}
