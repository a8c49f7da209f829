#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-pool.h"

/* How the array lies, and which part of it is wanted. */
typedef struct
{
  int axes[3]; /* dimension that counts frames, rows and columns of the recording */
  gsize n_frames;
  gsize height; /* of a frame once it is turned, before it is cut */
  gsize width;
  gboolean flip_rows;
  gboolean flip_columns;
  gboolean amplitude;
  guint box[4]; /* column, row, width, height */
} Layout;

static gboolean
refuse (GError **error,
        PrismFields *fields,
        const PrismField *field,
        const char *reason)
{
  g_autofree char *shape = prism_fields_dup_shape (field);
  g_autofree char *text = g_strdup_printf ("“%s” (%s) %s", field->name, shape, reason);

  prism_fields_set_error (error, fields->name, fields->format, text);
  return FALSE;
}

/* The dimensions longer than 1, in order; the last three or fewer. */
static int
find_axes (const PrismField *field,
           int axes[3])
{
  int n = 0;

  for (int i = 0; i < field->n_dims; i++)
    if (field->shape[i] > 1)
      {
        if (n < 3)
          axes[n] = i;
        n++;
      }
  return n;
}

static void
choose_axes (Layout *layout,
             const PrismField *field,
             const int axes[3],
             const PrismRecipe *recipe)
{
  gboolean transpose = prism_recipe_is (recipe, "transpose", "yes");
  const gsize sides[]
      = { field->shape[axes[0]], field->shape[axes[1]], field->shape[axes[2]] };
  double axis;
  int frame;

  if (!prism_recipe_get_number (recipe, "frame_axis", &axis))
    /* The one dimension that differs from two equal ones, which are the sides of square frames. */
    frame = sides[0] == sides[1] && sides[1] != sides[2]   ? 2
            : sides[0] == sides[2] && sides[1] != sides[2] ? 1
                                                           : 0;
  else
    frame = field->column_major ? 2 - (int) axis : (int) axis;
  layout->axes[0] = axes[frame];
  layout->axes[1] = axes[frame == 0 ? 1 : 0];
  layout->axes[2] = axes[frame == 2 ? 1 : 2];
  /* MATLAB's rows are what varies fastest. */
  if (transpose != field->column_major)
    {
      int rows = layout->axes[1];

      layout->axes[1] = layout->axes[2];
      layout->axes[2] = rows;
    }
  layout->n_frames = field->shape[layout->axes[0]];
  layout->height = field->shape[layout->axes[1]];
  layout->width = field->shape[layout->axes[2]];
}

static gboolean
choose_box (Layout *layout,
            PrismFields *fields,
            const PrismField *field,
            const PrismRecipe *recipe,
            GError **error)
{
  const char *text = prism_recipe_get (recipe, "crop");
  g_auto (GStrv) parts = g_strsplit_set (text != NULL ? text : "", " ,", -1);
  guint n = 0;

  layout->box[0] = layout->box[1] = 0;
  layout->box[2] = (guint) layout->width;
  layout->box[3] = (guint) layout->height;
  for (guint i = 0; parts[i] != NULL && n < 4; i++)
    if (*parts[i] != '\0')
      layout->box[n++] = (guint) g_ascii_strtoull (parts[i], NULL, 10);
  if ((gsize) layout->box[0] + layout->box[2] <= layout->width
      && (gsize) layout->box[1] + layout->box[3] <= layout->height)
    return TRUE;
  return refuse (error, fields, field, _ ("is smaller than the part that “crop” asks for"));
}

static gboolean
make_layout (Layout *layout,
             PrismFields *fields,
             const PrismField *field,
             const PrismRecipe *recipe,
             GError **error)
{
  int axes[3] = { 0 };
  int n = find_axes (field, axes);

  if (field->obstacle != NULL)
    {
      g_autofree char *reason = g_strdup_printf ("cannot be used: %s", field->obstacle);

      return refuse (error, fields, field, reason);
    }
  if (field->kind == PRISM_FIELD_COMPLEX)
    return refuse (error, fields, field,
                   _ ("is complex, but a camera records intensities; save those"));
  if (n == 2 && field->n_dims == 3)
    return refuse (error, fields, field,
                   _ ("has one frame, or frames of one row or column, and is no stack of"
                      " frames; give an array with all frames, or the folder with a file for"
                      " each"));
  if (n == 4)
    return refuse (error, fields, field,
                   _ ("has a fourth dimension, as of colours: save one colour, frames × rows ×"
                      " columns"));
  if (n != 3)
    return refuse (error, fields, field,
                   _ ("is no stack of frames; expected are the three dimensions frames × rows ×"
                      " columns, or a folder with a file for each frame"));
  choose_axes (layout, field, axes, recipe);
  if (layout->n_frames > PRISM_RECORDING_MAX_FRAMES)
    return refuse (error, fields, field,
                   _ ("has more than 65536 frames; is “frame_axis” another dimension?"));
  if (layout->height > PRISM_RECORDING_MAX_SIDE || layout->width > PRISM_RECORDING_MAX_SIDE)
    return refuse (error, fields, field, _ ("has frames of more than 16384 pixels a side"));
  layout->flip_rows = prism_recipe_is (recipe, "flip_rows", "yes");
  layout->flip_columns = prism_recipe_is (recipe, "flip_columns", "yes");
  layout->amplitude = prism_recipe_is (recipe, "values", "amplitude");
  return choose_box (layout, fields, field, recipe, error);
}

/* Turns one frame and cuts it. plane: [rows][columns] as it lies; frame: [box[3]][box[2]] */
static void
turn_frame (const Layout *layout,
            const double *plane,
            float *frame)
{
  gboolean swapped = layout->axes[1] > layout->axes[2];
  gsize row_step = swapped ? 1 : layout->width, column_step = swapped ? layout->height : 1;

  for (gsize y = 0; y < layout->box[3]; y++)
    for (gsize x = 0; x < layout->box[2]; x++)
      {
        gsize row = layout->box[1] + y, column = layout->box[0] + x;
        double value;

        if (layout->flip_rows)
          row = layout->height - 1 - row;
        if (layout->flip_columns)
          column = layout->width - 1 - column;
        value = plane[row * row_step + column * column_step];
        frame[y * layout->box[2] + x] = (float) (layout->amplitude ? value * value : value);
      }
}

/* Frames that are read together. */
typedef struct
{
  const Layout *layout;
  const double *planes; /* [n][rows][columns] */
  float *frames;        /* [n][box[3]][box[2]] */
} Batch;

static void
turn_plane (gpointer data,
            guint j)
{
  const Batch *batch = data;
  const Layout *layout = batch->layout;

  turn_frame (layout, batch->planes + j * layout->width * layout->height,
              batch->frames + j * ((gsize) layout->box[2] * layout->box[3]));
}

/* Frames some after the other, as they lie in most files. */
static gboolean
load_planes (PrismRecording *self,
             PrismFields *fields,
             const PrismField *field,
             const Layout *layout,
             GError **error)
{
  gsize start[PRISM_FIELDS_MAX_DIMS] = { 0 }, count[PRISM_FIELDS_MAX_DIMS];
  const gsize n_pixels = (gsize) layout->box[2] * layout->box[3];
  const gsize plane_size = layout->width * layout->height;
  /* Frames that are read together: few, so that they stay in the cache, but more than one, so that
   * several processors decompress them, unless they are huge. */
  const gsize n_bytes = plane_size * sizeof (double);
  const gsize n_fit = MAX ((4 << 20) / n_bytes, MIN ((256 << 20) / n_bytes, 4));
  const gsize most = MIN (MAX (n_fit, 1), layout->n_frames);
  prism_autofree_array double *planes
      = prism_arena_new_array (most * plane_size * sizeof *planes, "a frame", error);

  if (planes == NULL)
    return FALSE;
  memcpy (count, field->shape, sizeof count);
  for (gsize j = 0; j < layout->n_frames; j += most)
    {
      const gsize n = MIN (most, layout->n_frames - j);
      Batch batch = { layout, planes, self->frames + j * n_pixels };

      start[layout->axes[0]] = j;
      count[layout->axes[0]] = n;
      if (!prism_parallel_go_on (error)
          || !prism_fields_load_part (fields, field, start, count, planes, error))
        return FALSE;
      prism_parallel_run ((guint) n, n * plane_size, turn_plane, &batch);
      prism_arena_touch (batch.frames, n * n_pixels * sizeof (float));
    }
  return TRUE;
}

/* Frames that are the second or last dimension: everything is read, then sorted. */
static gboolean
load_whole (PrismRecording *self,
            PrismFields *fields,
            const PrismField *field,
            const Layout *layout,
            GError **error)
{
  gsize n_pixels = (gsize) layout->box[2] * layout->box[3];
  gsize plane_size = layout->width * layout->height;
  int last = MAX (layout->axes[1], layout->axes[2]), first = MIN (layout->axes[1], layout->axes[2]);
  gsize inner = layout->axes[0] > last ? 1 : layout->axes[0] > first ? field->shape[last]
                                                                     : plane_size;
  prism_autofree_array double *values = prism_fields_load (fields, field, error);
  prism_autofree_array double *plane = NULL;

  if (values == NULL)
    return FALSE;
  plane = prism_arena_new_array (plane_size * sizeof *plane, "a frame", error);
  if (plane == NULL)
    return FALSE;
  for (gsize j = 0; j < layout->n_frames; j++)
    {
      if (!prism_parallel_go_on (error))
        return FALSE;
      for (gsize i = 0; i < plane_size; i++)
        plane[i] = values[(i / inner * layout->n_frames + j) * inner + i % inner];
      turn_frame (layout, plane, self->frames + j * n_pixels);
      prism_arena_touch (self->frames, n_pixels * sizeof (float));
    }
  return TRUE;
}

static gboolean
is_intensity (float value)
{
  return fabsf (value) <= 1e30f;
}

static guint
count_bad (const float *frame,
           gsize n_pixels)
{
  guint n = 0;

  for (gsize i = 0; i < n_pixels; i++)
    n += !is_intensity (frame[i]);
  prism_arena_touch (frame, n_pixels * sizeof *frame);
  return n;
}

/* Frames of which half and more is no numbers are dark ones; a few may be so. */
static void
clear_bad_frames (PrismRecording *self)
{
  const gsize n_pixels = (gsize) self->height * self->width;
  g_autoptr (GArray) bad = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *list = NULL;

  for (guint j = 0; j < self->n_frames; j++)
    if (2 * (gsize) count_bad (self->frames + j * n_pixels, n_pixels) >= n_pixels)
      g_array_append_val (bad, j);
  if (bad->len == 0 || bad->len > 0.05 * self->n_frames)
    return;
  self->n_spoilt = bad->len;
  PRISM_FOR_EACH (const guint, j, bad)
    memset (self->frames + *j * n_pixels, 0, n_pixels * sizeof *self->frames);
  list = prism_recording_dup_list (bad);
  prism_recording_note (self,
                        ngettext ("Frame %s has values that are no numbers, and is taken as dark.",
                                  "Frames %s have values that are no numbers, and are taken as"
                                  " dark.",
                                  bad->len),
                        list);
}

/* A pixel that is no number in some frame is of no use in any. */
static gboolean
mask_bad_pixels (PrismRecording *self,
                 PrismFields *fields,
                 const PrismField *field,
                 GError **error)
{
  gsize n_pixels = (gsize) self->height * self->width, n_bad = 0, n_nan = 0;
  g_autofree guint8 *mask = g_malloc (n_pixels);

  memset (mask, 1, n_pixels);
  clear_bad_frames (self);
  for (gsize j = 0; j < self->n_frames; j++)
    {
      float *frame = self->frames + j * n_pixels;

      if (count_bad (frame, n_pixels) == 0)
        continue;
      for (gsize i = 0; i < n_pixels; i++)
        {
          if (is_intensity (frame[i]))
            continue;
          n_bad += mask[i];
          n_nan += isnan (frame[i]);
          mask[i] = 0;
          frame[i] = 0.0f;
        }
    }
  if (n_bad == 0)
    return TRUE;
  if (n_bad > 0.1 * n_pixels)
    {
      g_autofree char *reason = NULL;

      reason = g_strdup_printf (n_nan > 0 ? "has values that are no numbers at %u of %u pixels; at"
                                            " most a tenth may have some"
                                          : "has values beyond 1e30 at %u of %u pixels, which are"
                                            " no numbers here; divide all by the largest",
                                (guint) n_bad, (guint) n_pixels);
      return refuse (error, fields, field, reason);
    }
  self->mask = g_steal_pointer (&mask);
  prism_recording_note (self,
                        n_nan > 0
                            ? ngettext ("%u pixel has values that are no numbers and is masked.",
                                        "%u pixels have values that are no numbers and are masked.",
                                        (gulong) n_bad)
                            : ngettext ("%u pixel has values beyond 1e30 and is masked.",
                                        "%u pixels have values beyond 1e30 and are masked.",
                                        (gulong) n_bad),
                        (guint) n_bad);
  return TRUE;
}

/* Returns how many values were below zero, which none is any more. */
static double
clear_negative (float *frame,
                gsize n_pixels,
                double unused)
{
  guint n = 0;

  for (gsize i = 0; i < n_pixels; i++)
    {
      n += frame[i] < 0;
      /* What is written has to be kept: of frames in a file all pages would be. */
      if (signbit (frame[i]))
        frame[i] = 0.0f;
    }
  return n;
}

/* No camera records the same twice: of frames with the same light, those are told that have every
 * bit of another one, and those without any light, unless they were no numbers. ranks: all frames
 * by their light */
static void
tell_same (PrismRecording *self,
           const PrismFrameLight *ranks)
{
  const gsize n_bytes = (gsize) self->height * self->width * sizeof *self->frames;
  const char *frames = (const char *) self->frames;
  g_autoptr (GArray) same = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *list = NULL;
  guint n_empty = 0;

  for (guint i = 0; i < self->n_frames; i++)
    {
      const guint frame = ranks[i].frame;
      guint k = i;

      n_empty += !(ranks[i].light > 0);
      while (k-- > 0 && ranks[k].light >= ranks[i].light && ranks[i].light > 0)
        if (memcmp (frames + frame * n_bytes, frames + ranks[k].frame * n_bytes, n_bytes) == 0)
          {
            g_array_append_val (same, frame);
            break;
          }
      prism_arena_touch (frames + frame * n_bytes, n_bytes);
    }
  if (n_empty > self->n_spoilt)
    prism_recording_note (self,
                          ngettext ("%u of %u frames has no value but 0: was it recorded?",
                                    "%u of %u frames have no value but 0: were they recorded?",
                                    n_empty - self->n_spoilt),
                          n_empty - self->n_spoilt, self->n_frames);
  if (same->len == 0)
    return;
  list = prism_recording_dup_list (same);
  prism_recording_note (self,
                        ngettext ("Frame %s is the same as another one to the last bit: was the"
                                  " light switched between them?",
                                  "Frames %s are the same as others to the last bit: was the light"
                                  " switched between them?",
                                  same->len),
                        list);
}

/**
 * prism_recording_frames_finish:
 *
 * Makes intensities of what is left after dark and bright frames: none is negative.
 *
 * Errors: PRISM_ERROR_FORMAT: there is no light; PRISM_ERROR_CANCELLED.
 *
 * Returns: whether there is some
 */
gboolean
prism_recording_frames_finish (PrismRecording *self,
                               GError **error)
{
  const gsize n = (gsize) self->n_frames * self->height * self->width;
  g_autofree double *negative = prism_recording_look (self, clear_negative, 0);
  g_autofree PrismFrameLight *ranks = prism_recording_rank_by_light (self, TRUE);
  const double brightest = ranks[0].light, darkest = ranks[self->n_frames - 1].light;
  const char *reason = NULL;
  double n_negative = 0;

  if (!prism_parallel_go_on (error))
    return FALSE;
  for (guint j = 0; j < self->n_frames; j++)
    n_negative += negative[j];
  /* The squares of less are zero in 32 bits. */
  if (brightest * self->n_frames <= 1e-20 * n)
    reason = _ ("there is no light in any frame: every mean is below 1e-20.");
  else if (darkest == brightest
           && darkest * self->n_frames > (1 - 1e-6) * n * prism_recording_get_largest (self))
    reason = _ ("all their pixels have the same value: no picture was recorded.");
  else if (n_negative > n / 2)
    reason = _ ("more than half of the values are below zero, as if too much were taken off.");
  if (reason != NULL)
    return prism_error_format (error, _ ("The frames of “%s” cannot be used: %s"), self->path,
                               reason);
  tell_same (self, ranks);
  if (n_negative > 0)
    {
      g_autofree char *share = prism_number_dup (100.0 * n_negative / n, 2);

      prism_recording_note (self, _ ("%s %% of the values are below zero and taken as zero."),
                            share);
    }
  return TRUE;
}

/* A plane, or a stack of which the mean is wanted, as a stack. */
static gboolean
make_mean_layout (Layout *layout,
                  PrismFields *fields,
                  const PrismField *field,
                  const PrismRecipe *recipe,
                  GError **error)
{
  PrismField stack = *field;
  int axes[3] = { 0 };

  if (find_axes (field, axes) != 2)
    return make_layout (layout, fields, field, recipe, error);
  stack.n_dims = 3;
  stack.shape[0] = 2;
  stack.shape[1] = field->shape[axes[0]];
  stack.shape[2] = field->shape[axes[1]];
  if (!make_layout (layout, fields, &stack, recipe, error))
    return FALSE;
  layout->n_frames = 1;
  return TRUE;
}

/**
 * prism_recording_frames_load_mean:
 * @fields: a file
 * @field: an array with a frame, or with some of which the mean is taken
 * @recipe: (nullable): how frames lie
 * @height: of a frame, turned and cut
 * @width: likewise
 *
 * Shape: the result is [height][width].
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the mean, for prism_arena_free_array()
 */
float *
prism_recording_frames_load_mean (PrismFields *fields,
                                  const PrismField *field,
                                  const PrismRecipe *recipe,
                                  guint height,
                                  guint width,
                                  GError **error)
{
  Layout layout = { 0 };
  gsize n_pixels = (gsize) height * width;
  g_autoptr (PrismRecording) part = prism_recording_new (fields->name, fields->format);
  prism_autofree_array float *mean = NULL;

  if (!make_mean_layout (&layout, fields, field, recipe, error))
    return NULL;
  if (layout.box[2] != width || layout.box[3] != height)
    {
      refuse (error, fields, field, _ ("has not the shape of the frames"));
      return NULL;
    }
  part->frames = prism_arena_new_array (layout.n_frames * n_pixels * sizeof (float), "a mean",
                                        error);
  mean = prism_arena_new_array (n_pixels * sizeof *mean, "a mean", error);
  if (part->frames == NULL || mean == NULL)
    return NULL;
  layout.amplitude = FALSE;
  if (!load_whole (part, fields, field, &layout, error))
    return NULL;
  for (gsize i = 0; i < n_pixels; i++)
    {
      double sum = 0;

      for (gsize j = 0; j < layout.n_frames; j++)
        sum += part->frames[j * n_pixels + i];
      mean[i] = (float) (sum / layout.n_frames);
    }
  return g_steal_pointer (&mean);
}

/**
 * prism_recording_frames_load:
 * @fields: a file
 * @field: the array with the frames
 * @recipe: (nullable): how it lies and what it holds
 *
 * Reads the frames as intensities, turned and cut. Sizes are checked before memory is asked for.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether they were read
 */
gboolean
prism_recording_frames_load (PrismRecording *self,
                             PrismFields *fields,
                             const PrismField *field,
                             const PrismRecipe *recipe,
                             GError **error)
{
  Layout layout = { 0 };
  gboolean ok;

  if (!make_layout (&layout, fields, field, recipe, error))
    return FALSE;
  self->n_frames = (guint) layout.n_frames;
  self->width = layout.box[2];
  self->height = layout.box[3];
  self->frames
      = prism_recording_new_frames ((gsize) self->n_frames * self->height * self->width, error);
  if (self->frames == NULL)
    return FALSE;
  ok = layout.axes[0] < MIN (layout.axes[1], layout.axes[2])
           ? load_planes (self, fields, field, &layout, error)
           : load_whole (self, fields, field, &layout, error);
  if (!ok)
    return FALSE;
  if (layout.axes[0] == 0)
    self->labels = g_strdupv (field->labels);
  if (fields->column_major && !field->column_major)
    prism_recording_note (self,
                          _ ("“%s” was not written by MATLAB: its rows are taken as Python writes"
                             " them; “transpose = yes” turns them."),
                          field->name);
  self->squared = layout.amplitude;
  if (layout.amplitude)
    prism_recording_note (self, _ ("“%s” is taken as amplitudes and squared."), field->name);
  return mask_bad_pixels (self, fields, field, error);
}
