#include "config.h"

#include "recording/prism-recipe.h"

#include "base/prism-each.h"
#include "formats/prism-unit.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"

#define GROUP "recording"

struct _PrismRecipe
{
  GHashTable *values; /* key → text */
};

#define NAME(key, help)                      \
  {                                          \
    key, PRISM_RECIPE_NAME, 0, 0, NULL, help \
  }
#define LENGTH(key, low, high, help)                \
  {                                                 \
    key, PRISM_RECIPE_LENGTH, low, high, NULL, help \
  }
#define CHOICE(key, choices, help)                \
  {                                               \
    key, PRISM_RECIPE_CHOICE, 0, 0, choices, help \
  }
#define SWITCH(key, help)                      \
  {                                            \
    key, PRISM_RECIPE_SWITCH, 0, 1, NULL, help \
  }

static const PrismRecipeKey keys[] = {
  NAME ("frames", "Array with the frames"),
  { "frame_axis", PRISM_RECIPE_INTEGER, 0, 2, NULL,
    "Dimension that counts the frames, 0 for the first" },
  CHOICE ("values", "intensity|amplitude", "What the frames hold"),
  SWITCH ("transpose", "Swap rows and columns of each frame"),
  SWITCH ("flip_rows", "Turn each frame upside down, after transposing"),
  SWITCH ("flip_columns", "Mirror each frame left to right, after transposing"),
  { "crop", PRISM_RECIPE_BOX, 0, 16384, NULL,
    "Part of each frame that is used: column row width height, after turning" },
  NAME ("dark", "A frame that is taken off every frame: an array, a file, or one number"),
  NAME ("bright", "A frame that every frame is divided by: an array or a file"),
  NAME ("mask", "Pixels that are used: an array of a frame's shape, 0 where not"),
  CHOICE ("exposure", "divide|keep", "Frames that are exposed for different times"),
  CHOICE ("hot_pixels", "mask|keep", "Pixels that stand out of every frame"),
  NAME ("positions", "Array with the positions of the LEDs, or a CSV file"),
  CHOICE ("positions_axes", "xy|yx", "What the first column of the positions is"),
  CHOICE ("positions_unit", "m|mm|um|nm", "Unit of the positions"),
  CHOICE ("positions_flip", "none|x|y|xy", "Coordinates of the positions that are negated"),
  NAME ("directions", "Array with the direction cosines, or a CSV file"),
  CHOICE ("directions_axes", "xy|yx", "What the first column of the directions is"),
  CHOICE ("directions_sign", "plus|minus", "minus: the box of a frame lies opposite"),
  LENGTH ("wavelength", 1e-11, 1e-3, "Wavelength"),
  LENGTH ("pixel_size", 1e-10, 1e6, "Side of a pixel at the specimen"),
  LENGTH ("camera_pixel", 1e-9, 1e-2, "Side of a pixel of the camera"),
  { "magnification", PRISM_RECIPE_NUMBER, 1e-6, 1e4, NULL, "Magnification" },
  { "na", PRISM_RECIPE_NUMBER, 1e-9, 1.7, NULL, "Numerical aperture of the objective" },
  LENGTH ("distance", 1e-5, 1e9, "Distance of the LEDs from the specimen"),
  LENGTH ("pitch", 1e-6, 1e3, "Pitch of the LEDs, where columns and rows of them are known"),
  LENGTH ("defocus", -0.1, 0.1, "How far the specimen is out of focus: kept alone, a run finds it"),
  LENGTH ("slide_thickness", 0, 0.1, "Thickness of the slide between LEDs and specimen"),
  { "slide_index", PRISM_RECIPE_NUMBER, 1, 4, NULL, "Refractive index of the slide" },
  { "rotation", PRISM_RECIPE_ANGLE, -360, 360, NULL,
    "Rotation of the LED array against the camera, from x to y" },
  LENGTH ("shift_x", -1e3, 1e3, "Shift of the LED array along x, after its rotation"),
  LENGTH ("shift_y", -1e3, 1e3, "Shift of the LED array along y, after its rotation"),
};

/**
 * prism_recipe_get_keys:
 * @n_keys: (out): how many
 *
 * Returns: (transfer none) (array length=n_keys): what a recipe can say
 */
const PrismRecipeKey *
prism_recipe_get_keys (gsize *n_keys)
{
  *n_keys = G_N_ELEMENTS (keys);
  return keys;
}

static const PrismRecipeKey *
find_key (const char *name)
{
  PRISM_FOR_EACH_OF (one, keys)
    if (strcmp (one->key, name) == 0)
      return one;
  return NULL;
}

/**
 * prism_recipe_new:
 *
 * Returns: (transfer full): a recipe that says nothing
 */
PrismRecipe *
prism_recipe_new (void)
{
  PrismRecipe *self = g_new0 (PrismRecipe, 1);

  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return self;
}

/**
 * prism_recipe_free:
 * @self: (nullable): a recipe
 */
PRISM_FREE_FOR_ALL (PrismRecipe, prism_recipe_free, g_hash_table_unref, values)

/**
 * prism_recipe_dup:
 * @self: (nullable): a recipe
 *
 * Returns: (transfer full): a copy, an empty one of %NULL
 */
PrismRecipe *
prism_recipe_dup (const PrismRecipe *self)
{
  PrismRecipe *copy = prism_recipe_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const char *value = prism_recipe_get (self, keys[i].key);

      if (value != NULL)
        g_hash_table_insert (copy->values, g_strdup (keys[i].key), g_strdup (value));
    }
  return copy;
}

/* A number with a unit; %FALSE for what is a name. */
static gboolean
parse_number (const PrismRecipeKey *key,
              const char *text,
              double *number)
{
  PrismUnit unit;

  if (!prism_unit_parse_number (text, number, &unit))
    return FALSE;
  if (unit.kind == PRISM_UNIT_NONE)
    return TRUE;
  *number *= unit.size;
  return unit.kind == PRISM_UNIT_LENGTH  ? key->type == PRISM_RECIPE_LENGTH
         : unit.kind == PRISM_UNIT_ANGLE ? key->type == PRISM_RECIPE_ANGLE
                                         : FALSE;
}

/* Four numbers of pixels, of which the last two are a size. */
static gboolean
is_box (const char *text)
{
  g_auto (GStrv) parts = g_strsplit_set (text, " ,", -1);
  guint n = 0;

  PRISM_FOR_EACH_STRING (part, parts)
    {
      guint64 number;

      if (**part == '\0')
        continue;
      if (!g_ascii_string_to_unsigned (*part, 10, n < 2 ? 0 : 1, 16384, &number, NULL))
        return FALSE;
      n++;
    }
  return n == 4;
}

static char *
dup_expected (const PrismRecipeKey *key)
{
  switch (key->type)
    {
    case PRISM_RECIPE_SWITCH:
      return g_strdup (_ ("expected is yes or no"));
    case PRISM_RECIPE_CHOICE:
      return g_strdup_printf (_ ("expected is one of %s"), key->choices);
    case PRISM_RECIPE_BOX:
      return g_strdup (_ ("expected are four whole numbers: column row width height"));
    case PRISM_RECIPE_LENGTH:
      return g_strdup_printf (_ ("expected is a length from %g m to %g m as “630 nm”, or the name"
                                 " of an array"),
                              key->minimum, key->maximum);
    default:
      return g_strdup_printf (_ ("expected is a number from %g to %g"), key->minimum, key->maximum);
    }
}

static gboolean
is_valid (const PrismRecipeKey *key,
          const char *value)
{
  g_auto (GStrv) names = NULL;
  double number;
  char *end;

  switch (key->type)
    {
    case PRISM_RECIPE_SWITCH:
      return strcmp (value, "yes") == 0 || strcmp (value, "no") == 0;
    case PRISM_RECIPE_CHOICE:
      names = g_strsplit (key->choices, "|", -1);
      return g_strv_contains ((const char *const *) names, value);
    case PRISM_RECIPE_BOX:
      return is_box (value);
    case PRISM_RECIPE_NAME:
      return *value != '\0';
    case PRISM_RECIPE_INTEGER:
      return parse_number (key, value, &number) && number == floor (number)
             && number >= key->minimum && number <= key->maximum;
    default:
      /* “nan” and “inf” are no names of arrays. */
      number = g_ascii_strtod (value, &end);
      if (*end == '\0' && !isfinite (number))
        return FALSE;
      if (parse_number (key, value, &number))
        return number >= key->minimum && number <= key->maximum;
      return *value != '\0' && !g_ascii_isdigit (*value) && strchr ("+-.", *value) == NULL;
    }
}

/**
 * prism_recipe_set:
 * @key: what is said
 * @value: (nullable): as it stands in the file; empty or %NULL: nothing is said
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it can be said so; if not, nothing has changed
 */
gboolean
prism_recipe_set (PrismRecipe *self,
                  const char *key,
                  const char *value,
                  GError **error)
{
  const PrismRecipeKey *entry = find_key (key);
  g_autofree char *text = g_strstrip (g_strdup (value != NULL ? value : ""));
  g_autofree char *expected = NULL, *shown = NULL;

  if (entry == NULL)
    {
      shown = prism_printable_dup_short (key);
      return prism_error_config (error, _ ("A recipe knows no key “%s”; “prism-cli inspect"
                                           " --keys” lists them."),
                                 shown);
    }
  if (*text == '\0')
    {
      g_hash_table_remove (self->values, key);
      return TRUE;
    }
  if (is_valid (entry, text))
    {
      g_hash_table_insert (self->values, g_strdup (key), g_steal_pointer (&text));
      return TRUE;
    }
  expected = dup_expected (entry);
  shown = prism_printable_dup_short (text);
  return prism_error_config (error, _ ("“%s” cannot be “%s”: %s."), key, shown, expected);
}

/**
 * prism_recipe_set_typed:
 * @key: what is said
 * @typed: as somebody typed it: a number may have a decimal comma
 *
 * Lists and names have their commas, and what may be a mark of thousands stays as it is: “1.845 µm”
 * is what files have, and “1,845 µm” is not understood where the decimal mark is a point.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it can be said so; if not, nothing has changed
 */
gboolean
prism_recipe_set_typed (PrismRecipe *self,
                        const char *key,
                        const char *typed,
                        GError **error)
{
  const PrismRecipeKey *entry = find_key (key);
  const gboolean is_number = entry->type == PRISM_RECIPE_LENGTH || entry->type == PRISM_RECIPE_ANGLE
                             || entry->type == PRISM_RECIPE_NUMBER
                             || entry->type == PRISM_RECIPE_INTEGER;
  gboolean grouped;
  g_autofree char *value = prism_number_dup_typed (typed, &grouped);

  return prism_recipe_set (self, key, is_number && !grouped ? value : typed, error);
}

/**
 * prism_recipe_get:
 * @self: (nullable): a recipe
 * @key: what is asked
 *
 * Returns: (transfer none) (nullable): the text, %NULL where nothing is said
 */
const char *
prism_recipe_get (const PrismRecipe *self,
                  const char *key)
{
  return self == NULL ? NULL : g_hash_table_lookup (self->values, key);
}

/**
 * prism_recipe_is:
 * @self: (nullable): a recipe
 * @key: what is asked
 * @value: a text
 *
 * Returns: whether the recipe says just that
 */
gboolean
prism_recipe_is (const PrismRecipe *self,
                 const char *key,
                 const char *value)
{
  return g_strcmp0 (prism_recipe_get (self, key), value) == 0;
}

/**
 * prism_recipe_get_number:
 * @self: (nullable): a recipe
 * @key: a length, number, angle or integer
 * @number: (out): in m, degrees or as it is
 *
 * Returns: whether a number is said; it is not where the name of an array is
 */
gboolean
prism_recipe_get_number (const PrismRecipe *self,
                         const char *key,
                         double *number)
{
  const char *text = prism_recipe_get (self, key);
  const PrismRecipeKey *entry = find_key (key);

  return text != NULL && entry != NULL && parse_number (entry, text, number);
}

static gboolean
parse_line (PrismRecipe *self,
            char *line,
            const char *name,
            guint number,
            GError **error)
{
  g_autoptr (GError) reason = NULL;
  char *equals = strchr (line, '=');

  if (*line == '\0' || *line == '#' || strcmp (line, "[" GROUP "]") == 0)
    return TRUE;
  if (equals == NULL)
    prism_error_config (&reason, _ ("Expected is “key = value”, a comment that begins with #, or"
                                    " [%s]."),
                        GROUP);
  else
    {
      *equals = '\0';
      g_strchomp (line);
      if (prism_recipe_get (self, line) != NULL)
        prism_error_config (&reason, _ ("The key is there a second time; leave one."));
      else if (prism_recipe_set (self, line, equals + 1, &reason))
        return TRUE;
    }
  return prism_error_config (error, _ ("%s, line %u: %s"), name, number, reason->message);
}

/**
 * prism_recipe_parse:
 * @text: (array length=length): what stands in a recipe
 * @name: of the file, for messages
 *
 * Errors: PRISM_ERROR_CONFIG with the line.
 *
 * Returns: (transfer full) (nullable): the recipe
 */
PrismRecipe *
prism_recipe_parse (const char *text,
                    gsize length,
                    const char *name,
                    GError **error)
{
  g_autoptr (PrismRecipe) self = prism_recipe_new ();
  g_autofree char *copy = NULL;
  g_auto (GStrv) lines = NULL;

  if (length > 65536 || !g_utf8_validate (text, (gssize) length, NULL))
    {
      prism_error_config (error, _ ("%s is no recipe: expected is UTF-8 text of at most 64 KiB."),
                          name);
      return NULL;
    }
  copy = g_strndup (text, length);
  lines = g_strsplit (copy, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!parse_line (self, g_strstrip (lines[i]), name, i + 1, error))
      return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_recipe_load:
 * @path: file name
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): the recipe
 */
PrismRecipe *
prism_recipe_load (const char *path,
                   GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, 65536, error);
  gsize length;
  const char *text = bytes == NULL ? NULL : g_bytes_get_data (bytes, &length);

  if (bytes == NULL)
    return NULL;
  return prism_recipe_parse (text != NULL ? text : "", text != NULL ? length : 0, path, error);
}

/**
 * prism_recipe_to_text:
 *
 * Returns: (transfer full): what prism_recipe_parse() reads, keys in the order of the table
 */
char *
prism_recipe_to_text (const PrismRecipe *self)
{
  GString *text = g_string_new ("[" GROUP "]\n");

  PRISM_FOR_EACH_OF (one, keys)
    {
      const char *value = prism_recipe_get (self, one->key);

      if (value != NULL)
        g_string_append_printf (text, "%s = %s\n", one->key, value);
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_recipe_save:
 * @path: file name
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the recipe is on the disk
 */
gboolean
prism_recipe_save (const PrismRecipe *self,
                   const char *path,
                   GError **error)
{
  g_autofree char *text = prism_recipe_to_text (self);

  return prism_file_save (path, text, strlen (text), error);
}
