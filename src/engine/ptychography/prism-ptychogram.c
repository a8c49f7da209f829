#include "config.h"

#include "ptychography/prism-ptychogram.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"
#include "num/prism-fft.h"
#include "ptychography/prism-light-share.h"

#define DARK_LIGHT 0.02 /* of the neighbours': a light that is off */
#define RIM 3           /* pixels beyond the pupil that its changes may reach */

PRISM_CLEAR (PrismPtychogram,
             clear_shared,
             prism_arena_free_array,
             amplitudes,
             g_free,
             energies,
             g_free,
             squares,
             g_free,
             floors,
             g_free,
             noise.scales,
             g_free,
             noise.means,
             g_free,
             noise.signals,
             g_free,
             places,
             g_free,
             dark,
             g_free,
             numbers)
PRISM_CLEAR (PrismPtychogram,
             clear_own,
             g_free,
             centers,
             g_free,
             roles,
             g_free,
             order,
             prism_ptychogram_unref,
             owner)

static void
ptychogram_clear (PrismPtychogram *self)
{
  if (self->owner == NULL)
    clear_shared (self);
  clear_own (self);
}

PRISM_DEFINE_REFERENCES (PrismPtychogram, prism_ptychogram, ptychogram_clear)

/**
 * prism_ptychogram_get:
 * @frame: below n_frames
 *
 * Returns: (transfer none): [q][q], its amplitudes
 */
const float *
prism_ptychogram_get (const PrismPtychogram *self,
                      guint frame)
{
  return self->amplitudes + (gsize) frame * self->side * self->side;
}

static gboolean
refuse (GError **error,
        const PrismRecording *recording,
        const char *format,
        ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error,
        const PrismRecording *recording,
        const char *format,
        ...)
{
  g_autofree char *reason = NULL;
  va_list arguments;
  va_start (arguments, format);
  reason = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return prism_error_config (error, "%s: %s", recording->path, reason);
}

/* Fields are not periodic: a transform of the frame alone joins opposite edges, which held-out
 * frames show. A sixteenth of the side around it takes that away; more brings nothing. */
static int
get_grid (int side,
          int border)
{
  return prism_fft_choose_side (side + 2 * (border >= 0 ? border : side / 16), 5);
}

static gboolean
check (const PrismRecording *recording,
       GError **error)
{
  const guint least = 16, most = 2048; /* pixels of a side */

  if (recording->directions == NULL)
    return refuse (error, recording,
                   _ ("directions or positions of the LEDs are needed: give them with --positions"
                      " FILE.csv."));
  if (!(recording->na > 0 && recording->na <= 1.7))
    return refuse (error, recording, _ ("the objective's NA is needed, from 0 to 1.7: na = 0.1 in a"
                                        " recipe, or --assign na=0.1."));
  if (!(recording->wavelength > 0))
    return refuse (error, recording,
                   _ ("the wavelength is needed: wavelength = 630 nm in a recipe, or"
                      " --assign 'wavelength=630 nm'."));
  if (!(recording->pixel_size > 0))
    return refuse (error, recording,
                   _ ("the size of a pixel at the specimen is needed: pixel_size = 1.8 um in a"
                      " recipe,"
                      " or --assign 'pixel_size=1.8 um'."));
  if (MIN (recording->width, recording->height) < least)
    return refuse (error, recording, _ ("frames of %u×%u pixels are too small: at least %u×%u are"
                                        " needed."),
                   recording->width, recording->height, least, least);
  if (MIN (recording->width, recording->height) > most)
    return refuse (error, recording,
                   _ ("frames of %u×%u pixels are too large: crop them to at most %u×%u."),
                   recording->width, recording->height, most, most);
  return TRUE;
}

/**
 * prism_ptychogram_check_pixel:
 * @recording: of which wavelength, NA and pixel are known
 * @border: pixels around a frame, below 0: as many as are usual
 *
 * Whether pixels at the sample are small enough for the light that the objective lets through, with
 * room for changes of the pupil.
 *
 * Errors: PRISM_ERROR_CONFIG, with the largest pixel.
 *
 * Returns: whether they are
 */
gboolean
prism_ptychogram_check_pixel (const PrismRecording *recording,
                              int border,
                              GError **error)
{
  const int side = (int) MIN (recording->width, recording->height) / 4 * 4;
  const int grid = get_grid (side, border);
  const double most = (grid / 2 - RIM) * recording->wavelength / (recording->na * grid);

  if (recording->pixel_size <= most)
    return TRUE;
  return refuse (error, recording,
                 _ ("a pixel of %g µm at the specimen is too large for NA %g: at most %g µm show"
                    " what"
                    " the objective lets through in frames of %d×%d pixels."),
                 1e6 * recording->pixel_size, recording->na, floor (1e9 * most) / 1e3, side, side);
}

/* How many times a frame's grid the object's has to be, at least. Found places may be two pixels
 * from the recorded ones. */
static int
get_least_upsampling (const PrismPtychogram *self)
{
  double farthest = 0;

  for (guint j = 0; j < self->n_frames; j++)
    farthest = MAX (farthest, MAX (fabs (self->centers[j][0]), fabs (self->centers[j][1])));
  farthest += self->radius * 1.1 + RIM + self->widest_rim;
  return MAX (2, (int) ceil (2 * farthest / self->grid));
}

static gboolean
choose_grids (PrismPtychogram *self,
              const PrismRecording *recording,
              const PrismConfig *settings,
              GError **error)
{
  double direction = 0;
  const int most = 16384; /* pixels of a side of the object */
  int least, whole;

  self->n_frames = recording->n_frames;
  self->squared = recording->squared;
  self->side = (int) MIN (recording->width, recording->height) / 4 * 4;
  self->recorded_width = recording->width;
  self->recorded_height = recording->height;
  self->grid = get_grid (self->side, settings->border);
  self->border = (self->grid - self->side) / 2;
  self->radius = recording->na * recording->pixel_size * self->grid / recording->wavelength;
  if (self->radius < 2)
    return refuse (error, recording,
                   _ ("the pupil's radius is %.2f pixels of the spectrum; at least 2 are needed:"
                      " check NA %g, pixel %g µm at the specimen and wavelength %g nm."),
                   self->radius, recording->na, 1e6 * recording->pixel_size,
                   1e9 * recording->wavelength);
  self->widest_rim = settings->rim == PRISM_RIM_AUTO ? PRISM_PTYCHOGRAM_WIDEST_RIM : settings->rim;
  if (settings->rim > self->radius)
    return refuse (error, recording,
                   _ ("NA edge = %g is wider than the pupil's radius of %.1f pixels: choose a"
                      " smaller one."),
                   settings->rim, self->radius);
  if (!prism_ptychogram_check_pixel (recording, settings->border, error))
    return FALSE;
  for (guint j = 0; j < self->n_frames; j++)
    {
      prism_recording_get_center (recording, j, self->grid, &self->centers[j][0],
                                  &self->centers[j][1]);
      direction = MAX (direction, hypot (self->centers[j][0], self->centers[j][1]));
    }
  least = get_least_upsampling (self);
  /* With room for whole windows, none of which would end inside the object's spectrum. */
  whole = MAX (least, (int) ceil (1 + 2 * direction / self->grid));
  self->upsampling = settings->upsampling > 0 ? settings->upsampling : whole;
  if (self->upsampling < least)
    return refuse (error, recording,
                   _ ("upsampling = %d is too small for the outermost LED: at least %d is needed."),
                   self->upsampling, least);
  self->object_side = self->upsampling * self->grid;
  self->pixel_size = recording->pixel_size / self->upsampling;
  self->wavelength = recording->wavelength;
  self->na = recording->na;
  if (self->object_side > most)
    return refuse (error, recording,
                   _ ("the object would have %d×%d pixels, and %d×%d is the most: crop the"
                      " frames."),
                   self->object_side, self->object_side, most, most);
  return TRUE;
}

static double
get_distance (const PrismPtychogram *self,
              guint frame)
{
  return hypot (self->centers[frame][0], self->centers[frame][1]);
}

static int
compare_distances (gconstpointer a,
                   gconstpointer b,
                   gpointer data)
{
  const guint i = *(const guint *) a, j = *(const guint *) b;
  const double x = get_distance (data, i), y = get_distance (data, j);

  return x < y ? -1 : x > y ? 1
                  : i < j   ? -1
                            : i > j;
}

/* The frames that are used, inner ones first. */
static void
sort_frames (PrismPtychogram *self)
{
  self->n_used = self->n_bright = 0;
  for (guint j = 0; j < self->n_frames; j++)
    if (self->roles[j] == PRISM_FRAME_USED)
      self->order[self->n_used++] = j;
  prism_sort (self->order, self->n_used, sizeof *self->order, compare_distances, self);
  while (self->n_bright < self->n_used
         && get_distance (self, self->order[self->n_bright]) < self->radius)
    self->n_bright++;
}

static gboolean
check_bright (const PrismPtychogram *self,
              const PrismRecording *recording,
              GError **error)
{
  if (self->n_bright > 0)
    return TRUE;
  return refuse (error, recording,
                 _ ("no frame that is used is a bright-field one, whose LED lies inside NA %g:"
                    " check the positions, and leave_out."),
                 recording->na);
}

/* Stray light: what the darkest pixels of the dark frames have, but for their noise. */
static double
find_background (const PrismPtychogram *self,
                 const PrismRecording *recording)
{
  const gsize n_pixels = (gsize) recording->width * recording->height;
  const gsize stride = MAX (1, n_pixels * self->n_used / 200000);
  g_autofree float *values = g_new (float, n_pixels * self->n_used / stride + self->n_used + 1);
  g_autofree guint *dark = g_new (guint, self->n_used);
  gsize n = 0;
  guint n_dark = 0;

  for (guint i = self->n_bright; i < self->n_used; i++)
    {
      const float *frame = recording->frames + (gsize) self->order[i] * n_pixels;

      if (get_distance (self, self->order[i]) < (1 + PRISM_RECORDING_RIM) * self->radius)
        continue;
      dark[n_dark++] = self->order[i];
      for (gsize k = self->order[i] % stride; k < n_pixels; k += stride)
        if (recording->mask == NULL || recording->mask[k] != 0)
          values[n++] = frame[k];
    }
  if (n < 100)
    return 0;
  prism_sort_floats (values, n);
  return prism_frame_noise_find_level (&self->noise, dark, n_dark, values[n / 100], 0.01);
}

/* (nullable) [N][PRISM_STRAY_LIGHT_TERMS] */
static float *
find_stray_light (const PrismPtychogram *self,
                  const PrismRecording *recording)
{
  g_autofree double *distances = g_new (double, self->n_frames);
  const PrismStrayLightView view = { .recording = recording,
                                     .left = (recording->width - self->side) / 2,
                                     .top = (recording->height - self->side) / 2,
                                     .side = (guint) self->side,
                                     .distances = distances,
                                     .background = self->background };

  for (guint j = 0; j < self->n_frames; j++)
    distances[j] = get_distance (self, j) / self->radius;
  return prism_stray_light_find (&view);
}

typedef struct
{
  PrismPtychogram *frames;
  const PrismRecording *recording;
  const float *stray; /* (nullable) [N][PRISM_STRAY_LIGHT_TERMS] */
  guint first;        /* the frame that the recording begins with */
} Taking;

/* Adds what a frame shows without background and stray light. light: [q][q]; field: [q][q], for
 * the stray light */
static void
add_light (const Taking *taking,
           guint frame,
           float *field,
           double *light)
{
  const PrismPtychogram *self = taking->frames;
  const PrismRecording *recording = taking->recording;
  const guint x0 = (recording->width - self->side) / 2, y0 = (recording->height - self->side) / 2;
  const float *values
      = recording->frames
        + (gsize) (frame - taking->first) * recording->width * recording->height;

  if (taking->stray != NULL)
    prism_stray_light_draw (taking->stray + (gsize) frame * PRISM_STRAY_LIGHT_TERMS,
                            (guint) self->side, field);
  for (int row = 0; row < self->side; row++)
    for (int column = 0; column < self->side; column++, light++, field++)
      *light += values[(gsize) (row + y0) * recording->width + column + x0]
                - self->background - MAX (*field, 0);
}

/* The mean of what was recorded at the place of a frame that stands for others, too. */
static void
take_frame (gpointer data,
            guint j)
{
  const Taking *taking = data;
  PrismPtychogram *self = taking->frames;
  const PrismRecording *recording = taking->recording;
  const gsize n_seen = (gsize) self->side * self->side;
  const guint x0 = (recording->width - self->side) / 2, y0 = (recording->height - self->side) / 2;
  g_autofree float *field = g_new0 (float, n_seen);
  g_autofree double *light = g_new0 (double, n_seen);
  float *amplitudes = self->amplitudes + j * n_seen;
  double energy = 0, square = 0, stray = 0;
  guint n = 1, n_used = 0;

  add_light (taking, j, field, light);
  for (guint i = j + 1; self->n_repeated > 0 && i < self->n_frames; i++)
    if (self->places[i] == j)
      {
        add_light (taking, i, field, light);
        n++;
      }
  for (gsize k = 0; k < n_seen; k++)
    {
      const gsize at = (k / self->side + y0) * recording->width + k % self->side + x0;
      const double value = light[k] / n;

      if (recording->mask != NULL && recording->mask[at] == 0)
        amplitudes[k] = NAN;
      else
        {
          amplitudes[k] = copysign (sqrt (fabs (value)), value);
          energy += value;
          square += MAX (value, 0);
          stray += MAX (field[k], 0);
          n_used++;
        }
    }
  self->energies[j] = MAX (energy, 0);
  self->squares[j] = square;
  self->floors[j] = self->noise.floor + self->background + stray / MAX (n_used, 1)
                    + 0.375 * self->noise.shot
                          * (self->noise.scales != NULL ? self->noise.scales[j] : 1);
}

/* Each pupil with the nearest one of another place. */
static double
compute_overlap (const PrismPtychogram *self)
{
  double sum = 0;

  for (guint i = 0; i < self->n_frames; i++)
    {
      double nearest = INFINITY, half;

      if (self->places[i] != i)
        continue;
      for (guint j = 0; j < self->n_frames; j++)
        if (self->places[j] != i)
          nearest = MIN (nearest, hypot (self->centers[i][0] - self->centers[j][0],
                                         self->centers[i][1] - self->centers[j][1]));
      /* What two disks have in common. */
      half = nearest / self->radius / 2;
      sum += half >= 1 ? 0 : 2 / G_PI * (acos (half) - half * sqrt (1 - half * half));
    }
  return sum / (self->n_frames - self->n_repeated);
}

/* Objects have about the same light on both sides of the spectrum's centre: where it falls steeply
 * it does so on the other side, too. */
static gboolean
is_dark_opposite (const PrismPtychogram *self,
                  guint frame)
{
  double nearest = INFINITY;
  guint opposite = frame;

  for (guint j = 0; j < self->n_frames; j++)
    {
      const double distance = hypot (self->centers[j][0] + self->centers[frame][0],
                                     self->centers[j][1] + self->centers[frame][1]);

      if (distance < nearest)
        {
          nearest = distance;
          opposite = j;
        }
    }
  return opposite != frame && nearest < self->radius / 4
         && self->energies[opposite] < 3 * self->energies[frame];
}

/* A frame whose light is off says that the object has nothing there, which spoils its neighbours.
 * Of lights that are all weak nothing is said. */
static void
leave_out_dark (PrismPtychogram *self)
{
  double (*places)[2] = g_memdup2 (self->centers, self->n_frames * sizeof *places);
  guint n_found = 0;

  /* No neighbour is one that is repeated. */
  for (guint j = 0; j < self->n_frames; j++)
    if (self->places[j] != j)
      places[j][0] = INFINITY;
  for (guint j = 0; j < self->n_frames; j++)
    {
      self->dark[j] = self->roles[j] != PRISM_FRAME_LEFT_OUT
                      && prism_light_share_get ((const double (*)[2]) places,
                                                self->energies, self->n_frames, j)
                             < DARK_LIGHT
                      && !is_dark_opposite (self, j);
      n_found += self->dark[j];
    }
  g_free (places);
  if (n_found > 0.05 * self->n_frames
      || !prism_frame_noise_has_any (&self->noise, self->n_frames))
    {
      memset (self->dark, 0, self->n_frames);
      return;
    }
  self->n_dark = n_found;
  for (guint j = 0; j < self->n_frames; j++)
    if (self->dark[j] != 0)
      {
        self->roles[j] = PRISM_FRAME_LEFT_OUT;
        self->n_left_out++;
      }
}

/* Whether bright frames change across their edges, where the field joins that of the opposite edge,
 * by less than twice what they change from pixel to pixel: Σ of squares, the median of the frames.
 * Recorded frames have 2.8 to 27, simulated ones that are periodic 0.8 to 1.3. */
static gboolean
find_joins (const PrismPtychogram *self)
{
  const int q = self->side;
  g_autofree double *ratios = g_new (double, self->n_bright);

  for (guint i = 0; i < self->n_bright; i++)
    {
      const float *at = prism_ptychogram_get (self, self->order[i]);
      double across = 0, inside = 0;

      for (int row = 0; row < q; row++)
        for (int column = 0; column < q; column++)
          {
            const double value = MAX (at[row * q + column], 0);
            const double x = MAX (at[row * q + (column + 1) % q], 0) - value;
            const double y = MAX (at[(row + 1) % q * q + column], 0) - value;

            *(column + 1 < q ? &inside : &across) += x * x;
            *(row + 1 < q ? &inside : &across) += y * y;
          }
      ratios[i] = inside > 0 ? across * (q - 1) / inside : INFINITY;
    }
  prism_sort_doubles (ratios, self->n_bright);
  return ratios[self->n_bright / 2] < 2;
}

/**
 * prism_ptychogram_find_upsampling:
 * @recording: directions; frames are not looked at
 * @settings: border and upsampling
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: how many pixels the object will have along one of a frame; 0 where it cannot be
 */
int
prism_ptychogram_find_upsampling (const PrismRecording *recording,
                                  const PrismConfig *settings,
                                  GError **error)
{
  g_autoptr (PrismPtychogram) self = g_new0 (PrismPtychogram, 1);

  g_atomic_ref_count_init (&self->ref_count);
  if (!check (recording, error))
    return 0;
  self->centers = g_malloc_n (recording->n_frames, sizeof *self->centers);
  return choose_grids (self, recording, settings, error) ? self->upsampling : 0;
}

/* For what is known of each frame; all are used. */
static void
make_room (PrismPtychogram *self,
           guint n)
{
  self->n_frames = n;
  self->centers = g_realloc_n (self->centers, n, sizeof *self->centers);
  self->roles = g_renew (guint8, self->roles, n);
  self->places = g_renew (guint, self->places, n);
  self->dark = g_renew (guint8, self->dark, n);
  self->order = g_renew (guint, self->order, n);
  self->energies = g_renew (double, self->energies, n);
  self->squares = g_renew (double, self->squares, n);
  self->floors = g_renew (double, self->floors, n);
  memset (self->roles, PRISM_FRAME_USED, n);
  memset (self->dark, 0, n);
}

/**
 * prism_ptychogram_new:
 * @recording: frames with their directions
 * @settings: what to hold out, border, upsampling, background
 *
 * Makes recorded frames ready. A frame that is not square is cut to the square in its middle, whose
 * side is a multiple of 4.
 *
 * Errors: PRISM_ERROR_CONFIG for what is missing or does not fit, PRISM_ERROR_MEMORY,
 * PRISM_ERROR_CANCELLED.
 *
 * Returns: (transfer full): the frames
 */
PrismPtychogram *
prism_ptychogram_new (const PrismRecording *recording,
                      const PrismConfig *settings,
                      GError **error)
{
  g_autoptr (PrismPtychogram) self = g_new0 (PrismPtychogram, 1);
  const guint n = recording->n_frames;
  const gboolean finds_background = settings->background == PRISM_BACKGROUND_AUTO;
  g_autofree float *stray = NULL;

  g_atomic_ref_count_init (&self->ref_count);
  if (!check (recording, error))
    return NULL;
  make_room (self, n);
  if (!choose_grids (self, recording, settings, error))
    return NULL;
  if (finds_background || settings->hold_out > 1)
    prism_frame_noise_measure (&self->noise, recording, self->side);
  if (!prism_ptychogram_choose_roles (self, recording, settings, error))
    return NULL;
  sort_frames (self);
  if (!check_bright (self, recording, error))
    return NULL;
  self->amplitudes = prism_arena_new_array (sizeof (float) * n * self->side * self->side,
                                            "the amplitudes of the frames", error);
  if (self->amplitudes == NULL)
    return NULL;
  self->room = n;
  self->background = finds_background ? find_background (self, recording) : settings->background;
  stray = finds_background ? find_stray_light (self, recording) : NULL;
  self->uneven = stray != NULL;
  prism_parallel_run (n, (gsize) n * self->side * self->side, take_frame,
                      &(Taking) { self, recording, stray, 0 });
  if (strcmp (settings->leave_out, "auto") == 0)
    leave_out_dark (self);
  sort_frames (self);
  if (!prism_parallel_go_on (error) || !check_bright (self, recording, error))
    return NULL;
  if (!(self->energies[self->order[0]] > 0))
    {
      refuse (error, recording, _ ("the innermost frame, number %u, is dark, or the camera was"
                                   " full: check exposure, positions and background."),
              self->order[0]);
      return NULL;
    }
  self->overlap = compute_overlap (self);
  self->joins = settings->border < 0 && find_joins (self);
  return g_steal_pointer (&self);
}

/* The same frames, with places, roles and order of its own. */
static PrismPtychogram *
new_part (PrismPtychogram *self,
          double (*centers)[2])
{
  PrismPtychogram *part = g_memdup2 (self, sizeof *self);

  g_atomic_ref_count_init (&part->ref_count);
  part->owner = prism_ptychogram_ref (self);
  part->centers = g_memdup2 (centers, self->n_frames * sizeof *centers);
  part->roles = g_memdup2 (self->roles, self->n_frames);
  part->order = g_new (guint, self->n_frames);
  return part;
}

/**
 * prism_ptychogram_append:
 * @recording: frames of the same instrument that came later
 * @settings: as for prism_ptychogram_new()
 * @numbers: what they are called
 *
 * Puts frames behind the others, with the background that these have. What noise they have is not
 * known then. One that repeats the place of another is not used. Thread: the only owner's.
 *
 * Returns: whether they were taken; not where the object's grid is too small for them, or memory is
 *   short
 */
gboolean
prism_ptychogram_append (PrismPtychogram *self,
                         const PrismRecording *recording,
                         const PrismConfig *settings,
                         const guint *numbers)
{
  const guint n_before = self->n_frames, n = n_before + recording->n_frames;
  const gsize n_seen = (gsize) self->side * self->side;
  Taking taking = { self, recording, NULL, n_before };
  prism_autofree_array float *larger = NULL;

  prism_frame_noise_clear (&self->noise);
  make_room (self, n);
  self->numbers = g_renew (guint, self->numbers, n);
  for (guint j = n_before; j < n; j++)
    {
      self->numbers[j] = numbers[j - n_before];
      prism_recording_get_center (recording, j - n_before, self->grid, &self->centers[j][0],
                                  &self->centers[j][1]);
    }
  self->n_repeated = self->n_at_rim = self->n_left_out = self->n_half_bright = self->n_dark = 0;
  if (n > self->room)
    larger = prism_arena_new_array (2 * n * n_seen * sizeof *larger,
                                    "the amplitudes of the frames", NULL);
  if ((n > self->room && larger == NULL) || get_least_upsampling (self) > self->upsampling
      || !prism_ptychogram_choose_roles (self, recording, settings, NULL))
    {
      self->n_frames = n_before;
      return FALSE;
    }
  if (larger != NULL)
    {
      memcpy (larger, self->amplitudes, n_before * n_seen * sizeof *larger);
      prism_arena_free_array (self->amplitudes);
      self->amplitudes = g_steal_pointer (&larger);
      self->room = 2 * n;
    }
  for (guint j = n_before; j < n; j++)
    take_frame (&taking, j);
  leave_out_dark (self);
  sort_frames (self);
  return TRUE;
}

/**
 * prism_ptychogram_new_variant:
 * @centers: (array length=N): where the pupils might lie instead
 * @scale: so many times as large, and the pupil, too
 * @n_inner: at most so many of the frames that are used, the inner ones, and no other
 *
 * The same frames, as something else may be true of them. What lies beyond the object's spectrum
 * then is left out.
 *
 * Returns: (transfer full) (nullable): a variant; NULL where there is no room for its pupil, or no
 *   frame would be a bright one
 */
PrismPtychogram *
prism_ptychogram_new_variant (PrismPtychogram *self,
                              double (*centers)[2],
                              double scale,
                              guint n_inner)
{
  const guint n = self->n_frames;
  const double room = (self->object_side - self->grid) / 2.0;
  g_autoptr (PrismPtychogram) variant = new_part (self, centers);

  variant->radius *= scale;
  for (guint j = 0; j < n; j++)
    {
      for (int k = 0; k < 2; k++)
        variant->centers[j][k] *= scale;
      if (MAX (fabs (variant->centers[j][0]), fabs (variant->centers[j][1])) > room)
        variant->roles[j] = PRISM_FRAME_LEFT_OUT;
    }
  if (variant->radius + RIM + variant->widest_rim > variant->grid / 2)
    return NULL;
  sort_frames (variant);
  for (guint i = n_inner; i < variant->n_used; i++)
    variant->roles[variant->order[i]] = PRISM_FRAME_LEFT_OUT;
  sort_frames (variant);
  return variant->n_bright > 0 ? g_steal_pointer (&variant) : NULL;
}

/**
 * prism_ptychogram_new_half:
 * @half: 0 or 1
 *
 * Every other one of the frames, those that are held out with the others, in the order of their
 * distance from the middle. None is held out.
 *
 * Returns: (transfer full): a half
 */
PrismPtychogram *
prism_ptychogram_new_half (PrismPtychogram *self,
                           guint half)
{
  PrismPtychogram *part = new_part (self, self->centers);

  for (guint j = 0; j < self->n_frames; j++)
    if (part->roles[j] == PRISM_FRAME_HELD_OUT)
      part->roles[j] = PRISM_FRAME_USED;
  sort_frames (part);
  for (guint i = 1 - half; i < part->n_used; i += 2)
    part->roles[part->order[i]] = PRISM_FRAME_LEFT_OUT;
  sort_frames (part);
  return part;
}

/**
 * prism_ptychogram_get_white:
 *
 * Nearly all pixels of the innermost frame are darker. It is the same for all pictures of a run, so
 * that they can be compared.
 *
 * Returns: the amplitude that is 1 for users
 */
float
prism_ptychogram_get_white (const PrismPtychogram *self)
{
  const gsize n = (gsize) self->side * self->side;
  g_autofree float *sorted
      = g_memdup2 (prism_ptychogram_get (self, self->order[0]), n * sizeof *sorted);

  for (gsize i = 0; i < n; i++)
    sorted[i] = MAX (sorted[i], 0);
  prism_sort_floats (sorted, n);
  return MAX (sorted[(gsize) (0.995 * (n - 1))], 1e-20f);
}
