#include "config.h"

#include "session/prism-run-diff.h"

#include "support/prism-ui-text.h"

/* More of them would not be read beside a picture. */
#define MOST_NAMED 2
/* A text that may be longer than a line is a list. */
#define LONGEST 4096

/* In what has an effect. */
static gboolean
differs (PrismSession *session,
         const PrismConfig *before,
         const PrismConfig *after,
         const PrismParam *param)
{
  return prism_config_differs (before, after, param) && prism_config_applies (after, param)
         && prism_session_get_idle_reason (session, param) == NULL;
}

/**
 * prism_run_diff_is_any:
 * @session: which knows device and frames
 * @before: a configuration
 * @after: another one
 *
 * Thread: main.
 *
 * Returns: whether a run of @after comes to another picture for all that one can know beforehand
 */
gboolean
prism_run_diff_is_any (PrismSession *session,
                       const PrismConfig *before,
                       const PrismConfig *after)
{
  PRISM_FOR_EACH_PARAM (param)
    if (!param->unfollowed && differs (session, before, after, param))
      return TRUE;
  return FALSE;
}

static char *
dup_one (const PrismConfig *before,
         const PrismConfig *after,
         const PrismParam *param)
{
  const char *label = gettext (param->label);
  g_autofree char *old = prism_ui_text_dup_value (before, param);
  g_autofree char *new = prism_ui_text_dup_value (after, param);
  g_autofree char *unit = g_strdup_printf (" %s", prism_ui_text_get_unit (param));

  if (param->type == PRISM_PARAM_TEXT && param->maximum > LONGEST)
    return g_strdup_printf (_ ("%s changed"), label);
  /* The unit stands once, behind both numbers. */
  if (*param->unit != '\0' && g_str_has_suffix (old, unit) && g_str_has_suffix (new, unit))
    old[strlen (old) - strlen (unit)] = '\0';
  return g_strdup_printf ("%s %s → %s", label, old, new);
}

/**
 * prism_run_diff_dup_text:
 * @session: which knows device and frames
 * @before: a configuration
 * @after: another one
 *
 * Thread: main.
 *
 * Returns: (transfer full) (nullable): “Radius 12 → 14 px”, NULL where nothing has changed
 */
char *
prism_run_diff_dup_text (PrismSession *session,
                         const PrismConfig *before,
                         const PrismConfig *after)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *one = NULL;

      /* Of recorded frames the file is their object. */
      if (g_str_equal (param->key, "object")
              ? prism_config_keeps_object (after, before)
              : !prism_config_decides (after, param) || strcmp (param->group, "scale") == 0
                    || !differs (session, before, after, param))
        continue;
      if (++n > MOST_NAMED)
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

/* By the measurements alone, where nobody knows the object. */
static char *
dup_misfits (const PrismSnapshot *before,
             const PrismSnapshot *after)
{
  g_autofree char *old = prism_ui_text_dup_loss (before->misfit);
  g_autofree char *new = prism_ui_text_dup_loss (after->misfit);
  g_autofree char *misfits = g_strdup_printf (_ ("misfit %s → %s"), old, new);
  const PrismVerdictKind kind = before->verdict.kind;
  g_autofree char *was = prism_verdict_dup_label (&before->verdict, before->coverage);
  g_autofree char *is = prism_verdict_dup_label (&after->verdict, after->coverage);

  if (after->verdict.kind == PRISM_VERDICT_OPEN)
    return g_steal_pointer (&misfits);
  if (kind == PRISM_VERDICT_OPEN || g_str_equal (was, is))
    return g_strdup_printf ("%s, %s", misfits, is);
  return g_strdup_printf ("%s, %s → %s", misfits, was, is);
}

/**
 * prism_run_diff_dup_effect:
 * @before: of a run that is over
 * @after: (nullable): of another one, which is under way if NULL
 *
 * Thread: main.
 *
 * Returns: (transfer full) (nullable): “44.8 → 47.1 dB”, NULL where nothing can be compared
 */
char *
prism_run_diff_dup_effect (const PrismSnapshot *before,
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
