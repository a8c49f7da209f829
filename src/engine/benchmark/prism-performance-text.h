/* prism-performance-text: what a performance measurement found, in words and as JSON.
 * Thread: any. */
#pragma once

#include "benchmark/prism-performance.h"

G_BEGIN_DECLS

char *prism_series_dup_verdict     (const PrismSeries *self);
char *prism_performance_dup_title  (const PrismPerformance *self,
                                    const char             *made,
                                    const char             *device);
char *prism_performance_dup_text   (const PrismPerformance *self);
char *prism_performance_dup_command (const PrismPerformance *self);
void  prism_performance_add_json   (const PrismPerformance *self,
                                    JsonBuilder            *builder);

G_END_DECLS
