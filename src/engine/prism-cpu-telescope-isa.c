#include "config.h"

#include "prism-cpu-telescope-kernels.h"

#include <string.h>

static gboolean
is_usable (const PrismCpuTelescopeKernels *kernels,
           const char *wanted)
{
  if (wanted != NULL && strcmp (wanted, kernels->name) != 0)
    return FALSE;
#ifdef __x86_64__
  if (kernels == &prism_cpu_telescope_kernels_avx512)
    return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512vl")
           && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512bw");
  if (kernels == &prism_cpu_telescope_kernels_avx2)
    return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
#endif
  return TRUE;
}

/**
 * prism_cpu_telescope_kernels_get:
 *
 * The kernels for this processor: the widest it has, or those that the environment variable PRISM_ISA
 * names (avx512, avx2, baseline) where it has them.
 *
 * Thread: any.
 *
 * Returns: (transfer none): the kernels
 */
const PrismCpuTelescopeKernels *
prism_cpu_telescope_kernels_get (void)
{
  const PrismCpuTelescopeKernels *all[] = {
#ifdef __x86_64__
    &prism_cpu_telescope_kernels_avx512,
    &prism_cpu_telescope_kernels_avx2,
#endif
    &prism_cpu_telescope_kernels_baseline,
  };
  const char *wanted = g_getenv ("PRISM_ISA");

  for (guint i = 0; i < G_N_ELEMENTS (all) && wanted != NULL; i++)
    if (is_usable (all[i], wanted))
      return all[i];
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (is_usable (all[i], NULL))
      return all[i];
  g_assert_not_reached ();
}
