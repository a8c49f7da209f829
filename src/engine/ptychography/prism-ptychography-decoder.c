/* A decoder with two outputs. A convolutional network makes the object of nothing but its own
 * weights w: o = (1 + u)·exp(iv), where u and v are the channels of its last layer. What it makes
 * first is smooth, and noise last (deep image prior): trained on frames alone, it is a prior that
 * has seen no picture. Adam makes the frames' misfit small,
 *
 *   L (w) = Σ_j Σ (|φ_j| - g_j·A_j)² / Σ (g_j·A_j)²,   φ_j = F⁻¹{P·O (k - k_j)},   O = F{o},
 *
 * a quarter of the frames a step. The slope by O is -2·Σ_j conj(P)·F{φ_j·(g_j·A_j/|φ_j| - 1)}, the
 * sum that descent on all frames takes; back through the transform it is s, the slope by o, and
 * that by u is Re (conj(o/(1 + u))·s), by v Re (conj(i·o)·s).
 *
 * Passes frame after frame come first: pupil, gains and places stay as they have found them, and
 * the network first learns their object. Begun with random weights it ends in an object that is
 * none (correlation of the amplitude with the truth 0.02 to 0.36). With real and imaginary part
 * for outputs it is farther from the truth than with amplitude and phase in seven of eight runs.
 * What it is worth stands in docs/measurements.md.
 *
 * Source: Ulyanov, Vedaldi and Lempitsky, “Deep image prior”, 2018; numerics.md § 6. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-record.h"
#include "num/prism-phase.h"
#include "ptychography/prism-ptychography-device.h"

#define WIDTH 16 /* channels: with 8 it meets frames worse, 32 take three times as long */
#define STEPS 20 /* of a pass */

#define NUMBERS "decoder.json"
#define VALUES "decoder.npy"

static const PrismRecordField fields[] = {
  PRISM_RECORD_FIELD (PrismPtychographyDecoder, step, INTEGER, 0, G_MAXINT32),
  { NULL },
};

/* The smallest network that has every place the pupil reaches. */
static int
find_side (const PrismPtychogram *frames)
{
  double reach = 0;
  int side = 16;

  for (guint i = 0; i < frames->n_used; i++)
    for (int k = 0; k < 2; k++)
      reach = MAX (reach, fabs (frames->centers[frames->order[i]][k]));
  while (side < 2 * (reach + frames->radius))
    side *= 2;
  return side;
}

static gboolean
allocate (PrismPtychographyDecoder *decoder,
          const PrismPtychogram *frames,
          PrismPool *pool,
          GError **error)
{
  const gsize plane = (gsize) decoder->plan.object_size * decoder->plan.object_size;

  decoder->n_pixels = plane;
  decoder->network
      = prism_cpu_decoder_new (&decoder->plan, PRISM_CPU_DECODER_TRAIN, pool, error);
  if (decoder->network == NULL)
    return FALSE;
  decoder->sums = prism_ptychography_sums_new (frames, error);
  if (decoder->sums == NULL)
    return FALSE;
  decoder->field
      = prism_arena_new_array (sizeof (float) * 6 * plane, "the decoder's object", error);
  if (decoder->field == NULL)
    return FALSE;
  decoder->start = decoder->field + 2 * plane;
  decoder->slopes = decoder->start + 2 * plane;
  decoder->transform = prism_fft_square_new (decoder->plan.object_size);
  return TRUE;
}

/**
 * prism_ptychography_decoder_new:
 * @self: what explains frames, with its workers
 *
 * Errors: PRISM_ERROR_CONFIG for an object that is too large, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): a decoder that knows nothing
 */
PrismPtychographyDecoder *
prism_ptychography_decoder_new (PrismPtychography *self,
                                GError **error)
{
  PrismPtychographyDecoder *decoder;
  const int most = 1024; /* a step takes seconds beyond */
  const int side = find_side (self->frames);

  if (side > most)
    {
      prism_error_config (error,
                          _ ("The decoder of recorded frames makes objects of up to %d pixels a"
                             " side, and "
                             "these frames need %d: cut the field into tiles, for example"
                             " tile=128."),
                          most, side);
      return NULL;
    }
  decoder = g_new0 (PrismPtychographyDecoder, 1);
  prism_decoder_plan_init_complex (&decoder->plan, side, 256, WIDTH);
  if (allocate (decoder, self->frames, self->n_workers > 1 ? self->crew : self->pools[0], error))
    return decoder;
  prism_ptychography_decoder_free (decoder);
  return NULL;
}

/**
 * prism_ptychography_decoder_free:
 * @self: (nullable): a decoder
 */
PRISM_FREE_FOR_ALL (PrismPtychographyDecoder,
                    prism_ptychography_decoder_free,
                    prism_cpu_decoder_free,
                    network,
                    prism_fft_square_free,
                    transform,
                    prism_ptychography_sums_free,
                    sums,
                    prism_arena_free_array,
                    field)

/* Copies what both spectra have around their centres; the rest is 0. */
static void
copy_centre (const float *from,
             int from_side,
             float *to,
             int to_side)
{
  const int n = MIN (from_side, to_side);
  const int from_corner = from_side / 2 - n / 2, to_corner = to_side / 2 - n / 2;

  memset (to, 0, sizeof *to * 2 * to_side * to_side);
  for (int row = 0; row < n; row++)
    memcpy (to + 2 * ((gsize) (to_corner + row) * to_side + to_corner),
            from + 2 * ((gsize) (from_corner + row) * from_side + from_corner),
            sizeof *to * 2 * n);
}

/* field = factor·F⁻¹{spectrum}. Shape: spectrum [M][M][2]; field [m][m][2]. */
static void
transform_back (const PrismPtychographyDecoder *decoder,
                const float *spectrum,
                int side,
                float factor,
                float *field)
{
  copy_centre (spectrum, side, field, decoder->plan.object_size);
  prism_fft_square_expand (decoder->transform, field, decoder->plan.object_size);
  prism_fft_alternate (field, decoder->plan.object_size, factor);
}

/* Has a device do something with weights and moments, as they are here or come to be here. Returns
 * whether it has. */
static gboolean
exchange (PrismPtychography *self,
          PrismNetworkTask task)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize n = decoder->plan.n_parameters;
  g_autofree float *values = g_new (float, 3 * n);

  prism_cpu_decoder_get_parameters (decoder->network, values);
  prism_cpu_decoder_get_moments (decoder->network, values + n, values + 2 * n, NULL);
  if (!prism_ptychography_device_run_network (self, task, values, decoder->step))
    return FALSE;
  prism_cpu_decoder_set_parameters (decoder->network, values);
  prism_cpu_decoder_set_moments (decoder->network, values + n, values + 2 * n, NULL);
  decoder->n_before = decoder->step;
  return TRUE;
}

/* The object that the network makes, in units of the white of the frames, in field. Returns whether
 * it is there: a device may fail. */
static gboolean
decode (PrismPtychography *self)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize plane = decoder->n_pixels;

  if (!decoder->is_lent && prism_ptychography_device_get_name (self) != NULL)
    decoder->is_lent = exchange (self, PRISM_NETWORK_PUT);
  if (!decoder->is_lent)
    decoder->outputs = prism_cpu_decoder_forward (decoder->network);
  else if (prism_ptychography_device_run_network (self, PRISM_NETWORK_DECODE, decoder->slopes, 0))
    decoder->outputs = decoder->slopes;
  else
    return FALSE;
  for (gsize i = 0; i < plane; i++)
    {
      const float amplitude = 1 + decoder->outputs[i], phase = decoder->outputs[plane + i];

      decoder->field[2 * i] = amplitude * cosf (phase);
      decoder->field[2 * i + 1] = amplitude * sinf (phase);
    }
  return TRUE;
}

/* Makes it the object that frames are compared with. Returns as decode() does. */
static gboolean
show (PrismPtychography *self)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const int m = decoder->plan.object_size;

  if (!decode (self))
    return FALSE;
  prism_fft_alternate (decoder->field, m,
                       prism_ptychogram_get_white (self->frames) / ((float) m * m));
  prism_fft_square_reduce (decoder->transform, decoder->field, m);
  copy_centre (decoder->field, m, prism_ptychography_frame_get_object (self->frame),
               self->frames->object_side);
  return TRUE;
}

/**
 * prism_ptychography_decoder_learn:
 * @self: one whose decoder's field is the slope of a loss by the object that it makes
 * @adam: (nullable): the step; otherwise the gradient by its weights is kept, by the CPU
 *
 * Takes a step.
 *
 * Returns: whether it was taken: of the CPU, whether the gradient was finite
 */
gboolean
prism_ptychography_decoder_learn (PrismPtychography *self,
                                  const PrismAdam *adam)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize plane = decoder->n_pixels;
  float *slopes = decoder->slopes;

  for (gsize i = 0; i < plane; i++)
    {
      const float amplitude = 1 + decoder->outputs[i], phase = decoder->outputs[plane + i];
      const float c = cosf (phase), s = sinf (phase);
      const float *slope = decoder->field + 2 * i;

      slopes[i] = c * slope[0] + s * slope[1];
      slopes[plane + i] = amplitude * (c * slope[1] - s * slope[0]);
    }
  if (decoder->is_lent)
    return prism_ptychography_device_run_network (self, PRISM_NETWORK_LEARN, slopes,
                                                  (double) adam->learning_rate);
  return prism_cpu_decoder_backward (decoder->network, slopes, adam);
}

/* Returns FALSE where a device has failed. */
static gboolean
take_step (PrismPtychography *self,
           double rate)
{
  PrismAdam adam;

  prism_adam_init (&adam, rate, ++self->decoder->step);
  return prism_ptychography_decoder_learn (self, &adam) || !self->decoder->is_lent;
}

/**
 * prism_ptychography_decoder_begin:
 * @self: one with an object
 *
 * Begins with random weights, and with the object as it is as what they learn first. Its phase is
 * that with a mean of 0, so that it begins near what the network makes.
 */
void
prism_ptychography_decoder_begin (PrismPtychography *self)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize plane = decoder->n_pixels;
  g_autofree float *parameters = g_new (float, decoder->plan.n_parameters);
  double sum[2] = { 0 };

  prism_decoder_plan_initialise (&decoder->plan, 0, parameters);
  prism_cpu_decoder_set_parameters (decoder->network, parameters);
  prism_cpu_decoder_set_moments (decoder->network, NULL, NULL, NULL);
  decoder->step = decoder->i = decoder->sums->next = 0;
  decoder->is_lent = FALSE;
  transform_back (decoder, prism_ptychography_frame_get_object (self->frame),
                  self->frames->object_side, 1 / prism_ptychogram_get_white (self->frames),
                  decoder->start);
  for (gsize i = 0; i < 2 * plane; i++)
    sum[i % 2] += (double) decoder->start[i];
  prism_phase_turn_back (decoder->start, plane, sum);
}

/* A step towards the object that the passes have found, of 400 whose rate falls to a fifth: of the
 * mean of |o - start|². Returns FALSE where a device has failed. */
static gboolean
fit (PrismPtychography *self)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize plane = decoder->n_pixels;

  if (!decode (self))
    return FALSE;
  for (gsize i = 0; i < 2 * plane; i++)
    decoder->field[i] = 2 * (decoder->field[i] - decoder->start[i]) / (float) plane;
  return take_step (self, 1e-2 / (1 + decoder->step / 100.0));
}

/**
 * prism_ptychography_decoder_measure:
 * @self: one with a decoder
 * @stride: every so many-th frame is compared, from where a pass is
 *
 * Computes the loss, and its slope by the object that the decoder makes, which is its field then.
 *
 * Returns: L; NAN where it is ended, or where a device has failed
 */
double
prism_ptychography_decoder_measure (PrismPtychography *self,
                                    guint stride)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const PrismPtychogram *frames = self->frames;
  PrismPtychographySums *sums = decoder->sums;
  PrismPtychographyVisit visit = { .object_step = 1, .sums = sums };
  const int m = decoder->plan.object_size;
  const double white = (double) prism_ptychogram_get_white (frames);
  double error = 0, energy = 0, factor = 0;

  if (sums->next == 0 && !show (self))
    return (double) NAN;
  sums->n_frames = 0;
  for (guint i = decoder->i % stride; i < frames->n_used; i += stride)
    if (self->strays[frames->order[i]] == PRISM_STRAY_NONE)
      sums->frames[sums->n_frames++] = frames->order[i];
  if (!prism_ptychography_sum_up (self, &visit, FALSE, (double) decoder->i / STEPS, 1.0 / STEPS))
    return (double) NAN;
  for (guint i = 0; i < sums->n_frames; i++)
    {
      error += sums->lessons[i].error;
      energy += sums->lessons[i].energy;
    }
  if (energy > 0)
    factor = 1 / energy;
  transform_back (decoder, sums->object, frames->object_side,
                  (float) (-2 * white * factor / ((double) m * m)), decoder->field);
  return error * factor;
}

/* Returns whether all of a pass is done. */
static gboolean
take_steps (PrismPtychography *self,
            guint pass)
{
  PrismPtychographyDecoder *decoder = self->decoder;

  while (decoder->step < 400)
    if (!prism_ptychography_go_on (self, 0) || !fit (self))
      return FALSE;
  for (; decoder->i < STEPS; decoder->i++)
    if (isnan (prism_ptychography_decoder_measure (self, MIN (4, self->frames->n_used)))
        || !take_step (self, 3e-3 / (1 + 0.35 * pass)))
      return FALSE;
  return show (self) && (!decoder->is_lent || exchange (self, PRISM_NETWORK_GET));
}

/**
 * prism_ptychography_decoder_step:
 * @self: one with a decoder
 * @pass: of its own, from 0
 *
 * Trains it for some steps, which count as one pass, or for the rest of them where it was ended. A
 * device takes weights and moments with it where it fails: then the CPU takes the pass from its
 * beginning.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_decoder_step (PrismPtychography *self,
                                 guint pass)
{
  PrismPtychographyDecoder *decoder = self->decoder;

  if (decoder->step == 0)
    prism_ptychography_decoder_begin (self);
  while (!take_steps (self, pass))
    {
      if (!decoder->is_lent || prism_ptychography_device_get_name (self) != NULL)
        return FALSE;
      decoder->step = decoder->n_before;
      decoder->i = decoder->sums->next = 0;
      decoder->is_lent = FALSE;
    }
  decoder->i = 0;
  self->pass++;
  return TRUE;
}

/**
 * prism_ptychography_decoder_get_next:
 *
 * Returns: how much of the pass under way is done, in frames
 */
guint
prism_ptychography_decoder_get_next (PrismPtychography *self)
{
  return self->decoder->i * self->frames->n_used / STEPS;
}

/**
 * prism_ptychography_decoder_save:
 * @self: between two passes
 * @bundle: where to
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether weights and moments have been added, where there are any
 */
gboolean
prism_ptychography_decoder_save (PrismPtychography *self,
                                 PrismBundle *bundle,
                                 GError **error)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize shape[] = { 3, decoder != NULL ? decoder->plan.n_parameters : 0 };
  float *values;

  if (decoder == NULL || decoder->step == 0)
    return TRUE;
  values = prism_bundle_add_array (bundle, VALUES, G_N_ELEMENTS (shape), shape, error);
  if (values == NULL)
    return FALSE;
  prism_cpu_decoder_get_parameters (decoder->network, values);
  prism_cpu_decoder_get_moments (decoder->network, values + shape[1], values + 2 * shape[1], NULL);
  prism_bundle_take_text (bundle, NUMBERS, prism_record_to_text (fields, decoder));
  return TRUE;
}

/**
 * prism_ptychography_decoder_load:
 * @bundle: what prism_ptychography_decoder_save() added to
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether it goes on from there, where there is one
 */
gboolean
prism_ptychography_decoder_load (PrismPtychography *self,
                                 PrismBundle *bundle,
                                 GError **error)
{
  PrismPtychographyDecoder *decoder = self->decoder;
  const gsize shape[] = { 3, decoder != NULL ? decoder->plan.n_parameters : 0 };
  const float *values;
  const char *text;

  if (decoder == NULL)
    return TRUE;
  decoder->step = decoder->i = decoder->sums->next = 0;
  decoder->is_lent = FALSE;
  if (!prism_bundle_has (bundle, VALUES))
    return TRUE;
  values = prism_bundle_get_array (bundle, VALUES, G_N_ELEMENTS (shape), shape, error);
  text = values != NULL ? prism_bundle_get_text (bundle, NUMBERS, error) : NULL;
  if (text == NULL || !prism_record_parse (fields, decoder, text, NUMBERS, error))
    return FALSE;
  prism_cpu_decoder_set_parameters (decoder->network, values);
  prism_cpu_decoder_set_moments (decoder->network, values + shape[1], values + 2 * shape[1], NULL);
  return TRUE;
}
