#include "config.h"

#include "base/prism-each.h"
#include "config/prism-builtin.h"
#include "config/prism-config.h"
#include "config/prism-preset.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-text.h"

#define GROUP "prism"
#define MAX_FILE (256 * 1024)
#define MAX_LINE 8192
#define EXTENDS "extends"
#define MAX_DEPTH 16 /* files that extend each other */
#define BYTE_ORDER_MARK "\357\273\277"
/* What a shell reads as it is. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"

/* What is being read, and what asked for it. */
typedef struct _Origin Origin;

struct _Origin
{
  const char *place;     /* of a file its path, of a preset its name */
  const char *folder;    /* (nullable): what relative names are relative to */
  const Origin *extends; /* (nullable): what extends this */
  guint depth;
};

/* One pass over the lines before GKeyFile reads them: it knows neither line numbers nor doubled
 * keys, and takes any group. */
typedef struct
{
  const char *name;    /* of the file, as it reads in a message */
  PrismConfig *config; /* what is being read */
  GHashTable *lines;   /* key → number of its line, from 1 */
  gboolean in_group;
} Scan;

static gboolean
refuse_line (const Scan *self,
             guint line,
             const char *reason,
             GError **error)
{
  return prism_error_config (error, _ ("%s, line %u: %s"), self->name, line,
                             reason);
}

static guint
count_lines (const char *text,
             gsize length)
{
  guint line = 1;

  for (gsize i = 0; i < length; i++)
    line += text[i] == '\n';
  return line;
}

/* Text as such: size, no NUL, UTF-8. */
static gboolean
check_bytes (const Scan *self,
             const char *text,
             gsize length,
             GError **error)
{
  const char *nul = memchr (text, '\0', length);
  const char *invalid;

  if (length > MAX_FILE)
    return prism_error_config (error, _ ("%s has more than %d KiB: that is no configuration file."),
                               self->name, MAX_FILE / 1024);
  if (nul != NULL)
    return refuse_line (self, count_lines (text, nul - text),
                        _ ("there is a zero byte: this is no text file."), error);
  if (!g_utf8_validate (text, length, &invalid))
    return refuse_line (self, count_lines (text, invalid - text),
                        _ ("the text is not UTF-8: save the file in that encoding."), error);
  return TRUE;
}

static gboolean
scan_group (Scan *self,
            const char *text,
            guint line,
            GError **error)
{
  if (strcmp (text, "[" GROUP "]") != 0)
    return refuse_line (self, line, _ ("the only group of a configuration file is [prism]."),
                        error);
  if (self->in_group)
    return refuse_line (self, line, _ ("the group [prism] is here a second time: leave one."),
                        error);
  self->in_group = TRUE;
  return TRUE;
}

static gboolean
scan_key (Scan *self,
          const char *text,
          guint line,
          GError **error)
{
  const char *equals = strchr (text, '=');
  g_autofree char *key = NULL;
  g_autoptr (GError) unknown = NULL;
  guint earlier;

  if (equals == NULL || equals == text)
    return refuse_line (self, line,
                        _ ("expected is “key=value”, a comment that begins with #, or [prism]."),
                        error);
  if (!self->in_group)
    return refuse_line (self, line, _ ("the line [prism] has to stand before the first key."),
                        error);

  key = g_strstrip (g_strndup (text, equals - text));
  if (strcmp (key, EXTENDS) != 0 && prism_config_get_param (key) == NULL
      && !prism_config_set_text (self->config, key, "", &unknown))
    return refuse_line (self, line, unknown->message, error);
  earlier = GPOINTER_TO_UINT (g_hash_table_lookup (self->lines, key));
  if (earlier != 0)
    {
      g_autofree char *reason = NULL;

      reason = g_strdup_printf (_ ("the key “%s” stands in line %u already: leave one."), key,
                                earlier);
      return refuse_line (self, line, reason, error);
    }
  g_hash_table_insert (self->lines, g_steal_pointer (&key), GUINT_TO_POINTER (line));
  return TRUE;
}

static gboolean
scan_text (Scan *self,
           const char *text,
           GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      gboolean good = TRUE;

      if (strlen (lines[i]) > MAX_LINE)
        return refuse_line (self, i + 1, _ ("the line is longer than 8192 bytes."), error);
      g_strstrip (lines[i]);
      if (lines[i][0] == '[')
        good = scan_group (self, lines[i], i + 1, error);
      else if (lines[i][0] != '#' && lines[i][0] != '\0')
        good = scan_key (self, lines[i], i + 1, error);
      if (!good)
        return FALSE;
    }
  if (!self->in_group)
    return prism_error_config (error, "%s has no group [" GROUP "]: that is no configuration file.",
                               self->name);
  return TRUE;
}

/* Blanks at the end of a line are of no account; a text that ends with one has it as \s. */
static gboolean
apply_key (const Scan *scan,
           GKeyFile *file,
           const char *key,
           GError **error)
{
  guint line = GPOINTER_TO_UINT (g_hash_table_lookup (scan->lines, key));
  g_autoptr (GError) broken = NULL;
  g_autoptr (GError) reason = NULL;
  g_autofree char *raw = g_strchomp (g_key_file_get_value (file, GROUP, key, NULL));
  g_autofree char *value = NULL;

  g_key_file_set_value (file, GROUP, key, raw);
  value = g_key_file_get_string (file, GROUP, key, &broken);
  if (broken != NULL)
    return refuse_line (scan, line,
                        "the value has a broken escape: a backslash is written as \\\\.", error);
  if (!prism_config_set_text (scan->config, key, value, &reason))
    return refuse_line (scan, line, reason->message, error);
  return TRUE;
}

static gboolean
is_relative_path (const PrismParam *param,
                  const char *text)
{
  return *text != '\0' && !g_path_is_absolute (text) && !g_str_has_prefix (text, "file:///")
         && (strcmp (param->key, "object") != 0 || prism_builtin_find (text) == NULL);
}

/**
 * prism_config_dup_anchored:
 * @param: a parameter
 * @text: its value, given in the current directory
 *
 * What the value is anywhere: the name of a file becomes absolute; any other text stays as it is.
 *
 * Returns: (transfer full): the value
 */
char *
prism_config_dup_anchored (const PrismParam *param,
                           const char *text)
{
  if (prism_config_names_file (param) && is_relative_path (param, text))
    {
      g_autofree char *path = g_canonicalize_filename (text, NULL);

      return prism_file_to_text (path);
    }
  return g_strdup (text);
}

/* Makes the files that a configuration names absolute. */
static gboolean
anchor_paths (PrismConfig *config,
              const char *folder,
              GError **error)
{
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *text = NULL;
      g_autofree char *path = NULL;

      if (!prism_config_names_file (param))
        continue;
      text = prism_config_dup_text (config, param);
      if (!is_relative_path (param, text))
        continue;
      path = g_canonicalize_filename (text, folder);
      if (!prism_config_set_text (config, param->key, path, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_text (PrismConfig *config,
           const char *text,
           gsize n_bytes,
           const char *name,
           const Origin *origin,
           GError **error);

/* Lays what a file or a preset states over a configuration; the files that it names are made
 * absolute. */
static gboolean
read_bytes (PrismConfig *config,
            GBytes *bytes,
            const Origin *origin,
            GError **error)
{
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  return read_text (config, text != NULL ? text : "", length, origin->place, origin, error)
         && (origin->folder == NULL || anchor_paths (config, origin->folder, error));
}

static gboolean
is_file (const char *value)
{
  return strchr (value, '/') != NULL || g_str_has_suffix (value, ".prism");
}

/* A preset of the program names no files. */
static gboolean
read_base (PrismConfig *config,
           const char *value,
           const Origin *from,
           GError **error)
{
  gboolean is_builtin = !is_file (value) && prism_preset_store_is_builtin (value);
  g_autofree char *path = is_file (value) ? g_canonicalize_filename (value, from->folder)
                                          : prism_preset_store_dup_path (value);
  g_autofree char *folder = g_path_get_dirname (path);
  const Origin origin = { is_builtin ? value : path, is_builtin ? NULL : folder, from,
                          from->depth + 1 };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GString) way = g_string_new (origin.place);
  gboolean is_round = origin.depth > MAX_DEPTH;

  /* Whoever extends what extends it would never end. */
  for (const Origin *other = origin.extends; other != NULL; other = other->extends)
    {
      g_string_prepend (way, " → ");
      g_string_prepend (way, other->place);
      is_round |= strcmp (other->place, origin.place) == 0;
      if (is_round)
        break;
    }
  if (is_round)
    return prism_error_config (
        error,
        _ ("“extends” goes round in a circle or over more than %d files: %s. Let one of"
           " them extend nothing."),
        MAX_DEPTH, way->str);
  bytes = is_file (value) ? prism_file_load (path, MAX_FILE, error)
                          : prism_preset_store_load (value, error);
  return bytes != NULL && read_bytes (config, bytes, &origin, error);
}

/* What is extended comes first, wherever its name stands in the file. */
static gboolean
apply_keys (const Scan *scan,
            GKeyFile *file,
            const Origin *origin,
            GError **error)
{
  g_auto (GStrv) keys = g_key_file_get_keys (file, GROUP, NULL, NULL);
  g_autofree char *base = g_key_file_get_string (file, GROUP, EXTENDS, NULL);
  g_autoptr (GError) reason = NULL;

  if (base != NULL && !read_base (scan->config, g_strstrip (base), origin, &reason))
    return refuse_line (
        scan, GPOINTER_TO_UINT (g_hash_table_lookup (scan->lines, EXTENDS)), reason->message,
        error);
  PRISM_FOR_EACH_STRING (key, keys)
    if (strcmp (*key, EXTENDS) != 0 && !apply_key (scan, file, *key, error))
      return FALSE;
  return TRUE;
}

static gboolean
read_text (PrismConfig *config,
           const char *text,
           gsize n_bytes,
           const char *name,
           const Origin *origin,
           GError **error)
{
  g_autoptr (GHashTable) lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (PrismConfig) tried = prism_config_new ();
  Scan scan = { name, tried, lines, FALSE };
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) reason = NULL;
  g_autofree char *terminated = NULL;
  char *display;

  if (!check_bytes (&scan, text, n_bytes, error))
    return FALSE;
  if (n_bytes >= 3 && memcmp (text, BYTE_ORDER_MARK, 3) == 0)
    {
      text += 3;
      n_bytes -= 3;
    }
  terminated = g_strndup (text, n_bytes);
  /* What follows says how runs are looked at. */
  display = strstr (terminated, "\n[display]");
  if (display != NULL)
    display[1] = '\0';
  if (!scan_text (&scan, terminated, error))
    return FALSE;
  if (!g_key_file_load_from_data (file, terminated, -1, G_KEY_FILE_NONE, &reason))
    return prism_error_config (error, _ ("%s is no configuration file: %s."),
                               name, reason->message);
  scan.config = config;
  return apply_keys (&scan, file, origin, error);
}

/**
 * prism_config_load_text:
 * @text: the contents of a configuration file
 * @length: its length in bytes, or -1 when it ends with a zero
 * @name: what to call it in a message
 *
 * Reads a configuration: a key file with the one group [prism]. Keys that are not there have the
 * values of what it extends, or their defaults. Whether the parameters fit together is the matter
 * of prism_config_check().
 *
 * Errors: PRISM_ERROR_CONFIG with name, line, key and what is allowed.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_config_load_text (const char *text,
                        gssize length,
                        const char *name,
                        GError **error)
{
  gsize n_bytes = length < 0 ? strlen (text) : (gsize) length;
  g_autoptr (PrismConfig) config = prism_config_new ();
  const Origin origin = { .place = name };

  return read_text (config, text, n_bytes, name, &origin, error) ? g_steal_pointer (&config)
                                                                 : NULL;
}

/**
 * prism_config_load_preset:
 * @base: (nullable): what keys have that neither the preset nor what it extends states; the
 *   defaults where it is %NULL
 * @id: of a preset
 * @error: return location
 *
 * Errors: as prism_config_load().
 *
 * Returns: (transfer full) (nullable): what it states, over what it extends or the base
 */
PrismConfig *
prism_config_load_preset (const PrismConfig *base,
                          const char *id,
                          GError **error)
{
  g_autoptr (PrismConfig) config = base != NULL ? prism_config_dup (base) : prism_config_new ();
  const Origin origin = { .place = "" };

  return read_base (config, id, &origin, error) ? g_steal_pointer (&config) : NULL;
}

/**
 * prism_config_load_over:
 * @base: (nullable): what keys have that neither the file nor what it extends states; the defaults
 *   where it is %NULL
 * @path: a .prism file
 * @error: return location
 *
 * Reads a configuration file, see prism_config_load_text(). Files that it names by a relative path
 * are looked for beside it, wherever the program was started.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT for a file that is too large, PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_config_load_over (const PrismConfig *base,
                        const char *path,
                        GError **error)
{
  g_autoptr (PrismConfig) config = base != NULL ? prism_config_dup (base) : prism_config_new ();
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_FILE, error);
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);
  const Origin origin = { .place = whole, .folder = folder };

  return bytes != NULL && read_bytes (config, bytes, &origin, error) ? g_steal_pointer (&config)
                                                                     : NULL;
}

/**
 * prism_config_load:
 * @path: a .prism file
 *
 * As prism_config_load_over() the defaults.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT for a file that is too large, PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
PrismConfig *
prism_config_load (const char *path,
                   GError **error)
{
  return prism_config_load_over (NULL, path, error);
}

static void
keep_last_blank (GKeyFile *file,
                 const char *key)
{
  g_autofree char *raw = g_key_file_get_value (file, GROUP, key, NULL);
  g_autofree char *kept = NULL;
  gsize length = strlen (raw);

  if (!g_str_has_suffix (raw, " ") && !g_str_has_suffix (raw, "\t"))
    return;
  kept = g_strdup_printf ("%.*s\\%c", (int) length - 1, raw, raw[length - 1] == ' ' ? 's' : 't');
  g_key_file_set_value (file, GROUP, key, kept);
}

/**
 * prism_config_take_json:
 * @object: (nullable): values by their keys
 *
 * Takes over what a summary or a benchmark tells. What this version does not know, or not so, stays
 * as it is.
 */
void
prism_config_take_json (PrismConfig *self,
                        JsonObject *object)
{
  g_autoptr (GList) keys = object != NULL ? json_object_get_members (object) : NULL;

  for (const GList *key = keys; key != NULL; key = key->next)
    {
      JsonNode *node = json_object_get_member (object, key->data);
      const char *text = prism_json_to_text (node);
      g_autofree char *number = json_to_string (node, FALSE);

      prism_config_set_text (self, key->data, text != NULL ? text : number, NULL);
    }
}

/**
 * prism_config_to_text:
 *
 * Writes a configuration as prism_config_load_text() reads it: every parameter, group by group.
 *
 * Returns: (transfer full): the text
 */
char *
prism_config_to_text (const PrismConfig *self)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  const char *group = NULL;

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (self, param);

      g_key_file_set_string (file, GROUP, param->key, value);
      keep_last_blank (file, param->key);
      if (g_strcmp0 (group, param->group) != 0)
        g_key_file_set_comment (file, GROUP, param->key, param->group, NULL);
      group = param->group;
    }
  return g_key_file_to_data (file, NULL, NULL);
}

/**
 * prism_config_add_settings:
 * @self: a configuration
 * @arguments: (element-type filename): of prism-cli; gets "--set=samples=60" for every parameter
 *   that has not its default
 */
void
prism_config_add_settings (const PrismConfig *self,
                           GPtrArray *arguments)
{
  g_autoptr (PrismConfig) defaults = prism_config_new ();

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (self, param);

      if (prism_config_differs (self, defaults, param))
        g_ptr_array_add (arguments, g_strdup_printf ("--set=%s=%s", param->key, value));
    }
}

/**
 * prism_config_append_setting:
 * @command: a command line
 * @key: of a parameter
 * @value: as prism_config_dup_text() has it
 *
 * Appends " --set key=value", as it is where the shell reads it as it is, else between quotes.
 */
void
prism_config_append_setting (GString *command,
                             const char *key,
                             const char *value)
{
  g_autofree char *setting = g_strdup_printf ("%s=%s", key, value);
  g_autofree char *quoted = g_shell_quote (setting);

  g_string_append_printf (command, " --set %s",
                          setting[strspn (setting, PLAIN)] == '\0' ? setting : quoted);
}

/**
 * prism_config_save:
 * @path: a .prism file, replaced where it exists
 * @display: (nullable): how runs are looked at, to stand behind it; see prism-display
 *
 * Writes a configuration file. A file that was there is intact until the new one is complete.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is written
 */
gboolean
prism_config_save (const PrismConfig *self,
                   const char *path,
                   const char *display,
                   GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self);
  g_autofree char *folder = g_get_current_dir ();
  g_autofree char *parameters = NULL;
  g_autofree char *text = NULL;

  /* What was relative to the current directory would be looked for beside the file. */
  if (!anchor_paths (config, folder, error))
    return FALSE;
  parameters = prism_config_to_text (config);
  text = g_strconcat (parameters, display != NULL ? "\n" : "", display, NULL);
  return prism_file_save (path, text, strlen (text), error);
}
