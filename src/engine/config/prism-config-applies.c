#include "config.h"

#include "config/prism-config-applies.h"

#include "base/prism-error.h"
#include "config/prism-config-view.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The column “applies” has words between blanks, all of which must hold: first at most one source,
 *   telescope   simulated frames
 *   decoder     those, where a decoder may be trained
 *   recorded    recorded frames
 * then conditions on other parameters, "pattern=circles|star", "line_length!=0". */

static gboolean
begins_with (const PrismParam *param,
             const char *source)
{
  const gsize length = strlen (source);

  return param->applies != NULL && strncmp (param->applies, source, length) == 0
         && (param->applies[length] == ' ' || param->applies[length] == '\0');
}

/**
 * prism_param_is_of:
 * @param: a parameter
 * @recorded: whether frames are
 *
 * Returns: whether it can have an effect on such frames, whatever the others are
 */
gboolean
prism_param_is_of (const PrismParam *param,
                   gboolean recorded)
{
  return recorded ? !begins_with (param, "telescope") && !begins_with (param, "decoder")
                  : !begins_with (param, "recorded");
}

/**
 * prism_param_check_is_of:
 * @param: a parameter
 * @recorded: whether frames are
 *
 * Errors: PRISM_ERROR_CONFIG where it says something to recorded frames that they do not have.
 *
 * Returns: whether somebody may set it for such frames
 */
gboolean
prism_param_check_is_of (const PrismParam *param,
                         gboolean recorded,
                         GError **error)
{
  if (!recorded || prism_param_is_of (param, recorded))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("%s has no effect on recorded frames: leave it out; “prism-cli params” says"
                  " which parameters they have."),
               param->key);
  return FALSE;
}

/**
 * prism_param_is_of_decoder:
 * @param: a parameter
 *
 * Returns: whether the decoder and its training alone look at it
 */
gboolean
prism_param_is_of_decoder (const PrismParam *param)
{
  return begins_with (param, "decoder");
}

/**
 * prism_param_is_place:
 * @param: a parameter
 *
 * Returns: whether it says where a run is computed, not what
 */
gboolean
prism_param_is_place (const PrismParam *param)
{
  static const char *const places[]
      = { "backend", "threads", "chunk", "tuning", "cache_size", "history_size",
          "autosave_samples", "autosave_seconds", NULL };

  return g_strv_contains (places, param->key);
}

/**
 * prism_param_decides:
 * @param: a parameter
 * @recorded: whether frames are
 *
 * Returns: whether it can decide what comes of such frames
 */
gboolean
prism_param_decides (const PrismParam *param,
                     gboolean recorded)
{
  return prism_param_is_of (param, recorded) && !prism_param_is_place (param)
         && !prism_config_view_contains (param);
}

/* word: "key=one|another" or "key!=one|another" */
static gboolean
holds (const PrismConfig *self,
       const char *word)
{
  const char *equals = strchr (word, '=');
  const gboolean differs = equals[-1] == '!';
  g_autofree char *key = g_strndup (word, equals - word - differs);
  g_autofree char *value = prism_config_dup_text (self, prism_config_get_param (key));
  g_auto (GStrv) values = g_strsplit (equals + 1, "|", -1);

  /* Nothing is a value, too: that of a text that is empty. */
  return (g_strv_contains ((const char *const *) values, value)
          || (values[0] == NULL && value[0] == '\0'))
         != differs;
}

/**
 * prism_config_applies:
 * @param: a parameter
 * @recorded: whether frames are
 *
 * Returns: whether a change of the parameter could change a run with all others as they are
 */
gboolean
prism_config_applies (const PrismConfig *self,
                      const PrismParam *param,
                      gboolean recorded)
{
  g_auto (GStrv) words = g_strsplit (param->applies != NULL ? param->applies : "", " ", -1);

  if (!prism_param_is_of (param, recorded)
      || (prism_param_is_of_decoder (param) && !prism_config_trains (self)))
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    if (strchr (words[i], '=') != NULL && !holds (self, words[i]))
      return FALSE;
  return TRUE;
}
