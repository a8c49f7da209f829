/* What a file has is listed first and written at once, so that its room on the disk is known before
 * and the file is there as a whole or not at all: it is written beside the old one, which it
 * replaces at the end.
 *
 * Source: NeXus, reference documentation of NXroot, NXentry, NXdata, NXprocess. */
#include "config.h"

#include "formats/prism-nexus.h"

#include "base/prism-arena.h"
#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-hdf5.h"

#define MAX_DIMS 6
#define HEADER_BYTES 512

typedef enum
{
  ITEM_GROUP,
  ITEM_ARRAY,
  ITEM_TEXT,
  ITEM_ATTRIBUTE,
  ITEM_LINK,
} ItemKind;

typedef struct
{
  ItemKind kind;
  char *path;
  char *name;  /* of an attribute; what a link leads to */
  char **text; /* of a text or an attribute */
  PrismNexusType type;
  int n_dims;
  hsize_t shape[MAX_DIMS];
  const void *values;
  void *own; /* (nullable): the values where nobody else has them */
} Item;

struct _PrismNexus
{
  GPtrArray *items; /* of Item, in the order of writing */
};

PRISM_FREE (Item, free_item, g_free, path, g_free, name, g_strfreev, text, g_free, own)

static Item *
add (PrismNexus *self,
     ItemKind kind,
     const char *path)
{
  Item *item = g_new0 (Item, 1);

  item->kind = kind;
  item->path = g_strdup (path);
  g_ptr_array_add (self->items, item);
  return item;
}

static void
set_text (PrismNexus *self,
          const char *path,
          const char *name,
          const char *text)
{
  prism_nexus_attribute (self, path, name, (const char *const[]) { text, NULL });
}

/**
 * prism_nexus_new:
 * @title: (nullable): of the entry
 *
 * Begins a file whose one entry shows /entry/object, an NXdata that the caller adds. By what it was
 * made, and when, stands in /entry/process. Without a title it is empty, and no NeXus.
 *
 * Returns: (transfer full): the file, of which nothing is written yet
 */
PrismNexus *
prism_nexus_new (const char *title)
{
  PrismNexus *self = g_new0 (PrismNexus, 1);
  g_autofree char *date = prism_clock_dup_utc ();

  self->items = g_ptr_array_new_with_free_func (free_item);
  if (title == NULL)
    return self;
  set_text (self, "/", "NX_class", "NXroot");
  set_text (self, "/", "default", "entry");
  set_text (self, "/", "creator", "PRISM Studio " PRISM_VERSION);
  set_text (self, "/", "file_time", date);
  prism_nexus_group (self, "/entry", "NXentry");
  set_text (self, "/entry", "default", "object");
  prism_nexus_text (self, "/entry/title", title);
  prism_nexus_group (self, "/entry/process", "NXprocess");
  prism_nexus_text (self, "/entry/process/program", "PRISM Studio");
  prism_nexus_text (self, "/entry/process/version", PRISM_VERSION);
  prism_nexus_text (self, "/entry/process/date", date);
  return self;
}

/**
 * prism_nexus_free:
 * @self: (nullable): a file, saved or not
 */
PRISM_FREE_FOR_ALL (PrismNexus, prism_nexus_free, g_ptr_array_unref, items)

/**
 * prism_nexus_group:
 * @path: "/entry/object", whose parent has been added
 * @nx_class: "NXdata"
 *
 * Adds a group.
 */
void
prism_nexus_group (PrismNexus *self,
                   const char *path,
                   const char *nx_class)
{
  add (self, ITEM_GROUP, path);
  set_text (self, path, "NX_class", nx_class);
}

/* own: (nullable): the same values where nobody else has them */
static void
add_array (PrismNexus *self,
           const char *path,
           PrismNexusType type,
           int n_dims,
           const gsize *shape,
           const void *values,
           void *own,
           const char *unit)
{
  Item *item;

  if (values == NULL)
    return;
  item = add (self, ITEM_ARRAY, path);
  item->type = type;
  item->n_dims = n_dims;
  for (int i = 0; i < n_dims; i++)
    item->shape[i] = shape[i];
  item->values = values;
  item->own = own;
  if (unit != NULL)
    set_text (self, path, "units", unit);
}

/**
 * prism_nexus_array:
 * @path: "/entry/object/x", whose groups are made if need be
 * @values: (nullable): stay the caller's, until the file is saved; nothing is left out
 * @unit: (nullable): "m"
 *
 * Adds an array, whose last dimension lies closest together; one of no dimensions is a number.
 */
void
prism_nexus_array (PrismNexus *self,
                   const char *path,
                   PrismNexusType type,
                   int n_dims,
                   const gsize *shape,
                   const void *values,
                   const char *unit)
{
  add_array (self, path, type, n_dims, shape, values, NULL, unit);
}

/**
 * prism_nexus_axis:
 *
 * Adds @n places, @step apart: where the points of an array lie along one dimension.
 */
void
prism_nexus_axis (PrismNexus *self,
                  const char *path,
                  gsize n,
                  double first,
                  double step,
                  const char *unit)
{
  double *places = g_new (double, n);

  for (gsize i = 0; i < n; i++)
    places[i] = first + step * (double) i;
  add_array (self, path, PRISM_NEXUS_DOUBLE, 1, &n, places, places, unit);
}

/**
 * prism_nexus_number:
 * @value: NAN, which is unknown, is left out
 *
 * Adds a number.
 */
void
prism_nexus_number (PrismNexus *self,
                    const char *path,
                    double value,
                    const char *unit)
{
  double *own = isnan (value) ? NULL : g_memdup2 (&value, sizeof value);

  add_array (self, path, PRISM_NEXUS_DOUBLE, 0, NULL, own, own, unit);
}

/**
 * prism_nexus_text:
 * @text: (nullable): UTF-8; nothing is left out
 *
 * Adds a text.
 */
void
prism_nexus_text (PrismNexus *self,
                  const char *path,
                  const char *text)
{
  if (text != NULL)
    add (self, ITEM_TEXT, path)->text
        = g_strdupv ((char **) (const char *const[]) { text, NULL });
}

/**
 * prism_nexus_attribute:
 * @path: of a group or an array that has been added
 * @texts: (array zero-terminated=1): one is a text, more are an array of them
 *
 * Adds an attribute.
 */
void
prism_nexus_attribute (PrismNexus *self,
                       const char *path,
                       const char *name,
                       const char *const *texts)
{
  Item *item = add (self, ITEM_ATTRIBUTE, path);

  item->name = g_strdup (name);
  item->text = g_strdupv ((char **) texts);
}

/**
 * prism_nexus_link:
 * @path: another name
 * @target: of what has been added; a number that is unknown has no other name either
 *
 * Adds a hard link.
 */
void
prism_nexus_link (PrismNexus *self,
                  const char *path,
                  const char *target)
{
  PRISM_FOR_EACH_POINTER (const Item, item, self->items)
    {
      if (item->kind == ITEM_ARRAY && strcmp (item->path, target) == 0)
        {
          add (self, ITEM_LINK, path)->name = g_strdup (target);
          return;
        }
    }
}

/**
 * prism_nexus_picture:
 * @pixel: its side, m
 * @amplitude: [@height][@width], stays the caller's
 * @companion: (nullable): name of what lies beside it
 * @beside: (nullable): [@height][@width]; where there is none it is left out
 * @unit: (nullable): of what lies beside it
 *
 * Adds /entry/object, at which the file opens. Row 0 is on top: y, which programs let grow upwards,
 * falls from row to row.
 */
void
prism_nexus_picture (PrismNexus *self,
                     int height,
                     int width,
                     double pixel,
                     const float *amplitude,
                     const char *companion,
                     const float *beside,
                     const char *unit)
{
  static const char *const axes[] = { "y", "x", NULL };
  const gsize shape[] = { (gsize) height, (gsize) width };
  g_autofree char *path = g_strconcat ("/entry/object/", companion, NULL);

  prism_nexus_group (self, "/entry/object", "NXdata");
  set_text (self, "/entry/object", "signal", "amplitude");
  prism_nexus_attribute (self, "/entry/object", "axes", axes);
  prism_nexus_array (self, "/entry/object/amplitude", PRISM_NEXUS_FLOAT, 2, shape, amplitude, NULL);
  prism_nexus_axis (self, "/entry/object/y", shape[0], 0, -pixel, "m");
  prism_nexus_axis (self, "/entry/object/x", shape[1], 0, pixel, "m");
  if (beside == NULL)
    return;
  set_text (self, "/entry/object", "auxiliary_signals", companion);
  prism_nexus_array (self, path, PRISM_NEXUS_FLOAT, 2, shape, beside, unit);
}

/* In the file complex numbers are as h5py has them. */
static hid_t
new_type (PrismNexusType type)
{
  const hid_t real = type == PRISM_NEXUS_DOUBLE   ? H5T_NATIVE_DOUBLE
                     : type == PRISM_NEXUS_UINT32 ? H5T_NATIVE_UINT32
                                                  : H5T_NATIVE_FLOAT;
  hid_t pair;

  if (type != PRISM_NEXUS_COMPLEX)
    return H5Tcopy (real);
  pair = H5Tcreate (H5T_COMPOUND, 2 * sizeof (float));
  H5Tinsert (pair, "r", 0, real);
  H5Tinsert (pair, "i", sizeof (float), real);
  return pair;
}

/* word: (nullable): it has as many bytes as this, as MATLAB wants it */
static hid_t
new_text_type (const char *word)
{
  hid_t type = H5Tcopy (H5T_C_S1);

  H5Tset_size (type, word != NULL ? strlen (word) : H5T_VARIABLE);
  H5Tset_cset (type, word != NULL ? H5T_CSET_ASCII : H5T_CSET_UTF8);
  return type;
}

static gboolean
write_item (hid_t file,
            const Item *item)
{
  const hsize_t n_texts = item->text != NULL ? g_strv_length (item->text) : 0;
  const gboolean is_array = item->kind == ITEM_ARRAY;
  const char *word = g_strcmp0 (item->name, "MATLAB_class") == 0 ? item->text[0] : NULL;
  prism_auto_hid type = is_array ? new_type (item->type) : new_text_type (word);
  prism_auto_hid space = is_array && item->n_dims > 0
                             ? H5Screate_simple (item->n_dims, item->shape, NULL)
                         : n_texts > 1 ? H5Screate_simple (1, &n_texts, NULL)
                                       : H5Screate (H5S_SCALAR);
  prism_auto_hid plist = H5Pcreate (H5P_DATASET_CREATE), groups = H5Pcreate (H5P_LINK_CREATE);
  prism_auto_hid object = -1, attribute = -1;

  /* The same result is the same file, but for its dates. */
  H5Pset_obj_track_times (plist, FALSE);
  H5Pset_create_intermediate_group (groups, 1);
  if (item->type == PRISM_NEXUS_FRAMES)
    {
      H5Pset_chunk (plist, 3, (hsize_t[]) { 1, item->shape[1], item->shape[2] });
      H5Pset_deflate (plist, 4);
    }
  switch (item->kind)
    {
    case ITEM_GROUP:
      object = H5Gcreate2 (file, item->path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      return object >= 0;
    case ITEM_LINK:
      return H5Lcreate_hard (file, item->name, file, item->path, groups, H5P_DEFAULT) >= 0;
    case ITEM_ATTRIBUTE:
      object = H5Oopen (file, item->path, H5P_DEFAULT);
      attribute = H5Acreate2 (object, item->name, type, space, H5P_DEFAULT, H5P_DEFAULT);
      return attribute >= 0
             && H5Awrite (attribute, type, word != NULL ? word : (const void *) item->text) >= 0;
    case ITEM_ARRAY:
    case ITEM_TEXT:
      object = H5Dcreate2 (file, item->path, type, space, groups, plist, H5P_DEFAULT);
      return object >= 0
             && H5Dwrite (object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                          is_array ? item->values : item->text)
                    >= 0;
    }
  return FALSE;
}

static guint64
count_bytes (const PrismNexus *self)
{
  static const guint64 sizes[] = { 4, 8, 8, 4, 4 };
  guint64 n_bytes = 0;

  PRISM_FOR_EACH_POINTER (const Item, item, self->items)
    {
      guint64 n = item->kind == ITEM_ARRAY ? sizes[item->type] : 0;

      for (int k = 0; k < item->n_dims; k++)
        n *= item->shape[k];
      PRISM_FOR_EACH_STRING (text, item->text)
        n += strlen (*text) + 64;
      n_bytes += n + 1024;
    }
  return n_bytes;
}

/* Writes a text of MATLAB's before HDF5's own. */
static gboolean
put_header (const char *path,
            const char *text)
{
  char header[HEADER_BYTES] = "";
  FILE *file = fopen (path, "r+b");
  gboolean ok;

  g_snprintf (header, sizeof header, "%-116s", text);
  memcpy (header + 124, "\0\2IM", 4);
  ok = file != NULL && fwrite (header, 1, sizeof header, file) == sizeof header;
  return file != NULL && fclose (file) == 0 && ok;
}

/**
 * prism_nexus_save:
 * @path: file name; an older file is replaced as a whole
 * @header: (nullable): text of a file of MATLAB 7.3
 *
 * Writes the file.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_nexus_save (PrismNexus *self,
                  const char *path,
                  const char *header,
                  GError **error)
{
  g_autofree char *temporary = prism_file_dup_temporary (path, error);
  gboolean ok;
  hid_t file;

  if (temporary == NULL)
    return FALSE;
  file = prism_hdf5_create (temporary, count_bytes (self), header != NULL ? HEADER_BYTES : 0);
  ok = file >= 0;
  for (guint i = 0; i < self->items->len && ok; i++)
    ok = write_item (file, g_ptr_array_index (self->items, i));
  if (file >= 0 && H5Fclose (file) >= 0 && ok
      && (header == NULL || put_header (temporary, header)))
    return prism_file_commit (temporary, path, error);
  unlink (temporary);
  return prism_error_io (
      error, _ ("“%s” cannot be written. Make room or choose another place, and try again."), path);
}

static hid_t
open_file (const char *path,
           GError **error)
{
  hid_t file = -1;

  prism_hdf5_init ();
  /* A pipe would be waited for. */
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0)
    prism_error_format (error, _ ("“%s” cannot be read as HDF5: name the result.h5 of a result."),
                        path);
  return file;
}

/**
 * prism_nexus_load_text:
 * @name: "/entry/process/date"
 *
 * Reads a text of a file that prism_nexus_save() has written.
 *
 * Errors: PRISM_ERROR_FORMAT where there is none.
 *
 * Returns: (transfer full) (nullable): the text
 */
char *
prism_nexus_load_text (const char *path,
                       const char *name,
                       GError **error)
{
  prism_auto_hid file = open_file (path, error);
  prism_auto_hid dataset = -1, type = -1, space = -1;
  char *stored = NULL, *text;

  if (file < 0)
    return NULL;
  dataset = H5Dopen2 (file, name, H5P_DEFAULT);
  type = dataset >= 0 ? H5Dget_type (dataset) : -1;
  space = dataset >= 0 ? H5Dget_space (dataset) : -1;
  if (type >= 0 && H5Tis_variable_str (type) > 0 && H5Sget_simple_extent_npoints (space) == 1)
    H5Dread (dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &stored);
  if (stored == NULL)
    {
      prism_error_format (error, _ ("“%s” has no %s: name the result.h5 of a result."), path, name);
      return NULL;
    }
  text = g_utf8_make_valid (stored, -1);
  H5free_memory (stored);
  return text;
}

/**
 * prism_nexus_compare:
 * @path: a file that prism_nexus_save() has written
 * @other: another one
 * @difference: (out) (nullable) (transfer full): the first array of @path that @other has not got
 *   to the bit; %NULL: it has them all
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether both could be read
 */
gboolean
prism_nexus_compare (const char *path,
                     const char *other,
                     char **difference,
                     GError **error)
{
  static const char date[] = "/entry/process/date"; /* that every result has */
  g_autofree char *first = prism_nexus_load_text (path, date, error);
  g_autofree char *second = first != NULL ? prism_nexus_load_text (other, date, error) : NULL;
  g_autoptr (PrismFields) file = second != NULL ? prism_fields_load_hdf5 (path, error) : NULL;
  g_autoptr (PrismFields) twin = file != NULL ? prism_fields_load_hdf5 (other, error) : NULL;

  *difference = NULL;
  for (guint i = 0; twin != NULL && *difference == NULL && i < file->fields->len; i++)
    {
      const PrismField *field = g_ptr_array_index (file->fields, i);
      const PrismField *same = prism_fields_find (twin, field->name);
      const gsize n_parts = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;
      prism_autofree_array double *values = NULL, *others = NULL;

      /* Other names are further ones of these. Texts, which are there already where they are
       * numbers, say when a result was made, and on what. */
      if (!g_str_has_prefix (field->name, "entry/") || field->kind == PRISM_FIELD_OTHER
          || field->values != NULL)
        continue;
      values = prism_fields_load (file, field, NULL);
      others = same != NULL && same->kind == field->kind && same->n_values == field->n_values
                   ? prism_fields_load (twin, same, NULL)
                   : NULL;
      if (values == NULL || others == NULL
          || memcmp (values, others, field->n_values * n_parts * sizeof *values) != 0)
        *difference = g_strdup (field->name);
    }
  return twin != NULL;
}
