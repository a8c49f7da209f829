#include "config.h"

#include "recording/prism-fields-readers.h"

#include "recording/prism-matlab-check.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

#include <math.h>
#include <matio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TEXT 64 /* letters of a text that can be a number with its unit */
#define MAX_BYTES (G_GUINT64_CONSTANT (64) << 30)

/* The file, and the variable that was read last. */
typedef struct
{
  mat_t *file;
  GPtrArray *names; /* of char * */
  int loaded;       /* handle, -1: none */
  matvar_t *variable;
} MatlabFile;

static void
free_file (gpointer data)
{
  MatlabFile *self = data;

  if (self->variable != NULL)
    Mat_VarFree (self->variable);
  if (self->file != NULL)
    Mat_Close (self->file);
  g_ptr_array_unref (self->names);
  g_free (self);
}

/* What matio has to say is said here instead. */
static void
on_message (int level,
            char *message)
{
}

static gboolean
is_number (const matvar_t *variable)
{
  switch (variable->class_type)
    {
    case MAT_C_DOUBLE:
    case MAT_C_SINGLE:
    case MAT_C_INT8:
    case MAT_C_UINT8:
    case MAT_C_INT16:
    case MAT_C_UINT16:
    case MAT_C_INT32:
    case MAT_C_UINT32:
    case MAT_C_INT64:
    case MAT_C_UINT64:
      return TRUE;
    default:
      return FALSE;
    }
}

static double
get_number (const void *data,
            enum matio_types type,
            gsize i)
{
  switch (type)
    {
    case MAT_T_DOUBLE:
      return ((const double *) data)[i];
    case MAT_T_SINGLE:
      return ((const float *) data)[i];
    case MAT_T_INT8:
      return ((const gint8 *) data)[i];
    case MAT_T_UINT8:
      return ((const guint8 *) data)[i];
    case MAT_T_INT16:
      return ((const gint16 *) data)[i];
    case MAT_T_UINT16:
      return ((const guint16 *) data)[i];
    case MAT_T_INT32:
      return ((const gint32 *) data)[i];
    case MAT_T_UINT32:
      return ((const guint32 *) data)[i];
    case MAT_T_INT64:
      return (double) ((const gint64 *) data)[i];
    case MAT_T_UINT64:
      return (double) ((const guint64 *) data)[i];
    default:
      return NAN;
    }
}

/* Bytes of a number; 0 for what is none. */
static gsize
get_size (enum matio_types type)
{
  switch (type)
    {
    case MAT_T_INT8:
    case MAT_T_UINT8:
      return 1;
    case MAT_T_INT16:
    case MAT_T_UINT16:
      return 2;
    case MAT_T_SINGLE:
    case MAT_T_INT32:
    case MAT_T_UINT32:
      return 4;
    case MAT_T_DOUBLE:
    case MAT_T_INT64:
    case MAT_T_UINT64:
      return 8;
    default:
      return 0;
    }
}

/* Reads the variable, of which only the last is kept. */
static gboolean
load_variable (MatlabFile *self,
               const PrismField *field)
{
  const matvar_t *variable;
  gsize size;

  if (self->loaded == field->handle)
    return TRUE;
  if (self->variable != NULL)
    Mat_VarFree (self->variable);
  self->loaded = -1;
  self->variable = Mat_VarRead (self->file, g_ptr_array_index (self->names, field->handle));
  variable = self->variable;
  if (variable == NULL || variable->data == NULL)
    return FALSE;
  size = get_size (variable->data_type);
  if (size == 0 || (gsize) variable->data_size != size || variable->rank != field->n_dims
      || (variable->isComplex != 0) != (field->kind == PRISM_FIELD_COMPLEX)
      || variable->nbytes < field->n_values * size)
    return FALSE;
  for (int i = 0; i < variable->rank; i++)
    if (variable->dims[variable->rank - 1 - i] != field->shape[i])
      return FALSE;
  self->loaded = field->handle;
  return TRUE;
}

/* The value at an index in the order of the file. */
static void
copy_value (const matvar_t *variable,
            gsize i,
            double *values)
{
  const mat_complex_split_t *parts = variable->data;

  if (!variable->isComplex)
    {
      *values = get_number (variable->data, variable->data_type, i);
      return;
    }
  values[0] = get_number (parts->Re, variable->data_type, i);
  values[1] = get_number (parts->Im, variable->data_type, i);
}

static gboolean
read_part (PrismFields *fields,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  MatlabFile *self = fields->data;
  gsize digits[PRISM_FIELDS_MAX_DIMS] = { 0 }, n = 1;
  gsize n_parts = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;

  if (!load_variable (self, field))
    {
      g_autofree char *reason = g_strdup_printf ("the values of “%s” are damaged or cut off",
                                                 field->name);

      prism_fields_set_error (error, fields->name, fields->format, reason);
      return FALSE;
    }
  for (int i = 0; i < field->n_dims; i++)
    n *= count[i];
  for (gsize k = 0; k < n; k++)
    {
      gsize at = 0;
      int i;

      for (i = 0; i < field->n_dims; i++)
        at = at * field->shape[i] + start[i] + digits[i];
      copy_value (self->variable, at, values + k * n_parts);
      for (i = field->n_dims - 1; i >= 0 && ++digits[i] == count[i]; i--)
        digits[i] = 0;
    }
  return TRUE;
}

/* A text of one line that is a number with its unit. */
static gboolean
add_text (PrismFields *fields,
          matvar_t *variable)
{
  MatlabFile *self = fields->data;
  const gsize n = variable->rank == 2 && variable->dims[0] == 1 ? variable->dims[1] : 0;
  g_autoptr (GString) text = g_string_new (NULL);

  if (variable->class_type != MAT_C_CHAR || n == 0 || n > MOST_TEXT
      || Mat_VarReadDataAll (self->file, variable) != 0 || variable->data == NULL
      || get_size (variable->data_type == MAT_T_UTF8 ? MAT_T_UINT8 : variable->data_type) * n
             > variable->nbytes)
    return FALSE;
  if (variable->data_type == MAT_T_UTF8)
    g_string_append_len (text, variable->data, (gssize) strnlen (variable->data, variable->nbytes));
  for (gsize i = 0; i < n && variable->data_type != MAT_T_UTF8; i++)
    g_string_append_unichar (text, (gunichar) get_number (variable->data, variable->data_type, i));
  return prism_fields_add_text (fields, variable->name, text->str) != NULL;
}

static void
add_variable (PrismFields *fields,
              matvar_t *variable,
              guint64 file_size)
{
  MatlabFile *self = fields->data;
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  PrismFieldKind kind = PRISM_FIELD_OTHER;
  PrismField *field;
  int rank = variable->rank;

  if (add_text (fields, variable))
    return;
  if (is_number (variable) && rank >= 2 && variable->dims != NULL)
    kind = variable->isComplex ? PRISM_FIELD_COMPLEX : PRISM_FIELD_REAL;
  if (kind == PRISM_FIELD_OTHER)
    rank = 0;
  for (int i = 0; i < rank && i < PRISM_FIELDS_MAX_DIMS; i++)
    shape[i] = variable->dims[rank - 1 - i];
  field = prism_fields_add (fields, variable->name, kind, rank, shape);
  field->handle = (int) self->names->len;
  g_ptr_array_add (self->names, g_strdup (variable->name));
  if (field->obstacle == NULL && field->n_values == 0)
    field->obstacle = g_strdup ("it is empty");
  if (field->obstacle == NULL && field->n_values / PRISM_MATLAB_MAX_EXPANSION > file_size)
    field->obstacle = g_strdup ("its shape asks for more values than its bytes can hold");
}

/* What else lies in the file is listed, but never read. */
static void
add_others (PrismFields *fields,
            const GPtrArray *others)
{
  static const gsize shape[1] = { 0 };

  for (guint i = 0; i < others->len && fields->fields->len < PRISM_FIELDS_MAX; i++)
    {
      PrismField *field = prism_fields_add (fields, g_ptr_array_index (others, i),
                                            PRISM_FIELD_OTHER, 0, shape);

      g_free (field->obstacle);
      field->obstacle = g_strdup ("it is an object or sparse, or a structure or cell without"
                                  " an array");
    }
}

/* Opens the file, or a copy of its arrays and of those in structures and cells where it has more
 * than arrays: matio would read the rest, too, whatever it is. */
static mat_t *
open_arrays (const char *path,
             guint64 *size,
             GPtrArray *others,
             char **reason,
             GError **error)
{
  g_autoptr (GArray) arrays = g_array_new (FALSE, FALSE, sizeof (PrismMatlabPart));
  g_autoptr (GArray) nested = g_array_new (FALSE, FALSE, sizeof (PrismMatlabPart));
  g_autofree char *copy_path = NULL;
  mat_t *file = NULL;
  int copy = -1;
  int fd = prism_file_open (path, MAX_BYTES, size, error);

  if (fd < 0)
    return NULL;
  *reason = prism_matlab_check (fd, *size, arrays, nested, others);
  if (*reason == NULL && others->len + nested->len > 0)
    {
      copy = prism_matlab_extract (fd, arrays, nested, others);
      copy_path = g_strdup_printf ("/proc/self/fd/%d", copy);
      if (copy < 0)
        *reason = g_strdup ("it has more than arrays, and the temporary folder has no room for"
                            " these; make room there, or set TMPDIR to a folder that has");
    }
  if (*reason == NULL)
    {
      file = Mat_Open (copy >= 0 ? copy_path : path, MAT_ACC_RDONLY);
      if (file == NULL)
        *reason = g_strdup ("its header is damaged");
    }
  if (copy >= 0)
    close (copy);
  close (fd);
  return file;
}

/**
 * prism_fields_load_matlab:
 * @path: file name
 *
 * Lists the variables of a file of MATLAB 5 to 7.2. The arrays in structures and cells are
 * listed by the names of their places, texts that are numbers with a unit as numbers; objects and
 * sparse matrices are no arrays here.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_matlab (const char *path,
                          GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (PrismFields) fields = prism_fields_new (name, "MATLAB 5");
  MatlabFile *self = g_new0 (MatlabFile, 1);
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *reason = NULL;
  matvar_t *variable;
  guint64 size;

  fields->column_major = TRUE;
  fields->data = self;
  fields->free_data = free_file;
  fields->read = read_part;
  self->loaded = -1;
  self->names = g_ptr_array_new_with_free_func (g_free);
  /* The message is constant in newer releases: either type is taken. */
  Mat_LogInitFunc ("prism", (gpointer) on_message);
  self->file = open_arrays (path, &size, others, &reason, error);
  if (reason != NULL)
    prism_fields_set_error (error, name, "MATLAB 5", reason);
  if (self->file == NULL)
    return NULL;
  while (fields->fields->len < PRISM_FIELDS_MAX
         && (variable = Mat_VarReadNextInfo (self->file)) != NULL)
    {
      if (variable->name != NULL)
        add_variable (fields, variable, size);
      Mat_VarFree (variable);
    }
  if (fields->fields->len > 0)
    add_others (fields, others);
  if (fields->fields->len > 0)
    return g_steal_pointer (&fields);
  prism_fields_set_error (error, name, "MATLAB 5",
                          others->len > 0 ? "it has cells, structures, objects or sparse matrices"
                                            " alone, without an array that can be read; save the"
                                            " arrays themselves (save -v7 FILE frames …)"
                                          : "no variable of it can be read");
  return NULL;
}
