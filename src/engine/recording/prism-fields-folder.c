#include "config.h"

#include "formats/prism-fields-readers.h"
#include "formats/prism-fields.h"
#include "recording/prism-recording-private.h"
#include "recording/prism-recording.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-image.h"

/* Frames that are files of their own. Thread: one at a time. */

/* Files that are one frame each, in the order of the frames. */
typedef struct
{
  GPtrArray *paths; /* of char * */
  gsize height;
  gsize width;
  PrismFields *first; /* (nullable): of the first file, where it is no picture */
} Folder;

/* Endings of files that can be one frame; of those of a folder the most are its frames. Files that
 * say more of frames, or are stacks, often have the last ones: few of them are no frames. */
static const char *const endings[][2] = {
  { ".tif", ".tiff" },
  { ".png", ".png" },
  { ".npy", ".npy" },
  { ".jpg", ".jpeg" },
  { ".fits", ".fit" },
  { ".mat", ".mat" },
  { ".npz", ".npz" },
  { ".h5", ".hdf5" },
};

enum
{
  ENDING_PNG = 1,
  ENDING_JPEG = 3,
  ENDING_MATLAB = 5,
};

PRISM_FREE (Folder, free_folder, g_ptr_array_unref, paths, prism_fields_free, first)

static gboolean
has_ending (const char *path,
            const char *ending)
{
  g_autofree char *small = g_ascii_strdown (path, -1);

  return g_str_has_suffix (small, ending);
}

/* What a file is called that a packer has packed. */
static char *
dup_unpacked (const char *name)
{
  static const char *const packers[] = { ".gz", ".bz2", ".fz" };

  PRISM_FOR_EACH_OF (packer, packers)
    if (has_ending (name, *packer))
      return g_strndup (name, strlen (name) - strlen (*packer));
  return g_strdup (name);
}

/* Which of the endings a name has, before those of packers; -1: none. Hidden files are no
 * frames. */
static int
find_ending (const char *name)
{
  g_autofree char *plain = dup_unpacked (name);

  for (gsize i = 0; i < G_N_ELEMENTS (endings) && *name != '.'; i++)
    if (has_ending (plain, endings[i][0]) || has_ending (plain, endings[i][1]))
      return (int) i;
  return -1;
}

/* What a folder has. */
typedef struct
{
  GPtrArray *paths;        /* of frames */
  GPtrArray *places;       /* folders that have frames, this one or deeper ones */
  GPtrArray *descriptions; /* JSON, YAML, CSV, here or beside the frames */
  GString *left;           /* sentences of what is not used */
  char *rest;              /* (nullable): a file that is nothing of these */
} Contents;

/* Of a frame that is there packed and as it was the first name. */
static void
drop_twins (GPtrArray *paths,
            GString *left)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = 0;

  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);

      if (g_hash_table_add (seen, dup_unpacked (path)))
        continue;
      if (n++ == 0)
        g_string_append_printf (left, _ (" “%s” and others are there packed, too, and left out."),
                                strrchr (path, G_DIR_SEPARATOR) + 1);
      g_ptr_array_remove_index (paths, i--);
    }
}

/* Full names of the files of the ending that most have; none where there are too many. */
static GPtrArray *
list_files (Contents *self,
            const char *path,
            GPtrArray *folders)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  GPtrArray *lists[G_N_ELEMENTS (endings)], *most;
  const char *name;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    lists[i] = g_ptr_array_new_with_free_func (g_free);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL
         && n++ <= PRISM_RECORDING_MAX_FRAMES)
    {
      const int ending = find_ending (name);

      g_autofree char *whole = g_build_filename (path, name, NULL);

      if (*name != '.' && g_file_test (whole, G_FILE_TEST_IS_DIR))
        g_ptr_array_add (folders, g_steal_pointer (&whole));
      else if (ending >= 0)
        g_ptr_array_add (lists[ending], g_steal_pointer (&whole));
      /* What may say more of frames, or where their LEDs are. */
      else if (*name != '.'
               && g_regex_match_simple ("\\.(json|ya?ml|csv|ods|xlsx)$", name, G_REGEX_CASELESS, 0))
        g_ptr_array_add (self->descriptions, g_steal_pointer (&whole));
      else if (*name != '.' && self->rest == NULL)
        self->rest = g_steal_pointer (&whole);
    }
  most = lists[0];
  for (gsize i = 1; i < G_N_ELEMENTS (endings); i++)
    if (lists[i]->len > most->len && (i < ENDING_MATLAB || lists[i]->len >= PRISM_RECORDING_FEW))
      most = lists[i];
  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      if (lists[i] == most)
        continue;
      if (i >= ENDING_MATLAB)
        g_ptr_array_extend_and_steal (self->descriptions, g_ptr_array_ref (lists[i]));
      else if (most->len > 1 && lists[i]->len > 0)
        g_string_append_printf (self->left, _ (" Left out, of another kind: %u × %s."),
                                lists[i]->len, endings[i][0]);
      g_ptr_array_unref (lists[i]);
    }
  prism_fields_sort_names (most);
  drop_twins (most, self->left);
  return most;
}

static gboolean
has_number (const char *path)
{
  return strpbrk (strrchr (path, G_DIR_SEPARATOR), "0123456789") != NULL;
}

/* Takes files without a number in their names from among many that have one: a dark frame, a flat
 * field, or a picture of all. */
static void
take_others (GPtrArray *paths,
             GString *left)
{
  g_autoptr (GString) others = g_string_new (NULL);
  guint n = 0;

  PRISM_FOR_EACH_POINTER (const char, path, paths)
    n += has_number (path);
  for (guint i = paths->len; n >= PRISM_RECORDING_FEW && paths->len - n <= 4 && i-- > 0;)
    if (!has_number (g_ptr_array_index (paths, i)))
      {
        const char *path = g_ptr_array_index (paths, i);
        g_autofree char *name = g_strdup_printf ("“%s”%s", strrchr (path, G_DIR_SEPARATOR) + 1,
                                                 others->len > 0 ? ", " : "");

        g_string_prepend (others, name);
        g_ptr_array_remove_index (paths, i);
      }
  if (others->len > 0)
    g_string_append_printf (left,
                            _ (" Left out, without a number: %s; a dark frame is taken off by"
                               " dark=FILE."),
                            others->str);
}

static gboolean
set_shape_error (GError **error,
                 const char *path,
                 const char *reason)
{
  return prism_error_format (error, _ ("“%s” is no frame of a recording: %s."), path, reason);
}

/* A picture whose numbers may be scaled, all of them alike. channel: 1 to 3, 0: all colours */
static double *
load_picture (const char *path,
              int channel,
              gsize *height,
              gsize *width,
              GError **error)
{
  g_autoptr (PrismImage) image = channel > 0 ? prism_image_load_channel (path, channel, error)
                                             : prism_image_load (path, error);
  gsize n;
  double *values;

  if (image == NULL)
    return NULL;
  *height = (gsize) image->height;
  *width = (gsize) image->width;
  n = *height * *width;
  values = prism_arena_new_array (n * sizeof *values, "a frame", error);
  for (gsize i = 0; values != NULL && i < n; i++)
    values[i] = (double) image->pixels[i];
  return values;
}

/* The largest array of a file; %NULL where another one is as large. */
static const PrismField *
find_largest (const PrismFields *fields)
{
  const PrismField *most = NULL;
  gboolean alone = FALSE;

  PRISM_FOR_EACH_POINTER (const PrismField, field, fields->fields)
    if (most == NULL || field->n_values >= most->n_values)
      {
        alone = most == NULL || field->n_values > most->n_values;
        most = field;
      }
  return alone ? most : NULL;
}

/* The one frame of a file that is no picture, in its own numbers. Sides of MATLAB's are those of
 * its columns. */
static double *
load_array (PrismFields *fields,
            const char *path,
            gsize *height,
            gsize *width,
            GError **error)
{
  const PrismField *field = find_largest (fields);

  if (field == NULL || field->kind != PRISM_FIELD_REAL || field->n_dims < 2 || field->n_dims > 3
      || (field->n_dims == 3 && field->shape[0] != 1))
    {
      set_shape_error (error, path,
                       _ ("it should be one plane of real numbers; a stack of frames is opened as a"
                          " file of its own"));
      return NULL;
    }
  *height = field->shape[field->n_dims - 2];
  *width = field->shape[field->n_dims - 1];
  if (MAX (*height, *width) > PRISM_RECORDING_MAX_SIDE)
    {
      set_shape_error (error, path, _ ("it has more than 16384 pixels a side"));
      return NULL;
    }
  return prism_fields_load (fields, field, error);
}

static gboolean
is_picture (const char *path)
{
  const int ending = find_ending (strrchr (path, G_DIR_SEPARATOR) + 1);

  return ending == ENDING_PNG || ending == ENDING_JPEG;
}

static double *
load_frame (const char *path,
            int channel,
            gsize *height,
            gsize *width,
            GError **error)
{
  g_autoptr (PrismFields) fields = NULL;

  if (is_picture (path))
    return load_picture (path, channel, height, width, error);
  fields = prism_fields_open_file (path, error);
  return fields != NULL ? load_array (fields, path, height, width, error) : NULL;
}

static gboolean
read_part (PrismFields *fields,
           const PrismField *field,
           const gsize *start,
           const gsize *count,
           double *values,
           GError **error)
{
  const Folder *self = fields->data;

  for (gsize j = 0; j < count[0]; j++)
    {
      const char *path = g_ptr_array_index (self->paths, start[0] + j);
      gsize height = 0, width = 0;
      prism_autofree_array double *frame
          = load_frame (path, field->handle, &height, &width, error);

      if (frame == NULL)
        return FALSE;
      if (height != self->height || width != self->width)
        return set_shape_error (error, path, _ ("its size is not that of the first file; leave"
                                                " only frames in the folder"));
      for (gsize y = 0; y < count[1]; y++)
        memcpy (values + (j * count[1] + y) * count[2],
                frame + (start[1] + y) * self->width + start[2], count[2] * sizeof *values);
    }
  return TRUE;
}

static void
look_into (Contents *self,
           const char *path,
           guint depth)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) paths = list_files (self, path, folders);

  if (paths->len >= 2)
    {
      g_ptr_array_add (self->places, g_strdup (path));
      g_ptr_array_unref (self->paths);
      self->paths = g_steal_pointer (&paths);
      return;
    }
  if (paths->len == 1)
    {
      g_free (self->rest);
      self->rest = g_ptr_array_steal_index (paths, 0);
    }
  prism_fields_sort_names (folders);
  for (guint i = 0; i < folders->len && i < 64 && depth < 3; i++)
    look_into (self, g_ptr_array_index (folders, i), depth + 1);
}

PRISM_CLEAR (Contents,
             clear_contents,
             g_ptr_array_unref,
             paths,
             g_ptr_array_unref,
             places,
             g_ptr_array_unref,
             descriptions,
             g_free,
             rest)

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Contents, clear_contents)

/* Without one folder that has frames there is a sentence. */
static gboolean
check_contents (const Contents *self,
                const char *name,
                GError **error)
{
  g_autofree char *one = NULL, *other = NULL, *zarr = NULL;
  g_autoptr (PrismFields) fields = NULL;
  g_autoptr (GError) reason = NULL;
  const char *odd = self->rest;

  if (self->places->len == 1)
    return TRUE;
  if (self->places->len > 1)
    {
      one = prism_file_dup_display_name (g_ptr_array_index (self->places, 0));
      other = prism_file_dup_display_name (g_ptr_array_index (self->places, 1));
      return prism_error_format (error, _ ("“%s” has frames in %u folders: give one of them,"
                                           " “%s” or “%s”."),
                                 name,
                                 self->places->len, one, other);
    }
  zarr = g_build_filename (name, ".zarray", NULL);
  if (g_file_test (zarr, G_FILE_TEST_EXISTS))
    return prism_error_format (error, _ ("“%s” is an array of Zarr, which is not read: save it"
                                         " as HDF5 or TIFF."),
                               name);
  if (odd == NULL && self->descriptions->len > 0)
    odd = g_ptr_array_index (self->descriptions, 0);
  fields = odd != NULL ? prism_fields_open_file (odd, &reason) : NULL;
  one = fields != NULL ? g_strdup_printf (_ (" “%s” may be one."), odd) : NULL;
  return prism_error_format (error,
                             _ ("“%s” is a folder without frames: expected are files of one"
                                " frame each, TIFF, PNG, .npy, JPEG or FITS, or eight and"
                                " more .mat, .npz or .h5, or give a file with all of them."
                                "%s%s"),
                             name, reason != NULL ? " " : one != NULL ? one
                                                                      : "",
                             reason != NULL ? reason->message : "");
}

/* Frames in the order in which a description names their files, unless one is not there. */
static gboolean
order_frames (GPtrArray *paths,
              char *const *labels,
              const char *description,
              GString *left)
{
  g_autoptr (GHashTable) files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) ordered = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < paths->len; i++)
    g_hash_table_insert (files, g_path_get_basename (g_ptr_array_index (paths, i)),
                         g_ptr_array_index (paths, i));
  PRISM_FOR_EACH_STRING (label, labels)
    {
      g_autofree char *name = g_path_get_basename (*label);
      const char *path = g_hash_table_lookup (files, name);

      if (path == NULL)
        {
          g_string_append_printf (left,
                                  _ (" “%s” names “%s”, which is no frame here: its order is not"
                                     " used."),
                                  description, name);
          return FALSE;
        }
      g_ptr_array_add (ordered, g_strdup (path));
    }
  if (ordered->len < paths->len)
    g_string_append_printf (left, _ (" Left out, as “%s” does not name them: %u files."),
                            description, paths->len - ordered->len);
  g_ptr_array_set_size (paths, 0);
  g_ptr_array_extend_and_steal (paths, g_steal_pointer (&ordered));
  return TRUE;
}

/* What a description knows of the frames: one that lists their files, else the only one that has a
 * number of an instrument. What is none may be a table. Returns its name, of several all names,
 * %NULL: there is none */
static char *
take_description (PrismFields *fields,
                  Contents *contents,
                  GPtrArray *tables,
                  gboolean *orders,
                  gboolean *clash)
{
  g_autoptr (PrismFields) found = NULL;
  char *name = NULL;
  guint n_known = 0;

  *orders = FALSE;
  prism_fields_sort_names (contents->descriptions);
  PRISM_FOR_EACH_POINTER (const char, path, contents->descriptions)
    {
      g_autoptr (GError) reason = NULL;
      g_autoptr (PrismFields) said = has_ending (path, ".json")
                                         ? prism_fields_load_json (path, &reason)
                                     : has_ending (path, ".yaml") || has_ending (path, ".yml")
                                         ? prism_fields_load_yaml (path, &reason)
                                         : NULL;
      g_autofree char *base = g_path_get_basename (path), *before = NULL;
      gboolean is_known = FALSE, names = FALSE;
      PrismUnit unit;

      if (reason != NULL)
        g_string_append_printf (contents->left, _ (" “%s” is not used: %s"), base,
                                reason->message);
      for (guint k = 0; said != NULL && k < said->fields->len; k++)
        {
          const PrismField *field = g_ptr_array_index (said->fields, k);
          const PrismName kind = prism_recording_names_find (field->name, &unit);

          is_known = is_known || (kind != PRISM_NAME_NONE && kind < PRISM_NAME_FILE);
          if (kind == PRISM_NAME_FILE && field->labels != NULL && !*orders)
            names = order_frames (contents->paths, field->labels, base, contents->left);
          *orders = *orders || names;
        }
      if (!is_known && !names)
        {
          if (reason == NULL)
            g_ptr_array_add (tables, g_strdup (path));
          continue;
        }
      /* What names the files goes before the others. */
      if (n_known > 0 && *orders)
        g_string_append_printf (contents->left, _ (" “%s” is not used: another one names the"
                                                   " files."),
                                names ? name : base);
      if (*orders && !names)
        continue;
      n_known = *orders ? 1 : n_known + 1;
      before = name;
      name = n_known == 1 ? g_strdup (base) : g_strdup_printf ("%s”, “%s", before, base);
      g_clear_pointer (&found, prism_fields_free);
      found = g_steal_pointer (&said);
    }
  *clash = n_known > 1;
  if (found != NULL && !*clash)
    {
      g_ptr_array_extend_and_steal (fields->fields, found->fields);
      found->fields = g_ptr_array_new ();
    }
  return name;
}

static PrismField *
add_frames (PrismFields *fields,
            const char *name,
            int channel)
{
  const Folder *self = fields->data;
  PrismField *field = prism_fields_add (fields, name, PRISM_FIELD_REAL, 3,
                                        (gsize[]) { self->paths->len, self->height, self->width });

  field->handle = channel;
  field->column_major = self->first != NULL && find_largest (self->first)->column_major;
  field->labels = g_new0 (char *, self->paths->len + 1);
  for (guint i = 0; i < self->paths->len; i++)
    field->labels[i] = g_path_get_basename (g_ptr_array_index (self->paths, i));
  return field;
}

/* What the first file says of all: its scale, where it is a TIFF, or numbers beside its frame. */
static void
take_numbers (PrismFields *fields,
              PrismFields *first)
{
  PRISM_FOR_EACH_POINTER (const PrismField, field, first->fields)
    {
      prism_autofree_array double *number = field->n_values == 1 && field->kind == PRISM_FIELD_REAL
                                                ? prism_fields_load (first, field, NULL)
                                                : NULL;

      if (number != NULL)
        prism_fields_add_number (fields, field->name, *number)->unit = field->unit;
    }
}

/* The colours of pictures of which the first is no grey one. */
static void
add_colours (PrismFields *fields)
{
  static const char *const names[] = { "red", "green", "blue" };
  const Folder *self = fields->data;
  const char *path = g_ptr_array_index (self->paths, 0);
  const gsize n_bytes = self->height * self->width * sizeof (double);
  prism_autofree_array double *one = NULL, *other = NULL;
  gsize height, width;

  if (self->first != NULL)
    return;
  one = load_frame (path, 2, &height, &width, NULL);
  for (int channel = 1; channel <= 3; channel += 2)
    {
      prism_arena_free_array (other);
      other = load_frame (path, channel, &height, &width, NULL);
      if (one == NULL || other == NULL || memcmp (one, other, n_bytes) == 0)
        continue;
      for (int k = 0; k < 3; k++)
        add_frames (fields, names[k], k + 1);
      return;
    }
}

static char *
dup_note (const PrismFields *fields,
          const char *base,
          const char *left,
          const char *description,
          gboolean orders,
          gboolean clash)
{
  const Folder *self = fields->data;
  const gsize skipped = strlen (base);
  GString *note = g_string_new (NULL);
  const char *first = g_ptr_array_index (self->paths, 0);
  const char *last = g_ptr_array_index (self->paths, self->paths->len - 1);

  for (first += skipped; *first == G_DIR_SEPARATOR;)
    first++;
  for (last += skipped; *last == G_DIR_SEPARATOR;)
    last++;
  if (orders)
    g_string_append_printf (note,
                            _ ("The frames are %u files, from “%s” to “%s” in the order of “%s”,"
                               " which says more of them."),
                            self->paths->len, first, last, description);
  else
    g_string_append_printf (note,
                            _ ("The frames are %u files, from “%s” to “%s” by the numbers in their"
                               " names."),
                            self->paths->len, first, last);
  if (description != NULL && !orders)
    g_string_append_printf (note,
                            clash ? _ (" “%s” all say more of them, and none is used: leave one.")
                                  : _ (" “%s” says more of them."),
                            description);
  g_string_append (note, left);
  return g_string_free (note, FALSE);
}

/* Those of some names alone. */
static void
choose_files (Contents *contents,
              const char *path,
              char *const *names)
{
  const char *folder = contents->places->len == 1 ? g_ptr_array_index (contents->places, 0) : path;

  g_ptr_array_set_size (contents->paths, 0);
  for (; *names != NULL; names++)
    g_ptr_array_add (contents->paths, g_build_filename (folder, *names, NULL));
  prism_fields_sort_names (contents->paths);
}

/**
 * prism_fields_open_folder:
 * @path: of a folder
 * @names: (nullable): of the files that are its frames; all that can be are where it is missing
 *
 * Lists the files of a folder, or of the only one below it that has some, that are one frame each,
 * in the order of the numbers in their names or of a description, as one array, “frames”.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open_folder (const char *path,
                          char *const *names,
                          GError **error)
{
  g_autofree char *description = NULL;
  g_autoptr (GString) left = g_string_new (NULL);
  g_autoptr (PrismFields) fields = prism_fields_new (path, "folder");
  g_autoptr (PrismFields) known = prism_fields_new (path, "folder");
  g_auto (Contents) contents = {
    .paths = g_ptr_array_new_with_free_func (g_free),
    .places = g_ptr_array_new_with_free_func (g_free),
    .descriptions = g_ptr_array_new_with_free_func (g_free),
    .left = left,
  };
  prism_autofree_array double *frame = NULL;
  const char *first_path;
  gboolean orders, clash;
  Folder *self;

  look_into (&contents, path, 0);
  if (names != NULL)
    choose_files (&contents, path, names);
  else if (!check_contents (&contents, path, error))
    return NULL;
  self = g_new0 (Folder, 1);
  fields->data = self;
  fields->free_data = free_folder;
  fields->read = read_part;
  self->paths = g_ptr_array_ref (contents.paths);
  fields->tables = g_ptr_array_new_with_free_func (g_free);
  description = take_description (known, &contents, fields->tables, &orders, &clash);
  if (!orders && names == NULL)
    take_others (self->paths, left);
  first_path = g_ptr_array_index (self->paths, 0);
  if (!is_picture (first_path))
    self->first = prism_fields_open_file (first_path, error);
  if (self->first != NULL)
    frame = load_array (self->first, first_path, &self->height, &self->width, error);
  else if (is_picture (first_path))
    frame = load_picture (first_path, 0, &self->height, &self->width, error);
  if (frame == NULL)
    return NULL;
  add_frames (fields, "frames", 0);
  if (self->first != NULL)
    take_numbers (fields, self->first);
  add_colours (fields);
  fields->note = dup_note (fields, path, left->str, description, orders, clash);
  g_ptr_array_extend_and_steal (fields->fields, g_steal_pointer (&known->fields));
  known->fields = g_ptr_array_new ();
  return g_steal_pointer (&fields);
}

/**
 * prism_fields_is_frame:
 * @name: of a file, without its folder
 *
 * Returns: whether it can be one of the frames of a folder
 */
gboolean
prism_fields_is_frame (const char *name)
{
  const int ending = find_ending (name);

  return ending >= 0 && ending < ENDING_MATLAB;
}

/**
 * prism_fields_check_frame:
 * @path: of a file with one frame
 * @height: (out): rows
 * @width: (out): columns
 *
 * Reads a frame to its end.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether all of it is there
 */
gboolean
prism_fields_check_frame (const char *path,
                          gsize *height,
                          gsize *width,
                          GError **error)
{
  prism_autofree_array double *values = load_frame (path, 0, height, width, error);

  return values != NULL;
}

/* Of frames that are all that a file has, files beside it say more that have its name, as in a
 * folder. */
static void
take_beside (PrismFields *fields,
             const char *path)
{
  static const char *const endings[] = { ".json", ".yaml", ".yml", ".csv" };
  g_autofree char *stem = dup_unpacked (path), *description = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (GPtrArray) descriptions = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) said = g_string_new (NULL);
  Contents contents = { .paths = paths, .descriptions = descriptions, .left = said };
  gboolean orders, clash;
  char *dot = strrchr (stem, '.');

  if (fields->fields->len != 1 || dot == NULL)
    return;
  *dot = '\0';
  PRISM_FOR_EACH_OF (ending, endings)
    {
      g_autofree char *file = g_strconcat (stem, *ending, NULL);

      if (g_file_test (file, G_FILE_TEST_IS_REGULAR) && strcmp (file, path) != 0)
        g_ptr_array_add (descriptions, g_steal_pointer (&file));
    }
  fields->tables = g_ptr_array_new_with_free_func (g_free);
  description = take_description (fields, &contents, fields->tables, &orders, &clash);
  if (description != NULL)
    g_string_append_printf (said,
                            clash ? _ (" “%s” all say more of them, and none is used: leave one.")
                                  : _ (" “%s” says more of them."),
                            description);
  if (said->len > 0 && fields->note == NULL)
    fields->note = g_strdup (g_strchug (said->str));
}

/**
 * prism_fields_open:
 * @path: file name
 *
 * Lists the arrays of a file, with frames that are arrays of their own as a stack, too, and what is
 * said of bare frames beside it, or of a folder.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open (const char *path,
                   GError **error)
{
  PrismFields *fields;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return prism_fields_open_folder (path, NULL, error);
  fields = prism_fields_open_file (path, error);
  if (fields != NULL)
    {
      take_beside (fields, path);
      prism_fields_add_stacks (fields);
    }
  return fields;
}
