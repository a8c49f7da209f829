#include "config.h"

#include "prism-finding-text.h"

#include "config/prism-config-applies.h"
#include "config/prism-config-command.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Names of aberrations, in the order of the engine's modes. */
static const char *const mode_labels[] = {
  N_ ("defocus"),
  N_ ("astigmatism"),
  N_ ("oblique astigmatism"),
  N_ ("coma along x"),
  N_ ("coma along y"),
  N_ ("spherical aberration"),
  N_ ("trefoil along x"),
  N_ ("trefoil along y"),
};

G_STATIC_ASSERT (G_N_ELEMENTS (mode_labels) == PRISM_PUPIL_N_MODES);

/**
 * prism_finding_text_dup_aberrations:
 *
 * Returns: (transfer full): the low aberrations of its pupil in waves, the largest first
 */
char *
prism_finding_text_dup_aberrations (const PrismFinding *finding)
{
  const double *waves = finding->waves;
  GString *text = g_string_new (_ ("In waves: "));
  guint order[PRISM_PUPIL_N_MODES];

  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    {
      guint k = i;

      for (; k > 0 && fabs (waves[order[k - 1]]) < fabs (waves[i]); k--)
        order[k] = order[k - 1];
      order[k] = i;
    }
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    if (isfinite (waves[order[i]]))
      g_string_append_printf (text, "%s%s %+.3f", i > 0 ? ",  " : "",
                              gettext (mode_labels[order[i]]), waves[order[i]]);
  return g_string_free (text, FALSE);
}

/**
 * prism_finding_text_dup_command:
 * @path: of the frames
 * @settings: that were chosen
 *
 * Returns: (transfer full): what finds the same on a command line; a recipe and a table of
 *   positions that the frames needed are not known
 */
char *
prism_finding_text_dup_command (const char *path,
                                const PrismConfig *settings)
{
  g_autofree char *source = g_shell_quote (path);
  g_autoptr (PrismConfig) defaults = prism_config_new_recorded ();
  GString *text = g_string_new ("prism-cli run --measurements ");

  g_string_append (text, source);
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_autofree char *value = prism_config_dup_text (settings, param);
      g_autofree char *usual = prism_config_dup_text (defaults, param);

      if (prism_param_decides (param, TRUE) && strcmp (value, usual) != 0)
        prism_config_append_setting (text, param->key, value);
    }
  g_string_append (text, " --output result");
  return g_string_free (text, FALSE);
}
