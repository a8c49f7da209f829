/* prism-cpu-fft: tables of the CPU telescope's power-of-two transforms. The transforms themselves
 * work on many rows or columns side by side and belong to the telescope's kernels.
 *
 * n = image_size. A transform of n points whose only non-zero inputs are k < L is S = n/L
 * transforms of L points: output S·q + s is point q of part s, whose inputs are multiplied by
 * e^{2πi·s·k/n}. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_CPU_FFT_MIN_LENGTH 16
#define PRISM_CPU_FFT_MAX_LENGTH 4096
#define PRISM_CPU_FFT_MAX_PASSES 4

typedef struct _PrismCpuFftPass PrismCpuFftPass;

/* Butterflies over radix points, step apart. */
struct _PrismCpuFftPass
{
  int radix;                            /* 2, 4 or 8 */
  int step;
  float *twiddles;                      /* [step][radix-1][2]; unused where step is 1 */
  const PrismCpuFftPass *next;             /* on step points; NULL at the end, where radix is 8 */
};

typedef struct
{
  int length;                           /* L */
  int n_parts;                          /* S */
  PrismCpuFftPass passes[PRISM_CPU_FFT_MAX_PASSES]; /* at least 2 */
  float *shifts;                        /* [S][L][2]: e^{2πi·s·k/n} */
  guint16 *order;                       /* [L]: which point each position holds after the passes */
} PrismCpuFft;

typedef struct _PrismCpuFftTables PrismCpuFftTables;

guint64         prism_cpu_fft_tables_get_required_bytes (int image_size);
PrismCpuFftTables *prism_cpu_fft_tables_new                (int      image_size,
                                                     GError **error);
void            prism_cpu_fft_tables_free               (PrismCpuFftTables *self);
const PrismCpuFft *prism_cpu_fft_tables_get                (PrismCpuFftTables *self,
                                                     int             n_inputs);
const float    *prism_cpu_fft_tables_get_phases         (PrismCpuFftTables *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCpuFftTables, prism_cpu_fft_tables_free)

G_END_DECLS
