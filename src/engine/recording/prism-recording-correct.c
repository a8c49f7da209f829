#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-pool.h"
#include "base/prism-number.h"
#include "recording/prism-recording-private.h"

/* Pictures have counts over the largest that can be, to what floats round. */
static double
is_whole (float *frame,
          gsize n_pixels,
          double number)
{
  const float scale = (float) number;

  for (gsize i = 0; i < n_pixels; i++)
    if (fabsf (scale * frame[i] - roundf (scale * frame[i])) > 2e-7f * (scale - 1))
      return FALSE;
  return TRUE;
}

static gboolean
are_whole (const PrismRecording *self,
           float scale)
{
  g_autofree double *whole = prism_recording_look (self, is_whole, (double) scale);
  guint n = 0;

  while (n < self->n_frames && whole[n] > 0)
    n++;
  return n == self->n_frames;
}

/**
 * prism_recording_exposure_divide:
 * @exposures: (array length=n_frames): in any unit
 * @name: what has them, for a sentence
 *
 * Divides each frame by its exposure, so that the longest leaves its frames as they are, where they
 * differ and the frames are counts or the recipe says so; what is done is noted.
 */
void
prism_recording_exposure_divide (PrismRecording *self,
                                 const double *exposures,
                                 const char *name)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  double least = INFINITY, most = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    {
      least = MIN (least, exposures[j]);
      most = MAX (most, exposures[j]);
      if (!(least > 0))
        break;
    }
  if (self->exposure_rule < 0 || self->exposures_divided || least > 0.999 * most)
    return;
  if (!(least > 1e-6 * most))
    {
      prism_recording_note (self, _ ("“%s” has exposures that are no positive numbers, or differ by"
                                     " more than a million times, and is left alone."),
                            name);
      return;
    }
  if (!self->are_counts && self->exposure_rule == 0)
    {
      prism_recording_note (self,
                            _ ("“%s” has exposures from %g to %g, but the frames are no whole"
                               " numbers as a camera counts: they are taken as divided already;"
                               " exposure=divide divides them."),
                            name, least, most);
      return;
    }
  self->exposures_divided = TRUE;
  for (gsize j = 0; j < self->n_frames; j++)
    {
      for (gsize i = 0; i < n_pixels; i++)
        self->frames[j * n_pixels + i] *= (float) (most / exposures[j]);
      prism_arena_touch (self->frames, n_pixels * sizeof (float));
    }
  prism_recording_note (self,
                        _ ("Each frame is divided by its exposure, from %g to %g, which “%s” has;"
                           " exposure=keep leaves them as they are."),
                        least, most, name);
}

/* Divides by the exposures that the file has, a number for each frame. Returns whether they could
 * be read, or there are none */
static gboolean
assign_exposures (PrismRecording *self,
                  PrismFields *fields,
                  GError **error)
{
  PRISM_FOR_EACH_POINTER (const PrismField, field, fields->fields)
    {
      prism_autofree_array double *exposures = NULL;
      PrismUnit unit;

      if (field->kind != PRISM_FIELD_REAL || field->obstacle != NULL
          || field->n_values != self->n_frames || self->n_frames < 2
          || prism_recording_names_find (field->name, &unit) != PRISM_NAME_EXPOSURE)
        continue;
      exposures = prism_fields_load (fields, field, error);
      if (exposures == NULL)
        return FALSE;
      prism_recording_exposure_divide (self, exposures, field->name);
      return TRUE;
    }
  return TRUE;
}

#define MOST_FRAMES 25  /* are looked at */
#define DARK_FRAMES 0.4 /* of all: the light of an object hides a hot pixel */
#define RANK 0.2        /* of the frames may have it less far above its neighbours */
#define STEEP 3.0       /* times the neighbour: a star that a lens images is never so sharp */
#define STEADY 2.5      /* times from one frame to another: a camera adds the same to all that are \
                         * dark; recorded pixels have 1.06, corners of a simulated field 4.3 */
#define NEARLY_ALL 0.95 /* of the frames: some may be lost */
#define STEP 0.5        /* of the mean of all pixels, between a gap and those around it */

/* The second highest of a pixel's neighbours. frame: [h][w] */
static float
get_neighbour (const float *frame,
               guint height,
               guint width,
               guint row,
               guint column)
{
  float first = -INFINITY, second = -INFINITY;

  for (guint y = row > 0 ? row - 1 : 0; y <= row + 1 && y < height; y++)
    for (guint x = column > 0 ? column - 1 : 0; x <= column + 1 && x < width; x++)
      {
        const float value = frame[(gsize) y * width + x];

        if (y == row && x == column)
          continue;
        second = MAX (second, MIN (first, value));
        first = MAX (first, value);
      }
  return second;
}

/* Whether values[rank] would not be above zero once they are sorted, found out without sorting; not
 * where some are no numbers. */
static gboolean
is_rank_low (const float *values,
             guint n,
             guint rank)
{
  guint n_low = 0, n_high = 0;

  for (guint i = 0; i < n; i++)
    {
      n_low += values[i] <= 0;
      n_high += values[i] > 0;
    }
  return n_low + n_high == n && n_low > rank;
}

/* Whether a pixel stands out of nearly all n frames, and by about as much. */
static gboolean
is_hot (const PrismRecording *recording,
        const float *frames[MOST_FRAMES],
        guint n,
        guint row,
        guint column)
{
  const guint few = (guint) (RANK * n), most = n - 1 - few;
  float excesses[MOST_FRAMES], heights[MOST_FRAMES];

  for (guint i = 0; i < n; i++)
    {
      const float value = frames[i][(gsize) row * recording->width + column];
      const float second
          = get_neighbour (frames[i], recording->height, recording->width, row, column);

      heights[i] = value - second;
      excesses[i] = value - (float) STEEP * second;
    }
  if (is_rank_low (excesses, n, few))
    return FALSE;
  prism_sort_floats (excesses, n);
  if (excesses[few] <= 0)
    return FALSE;
  prism_sort_floats (heights, n);
  return heights[most] <= (float) STEADY * heights[few];
}

/* The darkest frames, or some of them; mean: (out) of them. Returns: their number */
static guint
choose_frames (const PrismRecording *recording,
               const float *chosen[MOST_FRAMES],
               double *mean)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n_dark = (guint) (DARK_FRAMES * recording->n_frames);
  const guint n = MIN (MAX (n_dark, 2), MOST_FRAMES);
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (recording, FALSE);

  *mean = 0;
  for (guint i = 0; i < n; i++)
    {
      const PrismFrameLight *one = &all[(gsize) i * MAX (n_dark, 2) / n];

      chosen[i] = recording->frames + one->frame * n_pixels;
      *mean += one->light / (double) n_pixels / n;
    }
  return n;
}

typedef struct
{
  const PrismRecording *recording;
  const float *frames[MOST_FRAMES];
  guint n;
  guint8 *hot; /* [h][w] */
} Search;

static void
search_row (gpointer data,
            guint row)
{
  Search *self = data;
  const guint width = self->recording->width;

  for (guint x = 0; x < width; x++)
    self->hot[(gsize) row * width + x]
        = is_hot (self->recording, self->frames, self->n, row, x);
  prism_arena_touch (self->recording->frames, self->n * width * sizeof (float));
}

/**
 * prism_recording_hot_find:
 * @recording: frames
 * @n_found: (out): number of hot pixels
 *
 * Looks for pixels that have more than three times their neighbours' light in the darkest frames
 * nearly always, and by about as much: what is fixed to the camera, and to no object.
 *
 * Returns: (transfer full) (nullable) [h][w]: 1 for a hot pixel; %NULL for too few frames
 */
guint8 *
prism_recording_hot_find (const PrismRecording *recording,
                          guint *n_found)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  Search search = { .recording = recording };
  double mean;

  *n_found = 0;
  if (recording->n_frames <= PRISM_RECORDING_FEW)
    return NULL;
  search.n = choose_frames (recording, search.frames, &mean);
  search.hot = g_malloc0 (n_pixels);
  if (mean > 0)
    prism_parallel_run (recording->height, search.n * n_pixels, search_row, &search);
  for (gsize i = 0; i < n_pixels; i++)
    *n_found += search.hot[i];
  return search.hot;
}

/* Gaps. A detector fills them with a certain value: the largest that can be, one below zero, or
 * zero. */

enum
{
  LIVE,
  STUCK, /* nearly always shows the same value, or one below zero */
  SEEN,  /* likewise, and its gap has been looked at; or masked before */
};

typedef struct
{
  const PrismRecording *recording;
  double *means;  /* [h][w]: over the frames */
  guint8 *states; /* [h][w] */
} Gaps;

/* What a pixel shows. A value that more than half of the frames have is the one that is left once
 * each has cancelled one of another value (Boyer and Moore 1981). */
typedef struct
{
  float common;
  guint votes;
  guint n_common;
  guint n_below; /* zero */
} Pixel;

static void
mark_row (gpointer data,
          guint row)
{
  Gaps *self = data;
  const PrismRecording *recording = self->recording;
  const guint width = recording->width, n = recording->n_frames;
  const gsize n_pixels = (gsize) recording->height * width, at = (gsize) row * width;
  const guint least = (guint) ceil (NEARLY_ALL * n);
  g_autofree Pixel *pixels = g_new0 (Pixel, width);

  for (guint j = 0; j < n; j++)
    for (guint x = 0; x < width; x++)
      {
        const float value = recording->frames[j * n_pixels + at + x];
        Pixel *pixel = &pixels[x];

        if (pixel->votes == 0)
          pixel->common = value;
        pixel->votes += value >= pixel->common && value <= pixel->common ? 1 : -1;
        pixel->n_below += value < 0;
        self->means[at + x] += (double) value / n;
      }
  for (guint j = 0; j < n; j++)
    for (guint x = 0; x < width; x++)
      {
        const float value = recording->frames[j * n_pixels + at + x];

        pixels[x].n_common += value >= pixels[x].common && value <= pixels[x].common;
      }
  prism_arena_touch (recording->frames, n * width * sizeof (float));
  for (guint x = 0; x < width; x++)
    if (recording->mask != NULL && recording->mask[at + x] == 0)
      self->states[at + x] = SEEN;
    else if (MAX (pixels[x].n_common, pixels[x].n_below) >= least)
      self->states[at + x] = STUCK;
}

/* Of the pixels that touch each other, and of those around them. */
typedef struct
{
  double sum;
  guint n;
} Mean;

static void
mean_add (Mean *self,
          double value)
{
  self->sum += value;
  self->n++;
}

/* gap: (out): the pixels that touch each other, from one on; around: of those around them */
static Mean
collect_gap (Gaps *self,
             guint first,
             GArray *gap,
             Mean *around)
{
  const guint width = self->recording->width, height = self->recording->height;
  Mean inside = { 0 };

  g_array_set_size (gap, 0);
  g_array_append_val (gap, first);
  self->states[first] = SEEN;
  for (guint i = 0; i < gap->len; i++)
    {
      const guint at = g_array_index (gap, guint, i), row = at / width, column = at % width;

      mean_add (&inside, self->means[at]);
      for (guint y = row > 0 ? row - 1 : 0; y <= row + 1 && y < height; y++)
        for (guint x = column > 0 ? column - 1 : 0; x <= column + 1 && x < width; x++)
          {
            const guint next = y * width + x;

            if (self->states[next] == LIVE)
              mean_add (around, self->means[next]);
            else if (self->states[next] == STUCK)
              {
                self->states[next] = SEEN;
                g_array_append_val (gap, next);
              }
          }
    }
  return inside;
}

static guint
mark_gaps (Gaps *self,
           guint8 *found)
{
  const guint n_pixels = self->recording->height * self->recording->width;
  g_autoptr (GArray) gap = g_array_new (FALSE, FALSE, sizeof (guint));
  Mean live = { 0 };
  guint n = 0;

  for (guint i = 0; i < n_pixels; i++)
    if (self->states[i] == LIVE)
      mean_add (&live, self->means[i]);
  for (guint first = 0; first < n_pixels; first++)
    {
      Mean inside, around = { 0 };

      if (self->states[first] != STUCK)
        continue;
      inside = collect_gap (self, first, gap, &around);
      if (around.n == 0
          || !(fabs (inside.sum / inside.n - around.sum / around.n) > STEP * live.sum / live.n))
        continue;
      PRISM_FOR_EACH (const guint, at, gap)
        found[*at] = 1;
      n += gap->len;
    }
  return n;
}

/**
 * prism_recording_hot_find_gaps:
 * @recording: frames as they were read, negative values among them
 * @n_found: (out): number of pixels that see nothing
 *
 * Looks for pixels that show the same value in nearly every frame, or one below zero, where that is
 * not what the pixels around them show: an object that lets no light through does so as well, but
 * light that a lens images falls off towards it.
 *
 * Returns: (transfer full) (nullable) [h][w]: 1 for a pixel that sees nothing; %NULL for too few
 *   frames or too little memory
 */
guint8 *
prism_recording_hot_find_gaps (const PrismRecording *recording,
                               guint *n_found)
{
  const gsize n_pixels = (gsize) recording->height * recording->width;
  const guint n = recording->n_frames;
  prism_autofree_array double *means = NULL;
  g_autofree guint8 *states = g_new0 (guint8, n_pixels);
  Gaps gaps = { .recording = recording, .states = states };
  guint8 *found;

  *n_found = 0;
  if (n <= PRISM_RECORDING_FEW)
    return NULL;
  means = prism_arena_new_array (n_pixels * sizeof *means, "the mean of the frames", NULL);
  if (means == NULL)
    return NULL;
  memset (means, 0, n_pixels * sizeof *means);
  gaps.means = means;
  prism_parallel_run (recording->height, n * n_pixels, mark_row, &gaps);
  found = g_new0 (guint8, n_pixels);
  *n_found = mark_gaps (&gaps, found);
  return found;
}

#define CXI_MASK "entry_1/instrument_1/detector_1/mask"
#define MOST_HOT 0.005 /* of all pixels */
#define MOST_GAPS 0.5  /* likewise */

/* The frame that a key of the recipe names: an array of the file, else another file. */
static float *
load_named (PrismRecording *self,
            PrismFields *fields,
            const PrismRecipe *recipe,
            const char *key,
            GError **error)
{
  const char *name = prism_recipe_get (recipe, key);
  PrismField *field = prism_fields_find (fields, name);
  g_autoptr (PrismFields) others = NULL;

  if (field != NULL)
    return prism_recording_frames_load_mean (fields, field, recipe, self->height, self->width,
                                             error);
  others = prism_fields_open (name, error);
  if (others == NULL)
    {
      g_prefix_error (error, _ ("“%s” has no array “%s” for “%s”, and as a file: "), fields->name,
                      name, key);
      return NULL;
    }
  PRISM_FOR_EACH_POINTER (PrismField, other, others->fields)
    {
      if (field == NULL || other->n_values > field->n_values)
        field = other;
    }
  if (field != NULL)
    return prism_recording_frames_load_mean (others, field, recipe, self->height, self->width,
                                             error);
  prism_error_format (error, _ ("“%s” has no array."), name);
  return NULL;
}

static gboolean
is_masked (const PrismRecording *self,
           gsize pixel)
{
  return self->mask != NULL && self->mask[pixel] == 0;
}

/* Takes one number, or a frame, off all frames, where pixels are used. */
static gboolean
take_dark_off (PrismRecording *self,
               PrismFields *fields,
               const PrismRecipe *recipe,
               GError **error)
{
  const char *text = prism_recipe_get (recipe, "dark");
  gsize n_pixels = (gsize) self->height * self->width;
  prism_autofree_array float *dark = NULL;
  double level;
  char *end;

  if (text == NULL)
    return TRUE;
  level = g_ascii_strtod (text, &end);
  if (*end != '\0' || !isfinite (level))
    {
      level = 0;
      dark = load_named (self, fields, recipe, "dark", error);
      if (dark == NULL)
        return FALSE;
    }
  for (gsize j = 0; j < self->n_frames; j++)
    {
      for (gsize i = 0; i < n_pixels; i++)
        if (!is_masked (self, i))
          self->frames[j * n_pixels + i] -= dark != NULL ? dark[i] : (float) level;
      prism_arena_touch (self->frames, n_pixels * sizeof (float));
    }
  return TRUE;
}

/* Divides by a bright frame, whose mean is made 1. */
static gboolean
divide_by_bright (PrismRecording *self,
                  PrismFields *fields,
                  const PrismRecipe *recipe,
                  GError **error)
{
  gsize n_pixels = (gsize) self->height * self->width;
  prism_autofree_array float *bright = NULL;
  double mean = 0;
  guint n = 0;

  if (prism_recipe_get (recipe, "bright") == NULL)
    return TRUE;
  bright = load_named (self, fields, recipe, "bright", error);
  if (bright == NULL)
    return FALSE;
  for (gsize i = 0; i < n_pixels; i++)
    if (!is_masked (self, i))
      {
        mean += (double) bright[i];
        n++;
      }
  mean /= n;
  for (gsize i = 0; i < n_pixels; i++)
    if (!is_masked (self, i) && (!(mean > 0) || !(bright[i] > 0.02 * mean)))
      return prism_error_config (error, _ ("“bright” cannot divide the frames: pixel %u of row"
                                           " %u has %g, less than 2 %% of its mean, %g."),
                                 (guint) (i % self->width), (guint) (i / self->width), bright[i],
                                 mean);
  for (gsize j = 0; j < self->n_frames; j++)
    {
      for (gsize i = 0; i < n_pixels; i++)
        if (!is_masked (self, i))
          self->frames[j * n_pixels + i] *= (float) (mean / bright[i]);
      prism_arena_touch (self->frames, n_pixels * sizeof (float));
    }
  return TRUE;
}

/* Masks pixels. Returns how many are used still */
static gsize
mask_pixels (PrismRecording *self,
             const guint8 *bad) /* [h][w]: not 0 where one is not to be used */
{
  const gsize n_pixels = (gsize) self->height * self->width;
  gsize n_good = 0;

  if (self->mask == NULL)
    {
      self->mask = g_malloc (n_pixels);
      memset (self->mask, 1, n_pixels);
    }
  for (gsize i = 0; i < n_pixels; i++)
    {
      self->mask[i] = self->mask[i] != 0 && bad[i] == 0;
      n_good += self->mask[i];
    }
  return n_good;
}

/* values: [h][w]; CXI has bits for what is wrong with a pixel, a recipe's mask 1 for a good one. */
static gboolean
add_mask (PrismRecording *self,
          const float *values,
          gboolean zero_is_good,
          GError **error)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  g_autofree guint8 *bad = g_malloc (n_pixels);
  gsize n_good;

  for (gsize i = 0; i < n_pixels; i++)
    bad[i] = (values[i] == 0) != zero_is_good;
  n_good = mask_pixels (self, bad);
  if (n_good < n_pixels / 10)
    return prism_error_config (error,
                               _ ("The mask leaves %u of %u pixels, less than a tenth; is it"
                                  " inverted? 0 is one that is not used."),
                               (guint) n_good, (guint) n_pixels);
  if (n_good < n_pixels)
    prism_recording_note (self,
                          ngettext ("%u pixel is masked.", "%u pixels are masked.",
                                    (gulong) (n_pixels - n_good)),
                          (guint) (n_pixels - n_good));
  return TRUE;
}

static gboolean
assign_mask (PrismRecording *self,
             PrismFields *fields,
             const PrismRecipe *recipe,
             GError **error)
{
  const PrismField *field = prism_fields_find (fields, CXI_MASK);
  gboolean said = prism_recipe_get (recipe, "mask") != NULL;
  prism_autofree_array float *values = NULL;

  if (!said && (field == NULL || field->obstacle != NULL || field->n_dims != 2))
    return TRUE;
  values = said ? load_named (self, fields, recipe, "mask", error)
                : prism_recording_frames_load_mean (fields, field, recipe, self->height,
                                                    self->width, error);
  return values != NULL && add_mask (self, values, !said, error);
}

/* A camera with more of them than that has another fault, which is told and not hidden. */
static void
mask_hot (PrismRecording *self,
          const PrismRecipe *recipe)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  const char *said = prism_recipe_get (recipe, "hot_pixels");
  g_autofree guint8 *hot = NULL;
  guint n = 0;

  if (g_strcmp0 (said, "keep") == 0)
    return;
  hot = prism_recording_hot_find (self, &n);
  if (n == 0)
    return;
  if (n > MOST_HOT * n_pixels && said == NULL)
    {
      prism_recording_note (self,
                            _ ("%u pixels stand out of every frame, which is more than a camera has"
                               " of hot ones: take a dark frame off (“dark”), or set"
                               " hot_pixels=mask."),
                            n);
      return;
    }
  mask_pixels (self, hot);
  prism_recording_note (self,
                        ngettext ("%u hot pixel is masked; hot_pixels=keep uses it.",
                                  "%u hot pixels are masked; hot_pixels=keep uses them.", n),
                        n);
}

/* As pixels that are no numbers. */
static void
mask_gaps (PrismRecording *self,
           const PrismRecipe *recipe)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  g_autofree guint8 *gaps = NULL;
  guint n = 0;

  if (prism_recipe_is (recipe, "hot_pixels", "keep"))
    return;
  gaps = prism_recording_hot_find_gaps (self, &n);
  if (n == 0 || n > MOST_GAPS * n_pixels)
    return;
  mask_pixels (self, gaps);
  for (gsize j = 0; j < self->n_frames; j++)
    {
      for (gsize i = 0; i < n_pixels; i++)
        if (gaps[i] != 0)
          self->frames[j * n_pixels + i] = 0;
      prism_arena_touch (self->frames, n_pixels * sizeof (float));
    }
  prism_recording_note (self,
                        ngettext ("%u pixel shows the same in every frame, as gaps of a detector"
                                  " do, and is masked; hot_pixels=keep uses it.",
                                  "%u pixels show the same in every frame, as gaps of a detector"
                                  " do, and are masked; hot_pixels=keep uses them.",
                                  n),
                        n);
}

/**
 * prism_recording_correct:
 * @fields: the file of the frames
 * @recipe: (nullable): what is said of them
 *
 * Takes the dark frame off, divides by exposures and by the bright frame and masks pixels, hot ones
 * besides.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it could be done
 */
gboolean
prism_recording_correct (PrismRecording *self,
                         PrismFields *fields,
                         const PrismRecipe *recipe,
                         GError **error)
{
  /* A camera counts in whole numbers; several exposures that were put together are none. */
  self->are_counts = are_whole (self, 1)
                     || (prism_recording_get_largest (self) <= 1
                         && (are_whole (self, 255) || are_whole (self, 65535)));
  self->exposure_rule = prism_recipe_is (recipe, "exposure", "divide") ? 1
                        : prism_recipe_is (recipe, "exposure", "keep") ? -1
                                                                       : 0;
  mask_gaps (self, recipe);
  if (!assign_mask (self, fields, recipe, error) || !take_dark_off (self, fields, recipe, error)
      || !assign_exposures (self, fields, error)
      || !divide_by_bright (self, fields, recipe, error))
    return FALSE;
  mask_hot (self, recipe);
  return TRUE;
}
