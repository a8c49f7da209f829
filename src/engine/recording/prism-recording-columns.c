#include "config.h"

#include "base/prism-number.h"
#include "recording/prism-recording-private.h"
#include "recording/prism-recording.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-fields-readers.h"

/* A column of the table: some numbers of an array, or its labels. */
typedef struct
{
  char *title;
  double *values; /* (nullable) [n], step apart */
  gsize step;
  char **labels;
} Column;

typedef struct
{
  GArray *columns;   /* of Column */
  GPtrArray *arrays; /* what the values of columns lie in */
  gsize n;           /* rows */
  guint n_places;    /* columns that say where light comes from */
} Columns;

static void
clear_column (gpointer data)
{
  g_free (((Column *) data)->title);
}

/* The title with the unit that stands beside the array. */
static char *
dup_title (const PrismField *field,
           const char *name)
{
  static const char *const suffixes[] = {
    [PRISM_UNIT_LENGTH] = " (m)", [PRISM_UNIT_WAVE] = " (1/m)", [PRISM_UNIT_ANGLE] = " (deg)"
  };
  const PrismUnitKind kind = field->unit.kind;
  const char *slash = strrchr (name, '/');
  const char *suffix = kind < G_N_ELEMENTS (suffixes) ? suffixes[kind] : NULL;

  return g_strconcat (slash != NULL ? slash + 1 : name, suffix, NULL);
}

static void
add (Columns *self,
     const PrismField *field,
     const char *name,
     double *values,
     gsize step)
{
  Column column = { dup_title (field, name), values, step, field->labels };

  g_array_append_val (self->columns, column);
}

/* Arrays of two or three numbers a row, by what they are called; one alone has places. */
static void
add_pairs (Columns *self,
           const PrismField *field,
           PrismName name,
           const PrismUnit *unit,
           double *values)
{
  static const char *const cosines[] = { "na_x", "na_y" };
  static const char *const waves[] = { "kx", "ky" };
  static const char *const places[] = { "x", "y", "z" };
  const char *const *titles = name == PRISM_NAME_COSINES ? cosines
                              : name == PRISM_NAME_WAVES ? waves
                                                         : places;
  const gboolean across = field->shape[0] != self->n;
  const gsize n_columns = across ? field->shape[0] : field->shape[1];
  PrismField said = *field;

  said.unit = *unit;
  for (gsize k = 0; k < MIN (n_columns, titles == places ? 3 : 2); k++)
    add (self, &said, titles[k], values + k * (across ? self->n : 1), across ? 1 : n_columns);
}

static gboolean
add_field (Columns *self,
           PrismFields *fields,
           const PrismField *field,
           GError **error)
{
  PrismUnit unit;
  const PrismName name = prism_recording_names_find (field->name, &unit);
  const gboolean alone = fields->fields->len == 1;
  const gboolean pairs
      = field->n_dims == 2 && MIN (field->shape[0], field->shape[1]) >= 2
        && MIN (field->shape[0], field->shape[1]) <= 3
        && (alone || name == PRISM_NAME_COSINES || name == PRISM_NAME_WAVES
            || name == PRISM_NAME_POSITIONS);
  double *values;

  if (field->labels != NULL && field->n_values == self->n && name == PRISM_NAME_FILE)
    add (self, field, field->name, NULL, 0);
  if (field->kind != PRISM_FIELD_REAL || field->obstacle != NULL
      || (!pairs && (field->n_values != self->n || name == PRISM_NAME_NONE))
      || (pairs && field->shape[0] != self->n && field->shape[1] != self->n))
    return TRUE;
  values = prism_fields_load (fields, field, error);
  if (values == NULL)
    return FALSE;
  g_ptr_array_add (self->arrays, values);
  self->n_places += pairs || name == PRISM_NAME_ELEVATION
                    || (name >= PRISM_NAME_X && name < PRISM_NAME_EXPOSURE);
  for (gsize i = 0; i < field->n_values && field->unit.kind != PRISM_UNIT_NONE; i++)
    values[i] *= field->unit.size;
  if (field->unit.kind != PRISM_UNIT_NONE)
    unit = field->unit;
  else
    for (gsize i = 0; i < field->n_values && pairs; i++)
      values[i] *= unit.size;
  if (pairs)
    add_pairs (self, field, name, &unit, values);
  else
    add (self, field, field->name, values, 1);
  return TRUE;
}

/* How many rows there are: as many as frames, or else what a single array has. */
static gsize
count_rows (PrismFields *fields,
            gsize n_frames)
{
  const PrismField *first = g_ptr_array_index (fields->fields, 0);

  return fields->fields->len == 1 && first->n_dims == 2 && first->shape[0] != n_frames
                 && first->shape[1] != n_frames
             ? MAX (first->shape[0], first->shape[1])
             : n_frames;
}

static GBytes *
write_table (const Columns *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->columns->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\t" : "",
                            g_array_index (self->columns, Column, i).title);
  for (gsize j = 0; j < self->n; j++)
    for (guint i = 0; i < self->columns->len; i++)
      {
        const Column *column = &g_array_index (self->columns, Column, i);
        g_autofree char *cell = column->values != NULL
                                    ? g_strdup (prism_digits ("%.17g",
                                                              column->values[j * column->step]))
                                    : g_strdelimit (g_strdup (column->labels[j]), "\t\r\n", ' ');

        g_string_append_printf (text, "%c%s", i > 0 ? '\t' : '\n', cell);
      }
  return g_string_free_to_bytes (text);
}

/**
 * prism_recording_columns_dup:
 * @fields: arrays of a file
 * @n_frames: for which it is
 *
 * A table of the arrays whose names are known, with as many rows as there are frames. An array of
 * two or three numbers a row that is alone has places, in m.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the text
 */
GBytes *
prism_recording_columns_dup (PrismFields *fields,
                             gsize n_frames,
                             GError **error)
{
  g_autoptr (GArray) columns = g_array_new (FALSE, FALSE, sizeof (Column));
  g_autoptr (GPtrArray) arrays = g_ptr_array_new_with_free_func (prism_arena_free_array);
  g_autofree char *list = NULL;
  Columns self = { columns, arrays };

  g_array_set_clear_func (columns, clear_column);
  if (fields->fields->len > 0)
    self.n = count_rows (fields, n_frames);
  PRISM_FOR_EACH_POINTER (const PrismField, field, fields->fields)
    if (!add_field (&self, fields, field, error))
      return NULL;
  if (self.n_places > 0)
    return write_table (&self);
  list = prism_fields_dup_list (fields->fields);
  prism_error_format (error, _ ("“%s” has no positions of %u frames: expected is an array of two"
                                " numbers a frame, or x and y; it has %s."),
                      fields->name, (guint) n_frames, *list != '\0' ? list : "none");
  return NULL;
}

/**
 * prism_recording_columns_load:
 * @path: file name of a table
 * @n_frames: for which it is
 *
 * A table as its file has it, or of one that has arrays (.npy, .npz, MATLAB, HDF5, JSON, YAML) that
 * of prism_recording_columns_dup().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the text
 */
GBytes *
prism_recording_columns_load (const char *path,
                              gsize n_frames,
                              GError **error)
{
  const gboolean is_yaml = g_str_has_suffix (path, ".yaml") || g_str_has_suffix (path, ".yml");
  const gboolean is_json = g_str_has_suffix (path, ".json");
  g_autoptr (PrismFields) fields = NULL;

  if (g_str_has_suffix (path, ".xlsx") || g_str_has_suffix (path, ".ods"))
    return prism_error_format (error, _ ("“%s” is a spreadsheet: save its table as CSV."), path),
           NULL;
  if (!is_yaml && !is_json && !prism_fields_can_open (path))
    return prism_file_load (path, 64 << 20, error);
  fields = is_yaml   ? prism_fields_load_yaml (path, error)
           : is_json ? prism_fields_load_json (path, error)
                     : prism_fields_open (path, error);
  return fields != NULL ? prism_recording_columns_dup (fields, n_frames, error) : NULL;
}

/**
 * prism_recording_columns_decode:
 * @bytes: what stands in a table
 *
 * Spreadsheets write UTF-8, UTF-16 and the letters of Windows.
 *
 * Returns: (transfer full) (nullable): in UTF-8, %NULL for what is no text
 */
char *
prism_recording_columns_decode (GBytes *bytes)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  const char *coding = "UTF-8";
  char *text;

  if (length >= 2 && (memcmp (data, "\377\376", 2) == 0 || memcmp (data, "\376\377", 2) == 0))
    coding = "UTF-16";
  else if (length >= 2 && data[0] != '\0' && data[1] == '\0')
    coding = "UTF-16LE";
  else if (length >= 2 && data[0] == '\0' && data[1] != '\0')
    coding = "UTF-16BE";
  else if (!g_utf8_validate (data, (gssize) length, NULL))
    coding = "CP1252";
  if (length >= 3 && memcmp (data, "\357\273\277", 3) == 0)
    {
      data += 3;
      length -= 3;
    }
  text = length > 0 ? g_convert (data, (gssize) length, "UTF-8", coding, NULL, &length, NULL)
                    : g_strdup ("");
  /* Signs that no table has tell bytes that are no text. */
  for (gsize i = 0; text != NULL && i < length; i++)
    if ((guint8) text[i] < ' ' && !g_ascii_isspace (text[i]))
      g_clear_pointer (&text, g_free);
  return text;
}

/**
 * prism_recording_rows_dup_some:
 * @rows: (array length=n): numbers of rows
 * @names: (nullable) (array length=n): of their files, as a column of its own
 *
 * Returns: (transfer full): a table of these rows alone
 */
GBytes *
prism_recording_rows_dup_some (const PrismRecordingRows *self,
                               const guint *rows,
                               char *const *names,
                               guint n)
{
  GString *text = g_string_new (self->lines[0]);

  if (names != NULL)
    g_string_append_printf (text, "%cfile", self->separator);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "\n%s", self->lines[1 + rows[i]]);
      if (names != NULL)
        g_string_append_printf (text, "%c%s", self->separator, names[i]);
    }
  g_string_append_c (text, '\n');
  return g_string_free_to_bytes (text);
}

/**
 * prism_recording_rows_free:
 * @self: (nullable): rows
 */
PRISM_FREE_FOR_ALL (PrismRecordingRows,
                    prism_recording_rows_free,
                    g_strfreev,
                    lines,
                    g_strfreev,
                    files)
