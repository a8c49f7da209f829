#include "config.h"

#include "recording/prism-recording.h"

#include "formats/prism-fields.h"
#include "recording/prism-recording-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-pool.h"

#include <stddef.h>

/* Which array of a file is what of a recording, by the names that programs use and by a recipe. */

#define DETECTOR "entry_1/instrument_1/detector_1" /* of CXI */

/* Arrays with a number each. */
typedef struct
{
  const char *key;   /* of the recipe, and a name, too */
  gsize offset;      /* of the double in PrismRecording */
  PrismName alias;   /* what else it is known by */
  const char *names; /* more, the common ones of programs first */
} NumberNames;

#define NUMBER(key, field, alias, names)                             \
  {                                                                  \
    key, offsetof (PrismRecording, field), PRISM_NAME_##alias, names \
  }

static const NumberNames number_names[] = {
  NUMBER ("wavelength", wavelength, WAVELENGTH, "entry_1/instrument_1/source_1/wavelength"
                                                " entry_1/source_1/wavelength wlength lambda"
                                                " waveLength"),
  NUMBER ("pixel_size", pixel_size, PIXEL_SIZE, "pixelSize spsize"),
  NUMBER ("camera_pixel", camera_pixel, CAMERA_PIXEL, "dxd " DETECTOR "/x_pixel_size dpix_c"),
  NUMBER ("magnification", magnification, MAGNIFICATION, "mag Magnification"),
  NUMBER ("na", na, NA, "NA na NA_obj numerical_aperture"),
  NUMBER ("distance", distance, DISTANCE, "zled z_led z_LED led_distance"
                                          " entry_1/instrument_1/detector_1/distance"),
  NUMBER ("defocus", defocus, NONE, ""),
  NUMBER ("slide_thickness", slide_thickness, NONE, ""),
  NUMBER ("slide_index", slide_index, NONE, ""),
  NUMBER ("pitch", pitch, PITCH, ""),
  NUMBER ("rotation", rotation, NONE, "theta"),
  NUMBER ("shift_x", shift[0], NONE, ""),
  NUMBER ("shift_y", shift[1], NONE, ""),
};

static const char *const frame_names[] = {
  "ptychogram",
  "entry_1/data_1/data",
  DETECTOR "/data",
  "imlow_HDR",
  "imlow",
  "imgs",
  "frames",
  "images",
  "data",
};

/* How many dimensions have more than one entry. */
static int
count_long (const PrismField *field)
{
  int n = 0;

  for (int k = 0; k < field->n_dims; k++)
    n += field->shape[k] > 1;
  return field->kind != PRISM_FIELD_OTHER ? n : 0;
}

/* The largest array of three dimensions, where no name is known; one that its name calls dark, say,
 * where there is no other. */
static PrismField *
find_largest (PrismFields *fields)
{
  PrismField *best = NULL;
  gboolean best_beside = FALSE;

  PRISM_FOR_EACH_POINTER (PrismField, field, fields->fields)
    {
      const gboolean beside = g_regex_match_simple ("dark|flat|bias|backgr|mask|weight|err",
                                                    field->name, G_REGEX_CASELESS, 0);

      if (count_long (field) >= 3
          && (best == NULL || (best_beside && !beside)
              || (best_beside == beside && field->n_values > best->n_values)))
        {
          best = field;
          best_beside = beside;
        }
    }
  return best;
}

/* Pictures and stacks of a file that are no part of its frames, and for which no recipe asks. */
static GPtrArray *
find_others (PrismFields *fields,
             const PrismField *frames,
             const PrismRecipe *recipe)
{
  GPtrArray *others = g_ptr_array_new ();
  g_autoptr (GHashTable) parts = g_hash_table_new (NULL, NULL);
  gsize n_keys;
  const PrismRecipeKey *keys = prism_recipe_get_keys (&n_keys);

  g_hash_table_add (parts, (gpointer) frames);
  for (gsize i = 0; i < n_keys; i++)
    {
      const char *name = prism_recipe_get (recipe, keys[i].key);

      g_hash_table_add (parts, name != NULL ? prism_fields_find (fields, name) : NULL);
    }
  PRISM_FOR_EACH_POINTER (const PrismField, field, fields->fields)
    for (guint i = 0; field->parts != NULL && i < field->parts->len; i++)
      g_hash_table_add (parts, g_ptr_array_index (field->parts, i));
  PRISM_FOR_EACH_POINTER (PrismField, field, fields->fields)
    {
      const gsize *shape = field->shape;
      const int n = count_long (field);

      if ((n > 2 || (n == 2 && field->n_dims == 2 && MIN (shape[0], shape[1]) > 3))
          && !g_hash_table_contains (parts, field))
        g_ptr_array_add (others, field);
    }
  return others;
}

/* Says which array is taken where there are several, and which are left. */
static PrismField *
find_frames (PrismRecording *self,
             PrismFields *fields,
             const PrismRecipe *recipe,
             GError **error)
{
  const char *name = prism_recipe_get (recipe, "frames");
  g_autoptr (GPtrArray) others = NULL;
  g_autofree char *list = NULL;
  PrismField *field = NULL;
  gboolean known;

  if (name != NULL)
    return prism_fields_find_named (fields, "frames", name, error);
  if (prism_fields_find (fields, "entry/process/program") != NULL)
    {
      prism_error_config (error, _ ("“%s” is the result of a run, and has no frames: open the"
                                    " frames that it was made from, or the .prismrun file of the"
                                    " run."),
                          fields->name);
      return NULL;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (frame_names) && field == NULL; i++)
    field = prism_fields_find_known (fields, frame_names[i]);
  known = field != NULL;
  if (!known)
    field = find_largest (fields);
  if (field == NULL)
    {
      list = prism_fields_dup_list (fields->fields);
      prism_error_config (error,
                          _ ("“%s” has no stack of frames, an array of three dimensions; it has"
                             " %s."),
                          fields->name, *list != '\0' ? list : "no array at all");
      return NULL;
    }
  others = find_others (fields, field, recipe);
  list = prism_fields_dup_list (others);
  if (others->len > 0 && strcmp (fields->format, "folder") != 0)
    prism_recording_note (self,
                          _ ("“%s” is taken for the frames; left out: %s. frames=NAME takes"
                             " another."),
                          field->name, list);
  else if (!known && fields->fields->len > 1)
    prism_recording_note (self, _ ("“%s” is taken for the frames, as the largest stack."),
                          field->name);
  return field;
}

/* In m, or degrees, of what has a unit. */
static double
convert (PrismRecording *self,
         const PrismField *field,
         const char *key,
         double number)
{
  static const char *const bare[] = { "na", "magnification", "slide_index", NULL };
  const PrismUnit *unit = &field->unit;

  if (field->unknown_unit != NULL && !g_strv_contains (bare, key))
    prism_recording_note (self,
                          _ ("The unit of “%s”, “%s”, is none that is known here: it is taken as"
                             " m."),
                          field->name, field->unknown_unit);
  if (unit->kind == PRISM_UNIT_ENERGY && strcmp (key, "wavelength") == 0)
    return prism_recording_units_get_photon (number * unit->size);
  if (unit->kind == (strcmp (key, "rotation") == 0 ? PRISM_UNIT_ANGLE : PRISM_UNIT_LENGTH))
    return number * unit->size;
  return number;
}

/* Frames that lie as their LEDs do, rows × columns, one after the other; others as they are. */
static PrismField *
unroll (PrismRecording *self,
        PrismFields *fields,
        PrismField *field)
{
  gsize columns;
  PrismField *stack = prism_fields_add_grid (fields, field, &columns);
  g_autofree char *shape = prism_fields_dup_shape (field);

  if (stack == NULL)
    return field;
  self->led_columns = (guint) columns;
  self->leds_by_column = field->column_major;
  prism_recording_note (self,
                        field->column_major
                            ? _ ("“%s” (%s) has frames by columns and rows of their LEDs: frame"
                                 " %u·column + row, from 0, is one of them.")
                            : _ ("“%s” (%s) has frames by rows and columns of their LEDs: frame"
                                 " %u·row + column, from 0, is one of them."),
                        field->name, shape, self->led_columns);
  return stack;
}

/* One value of an array, which may stand in it several times; one that is no number is an
 * error. */
static gboolean
load_number (PrismRecording *self,
             PrismFields *fields,
             const PrismField *field,
             const char *key,
             double *number,
             GError **error)
{
  g_autofree char *shape = prism_fields_dup_shape (field);
  prism_autofree_array double *values = NULL;

  gboolean one = field->n_values >= 1 && field->n_values <= PRISM_RECORDING_MAX_FRAMES
                 && field->kind == PRISM_FIELD_REAL;

  values = one ? prism_fields_load (fields, field, error) : NULL;
  if (one && values == NULL)
    return FALSE;
  for (gsize i = 1; one && i < field->n_values; i++)
    one = values[i] == values[0];
  if (!one)
    return prism_error_config (error,
                               _ ("“%s” in “%s” (%s) is not one real number; give “%s” in a"
                                  " recipe or with --assign."),
                               field->name, fields->name,
                               field->kind == PRISM_FIELD_COMPLEX ? "complex"
                               : field->kind == PRISM_FIELD_OTHER ? "no numbers"
                                                                  : shape,
                               key);
  if (!isfinite (values[0]))
    return prism_error_config (error,
                               _ ("“%s” in “%s” is no finite number; give “%s” in a recipe or"
                                  " with --assign."),
                               field->name, fields->name, key);
  *number = convert (self, field, key, values[0]);
  return TRUE;
}

/* The only number that is called so; that of the camera's pixel, say, in µm. */
static const PrismField *
find_alias (PrismFields *fields,
            PrismName name)
{
  PrismField *found = NULL;
  PrismUnit unit = PRISM_UNIT_BARE;

  PRISM_FOR_EACH_POINTER (PrismField, field, fields->fields)
    {
      PrismUnit said;

      if (field->n_values != 1 || field->obstacle != NULL || field->kind != PRISM_FIELD_REAL
          || prism_recording_names_find (field->name, &said) != name)
        continue;
      if (found != NULL)
        return NULL;
      found = field;
      unit = said;
    }
  if (found != NULL && found->unit.kind == PRISM_UNIT_NONE && found->unknown_unit == NULL)
    found->unit = unit;
  return found;
}

static gboolean
assign_number (PrismRecording *self,
               PrismFields *fields,
               const NumberNames *entry,
               const PrismRecipe *recipe,
               GError **error)
{
  double *number = (double *) ((char *) self + entry->offset);
  const char *text = prism_recipe_get (recipe, entry->key);
  g_auto (GStrv) names = g_strsplit (entry->names, " ", -1);
  const PrismField *field = NULL;

  if (prism_recipe_get_number (recipe, entry->key, number))
    return TRUE;
  /* Who says these two says what the pixel at the sample is. */
  if (strcmp (entry->key, "pixel_size") == 0 && text == NULL
      && prism_recipe_get (recipe, "camera_pixel") != NULL
      && prism_recipe_get (recipe, "magnification") != NULL)
    return TRUE;
  if (text != NULL)
    {
      field = prism_fields_find_named (fields, entry->key, text, error);
      return field != NULL && load_number (self, fields, field, entry->key, number, error);
    }
  field = prism_fields_find_known (fields, entry->key);
  for (gsize i = 0; field == NULL && names[i] != NULL; i++)
    field = prism_fields_find_known (fields, names[i]);
  if (field != NULL)
    return load_number (self, fields, field, entry->key, number, error);
  field = entry->alias != PRISM_NAME_NONE ? find_alias (fields, entry->alias) : NULL;
  if (field == NULL)
    return TRUE;
  if (!load_number (self, fields, field, entry->key, number, error))
    return FALSE;
  prism_recording_note (self, _ ("“%s” is taken as “%s”."), field->name, entry->key);
  return TRUE;
}

/* Some have the magnification of the objective and that of what is behind it. */
static gboolean
multiply_magnification (PrismRecording *self,
                        PrismFields *fields,
                        const PrismRecipe *recipe,
                        GError **error)
{
  const PrismField *field = prism_fields_find_known (fields, "system_mag");
  double more;

  if (field == NULL || prism_recipe_get (recipe, "magnification") != NULL)
    return TRUE;
  if (!load_number (self, fields, field, "magnification", &more, error))
    return FALSE;
  self->magnification *= more;
  return TRUE;
}

/* CXI has the energy of a photon, in joule; some write electron volts. */
static gboolean
assign_energy (PrismRecording *self,
               PrismFields *fields,
               GError **error)
{
  const PrismField *field = prism_fields_find (fields, "entry_1/instrument_1/source_1/energy");
  double energy;

  if (!isnan (self->wavelength) || field == NULL)
    return TRUE;
  if (!load_number (self, fields, field, "wavelength", &energy, error))
    return FALSE;
  if (field->unit.kind == PRISM_UNIT_ENERGY)
    {
      self->wavelength = energy;
      return TRUE;
    }
  if (!(energy > 0))
    return prism_error_config (error,
                               _ ("“%s” in “%s” is %g, no energy; give “wavelength” in a recipe"
                                  " or with --assign."),
                               field->name, fields->name, energy);
  if (energy > 1e-6)
    {
      prism_recording_note (self, _ ("The energy, %g, is taken as electron volts."), energy);
      energy *= 1.602176634e-19; /* J */
    }
  self->wavelength = prism_recording_units_get_photon (energy);
  return TRUE;
}

/* CXI has two sides of a pixel. */
static gboolean
check_square (PrismRecording *self,
              PrismFields *fields,
              const PrismRecipe *recipe,
              GError **error)
{
  const PrismField *field
      = prism_fields_find_known (fields, DETECTOR "/y_pixel_size");
  double height;

  if (field == NULL || prism_recipe_get (recipe, "camera_pixel") != NULL
      || isnan (self->camera_pixel))
    return TRUE;
  if (!load_number (self, fields, field, "camera_pixel", &height, error))
    return FALSE;
  if ((float) height != (float) self->camera_pixel)
    prism_recording_note (self,
                          _ ("The camera's pixels are %.4g µm wide and %.4g µm high; they are taken"
                             " as squares of their width."),
                          1e6 * self->camera_pixel, 1e6 * height);
  return TRUE;
}

/* Whether a recipe says one of some things. */
static gboolean
says (const PrismRecipe *recipe,
      const char *const *keys)
{
  PRISM_FOR_EACH_STRING (key, keys)
    if (prism_recipe_get (recipe, *key) != NULL)
      return TRUE;
  return FALSE;
}

/* What is said of the axes, of the places of LEDs and of the pixel is so. The name of an array or a
 * table says nothing of what is in it. */
static const char *const turns[] = { "positions_axes", "positions_flip", "directions_axes", NULL };
static const char *const places[]
    = { "rotation", "shift_x", "shift_y", "slide_thickness", NULL };
static const char *const pixels[] = { "pixel_size", "camera_pixel", "magnification", NULL };

/* The only dimension of the frames with as many entries as there are positions or directions
 * counts the frames. */
static void
choose_frame_axis (PrismFields *fields,
                   const PrismField *frames,
                   PrismRecipe *recipe)
{
  const gsize n = prism_recording_pairs_count (fields);
  int axis = -1, n_long = 0;
  char text[2] = { 0 };

  if (prism_recipe_get (recipe, "frame_axis") != NULL)
    return;
  for (int k = 0; k < frames->n_dims; k++)
    {
      if (frames->shape[k] == n && axis >= 0)
        return;
      if (frames->shape[k] == n)
        axis = n_long;
      n_long += frames->shape[k] > 1;
    }
  if (n_long != 3 || axis < 0 || n < 4)
    return;
  *text = (char) ('0' + (frames->column_major ? 2 - axis : axis));
  prism_recipe_set (recipe, "frame_axis", text, NULL);
}

/* Names of structures and cells, which MATLAB 5 has without numbers that are read here. */
static char *
dup_unread (const PrismFields *fields)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < fields->fields->len && strcmp (fields->format, "MATLAB 5") == 0; i++)
    {
      const PrismField *field = g_ptr_array_index (fields->fields, i);

      if (field->obstacle != NULL && strstr (field->obstacle, "structure") != NULL)
        g_string_append_printf (names, "%s“%s”", names->len > 0 ? ", " : "", field->name);
    }
  return g_string_free (names, names->len == 0);
}

/* No LEDs are within a millimetre of the axis: so far a sample moves under a probe, and its files
 * know of no objective. */
static gboolean
check_scanned (const PrismRecording *self,
               PrismFields *fields,
               GError **error)
{
  double reach = 0;

  if (self->positions == NULL || self->directions_given || self->n_frames < PRISM_RECORDING_FEW
      || !isnan (self->na) || !isnan (self->magnification) || !isnan (self->pixel_size))
    return TRUE;
  for (gsize i = 0; i < 2 * (gsize) self->n_frames; i++)
    reach = MAX (reach, fabs (self->positions[i]));
  return !(reach > 0 && reach < 1e-3)
         || prism_error_config (error,
                                _ ("“%s” seems to be of a scanned probe: its specimen moved by"
                                   " up to %g µm between frames, which is not explained here."
                                   " Where these are positions of LEDs, give NA and pixel"
                                   " (--assign na=0.1 --assign pixel_size=1.8um) and their unit"
                                   " (positions_unit=mm)."),
                                fields->name, 2e6 * reach);
}

/* Reads frames, geometry and numbers of a file. What the recipe says goes before names that are
 * known. What is missing stays unknown: see prism_recording_check(). is_asked: whether frames are
 * asked about the geometry, which they are once where a table has another one.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY. */
static gboolean
assign_arrays (PrismRecording *self,
               PrismFields *fields,
               const PrismRecipe *recipe,
               gboolean is_asked,
               GError **error)
{
  g_autoptr (PrismRecipe) whole = prism_recipe_dup (recipe);
  PrismField *frames = find_frames (self, fields, recipe, error);

  if (frames != NULL)
    frames = unroll (self, fields, frames);
  if (frames == NULL)
    return FALSE;
  self->unread = dup_unread (fields);
  if (fields->note != NULL)
    prism_recording_note (self, "%s", fields->note);
  if (strcmp (fields->format, "folder") == 0 && strcmp (frames->name, "frames") == 0
      && prism_fields_find (fields, "green") != NULL)
    prism_recording_note (self, _ ("The pictures are in colour, and their colours are mixed: where"
                                   " the light has one, frames=green takes it alone (red, green,"
                                   " blue)."));
  if (strcmp (frames->name, "imlow_HDR") == 0 && prism_recipe_get (recipe, "values") == NULL)
    prism_recipe_set (whole, "values", "amplitude", NULL);
  choose_frame_axis (fields, frames, whole);
  if (!prism_recording_frames_load (self, fields, frames, whole, error)
      || !prism_recording_correct (self, fields, recipe, error)
      || !prism_recording_frames_finish (self, error))
    return FALSE;
  PRISM_FOR_EACH_OF (number_name, number_names)
    if (!assign_number (self, fields, number_name, recipe, error))
      return FALSE;
  if (!check_square (self, fields, recipe, error) || !assign_energy (self, fields, error)
      || !multiply_magnification (self, fields, recipe, error)
      || !prism_recording_pairs_assign (self, fields, recipe, error)
      || !check_scanned (self, fields, error))
    return FALSE;
  if (!prism_parallel_go_on (error))
    return FALSE;
  prism_recording_units_correct (self, prism_recipe_get (recipe, "pixel_size") == NULL);
  prism_recording_update (self);
  prism_recording_quality_check (self, prism_recipe_get (whole, "values") == NULL);
  self->directions_said = says (recipe, places) || says (recipe, turns);
  self->distance_said = prism_recipe_get (recipe, "distance") != NULL;
  self->na_said = prism_recipe_get (recipe, "na") != NULL;
  self->pixel_said = says (recipe, pixels);
  if (is_asked)
    {
      prism_recording_geometry_correct (self, !says (recipe, turns));
      prism_recording_check_light (self);
    }
  return prism_parallel_go_on (error);
}

static const char *
get_format (PrismFields *fields)
{
  if (prism_fields_find (fields, "ptychogram") != NULL)
    return "PtyLab HDF5";
  if (prism_fields_find (fields, "entry_1/data_1/data") != NULL
      || prism_fields_find (fields, DETECTOR "/data") != NULL)
    return "CXI";
  return fields->format;
}

/* A recipe may name a table for the positions or directions. */
static const char *
get_table (const PrismRecipe *recipe)
{
  static const char *const keys[] = { "positions", "directions" };

  PRISM_FOR_EACH_OF (key, keys)
    {
      const char *name = prism_recipe_get (recipe, *key);

      if (name != NULL && (g_str_has_suffix (name, ".csv") || g_str_has_suffix (name, ".CSV")))
        return name;
    }
  return NULL;
}

/* positions: (nullable): a table besides */
static PrismRecording *
understand (const char *path,
            PrismFields *fields,
            const PrismRecipe *recipe,
            const char *positions,
            GError **error)
{
  const char *const tables[] = { get_table (recipe), positions };
  g_autoptr (PrismRecording) self = prism_recording_new (path, get_format (fields));
  g_autoptr (GBytes) names = NULL, own = NULL;
  g_autoptr (GError) reason = NULL;

  if (!assign_arrays (self, fields, recipe, tables[0] == NULL && tables[1] == NULL, error))
    return NULL;
  PRISM_FOR_EACH_OF (one, tables)
    if (*one != NULL && !prism_recording_load_positions (self, *one, error))
      return NULL;
  own = self->positions == NULL && self->directions == NULL
            ? prism_recording_columns_dup (fields, self->n_frames, NULL)
            : NULL;
  if (own != NULL && !prism_recording_parse_positions (self, own, fields->name, &reason))
    prism_recording_note (self, "%s", reason->message);
  /* What is no table of these frames, or names without places, is something else. */
  if (fields->tables != NULL && self->positions == NULL && self->directions == NULL)
    prism_recording_take_tables (self, fields->tables);
  names = self->labels != NULL && self->positions == NULL && self->directions == NULL
              ? prism_frame_names_dup_table (self->labels)
              : NULL;
  if (names != NULL)
    prism_recording_parse_positions (self, names, _ ("names of the frames"), NULL);
  return g_steal_pointer (&self);
}

/**
 * prism_recording_understand:
 * @path: what the recording is called
 * @fields: arrays with names
 * @recipe: (nullable): how they are to be understood where names do not say it
 *
 * Makes a recording of arrays: frames, and what they say of the geometry. Numbers that there are
 * not are NAN: prism_recording_check() says which are needed.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_CONFIG, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_recording_understand (const char *path,
                            PrismFields *fields,
                            const PrismRecipe *recipe,
                            GError **error)
{
  return understand (path, fields, recipe, NULL, error);
}

/**
 * prism_recording_load:
 * @path: file name
 * @recipe: (nullable): as for prism_recording_understand()
 *
 * Makes a recording of the arrays of a file.
 *
 * Errors: those of prism_recording_understand().
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_recording_load (const char *path,
                      const PrismRecipe *recipe,
                      GError **error)
{
  return prism_recording_load_with (path, NULL, recipe, error);
}

/**
 * prism_recording_load_files:
 * @folder: where they are
 * @names: of files, a frame each
 * @recipe: (nullable): as for prism_recording_load()
 *
 * Reads some of the files of a folder, whatever else is there.
 *
 * Errors: those of prism_recording_load().
 *
 * Returns: (transfer full) (nullable): the recording; its frames are in the order of the names
 */
PrismRecording *
prism_recording_load_files (const char *folder,
                            char *const *names,
                            const PrismRecipe *recipe,
                            GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_open_folder (folder, names, error);

  return fields != NULL ? prism_recording_understand (folder, fields, recipe, error) : NULL;
}

/* Of the files of a folder those that the table names; %NULL where it names none, or they are not
 * all there, which the readers of both tell. */
static GStrv
choose_files (const char *folder,
              const char *positions)
{
  g_autoptr (PrismRecordingRows) rows = prism_recording_rows_load (positions, NULL);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_auto (GStrv) found = NULL;
  const char *name;

  if (rows == NULL || rows->files == NULL)
    return NULL;
  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      const char *dot = strrchr (name, '.');
      g_autofree char *stem = dot != NULL ? g_strndup (name, (gsize) (dot - name)) : NULL;

      if (prism_fields_is_frame (name)
          && (g_strv_contains ((const char *const *) rows->files, name)
              || g_strv_contains ((const char *const *) rows->files, stem)))
        g_strv_builder_add (names, name);
    }
  found = g_strv_builder_end (names);
  return g_strv_length (found) == rows->n ? g_steal_pointer (&found) : NULL;
}

/**
 * prism_recording_load_with:
 * @path: file name, or of a folder
 * @positions: (nullable): file name of a table of the LEDs; where it names files, others of the
 *   folder are no frames
 * @recipe: (nullable): as for prism_recording_load()
 *
 * Errors: those of prism_recording_load() and prism_recording_load_positions().
 *
 * Returns: (transfer full) (nullable): the recording
 */
PrismRecording *
prism_recording_load_with (const char *path,
                           const char *positions,
                           const PrismRecipe *recipe,
                           GError **error)
{
  g_auto (GStrv) names = positions != NULL && g_file_test (path, G_FILE_TEST_IS_DIR)
                             ? choose_files (path, positions)
                             : NULL;
  g_autoptr (PrismFields) fields = names != NULL ? prism_fields_open_folder (path, names, error)
                                                 : prism_fields_open (path, error);

  return fields != NULL ? understand (path, fields, recipe, positions, error) : NULL;
}
