#include "config.h"

#include "instrument/prism-instrument-simulate.h"

#include "instrument/prism-specimen.h"

#include "base/prism-arena.h"
#include "base/prism-random.h"
#include "formats/prism-archive.h"
#include "num/prism-fft-complex.h"

#include <math.h>
#include <string.h>

/* Purposes of random numbers, so that one error leaves the others alone. */
enum
{
  DRAW_GAIN = 1000,
  DRAW_SHIFT,
};

/**
 * prism_instrument_truth_free:
 * @self: (nullable): a truth
 */
void
prism_instrument_truth_free (PrismInstrumentTruth *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->object);
  prism_arena_free_array (self->pupil);
  g_free (self->gains);
  g_free (self->directions);
  g_free (self);
}

/**
 * prism_instrument_truth_save:
 * @path: file name, .npz
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the arrays are on the disk
 */
gboolean
prism_instrument_truth_save (const PrismInstrumentTruth *self,
                             const char *path,
                             GError **error)
{
  g_autoptr (PrismArchiveWriter) writer = prism_archive_writer_new (path, error);
  gsize n = self->n_side, q = self->size;

  if (writer == NULL)
    return FALSE;
  prism_archive_writer_add_array (writer, "object.npy", self->object, 3, (gsize[]) { n, n, 2 });
  prism_archive_writer_add_array (writer, "pupil.npy", self->pupil, 3, (gsize[]) { q, q, 2 });
  prism_archive_writer_add_array (writer, "gains.npy", self->gains, 1,
                                  (gsize[]) { self->n_frames });
  prism_archive_writer_add_array (writer, "directions.npy", self->directions, 2,
                                  (gsize[]) { self->n_frames, 2 });
  prism_archive_writer_add_array (writer, "stray.npy", &self->stray, 0, NULL);
  return prism_archive_writer_finish (writer, error);
}

/* LEDs from the middle outwards, as microscopes light them. positions: [N][2] */
static void
place_leds (const PrismInstrument *self,
            double *positions)
{
  int m = (int) self->per_side, x = 0, y = 0, step = 1, n = 0;
  static const int turns[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
  double middle = (m - 1) / 2, offset = m % 2 == 0 ? 0.5 : 0;

  for (int side = 0; n < m * m; side++)
    {
      for (int k = 0; k < step; k++)
        {
          if (fabs (x - offset) <= middle + offset && fabs (y - offset) <= middle + offset
              && n < m * m)
            {
              positions[2 * n] = (x - offset) * self->pitch;
              positions[2 * n + 1] = (y - offset) * self->pitch;
              n++;
            }
          x += turns[side % 4][0];
          y += turns[side % 4][1];
        }
      step += side % 2;
    }
}

/* Phase of the pupil in rad at (x, y), in parts of its radius: Zernike's polynomials with a mean
 * square of 1. */
static double
get_aberration (const PrismInstrument *self,
                double x,
                double y)
{
  double r2 = x * x + y * y, sine2 = r2 * self->na * self->na;
  double waves = self->astigmatism * sqrt (6) * (x * x - y * y)
                 + self->coma * sqrt (8) * (3 * r2 - 2) * x
                 + self->spherical * sqrt (5) * (6 * r2 * r2 - 6 * r2 + 1)
                 + self->defocus / self->wavelength * sqrt (1 - MIN (sine2, 1));

  return 2 * G_PI * waves;
}

/* pupil: [q][q][2], zero frequency in the middle */
static void
make_pupil (const PrismInstrument *self,
            float *pupil)
{
  int q = (int) self->size;
  double radius = self->na * prism_instrument_get_pixel (self) * q / self->wavelength;

  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      {
        double x = (column - q / 2) / radius, y = (row - q / 2) / radius;
        double phase = get_aberration (self, x, y);
        gsize i = 2 * ((gsize) row * q + column);

        pupil[i] = x * x + y * y < 1 ? (float) cos (phase) : 0;
        pupil[i + 1] = x * x + y * y < 1 ? (float) sin (phase) : 0;
      }
}

/* exp(−2πi·f·x/n). wave: [n][2] */
static void
make_wave (double f,
           gsize n,
           float *wave)
{
  for (gsize x = 0; x < n; x++)
    {
      wave[2 * x] = (float) cos (-2 * G_PI * f * x / n);
      wave[2 * x + 1] = (float) sin (-2 * G_PI * f * x / n);
    }
}

/* The spectrum moved so that the box of a frame begins at whole pixels. field: [n][n][2] */
static void
make_spectrum (const PrismInstrumentTruth *truth,
               double fx,
               double fy,
               float *field)
{
  gsize n = truth->n_side;
  g_autofree float *across = g_new (float, 2 * n);
  g_autofree float *down = g_new (float, 2 * n);

  make_wave (fx, n, across);
  make_wave (fy, n, down);
  for (gsize y = 0; y < n; y++)
    for (gsize x = 0; x < n; x++)
      {
        float cosine = across[2 * x] * down[2 * y] - across[2 * x + 1] * down[2 * y + 1];
        float sine = across[2 * x] * down[2 * y + 1] + across[2 * x + 1] * down[2 * y];
        const float *from = truth->object + 2 * (y * n + x);
        float *to = field + 2 * (y * n + x);

        to[0] = from[0] * cosine - from[1] * sine;
        to[1] = from[0] * sine + from[1] * cosine;
      }
  prism_fft_complex_transform (field, (int) n, TRUE);
}

/* What the camera sees of the light from one direction. field: [n][n][2], box: [q][q][2] */
static void
expose (const PrismInstrumentTruth *truth,
        double column,
        double row,
        float *field,
        float *box,
        float *frame)
{
  int n = (int) truth->n_side, q = (int) truth->size;
  int left = (int) floor (column), top = (int) floor (row);
  double scale = 1.0 / ((double) n * n);

  make_spectrum (truth, column - left, row - top, field);
  for (int y = 0; y < q; y++)
    for (int x = 0; x < q; x++)
      {
        int ky = y - q / 2, kx = x - q / 2;
        gsize from = 2 * ((gsize) (((ky + top) % n + n) % n) * n + ((kx + left) % n + n) % n);
        const float *pupil = truth->pupil + 2 * ((gsize) y * q + x);
        float *to = box + 2 * ((gsize) ((ky + q) % q) * q + (kx + q) % q);

        to[0] = pupil[0] * field[from] - pupil[1] * field[from + 1];
        to[1] = pupil[0] * field[from + 1] + pupil[1] * field[from];
      }
  prism_fft_complex_transform (box, q, FALSE);
  for (gsize i = 0; i < (gsize) q * q; i++)
    {
      double re = box[2 * i] * scale, im = box[2 * i + 1] * scale;

      frame[i] = (float) (re * re + im * im);
    }
}

/* Shot noise by its normal limit, and noise of reading; one unit is one photon before. */
static void
add_noise (const PrismInstrument *self,
           float *frame,
           gsize n_pixels,
           guint j,
           double photons)
{
  guint64 seed = (guint64) self->seed;

  for (gsize i = 0; i < n_pixels; i++)
    {
      double mean = frame[i] * photons;
      double shot = prism_random_normal (seed, PRISM_STREAM_SHOT, j, i);
      double read = prism_random_normal (seed, PRISM_STREAM_READ, j, i);
      double count = mean + sqrt (MAX (mean, 0)) * shot + self->read_noise * read;

      frame[i] = (float) (MAX (count, 0) / photons);
    }
}

static PrismRecording *
new_recording (const PrismInstrument *self)
{
  PrismRecording *recording = prism_recording_new ("simulated", "simulated");

  recording->n_frames = (guint) (self->per_side * self->per_side);
  recording->height = recording->width = (guint) self->size;
  recording->wavelength = self->wavelength;
  recording->camera_pixel = self->camera_pixel;
  recording->magnification = self->magnification;
  recording->na = self->na;
  recording->distance = self->distance;
  recording->defocus = self->defocus;
  recording->slide_thickness = self->slide_thickness;
  recording->slide_index = self->slide_index;
  recording->rotation = self->rotation;
  recording->positions = g_new (double, 2 * (gsize) recording->n_frames);
  place_leds (self, recording->positions);
  prism_recording_update (recording);
  return recording;
}

/* Gains and true directions of the LEDs. */
static void
draw_leds (const PrismInstrument *self,
           const PrismRecording *recording,
           PrismInstrumentTruth *truth)
{
  double pixel = self->wavelength / (recording->pixel_size * self->size);
  guint64 seed = (guint64) self->seed;

  truth->gains = g_new (float, truth->n_frames);
  truth->directions = g_new (float, 2 * (gsize) truth->n_frames);
  for (guint j = 0; j < truth->n_frames; j++)
    {
      double gain = prism_random_normal (seed, PRISM_STREAM_PATTERN, DRAW_GAIN, j);

      truth->gains[j] = (float) exp (self->gains * gain);
      for (guint k = 0; k < 2; k++)
        {
          guint i = 2 * j + k;
          double shift = prism_random_normal (seed, PRISM_STREAM_PATTERN, DRAW_SHIFT, i);

          shift *= self->shifts / G_SQRT2 * pixel;
          truth->directions[i] = (float) (recording->directions[i] + shift);
        }
    }
}

static PrismInstrumentTruth *
new_truth (const PrismInstrument *self,
           const PrismRecording *recording,
           GError **error)
{
  g_autoptr (PrismInstrumentTruth) truth = g_new0 (PrismInstrumentTruth, 1);
  gsize n, q = (gsize) self->size;

  truth->size = (guint) self->size;
  truth->n_side = truth->size * (guint) prism_instrument_get_upsampling (self);
  truth->n_frames = recording->n_frames;
  n = truth->n_side;
  truth->object = prism_arena_new_array (2 * n * n * sizeof (float), "a specimen", error);
  if (truth->object == NULL)
    return NULL;
  truth->pupil = prism_arena_new_array (2 * q * q * sizeof (float), "a pupil", error);
  if (truth->pupil == NULL)
    return NULL;
  prism_specimen_draw ((PrismSpecimen) self->specimen, self->phase, (guint64) self->seed,
                       truth->object, truth->n_side);
  make_pupil (self, truth->pupil);
  draw_leds (self, recording, truth);
  return g_steal_pointer (&truth);
}

/* Frames without errors, then gains, stray light and noise. */
static gboolean
expose_all (const PrismInstrument *self,
            PrismRecording *recording,
            PrismInstrumentTruth *truth,
            GError **error)
{
  gsize n = truth->n_side, q = truth->size, n_pixels = q * q;
  double scale = recording->pixel_size * q / recording->wavelength, mean = 0;
  prism_autofree_array float *field = NULL;
  prism_autofree_array float *box = NULL;

  field = prism_arena_new_array (2 * n * n * sizeof *field, "a spectrum", error);
  if (field == NULL)
    return FALSE;
  box = prism_arena_new_array (2 * n_pixels * sizeof *box, "a box of a spectrum", error);
  if (box == NULL)
    return FALSE;
  for (guint j = 0; j < truth->n_frames; j++)
    expose (truth, truth->directions[2 * j] * scale, truth->directions[2 * j + 1] * scale, field,
            box, recording->frames + j * n_pixels);
  for (gsize i = 0; i < n_pixels; i++)
    mean += recording->frames[i] / (double) n_pixels;
  truth->stray = (float) (self->stray * mean);
  for (guint j = 0; j < truth->n_frames; j++)
    {
      float *frame = recording->frames + j * n_pixels;

      for (gsize i = 0; i < n_pixels; i++)
        frame[i] = frame[i] * truth->gains[j] + truth->stray;
      if (self->photons > 0 && mean > 0)
        add_noise (self, frame, n_pixels, j, self->photons / mean);
    }
  return TRUE;
}

/**
 * prism_instrument_simulate:
 * @self: an instrument
 * @truth: (out) (transfer full): what is behind the frames
 *
 * Makes the frames that the instrument would record of its specimen. Frames are the same for the
 * same seed; an error that is turned on leaves the random numbers of the others as they are.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_instrument_simulate (const PrismInstrument *self,
                           PrismInstrumentTruth **truth,
                           GError **error)
{
  g_autoptr (PrismRecording) recording = NULL;
  g_autoptr (PrismInstrumentTruth) behind = NULL;
  gsize n_bytes;

  *truth = NULL;
  if (!prism_instrument_check (self, error))
    return NULL;
  recording = new_recording (self);
  n_bytes = (gsize) recording->n_frames * recording->height * recording->width * sizeof (float);
  recording->frames = prism_arena_new_array (n_bytes, "simulated frames", error);
  if (recording->frames == NULL)
    return NULL;
  behind = new_truth (self, recording, error);
  if (behind == NULL || !expose_all (self, recording, behind, error))
    return NULL;
  *truth = g_steal_pointer (&behind);
  return g_steal_pointer (&recording);
}
