/* vector_functions: make_float4 and its kind. */
#pragma once

#include "vector_types.h"

#define PRISM_EMULATION_MAKE(type, name) \
  static inline name##1 make_##name##1 (type x) { name##1 v = { x }; return v; } \
  static inline name##2 make_##name##2 (type x, type y) { name##2 v = { x, y }; return v; } \
  static inline name##3 make_##name##3 (type x, type y, type z) \
  { \
    name##3 v = { x, y, z }; \
    return v; \
  } \
  static inline name##4 make_##name##4 (type x, type y, type z, type w) \
  { \
    name##4 v = { x, y, z, w }; \
    return v; \
  }

PRISM_EMULATION_MAKE (signed char, char)
PRISM_EMULATION_MAKE (unsigned char, uchar)
PRISM_EMULATION_MAKE (short, short)
PRISM_EMULATION_MAKE (unsigned short, ushort)
PRISM_EMULATION_MAKE (int, int)
PRISM_EMULATION_MAKE (unsigned int, uint)
PRISM_EMULATION_MAKE (long long, longlong)
PRISM_EMULATION_MAKE (unsigned long long, ulonglong)
PRISM_EMULATION_MAKE (float, float)
PRISM_EMULATION_MAKE (double, double)
