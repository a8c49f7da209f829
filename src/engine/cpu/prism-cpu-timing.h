/* prism-cpu-timing: how long the parts of a step take. Thread: engine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_CPU_TIMING_N_TIMES 1024

typedef enum
{
  PRISM_CPU_PART_FORWARD,
  PRISM_CPU_PART_TELESCOPE,
  PRISM_CPU_PART_BACKWARD,
  PRISM_CPU_N_PARTS,
} PrismCpuPart;

typedef struct
{
  double times[PRISM_CPU_N_PARTS][PRISM_CPU_TIMING_N_TIMES]; /* ms, ring */
  guint n_times[PRISM_CPU_N_PARTS];
} PrismCpuTiming;

gint64 prism_cpu_timing_begin (void);
void   prism_cpu_timing_add  (PrismCpuTiming *self,
                              PrismCpuPart    part,
                              gint64          since,
                              double          operations);
double prism_cpu_timing_take (PrismCpuTiming  *self,
                              guint            part,
                              const char     **name);

G_END_DECLS
