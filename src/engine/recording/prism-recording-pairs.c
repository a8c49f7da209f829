#include "config.h"

#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"

/* Arrays of two numbers a frame. */
typedef struct
{
  const char *name;
  const char *axes; /* what the first column is */
  gboolean minus;
} PairNames;

static const PairNames direction_names[] = {
  { "directions", "xy", FALSE },
  { "k_na", "xy", TRUE },
  { "na_xy", "xy", TRUE },
};

static const PairNames position_names[] = {
  { "encoder", "yx", FALSE },
  { "positions", "xy", FALSE },
  { "led_positions", "xy", FALSE },
  { "entry_1/sample_1/geometry_1/translation", "xy", FALSE },
  { "entry_1/data_1/translation", "xy", FALSE },
  { "translation", "xy", FALSE },
};

/* Columns x, and y after it, in arrays of their own; those that say most first. */
static const PrismName direction_columns[] = { PRISM_NAME_NA_X, PRISM_NAME_WAVE_X };
static const PrismName position_columns[] = { PRISM_NAME_X, PRISM_NAME_COLUMN };
static const PrismName direction_arrays[] = { PRISM_NAME_COSINES, PRISM_NAME_WAVES };
static const PrismName position_arrays[] = { PRISM_NAME_POSITIONS };

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
  gsize rows = field->n_dims == 2 ? field->shape[0] : 0;
  gsize columns = field->n_dims == 2 ? field->shape[1] : 0;

  return field->kind == PRISM_FIELD_REAL && field->obstacle == NULL
         && ((columns >= 2 && columns <= 3 && rows > 3 && (n == 0 || rows == n))
             || (rows >= 2 && rows <= 3 && columns > 3 && (n == 0 || columns == n)));
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
  const PairNames *names = directions ? direction_names : position_names;
  const PrismName *columns = directions ? direction_columns : position_columns;
  const PrismName *arrays = directions ? direction_arrays : position_arrays;
  gsize n_names = directions ? G_N_ELEMENTS (direction_names) : G_N_ELEMENTS (position_names);
  gsize n_arrays = directions ? G_N_ELEMENTS (direction_arrays) : G_N_ELEMENTS (position_arrays);

  *source = (Source) { .unit = { PRISM_UNIT_NONE, 1 },
                       .name = directions ? PRISM_NAME_COSINES : PRISM_NAME_POSITIONS };
  for (gsize i = 0; i < n_names; i++)
    {
      source->field = prism_fields_find_known (fields, names[i].name);
      source->axes = names[i].axes;
      source->minus = names[i].minus;
      if (source->field != NULL)
        {
          source->unit = source->field->unit;
          return TRUE;
        }
    }
  source->axes = "xy";
  source->minus = directions;
  for (gsize i = 0; i < n_arrays; i++)
    {
      source->field = find_array (fields, arrays[i], n, TRUE, &source->unit);
      source->name = arrays[i];
      if (source->field != NULL)
        return TRUE;
    }
  for (gsize i = 0; i < 2; i++)
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

/* Numbers of a frame of an array [N][2], [2][N] or with a third number; of one alone where it has a
 * column. values: [n_values] */
static double
get_part (const PrismField *field,
          const double *values,
          gsize n,
          gsize j,
          gsize k)
{
  gsize columns = field->n_dims == 2 ? field->shape[1] : 1;

  return field->n_dims == 2 && field->shape[0] != n && columns == n ? values[k * n + j]
                                                                    : values[j * columns + k];
}

/* Two numbers a frame, x first; what there is for a third is in @third, or nothing. */
static double *
load_pairs (PrismRecording *self,
            PrismFields *fields,
            const PrismField *field,
            gboolean yx,
            double **third,
            GError **error)
{
  gsize n = self->n_frames, rows = field->n_dims == 2 ? field->shape[0] : 0;
  gsize columns = field->n_dims == 2 ? field->shape[1] : 0;
  gboolean across = rows != n && columns == n && rows >= 2;
  g_autofree char *shape = prism_fields_dup_shape (field);
  prism_autofree_array double *values = NULL;
  g_autofree double *pairs = NULL;

  if (field->kind != PRISM_FIELD_REAL
      || (!across && (rows != n || columns < 2 || columns > 3)) || (across && rows > 3))
    {
      prism_error_config (error, "“%s” in “%s” (%s%s) should be %u × 2, two real numbers a frame.",
                          field->name, fields->name,
                          field->kind == PRISM_FIELD_COMPLEX ? "complex, " : "", shape,
                          self->n_frames);
      return NULL;
    }
  values = prism_fields_load (fields, field, error);
  if (values == NULL)
    return NULL;
  pairs = g_new (double, 2 * n);
  for (gsize j = 0; j < n; j++)
    for (gsize k = 0; k < 2; k++)
      {
        double value = get_part (field, values, n, j, yx ? 1 - k : k);

        if (!isfinite (value))
          {
            prism_error_config (error, "“%s” in “%s” has no number for frame %u; leave it out.",
                                field->name, fields->name, (guint) j);
            return NULL;
          }
        pairs[2 * j + k] = value;
      }
  if (third != NULL && (across ? rows : columns) == 3)
    {
      *third = g_new (double, n);
      for (gsize j = 0; j < n; j++)
        (*third)[j] = get_part (field, values, n, j, 2);
    }
  return g_steal_pointer (&pairs);
}

/* Two numbers a frame of two arrays. */
static double *
load_columns (PrismRecording *self,
              PrismFields *fields,
              const Source *source,
              GError **error)
{
  const PrismField *both[] = { source->field, source->second };
  g_autofree double *pairs = g_new (double, 2 * (gsize) self->n_frames);

  for (gsize k = 0; k < 2; k++)
    {
      prism_autofree_array double *values = prism_fields_load (fields, both[k], error);

      if (values == NULL)
        return NULL;
      for (gsize j = 0; j < self->n_frames; j++)
        {
          if (!isfinite (values[j]))
            {
              prism_error_config (error, "“%s” in “%s” has no number for frame %u; leave it out.",
                                  both[k]->name, fields->name, (guint) j);
              return NULL;
            }
          pairs[2 * j + k] = values[j];
        }
    }
  return g_steal_pointer (&pairs);
}

/* Whether they are places already, as some programs multiply them by the pitch: they are no whole
 * numbers of steps, or these are as long as the pitch. both: [2] of [n] */
static gboolean
are_places (const PrismRecording *self,
            const double *const both[2])
{
  const double whole = 1e-3; /* of a step: so far off is a whole number */
  double least = INFINITY;

  for (gsize k = 0; k < 2; k++)
    for (gsize j = 1; j < self->n_frames; j++)
      {
        const double step = fabs (both[k][j] - both[k][0]);

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
 * @columns: (array length=n_frames): of the LEDs of an array
 * @rows: (array length=n_frames): likewise
 *
 * Positions from the places in an array of LEDs, whose middle is on the axis unless some of them
 * are negative, and its pitch. Where that is unknown, pitch_needed is set. What is multiplied by
 * the pitch already is taken as it is.
 */
void
prism_recording_pairs_set_index (PrismRecording *self,
                                 const double *columns,
                                 const double *rows)
{
  const double *const both[] = { columns, rows };
  double middle[2];
  gboolean is_signed = FALSE;

  self->pitch_needed = FALSE;
  if (are_places (self, both))
    {
      g_free (self->positions);
      self->positions = g_new (double, 2 * (gsize) self->n_frames);
      for (gsize j = 0; j < 2 * (gsize) self->n_frames; j++)
        self->positions[j] = both[j % 2][j / 2];
      prism_recording_note (self, _ ("Columns and rows of the LEDs are multiplied by their pitch"
                                     " already: they are taken as positions."));
      return;
    }
  self->pitch_needed = !(self->pitch > 0);
  if (self->pitch_needed)
    return;
  for (gsize k = 0; k < 2; k++)
    {
      double least = both[k][0], most = both[k][0];

      for (gsize j = 1; j < self->n_frames; j++)
        {
          least = MIN (least, both[k][j]);
          most = MAX (most, both[k][j]);
        }
      middle[k] = 0.5 * (least + most);
      is_signed = is_signed || least < 0;
    }
  /* No LEDs are 0.2 m from each other. */
  if (self->pitch > 0.2)
    self->pitch *= 1e-3;
  g_free (self->positions);
  self->positions = g_new (double, 2 * (gsize) self->n_frames);
  for (gsize j = 0; j < self->n_frames; j++)
    for (gsize k = 0; k < 2; k++)
      self->positions[2 * j + k] = self->pitch * (both[k][j] - (is_signed ? 0 : middle[k]));
  if (is_signed)
    prism_recording_note (self,
                          _ ("Columns and rows of the LEDs, some of them negative, are counted from"
                             " the axis, in steps of %g mm."),
                          1e3 * self->pitch);
  else
    prism_recording_note (self,
                          _ ("Columns and rows of the LEDs are counted from their middle, %g and"
                             " %g, in steps of %g mm."),
                          middle[0], middle[1], 1e3 * self->pitch);
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

static gboolean
is_table_file (const char *text)
{
  return text != NULL && (g_str_has_suffix (text, ".csv") || g_str_has_suffix (text, ".CSV"));
}

static gboolean
find_named (PrismFields *fields,
            const PrismRecipe *recipe,
            const char *key,
            Source *source,
            GError **error)
{
  const char *name = prism_recipe_get (recipe, key);

  *source = (Source) { .axes = "xy" };
  source->field = prism_fields_find_named (fields, key, name, error);
  if (source->field == NULL)
    return FALSE;
  source->name = prism_recording_names_find (name, &source->unit);
  if (source->field->unit.kind != PRISM_UNIT_NONE)
    source->unit = source->field->unit;
  return TRUE;
}

/* Columns and rows of an array of LEDs. */
static gboolean
assign_index (PrismRecording *self,
              PrismFields *fields,
              const Source *source,
              GError **error)
{
  const gsize n = self->n_frames;
  g_autofree double *pairs = load_columns (self, fields, source, error);
  g_autofree double *columns = g_new (double, 2 * n);

  for (gsize j = 0; pairs != NULL && j < n; j++)
    {
      columns[j] = pairs[2 * j];
      columns[n + j] = pairs[2 * j + 1];
    }
  if (pairs != NULL)
    prism_recording_pairs_set_index (self, columns, columns + n);
  return pairs != NULL;
}

/* Heights that are an array of their own, beside x and y. */
static gboolean
assign_depth (PrismRecording *self,
              PrismFields *fields,
              GError **error)
{
  PrismUnit unit = { PRISM_UNIT_NONE, 1 };
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
  const char *name = prism_recipe_get (recipe, "positions");
  const char *axes = prism_recipe_get (recipe, "positions_axes");
  const char *flip = prism_recipe_get (recipe, "positions_flip");
  g_autofree double *heights = NULL;
  Source source;
  double unit;

  if (is_table_file (name))
    return TRUE;
  if (name != NULL && !find_named (fields, recipe, "positions", &source, error))
    return FALSE;
  if (name == NULL && !find_source (fields, FALSE, self->n_frames, &source))
    return TRUE;
  if (source.name == PRISM_NAME_COLUMN && source.second != NULL)
    return assign_index (self, fields, &source, error);
  if (axes == NULL)
    axes = source.axes;
  unit = get_unit (recipe, &source.unit);
  self->positions = source.second != NULL
                        ? load_columns (self, fields, &source, error)
                        : load_pairs (self, fields, source.field, *axes == 'y', &heights, error);
  if (self->positions == NULL)
    return FALSE;
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    if (flip != NULL && strchr (flip, i % 2 == 0 ? 'x' : 'y') != NULL)
      self->positions[i] *= -unit;
    else
      self->positions[i] *= unit;
  if (source.second != NULL)
    prism_recording_note (self, _ ("“%s” and “%s” have the positions of the LEDs."),
                          source.field->name, source.second->name);
  else
    prism_recording_note (self, _ ("“%s” has the positions of the LEDs, %s first."),
                          source.field->name, *axes == 'y' ? "y" : "x");
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
  const char *name = prism_recipe_get (recipe, "directions");
  const char *axes = prism_recipe_get (recipe, "directions_axes");
  const char *sign = prism_recipe_get (recipe, "directions_sign");
  Source source;
  gboolean minus;

  if (is_table_file (name) || (name == NULL && prism_recipe_get (recipe, "positions") != NULL))
    return TRUE;
  if (name != NULL && !find_named (fields, recipe, "directions", &source, error))
    return FALSE;
  if (name == NULL && !find_source (fields, TRUE, self->n_frames, &source))
    return TRUE;
  minus = sign != NULL ? strcmp (sign, "minus") == 0 : source.minus;
  if (axes == NULL)
    axes = source.axes;
  self->directions = source.second != NULL
                         ? load_columns (self, fields, &source, error)
                         : load_pairs (self, fields, source.field, *axes == 'y', NULL, error);
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
      index[j] = (double) (j % self->led_columns);
      index[n + j] = (double) (j / self->led_columns);
    }
  prism_recording_pairs_set_index (self, index + (self->leds_by_column ? n : 0),
                                   index + (self->leds_by_column ? 0 : n));
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
