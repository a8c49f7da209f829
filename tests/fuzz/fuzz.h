/* fuzz: what each target offers: libFuzzer calls it with any bytes, fuzz-main with given and
 * mutated ones. A target must neither crash nor leak nor read beyond its input, whatever the
 * bytes. */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data,
                            size_t         size);

/* Name of a file in memory that holds data; the same file with every call. */
const char *fuzz_get_path (const uint8_t *data,
                           size_t         size);
