#include "config.h"

#include "base/prism-isa.h"

#include "base/prism-text.h"

static const struct
{
  const char *id;   /* as in the environment's PRISM_ISA */
  const char *name; /* as shown */
} isas[PRISM_N_ISAS] = {
  [PRISM_ISA_BASELINE] = { "baseline", "baseline" },
  [PRISM_ISA_AVX2] = { "avx2", "AVX2" },
  [PRISM_ISA_AVX512] = { "avx512", "AVX-512" },
};

static gboolean
is_supported (PrismIsa isa)
{
  /* Clang, which builds the fuzz targets alone, does not know these names before its release 16. */
#if defined(__x86_64__) && !defined(__clang__)
  if (isa == PRISM_ISA_AVX512)
    return __builtin_cpu_supports ("x86-64-v4");
  if (isa == PRISM_ISA_AVX2)
    return __builtin_cpu_supports ("x86-64-v3");
#endif
  return isa == PRISM_ISA_BASELINE;
}

/* (nullable) */
static const char *
get_wanted (void)
{
  const char *wanted = g_getenv ("PRISM_ISA");

  return wanted != NULL && *wanted != '\0' ? wanted : NULL;
}

/**
 * prism_isa_get:
 *
 * The best instruction set that this processor has, or the one that PRISM_ISA names in the
 * environment: avx512, avx2 or baseline.
 *
 * Returns: the instruction set
 */
PrismIsa
prism_isa_get (void)
{
  const char *wanted = get_wanted ();
  PrismIsa best = PRISM_ISA_BASELINE;

  for (PrismIsa isa = PRISM_ISA_BASELINE; isa < PRISM_N_ISAS; isa++)
    {
      if (!is_supported (isa))
        continue;
      if (g_strcmp0 (wanted, isas[isa].id) == 0)
        return isa;
      best = isa;
    }
  return best;
}

/**
 * prism_isa_get_id:
 *
 * Returns: (transfer none): what PRISM_ISA calls it: "avx512"
 */
const char *
prism_isa_get_id (PrismIsa self)
{
  return isas[self].id;
}

/**
 * prism_isa_get_name:
 *
 * Returns: (transfer none): its name, as shown: "AVX-512"
 */
const char *
prism_isa_get_name (PrismIsa self)
{
  return isas[self].name;
}

/**
 * prism_isa_dup_notice:
 *
 * Says when PRISM_ISA in the environment names what this processor or this program does not have.
 *
 * Returns: (transfer full) (nullable): one sentence
 */
char *
prism_isa_dup_notice (void)
{
  const char *wanted = get_wanted (), *used = isas[prism_isa_get ()].id;
  g_autoptr (GString) ids = g_string_new (NULL);
  g_autofree char *shown = NULL;

  if (wanted == NULL || g_str_equal (wanted, used))
    return NULL;
  for (int isa = PRISM_N_ISAS - 1; isa >= 0; isa--)
    if (is_supported (isa))
      g_string_append_printf (ids, "%s%s", ids->len > 0 ? ", " : "", isas[isa].id);
  shown = prism_printable_dup (wanted);
  return g_strdup_printf (_ ("PRISM_ISA is “%s”, but must be one of what this processor has: %s."
                             " The program uses %s."),
                          shown, ids->str, used);
}
