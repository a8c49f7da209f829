/* prism-emulation-atomics: atomics on whole numbers and fences. Those on float are left out on
 * purpose: their order differs from run to run. */
#pragma once

#define PRISM_EMULATION_ATOMICS(type) \
  static inline type atomicAdd (type *address, type value) \
  { return __atomic_fetch_add (address, value, __ATOMIC_SEQ_CST); } \
  static inline type atomicExch (type *address, type value) \
  { return __atomic_exchange_n (address, value, __ATOMIC_SEQ_CST); } \
  static inline type atomicOr (type *address, type value) \
  { return __atomic_fetch_or (address, value, __ATOMIC_SEQ_CST); } \
  static inline type atomicAnd (type *address, type value) \
  { return __atomic_fetch_and (address, value, __ATOMIC_SEQ_CST); } \
  static inline type atomicXor (type *address, type value) \
  { return __atomic_fetch_xor (address, value, __ATOMIC_SEQ_CST); } \
  static inline type atomicCAS (type *address, type compare, type value) \
  { \
    __atomic_compare_exchange_n (address, &compare, value, false, __ATOMIC_SEQ_CST, \
                                 __ATOMIC_SEQ_CST); \
    return compare; \
  } \
  static inline type atomicMax (type *address, type value) \
  { \
    type old = __atomic_load_n (address, __ATOMIC_SEQ_CST); \
    while (old < value \
           && !__atomic_compare_exchange_n (address, &old, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST)) \
      ; \
    return old; \
  } \
  static inline type atomicMin (type *address, type value) \
  { \
    type old = __atomic_load_n (address, __ATOMIC_SEQ_CST); \
    while (value < old \
           && !__atomic_compare_exchange_n (address, &old, value, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST)) \
      ; \
    return old; \
  }

PRISM_EMULATION_ATOMICS (int)
PRISM_EMULATION_ATOMICS (unsigned int)
PRISM_EMULATION_ATOMICS (unsigned long long)

static inline int
atomicSub (int *address,
           int value)
{
  return __atomic_fetch_sub (address, value, __ATOMIC_SEQ_CST);
}

static inline unsigned int
atomicSub (unsigned int *address,
           unsigned int value)
{
  return __atomic_fetch_sub (address, value, __ATOMIC_SEQ_CST);
}
