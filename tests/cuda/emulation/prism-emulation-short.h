/* prism-emulation-short: conversion between float and the two formats of 16 bits, to the nearest,
 * ties to even, as the GPU's. */
#pragma once

#include "prism-emulation-math.h"

/* bfloat16: the upper half of a float. NaN becomes the one that CUDA gives. */
static inline unsigned short
prism_emulation_float_to_bfloat (float x)
{
  const uint32_t bits = prism_emulation_bits<uint32_t> (x);

  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return 0x7fffu;
  return (unsigned short) ((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

static inline float
prism_emulation_bfloat_to_float (unsigned short x)
{
  return prism_emulation_bits<float> ((uint32_t) x << 16);
}

static inline unsigned short
prism_emulation_float_to_half (float x)
{
  const uint32_t bits = prism_emulation_bits<uint32_t> (x), sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;

  if (magnitude > 0x7f800000u)
    return 0x7fffu;
  if (magnitude >= 0x477ff000u)         /* 65520 and beyond */
    return (unsigned short) (sign | 0x7c00u);
  if (magnitude < 0x38800000u)          /* below 2⁻¹⁴: whole multiples of 2⁻²⁴ */
    return (unsigned short) (sign | (uint32_t) rintf (fabsf (x) * 16777216.0f));
  return (unsigned short) (sign
                           | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13));
}

static inline float
prism_emulation_half_to_float (unsigned short x)
{
  const uint32_t sign = (uint32_t) (x & 0x8000u) << 16, magnitude = x & 0x7fffu;

  if (magnitude >= 0x7c00u)
    return prism_emulation_bits<float> (sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude < 0x400u)
    return prism_emulation_bits<float> (
      sign | prism_emulation_bits<uint32_t> ((float) magnitude * 0x1p-24f));
  return prism_emulation_bits<float> (sign | ((magnitude << 13) + 0x38000000u));
}

/* The operations that both formats have, through float: one rounding each, as the GPU does. */
#define PRISM_EMULATION_SHORT(type, type2, raw, raw2, from_float, to_float) \
  struct raw \
  { \
    unsigned short x; \
  }; \
  struct type \
  { \
    unsigned short bits; \
\
    type () = default; \
    type (const raw &r) : bits (r.x) {} \
    type (float f) : bits (from_float (f)) {} \
    type (double d) : bits (from_float ((float) d)) {} \
    type (int i) : bits (from_float ((float) i)) {} \
    operator float () const { return to_float (bits); } \
    operator raw () const { return { bits }; } \
    type &operator+= (type o) { return *this = type ((float) *this + (float) o); } \
    type &operator-= (type o) { return *this = type ((float) *this - (float) o); } \
    type &operator*= (type o) { return *this = type ((float) *this * (float) o); } \
  }; \
  static inline type operator+ (type a, type b) { return type ((float) a + (float) b); } \
  static inline type operator- (type a, type b) { return type ((float) a - (float) b); } \
  static inline type operator* (type a, type b) { return type ((float) a * (float) b); } \
  static inline type operator/ (type a, type b) { return type ((float) a / (float) b); } \
  static inline type operator- (type a) { return type (-(float) a); } \
  static inline bool operator< (type a, type b) { return (float) a < (float) b; } \
  static inline bool operator> (type a, type b) { return (float) a > (float) b; } \
  struct raw2 \
  { \
    unsigned short x, y; \
  }; \
  struct __attribute__ ((aligned (4))) type2 \
  { \
    type x, y; \
\
    type2 () = default; \
    type2 (type a, type b) : x (a), y (b) {} \
  }; \
  static inline type __hfma (type a, type b, type c) { return type (fmaf (a, b, c)); } \
  static inline type __hmax (type a, type b) { return type (fmaxf (a, b)); } \
  static inline type2 __hmax2 (type2 a, type2 b) \
  { \
    return type2 (__hmax (a.x, b.x), __hmax (a.y, b.y)); \
  } \
  static inline type2 __hfma2 (type2 a, type2 b, type2 c) \
  { \
    return type2 (__hfma (a.x, b.x, c.x), __hfma (a.y, b.y, c.y)); \
  }
