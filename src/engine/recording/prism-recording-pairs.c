#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"

/* An array of two numbers a frame. */
typedef struct
{
  const char *name;
  const char *axes; /* what the first column is */
  gboolean minus;
} PairNames;

/* What has positions, and what directions: arrays of their own names, then of names of a kind, then
 * columns x, and y after it, in arrays of their own; those that say most first. */
static const struct
{
  PairNames names[8];
  PrismName arrays[3];
  PrismName columns[2];
} known[] = {
  { { { "encoder", "yx", FALSE },
      { "chunks/#/positions", "yx", FALSE },
      { "positions", "xy", FALSE },
      { "led_positions", "xy", FALSE },
      { "entry_1/sample_1/geometry_1/translation", "xy", FALSE },
      { "entry_1/data_1/translation", "xy", FALSE },
      { "translation", "xy", FALSE } },
    { PRISM_NAME_POSITIONS },
    { PRISM_NAME_X, PRISM_NAME_COLUMN } },
  { { { "directions", "xy", FALSE }, { "k_na", "xy", TRUE }, { "na_xy", "xy", TRUE } },
    { PRISM_NAME_COSINES, PRISM_NAME_WAVES },
    { PRISM_NAME_NA_X, PRISM_NAME_WAVE_X } },
};

/* What was found: one array of pairs, or one for each of x and y. */
typedef struct
{
  PrismField *field;
  PrismField *second; /* (nullable) */
  PrismName name;
  const char *axes;
  gboolean minus;
  PrismUnit unit; /* that stands beside it, or in the name */
} Source;

static gboolean
is_pairs (const PrismField *field,
          gsize n)
{
  const gsize few = MIN (field->shape[0], field->shape[1]);
  const gsize many = MAX (field->shape[0], field->shape[1]);

  return field->kind == PRISM_FIELD_REAL && field->obstacle == NULL && field->n_dims == 2
         && few >= 2 && few <= 3 && many > 3 && (n == 0 || many == n);
}

static gboolean
is_column (const PrismField *field,
           gsize n)
{
  return field->kind == PRISM_FIELD_REAL && field->obstacle == NULL && field->n_values > 1
         && (n == 0 || field->n_values == n);
}

/* The first array with a name of this kind for n frames; 0: for any number. */
static PrismField *
find_array (PrismFields *fields,
            PrismName name,
            gsize n,
            gboolean pairs,
            PrismUnit *unit)
{
  PRISM_FOR_EACH_POINTER (PrismField, field, fields->fields)
    {
      if ((pairs ? is_pairs (field, n) : is_column (field, n))
          && prism_recording_names_find (field->name, unit) == name)
        {
          if (field->unit.kind != PRISM_UNIT_NONE)
            *unit = field->unit;
          return field;
        }
    }
  return NULL;
}

/* n: frames; 0: any number */
static gboolean
find_source (PrismFields *fields,
             gboolean directions,
             gsize n,
             Source *source)
{
  const PrismName *arrays = known[directions].arrays, *columns = known[directions].columns;

  *source = (Source) { .unit = PRISM_UNIT_BARE, .name = arrays[0] };
  for (const PairNames *one = known[directions].names; one->name != NULL; one++)
    {
      source->field = prism_fields_find_known (fields, one->name);
      source->axes = one->axes;
      source->minus = one->minus;
      if (source->field != NULL)
        {
          source->unit = source->field->unit;
          return TRUE;
        }
    }
  source->axes = "xy";
  source->minus = directions;
  for (gsize i = 0; arrays[i] != PRISM_NAME_NONE; i++)
    {
      source->field = find_array (fields, arrays[i], n, TRUE, &source->unit);
      source->name = arrays[i];
      if (source->field != NULL)
        return TRUE;
    }
  /* Columns beside one that counts the frames are a table. */
  for (gsize i = find_array (fields, PRISM_NAME_FRAME, n, FALSE, &source->unit) != NULL ? 2 : 0;
       i < 2; i++)
    {
      source->second = find_array (fields, columns[i] + 1, n, FALSE, &source->unit);
      source->field = find_array (fields, columns[i], n, FALSE, &source->unit);
      source->name = columns[i];
      if (source->field != NULL && source->second != NULL
          && source->field->n_values == source->second->n_values)
        return TRUE;
    }
  return FALSE;
}

/**
 * prism_recording_pairs_count:
 * @fields: the arrays of a file
 *
 * Returns: how many positions or directions there are; 0 where there are none
 */
gsize
prism_recording_pairs_count (PrismFields *fields)
{
  Source source;

  if (!find_source (fields, TRUE, 0, &source) && !find_source (fields, FALSE, 0, &source))
    return 0;
  if (source.second != NULL)
    return source.field->n_values;
  return source.field->n_dims == 2 ? MAX (source.field->shape[0], source.field->shape[1]) : 0;
}

/* m; what a recipe says goes first. */
static double
get_unit (const PrismRecipe *recipe,
          const PrismUnit *said)
{
  const char *text = prism_recipe_get (recipe, "positions_unit");
  PrismUnit unit = *said;

  if (text != NULL)
    prism_unit_parse (text, strlen (text), &unit);
  return unit.kind == PRISM_UNIT_LENGTH ? unit.size : 1;
}

/* Two numbers a frame, x first: of one array [N][2], [2][N] or with a third number, which is in
 * @third, or nothing, or of two arrays. */
static double *
load_pairs (PrismRecording *self,
            PrismFields *fields,
            const Source *source,
            gboolean yx,
            double **third,
            GError **error)
{
  const PrismField *field = source->field, *second = source->second;
  const gsize n = self->n_frames;
  const gsize rows = field->n_dims == 2 && second == NULL ? field->shape[0] : 0;
  const gsize columns = rows > 0 ? field->shape[1] : 0;
  const gboolean across = rows != n && columns == n && rows >= 2;
  const gsize n_numbers = across ? rows : columns, step = across || second != NULL ? 1 : columns;
  g_autofree char *shape = prism_fields_dup_shape (field);
  prism_autofree_array double *values = NULL, *others = NULL;
  g_autofree double *pairs = NULL;

  if (second == NULL
      && (field->kind != PRISM_FIELD_REAL || (!across && rows != n) || n_numbers < 2
          || n_numbers > 3))
    {
      prism_error_config (error, _ ("“%s” in “%s” (%s%s) should be %u × 2, two real numbers a"
                                    " frame."),
                          field->name, fields->name,
                          field->kind == PRISM_FIELD_COMPLEX ? "complex, " : "", shape,
                          self->n_frames);
      return NULL;
    }
  values = prism_fields_load (fields, field, error);
  if (values == NULL)
    return NULL;
  others = second != NULL ? prism_fields_load (fields, second, error) : NULL;
  if (second != NULL && others == NULL)
    return NULL;
  pairs = g_new (double, 2 * n);
  for (gsize k = 0; k < 2; k++)
    {
      const gsize to = yx && second == NULL ? 1 - k : k;
      const double *first = k == 0           ? values
                            : second != NULL ? others
                                             : values + (across ? n : 1);

      for (gsize j = 0; j < n; j++)
        pairs[2 * j + to] = first[j * step];
      prism_recording_fill_places (self, pairs + to, 2);
    }
  if (third != NULL && n_numbers == 3)
    {
      *third = g_new (double, n);
      for (gsize j = 0; j < n; j++)
        (*third)[j] = values[(across ? 2 * n : 2) + j * step];
      prism_recording_fill_places (self, *third, 1);
    }
  return prism_recording_check_places (self, field->name, error) ? g_steal_pointer (&pairs) : NULL;
}

/* Whether they are places already, as some programs multiply them by the pitch: they are no whole
 * numbers of steps, or these are as long as the pitch. */
static gboolean
are_places (const PrismRecording *self,
            const double *index)
{
  const double whole = 1e-3; /* of a step: so far off is a whole number */
  double least = INFINITY;

  for (gsize i = 2; i < 2 * (gsize) self->n_frames; i++)
    {
      const double step = fabs (index[i] - index[i % 2]);

      if (fabs (step - round (step)) > whole)
        return TRUE;
      least = step > whole ? MIN (least, step) : least;
    }
  return least > 1 + whole
         && (fabs (least - self->pitch) < whole * least
             || fabs (least - 1e3 * self->pitch) < whole * least);
}

/**
 * prism_recording_pairs_set_index:
 * @index: (array) [n_frames][2]: column and row of the LEDs of an array
 *
 * Positions from the places in an array of LEDs, whose middle is on the axis unless some of them
 * are negative, and its pitch. Where that is unknown, pitch_needed is set. What is multiplied by
 * the pitch already is taken as it is.
 */
void
prism_recording_pairs_set_index (PrismRecording *self,
                                 const double *index)
{
  const gsize n = 2 * (gsize) self->n_frames;
  double least[2] = { index[0], index[1] }, middle[2] = { 0 };
  double most[2] = { index[0], index[1] }, step = 1;
  const gboolean placed = are_places (self, index);

  self->pitch_needed = !placed && !(self->pitch > 0);
  if (self->pitch_needed)
    return;
  for (gsize i = 0; i < n; i++)
    {
      least[i % 2] = MIN (least[i % 2], index[i]);
      most[i % 2] = MAX (most[i % 2], index[i]);
    }
  if (placed)
    prism_recording_note (self, _ ("Columns and rows of the LEDs are multiplied by their pitch"
                                   " already: they are taken as positions."));
  else
    {
      /* No LEDs are 0.2 m from each other. */
      if (self->pitch > 0.2)
        self->pitch *= 1e-3;
      step = self->pitch;
      if (MIN (least[0], least[1]) < 0)
        prism_recording_note (self,
                              _ ("Columns and rows of the LEDs, some of them negative, are counted"
                                 " from the axis, in steps of %g mm."),
                              1e3 * step);
      else
        {
          for (int k = 0; k < 2; k++)
            middle[k] = 0.5 * (least[k] + most[k]);
          prism_recording_note (self,
                                _ ("Columns and rows of the LEDs are counted from their middle, %g"
                                   " and %g, in steps of %g mm."),
                                middle[0], middle[1], 1e3 * step);
        }
    }
  g_free (self->positions);
  self->positions = g_new (double, n);
  for (gsize i = 0; i < n; i++)
    self->positions[i] = step * (index[i] - middle[i % 2]);
}

/**
 * prism_recording_pairs_set_depth:
 * @heights: (array length=n_frames): third number of each position
 * @unit: m
 *
 * Takes the height that all LEDs have for their distance, where that is unknown.
 */
void
prism_recording_pairs_set_depth (PrismRecording *self,
                                 const double *heights,
                                 double unit)
{
  double sum = 0, far = 0;

  if (!isnan (self->distance) || self->n_frames == 0)
    return;
  for (gsize j = 0; j < self->n_frames; j++)
    sum += heights[j] / self->n_frames;
  for (gsize j = 0; j < self->n_frames; j++)
    far = MAX (far, fabs (heights[j] - sum));
  if (!(fabs (sum) > 0) || !(far <= 0.01 * fabs (sum)))
    return;
  self->distance = fabs (sum) * unit;
  prism_recording_note (self,
                        _ ("The third number of each position, %g, is taken as the distance of"
                           " the LEDs."),
                        sum);
}

/* Sum of squares of a − sign·b, where b may be with its columns swapped, over that of a. */
static double
get_misfit (const double *a,
            const double *b,
            gsize n,
            gboolean swapped,
            double sign)
{
  double sum = 0, whole = 0;

  for (gsize j = 0; j < n; j++)
    for (gsize k = 0; k < 2; k++)
      {
        double difference = a[2 * j + k] - sign * b[2 * j + (swapped ? 1 - k : k)];

        sum += difference * difference;
        whole += a[2 * j + k] * a[2 * j + k];
      }
  return whole > 0 ? sqrt (sum / whole) : 0;
}

/**
 * prism_recording_pairs_compare:
 * @used: (array) [n_frames][2]: directions
 * @other: (array) [n_frames][2]: the same, as something else gives them
 *
 * Says where they disagree.
 */
void
prism_recording_pairs_compare (PrismRecording *self,
                               const double *used,
                               const double *other,
                               const char *used_name,
                               const char *other_name)
{
  gsize n = self->n_frames;
  double straight = MIN (get_misfit (used, other, n, FALSE, 1),
                         get_misfit (used, other, n, FALSE, -1));
  double swapped = MIN (get_misfit (used, other, n, TRUE, 1),
                        get_misfit (used, other, n, TRUE, -1));

  if (straight <= 0.05)
    return;
  if (swapped < 0.5 * straight)
    prism_recording_note (self,
                          _ ("%s and %s have their axes swapped: x of one is y of the other. %s"
                             " are used."),
                          used_name, other_name, used_name);
  else
    prism_recording_note (self, _ ("%s and %s differ by %.0f %%. %s are used."), used_name,
                          other_name, 100 * straight, used_name);
}

/* What holds the positions or directions, by the recipe or else by names that are known; without a
 * field nothing does. Returns whether the recipe is right */
static gboolean
find (const PrismRecording *self,
      PrismFields *fields,
      const PrismRecipe *recipe,
      gboolean directions,
      Source *source,
      GError **error)
{
  const char *key = directions ? "directions" : "positions", *name = prism_recipe_get (recipe, key);
  const char *axes = prism_recipe_get (recipe, directions ? "directions_axes" : "positions_axes");

  *source = (Source) { .axes = "xy" };
  /* A table is read besides; it is the directions' where it is the positions'. */
  if ((name != NULL && (g_str_has_suffix (name, ".csv") || g_str_has_suffix (name, ".CSV")))
      || (name == NULL && directions && prism_recipe_get (recipe, "positions") != NULL))
    return TRUE;
  if (name != NULL)
    {
      source->field = prism_fields_find_named (fields, key, name, error);
      if (source->field == NULL)
        return FALSE;
      source->name = prism_recording_names_find (name, &source->unit);
      if (source->field->unit.kind != PRISM_UNIT_NONE)
        source->unit = source->field->unit;
    }
  else if (!find_source (fields, directions, self->n_frames, source))
    source->field = NULL;
  if (axes != NULL)
    source->axes = axes;
  return TRUE;
}

/* Heights that are an array of their own, beside x and y. */
static gboolean
assign_depth (PrismRecording *self,
              PrismFields *fields,
              GError **error)
{
  PrismUnit unit = PRISM_UNIT_BARE;
  const PrismField *field = find_array (fields, PRISM_NAME_Z, self->n_frames, FALSE, &unit);
  prism_autofree_array double *heights = NULL;

  if (field == NULL)
    return TRUE;
  heights = prism_fields_load (fields, field, error);
  if (heights == NULL)
    return FALSE;
  prism_recording_pairs_set_depth (self, heights, unit.kind == PRISM_UNIT_LENGTH ? unit.size : 1);
  return TRUE;
}

static gboolean
assign_positions (PrismRecording *self,
                  PrismFields *fields,
                  const PrismRecipe *recipe,
                  GError **error)
{
  const char *flip = prism_recipe_get (recipe, "positions_flip");
  g_autofree double *heights = NULL, *pairs = NULL;
  Source source;
  double unit;

  if (!find (self, fields, recipe, FALSE, &source, error))
    return FALSE;
  if (source.field == NULL)
    return TRUE;
  pairs = load_pairs (self, fields, &source, *source.axes == 'y', &heights, error);
  if (pairs == NULL)
    return FALSE;
  if (source.name == PRISM_NAME_COLUMN && source.second != NULL)
    {
      prism_recording_pairs_set_index (self, pairs);
      return TRUE;
    }
  unit = get_unit (recipe, &source.unit);
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    pairs[i] *= flip != NULL && strchr (flip, i % 2 == 0 ? 'x' : 'y') != NULL ? -unit : unit;
  self->positions = g_steal_pointer (&pairs);
  if (source.second != NULL)
    prism_recording_note (self, _ ("“%s” and “%s” have the positions of the LEDs."),
                          source.field->name, source.second->name);
  else
    prism_recording_note (self, _ ("“%s” has the positions of the LEDs, %s first."),
                          source.field->name, *source.axes == 'y' ? "y" : "x");
  if (heights != NULL)
    prism_recording_pairs_set_depth (self, heights, unit);
  return source.second == NULL || assign_depth (self, fields, error);
}

static gboolean
assign_directions (PrismRecording *self,
                   PrismFields *fields,
                   const PrismRecipe *recipe,
                   GError **error)
{
  const char *sign = prism_recipe_get (recipe, "directions_sign");
  Source source;
  gboolean minus;

  if (!find (self, fields, recipe, TRUE, &source, error))
    return FALSE;
  if (source.field == NULL)
    return TRUE;
  minus = sign != NULL ? strcmp (sign, "minus") == 0 : source.minus;
  self->directions = load_pairs (self, fields, &source, *source.axes == 'y', NULL, error);
  if (self->directions == NULL)
    return FALSE;
  self->directions_raw = source.name == PRISM_NAME_WAVES || source.name == PRISM_NAME_WAVE_X
                         || source.unit.kind == PRISM_UNIT_WAVE;
  self->wave_unit = source.unit.kind == PRISM_UNIT_WAVE ? source.unit.size : 0;
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    {
      self->directions_raw = self->directions_raw
                             || (source.name == PRISM_NAME_NONE && fabs (self->directions[i]) > 1);
      if (minus)
        self->directions[i] = -self->directions[i];
    }
  self->directions_given = TRUE;
  if (source.second != NULL)
    prism_recording_note (self, _ ("“%s” and “%s” have the directions behind the slide."),
                          source.field->name, source.second->name);
  else
    prism_recording_note (self,
                          minus ? _ ("“%s” has the directions behind the slide, whose sign is"
                                     " turned.")
                                : _ ("“%s” has the directions behind the slide."),
                          source.field->name);
  return TRUE;
}

/* Where nothing is said of LEDs whose frames lie as they do. */
static void
assign_grid (PrismRecording *self)
{
  const gsize n = self->n_frames;
  g_autofree double *index = NULL;

  if (self->led_columns == 0 || self->positions != NULL || self->directions != NULL)
    return;
  index = g_new (double, 2 * n);
  for (gsize j = 0; j < n; j++)
    {
      index[2 * j + self->leds_by_column] = (double) (j % self->led_columns);
      index[2 * j + !self->leds_by_column] = (double) (j / self->led_columns);
    }
  prism_recording_pairs_set_index (self, index);
}

/**
 * prism_recording_pairs_assign:
 * @fields: the arrays of a file
 * @recipe: (nullable): what is said of them
 *
 * Reads positions of the LEDs and directions of the light. Directions whose unit nobody has said
 * are read as they are.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: whether nothing was contradictory
 */
gboolean
prism_recording_pairs_assign (PrismRecording *self,
                              PrismFields *fields,
                              const PrismRecipe *recipe,
                              GError **error)
{
  if (!assign_positions (self, fields, recipe, error)
      || !assign_directions (self, fields, recipe, error))
    return FALSE;
  assign_grid (self);
  return TRUE;
}
