#include "config.h"

#include "fuzz-repair.h"

#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls instead of its own mutations, and these themselves. */
size_t LLVMFuzzerMutate (uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* One in four keeps its broken checksums. */
size_t
LLVMFuzzerCustomMutator (uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  size_t mutated = LLVMFuzzerMutate (data, size, max_size);

  return seed % 4 == 0 ? mutated : fuzz_repair (data, mutated, max_size, seed / 4);
}
