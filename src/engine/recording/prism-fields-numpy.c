#include "config.h"

#include "recording/prism-fields-readers.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-npy.h"

#include <string.h>

static void
free_arrays (gpointer data)
{
  g_ptr_array_unref (data);
}

/* Copies count[] values from start[] on; the last dimension lies together. */
static gboolean
read_part (PrismFields *self,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  const PrismNpy *array = g_ptr_array_index ((GPtrArray *) self->data, field->handle);
  gsize digits[PRISM_FIELDS_MAX_DIMS] = { 0 };
  gsize n_parts = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;
  gsize run = n_parts, n_runs = 1;

  if (field->n_dims > 0)
    run *= count[field->n_dims - 1];
  for (int i = 0; i < field->n_dims - 1; i++)
    n_runs *= count[i];
  for (gsize k = 0; k < n_runs; k++)
    {
      gsize at = 0;
      int i;

      for (i = 0; i < field->n_dims; i++)
        at = at * field->shape[i] + start[i] + digits[i];
      memcpy (values + k * run, array->values + at * n_parts, run * sizeof *values);
      for (i = field->n_dims - 2; i >= 0 && ++digits[i] == count[i]; i--)
        digits[i] = 0;
    }
  return TRUE;
}

static void
add_array (PrismFields *self,
           const char *name,
           PrismNpy *array)
{
  GPtrArray *arrays = self->data;
  PrismFieldKind kind = PRISM_FIELD_REAL;
  PrismField *field;

  if (array->values == NULL)
    kind = PRISM_FIELD_OTHER;
  else if (array->is_complex)
    kind = PRISM_FIELD_COMPLEX;
  field = prism_fields_add (self, name, kind,
                            array->n_dims - (kind == PRISM_FIELD_COMPLEX ? 1 : 0), array->shape);
  if (field->n_values == 0 && field->obstacle == NULL)
    field->obstacle = g_strdup ("it is empty");
  field->handle = (int) arrays->len;
  g_ptr_array_add (arrays, array);
}

/* One that cannot be read, an object of Python's for example, does not keep the others from it. */
static void
add_obstacle (PrismFields *self,
              const char *name,
              const char *message)
{
  PrismField *field = prism_fields_add (self, name, PRISM_FIELD_OTHER, 0, NULL);

  g_free (field->obstacle);
  field->obstacle = g_strdup (message);
  if (g_str_has_suffix (field->obstacle, "."))
    field->obstacle[strlen (field->obstacle) - 1] = '\0';
}

static PrismFields *
new_fields (const char *name,
            const char *format)
{
  PrismFields *self = prism_fields_new (name, format);

  self->data = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_npy_free);
  self->free_data = free_arrays;
  self->read = read_part;
  return self;
}

/**
 * prism_fields_load_npy:
 * @path: file name
 *
 * The one array of a .npy file, called “frames”. It is read at once, as doubles.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_npy (const char *path,
                       GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  PrismNpy *array = prism_npy_load (path, error);
  PrismFields *self;

  if (array == NULL)
    return NULL;
  self = new_fields (name, "NumPy");
  add_array (self, "frames", array);
  return self;
}

/**
 * prism_fields_load_npz:
 * @path: file name
 *
 * The arrays of an .npz archive, which are read at once, as doubles. Those that cannot be read are
 * listed with the reason.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_npz (const char *path,
                       GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (PrismNpz) archive = prism_npz_load (path, error);
  g_autoptr (PrismFields) self = NULL;
  g_auto (GStrv) keys = NULL;

  if (archive == NULL)
    return NULL;
  self = new_fields (name, "NumPy");
  keys = prism_npz_dup_keys (archive);
  for (guint i = 0; keys[i] != NULL && i < PRISM_FIELDS_MAX; i++)
    {
      g_autoptr (GError) reason = NULL;
      PrismNpy *array;

      /* What an archive of the program says of itself. */
      if (g_str_has_suffix (keys[i], ".json"))
        continue;
      array = prism_npz_get (archive, keys[i], &reason);
      if (array != NULL && array->text != NULL
          && prism_fields_add_text (self, keys[i], array->text) != NULL)
        prism_npy_free (array);
      else if (array != NULL)
        add_array (self, keys[i], array);
      else if (g_error_matches (reason, PRISM_ERROR, PRISM_ERROR_FORMAT))
        add_obstacle (self, keys[i], reason->message);
      else
        {
          g_propagate_error (error, g_steal_pointer (&reason));
          return NULL;
        }
    }
  return g_steal_pointer (&self);
}
