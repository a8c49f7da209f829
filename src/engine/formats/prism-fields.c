#include "config.h"

#include "formats/prism-fields.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"

#define MAX_LISTED 8

static void
free_field (gpointer data)
{
  PrismField *field = data;

  g_free (field->name);
  g_free (field->obstacle);
  g_free (field->unknown_unit);
  prism_arena_free_array (field->values);
  g_strfreev (field->labels);
  if (field->parts != NULL)
    g_ptr_array_unref (field->parts);
  g_free (field);
}

/**
 * prism_fields_new:
 * @path: the file's name, any bytes
 * @format: (not nullable): a static string, "HDF5"
 *
 * Returns: (transfer full): a file of which nothing is known yet
 */
PrismFields *
prism_fields_new (const char *path,
                  const char *format)
{
  PrismFields *self = g_new0 (PrismFields, 1);

  self->name = prism_file_dup_display_name (path);
  self->format = format;
  self->fields = g_ptr_array_new_with_free_func (free_field);
  return self;
}

/**
 * prism_fields_free:
 * @self: (nullable): the arrays of a file
 */
void
prism_fields_free (PrismFields *self)
{
  if (self == NULL)
    return;
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_ptr_array_unref (self->fields);
  g_free (self->name);
  g_free (self->note);
  if (self->tables != NULL)
    g_ptr_array_unref (self->tables);
  g_free (self);
}

/**
 * prism_fields_add:
 * @name: of the array
 * @kind: its kind of values
 * @n_dims: number of dimensions, 0 to PRISM_FIELDS_MAX_DIMS
 * @shape: (array length=n_dims): sizes, C order
 *
 * Lists an array. One whose number of values is no number has an obstacle at once.
 *
 * Returns: (transfer none): the entry
 */
PrismField *
prism_fields_add (PrismFields *self,
                  const char *name,
                  PrismFieldKind kind,
                  int n_dims,
                  const gsize *shape)
{
  PrismField *field = g_new0 (PrismField, 1);

  field->name = prism_printable_dup (name);
  field->kind = kind;
  field->column_major = self->column_major;
  field->n_values = 1;
  field->n_dims = CLAMP (n_dims, 0, PRISM_FIELDS_MAX_DIMS);
  if (n_dims > PRISM_FIELDS_MAX_DIMS)
    field->obstacle = g_strdup ("it has more than 8 dimensions");
  for (int i = 0; i < field->n_dims; i++)
    {
      field->shape[i] = shape[i];
      if (field->obstacle == NULL
          && (!g_size_checked_mul (&field->n_values, field->n_values, shape[i])
              || field->n_values > G_MAXSIZE / 64))
        field->obstacle = g_strdup ("its shape is too large");
    }
  if (field->obstacle == NULL && kind == PRISM_FIELD_OTHER)
    field->obstacle = g_strdup ("its elements are no numbers");
  g_ptr_array_add (self->fields, field);
  return field;
}

/**
 * prism_fields_add_obstacle:
 * @name: of something that is no array, or cannot be read
 * @obstacle: why, without a full stop
 *
 * Lists it.
 *
 * Returns: (transfer none): the entry
 */
PrismField *
prism_fields_add_obstacle (PrismFields *self,
                           const char *name,
                           const char *obstacle)
{
  PrismField *field = prism_fields_add (self, name, PRISM_FIELD_OTHER, 0, NULL);

  g_free (field->obstacle);
  field->obstacle = g_strdup (obstacle);
  return field;
}

/**
 * prism_fields_add_values:
 * @name: of the array
 * @kind: its kind of values
 * @n_dims: number of dimensions
 * @shape: (array length=n_dims): sizes, C order
 * @values: (transfer full): of prism_arena_new_array(), twice as many for complex ones
 *
 * Lists an array whose values the reader has read already.
 *
 * Returns: (transfer none): the entry
 */
PrismField *
prism_fields_add_values (PrismFields *self,
                         const char *name,
                         PrismFieldKind kind,
                         int n_dims,
                         const gsize *shape,
                         double *values)
{
  PrismField *field = prism_fields_add (self, name, kind, n_dims, shape);

  field->values = values;
  if (field->obstacle == NULL && field->n_values == 0)
    field->obstacle = g_strdup ("it is empty");
  if (field->obstacle == NULL && values == NULL)
    field->obstacle = g_strdup ("there is no memory for it");
  return field;
}

/**
 * prism_fields_add_number:
 * @name: of the number
 *
 * Lists a number that the reader has read already.
 *
 * Returns: (transfer none): the entry
 */
PrismField *
prism_fields_add_number (PrismFields *self,
                         const char *name,
                         double number)
{
  double *values = prism_arena_new_array (sizeof *values, "a number", NULL);

  if (values != NULL)
    *values = number;
  return prism_fields_add_values (self, name, PRISM_FIELD_REAL, 0, NULL, values);
}

/**
 * prism_fields_add_text:
 * @name: of the text
 * @text: what it says
 *
 * Lists a text that is a number with its unit, “630 nm”, as this number.
 *
 * Returns: (transfer none) (nullable): the entry, %NULL for any other text
 */
PrismField *
prism_fields_add_text (PrismFields *self,
                       const char *name,
                       const char *text)
{
  PrismField *field;
  PrismUnit unit;
  double number;

  if (!prism_unit_parse_number (text, &number, &unit))
    return NULL;
  field = prism_fields_add_number (self, name, number);
  field->unit = unit;
  return field;
}

/**
 * prism_fields_set_unit:
 * @field: an array
 * @text: what stands beside it, “mm”
 */
void
prism_fields_set_unit (PrismField *field,
                       const char *text)
{
  if (!prism_unit_parse (text, strlen (text), &field->unit) && *text != '\0')
    field->unknown_unit = prism_printable_dup (text);
}

/**
 * prism_fields_find:
 * @name: an array's name; a slash before it is of no account
 *
 * Returns: (transfer none) (nullable): the array, %NULL where there is none of this name
 */
PrismField *
prism_fields_find (PrismFields *self,
                   const char *name)
{
  while (*name == '/')
    name++;
  PRISM_FOR_EACH_POINTER (PrismField, field, self->fields)
    {
      if (strcmp (field->name, name) == 0)
        return field;
    }
  return NULL;
}

/**
 * prism_fields_find_known:
 * @name: an array's name
 *
 * Looks for the name in the file, and else in its groups.
 *
 * Returns: (transfer none) (nullable): the array of this name, or the only one that is called so in
 * a group
 */
PrismField *
prism_fields_find_known (PrismFields *self,
                         const char *name)
{
  PrismField *whole = prism_fields_find (self, name), *found = NULL;
  g_autofree char *end = g_strconcat ("/", name, NULL);

  if (whole != NULL)
    return whole;
  PRISM_FOR_EACH_POINTER (PrismField, field, self->fields)
    {
      if (!g_str_has_suffix (field->name, end))
        continue;
      if (found != NULL)
        return NULL;
      found = field;
    }
  return found;
}

/**
 * prism_fields_find_named:
 * @name: what the recipe calls it
 * @key: of the recipe
 *
 * Errors: PRISM_ERROR_CONFIG, with the arrays that there are.
 *
 * Returns: (transfer none) (nullable): the array of this name
 */
PrismField *
prism_fields_find_named (PrismFields *self,
                         const char *key,
                         const char *name,
                         GError **error)
{
  PrismField *field = prism_fields_find (self, name);
  g_autofree char *list = NULL;

  if (field != NULL)
    return field;
  list = prism_fields_dup_list (self->fields);
  prism_error_config (error, _ ("“%s” has no array “%s” for “%s”; it has %s."),
                      self->name, name, key, *list != '\0' ? list : "none");
  return NULL;
}

/**
 * prism_fields_set_error:
 * @name: of the file
 * @format: what it is taken for
 * @reason: why it cannot be read, without a full stop
 */
void
prism_fields_set_error (GError **error,
                        const char *name,
                        const char *format,
                        const char *reason)
{
  prism_error_format (error, _ ("“%s” cannot be read as a recording in %s: %s."), name, format,
                      reason);
}

/* Reads a part of an array as runs of values that lie together: those of the last dimensions, as
 * many of them as are read as a whole, and of the one before. */
static gboolean
load_runs (PrismFields *self,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  const gsize n_parts = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;
  gsize digits[PRISM_FIELDS_MAX_DIMS] = { 0 }, run = 1, n_runs = 1;
  int last = field->n_dims - 1;

  for (; last > 0 && count[last] == field->shape[last]; last--)
    run *= count[last];
  if (last >= 0)
    run *= count[last];
  for (int i = 0; i < last; i++)
    n_runs *= count[i];
  for (gsize k = 0; k < n_runs; k++)
    {
      gsize at = 0;

      for (int i = 0; i < field->n_dims; i++)
        at = at * field->shape[i] + start[i] + digits[i];
      if (field->values != NULL)
        memcpy (values + k * run * n_parts, field->values + at * n_parts,
                run * n_parts * sizeof *values);
      else if (!self->read_run (self, field, at, run, values + k * run * n_parts, error))
        return FALSE;
      for (int i = last - 1; i >= 0 && ++digits[i] == count[i]; i--)
        digits[i] = 0;
    }
  return TRUE;
}

/**
 * prism_fields_load_part:
 * @field: an array of the file
 * @start: (array): first index per dimension
 * @count: (array): how many per dimension
 * @values: (out caller-allocates): the values
 *
 * Shape: values [count[0]]…[count[n_dims-1]], each real and imaginary part of a complex one.
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether they were read
 */
gboolean
prism_fields_load_part (PrismFields *self,
                        const PrismField *field,
                        const gsize *start,
                        const gsize *count,
                        double *values,
                        GError **error)
{
  if (field->obstacle != NULL)
    {
      g_autofree char *reason = g_strdup_printf ("“%s” is not readable: %s", field->name,
                                                 field->obstacle);

      prism_fields_set_error (error, self->name, self->format, reason);
      return FALSE;
    }
  if (field->values == NULL && (field->read != NULL || self->read != NULL))
    return (field->read != NULL ? field->read : self->read) (self, field, start, count, values,
                                                             error);
  return load_runs (self, field, start, count, values, error);
}

/**
 * prism_fields_load:
 * @field: an array of the file
 *
 * Reads all values of an array.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the values, for prism_arena_free_array()
 */
double *
prism_fields_load (PrismFields *self,
                   const PrismField *field,
                   GError **error)
{
  const gsize start[PRISM_FIELDS_MAX_DIMS] = { 0 };
  gsize n_bytes = field->n_values * sizeof (double) * (field->kind == PRISM_FIELD_COMPLEX ? 2 : 1);
  g_autofree char *what = g_strdup_printf ("“%s” of “%s”", field->name, self->name);
  prism_autofree_array double *values = NULL;

  if (field->obstacle == NULL)
    values = prism_arena_new_array (MAX (n_bytes, sizeof *values), what, error);
  if (field->obstacle == NULL && values == NULL)
    return NULL;
  if (!prism_fields_load_part (self, field, start, field->shape, values, error))
    return NULL;
  return g_steal_pointer (&values);
}

/**
 * prism_fields_dup_shape:
 * @field: an array of a file
 *
 * Returns: (transfer full): its shape as people write it, "225 × 128 × 128"
 */
char *
prism_fields_dup_shape (const PrismField *field)
{
  GString *text = g_string_new (field->n_dims == 0 ? "one value" : NULL);

  for (int i = 0; i < field->n_dims; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i > 0 ? " × " : "", field->shape[i]);
  return g_string_free (text, FALSE);
}

/**
 * prism_fields_dup_list:
 * @fields: (element-type PrismField): arrays of a file
 *
 * Returns: (transfer full): names and shapes of the first arrays, for a message
 */
char *
prism_fields_dup_list (const GPtrArray *fields)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < fields->len && i < MAX_LISTED; i++)
    {
      const PrismField *field = g_ptr_array_index (fields, i);
      g_autofree char *shape = prism_fields_dup_shape (field);

      g_string_append_printf (text, "%s%s (%s)", i > 0 ? ", " : "", field->name, shape);
    }
  if (fields->len > MAX_LISTED)
    g_string_append_printf (text, " and %u more", fields->len - MAX_LISTED);
  return g_string_free (text, FALSE);
}

#define FEWEST 8  /* arrays that are one frame each: fewer are something else */
#define COLOURS 4 /* at most, of a pixel */
#define MUCH 8    /* times more values in the first two dimensions: these are the pixels */

/**
 * prism_fields_compare_names:
 * @a: a name
 * @b: another one
 *
 * Numbers in names count as such: img_9 comes before img_10.
 *
 * Returns: below 0 where @a is first
 */
int
prism_fields_compare_names (const char *a,
                            const char *b)
{
  const char *one = a, *other = b;

  while (*one != '\0' && *other != '\0')
    {
      if (g_ascii_isdigit (*one) && g_ascii_isdigit (*other))
        {
          const guint64 m = g_ascii_strtoull (one, (char **) &one, 10);
          const guint64 n = g_ascii_strtoull (other, (char **) &other, 10);

          if (m != n)
            return m < n ? -1 : 1;
          continue;
        }
      if (*one != *other)
        break;
      one++;
      other++;
    }
  if (*one == *other)
    return strcmp (a, b);
  return (guint8) *one < (guint8) *other ? -1 : 1;
}

static gint
compare_names (gconstpointer a,
               gconstpointer b)
{
  return prism_fields_compare_names (*(char *const *) a, *(char *const *) b);
}

/**
 * prism_fields_sort_names:
 * @names: (element-type utf8): of files
 *
 * Sorts them by the numbers in them.
 */
void
prism_fields_sort_names (GPtrArray *names)
{
  g_ptr_array_sort (names, compare_names);
}

static gint
compare_fields (gconstpointer a,
                gconstpointer b)
{
  const PrismField *one = *(PrismField *const *) a, *other = *(PrismField *const *) b;

  return prism_fields_compare_names (one->name, other->name);
}

/* The name with a mark for each number in it, with its sign, and the shape from that dimension on:
 * the same for all frames of a stack. */
static char *
dup_pattern (const PrismField *field,
             int from)
{
  GString *pattern = g_string_new (NULL);

  for (const char *at = field->name; *at != '\0'; at++)
    if (!g_ascii_isdigit (*at)
        && ((*at != '+' && *at != '-') || !g_ascii_isdigit (at[1])
            || (at > field->name && g_ascii_isdigit (at[-1]))))
      g_string_append_c (pattern, *at);
    else if (pattern->len == 0 || pattern->str[pattern->len - 1] != '#')
      g_string_append_c (pattern, '#');
  g_string_append_printf (pattern, "\n%d", field->kind);
  for (int i = from; i < field->n_dims; i++)
    g_string_append_printf (pattern, " %" G_GSIZE_FORMAT, field->shape[i]);
  return g_string_free (pattern, FALSE);
}

static gboolean
load_stack (PrismFields *self,
            const PrismField *field,
            const gsize *start,
            const gsize *count,
            double *values,
            GError **error)
{
  gsize n = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;

  for (int i = 1; i < field->n_dims; i++)
    n *= count[i];
  for (gsize j = 0; j < count[0]; j++)
    if (!prism_fields_load_part (self, g_ptr_array_index (field->parts, start[0] + j), start + 1,
                                 count + 1, values + j * n, error))
      return FALSE;
  return TRUE;
}

/* Pieces one behind the other along the first dimension. */
static gboolean
load_joined (PrismFields *self,
             const PrismField *field,
             const gsize *start,
             const gsize *count,
             double *values,
             GError **error)
{
  gsize from[PRISM_FIELDS_MAX_DIMS], n[PRISM_FIELDS_MAX_DIMS];
  gsize size = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1, done = 0, before = 0;

  memcpy (from, start, sizeof from);
  memcpy (n, count, sizeof n);
  for (int i = 1; i < field->n_dims; i++)
    size *= count[i];
  PRISM_FOR_EACH_POINTER (const PrismField, part, field->parts)
    {
      const gsize end = before + part->shape[0];

      if (done < count[0] && start[0] + done < end)
        {
          from[0] = start[0] + done - before;
          n[0] = MIN (count[0] - done, part->shape[0] - from[0]);
          if (!prism_fields_load_part (self, part, from, n, values + done * size, error))
            return FALSE;
          done += n[0];
        }
      before = end;
    }
  return TRUE;
}

/* Arrays whose names differ in their numbers alone, and whose shapes are the same from a dimension
 * on, in the order of these numbers. Returns (transfer full): a GPtrArray of them for each name. */
static GPtrArray *
new_groups (PrismFields *self,
            gboolean (*belongs) (const PrismField *field),
            int from)
{
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  PRISM_FOR_EACH_POINTER (PrismField, field, self->fields)
    {
      g_autofree char *pattern = NULL;
      GPtrArray *parts;

      if (field->obstacle != NULL || field->kind == PRISM_FIELD_OTHER || !belongs (field))
        continue;
      pattern = dup_pattern (field, from);
      parts = g_hash_table_lookup (found, pattern);
      if (parts == NULL)
        {
          parts = g_ptr_array_new ();
          g_ptr_array_add (groups, parts);
          g_hash_table_insert (found, g_steal_pointer (&pattern), parts);
        }
      g_ptr_array_add (parts, field);
    }
  PRISM_FOR_EACH_POINTER (GPtrArray, parts, groups)
    g_ptr_array_sort (parts, compare_fields);
  return groups;
}

static PrismField *
add_whole (PrismFields *self,
           GPtrArray *parts,
           int n_dims,
           const gsize *shape,
           PrismFieldsReadFunc read)
{
  const PrismField *first = g_ptr_array_index (parts, 0);
  g_autofree char *pattern = dup_pattern (first, 0);
  PrismField *field;

  *strchr (pattern, '\n') = '\0';
  field = prism_fields_add (self, pattern, first->kind, n_dims, shape);
  field->unit = first->unit;
  field->column_major = first->column_major;
  field->read = read;
  field->parts = g_ptr_array_ref (parts);
  return field;
}

static gboolean
is_chunk (const PrismField *field)
{
  return field->n_dims > 0
         && g_regex_match_simple ("(^|/)chunks/[0-9]+/[^/]+$", field->name, 0, 0);
}

/* PtyPy writes an array in pieces, chunks/0/data, chunks/1/data and so on. The whole array takes
 * their place. */
static void
join_chunks (PrismFields *self)
{
  g_autoptr (GPtrArray) groups = new_groups (self, is_chunk, 1);

  PRISM_FOR_EACH_POINTER (GPtrArray, parts, groups)
    {
      const PrismField *first = g_ptr_array_index (parts, 0);
      gsize shape[PRISM_FIELDS_MAX_DIMS];
      guint at;

      memcpy (shape, first->shape, sizeof shape);
      for (guint i = 1; i < parts->len; i++)
        shape[0] += ((PrismField *) g_ptr_array_index (parts, i))->shape[0];
      add_whole (self, parts, first->n_dims, shape, load_joined);
      PRISM_FOR_EACH_POINTER (PrismField, part, parts)
        if (g_ptr_array_find (self->fields, part, &at))
          g_ptr_array_steal_index (self->fields, at);
      g_ptr_array_set_free_func (parts, free_field);
    }
}

static gboolean
is_plane (const PrismField *field)
{
  return field->n_dims <= 2
         && (field->n_values <= 1
             || (field->n_dims == 2 && MIN (field->shape[0], field->shape[1]) > 1));
}

static void
add_stack (PrismFields *self,
           GPtrArray *parts)
{
  const PrismField *first = g_ptr_array_index (parts, 0);
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { parts->len };
  PrismField *field;

  memcpy (shape + 1, first->shape, (gsize) first->n_dims * sizeof *shape);
  field = add_whole (self, parts, 1 + first->n_dims, shape, load_stack);
  field->labels = g_new0 (char *, parts->len + 1);
  for (guint j = 0; j < parts->len; j++)
    {
      const PrismField *part = g_ptr_array_index (parts, j);
      const char *slash = strrchr (part->name, '/');

      field->labels[j] = g_strdup (slash != NULL ? slash + 1 : part->name);
    }
}

/**
 * prism_fields_add_stacks:
 *
 * Lists planes, and numbers, that differ in the numbers of their names alone once more, as a stack
 * in the order of these numbers: “images/frame_#” of images/frame_000 and so on. Chunks become the
 * array that they are pieces of.
 */
void
prism_fields_add_stacks (PrismFields *self)
{
  g_autoptr (GPtrArray) groups = NULL;

  /* Of a list that is cut off nobody knows which frames are missing. */
  if (self->fields->len >= PRISM_FIELDS_MAX)
    return;
  join_chunks (self);
  groups = new_groups (self, is_plane, 0);
  PRISM_FOR_EACH_POINTER (GPtrArray, parts, groups)
    if (parts->len >= FEWEST)
      add_stack (self, parts);
}

/* A part of an array of four dimensions, by the indices of its stack; where frames count the last
 * one it has to be all. */
static gboolean
load_grid (PrismFields *self,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  static const gsize zero[PRISM_FIELDS_MAX_DIMS] = { 0 };
  const PrismField *whole = field->whole;
  gsize first[PRISM_FIELDS_MAX_DIMS] = { 0 }, n[PRISM_FIELDS_MAX_DIMS];
  int axes[4], k = 0;

  if (memcmp (count, field->shape, 3 * sizeof *count) == 0)
    return prism_fields_load_part (self, whole, zero, whole->shape, values, error);
  for (int i = 0; i < whole->n_dims; i++)
    {
      n[i] = 1;
      if (whole->shape[i] > 1)
        axes[k++] = i;
    }
  for (int i = 0; i < 2; i++)
    {
      first[axes[2 + i]] = start[1 + i];
      n[axes[2 + i]] = count[1 + i];
    }
  for (gsize j = 0; j < count[0]; j++)
    {
      first[axes[0]] = (start[0] + j) / whole->shape[axes[1]];
      first[axes[1]] = (start[0] + j) % whole->shape[axes[1]];
      if (!prism_fields_load_part (self, whole, first, n, values + j * count[1] * count[2], error))
        return FALSE;
    }
  return TRUE;
}

/**
 * prism_fields_add_grid:
 * @field: an array of four dimensions, rows and columns of LEDs and of pixels
 * @columns: (out): how many frames lie together, with the LEDs of one row, of MATLAB's of a column
 *
 * Lists it once more as a stack, all LEDs one after the other.
 *
 * Returns: (transfer none) (nullable): the stack; %NULL where it is none, but has colours
 */
PrismField *
prism_fields_add_grid (PrismFields *self,
                       PrismField *field,
                       gsize *columns)
{
  gsize sizes[4] = { 1, 1, 1, 1 }, shape[3];
  gboolean last;
  PrismField *stack;
  int n = 0;

  for (int i = 0; i < field->n_dims; i++)
    if (field->shape[i] > 1 && n++ < 4)
      sizes[n - 1] = field->shape[i];
  if (n != 4 || field->obstacle != NULL || field->kind != PRISM_FIELD_REAL
      || (sizes[3] > 2 && sizes[3] <= COLOURS && sizes[2] > MUCH))
    return NULL;
  last = sizes[0] * sizes[1] > MUCH * sizes[2] * sizes[3];
  *columns = last ? sizes[3] : sizes[1];
  shape[0] = last ? sizes[0] : sizes[0] * sizes[1];
  shape[1] = last ? sizes[1] : sizes[2];
  shape[2] = last ? sizes[2] * sizes[3] : sizes[3];
  stack = prism_fields_add (self, field->name, field->kind, 3, shape);
  stack->column_major = field->column_major;
  stack->read = load_grid;
  stack->whole = field;
  return stack;
}
