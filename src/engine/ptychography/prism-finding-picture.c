#include "config.h"

#include "ptychography/prism-finding-picture.h"

#include "base/prism-arena.h"
#include "base/prism-pool.h"
#include "instrument/prism-instrument-simulate.h"
#include "num/prism-fft.h"
#include "num/prism-phase.h"
#include "num/prism-resample.h"

static void
take_amplitude (const float *field,
                gsize n,
                float *values)
{
  for (gsize i = 0; i < n; i++)
    values[i] = hypotf (field[2 * i], field[2 * i + 1]);
}

/* values: (inout) [n]: of an object's pixels */
static void
blank_unknown (const float *object,
               gsize n,
               float *values)
{
  for (gsize i = 0; i < n; i++)
    if (!prism_finding_picture_is_known (object + 2 * i))
      values[i] = NAN;
}

/* ramp: rad a pixel that is taken off */
static void
take_phase (const float *field,
            int height,
            int width,
            const double ramp[2],
            float *values)
{
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        const gsize i = (gsize) y * width + x;
        const double phase = atan2f (field[2 * i + 1], field[2 * i]);

        values[i] = remainder (phase - ramp[0] * x - ramp[1] * y, 2 * G_PI);
      }
}

static gboolean
unwrap (const float *field,
        int height,
        int width,
        gboolean flat,
        float *values,
        GError **error)
{
  double ramp[2] = { 0 };
  prism_autofree_array float *wrapped
      = prism_arena_new_array (sizeof *wrapped * height * width, "the unwrapped phase", error);

  if (wrapped == NULL)
    return FALSE;
  if (flat)
    prism_phase_find_ramp (field, height, width, ramp);
  take_phase (field, height, width, ramp, wrapped);
  if (!prism_phase_unwrap (wrapped, values, height, width, error))
    return FALSE;
  if (!flat)
    return TRUE;
  /* What is not known has no say in where the ground lies. */
  blank_unknown (field, (gsize) height * width, values);
  prism_phase_flatten (values, height, width);
  return TRUE;
}

/* The pixels of a square's side, in the middle of the object. */
static int
get_square (const PrismFinding *finding)
{
  return MIN (finding->object_height, finding->object_width) / 2 * 2;
}

/* The object, or the square in its middle. [S][S][2] */
static float *
dup_square (const PrismFinding *finding,
            int side,
            GError **error)
{
  const int top = (finding->object_height - side) / 2, left = (finding->object_width - side) / 2;
  const gsize n_row = 2 * (gsize) side;
  float *field = prism_arena_new_array (n_row * side * sizeof *field, "the spectrum", error);

  for (int y = 0; field != NULL && y < side; y++)
    memcpy (field + y * n_row,
            finding->object + 2 * ((gsize) (y + top) * finding->object_width + left),
            n_row * sizeof *field);
  return field;
}

/* The spectrum of the object, or of the square in its middle, whose centre is at S/2. */
static gboolean
take_spectrum (const PrismFinding *finding,
               float *values,
               GError **error)
{
  const int side = get_square (finding);
  const gsize n = (gsize) side * side;
  prism_autofree_array float *field = dup_square (finding, side, error);
  float most = 0;

  if (field == NULL)
    return FALSE;
  prism_fft_alternate (field, side, 1);
  prism_fft_complex_transform (field, side, TRUE);
  take_amplitude (field, n, values);
  for (gsize i = 0; i < n; i++)
    most = MAX (most, values[i]);
  for (gsize i = 0; i < n; i++)
    values[i] = log10f (most > 0 ? MAX (values[i] / most, 1e-8f) : 1);
  return TRUE;
}

/* The object, or the square in its middle, through a microscope without aberrations whose condenser
 * lights from where the frames were lit. Lengths are in pixels of a frame as large as that square;
 * of tiles what is known is in pixels of a tile's. */
static PrismImage *
see (const PrismFinding *finding,
     PrismContrast contrast,
     GError **error)
{
  const int side = get_square (finding);
  const double stated
      = finding->na * side * finding->pixel_size / finding->wavelength / finding->radius;
  const double tiles = isfinite (stated) ? stated : 1;
  const int size = 2 * (int) rint (finding->side * tiles / 2);
  const double unit = tiles / size;
  const PrismInstrument instrument = { .size = size,
                                       .wavelength = 1,
                                       .camera_pixel = 1,
                                       .magnification = 1,
                                       .index = 1,
                                       .na = finding->radius * unit };
  g_autofree float *directions = g_new (float, 2 * finding->n_frames);
  prism_autofree_array float *object = dup_square (finding, side, error);
  const PrismInstrumentTruth behind
      = { side, finding->n_frames, size, object, .directions = directions };
  g_autoptr (PrismImage) seen = NULL;
  PrismImage *picture;

  for (guint i = 0; i < 2 * finding->n_frames; i++)
    directions[i] = finding->frames[i / 2].found[i % 2] * unit;
  seen = object != NULL ? prism_instrument_see (&instrument, &behind, contrast, error) : NULL;
  picture = seen != NULL ? prism_resample (seen, side, side, error) : NULL;
  if (picture != NULL)
    blank_unknown (object, (gsize) side * side, picture->pixels);
  return picture;
}

static gboolean
take_pupil_phase (const PrismFinding *finding,
                  float *values,
                  GError **error)
{
  const gsize n = (gsize) finding->side * finding->side;
  double sum = 0, light = 0;

  if (!unwrap (finding->pupil, finding->side, finding->side, FALSE, values, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const double amplitude = hypot (finding->pupil[2 * i],
                                      finding->pupil[2 * i + 1]);

      sum += amplitude * values[i];
      light += amplitude;
      if (!(amplitude > 0))
        values[i] = NAN;
    }
  for (gsize i = 0; i < n; i++)
    values[i] = (values[i] - (float) (light > 0 ? sum / light : 0)) / (float) (2 * G_PI);
  return TRUE;
}

/**
 * prism_finding_picture_new:
 * @picture: what to show
 *
 * Shape: [H][W], of the spectrum and of a contrast [S][S], S = min (H, W), of the pupil [q][q]; NAN
 * where nothing is known.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the picture
 */
PrismImage *
prism_finding_picture_new (const PrismFinding *finding,
                           PrismFindingPicture picture,
                           GError **error)
{
  const gboolean of_pupil = picture >= PRISM_FINDING_PUPIL_AMPLITUDE;
  const int square = of_pupil ? finding->side : get_square (finding);
  const gboolean is_square = of_pupil || picture == PRISM_FINDING_SPECTRUM;
  const int height = is_square ? square : finding->object_height;
  const int width = is_square ? square : finding->object_width;
  const float *field = of_pupil ? finding->pupil : finding->object;
  g_autoptr (PrismImage) image = NULL;
  gboolean done = TRUE;

  if (picture >= PRISM_FINDING_CONTRAST && picture < PRISM_FINDING_SPECTRUM)
    return see (finding, (PrismContrast) (picture - PRISM_FINDING_CONTRAST), error);
  image = prism_image_new (height, width, error);
  if (image == NULL)
    return NULL;
  if (picture == PRISM_FINDING_PHASE)
    take_phase (field, height, width, (const double[2]) { 0 }, image->pixels);
  else if (picture == PRISM_FINDING_UNWRAPPED || picture == PRISM_FINDING_FLAT)
    done = unwrap (field, height, width, picture == PRISM_FINDING_FLAT, image->pixels, error);
  else if (picture == PRISM_FINDING_SPECTRUM)
    done = take_spectrum (finding, image->pixels, error);
  else if (picture == PRISM_FINDING_PUPIL_PHASE)
    done = take_pupil_phase (finding, image->pixels, error);
  else
    take_amplitude (field, (gsize) height * width, image->pixels);
  if (!is_square)
    blank_unknown (field, (gsize) height * width, image->pixels);
  return done ? g_steal_pointer (&image) : NULL;
}

/**
 * prism_finding_picture_get_reduction:
 * @side: pixels of the object's longer side
 *
 * Returns: pixels of the object, along a side, for one of its pictures as a run shows them
 */
int
prism_finding_picture_get_reduction (int side)
{
  return 1 + (side - 1) / 4096;
}

/* Two pictures of an object, a row for each worker. */
typedef struct
{
  PrismFindingRow get_row;
  gconstpointer data;
  int height, width, top, left, reduction, side;
  float unit;
  float *pictures[2];
} Reduction;

static void
reduce_row (gpointer data,
            guint row)
{
  const Reduction *all = data;
  const int r = all->reduction;
  float *amplitude = all->pictures[0] + (gsize) row * all->side;
  float *phase = all->pictures[1] + (gsize) row * all->side;
  g_autofree float *from = g_new (float, 2 * (gsize) all->width);
  g_autofree float (*sums)[3] = g_malloc0_n (all->side, sizeof *sums);

  for (int y = (int) row * r - all->top, end = y + r; y < end; y++)
    {
      if (y < 0 || y >= all->height)
        continue;
      if (all->get_row != NULL)
        all->get_row (all->data, y, from);
      else
        memcpy (from, (const float *) all->data + 2 * (gsize) y * all->width,
                2 * sizeof *from * all->width);
      for (int x = 0; x < all->width; x++)
        {
          const int column = (x + all->left) / r;

          if (column >= all->side || !prism_finding_picture_is_known (from + 2 * x))
            continue;
          sums[column][0] += from[2 * x] / all->unit;
          sums[column][1] += from[2 * x + 1] / all->unit;
          sums[column][2]++;
        }
    }
  for (int column = 0; column < all->side; column++)
    {
      const float *sum = sums[column];

      amplitude[column] = sqrtf (sum[0] * sum[0] + sum[1] * sum[1]) / sum[2];
      phase[column] = sum[2] > 0 ? atan2f (sum[1], sum[0]) : NAN;
    }
}

/**
 * prism_finding_picture_reduce:
 * @get_row: (scope call) (nullable): gives a row of the object, from several threads
 * @data: for it; where there is none the object itself
 * @height: H
 * @width: W
 * @top: rows of the square above it
 * @left: columns of the square beside it
 * @reduction: r
 * @unit: of the object, that is 1 in the pictures
 * @side: m, of the pictures; the square has r·m pixels along a side
 * @amplitude: (out)
 * @phase: (out)
 *
 * Makes amplitude and phase of what is seen through r × r pixels; NAN where nothing is known.
 *
 * Shape: object [H][W][2], amplitude and phase [m][m].
 * Units: rad.
 */
void
prism_finding_picture_reduce (PrismFindingRow get_row,
                              gconstpointer data,
                              int height,
                              int width,
                              int top,
                              int left,
                              int reduction,
                              float unit,
                              int side,
                              float *amplitude,
                              float *phase)
{
  Reduction all = { .get_row = get_row,
                    .data = data,
                    .height = height,
                    .width = width,
                    .top = top,
                    .left = left,
                    .reduction = reduction,
                    .side = side,
                    .unit = unit,
                    .pictures = { amplitude, phase } };

  prism_parallel_run (side, (gsize) height * width, reduce_row, &all);
}

/**
 * prism_finding_picture_make_pair:
 * @amplitude: (out) (transfer full)
 * @phase: (out) (transfer full)
 *
 * Makes the two pictures that a run shows of its object, squares with as much of nothing at both
 * ends of the shorter side.
 *
 * Shape: [m][m], an even number of at most 4096.
 * Units: of phase rad.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory
 */
gboolean
prism_finding_picture_make_pair (const PrismFinding *finding,
                                 PrismImage **amplitude,
                                 PrismImage **phase,
                                 GError **error)
{
  const int height = finding->object_height, width = finding->object_width;
  const int field = MAX (height, width);
  const int r = prism_finding_picture_get_reduction (field), m = field / r / 2 * 2;
  g_autoptr (PrismImage) first = prism_image_new (m, m, error);
  g_autoptr (PrismImage) second = first != NULL ? prism_image_new (m, m, error) : NULL;

  if (second == NULL)
    return FALSE;
  prism_finding_picture_reduce (NULL, finding->object, height, width, (field - height) / 2,
                                (field - width) / 2, r, 1, m, first->pixels, second->pixels);
  *amplitude = g_steal_pointer (&first);
  *phase = g_steal_pointer (&second);
  return TRUE;
}

/**
 * prism_finding_picture_dup_colors:
 *
 * Shows complex numbers: the phase is the hue, from red over green at 120° to blue at 240°, the
 * amplitude the brightness. The sum of the three colours is the same at every phase.
 *
 * Shape: [H][W], 0xFFRRGGBB; 0 where nothing is known.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): colours; prism_arena_free_array() them
 */
guint32 *
prism_finding_picture_dup_colors (const PrismFinding *finding,
                                  GError **error)
{
  const gsize n = (gsize) finding->object_height * finding->object_width;
  guint32 *colors = prism_arena_new_array (n * sizeof *colors, "the colours of the phase", error);

  for (gsize i = 0; colors != NULL && i < n; i++)
    {
      const float *value = finding->object + 2 * i;
      const float amplitude = MIN (hypotf (value[0], value[1]), 1);
      const float phase = atan2f (value[1], value[0]);

      colors[i] = 0;
      for (int k = 0; k < 3; k++)
        {
          const float part = 0.5f + 0.45f * cosf (phase - (float) (2 * G_PI * k / 3));

          colors[i] = colors[i] << 8 | (guint32) (255 * amplitude * part + 0.5f);
        }
      colors[i] |= prism_finding_picture_is_known (value) ? 0xff000000 : 0;
    }
  return colors;
}
