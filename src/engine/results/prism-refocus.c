/* A field is a sum of plane waves, and a distance turns the phase of each by what its direction
 * takes: O_z(f) = O(f)·exp(-2πi·z·(√(1/λ² - f²) - 1/λ)), in air. The sign of z is that of the
 * defocus in summary.json, so that the object at this z is what the camera was focused on. The
 * object is mirrored at its edges, which a transform would join.
 *
 * Source: Goodman, Introduction to Fourier Optics, 3.10 (angular spectrum). */
#include "config.h"

#include "results/prism-refocus.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "formats/prism-strip-writer.h"
#include "num/prism-fft.h"

struct _PrismRefocus
{
  int height; /* H */
  int width;  /* W */
  int side;   /* n: of the square around both, with mirror images at its rim */
  double pixel;
  double wavelength;
  float *spectrum; /* [n][n][2], zero frequency first */
  float *field;    /* [n][n][2]: at the z that was asked for last */
};

/* The nearest row or column of a picture that goes on as its mirror image. */
static int
mirror (int i,
        int n)
{
  i = (i % (2 * n) + 2 * n) % (2 * n);
  return i < n ? i : 2 * n - 1 - i;
}

/**
 * prism_refocus_new:
 * @finding: an object, with its wavelength
 *
 * Errors: PRISM_ERROR_CONFIG where the wavelength is unknown, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the object, to be looked at in other planes
 */
PrismRefocus *
prism_refocus_new (const PrismFinding *finding,
                   GError **error)
{
  g_autoptr (PrismRefocus) self = g_new0 (PrismRefocus, 1);
  const int h = finding->object_height, w = finding->object_width;
  const int n = (MAX (h, w) * 9 / 8 + 63) / 64 * 64;
  const gsize n_bytes = 2 * sizeof (float) * (gsize) n * (gsize) n;

  if (!(finding->wavelength > 0 && finding->pixel_size > 0))
    {
      prism_error_config (error, _ ("The result does not say its wavelength or its pixel: explain"
                                    " the"
                                    " frames again, with both."));
      return NULL;
    }
  self->height = h;
  self->width = w;
  self->side = n;
  self->pixel = finding->pixel_size;
  self->wavelength = finding->wavelength;
  self->spectrum = prism_arena_new_array (n_bytes, "the object's spectrum", error);
  if (self->spectrum == NULL)
    return NULL;
  self->field = prism_arena_new_array (n_bytes, "the object in another plane", error);
  if (self->field == NULL)
    return NULL;
  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const int y = mirror (row - (n - h) / 2, h), x = mirror (column - (n - w) / 2, w);

        memcpy (self->spectrum + 2 * ((gsize) row * n + column),
                finding->object + 2 * ((gsize) y * w + x), 2 * sizeof (float));
      }
  prism_fft_complex_transform (self->spectrum, n, TRUE);
  return g_steal_pointer (&self);
}

/**
 * prism_refocus_free:
 * @self: (nullable): what to free
 */
PRISM_FREE_FOR_ALL (PrismRefocus,
                    prism_refocus_free,
                    prism_arena_free_array,
                    spectrum,
                    prism_arena_free_array,
                    field)

/**
 * prism_refocus_compute:
 * @z: distance from the object, m
 * @amplitude: (out caller-allocates): of the object there
 * @phase: (out caller-allocates): radians
 *
 * Shape: both [H][W].
 */
void
prism_refocus_compute (PrismRefocus *self,
                       double z,
                       float *amplitude,
                       float *phase)
{
  const int n = self->side, top = (n - self->height) / 2, left = (n - self->width) / 2;
  const double unit = 1 / (n * self->pixel), wave = 1 / self->wavelength;

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const double y = unit * (row < n / 2 ? row : row - n);
        const double x = unit * (column < n / 2 ? column : column - n);
        const double along = sqrt (MAX (wave * wave - x * x - y * y, 0));
        const double turn = -2 * G_PI * z * (along - wave);
        const float c = (float) (cos (turn) / n / n), s = (float) (sin (turn) / n / n);
        const gsize i = 2 * ((gsize) row * n + column);

        self->field[i] = self->spectrum[i] * c - self->spectrum[i + 1] * s;
        self->field[i + 1] = self->spectrum[i] * s + self->spectrum[i + 1] * c;
      }
  prism_fft_complex_transform (self->field, n, FALSE);
  for (int row = 0; row < self->height; row++)
    for (int column = 0; column < self->width; column++)
      {
        const float *at = self->field + 2 * ((gsize) (row + top) * n + column + left);
        const gsize to = (gsize) row * self->width + column;

        amplitude[to] = hypotf (at[0], at[1]);
        phase[to] = atan2f (at[1], at[0]);
      }
}

/**
 * prism_refocus_save:
 * @from: first distance, m
 * @to: last one, m
 * @n_depths: how many, at least 1, at the same distance from each other
 * @path: file name that ends in .tif
 *
 * Writes an OME-TIFF with amplitude and phase at every distance.
 *
 * Errors: PRISM_ERROR_CONFIG for another ending, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_refocus_save (PrismRefocus *self,
                    double from,
                    double to,
                    int n_depths,
                    const char *path,
                    GError **error)
{
  const gsize n = (gsize) self->height * (gsize) self->width;
  const double step = n_depths > 1 ? (to - from) / (n_depths - 1) : 0;
  prism_autofree_array float *parts
      = prism_arena_new_array (2 * n * sizeof *parts, "amplitude and phase", error);
  g_autoptr (PrismStripWriter) writer
      = parts != NULL ? prism_strip_writer_new_ome (path, self->height, self->width, n_depths,
                                                    self->pixel, from, step, error)
                      : NULL;

  if (writer == NULL)
    return FALSE;
  for (int i = 0; i < n_depths; i++)
    {
      prism_refocus_compute (self, from + i * step, parts, parts + n);
      if (!prism_strip_writer_add (writer, parts, self->height, error)
          || !prism_strip_writer_add (writer, parts + n, self->height, error))
        return FALSE;
    }
  return prism_strip_writer_save (writer, error);
}
