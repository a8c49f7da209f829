/* prism-cpu-descent: passes of descent on the host's arrays.
 *
 * Dimensions: m = object_size. Thread: engine. */
#pragma once

#include "cpu/prism-cpu-telescope.h"
#include "num/prism-variation.h"

G_BEGIN_DECLS

void prism_cpu_descent_run (PrismCpuTelescope   *telescope,
                            PrismVariation      *variation,
                            const PrismIterate  *iterate,
                            const PrismPassPart *part,
                            PrismPassResult     *result);

G_END_DECLS
