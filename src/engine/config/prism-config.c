#include "config.h"

#include "config/prism-config.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"

#define MAX_TEXT 4096

static int *
integer_at (const PrismConfig *self,
            const PrismParam *param)
{
  return (int *) ((char *) self + param->offset);
}

static double *
real_at (const PrismConfig *self,
         const PrismParam *param)
{
  return (double *) ((char *) self + param->offset);
}

static char **
text_at (const PrismConfig *self,
         const PrismParam *param)
{
  return (char **) ((char *) self + param->offset);
}

/* The shortest text that reads back as the same double, with a point whatever the locale. */
static char *
format_real (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  return g_strdup (text);
}

/**
 * prism_config_names_file:
 * @param: a parameter
 *
 * Returns: whether it may name a file; its text is a file name then, any bytes
 */
gboolean
prism_config_names_file (const PrismParam *param)
{
  return param->offset == G_STRUCT_OFFSET (PrismConfig, object)
         || param->offset == G_STRUCT_OFFSET (PrismConfig, pattern_file)
         || param->offset == G_STRUCT_OFFSET (PrismConfig, start);
}

/* A text whose default is empty may be empty. */
static guint
get_min_text (const PrismParam *param)
{
  return param->default_text[0] != '\0' ? 1 : 0;
}

static guint
get_max_text (const PrismParam *param)
{
  return param->maximum > 0 ? (guint) param->maximum : MAX_TEXT;
}

/**
 * prism_config_has_auto:
 * @param: a parameter
 *
 * Returns: whether its least value is no number as the others are, but stands for automatic; it is
 *   written "auto"
 */
gboolean
prism_config_has_auto (const PrismParam *param)
{
  return param->minimum_label != NULL && param->minimum < param->least
         && strcmp (param->minimum_label, "Automatic") == 0;
}

/* "1 to 2048 px", "on or off", "l1, l2": what may be written for the parameter. */
static char *
describe_allowed (const PrismParam *param)
{
  const gboolean has_auto = prism_config_has_auto (param);
  g_autofree char *minimum = format_real (has_auto ? param->least : param->minimum);
  g_autofree char *maximum = format_real (param->maximum);
  const char *automatic = has_auto ? _ (" or auto") : "";

  switch (param->type)
    {
    case PRISM_PARAM_INTEGER:
    case PRISM_PARAM_REAL:
      return g_strdup_printf (param->type == PRISM_PARAM_INTEGER
                                  ? _ ("a whole number from %s to %s%s%s%s")
                                  : _ ("a number from %s to %s%s%s%s"),
                              minimum, maximum, *param->unit != '\0' ? " " : "", param->unit,
                              automatic);
    case PRISM_PARAM_SWITCH:
      return g_strdup (_ ("on or off"));
    case PRISM_PARAM_CHOICE:
      {
        g_autoptr (GString) names = g_string_new (NULL);

        for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
          g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", choice->name);
        return g_strdup_printf (_ ("one of %s"), names->str);
      }
    case PRISM_PARAM_TEXT:
    default:
      if (prism_config_names_file (param))
        return g_strdup_printf (_ ("a name of %u to %u bytes"), get_min_text (param),
                                get_max_text (param));
      return g_strdup_printf (_ ("a text of %u to %u bytes in UTF-8"), get_min_text (param),
                              get_max_text (param));
    }
}

static gboolean
refuse (const PrismParam *param,
        const char *shown,
        GError **error)
{
  g_autofree char *allowed = describe_allowed (param);

  return prism_error_config (error, _ ("%s cannot be “%s”: allowed is %s."), param->key, shown,
                             allowed);
}

static gboolean
number_is_allowed (const PrismParam *param,
                   double value)
{
  int n_choices = 0;

  if (prism_config_has_auto (param) && value > param->minimum && value < param->least)
    return FALSE;
  switch (param->type)
    {
    case PRISM_PARAM_INTEGER:
    case PRISM_PARAM_REAL:
      return value >= param->minimum && value <= param->maximum
             && (param->type == PRISM_PARAM_REAL || value == floor (value));
    case PRISM_PARAM_SWITCH:
      return value == 0 || value == 1;
    case PRISM_PARAM_CHOICE:
      while (param->choices[n_choices].name != NULL)
        n_choices++;
      return value >= 0 && value < n_choices && value == floor (value);
    case PRISM_PARAM_TEXT:
    default:
      return FALSE;
    }
}

static gboolean
text_is_allowed (const PrismParam *param,
                 const char *text)
{
  gsize length = strlen (text);

  return length >= get_min_text (param) && length <= get_max_text (param)
         && (prism_config_names_file (param) || g_utf8_validate (text, length, NULL));
}

static gboolean
parse_switch (const char *text,
              double *value)
{
  static const char *const on[] = { "on", "true", "yes", "1", NULL };
  static const char *const off[] = { "off", "false", "no", "0", NULL };
  g_autofree char *lower = g_ascii_strdown (text, -1);

  *value = g_strv_contains (on, lower);
  return *value == 1 || g_strv_contains (off, lower);
}

static gboolean
parse_choice (const PrismParam *param,
              const char *text,
              double *value)
{
  for (int i = 0; param->choices[i].name != NULL; i++)
    if (g_ascii_strcasecmp (text, param->choices[i].name) == 0)
      {
        *value = i;
        return TRUE;
      }
  return FALSE;
}

/* "none", "automatic" and "auto", where the least value means that. */
static gboolean
parse_word (const PrismParam *param,
            const char *text,
            double *value)
{
  const char *label = param->minimum_label;

  if (label == NULL
      || (g_ascii_strcasecmp (text, label) != 0
          && (strcmp (label, "Automatic") != 0 || g_ascii_strcasecmp (text, "auto") != 0)))
    return FALSE;
  *value = param->minimum;
  return TRUE;
}

static gboolean
parse_value (const PrismParam *param,
             const char *text,
             double *value)
{
  switch (param->type)
    {
    case PRISM_PARAM_SWITCH:
      return parse_switch (text, value);
    case PRISM_PARAM_CHOICE:
      return parse_choice (param, text, value);
    case PRISM_PARAM_INTEGER:
    case PRISM_PARAM_REAL:
      return parse_word (param, text, value)
             || (prism_number_parse (text, value)
                 && !(prism_config_has_auto (param) && *value < param->least));
    case PRISM_PARAM_TEXT:
    default:
      return FALSE;
    }
}

/**
 * prism_config_find_param:
 * @key: what was written
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG, with the key that was probably meant.
 *
 * Returns: (transfer none) (nullable): the parameter
 */
const PrismParam *
prism_config_find_param (const char *key,
                         GError **error)
{
  const PrismParam *param = prism_config_get_param (key);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  g_autofree char *shown = prism_printable_dup_short (key);
  const char *nearest;

  if (param != NULL)
    return param;
  if (strcmp (key, "pattern_command") == 0)
    {
      prism_error_config (error,
                          _ ("“pattern_command” stands on the command line alone, after --set:"
                             " a file starts no program."));
      return NULL;
    }
  for (param = prism_config_get_params (NULL); param->key != NULL; param++)
    g_ptr_array_add (keys, (gpointer) param->key);
  g_ptr_array_add (keys, NULL);
  nearest = prism_nearest_find (key, (const char *const *) keys->pdata);
  if (nearest != NULL)
    prism_error_config (error, _ ("There is no parameter “%s”: did you mean “%s”?"), shown,
                        nearest);
  else
    prism_error_config (
        error, _ ("There is no parameter “%s”: “prism-cli params” lists all of them."), shown);
  return NULL;
}

/**
 * prism_config_new:
 *
 * Returns: (transfer full): a configuration with every parameter at its default
 */
PrismConfig *
prism_config_new (void)
{
  PrismConfig *self = g_new0 (PrismConfig, 1);

  PRISM_FOR_EACH_PARAM (param)
    if (param->type == PRISM_PARAM_TEXT)
      *text_at (self, param) = g_strdup (param->default_text);
    else if (param->type == PRISM_PARAM_REAL)
      *real_at (self, param) = param->default_value;
    else
      *integer_at (self, param) = (int) param->default_value;
  return self;
}

/**
 * prism_config_new_recorded:
 *
 * Where recorded frames do best with another value than the telescope, they have that.
 *
 * Returns: (transfer full): the defaults of recorded frames
 */
PrismConfig *
prism_config_new_recorded (void)
{
  PrismConfig *config = prism_config_new ();

  config->kind = PRISM_FRAMES_RECORDED;
  config->method = PRISM_METHOD_SEQUENTIAL;
  config->passes = 8;
  config->tile = PRISM_TILE_AUTO;
  /* None has shown that it is quicker with small frames. */
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

/**
 * prism_config_new_defaults:
 * @kind: whose frames
 *
 * Returns: (transfer full): their defaults
 */
PrismConfig *
prism_config_new_defaults (PrismFramesKind kind)
{
  return kind == PRISM_FRAMES_RECORDED ? prism_config_new_recorded () : prism_config_new ();
}

/**
 * prism_config_dup:
 *
 * Returns: (transfer full): the copy
 */
PrismConfig *
prism_config_dup (const PrismConfig *self)
{
  PrismConfig *copy = g_memdup2 (self, sizeof *self);

  PRISM_FOR_EACH_PARAM (param)
    if (param->type == PRISM_PARAM_TEXT)
      *text_at (copy, param) = g_strdup (*text_at (self, param));
  return copy;
}

/**
 * prism_config_dup_asked:
 * @automatic_tile: side of tiles that is chosen where nobody asks for one; 0: none, or unknown
 *
 * Returns: (transfer full): the same with the side of tiles that somebody asked for
 */
PrismConfig *
prism_config_dup_asked (const PrismConfig *self,
                        int automatic_tile)
{
  PrismConfig *asked = prism_config_dup (self);

  if (asked->tile > 0 && asked->tile == automatic_tile)
    asked->tile = PRISM_TILE_AUTO;
  return asked;
}

/**
 * prism_config_free:
 * @self: (nullable): a configuration
 */
void
prism_config_free (PrismConfig *self)
{
  if (self == NULL)
    return;
  PRISM_FOR_EACH_PARAM (param)
    if (param->type == PRISM_PARAM_TEXT)
      g_free (*text_at (self, param));
  g_free (self);
}

/**
 * prism_config_differs:
 * @param: a parameter
 *
 * Returns: whether it has another value in the other configuration
 */
gboolean
prism_config_differs (const PrismConfig *self,
                      const PrismConfig *other,
                      const PrismParam *param)
{
  return param->type == PRISM_PARAM_TEXT
             ? g_strcmp0 (*text_at (self, param), *text_at (other, param)) != 0
             : prism_config_get_number (self, param) != prism_config_get_number (other, param);
}

/**
 * prism_config_equal:
 * @a: a configuration
 * @b: another one
 *
 * Returns: whether every parameter has the same value in both
 */
gboolean
prism_config_equal (const PrismConfig *a,
                    const PrismConfig *b)
{
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_differs (a, b, param))
      return FALSE;
  return TRUE;
}

/**
 * prism_config_keeps_object:
 * @before: another one
 *
 * Returns: whether pictures and numbers of both can be held against each other: they are of one
 *   object, or of the same recorded frames
 */
gboolean
prism_config_keeps_object (const PrismConfig *self,
                           const PrismConfig *before)
{
  return self->kind == before->kind && strcmp (self->object, before->object) == 0;
}

/**
 * prism_config_copy:
 * @from: another configuration
 * @param: a parameter
 *
 * Takes the value of one parameter over.
 */
void
prism_config_copy (PrismConfig *self,
                   const PrismConfig *from,
                   const PrismParam *param)
{
  if (param->type == PRISM_PARAM_TEXT)
    {
      g_free (*text_at (self, param));
      *text_at (self, param) = g_strdup (*text_at (from, param));
    }
  else if (param->type == PRISM_PARAM_REAL)
    *real_at (self, param) = *real_at (from, param);
  else
    *integer_at (self, param) = *integer_at (from, param);
}

/**
 * prism_config_get_number:
 * @param: a parameter that is not a text
 *
 * Reads a parameter; a switch is 0 or 1, a choice is the index into its choices.
 *
 * Returns: the value, %NAN for a text
 */
double
prism_config_get_number (const PrismConfig *self,
                         const PrismParam *param)
{
  if (param->type == PRISM_PARAM_TEXT)
    return NAN;
  if (param->type == PRISM_PARAM_REAL)
    return *real_at (self, param);
  return *integer_at (self, param);
}

/**
 * prism_config_set_number:
 * @param: a parameter that is not a text
 * @value: the value, 0 or 1 for a switch, the index into the choices for a choice
 *
 * Sets a parameter, which stays as it was when the value is refused.
 *
 * Errors: PRISM_ERROR_CONFIG with the key and what is allowed.
 *
 * Returns: whether the value was allowed
 */
gboolean
prism_config_set_number (PrismConfig *self,
                         const PrismParam *param,
                         double value,
                         GError **error)
{
  if (!number_is_allowed (param, value))
    {
      g_autofree char *shown = format_real (value);
      return refuse (param, shown, error);
    }
  if (param->type == PRISM_PARAM_REAL)
    *real_at (self, param) = value + 0.0; /* turns -0 into 0 */
  else
    *integer_at (self, param) = (int) value;
  return TRUE;
}

/**
 * prism_config_dup_text:
 * @param: a parameter
 *
 * Writes a parameter's value as prism_config_set_text() reads it: numbers with a point in every
 * locale and as short as they read back the same, "auto" for one that is no number but stands for
 * it, switches as on or off, choices by their name. Names of files that are no UTF-8 are URIs.
 *
 * Returns: (transfer full): the text
 */
char *
prism_config_dup_text (const PrismConfig *self,
                       const PrismParam *param)
{
  if (prism_config_has_auto (param) && prism_config_get_number (self, param) == param->minimum)
    return g_strdup ("auto");
  switch (param->type)
    {
    case PRISM_PARAM_TEXT:
      return prism_config_names_file (param) ? prism_file_to_text (*text_at (self, param))
                                             : g_strdup (*text_at (self, param));
    case PRISM_PARAM_SWITCH:
      return g_strdup (*integer_at (self, param) ? "on" : "off");
    case PRISM_PARAM_CHOICE:
      return g_strdup (param->choices[*integer_at (self, param)].name);
    case PRISM_PARAM_REAL:
      return format_real (*real_at (self, param));
    case PRISM_PARAM_INTEGER:
    default:
      return g_strdup_printf ("%d", *integer_at (self, param));
    }
}

/**
 * prism_config_get_word:
 * @param: a parameter
 *
 * Some numbers mean that there is none, or that the program chooses.
 *
 * Returns: (nullable): the word for the value, "None", in English; it is in the catalogue
 */
const char *
prism_config_get_word (const PrismConfig *self,
                       const PrismParam *param)
{
  if (param->minimum_label == NULL || prism_config_get_number (self, param) != param->minimum)
    return NULL;
  return param->minimum_label;
}

/* Of a file the name itself, any bytes. A name that will be written as a URI begins at the root. */
static char *
dup_stored (const PrismParam *param,
            const char *text)
{
  g_autofree char *path = prism_config_names_file (param) ? prism_file_from_text (text) : NULL;

  if (param->minimum_label != NULL && g_ascii_strcasecmp (text, param->minimum_label) == 0)
    return g_strdup ("");
  if (path == NULL)
    return g_strdup (text);
  return g_utf8_validate (path, -1, NULL) ? g_steal_pointer (&path)
                                          : g_canonicalize_filename (path, NULL);
}

/**
 * prism_config_set_text:
 * @key: a key, such as "image_size"
 * @text: the value as a person or a file writes it
 *
 * Sets a parameter, which stays as it was when the key or the value is refused. Numbers are read
 * with a point in every locale; where the least one means none or automatic, so does the word. The
 * name of a file may have any bytes, or be a URI.
 *
 * Errors: PRISM_ERROR_CONFIG with the key, the value and what is allowed, or the nearest key.
 *
 * Returns: whether the value was set
 */
gboolean
prism_config_set_text (PrismConfig *self,
                       const char *key,
                       const char *text,
                       GError **error)
{
  const PrismParam *former = prism_config_find_former (key);
  const gboolean is_gone = former != NULL && former->type == PRISM_PARAM_TEXT;
  const PrismParam *param = is_gone ? NULL : prism_config_find_param (key, error);
  g_autofree char *shown = prism_printable_dup_short (text);
  double value;

  if (param == NULL)
    return is_gone;
  if (former != NULL)
    {
      if (!parse_choice (former, text, &value))
        return refuse (former, shown, error);
      prism_config_set_former (self, former, (int) value);
      return TRUE;
    }
  if (param->type == PRISM_PARAM_TEXT)
    {
      g_autofree char *stored = dup_stored (param, text);

      if (!text_is_allowed (param, stored))
        return refuse (param, shown, error);
      g_free (*text_at (self, param));
      *text_at (self, param) = g_steal_pointer (&stored);
      return TRUE;
    }
  if (!parse_value (param, text, &value) || !number_is_allowed (param, value))
    return refuse (param, shown, error);
  return prism_config_set_number (self, param, value, error);
}

static void
set_wrong (const char **wrong,
           const char *key)
{
  if (wrong != NULL)
    *wrong = key;
}

/**
 * prism_config_check_ranges:
 * @wrong: (out) (nullable) (optional): the key that is wrong; NULL when none is
 *
 * Finds out whether each value is in its own range, whatever the others are.
 *
 * Errors: PRISM_ERROR_CONFIG; the message names key, value and what is allowed.
 *
 * Returns: whether all are
 */
gboolean
prism_config_check_ranges (const PrismConfig *self,
                           const char **wrong,
                           GError **error)
{
  PRISM_FOR_EACH_PARAM (param)
    {
      const char *text = param->type == PRISM_PARAM_TEXT ? *text_at (self, param) : NULL;
      double value = prism_config_get_number (self, param);

      set_wrong (wrong, param->key);
      if (param->type == PRISM_PARAM_TEXT && (text == NULL || !text_is_allowed (param, text)))
        return refuse (param, "", error);
      if (param->type != PRISM_PARAM_TEXT && !number_is_allowed (param, value))
        {
          g_autofree char *shown = format_real (value);
          return refuse (param, shown, error);
        }
    }
  set_wrong (wrong, NULL);
  return TRUE;
}

/* The values do not fit together, and this one should change. */
static gboolean G_GNUC_PRINTF (4, 5)
    reject (const char *key,
            const char **wrong,
            GError **error,
            const char *format,
            ...)
{
  va_list arguments;

  set_wrong (wrong, key);
  va_start (arguments, format);
  g_propagate_error (error,
                     g_error_new_valist (PRISM_ERROR, PRISM_ERROR_CONFIG, format, arguments));
  va_end (arguments);
  return FALSE;
}

static gboolean
check_sizes (const PrismConfig *self,
             const char **wrong,
             GError **error)
{
  int n = self->image_size;
  int below = 1 << g_bit_nth_msf (n, -1);

  if (n != below)
    return reject ("image_size", wrong, error,
                   _ ("image_size is %d px, but must be a power of two: choose %d or %d."), n,
                   below, MIN (2 * below, 4096));
  if (self->object_size % 2 != 0)
    return reject ("object_size", wrong, error,
                   _ ("object_size is %d px, but must be an even number: choose %d or %d."),
                   self->object_size, self->object_size - 1, self->object_size + 1);
  if (self->object_size > n)
    return reject ("object_size", wrong, error,
                   _ ("object_size is %d px, but must not be larger than image_size, which is %d "
                      "px."),
                   self->object_size, n);
  return TRUE;
}

static gboolean
check_plane (const PrismConfig *self,
             const char **wrong,
             GError **error)
{
  int n = self->image_size;
  g_autofree char *radius = format_real (self->aperture_radius);
  g_autofree char *width = format_real (self->vane_width);
  g_autofree char *length = format_real (self->line_length);

  if (self->aperture_radius > n / 2)
    return reject ("aperture_radius", wrong, error,
                   _ ("aperture_radius is %s px, but must not be larger than %d px, half of "
                      "image_size."),
                   radius, n / 2);
  if (self->roi > n)
    return reject ("roi", wrong, error,
                   _ ("roi is %d px, but must not be larger than image_size, which is %d px."),
                   self->roi, n);
  if (self->line_length > n)
    return reject ("line_length", wrong, error,
                   _ ("line_length is %s px, but must not be larger than image_size, which is %d "
                      "px."),
                   length, n);
  if (self->aperture_shape == PRISM_SHAPE_OBSCURED && self->vane_width > self->aperture_radius)
    return reject ("vane_width", wrong, error,
                   _ ("vane_width is %s px, but must not be larger than aperture_radius (%s px)."),
                   width, radius);
  return TRUE;
}

/**
 * prism_config_check_plane:
 * @wrong: (out) (nullable) (optional): the key that is wrong; NULL when none is
 *
 * Finds out whether field, object and aperture fit together, whatever else may be wrong.
 *
 * Errors: PRISM_ERROR_CONFIG; the message names key, value and what is allowed.
 *
 * Returns: whether a pattern can be laid out with it
 */
gboolean
prism_config_check_plane (const PrismConfig *self,
                          const char **wrong,
                          GError **error)
{
  set_wrong (wrong, NULL);
  return check_sizes (self, wrong, error) && check_plane (self, wrong, error);
}
