#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-pickle.h"
#include "formats/prism-yaml.h"
#include "import/prism-import-private.h"

/* What the first PRISM was given and what it left: settings in YAML, args.txt and command lines,
 * positions and pictures of its runs. */

#define MAX_FILE (256 << 10)
#define MAX_DEPTH 16 /* files that extend each other */
#define MAX_NOTES 200
#define MAX_SHOWN 60            /* of a value, in a message */
#define MAX_SIDE 16384          /* of a picture, pixels */
#define SAME_ANGLE_DEGREES 0.01 /* lines whose single precision differs */

/* Nothing, and switches, as Python writes them. */
static const char *
get_plain (const char *value)
{
  static const struct
  {
    const char *word, *plain;
  } words[] = {
    { "true", "True" },
    { "yes", "True" },
    { "false", "False" },
    { "no", "False" },
    { "none", "None" },
    { "null", "None" },
    { "", "None" },
  };

  PRISM_FOR_EACH_OF (one, words)
    if (g_ascii_strcasecmp (one->word, value) == 0)
      return one->plain;
  return value;
}

/**
 * prism_import_source_new:
 * @path: of a file
 *
 * Returns: (transfer full): what is found in it, nothing as yet
 */
PrismImportSource *
prism_import_source_new (const char *path)
{
  PrismImportSource *self = g_new0 (PrismImportSource, 1);

  self->name = prism_file_dup_display_name (path);
  self->folder = g_path_get_dirname (path);
  self->found = g_new0 (PrismImport, 1);
  self->found->notes = g_ptr_array_new_with_free_func (g_free);
  return self;
}

/**
 * prism_import_source_free:
 * @self: (nullable): what was found
 */
void
prism_import_source_free (PrismImportSource *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < PRISM_IMPORT_MAX_ROWS; i++)
    g_free (self->values[i]);
  g_free (self->name);
  g_free (self->folder);
  prism_import_free (self->found);
  g_free (self);
}

/**
 * prism_import_source_note:
 * @format: of a sentence, then its arguments
 *
 * Notes what is not as it was.
 */
void
prism_import_source_note (PrismImportSource *self,
                          const char *format,
                          ...)
{
  va_list arguments;
  g_autofree char *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (self->found->notes->len < MAX_NOTES)
    g_ptr_array_add (self->found->notes, prism_printable_dup (text));
}

/* Sets what is known, and notes what is not. row: of the table, -1 for none; name: as it is called
 * where it was found */
static void
set (PrismImportSource *self,
     int row,
     const char *name,
     const char *value)
{
  const PrismImportRow *rows = prism_import_table_get_rows ();
  const int first = row >= 0 ? PRISM_IMPORT_FIND (name, rows[row].name) : 0;

  g_return_if_fail (first < PRISM_IMPORT_MAX_ROWS);
  if (row < 0)
    {
      prism_import_source_note (self, "%.*s is no setting of the first PRISM that is known here.",
                                MAX_SHOWN, name);
      return;
    }
  self->n_values++;
  g_free (self->values[first]);
  self->values[first] = g_strdup (get_plain (value != NULL ? value : ""));
}

/* Of a file in which nothing is known. */
static gboolean
refuse (const PrismImportSource *self,
        GError **error)
{
  return prism_error_format (error, "“%s” has no setting of the first PRISM: expected are lines"
                                    " such as “n_samples: 64”. Give args.txt, a YAML file or a"
                                    " command line of it.",
                             self->name);
}

/* "name=value name=value", of a preset */
static gboolean
apply_preset (PrismImportSource *self,
              const char *name)
{
  const char *settings = prism_import_table_find_preset (name);
  g_auto (GStrv) words = g_strsplit (settings != NULL ? settings : "", " ", -1);

  PRISM_FOR_EACH_STRING (word, words)
    {
      g_auto (GStrv) parts = g_strsplit (*word, "=", 2);

      set (self, PRISM_IMPORT_FIND (name, parts[0]), parts[0], parts[1]);
    }
  return settings != NULL;
}

static gboolean read_yaml (PrismImportSource *self, const char *path, guint depth, GError **error);

/* A file beside it, as it is called or as a preset of a folder, or a preset of the program. */
static gboolean
extend (PrismImportSource *self,
        const char *value,
        const char *folder,
        guint depth,
        GError **error)
{
  const char *const places[] = { "%s", "%s.yaml", "presets/%s", "presets/%s.yaml" };

  for (gsize i = 0; i < G_N_ELEMENTS (places) && !g_path_is_absolute (value); i++)
    {
      g_auto (GStrv) parts = g_strsplit (places[i], "%s", 2);
      g_autofree char *name = g_strconcat (parts[0], value, parts[1], NULL);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return read_yaml (self, path, depth + 1, error);
    }
  if (!apply_preset (self, value))
    prism_import_source_note (self, "What it extends, “%.*s”, is neither beside it nor a preset of"
                                    " the first PRISM.",
                              MAX_SHOWN, value);
  return TRUE;
}

static gboolean
apply_entries (PrismImportSource *self,
               GPtrArray *entries,
               const char *folder,
               guint depth,
               GError **error)
{
  const guint before = self->n_values;

  if (entries->len == 0 && depth == 0)
    prism_import_source_note (self, "%s states nothing: all is as it was by default.", self->name);
  PRISM_FOR_EACH_POINTER (const PrismYamlEntry, entry, entries)
    {
      if (strcmp (entry->path, "extends") == 0 && entry->value != NULL
          && !extend (self, entry->value, folder, depth, error))
        return FALSE;
    }
  PRISM_FOR_EACH_POINTER (const PrismYamlEntry, entry, entries)
    {
      const int nested = PRISM_IMPORT_FIND (path, entry->path);
      const int row = nested >= 0 ? nested : PRISM_IMPORT_FIND (name, entry->path);

      if (row >= 0 || entry->value != NULL)
        set (self, row, entry->path, entry->value);
    }
  return self->n_values > before || entries->len == 0 || refuse (self, error);
}

/* Adds what a file states, over what it extends. depth: how many files led there by that */
static gboolean
read_yaml (PrismImportSource *self,
           const char *path,
           guint depth,
           GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GPtrArray) entries = NULL;
  g_autofree char *folder = g_path_get_dirname (path);
  const char *text;
  gsize length;

  if (depth > MAX_DEPTH)
    return prism_error_format (error, "%s: “extends” goes round in a circle, or over more than %d"
                                      " files.",
                               path, MAX_DEPTH);
  bytes = prism_file_load (path, MAX_FILE, error);
  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  entries = prism_yaml_parse (text != NULL ? text : "", length, path, error);
  self->written = TRUE;
  return entries != NULL && apply_entries (self, entries, folder, depth, error);
}

/* Lines "name: value", as Python printed them. */
static gboolean
read_args (PrismImportSource *self,
           const char *text,
           GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const guint before = self->n_values;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (g_strstrip (lines[i]), ":", 2);

      if (parts[0] != NULL && parts[1] != NULL)
        set (self, PRISM_IMPORT_FIND (name, g_strchomp (parts[0])), parts[0],
             g_strchug (parts[1]));
      else if (parts[0] != NULL)
        prism_import_source_note (self, "Line %u, “%.*s”, is no “name: value” and is left out.",
                                  i + 1, MAX_SHOWN, parts[0]);
    }
  return self->n_values > before || refuse (self, error);
}

/* Takes the flag at words[i]; returns how many words that were. */
static guint
read_flag (PrismImportSource *self,
           char **words,
           guint i)
{
  g_auto (GStrv) parts = g_strsplit (words[i], "=", 2);
  const int row = PRISM_IMPORT_FIND (flag, parts[0]);
  const char *on = row >= 0 ? prism_import_table_get_rows ()[row].on : NULL;
  const char *value = on != NULL ? on : parts[1];
  const gboolean follows = row >= 0 && value == NULL && words[i + 1] != NULL;

  if (row >= 0 && value == NULL && !follows)
    prism_import_source_note (self, "%s has no value and is left out.", parts[0]);
  else
    set (self, row, parts[0], follows ? words[i + 1] : value);
  return follows ? 2 : 1;
}

/* The value of a flag in words; NULL where it is not among them. */
static const char *
find_word (char **words,
           const char *flag)
{
  for (guint i = 0; words[i] != NULL; i++)
    {
      if (strcmp (words[i], flag) == 0)
        return words[i + 1];
      if (g_str_has_prefix (words[i], flag) && words[i][strlen (flag)] == '=')
        return words[i] + strlen (flag) + 1;
    }
  return NULL;
}

static gboolean
is_command (const char *line)
{
  return strstr (line, "main.py") != NULL || strstr (line, "main_mopie.py") != NULL;
}

static gboolean
read_command (PrismImportSource *self,
              const char *text,
              GError **error)
{
  g_auto (GStrv) pieces = g_strsplit (text, "\\\n", -1);
  g_autofree char *joined = g_strjoinv (" ", pieces);
  g_auto (GStrv) lines = g_strsplit (joined, "\n", -1);
  const char *found = NULL;
  guint n_commands = 0;
  g_autoptr (GError) reason = NULL;
  g_auto (GStrv) words = NULL;
  const char *config, *preset;
  int n_words;

  /* The first line that starts the program, or that has flags; backslashes join lines. */
  PRISM_FOR_EACH_STRING (one, lines)
    {
      g_strstrip (*one);
      if (**one == '#' || strstr (*one, "--") == NULL)
        continue;
      n_commands += is_command (*one);
      if (found == NULL || (is_command (*one) && !is_command (found)))
        found = *one;
    }
  if (n_commands > 1)
    prism_import_source_note (self, "There are %u command lines: the first of them is taken.",
                              n_commands);
  if (found == NULL || !g_shell_parse_argv (found, &n_words, &words, &reason))
    return prism_error_format (
        error, _ ("%s is not understood as a command line of the first PRISM: %s."), self->name,
        reason != NULL ? reason->message : _ ("it has no flag such as --obj"));
  config = find_word (words, "--config");
  preset = find_word (words, "--preset");
  set (self, PRISM_IMPORT_FIND (name, "algorithm"), "algorithm",
       strstr (found, "main_mopie.py") != NULL ? "mopie" : "prism");
  if (config != NULL)
    {
      g_autofree char *path = g_canonicalize_filename (config, self->folder);

      if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
        prism_import_source_note (self, "Its configuration, “%.*s”, is not there: import it beside"
                                        " this.",
                                  MAX_SHOWN, config);
      else if (!read_yaml (self, path, 0, error))
        return FALSE;
    }
  if (preset != NULL && !apply_preset (self, preset))
    prism_import_source_note (self, "“%.*s” is no preset of the first PRISM.", MAX_SHOWN, preset);
  for (guint i = 0; words[i] != NULL;)
    i += g_str_has_prefix (words[i], "--") || strcmp (words[i], "-i") == 0
             ? read_flag (self, words, i)
             : 1;
  return TRUE;
}

/**
 * prism_import_source_read_text:
 * @text: (array length=length): what stands in a file
 * @length: bytes
 * @is_args: it is an args.txt, or else YAML or a command line
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_IO for a file that it names.
 *
 * Returns: whether it is understood
 */
gboolean
prism_import_source_read_text (PrismImportSource *self,
                               const char *text,
                               gsize length,
                               gboolean is_args,
                               GError **error)
{
  g_autofree char *copy = NULL;
  g_autoptr (GPtrArray) entries = NULL;

  if (length > MAX_FILE || memchr (text, '\0', length) != NULL
      || !g_utf8_validate (text, (gssize) length, NULL))
    return prism_error_format (error, "%s is nothing of the first PRISM that is known: it has more"
                                      " than 256 KiB, or is no UTF-8 text.",
                               self->name);
  copy = g_strndup (text, length);
  if (is_args)
    return read_args (self, copy, error);
  if (is_command (copy) || g_str_has_prefix (copy, "--"))
    return read_command (self, copy, error);
  entries = prism_yaml_parse (text, length, self->name, error);
  self->written = TRUE;
  return entries != NULL && apply_entries (self, entries, self->folder, 0, error);
}

/* Of each position the middle of its ends: [n][2], [n][1][2] or, of lines, [n][2][2]; y comes
 * before x. */
static gboolean
take_points (PrismImportSource *self,
             const double *values,
             int n_dims,
             const gsize *shape,
             GError **error)
{
  gsize n_ends = n_dims == 3 ? shape[1] : 1;
  double first = 0;

  if (n_dims < 2 || n_dims > 3 || shape[n_dims - 1] != 2 || n_ends < 1 || n_ends > 2
      || shape[0] < 1 || shape[0] > PRISM_PATTERN_MAX_POINTS)
    return prism_error_format (error, "“%s” holds no positions: expected are 1 to %d pairs, [n][2],"
                                      " or the two ends of as many lines, [n][2][2].",
                               self->name, PRISM_PATTERN_MAX_POINTS);
  for (gsize i = 0; i < shape[0] * n_ends * 2; i++)
    if (!isfinite (values[i]) || fabs (values[i]) > G_MAXINT16)
      return prism_error_format (error, "A position of “%s” is no number within ±32767.",
                                 self->name);
  g_free (self->found->points);
  self->found->n_points = (guint) shape[0];
  self->found->points = g_new0 (PrismPoint, self->found->n_points);
  self->line_length = 0;
  self->line_turns = FALSE;
  for (guint i = 0; i < self->found->n_points; i++)
    {
      const double *start = values + i * n_ends * 2, *end = start + (n_ends - 1) * 2;
      double dy = end[0] - start[0], dx = end[1] - start[1];
      double turn;

      self->found->points[i] = (PrismPoint) { (start[0] + end[0]) / 2, (start[1] + end[1]) / 2,
                                              atan2 (dy, dx) };
      /* Stored in single precision. */
      self->line_length = MAX (self->line_length, rint (1e4 * hypot (dy, dx)) / 1e4);
      first = i == 0 ? self->found->points[i].angle : first;
      /* A line has no direction: half a turn changes nothing. */
      turn = remainder (self->found->points[i].angle - first, G_PI);
      self->line_turns |= fabs (turn) * 180 / G_PI > SAME_ANGLE_DEGREES;
    }
  return TRUE;
}

/* Of a tensor [1]…[1][height][width], complex or real, the amplitudes. */
static gboolean
take_picture (PrismImportSource *self,
              PrismPickle *file,
              const PrismPickleValue *tensor,
              GError **error)
{
  gsize shape[PRISM_PICKLE_MAX_DIMS];
  gboolean is_complex;
  int n_dims = prism_pickle_get_shape (tensor, shape, &is_complex);
  prism_autofree_array double *values = NULL;
  const gsize step = is_complex ? 2 : 1;

  n_dims -= is_complex;
  for (int i = 0; i + 2 < n_dims; i++)
    if (shape[i] != 1)
      n_dims = 0;
  if (n_dims < 2 || shape[n_dims - 1] < 1 || shape[n_dims - 1] > MAX_SIDE || shape[n_dims - 2] < 1
      || shape[n_dims - 2] > MAX_SIDE)
    {
      prism_import_source_note (self, "What should be the picture has not the shape of one.");
      return TRUE;
    }
  values = prism_pickle_load_tensor (file, tensor, error);
  if (values == NULL)
    return FALSE;
  g_free (self->found->picture);
  self->found->height = shape[n_dims - 2];
  self->found->width = shape[n_dims - 1];
  self->found->picture = g_new (float, self->found->height * self->found->width);
  for (gsize i = 0; i < self->found->height * self->found->width; i++)
    self->found->picture[i] = (float) (is_complex ? hypot (values[step * i], values[step * i + 1])
                                                  : fabs (values[i]));
  return TRUE;
}

/* Whatever a dictionary states that is a setting. */
static void
take_settings (PrismImportSource *self,
               const PrismPickleValue *dictionary)
{
  const PrismPickleValue *value;
  const char *name;

  for (guint i = 0; prism_pickle_get_item (dictionary, i, &name, &value); i++)
    {
      const char *text = prism_pickle_get_text (value);

      if (text != NULL)
        set (self, PRISM_IMPORT_FIND (name, name), name, text);
    }
}

/* checkpoint.pt, sample_points.pt or args.pt */
static gboolean
read_torch (PrismImportSource *self,
            const char *path,
            GError **error)
{
  static const char *const pictures[] = { "current_rec", "current_reconstruction", "object" };
  const PrismPickleValue *root, *settings, *points, *diameter;
  g_autoptr (PrismPickle) file = prism_pickle_load (path, &root, error);

  if (file == NULL)
    return FALSE;
  settings = prism_pickle_get (root, "args_dict");
  take_settings (self, settings != NULL ? settings : root);
  points = prism_pickle_get (root, "sample_centers");
  if (points == NULL)
    points = prism_pickle_get (root, "centers");
  if (points != NULL)
    {
      gsize shape[PRISM_PICKLE_MAX_DIMS];
      gboolean is_complex;
      const int n_dims = prism_pickle_get_shape (points, shape, &is_complex);
      prism_autofree_array double *values = prism_pickle_load_tensor (file, points, error);

      if (values == NULL || !take_points (self, values, n_dims, shape, error))
        return FALSE;
    }
  diameter = prism_pickle_get (root, "diameter");
  if (diameter != NULL)
    {
      const char *text = prism_pickle_get_text (diameter);

      self->diameter = text != NULL ? g_ascii_strtod (text, NULL) : 0;
    }
  PRISM_FOR_EACH_OF (one, pictures)
    {
      const PrismPickleValue *tensor = prism_pickle_get (root, *one);

      if (tensor != NULL
          && !take_picture (self, file, tensor, error))
        return FALSE;
    }
  if (prism_pickle_get (root, "model") != NULL)
    prism_import_source_note (self, "The weights of its decoder and the state of its optimiser are"
                                    " not read.");
  if (self->n_values == 0 && self->found->points == NULL && self->found->picture == NULL)
    return prism_error_format (error, "“%s” has neither settings nor positions nor a picture of the"
                                      " first PRISM.",
                               self->name);
  return TRUE;
}

static gboolean
read_npy (PrismImportSource *self,
          const char *path,
          GError **error)
{
  g_autoptr (PrismFields) file = prism_fields_load_npy (path, error);
  const PrismField *array;

  if (file == NULL)
    return FALSE;
  array = g_ptr_array_index (file->fields, 0);
  if (array->kind != PRISM_FIELD_REAL)
    return prism_error_format (error, "“%s” has no positions.", self->name);
  return take_points (self, array->values, array->n_dims, array->shape, error);
}

/* What cannot be read of a run does not keep the rest from being taken over. */
static gboolean
read_folder (PrismImportSource *self,
             const char *path,
             GError **error)
{
  /* Later ones know better: args has what was computed. */
  static const char *const names[]
      = { "config.yaml", "checkpoint.pt", "args.pt", "args.txt", "sample_points.pt" };
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *file = g_build_filename (path, names[i], NULL);
      g_autoptr (GError) reason = NULL;

      if (!g_file_test (file, G_FILE_TEST_IS_REGULAR))
        continue;
      if (prism_import_source_read (self, file, &reason))
        n++;
      else
        prism_import_source_note (self, _ ("%s is left out: %s"), names[i], reason->message);
    }
  return n > 0
         || prism_error_format (error, "“%s” is no folder of a run of the first PRISM: none of"
                                       " config.yaml, args.txt, args.pt, sample_points.pt and"
                                       " checkpoint.pt can be read there. Give one of its files.",
                                self->name);
}

/**
 * prism_import_source_read:
 * @path: of a file of the first PRISM, or of the folder of a run
 *
 * Adds what is found there.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is understood
 */
gboolean
prism_import_source_read (PrismImportSource *self,
                          const char *path,
                          GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  const char *text;
  gsize length;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return read_folder (self, path, error);
  if (g_str_has_suffix (lower, ".pt") || g_str_has_suffix (lower, ".pth"))
    return read_torch (self, path, error);
  if (g_str_has_suffix (lower, ".npy"))
    return read_npy (self, path, error);
  if (g_str_has_suffix (lower, ".csv"))
    {
      self->found->points
          = prism_pattern_points_load (path, G_MAXINT, &self->found->n_points, error);
      return self->found->points != NULL;
    }
  if (g_str_has_suffix (lower, ".yaml") || g_str_has_suffix (lower, ".yml"))
    return read_yaml (self, path, 0, error);
  bytes = prism_file_load (path, MAX_FILE, error);
  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &length);
  return prism_import_source_read_text (self, text != NULL ? text : "", length,
                                        g_str_has_prefix (lower, "args"), error);
}
