/* prism-isa: which of the instruction sets, for which the inner loops are compiled, is used.
 * Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_ISA_BASELINE,
  PRISM_ISA_AVX2,
  PRISM_ISA_AVX512,
  PRISM_N_ISAS,
} PrismIsa;

/* What exists once for each, as NAME_baseline and its like: its declaration, and a table of it by
 * PrismIsa. */
#ifdef __x86_64__
#define PRISM_ISA_DECLARE(type, name) extern const type name##_baseline, name##_avx2, name##_avx512
#define PRISM_ISA_TABLE(name) { &name##_baseline, &name##_avx2, &name##_avx512 }
#else
#define PRISM_ISA_DECLARE(type, name) extern const type name##_baseline
#define PRISM_ISA_TABLE(name) { &name##_baseline }
#endif

PrismIsa    prism_isa_get        (void);
const char *prism_isa_get_id     (PrismIsa self);
const char *prism_isa_get_name   (PrismIsa self);
char       *prism_isa_dup_notice (void);

G_END_DECLS
