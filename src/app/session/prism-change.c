#include "config.h"

#include "session/prism-change.h"

#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <math.h>

/* More of them would not be read beside a picture. */
#define MOST_NAMED 2
/* A text that may be longer than a line is a list. */
#define LONGEST 4096

#define LONG 3.0 /* s: more is no answer to a pull at a slider */
/* Pixels of all frames. The quick look has 5 million, and is over after a few seconds on two cores
 * of a processor. */
#define MANY 20e6
#define MANY_TRAINED 0.8e6 /* the same of a run that trains, twenty times as slow */

/* In what has an effect. */
static gboolean
differs (PrismSession *session,
         const PrismConfig *before,
         const PrismConfig *after,
         const PrismParam *param)
{
  return !param->unfollowed && prism_config_differs (before, after, param)
         && prism_config_applies (after, param, prism_session_get_recorded (session))
         && prism_session_get_idle_reason (session, param) == NULL;
}

/**
 * prism_change_is_any:
 * @session: which knows device and frames
 * @before: a configuration
 * @after: another one
 *
 * Thread: main.
 *
 * Returns: whether a run of @after comes to another picture for all that one can know beforehand
 */
gboolean
prism_change_is_any (PrismSession *session,
                     const PrismConfig *before,
                     const PrismConfig *after)
{
  PRISM_FOR_EACH_PARAM (param)
    if (differs (session, before, after, param))
      return TRUE;
  return FALSE;
}

/* The unit stands once, behind both numbers. */
static void
strip_unit (char *value,
            const char *other,
            const PrismParam *param)
{
  g_autofree char *unit = g_strdup_printf (" %s", prism_wording_get_unit (param));

  if (*param->unit != '\0' && g_str_has_suffix (value, unit) && g_str_has_suffix (other, unit))
    value[strlen (value) - strlen (unit)] = '\0';
}

static char *
dup_one (const PrismConfig *before,
         const PrismConfig *after,
         const PrismParam *param)
{
  const char *label = gettext (param->label);
  g_autofree char *old = prism_wording_dup_value (before, param);
  g_autofree char *new = prism_wording_dup_value (after, param);

  if (param->type == PRISM_PARAM_TEXT && param->maximum > LONGEST)
    return g_strdup_printf (_ ("%s changed"), label);
  strip_unit (old, new, param);
  return g_strdup_printf ("%s %s → %s", label, old, new);
}

/**
 * prism_change_dup_text:
 * @session: which knows device and frames
 * @before: a configuration
 * @after: another one
 *
 * Thread: main.
 *
 * Returns: (transfer full) (nullable): “Radius 12 → 14 px”, NULL where nothing has changed
 */
char *
prism_change_dup_text (PrismSession *session,
                       const PrismConfig *before,
                       const PrismConfig *after)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *one = NULL;

      if (!differs (session, before, after, param) || ++n > MOST_NAMED)
        continue;
      one = dup_one (before, after, param);
      g_string_append_printf (text, "%s%s", n > 1 ? ", " : "", one);
    }
  if (n == 0)
    return NULL;
  if (n > MOST_NAMED)
    g_string_append_printf (text, ngettext (" and %u more", " and %u more", n - MOST_NAMED),
                            n - MOST_NAMED);
  return g_strdup (text->str);
}

static const char *
get_verdict (const PrismSnapshot *snapshot)
{
  static const char *const words[PRISM_N_VERDICTS] = {
    [PRISM_VERDICT_EXPLAINED] = N_ ("explained"),
    [PRISM_VERDICT_UNEXPLAINED] = N_ ("not explained"),
  };
  const char *word = words[snapshot->verdict.kind];

  return word != NULL ? _ (word) : NULL;
}

/* By the measurements alone, where nobody knows the object. */
static char *
dup_misfits (const PrismSnapshot *before,
             const PrismSnapshot *after)
{
  g_autofree char *old = prism_wording_dup_loss (before->misfit);
  g_autofree char *new = prism_wording_dup_loss (after->misfit);
  g_autofree char *misfits = g_strdup_printf (_ ("misfit %s → %s"), old, new);
  const char *old_word = get_verdict (before), *new_word = get_verdict (after);

  if (new_word == NULL)
    return g_steal_pointer (&misfits);
  if (old_word == NULL || g_str_equal (old_word, new_word))
    return g_strdup_printf ("%s, %s", misfits, new_word);
  return g_strdup_printf ("%s, %s → %s", misfits, old_word, new_word);
}

/**
 * prism_change_dup_effect:
 * @before: of a run that is over
 * @after: (nullable): of another one, which is under way if NULL
 *
 * Thread: main.
 *
 * Returns: (transfer full) (nullable): “44.8 → 47.1 dB”, NULL where nothing can be compared
 */
char *
prism_change_dup_effect (const PrismSnapshot *before,
                         const PrismSnapshot *after)
{
  gboolean measured = isfinite (before->metrics.psnr);

  if (after == NULL && measured)
    return g_strdup_printf (_ ("%.1f dB → …"), before->metrics.psnr);
  if (after == NULL)
    return NULL;
  if (measured && isfinite (after->metrics.psnr))
    return g_strdup_printf (_ ("%.1f → %.1f dB"), before->metrics.psnr, after->metrics.psnr);
  if (isfinite (before->misfit) && isfinite (after->misfit))
    return dup_misfits (before, after);
  return NULL;
}

/* Where the pattern is a list, its length is what it was. */
static double
count_pixels (const PrismConfig *config,
              guint n_known)
{
  gboolean counts = prism_config_applies (config, prism_config_get_param ("samples"),
                                          FALSE);
  guint n_samples = counts || n_known == 0 ? (guint) config->samples : n_known;

  return (double) config->image_size * config->image_size * n_samples;
}

/**
 * prism_change_guess_time:
 * @config: of a run
 * @known: (nullable): a run that is finished
 *
 * Takes the time of the known run, which was of the same machine, and lets it grow with the pixels
 * of all frames and the passes. Training makes a run many times longer: of a run that may do
 * without it the time is that of the same course, and a run that surely trains says nothing about
 * one that may not.
 *
 * Units: seconds.
 * Thread: any.
 *
 * Returns: the time, NAN where it cannot be known
 */
double
prism_change_guess_time (const PrismConfig *config,
                         const PrismSnapshot *known)
{
  double factor;

  if (known == NULL || known->config == NULL || known->state != PRISM_STATE_FINISHED
      || known->seconds <= 0.0 || known->config->method != config->method
      || prism_config_may_spare_training (known->config)
             != prism_config_may_spare_training (config))
    return NAN;
  factor = prism_config_may_spare_training (config)
               ? 1.0
               : (double) config->passes / known->config->passes;
  return factor * known->seconds * count_pixels (config, known->n_samples)
         / count_pixels (known->config, known->n_samples);
}

/**
 * prism_change_is_long:
 * @config: of a run
 * @known: (nullable): a run that is finished
 *
 * Thread: any.
 *
 * Returns: whether the run takes more than a few seconds, by the known run or else by its size
 */
gboolean
prism_change_is_long (const PrismConfig *config,
                      const PrismSnapshot *known)
{
  double seconds = prism_change_guess_time (config, known);
  gboolean trains = prism_config_trains (config) && !prism_config_may_spare_training (config);

  return isfinite (seconds) ? seconds > LONG
                            : count_pixels (config, 0) > (trains ? MANY_TRAINED : MANY);
}
