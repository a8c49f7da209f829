#include "config.h"

#include "instrument/prism-instrument-simulate.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-random.h"
#include "formats/prism-archive.h"
#include "num/prism-fft.h"
#include "recording/prism-recording-save.h"

/* Purposes of random numbers, so that one error leaves the others alone. */
enum
{
  DRAW_GAIN = 1000,
  DRAW_SHIFT,
};

/* Of phase contrast, parts of the pupil's radius. */
#define RING_INNER 0.6
#define RING_OUTER 0.8

/**
 * prism_instrument_truth_free:
 * @self: (nullable): a truth
 */
PRISM_FREE_FOR_ALL (PrismInstrumentTruth,
                    prism_instrument_truth_free,
                    prism_arena_free_array,
                    object,
                    prism_arena_free_array,
                    pupil,
                    g_free,
                    gains,
                    g_free,
                    directions)

/* LEDs from the middle outwards, as microscopes light them. positions: [N][2] */
static void
place_leds (const PrismInstrument *self,
            double *positions)
{
  int m = self->per_side, x = 0, y = 0, step = 1, n = 0;
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
  double r2 = x * x + y * y, sine2 = r2 * self->na * self->na, n2 = self->index * self->index;
  double waves = self->astigmatism * sqrt (6) * (x * x - y * y)
                 + self->coma * sqrt (8) * (3 * r2 - 2) * x
                 + self->spherical * sqrt (5) * (6 * r2 * r2 - 6 * r2 + 1)
                 + self->defocus / self->wavelength * sqrt (n2 - MIN (sine2, n2));

  return 2 * G_PI * waves;
}

/* The pupil at a frequency, (x, y) pixels of a frame's spectrum from its centre; its rim is one
 * pixel wide. */
static void
get_pupil (const PrismInstrument *self,
           double x,
           double y,
           float value[2])
{
  double radius
      = self->na * prism_instrument_get_pixel (self) * self->size / self->wavelength;
  double clear = CLAMP (radius - hypot (x, y) + 0.5, 0.0, 1.0);
  double phase = clear > 0 ? get_aberration (self, x / radius, y / radius) : 0;

  value[0] = clear * cos (phase);
  value[1] = clear * sin (phase);
}

/* Multiplies the pupil at ρ of its radius, and k pixels of the specimen's spectrum along x. Phase
 * contrast: a ring of the pupil delays the light that came directly by a quarter of a wave. Relief:
 * of two images that lie s apart one is subtracted from the other, with a bias of a quarter wave,
 * O(x + s/2)·exp(iπ/4) - O(x - s/2)·exp(-iπ/4), whose spectrum is O's times 2i·sin(πsk + π/4);
 * s is a pixel of the camera, so that sk = k/q. */
static void
apply_contrast (PrismContrast contrast,
                double rho,
                double k_over_q,
                float pupil[2])
{
  const float re = pupil[0];
  const float sine = sin (G_PI * k_over_q + G_PI / 4);

  if (contrast == PRISM_CONTRAST_PHASE && rho >= RING_INNER && rho <= RING_OUTER)
    {
      pupil[0] = -pupil[1];
      pupil[1] = re;
    }
  else if (contrast == PRISM_CONTRAST_RELIEF)
    {
      pupil[0] *= sine;
      pupil[1] *= sine;
    }
}

/* The spectrum of the specimen in the light of an LED that is as near as it is, less the plane wave
 * that comes to the middle of the field. spectrum: (out) [n][n][2] */
static void
light_from_near (const PrismInstrument *self,
                 const PrismInstrumentTruth *truth,
                 guint j,
                 float *spectrum)
{
  const int n = truth->n_side;
  const double pixel = prism_instrument_get_pixel (self) * truth->size / n;
  const double wave = 2 * G_PI / self->wavelength;
  const double cosine
      = sqrt (1 - truth->directions[2 * j] * truth->directions[2 * j]
              - truth->directions[2 * j + 1] * truth->directions[2 * j + 1]);
  const double far = self->distance / cosine;
  const double led[2] = { far * truth->directions[2 * j], far * truth->directions[2 * j + 1] };

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const gsize i = 2 * ((gsize) row * n + column);
        const double x = (column - n / 2) * pixel, y = (row - n / 2) * pixel;
        const double square = x * x + y * y - 2 * (x * led[0] + y * led[1]);
        /* ρ(r) - ρ(0) = square / (ρ(r) + ρ(0)), which keeps its digits. */
        const double longer = square / (sqrt (far * far + square) + far);
        const double phase = wave * (longer + (x * led[0] + y * led[1]) / far);
        const double c = cos (phase), s = sin (phase);
        const double re = truth->object[i], im = truth->object[i + 1];

        spectrum[i] = c * re - s * im;
        spectrum[i + 1] = c * im + s * re;
      }
  prism_fft_complex_transform (spectrum, n, TRUE);
}

/* Adds what the camera sees of the light from one direction. The specimen goes on beyond the field
 * as it began: its spectrum lies at whole pixels, and the pupil wherever the light puts it.
 * room: of make_room() */
static void
expose (const PrismInstrument *self,
        const PrismInstrumentTruth *truth,
        guint j,
        PrismContrast contrast,
        float *room,
        float *frame)
{
  int n = truth->n_side, q = truth->size;
  double pixels = prism_instrument_get_pixel (self) * q / self->wavelength;
  double center_x = truth->directions[2 * j] * pixels;
  double center_y = truth->directions[2 * j + 1] * pixels;
  int left = floor (center_x), top = floor (center_y);
  double scale = 1.0 / ((double) n * n);
  float *box = room + 2 * (gsize) n * n;

  if (self->curvature > 0)
    light_from_near (self, truth, j, room);
  for (int y = 0; y < q; y++)
    for (int x = 0; x < q; x++)
      {
        int ky = y - q / 2 + top, kx = x - q / 2 + left;
        const float *from = room + 2 * ((gsize) ((ky % n + n) % n) * n + (kx % n + n) % n);
        float *to = box + 2 * ((gsize) ((y + q / 2) % q) * q + (x + q / 2) % q);
        float pupil[2];

        get_pupil (self, kx - center_x, ky - center_y, pupil);
        apply_contrast (contrast, hypot (kx - center_x, ky - center_y) / (self->na * pixels),
                        (double) kx / q, pupil);
        to[0] = pupil[0] * from[0] - pupil[1] * from[1];
        to[1] = pupil[0] * from[1] + pupil[1] * from[0];
      }
  prism_fft_complex_transform (box, q, FALSE);
  for (gsize i = 0; i < (gsize) q * q; i++)
    {
      double re = box[2 * i] * scale, im = box[2 * i + 1] * scale;

      frame[i] += (float) (re * re + im * im);
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

      frame[i] = MAX (count, 0) / photons;
    }
}

static PrismRecording *
new_recording (const PrismInstrument *self)
{
  PrismRecording *recording = prism_recording_new ("simulated", "simulated");

  recording->n_frames = self->per_side * self->per_side;
  recording->height = recording->width = self->size;
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

      truth->gains[j] = exp (self->gains * gain);
      for (guint k = 0; k < 2; k++)
        {
          guint i = 2 * j + k;
          double shift = prism_random_normal (seed, PRISM_STREAM_PATTERN, DRAW_SHIFT, i);

          shift *= self->shifts / G_SQRT2 * pixel;
          truth->directions[i] = recording->directions[i] + shift;
        }
    }
}

#define N_CELLS 60
#define CELL_RADIUS 0.055 /* of the side */
#define ABSORPTION 0.15
#define N_GROUPS 5 /* of bars; each has half the period of the one before */
#define SQUARE 0.5 /* side of the bright scene, of the whole */
#define SMOOTH 2.0 /* pixels of an edge */

/* Where something lies: coordinates from 0 to 1. */
typedef struct
{
  double x;
  double y;
  double radius;
  double thickness;
} Cell;

static double
draw_number (guint64 seed,
             guint index,
             guint64 position)
{
  return prism_random_uniform (seed, PRISM_STREAM_OBJECT, index, position);
}

/* A red blood cell is thinner in its middle. */
static double
get_thickness (const Cell *cell,
               double x,
               double y,
               guint side)
{
  double r = hypot (x - cell->x, y - cell->y) / cell->radius;

  if (r > 2)
    return 0;
  return cell->thickness * (0.55 + 1.2 * r * r - 0.75 * r * r * r * r)
         * (0.5 - 0.5 * tanh ((r - 1) * cell->radius * side / SMOOTH));
}

/* Cells that lie over each other are as thick as both, up to a limit. */
static double
get_cells (const Cell *cells,
           double x,
           double y,
           guint side)
{
  double thickness = 0;

  for (guint i = 0; i < N_CELLS; i++)
    thickness += get_thickness (&cells[i], x, y, side);
  return MIN (thickness, 1.5);
}

/* Bars, upright in the left half and level in the right, in rows of falling period. */
static double
get_bar (double x,
         double y)
{
  int group = y * N_GROUPS;
  double period = 0.16 / (1 << group), along = x < 0.5 ? x : y * N_GROUPS - group;
  double within = fmod (y * N_GROUPS, 1);

  if (within < 0.15 || within > 0.85 || fmod (x, 0.5) < 0.05 || fmod (x, 0.5) > 0.45)
    return 0;
  if (x >= 0.5)
    along /= N_GROUPS;
  return fmod (along, period) < period / 2 ? 1 : 0;
}

/* Bright blocks of several sizes in the middle of the dark. */
static double
get_scene (guint64 seed,
           double x,
           double y)
{
  const double u = (x - 0.5) / SQUARE + 0.5, v = (y - 0.5) / SQUARE + 0.5;
  double value = 0;

  for (guint level = 0; level < 4 && u > 0 && u < 1 && v > 0 && v < 1; level++)
    {
      guint n = 4u << level;
      guint64 block = (guint64) (v * n) * n + (guint64) (u * n);

      value += draw_number (seed, level, block) > 0.6 ? 0.4 : 0.05;
    }
  return value;
}

/* The field behind the specimen. phase: where it is thick, rad; object: (out) [side][side][2] */
static void
draw_specimen (PrismSpecimen kind,
               double phase,
               guint64 seed,
               float *object,
               guint side)
{
  Cell cells[N_CELLS];

  for (guint i = 0; i < N_CELLS; i++)
    cells[i] = (Cell) { draw_number (seed, i, 0), draw_number (seed, i, 1),
                        CELL_RADIUS * (0.7 + 0.5 * draw_number (seed, i, 2)),
                        0.6 + 0.4 * draw_number (seed, i, 3) };
  for (gsize i = 0; i < (gsize) side * side; i++)
    {
      const double x = (i % side + 0.5) / side, y = (i / side + 0.5) / side;
      const gboolean is_scene = kind == PRISM_SPECIMEN_SCENE;
      const double thickness = kind == PRISM_SPECIMEN_CELLS ? get_cells (cells, x, y, side)
                               : is_scene                   ? 0
                                                            : get_bar (x, y);
      const double absorption = kind == PRISM_SPECIMEN_CELLS ? ABSORPTION : 0.8;
      const double amplitude = is_scene ? get_scene (seed, x, y) : 1 - absorption * thickness;

      object[2 * i] = amplitude * cos (phase * thickness);
      object[2 * i + 1] = amplitude * sin (phase * thickness);
    }
}

static PrismInstrumentTruth *
new_truth (const PrismInstrument *self,
           const PrismRecording *recording,
           GError **error)
{
  g_autoptr (PrismInstrumentTruth) truth = g_new0 (PrismInstrumentTruth, 1);
  gsize n, q = (gsize) self->size;

  truth->size = self->size;
  truth->n_side = truth->size * prism_instrument_get_upsampling (self);
  truth->n_frames = recording->n_frames;
  n = truth->n_side;
  truth->object = prism_arena_new_array (2 * n * n * sizeof (float), "a specimen", error);
  if (truth->object == NULL)
    return NULL;
  truth->pupil = prism_arena_new_array (2 * q * q * sizeof (float), "a pupil", error);
  if (truth->pupil == NULL)
    return NULL;
  draw_specimen ((PrismSpecimen) self->specimen, self->phase, (guint64) self->seed, truth->object,
                 truth->n_side);
  for (gsize i = 0; i < q * q; i++)
    get_pupil (self, (int) (i % q) - (int) q / 2, (int) (i / q) - (int) q / 2,
               truth->pupil + 2 * i);
  draw_leds (self, recording, truth);
  return g_steal_pointer (&truth);
}

/* The spectrum of the specimen, [n][n][2], and behind it room for a box of it, [q][q][2]. */
static float *
make_room (const PrismInstrumentTruth *truth,
           GError **error)
{
  const gsize n = 2 * (gsize) truth->n_side * truth->n_side, q = truth->size;
  float *room = prism_arena_new_array ((n + 2 * q * q) * sizeof *room, "a spectrum", error);

  if (room == NULL)
    return NULL;
  memcpy (room, truth->object, n * sizeof *room);
  prism_fft_complex_transform (room, truth->n_side, TRUE);
  return room;
}

/**
 * prism_instrument_see:
 * @self: an instrument
 * @truth: its specimen, and directions of light
 * @contrast: how to look at it
 *
 * Shows what an eye sees at a microscope. A condenser lights from many directions at a time, which
 * do not interfere: their intensities add up (Abbe). Bright field and relief take all whose direct
 * light the aperture lets pass, dark field the others, phase contrast those of the ring.
 *
 * A direction that is NAN lights nothing.
 *
 * Shape: [q][q].
 * Units: intensity of one direction in the mean of those that light; 0 where none does.
 * Errors: PRISM_ERROR_MEMORY.
 * Source: Mertz, Introduction to Optical Microscopy; the ring: the first PRISM, microscope.py.
 *
 * Returns: (transfer full): the picture
 */
PrismImage *
prism_instrument_see (const PrismInstrument *self,
                      const PrismInstrumentTruth *truth,
                      PrismContrast contrast,
                      GError **error)
{
  const int q = truth->size;
  prism_autofree_array float *room = make_room (truth, error);
  g_autoptr (PrismImage) seen = room != NULL ? prism_image_new (q, q, error) : NULL;
  guint n_lit = 0;

  if (seen == NULL)
    return NULL;
  for (guint j = 0; j < truth->n_frames; j++)
    {
      const double rho
          = hypot (truth->directions[2 * j], truth->directions[2 * j + 1]) / self->na;
      const gboolean lit = contrast == PRISM_CONTRAST_DARK ? rho > 1
                           : contrast == PRISM_CONTRAST_PHASE
                               ? rho >= RING_INNER && rho <= RING_OUTER
                               : rho <= 1;

      if (!lit)
        continue;
      expose (self, truth, j, contrast, room, seen->pixels);
      n_lit++;
    }
  for (int i = 0; i < q * q; i++)
    seen->pixels[i] /= MAX (n_lit, 1);
  return g_steal_pointer (&seen);
}

/**
 * prism_instrument_truth_save:
 * @instrument: that it is of
 * @path: file name, .npz
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the arrays are on the disk
 */
gboolean
prism_instrument_truth_save (const PrismInstrumentTruth *self,
                             const PrismInstrument *instrument,
                             const char *path,
                             GError **error)
{
  static const char *const names[] = { "bright.npy", "dark.npy", "phase.npy", "relief.npy" };
  /* The writer copies nothing. */
  g_autoptr (GPtrArray) pictures
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_image_unref);
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
  for (int i = 0; i < PRISM_N_CONTRASTS && instrument->kind == PRISM_INSTRUMENT_MICROSCOPE; i++)
    {
      PrismImage *seen = prism_instrument_see (instrument, self, (PrismContrast) i, error);

      if (seen == NULL)
        return FALSE;
      g_ptr_array_add (pictures, seen);
      prism_archive_writer_add_array (writer, names[i], seen->pixels, 2, (gsize[]) { q, q });
    }
  return prism_archive_writer_finish (writer, error);
}

/* Frames without errors, then gains, stray light and noise. */
static gboolean
expose_all (const PrismInstrument *self,
            PrismRecording *recording,
            PrismInstrumentTruth *truth,
            GError **error)
{
  const gsize n_pixels = (gsize) truth->size * truth->size;
  double mean = 0;
  prism_autofree_array float *room = make_room (truth, error);

  if (room == NULL)
    return FALSE;
  for (guint j = 0; j < truth->n_frames; j++)
    expose (self, truth, j, PRISM_CONTRAST_BRIGHT, room, recording->frames + j * n_pixels);
  for (gsize i = 0; i < n_pixels; i++)
    mean += recording->frames[i] / (double) n_pixels;
  truth->stray = self->stray * mean;
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

/**
 * prism_sample_dup_path:
 *
 * Returns: (transfer full): where the sample is, once it has been prepared
 */
char *
prism_sample_dup_path (void)
{
  return g_build_filename (g_get_user_cache_dir (), "prism-studio", "sample.hdf5", NULL);
}

/**
 * prism_sample_prepare:
 * @path: of a file with frames
 *
 * Writes the sample where it is the one that is asked for and is not there.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_IO.
 *
 * Returns: whether it is there, or not asked for
 */
gboolean
prism_sample_prepare (const char *path,
                      GError **error)
{
  g_autofree char *sample = prism_sample_dup_path ();
  g_autofree char *folder = g_path_get_dirname (sample);
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismRecording) recording = NULL;
  PrismInstrument instrument;

  if (!g_str_equal (path, sample) || g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  g_mkdir_with_parents (folder, 0700);
  if (!prism_instrument_init (&instrument, "microscope", error))
    return FALSE;
  recording = prism_instrument_simulate (&instrument, &truth, error);
  return recording != NULL
         && prism_recording_save (recording, path, PRISM_RECORDING_PTYLAB, error);
}
