#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#define MOST_LISTED 8 /* numbers of frames in a sentence */

/**
 * prism_recording_new:
 * @path: file name
 * @format: what it was taken for
 *
 * Returns: (transfer full): a recording without frames, of which nothing is known
 */
PrismRecording *
prism_recording_new (const char *path,
                     const char *format)
{
  PrismRecording *self = g_new0 (PrismRecording, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->path = g_strdup (path);
  self->format = g_strdup (format);
  self->notes = g_ptr_array_new_with_free_func (g_free);
  self->wavelength = self->pixel_size = self->camera_pixel = self->magnification = NAN;
  self->na = self->distance = self->pitch = self->defocus = NAN;
  self->slide_index = 1.52;
  return self;
}

/**
 * prism_recording_ref:
 *
 * Holds a recording that nobody changes any more, on any thread, until it is freed once more.
 *
 * Returns: (transfer full): the same
 */
PrismRecording *
prism_recording_ref (PrismRecording *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * prism_recording_free:
 * @self: (nullable): a recording
 *
 * Gives it up; the last who holds it frees it.
 */
void
prism_recording_free (PrismRecording *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  prism_arena_free_array (self->frames);
  g_free (self->mask);
  g_free (self->positions);
  g_free (self->directions);
  g_free (self->unplaced);
  g_free (self->unread);
  g_strfreev (self->labels);
  g_clear_pointer (&self->rows, g_bytes_unref);
  g_free (self->path);
  g_free (self->format);
  g_ptr_array_unref (self->notes);
  g_free (self);
}

/**
 * prism_recording_new_like:
 *
 * Returns: (transfer full): one of the same instrument, without frames, what is known of each, and
 *   notes
 */
PrismRecording *
prism_recording_new_like (const PrismRecording *self)
{
  PrismRecording *copy = g_memdup2 (self, sizeof *self);

  g_atomic_ref_count_init (&copy->ref_count);
  copy->frames = NULL;
  copy->mask = NULL;
  copy->positions = copy->directions = NULL;
  copy->unplaced = NULL;
  copy->labels = NULL;
  copy->rows = NULL;
  copy->unread = g_strdup (self->unread);
  copy->path = g_strdup (self->path);
  copy->format = g_strdup (self->format);
  copy->notes = g_ptr_array_new_with_free_func (g_free);
  return copy;
}

/**
 * prism_recording_cut:
 * @first: frame from which on they are taken
 * @left: first column
 * @top: first row
 * @width: columns
 * @height: rows
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a part of frames and mask, without the directions
 */
PrismRecording *
prism_recording_cut (const PrismRecording *self,
                     guint first,
                     guint left,
                     guint top,
                     guint width,
                     guint height,
                     GError **error)
{
  g_autoptr (PrismRecording) part = prism_recording_new_like (self);

  part->n_frames = self->n_frames - first;
  part->height = height;
  part->width = width;
  part->frames = prism_arena_new_array (sizeof (float) * part->n_frames * height * width,
                                        "the frames of a tile", error);
  part->mask = self->mask != NULL ? g_malloc ((gsize) height * width) : NULL;
  part->unplaced = self->unplaced != NULL ? g_memdup2 (self->unplaced + first, part->n_frames)
                                          : NULL;
  for (gsize j = 0; part->frames != NULL && j < part->n_frames; j++)
    {
      const float *from = self->frames + (first + j) * self->height * self->width;

      for (gsize y = 0; y < height; y++)
        memcpy (part->frames + (j * height + y) * width, from + (top + y) * self->width + left,
                sizeof (float) * width);
      prism_arena_touch (from, sizeof (float) * height * self->width);
    }
  for (gsize y = 0; part->mask != NULL && y < height; y++)
    memcpy (part->mask + y * width, self->mask + (top + y) * self->width + left, width);
  return part->frames != NULL ? g_steal_pointer (&part) : NULL;
}

/**
 * prism_recording_new_frames:
 * @n_values: of all frames
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): room for them, in a file where they are large: what goes
 *   through them calls prism_arena_touch()
 */
float *
prism_recording_new_frames (gsize n_values,
                            GError **error)
{
  const gsize n_bytes = n_values * sizeof (float);

  return (n_bytes > PRISM_ARENA_LARGE ? prism_arena_new_stored : prism_arena_new_array) (
      n_bytes, "the frames of a recording", error);
}

/**
 * prism_recording_dup_frames:
 * @self: one of files, with directions
 * @order: (nullable) (array length=n_frames): of the frames
 * @room: frames that there is memory for, at least those that there are
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): a copy that may be changed, and get more frames; without
 *   notes, which are of those that there were
 */
PrismRecording *
prism_recording_dup_frames (const PrismRecording *self,
                            const guint *order,
                            guint room,
                            GError **error)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  g_autoptr (PrismRecording) copy = prism_recording_new_like (self);

  copy->frames = prism_recording_new_frames (room * n_pixels, error);
  copy->mask = g_memdup2 (self->mask, self->mask != NULL ? n_pixels : 0);
  copy->positions = self->positions != NULL ? g_new (double, 2 * (gsize) room) : NULL;
  copy->directions = g_new (double, 2 * (gsize) room);
  copy->labels = g_new0 (char *, room + 1);
  for (gsize i = 0; copy->frames != NULL && i < self->n_frames; i++)
    {
      const gsize j = order != NULL ? order[i] : i;

      memcpy (copy->frames + i * n_pixels, self->frames + j * n_pixels,
              n_pixels * sizeof *copy->frames);
      prism_arena_touch (copy->frames, n_pixels * sizeof *copy->frames);
      prism_arena_touch (self->frames, n_pixels * sizeof *copy->frames);
      memcpy (copy->directions + 2 * i, self->directions + 2 * j, 2 * sizeof (double));
      if (self->positions != NULL)
        memcpy (copy->positions + 2 * i, self->positions + 2 * j, 2 * sizeof (double));
      copy->labels[i] = g_strdup (self->labels[j]);
    }
  return copy->frames != NULL ? g_steal_pointer (&copy) : NULL;
}

/**
 * prism_recording_note:
 * @format: a sentence
 * @...: what stands in it
 *
 * Notes something that was understood, once.
 */
void
prism_recording_note (PrismRecording *self,
                      const char *format,
                      ...)
{
  va_list arguments;
  char *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (g_ptr_array_find_with_equal_func (self->notes, text, g_str_equal, NULL))
    g_free (text);
  else
    g_ptr_array_add (self->notes, text);
}

/**
 * prism_recording_dup_list:
 * @frames: (element-type guint): numbers of frames
 *
 * Returns: (transfer full): the first of them for a sentence, “3, 5, 8 …”
 */
char *
prism_recording_dup_list (const GArray *frames)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < MIN (frames->len, MOST_LISTED); k++)
    g_string_append_printf (text, "%s%u", k > 0 ? ", " : "", g_array_index (frames, guint, k));
  return g_string_free (g_string_append (text, frames->len > MOST_LISTED ? " …" : ""), FALSE);
}

#define UNTOLD 2 /* in place of 1, until it is said */

/**
 * prism_recording_fill_places:
 * @values: (inout): a number of each frame, every @step-th
 *
 * Gives frames whose number is none that of the frame before, or of the first that has one, and
 * marks them as left out.
 */
void
prism_recording_fill_places (PrismRecording *self,
                             double *values,
                             gsize step)
{
  gsize first = 0;

  while (first + 1 < self->n_frames && !isfinite (values[first * step]))
    first++;
  for (gsize j = 0; j < self->n_frames; j++)
    if (!isfinite (values[j * step]))
      {
        if (self->unplaced == NULL)
          self->unplaced = g_new0 (guint8, self->n_frames);
        self->unplaced[j] = UNTOLD;
        values[j * step] = values[(j > first ? j - 1 : first) * step];
      }
}

/**
 * prism_recording_check_places:
 * @name: of what has the places
 *
 * Says which frames are left out for want of a place in it; those of another array were told.
 *
 * Errors: PRISM_ERROR_FORMAT: too few are left.
 *
 * Returns: whether enough are left
 */
gboolean
prism_recording_check_places (PrismRecording *self,
                              const char *name,
                              GError **error)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *list = NULL;
  guint n_unplaced = 0;

  for (guint j = 0; self->unplaced != NULL && j < self->n_frames; j++)
    {
      n_unplaced += self->unplaced[j] != 0;
      if (self->unplaced[j] == UNTOLD)
        g_array_append_val (frames, j);
      self->unplaced[j] = self->unplaced[j] != 0;
    }
  if (frames->len == 0)
    return TRUE;
  if (self->n_frames < n_unplaced + PRISM_RECORDING_FEW)
    return prism_error_format (error, _ ("“%s” has numbers for the places of %u of %u frames, which"
                                         " are too few."),
                               name, self->n_frames - n_unplaced, self->n_frames);
  list = prism_recording_dup_list (frames);
  prism_recording_note (self,
                        ngettext ("Frame %s is left out: its place in “%s” is no number.",
                                  "Frames %s are left out: their places in “%s” are no numbers.",
                                  frames->len),
                        list, name);
  return TRUE;
}

/* Sine of the angle at which light from an LED at the side l meets a slide and so, by Snell's law,
 * leaves it: l = H·tan θ + t·tan θ', sin θ = n·sin θ'. */
static double
refract (const PrismRecording *self,
         double l)
{
  double low = 0, high = 1;

  if (!(self->slide_thickness > 0))
    return l / hypot (l, self->distance);
  for (int i = 0; i < 60; i++) /* bisection down to the last digit */
    {
      double sine = 0.5 * (low + high), inside = sine / self->slide_index;
      double reach = self->distance * sine / sqrt (1 - sine * sine)
                     + self->slide_thickness * inside / sqrt (1 - inside * inside);

      if (reach < l)
        low = sine;
      else
        high = sine;
    }
  return 0.5 * (low + high);
}

/**
 * prism_recording_update:
 *
 * Makes the pixel at the specimen of the camera's, and the directions of the positions where the
 * file has none: after rotation, shift and the slide's refraction.
 */
void
prism_recording_update (PrismRecording *self)
{
  double cosine = cos (self->rotation * G_PI / 180), sine = sin (self->rotation * G_PI / 180);

  if (isnan (self->pixel_size))
    self->pixel_size = self->camera_pixel / self->magnification;
  if (self->directions_given || self->positions == NULL || isnan (self->distance))
    return;
  if (self->directions == NULL)
    self->directions = g_new0 (double, 2 * (gsize) self->n_frames);
  for (gsize j = 0; j < self->n_frames; j++)
    {
      const double *position = self->positions + 2 * j;
      double x = cosine * position[0] - sine * position[1] + self->shift[0];
      double y = sine * position[0] + cosine * position[1] + self->shift[1];
      double l = hypot (x, y), direction = refract (self, l);

      self->directions[2 * j] = l > 0 ? direction * x / l : 0;
      self->directions[2 * j + 1] = l > 0 ? direction * y / l : 0;
    }
}

/**
 * prism_recording_get_center:
 * @j: a frame
 * @side: pixels of a side
 * @column: (out): of the centre of the frame's box, from the centre of the spectrum
 * @row: (out): likewise
 *
 * Units: pixels of a spectrum of a square of side pixels.
 */
void
prism_recording_get_center (const PrismRecording *self,
                            guint j,
                            double side,
                            double *column,
                            double *row)
{
  double scale = self->pixel_size * side / self->wavelength;

  *column = self->directions[2 * (gsize) j] * scale;
  *row = self->directions[2 * (gsize) j + 1] * scale;
}

static gboolean
check_number (double value,
              double minimum,
              double maximum,
              const char *what,
              const char *key,
              GError **error)
{
  if (isfinite (value) && value >= minimum && value <= maximum)
    return TRUE;
  return prism_error_config (error, _ ("The recording says %g for %s, which is not within %g"
                                       " and %g; is it in another unit? Give it as “%s” in a"
                                       " recipe or with --assign."),
                             value, what, minimum, maximum, key);
}

/* What a recording may not say, and how it is said by hand. */
static const struct
{
  const char *name;
  const char *example;
} unsaid[PRISM_N_UNSAID] = {
  [PRISM_UNSAID_WAVELENGTH] = { N_ ("the wavelength"), "wavelength=630nm" },
  [PRISM_UNSAID_MAGNIFICATION]
  = { N_ ("the magnification"),
      "magnification=4; or the side of a pixel at the specimen, pixel_size=1.8um" },
  [PRISM_UNSAID_PIXEL] = { N_ ("the side of a pixel at the specimen"), "pixel_size=1.8um" },
  [PRISM_UNSAID_NA] = { N_ ("the numerical aperture"), "na=0.1" },
  [PRISM_UNSAID_PITCH] = { N_ ("the pitch of the LEDs"), "pitch=4mm" },
  [PRISM_UNSAID_DISTANCE] = { N_ ("the distance of the LEDs"), "distance=90mm" },
  [PRISM_UNSAID_PLACES] = { N_ ("where the light of each frame came from"),
                            "a CSV file with the columns frame, x_mm, y_mm or frame, na_x, na_y, as"
                            " --positions" },
};

/**
 * prism_recording_find_unsaid:
 *
 * Returns: a bit, 1 << PrismUnsaid, for each thing that a reconstruction needs and nobody has said
 */
guint
prism_recording_find_unsaid (const PrismRecording *self)
{
  const gboolean nowhere = self->directions == NULL && self->positions == NULL;
  const gboolean missing[PRISM_N_UNSAID] = {
    [PRISM_UNSAID_WAVELENGTH] = isnan (self->wavelength),
    [PRISM_UNSAID_MAGNIFICATION] = isnan (self->pixel_size) && self->camera_pixel > 0,
    [PRISM_UNSAID_PIXEL] = isnan (self->pixel_size) && !(self->camera_pixel > 0),
    [PRISM_UNSAID_NA] = isnan (self->na),
    [PRISM_UNSAID_PITCH] = self->pitch_needed && nowhere,
    [PRISM_UNSAID_DISTANCE] = isnan (self->distance) && self->directions == NULL
                              && (self->positions != NULL || self->pitch_needed),
    [PRISM_UNSAID_PLACES] = nowhere && !self->pitch_needed,
  };
  guint bits = 0;

  for (guint i = 0; i < PRISM_N_UNSAID; i++)
    bits |= missing[i] ? 1U << i : 0;
  return bits;
}

/**
 * prism_recording_get_unsaid_name:
 * @thing: one of them
 *
 * Returns: what it is called in a sentence, in the language of the user
 */
const char *
prism_recording_get_unsaid_name (PrismUnsaid thing)
{
  return _ (unsaid[thing].name);
}

static gboolean
check_directions (const PrismRecording *self,
                  GError **error)
{
  double side = MAX (self->height, self->width), far = 0;

  for (gsize j = 0; j < self->n_frames; j++)
    far = MAX (far, hypot (self->directions[2 * j], self->directions[2 * j + 1]));
  if ((far > 0.985 || self->directions_raw) && self->directions_given)
    prism_error_config (error, _ ("The directions reach %g, in a unit that the light of the"
                                  " frames does not tell: give them as direction cosines, at"
                                  " most 1 (divided by the wave number), or give positions."),
                        far);
  else if (far > 0.985)
    prism_error_config (error, _ ("The directions reach %.3f, which no LED beside a specimen"
                                  " does: are positions (“positions_unit”) and distance (%g m)"
                                  " in the same unit?"),
                        far, self->distance);
  else if (self->n_frames > 1 && !(far > 0))
    prism_error_config (error, _ ("All LEDs are at the same place; give their positions in a"
                                  " CSV file with the columns frame, x_mm, y_mm."));
  else if (self->n_frames > 1 && far * self->pixel_size * side / self->wavelength < 0.5)
    prism_error_config (error, _ ("All frames look at the same place of the spectrum, to half a"
                                  " pixel: are positions (“positions_unit”) and distance (%g m)"
                                  " in the same unit?"),
                        self->distance);
  else
    return TRUE;
  return FALSE;
}

/**
 * prism_recording_check:
 *
 * Whether everything is known that a reconstruction needs, and can be true.
 *
 * Errors: PRISM_ERROR_CONFIG: what is missing or contradictory, with the value that is needed.
 *
 * Returns: whether it is
 */
gboolean
prism_recording_check (const PrismRecording *self,
                       GError **error)
{
  guint bits = prism_recording_find_unsaid (self);
  GString *text = g_string_new (NULL);

  /* All that nobody has said, in one sentence with an example of each. */
  for (guint i = 0; i < PRISM_N_UNSAID; i++)
    {
      if ((bits & 1U << i) == 0)
        continue;
      if (text->len > 0)
        g_string_append (text, bits >> i == 1 ? _ (" and ") : ", ");
      g_string_append_printf (text, "%s (%s)", _ (unsaid[i].name), unsaid[i].example);
    }
  if (bits != 0)
    prism_error_config (error, _ ("The recording does not say %s: give it in a recipe or with"
                                  " --assign, as it stands in brackets.%s%s%s"),
                        text->str,
                        self->unread != NULL ? _ (" Only arrays were read, not ") : "",
                        self->unread != NULL ? self->unread : "", self->unread != NULL ? "." : "");
  g_string_free (text, TRUE);
  if (bits != 0)
    return FALSE;
  if (!check_number (self->wavelength, 1e-11, 1e-3, _ ("the wavelength in m"), "wavelength", error)
      || (!(self->pixel_size > 0 && isfinite (self->pixel_size)) && !isnan (self->magnification)
          && !check_number (self->magnification, 1e-6, 1e4, _ ("the magnification"),
                            "magnification", error))
      || !check_number (self->pixel_size, 1e-10, 1e6,
                        _ ("the side of a pixel at the specimen in m"), "pixel_size", error)
      || !check_number (self->na, 1e-9, 1.7, _ ("the numerical aperture"), "na", error))
    return FALSE;
  if (self->pixel_size > 20 * self->wavelength / (2 * self->na))
    {
      return prism_error_config (error, _ ("The pixel at the specimen, %g m, is far coarser"
                                           " than the %g m that the wavelength and the"
                                           " numerical aperture allow; is it in another unit?"
                                           " Give it as “pixel_size” in a recipe or with"
                                           " --assign."),
                                 self->pixel_size, self->wavelength / (2 * self->na));
    }
  if (self->positions != NULL && !self->directions_given
      && !check_number (self->distance, 1e-5, 1e9, _ ("the distance of the LEDs in m"), "distance",
                        error))
    return FALSE;
  return check_directions (self, error);
}
