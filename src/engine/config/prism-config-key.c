#include "config.h"

#include "config/prism-config-key.h"

#include "base/prism-error.h"
#include "base/prism-nearest.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* The key that was probably meant, or NULL. */
static const char *
find_nearest_key (const char *key)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();

  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    g_ptr_array_add (keys, (gpointer) param->key);
  g_ptr_array_add (keys, NULL);
  return prism_nearest_find (key, (const char *const *) keys->pdata);
}

/**
 * prism_config_key_dup_shown:
 * @text: a key or a value, as somebody wrote it
 *
 * Returns: (transfer full): what a message shows of it, whatever bytes it has: 48 letters at most
 */
char *
prism_config_key_dup_shown (const char *text)
{
  g_autofree char *readable = g_utf8_make_valid (text, strnlen (text, 256));

  for (char *c = readable; *c != '\0'; c++)
    if (g_ascii_iscntrl (*c))
      *c = ' ';
  if (g_utf8_strlen (readable, -1) <= 48)
    return g_steal_pointer (&readable);
  *g_utf8_offset_to_pointer (readable, 48) = '\0';
  return g_strconcat (readable, "…", NULL);
}

static void
set_unknown_key_error (const char *key,
                       GError **error)
{
  g_autofree char *shown = prism_config_key_dup_shown (key);
  const char *nearest = find_nearest_key (key);

  if (nearest != NULL)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no parameter “%s”: did you mean “%s”?"), shown, nearest);
  else
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                 _ ("There is no parameter “%s”: “prism-cli params” lists all of them."), shown);
}

/**
 * prism_config_key_find:
 * @key: a key, as somebody wrote it
 *
 * Errors: PRISM_ERROR_CONFIG with the key that was probably meant.
 *
 * Returns: (transfer none) (nullable): the parameter
 */
const PrismParam *
prism_config_key_find (const char *key,
                       GError **error)
{
  const PrismParam *param = prism_config_get_param (key);

  if (param == NULL)
    set_unknown_key_error (key, error);
  return param;
}
