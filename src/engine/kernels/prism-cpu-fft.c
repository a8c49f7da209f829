#include "config.h"

#include "kernels/prism-cpu-fft.h"

#include "base/prism-arena.h"

#define MAX_FFTS 9 /* lengths 16, 32 … 4096 */

struct _PrismCpuFftTables
{
  int image_size;
  int n_ffts;
  PrismCpuFft ffts[MAX_FFTS];
  float *phases; /* [n][2]: e^{2πi·k/n} */
  PrismArena *arena;
};

/* Radix 8 but for the first pass, which takes what is left. */
static void
choose_passes (PrismCpuFft *fft)
{
  int n_bits = g_bit_nth_lsf (fft->length, -1);
  int n_passes = (n_bits + 2) / 3;
  int n_points = fft->length;

  for (int i = 0; i < n_passes; i++)
    {
      PrismCpuFftPass *pass = &fft->passes[i];

      pass->radix = i == 0 ? 1 << (n_bits - 3 * (n_passes - 1)) : 8;
      pass->step = n_points / pass->radix;
      pass->next = i < n_passes - 1 ? pass + 1 : NULL;
      n_points = pass->step;
    }
}

static void
set_phase (float *phase,
           int numerator,
           int denominator)
{
  double angle = 2.0 * G_PI * numerator / denominator;

  phase[0] = (float) cos (angle);
  phase[1] = (float) sin (angle);
}

/* Position i0·step0 + i1·step1 + … holds point i0 + i1·radix0 + …: the digits are reversed. */
static void
fill_order (PrismCpuFft *fft)
{
  for (int position = 0; position < fft->length; position++)
    {
      int rest = position, point = 0, weight = 1;

      for (const PrismCpuFftPass *pass = fft->passes; pass != NULL; pass = pass->next)
        {
          point += rest / pass->step * weight;
          rest %= pass->step;
          weight *= pass->radix;
        }
      fft->order[position] = (guint16) point;
    }
}

static void
fill_tables (PrismCpuFft *fft,
             int image_size)
{
  for (PrismCpuFftPass *pass = fft->passes; pass->next != NULL; pass++)
    {
      float *twiddles = pass->twiddles;

      for (int j = 0; j < pass->step; j++)
        for (int i = 1; i < pass->radix; i++, twiddles += 2)
          set_phase (twiddles, i * j, pass->radix * pass->step);
    }
  for (int part = 0; part < fft->n_parts; part++)
    for (int k = 0; k < fft->length; k++)
      set_phase (fft->shifts + 2 * ((gsize) part * fft->length + k), part * k, image_size);
  fill_order (fft);
}

static PrismCpuFftTables *
tables_new_planned (int image_size)
{
  PrismCpuFftTables *self = g_new0 (PrismCpuFftTables, 1);

  self->image_size = image_size;
  self->arena = prism_arena_new ();
  for (int length = PRISM_CPU_FFT_MIN_LENGTH; length <= image_size; length *= 2)
    {
      PrismCpuFft *fft = &self->ffts[self->n_ffts++];

      fft->length = length;
      fft->n_parts = image_size / length;
      choose_passes (fft);
      for (PrismCpuFftPass *pass = fft->passes; pass->next != NULL; pass++)
        prism_arena_add_array (self->arena, (gpointer *) &pass->twiddles,
                               (gsize) pass->step * (pass->radix - 1) * 2 * sizeof (float));
      prism_arena_add_array (self->arena, (gpointer *) &fft->shifts,
                             (gsize) image_size * 2 * sizeof (float));
      prism_arena_add_array (self->arena, (gpointer *) &fft->order,
                             fft->length * sizeof (guint16));
    }
  prism_arena_add_array (self->arena, (gpointer *) &self->phases, image_size * 2 * sizeof (float));
  return self;
}

/**
 * prism_cpu_fft_tables_get_required_bytes:
 * @image_size: n
 *
 * Units: bytes.
 *
 * Returns: what prism_cpu_fft_tables_new() will allocate
 */
guint64
prism_cpu_fft_tables_get_required_bytes (int image_size)
{
  g_autoptr (PrismCpuFftTables) tables = tables_new_planned (image_size);

  return prism_arena_get_size (tables->arena);
}

/**
 * prism_cpu_fft_tables_new:
 * @image_size: n, a power of two from 16 to 4096
 *
 * Computes the tables of all transforms that are parts of one of n points.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the tables
 */
PrismCpuFftTables *
prism_cpu_fft_tables_new (int image_size,
                          GError **error)
{
  g_autoptr (PrismCpuFftTables) self = NULL;

  g_return_val_if_fail (image_size >= PRISM_CPU_FFT_MIN_LENGTH, NULL);
  g_return_val_if_fail (image_size <= PRISM_CPU_FFT_MAX_LENGTH, NULL);
  g_return_val_if_fail ((image_size & (image_size - 1)) == 0, NULL);

  self = tables_new_planned (image_size);
  if (!prism_arena_allocate (self->arena, "the tables of the transforms", error))
    return NULL;

  for (int i = 0; i < self->n_ffts; i++)
    fill_tables (&self->ffts[i], image_size);
  for (int k = 0; k < image_size; k++)
    set_phase (self->phases + 2 * k, k, image_size);
  return g_steal_pointer (&self);
}

/**
 * prism_cpu_fft_tables_free:
 * @self: (transfer full) (nullable): tables
 *
 * Frees them.
 */
void
prism_cpu_fft_tables_free (PrismCpuFftTables *self)
{
  if (self == NULL)
    return;
  prism_arena_free (self->arena);
  g_free (self);
}

/**
 * prism_cpu_fft_tables_get:
 * @n_inputs: number of non-zero inputs, 0 to n
 *
 * Returns: (transfer none): the shortest transform that takes them
 */
const PrismCpuFft *
prism_cpu_fft_tables_get (PrismCpuFftTables *self,
                          int n_inputs)
{
  int i = 0;

  while (i < self->n_ffts - 1 && self->ffts[i].length < n_inputs)
    i++;
  return &self->ffts[i];
}

/**
 * prism_cpu_fft_tables_get_phases:
 *
 * Shape: [n][2], real and imaginary part of e^{2πi·k/n}.
 *
 * Returns: (transfer none): the phases
 */
const float *
prism_cpu_fft_tables_get_phases (PrismCpuFftTables *self)
{
  return self->phases;
}
