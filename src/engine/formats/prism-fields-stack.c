#include "config.h"

#include "formats/prism-fields-stack.h"

#include <string.h>

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
compare_fields (gconstpointer a,
                gconstpointer b)
{
  const PrismField *one = *(PrismField *const *) a, *other = *(PrismField *const *) b;

  return prism_fields_compare_names (one->name, other->name);
}

/* The name with a mark for each number in it, and the shape: the same for all frames of a stack. */
static char *
dup_pattern (const PrismField *field)
{
  GString *pattern = g_string_new (NULL);

  for (const char *at = field->name; *at != '\0'; at++)
    if (!g_ascii_isdigit (*at))
      g_string_append_c (pattern, *at);
    else if (pattern->len == 0 || pattern->str[pattern->len - 1] != '#')
      g_string_append_c (pattern, '#');
  g_string_append_printf (pattern, "\n%d %" G_GSIZE_FORMAT " %" G_GSIZE_FORMAT, field->kind,
                          field->shape[0], field->shape[1]);
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
  const gsize n = count[1] * count[2] * (field->kind == PRISM_FIELD_COMPLEX ? 2 : 1);

  for (gsize j = 0; j < count[0]; j++)
    if (!prism_fields_load_part (self, g_ptr_array_index (field->parts, start[0] + j), start + 1,
                                 count + 1, values + j * n, error))
      return FALSE;
  return TRUE;
}

static void
add_stack (PrismFields *self,
           const char *pattern,
           GPtrArray *parts)
{
  const PrismField *first = g_ptr_array_index (parts, 0);
  const gsize shape[3] = { parts->len, first->shape[0], first->shape[1] };
  g_autofree char *name = g_strndup (pattern, strcspn (pattern, "\n"));
  PrismField *field;

  g_ptr_array_sort (parts, compare_fields);
  field = prism_fields_add (self, name, first->kind, 3, shape);
  field->column_major = first->column_major;
  field->read = load_stack;
  field->parts = g_ptr_array_ref (parts);
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
 * Lists arrays of two dimensions that differ in the numbers of their names alone once more, as a
 * stack in the order of these numbers: “images/frame_#” of images/frame_000 and so on.
 */
void
prism_fields_add_stacks (PrismFields *self)
{
  g_autoptr (GHashTable) found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                        (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GPtrArray) patterns = g_ptr_array_new ();
  const guint n = self->fields->len;

  /* Of a list that is cut off nobody knows which frames are missing. */
  for (guint i = 0; i < n && n < PRISM_FIELDS_MAX; i++)
    {
      PrismField *field = g_ptr_array_index (self->fields, i);
      g_autofree char *pattern = NULL;
      GPtrArray *parts;

      if (field->n_dims != 2 || field->obstacle != NULL || field->kind == PRISM_FIELD_OTHER
          || MIN (field->shape[0], field->shape[1]) < 2)
        continue;
      pattern = dup_pattern (field);
      parts = g_hash_table_lookup (found, pattern);
      if (parts == NULL)
        {
          parts = g_ptr_array_new ();
          g_ptr_array_add (patterns, pattern);
          g_hash_table_insert (found, g_steal_pointer (&pattern), parts);
        }
      g_ptr_array_add (parts, field);
    }
  for (guint i = 0; i < patterns->len; i++)
    {
      const char *pattern = g_ptr_array_index (patterns, i);
      GPtrArray *parts = g_hash_table_lookup (found, pattern);

      if (parts->len >= FEWEST)
        add_stack (self, pattern, parts);
    }
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
