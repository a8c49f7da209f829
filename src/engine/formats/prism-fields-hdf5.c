#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "formats/prism-fields-readers.h"

#include "formats/prism-hdf5.h"

#define MAX_CHUNK_BYTES (G_GUINT64_CONSTANT (1) << 30)

/* What a handle of a field stands for. */
typedef struct
{
  hid_t file;
  GPtrArray *paths; /* of char * */
} Hdf5File;

/* The walk through the links of a file. */
typedef struct
{
  PrismFields *fields;
  PrismFields *numbers; /* attributes, which come last */
  const char *path;     /* of what has them */
  guint n_links;
  guint n_attributes;
} Walk;

static void
free_file (gpointer data)
{
  Hdf5File *self = data;

  prism_hdf5_init ();
  if (self->file >= 0)
    H5Fclose (self->file);
  g_ptr_array_unref (self->paths);
  g_free (self);
}

/* The innermost message is the reason. */
static herr_t
on_message (unsigned n,
            const H5E_error2_t *message,
            void *data)
{
  char **reason = data;

  if (n == 0 && message->desc != NULL)
    *reason = g_utf8_make_valid (message->desc, -1);
  return 0;
}

static void
set_library_error (GError **error,
                   const char *name,
                   const char *what)
{
  g_autofree char *detail = NULL;
  g_autofree char *reason = NULL;

  H5Ewalk2 (H5E_DEFAULT, H5E_WALK_UPWARD, on_message, &detail);
  H5Eclear2 (H5E_DEFAULT);
  if (detail != NULL)
    g_strdelimit (g_strchomp (detail), "\n\r", ' ');
  reason = detail != NULL ? g_strdup_printf ("%s (%s)", what, detail) : g_strdup (what);
  prism_fields_set_error (error, name, "HDF5", reason);
}

/* Two floats, as h5py, MATLAB and others write complex numbers. */
static gboolean
is_complex (hid_t type)
{
  static const char *const names[] = { "r", "re", "real", "Re", "x", NULL };
  gboolean good = H5Tget_class (type) == H5T_COMPOUND && H5Tget_nmembers (type) == 2;
  char *first;

  for (unsigned i = 0; good && i < 2; i++)
    good = H5Tget_member_class (type, i) == H5T_FLOAT;
  if (!good)
    return FALSE;
  first = H5Tget_member_name (type, 0);
  good = first != NULL && g_strv_contains (names, first);
  if (first != NULL)
    H5free_memory (first);
  return good;
}

static PrismFieldKind
get_kind (hid_t dataset)
{
  prism_auto_hid type = H5Dget_type (dataset);
  const H5T_class_t class = type >= 0 ? H5Tget_class (type) : H5T_NO_CLASS;

  if (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM)
    return PRISM_FIELD_REAL;
  return type >= 0 && is_complex (type) ? PRISM_FIELD_COMPLEX : PRISM_FIELD_OTHER;
}

/* A filter of the pipeline that is not here. */
static char *
find_missing_filter (hid_t plist)
{
  int n = H5Pget_nfilters (plist);

  if (n > 32)
    return g_strdup ("it went through more than 32 filters");
  for (int i = 0; i < n; i++)
    {
      unsigned flags, config, values[16];
      gsize n_values = G_N_ELEMENTS (values);
      char name[64] = "";
      H5Z_filter_t filter = H5Pget_filter2 (plist, (unsigned) i, &flags, &n_values, values,
                                            sizeof name, name, &config);

      if (filter < 0)
        return g_strdup ("its list of filters is damaged");
      if (H5Zfilter_avail (filter) <= 0)
        return g_strdup_printf ("it is compressed by filter %d%s%s%s, which is not here; write it"
                                " again with gzip or without compression",
                                filter, *name != '\0' ? " (" : "", name,
                                *name != '\0' ? ")" : "");
    }
  return NULL;
}

/* Values in other files are read where these lie in the same folder or below it. */
static gboolean
is_beside (const char *file)
{
  return !g_path_is_absolute (file) && strstr (file, "..") == NULL;
}

static gboolean
has_object (const char *path,
            const char *name)
{
  prism_auto_hid plist = H5Pcreate (H5P_FILE_ACCESS);
  gboolean has = FALSE;
  hid_t file;

  H5Pset_file_locking (plist, FALSE, TRUE);
  file = H5Fopen (path, H5F_ACC_RDONLY, plist);
  if (file >= 0)
    {
      has = H5Oexists_by_name (file, name, H5P_DEFAULT) > 0;
      H5Fclose (file);
    }
  return has;
}

/* An array that is made of those of other files, each of its values of one. */
static char *
find_virtual_obstacle (hid_t dataset,
                       hid_t plist,
                       gsize n_values)
{
  char name[4096] = "", file[4096] = "", source[4096] = "";
  hssize_t n_there = 0;
  size_t n = 0;

  if (H5Fget_name (dataset, name, sizeof name) < 0 || H5Pget_virtual_count (plist, &n) < 0)
    return g_strdup ("its layout is damaged");
  for (size_t i = 0; i < n; i++)
    {
      prism_auto_hid space = H5Pget_virtual_vspace (plist, i);
      const gboolean named = H5Pget_virtual_filename (plist, i, file, sizeof file) > 0
                             && H5Pget_virtual_dsetname (plist, i, source, sizeof source) > 0;
      const gboolean own = strcmp (file, ".") == 0;
      g_autofree char *folder = g_path_get_dirname (name);
      g_autofree char *path = own ? g_strdup (name) : g_build_filename (folder, file, NULL);
      g_autofree char *valid = g_utf8_make_valid (file, -1);
      g_autofree char *wanted = g_utf8_make_valid (source, -1);

      if (!named || (!own && !is_beside (file)))
        return g_strdup_printf ("its values lie in “%s”, which is not in the folder of this file;"
                                " put it there",
                                valid);
      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !has_object (path, source))
        return g_strdup_printf ("its values are “%s” of “%s”, which is not there; put it beside"
                                " this file",
                                wanted, valid);
      n_there += H5Sget_select_npoints (space);
    }
  return n_there == (hssize_t) n_values
             ? NULL
             : g_strdup ("a part of its values is in no file; write them into this one");
}

static char *
find_layout_obstacle (hid_t dataset,
                      hid_t plist,
                      const PrismField *field,
                      gsize item_size)
{
  H5D_layout_t layout = H5Pget_layout (plist);
  hsize_t chunk[PRISM_FIELDS_MAX_DIMS];
  guint64 n_bytes = item_size;
  int n_dims;

  if (layout == H5D_VIRTUAL)
    return find_virtual_obstacle (dataset, plist, field->n_values);
  if (H5Pget_external_count (plist) > 0)
    return g_strdup ("its values lie in other files; write them into this one");
  if (layout < 0)
    return g_strdup ("its layout is damaged");
  if (layout != H5D_CHUNKED)
    return NULL;
  n_dims = H5Pget_chunk (plist, PRISM_FIELDS_MAX_DIMS, chunk);
  for (int i = 0; i < n_dims && i < PRISM_FIELDS_MAX_DIMS; i++)
    if (chunk[i] == 0 || n_bytes > MAX_CHUNK_BYTES / chunk[i])
      return g_strdup ("its chunks are larger than 1 GiB");
    else
      n_bytes *= chunk[i];
  return n_dims <= 0 ? g_strdup ("its chunks are damaged") : find_missing_filter (plist);
}

/* Whether the file can hold the values, found out before memory is asked for. */
static char *
find_obstacle (hid_t dataset,
               const PrismField *field)
{
  prism_auto_hid plist = H5Dget_create_plist (dataset);
  prism_auto_hid type = H5Dget_type (dataset);
  const gsize item_size = type < 0 ? 0 : H5Tget_size (type);
  const guint64 stored = H5Dget_storage_size (dataset);
  char *obstacle;

  if (plist < 0 || item_size == 0 || item_size > 32)
    return g_strdup ("its header is damaged");
  obstacle = find_layout_obstacle (dataset, plist, field, item_size);
  if (obstacle != NULL || H5Pget_layout (plist) == H5D_VIRTUAL)
    return obstacle;
  if (field->n_values == 0)
    return g_strdup ("it is empty");
  if (stored == 0)
    return g_strdup ("no value of it was ever written");
  /* Deflate makes at most 1032 bytes of one, twice in a row hardly more; a fill value makes any
   * number of none. */
  return (double) field->n_values * item_size > 4096.0 * stored
             ? g_strdup ("its shape asks for more values than its bytes can hold")
             : NULL;
}

#define MOST_LINK 65536 /* bytes of a link to another file */
#define MOST_TEXT 256   /* bytes of a text that can be a number or a unit */
#define MOST_COLUMNS 64 /* of a table */

/* The one text that an attribute or a dataset has, %NULL: it has another thing. */
static char *
dup_text (hid_t object,
          gboolean is_attribute)
{
  prism_auto_hid space = is_attribute ? H5Aget_space (object) : H5Dget_space (object);
  prism_auto_hid type = is_attribute ? H5Aget_type (object) : H5Dget_type (object);
  char fixed[MOST_TEXT + 1] = "", *variable = NULL, *text = NULL;
  const gboolean varies = H5Tis_variable_str (type) > 0;
  gpointer where = varies ? (gpointer) &variable : (gpointer) fixed;

  if (space >= 0 && H5Sget_simple_extent_npoints (space) == 1 && H5Tget_class (type) == H5T_STRING
      && (varies || H5Tget_size (type) <= MOST_TEXT)
      && (is_attribute ? H5Aread (object, type, where)
                       : H5Dread (object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, where))
             >= 0)
    text = g_utf8_make_valid (varies && variable != NULL ? variable : fixed, -1);
  if (variable != NULL)
    H5free_memory (variable);
  return text != NULL ? g_strstrip (text) : NULL;
}

/* The unit that stands beside a dataset, as NeXus and others write it. */
static void
read_unit (hid_t dataset,
           PrismField *field)
{
  static const char *const names[] = { "units", "unit", "Units", "Unit" };

  PRISM_FOR_EACH_OF (name, names)
    if (H5Aexists (dataset, *name) > 0)
      {
        prism_auto_hid attribute = H5Aopen (dataset, *name, H5P_DEFAULT);
        g_autofree char *text = attribute >= 0 ? dup_text (attribute, TRUE) : NULL;

        if (text != NULL && field->unit.kind == PRISM_UNIT_NONE)
          prism_fields_set_unit (field, text);
      }
}

/* A number, or a text that is one with its unit, is an array of one value. */
static herr_t
on_attribute (hid_t object,
              const char *name,
              const H5A_info_t *info,
              void *data)
{
  Walk *walk = data;
  g_autofree char *path = g_build_path ("/", walk->path, name, NULL);
  g_autofree char *text = NULL;
  prism_auto_hid attribute = -1, space = -1, type = -1;
  double number;

  if (++walk->n_attributes > PRISM_FIELDS_MAX)
    return 1;
  if (g_str_has_prefix (name, "MATLAB_") || prism_fields_find (walk->fields, path) != NULL
      || prism_fields_find (walk->numbers, path) != NULL)
    return 0;
  attribute = H5Aopen (object, name, H5P_DEFAULT);
  if (attribute < 0)
    return 0;
  space = H5Aget_space (attribute);
  type = H5Aget_type (attribute);
  text = dup_text (attribute, TRUE);
  if (text != NULL)
    prism_fields_add_text (walk->numbers, path, text);
  else if (space >= 0 && type >= 0 && H5Sget_simple_extent_npoints (space) == 1
           && (H5Tget_class (type) == H5T_INTEGER || H5Tget_class (type) == H5T_FLOAT)
           && H5Aread (attribute, H5T_NATIVE_DOUBLE, &number) >= 0)
    prism_fields_add_number (walk->numbers, path, number);
  return 0;
}

/* The columns of a table, an array of records, that are numbers. */
static void
add_columns (PrismFields *fields,
             hid_t dataset,
             const char *path,
             gsize n)
{
  prism_auto_hid type = H5Dget_type (dataset);
  const int n_members = H5Tget_class (type) == H5T_COMPOUND ? H5Tget_nmembers (type) : 0;

  for (int i = 0; i < n_members && i < MOST_COLUMNS && n <= PRISM_FIELDS_MAX_FRAMES; i++)
    {
      const H5T_class_t class = H5Tget_member_class (type, (unsigned) i);
      char *member = H5Tget_member_name (type, (unsigned) i);
      g_autofree char *name = g_strconcat (path, "/", member, NULL);
      double *values = prism_arena_new_array (n * sizeof *values, "a column", NULL);
      prism_auto_hid one = H5Tcreate (H5T_COMPOUND, sizeof *values);

      if ((class == H5T_INTEGER || class == H5T_FLOAT) && values != NULL
          && H5Tinsert (one, member, 0, H5T_NATIVE_DOUBLE) >= 0
          && H5Dread (dataset, one, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
        prism_fields_add_values (fields, name, PRISM_FIELD_REAL, 1, &n, g_steal_pointer (&values));
      prism_arena_free_array (values);
      H5free_memory (member);
    }
}

/* name: what it is called; path: where it is */
static void
add_dataset (Walk *walk,
             hid_t dataset,
             const char *name,
             const char *path)
{
  Hdf5File *self = walk->fields->data;
  prism_auto_hid space = H5Dget_space (dataset);
  hsize_t sizes[PRISM_FIELDS_MAX_DIMS] = { 0 };
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  int n_dims = space < 0 ? -1 : H5Sget_simple_extent_ndims (space);
  g_autofree char *text = n_dims <= 1 ? dup_text (dataset, FALSE) : NULL;
  PrismField *field;

  if (text != NULL && prism_fields_add_text (walk->fields, name, text) != NULL)
    return;
  if (n_dims > 0 && n_dims <= PRISM_FIELDS_MAX_DIMS)
    H5Sget_simple_extent_dims (space, sizes, NULL);
  for (int i = 0; i < PRISM_FIELDS_MAX_DIMS; i++)
    shape[i] = sizes[i];
  field = prism_fields_add (walk->fields, name, get_kind (dataset), MAX (n_dims, 0), shape);
  field->handle = (int) self->paths->len;
  /* h5py writes no class: its rows are rows, whatever the file is called. */
  field->column_major = walk->fields->column_major && H5Aexists (dataset, "MATLAB_class") > 0;
  g_ptr_array_add (self->paths, g_strdup (path));
  if (n_dims < 0 && field->obstacle == NULL)
    field->obstacle = g_strdup ("its shape is damaged");
  if (n_dims == 1 && field->kind == PRISM_FIELD_OTHER && shape[0] > 0
      && H5Dget_storage_size (dataset) >= shape[0])
    add_columns (walk->fields, dataset, name, shape[0]);
  if (field->obstacle == NULL)
    field->obstacle = find_obstacle (dataset, field);
  read_unit (dataset, field);
}

/* The arrays of a cell of MATLAB 7.3, or of a field of its structures, each by its reference.
 * Returns whether it is one */
static gboolean
add_cell (Walk *walk,
          hid_t dataset,
          const char *path)
{
  prism_auto_hid type = H5Dget_type (dataset), space = H5Dget_space (dataset);
  const hssize_t n = H5Sget_simple_extent_npoints (space);
  g_autofree hobj_ref_t *references = NULL;

  if (n < 1 || n > PRISM_FIELDS_MAX || H5Tequal (type, H5T_STD_REF_OBJ) <= 0)
    return FALSE;
  references = g_new0 (hobj_ref_t, n);
  if (H5Dread (dataset, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references) < 0)
    return FALSE;
  for (hssize_t i = 0; i < n && ++walk->n_links <= PRISM_FIELDS_MAX; i++)
    {
      prism_auto_hid object
          = H5Rdereference2 (dataset, H5P_DEFAULT, H5R_OBJECT, references + i);
      g_autofree char *name = g_strdup_printf ("%s/%d", path, (int) i);
      char place[1024];

      if (object >= 0 && H5Iget_type (object) == H5I_DATASET
          && H5Iget_name (object, place, sizeof place) > 0)
        add_dataset (walk, object, name, place);
    }
  return TRUE;
}

/* A link to another file, as a detector's master file has it: followed to one in the same folder or
 * below it. What cannot be had is listed with the reason. */
static void
add_external (Walk *walk,
              hid_t group,
              const char *path,
              gsize n_bytes)
{
  g_autofree char *value = g_malloc0 (n_bytes + 1);
  const char *file = "", *place = "";
  unsigned flags;
  prism_auto_hid object = -1;

  if (H5Lget_val (group, path, value, n_bytes, H5P_DEFAULT) < 0
      || H5Lunpack_elink_val (value, n_bytes, &flags, &file, &place) < 0)
    return;
  if (is_beside (file))
    object = H5Oopen (group, path, H5P_DEFAULT);
  if (object >= 0 && H5Iget_type (object) == H5I_DATASET)
    add_dataset (walk, object, path, path);
  else
    {
      g_autofree char *valid = g_utf8_make_valid (file, -1);
      g_autofree char *target = g_utf8_make_valid (place, -1);

      g_autofree char *obstacle
          = g_strdup_printf (object >= 0 ? "it is a link to “%s” of “%s”, which is no array; open"
                                           " that file"
                                         : "it is a link to “%s” of “%s”, which is not there; put"
                                           " the file beside this one, or open it",
                             target, valid);

      prism_fields_add_obstacle (walk->fields, path, obstacle);
    }
}

static herr_t
on_link (hid_t group,
         const char *path,
         const H5L_info_t *link,
         void *data)
{
  Walk *walk = data;
  prism_auto_hid object = -1;

  if (++walk->n_links > PRISM_FIELDS_MAX)
    return 1;
  if (link->type == H5L_TYPE_EXTERNAL && link->u.val_size < MOST_LINK)
    add_external (walk, group, path, link->u.val_size);
  if (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT)
    return 0;
  /* What MATLAB keeps for itself. */
  if (g_str_has_prefix (path, "#refs#") || g_str_has_prefix (path, "#subsystem#"))
    return 0;
  object = H5Oopen (group, path, H5P_DEFAULT);
  if (object < 0)
    return 0;
  if (H5Iget_type (object) == H5I_DATASET && !add_cell (walk, object, path))
    add_dataset (walk, object, path, path);
  walk->path = path;
  H5Aiterate2 (object, H5_INDEX_NAME, H5_ITER_INC, NULL, on_attribute, walk);
  return 0;
}

/* Several frames at once, or what else an array has of some indices of its first dimension. */
static gboolean
read_planes (hid_t dataset,
             const PrismField *field,
             const gsize *start,
             const gsize *count,
             double *values)
{
  if (dataset < 0 || field->kind != PRISM_FIELD_REAL || field->n_dims < 2 || count[0] < 2)
    return FALSE;
  for (int i = 1; i < field->n_dims; i++)
    if (start[i] != 0 || count[i] != field->shape[i])
      return FALSE;
  return prism_hdf5_chunks_read (dataset, start[0], count[0], values);
}

static gboolean
read_part (PrismFields *fields,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  Hdf5File *self = fields->data;
  const char *path = g_ptr_array_index (self->paths, field->handle);
  hsize_t first[PRISM_FIELDS_MAX_DIMS], n[PRISM_FIELDS_MAX_DIMS], n_values = 1;
  prism_auto_hid dataset = -1, space = -1, target = -1, both = -1;
  gboolean ok;

  prism_hdf5_init ();
  for (int i = 0; i < field->n_dims; i++)
    {
      first[i] = start[i];
      n[i] = count[i];
      n_values *= count[i];
    }
  dataset = H5Dopen2 (self->file, path, H5P_DEFAULT);
  if (read_planes (dataset, field, start, count, values))
    return TRUE;
  space = dataset < 0 ? -1 : H5Dget_space (dataset);
  /* Of the same shape as what is read: the library goes through other shapes value by value. */
  target = H5Screate_simple (MAX (field->n_dims, 1), field->n_dims > 0 ? n : &n_values, NULL);
  if (field->kind == PRISM_FIELD_COMPLEX && dataset >= 0)
    {
      prism_auto_hid stored = H5Dget_type (dataset);

      both = H5Tcreate (H5T_COMPOUND, 2 * sizeof (double));
      for (unsigned i = 0; i < 2; i++)
        {
          char *name = H5Tget_member_name (stored, i);

          H5Tinsert (both, name, i * sizeof (double), H5T_NATIVE_DOUBLE);
          H5free_memory (name);
        }
    }
  ok = space >= 0
       && (field->n_dims == 0
           || H5Sselect_hyperslab (space, H5S_SELECT_SET, first, NULL, n, NULL) >= 0)
       && H5Sget_select_npoints (space) == (hssize_t) n_values
       && H5Dread (dataset, both >= 0 ? both : H5T_NATIVE_DOUBLE, target, space, H5P_DEFAULT,
                   values)
              >= 0;
  if (!ok)
    {
      g_autofree char *what = g_strdup_printf ("the values of “%s” are damaged", field->name);

      set_library_error (error, fields->name, what);
    }
  return ok;
}

/* plist: how the file is opened; closed here. */
static PrismFields *
open_file (const char *path,
           hid_t plist,
           GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_new (path, "HDF5");
  Hdf5File *self = g_new0 (Hdf5File, 1);
  g_autoptr (PrismFields) numbers = prism_fields_new (path, "HDF5");
  Walk walk = { .fields = fields, .numbers = numbers };
  prism_auto_hid creation = -1;
  hsize_t n_before = 0;

  fields->data = self;
  fields->free_data = free_file;
  fields->read = read_part;
  self->paths = g_ptr_array_new_with_free_func (g_free);
  self->file = H5Fopen (path, H5F_ACC_RDONLY, plist);
  H5Pclose (plist);
  /* Whoever has it open in this process already, as h5py may, decides about locks. */
  if (self->file < 0)
    self->file = H5Fopen (path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (self->file < 0)
    {
      set_library_error (error, path, "it is damaged or truncated");
      return NULL;
    }
  /* Files of MATLAB 7.3 begin with 512 bytes of text. */
  creation = H5Fget_create_plist (self->file);
  if (creation >= 0)
    H5Pget_userblock (creation, &n_before);
  fields->column_major = n_before > 0;
  if (fields->column_major)
    fields->format = "MATLAB 7.3";
  if (H5Lvisit (self->file, H5_INDEX_NAME, H5_ITER_INC, on_link, &walk) < 0)
    {
      set_library_error (error, path, "its list of arrays is damaged");
      return NULL;
    }
  /* Damaged ones are not needed for what is there. */
  walk.path = "";
  H5Aiterate2 (self->file, H5_INDEX_NAME, H5_ITER_INC, NULL, on_attribute, &walk);
  g_ptr_array_extend_and_steal (fields->fields, g_steal_pointer (&numbers->fields));
  numbers->fields = g_ptr_array_new ();
  return g_steal_pointer (&fields);
}

/**
 * prism_fields_load_hdf5:
 * @path: file name
 *
 * Lists the arrays of an HDF5 file; the file stays open until they are freed. Links to
 * arrays of other files are followed within their folder; an array that is spread over other files
 * is not read.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_hdf5 (const char *path,
                        GError **error)
{
  hid_t plist;

  prism_hdf5_init ();
  plist = H5Pcreate (H5P_FILE_ACCESS);
  H5Pset_file_locking (plist, FALSE, TRUE);
  return open_file (path, plist, error);
}
