#include "config.h"

#include "ptychography/prism-ptychography-settings.h"

#include "base/prism-error.h"

#include <math.h>
#include <string.h>

typedef enum
{
  TYPE_INTEGER,
  TYPE_REAL,   /* or “auto” */
  TYPE_SWITCH, /* yes or no */
  TYPE_CHOICE, /* the number of one of its choices */
  TYPE_FRAMES, /* a list */
  TYPE_FOLDER, /* a path, or “none” */
} Type;

/* The type and the place of the value of each key. */
typedef struct
{
  Type type;
  gsize offset;
  int automatic; /* what “auto” of an integer is; without one: INT_MIN */
} Field;

#define OFFSET(member) G_STRUCT_OFFSET (PrismPtychographySettings, member)

static const PrismPtychographyKey keys[] = {
  { "hold_out", 0, 1000, "15", NULL,
    "Every so many-th frame is never used, and its prediction compared with it; 0: all are used" },
  { "leave_out", 0, 0, "auto", "auto|none|17,31-35",
    "Frames that are not used, nor their predictions compared, such as 17,31-35; auto: those whose"
    " LEDs are off" },
  { "half_bright", 0, 50, "0", NULL,
    "Frames whose LED lies within so many % of the NA at the pupil's rim are not used" },
  { "method", 0, 0, "sequential", "sequential|descent",
    "One frame after the other with steps that get smaller, or all frames together, accelerated,"
    " with five steps a pass" },
  { "passes", 1, 10000, "8", NULL, "Passes over all frames" },
  { "more_passes", 0, 10000, "32", NULL,
    "Passes besides, where LEDs are found far from where they should be" },
  { "upsampling", 2, 16, "auto", NULL, "Pixels of the object along a pixel of a frame" },
  { "border", 0, 256, "auto", NULL, "Pixels of the field around a frame, which no camera saw" },
  { "pupil", 0, 0, "search", "search|flat",
    "What the passes begin with: the aberrations of a search, or none" },
  { "defocus", -10000, 10000, "auto", NULL, "µm, where the search for the pupil begins" },
  { "rim", 1, 16, "auto", NULL,
    "Width of the pupil's rim, pixels of the spectrum: LEDs that are no points make it soft" },
  { "free_pupil", 0, 0, "yes", NULL, "The pupil changes point by point during the passes" },
  { "gains", 0, 0, "yes", NULL, "The brightness of every LED is found" },
  { "positions", 0, 0, "yes", "no|yes|board",
    "The place of every LED is found, and of the whole board, or of that alone" },
  { "start", 0, 0, "none", NULL,
    "Folder of an earlier result, whose pupil, gains and places the passes begin with" },
  { "tile", 0, 2048, "0", NULL,
    "Pixels of the side of a tile: each is explained with its own directions, and all are put"
    " together; 0: the whole frame is one" },
  { "tile_overlap", 5, 75, "25", NULL, "% of a tile that neighbours share" },
  { "background", 0, 1e9, "auto", NULL,
    "Intensity that is taken off every pixel; auto: that of the dark frames' darkest pixels" },
  { "threads", 0, 256, "0", NULL, "Threads; 0: one for each core" },
};

static const Field fields[] = {
  { TYPE_INTEGER, OFFSET (hold_out), G_MININT },
  { TYPE_FRAMES, OFFSET (leave_out), G_MININT },
  { TYPE_INTEGER, OFFSET (half_bright), G_MININT },
  { TYPE_CHOICE, OFFSET (method), G_MININT },
  { TYPE_INTEGER, OFFSET (passes), G_MININT },
  { TYPE_INTEGER, OFFSET (more_passes), G_MININT },
  { TYPE_INTEGER, OFFSET (upsampling), 0 },
  { TYPE_INTEGER, OFFSET (border), -1 },
  { TYPE_CHOICE, OFFSET (pupil), G_MININT },
  { TYPE_REAL, OFFSET (defocus), G_MININT },
  { TYPE_REAL, OFFSET (rim), G_MININT },
  { TYPE_SWITCH, OFFSET (free_pupil), G_MININT },
  { TYPE_SWITCH, OFFSET (gains), G_MININT },
  { TYPE_CHOICE, OFFSET (positions), G_MININT },
  { TYPE_FOLDER, OFFSET (start), G_MININT },
  { TYPE_INTEGER, OFFSET (tile), G_MININT },
  { TYPE_INTEGER, OFFSET (tile_overlap), G_MININT },
  { TYPE_REAL, OFFSET (background), G_MININT },
  { TYPE_INTEGER, OFFSET (threads), G_MININT },
};

G_STATIC_ASSERT (G_N_ELEMENTS (keys) == G_N_ELEMENTS (fields));

/**
 * prism_ptychography_settings_get_keys:
 * @n_keys: (out): number of keys
 *
 * Returns: (transfer none) (array length=n_keys): what can be set
 */
const PrismPtychographyKey *
prism_ptychography_settings_get_keys (gsize *n_keys)
{
  *n_keys = G_N_ELEMENTS (keys);
  return keys;
}

static gboolean
refuse (const PrismPtychographyKey *key,
        const Field *field,
        const char *value,
        GError **error)
{
  if (field->type == TYPE_SWITCH || field->type == TYPE_CHOICE)
    {
      g_auto (GStrv) choices
          = g_strsplit (field->type == TYPE_SWITCH ? "yes|no" : key->choices, "|", -1);
      g_autofree char *all = g_strjoinv (" or ", choices);

      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG, "%s = %s: it can be %s.", key->key,
                   value, all);
    }
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 "%s = %s: a number from %g to %g%s is wanted.",
                 key->key, value, key->minimum, key->maximum,
                 field->type == TYPE_REAL || field->automatic != G_MININT ? " or auto" : "");
  return FALSE;
}

static gboolean
set_number (PrismPtychographySettings *self,
            gsize i,
            const char *value,
            GError **error)
{
  const gboolean automatic = strcmp (value, "auto") == 0;
  gpointer slot = G_STRUCT_MEMBER_P (self, fields[i].offset);
  char *end;
  double number = g_ascii_strtod (value, &end);
  const gboolean in_range = number >= keys[i].minimum && number <= keys[i].maximum;

  if (automatic && fields[i].type == TYPE_REAL)
    *(double *) slot = NAN;
  else if (automatic && fields[i].automatic != G_MININT)
    *(int *) slot = fields[i].automatic;
  else if (end == value || *end != '\0' || !in_range)
    return refuse (&keys[i], &fields[i], value, error);
  else if (fields[i].type == TYPE_REAL)
    *(double *) slot = number;
  else if (number != floor (number))
    return refuse (&keys[i], &fields[i], value, error);
  else
    *(int *) slot = (int) number;
  return TRUE;
}

static gboolean
set_frames (char *slot,
            const char *value,
            GError **error)
{
  g_autoptr (GArray) ranges = prism_frame_list_parse (value, error);

  if (ranges == NULL)
    return FALSE;
  g_strlcpy (slot, value[0] != '\0' ? value : "none", PRISM_FRAME_LIST_SIZE);
  return TRUE;
}

static gboolean
set_choice (int *slot,
            const PrismPtychographyKey *key,
            const char *value)
{
  g_auto (GStrv) choices = g_strsplit (key->choices, "|", -1);

  for (int i = 0; choices[i] != NULL; i++)
    if (strcmp (choices[i], value) == 0)
      {
        *slot = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
set_folder (char *slot,
            const char *key,
            const char *value,
            GError **error)
{
  if (strlen (value) >= PRISM_START_SIZE)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "%s: the path is longer than %d characters.", key, PRISM_START_SIZE - 1);
      return FALSE;
    }
  g_strlcpy (slot, strcmp (value, "none") == 0 ? "" : value, PRISM_START_SIZE);
  return TRUE;
}

/**
 * prism_ptychography_settings_set:
 * @key: "passes"
 * @value: "20"
 *
 * Sets one value.
 *
 * Errors: PRISM_ERROR_CONFIG, with the range or the choices.
 *
 * Returns: whether it was set
 */
gboolean
prism_ptychography_settings_set (PrismPtychographySettings *self,
                                 const char *key,
                                 const char *value,
                                 GError **error)
{
  static const char *const switches[] = { "yes", "no", NULL };
  g_autoptr (GString) all = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      int *slot = G_STRUCT_MEMBER_P (self, fields[i].offset);

      g_string_append_printf (all, "%s%s", i == 0 ? "" : ", ", keys[i].key);
      if (strcmp (keys[i].key, key) != 0)
        continue;
      if (fields[i].type == TYPE_INTEGER || fields[i].type == TYPE_REAL)
        return set_number (self, i, value, error);
      if (fields[i].type == TYPE_FRAMES)
        return set_frames ((char *) slot, value, error);
      if (fields[i].type == TYPE_FOLDER)
        return set_folder ((char *) slot, key, value, error);
      if (fields[i].type == TYPE_SWITCH && g_strv_contains (switches, value))
        *slot = value[0] == 'y';
      else if (fields[i].type != TYPE_CHOICE || !set_choice (slot, &keys[i], value))
        return refuse (&keys[i], &fields[i], value, error);
      return TRUE;
    }
  if (strcmp (key, "object") == 0)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "object = %s: recorded frames are explained by a complex object, and no setting"
                   " makes it real; one that has no phase comes out with a flat one.",
                   value);
      return FALSE;
    }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "There is no setting “%s” of recorded frames; there are %s.", key, all->str);
  return FALSE;
}

/**
 * prism_ptychography_settings_parse:
 * @setting: "passes=20"
 *
 * Sets one value from a word of the command line.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether it was set
 */
gboolean
prism_ptychography_settings_parse (PrismPtychographySettings *self,
                                   const char *setting,
                                   GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *key = NULL;
  g_autofree char *value = NULL;

  if (equals == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "“%s” is no setting: write it as key=value, for example passes=20.", setting);
      return FALSE;
    }
  key = g_strstrip (g_strndup (setting, equals - setting));
  value = g_strstrip (g_strdup (equals + 1));
  return prism_ptychography_settings_set (self, key, value, error);
}

/**
 * prism_ptychography_settings_init:
 *
 * Sets every value to its default.
 */
void
prism_ptychography_settings_init (PrismPtychographySettings *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    prism_ptychography_settings_set (self, keys[i].key, keys[i].initial, NULL);
}

/**
 * prism_ptychography_settings_dup:
 * @key: one that there is
 *
 * Returns: (transfer full): its value, as prism_ptychography_settings_set() reads it
 */
char *
prism_ptychography_settings_dup (const PrismPtychographySettings *self,
                                 const char *key)
{
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const int *slot = G_STRUCT_MEMBER_P (self, fields[i].offset);
      const double *real = (const double *) slot;

      if (strcmp (keys[i].key, key) != 0)
        continue;
      if (fields[i].type == TYPE_FRAMES)
        return g_strdup ((const char *) slot);
      if (fields[i].type == TYPE_SWITCH)
        return g_strdup (*slot ? "yes" : "no");
      if (fields[i].type == TYPE_FOLDER)
        return g_strdup (*(const char *) slot != '\0' ? (const char *) slot : "none");
      if (fields[i].type == TYPE_CHOICE)
        {
          g_auto (GStrv) choices = g_strsplit (keys[i].choices, "|", -1);

          return g_strdup (choices[*slot]);
        }
      if (fields[i].type == TYPE_REAL)
        return isnan (*real) ? g_strdup ("auto") : g_strdup_printf ("%g", *real);
      return *slot == fields[i].automatic ? g_strdup ("auto") : g_strdup_printf ("%d", *slot);
    }
  g_return_val_if_reached (NULL);
}
