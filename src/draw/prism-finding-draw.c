#include "config.h"

#include "prism-finding-draw.h"

#include "config/prism-units.h"
#include "prism-mark-draw.h"
#include "prism-scale.h"

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
  return prism_ticks_take_minus (g_string_free (text, FALSE));
}

/**
 * prism_finding_text_dup_finest:
 * @finest: (nullable): period that two halves of the frames agree on, m
 * @limit: that objective and light allow, m
 * @is_whole: whether to say how it is known
 *
 * Returns: (transfer full): the finest period that the result shows
 */
char *
prism_finding_text_dup_finest (const PrismMeasured *finest,
                               double limit,
                               gboolean is_whole)
{
  g_autofree char *allowed = prism_units_dup_length (limit), *measured = NULL;

  if (finest == NULL)
    return g_strdup_printf (_ ("%s allowed by objective and light"), allowed);
  measured = prism_units_dup_length_within (finest->value, finest->error);
  if (!is_whole)
    return g_steal_pointer (&measured);
  return g_strdup_printf (_ ("%s by two halves of the frames, above the half-bit threshold; %s"
                             " allowed by objective and light (%s)"),
                          measured, allowed, prism_error_of_get_text (PRISM_ERROR_OF_HALVES));
}

/**
 * prism_finding_text_dup_command:
 * @path: of the frames
 * @reading: (nullable): how they were read, see prism_problem_dup_options()
 * @settings: that were chosen
 *
 * Returns: (transfer full): what finds the same on a command line
 */
char *
prism_finding_text_dup_command (const char *path,
                                const char *reading,
                                const PrismConfig *settings)
{
  g_autofree char *source = g_shell_quote (path);
  g_autoptr (PrismConfig) defaults = prism_config_new_recorded ();
  GString *text = g_string_new ("prism-cli run --measurements ");

  g_string_append_printf (text, "%s%s", source, reading != NULL ? reading : "");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (settings, param);

      if (prism_config_decides (defaults, param)
          && prism_config_differs (settings, defaults, param))
        prism_config_append_setting (text, param->key, value);
    }
  g_string_append (text, " --output result");
  return g_string_free (text, FALSE);
}

#define LONGEST_MOVE 0.8 /* of the distance of two lights, how long moves are drawn */

static const char *const labels[PRISM_LIGHT_N_KINDS]
    = { N_ ("Misfit"), N_ ("Correlation"), N_ ("Gain: model over recorded"),
        N_ ("Move of the place") };

/**
 * prism_light_kind_get_label:
 * @kind: a kind
 *
 * Returns: (transfer none): its name
 */
const char *
prism_light_kind_get_label (PrismLightKind kind)
{
  return gettext (labels[kind]);
}

/* How far its light was found from where it was recorded, px of a frame's spectrum. */
static double
get_move (const PrismFindingFrame *frame)
{
  return hypot (frame->found[0] - frame->recorded[0], frame->found[1] - frame->recorded[1]);
}

static double
get_value (const PrismFindingFrame *frame,
           PrismLightKind kind)
{
  switch (kind)
    {
    case PRISM_LIGHT_CORRELATION:
      return frame->correlation;
    case PRISM_LIGHT_GAIN:
      return frame->gain;
    case PRISM_LIGHT_MOVE:
      return get_move (frame);
    case PRISM_LIGHT_MISFIT:
    case PRISM_LIGHT_N_KINDS:
    default:
      return frame->misfit;
    }
}

/* Moves as they are, they would hardly be seen. */
static double
choose_factor (const PrismFinding *finding)
{
  double most = 0, nearest = INFINITY;

  for (guint j = 0; j < finding->n_frames; j++)
    {
      const PrismFindingFrame *frame = &finding->frames[j];

      most = fmax (most, get_move (frame));
      if (j > 0)
        nearest = fmin (nearest, hypot (frame->found[0] - frame[-1].found[0],
                                        frame->found[1] - frame[-1].found[1]));
    }
  return most > 0 && isfinite (nearest) ? MAX (1, LONGEST_MOVE * nearest / most) : 1;
}

/* What is said of a frame. */
static char *
dup_frame_text (const PrismFindingFrame *frame,
                guint j)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, frame->held ? _ ("Frame %u, never used") : _ ("Frame %u"), j);
  if (isfinite (frame->misfit))
    g_string_append_printf (text, _ (": misfit %.4f, correlation %.3f"), frame->misfit,
                            frame->correlation);
  if (isfinite (frame->gain))
    g_string_append_printf (text, _ (", gain %.3f"), frame->gain);
  if (isfinite (get_move (frame)))
    g_string_append_printf (text, _ (", moved by %.2f px"), get_move (frame));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * prism_light_chart_new:
 * @finding: (nullable): what is known
 * @kind: what the colours say
 *
 * Returns: (transfer full): a point for each frame where its light was found; those of frames that
 *   were held out have a bold rim, and moves are longer than they are
 */
PrismChartData *
prism_light_chart_new (const PrismFinding *finding,
                       PrismLightKind kind)
{
  PrismChartData *chart = prism_chart_data_new_titled ("", _ ("kx / px"));
  const double factor = finding != NULL ? choose_factor (finding) : 1;
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY };

  chart->shape = PRISM_CHART_POINTS;
  chart->equal = chart->continuous = TRUE;
  chart->description
      = g_strdup_printf (_ ("LED map: %s"), prism_light_kind_get_label (kind));
  for (guint j = 0; finding != NULL && j < finding->n_frames; j++)
    {
      const PrismFindingFrame *frame = &finding->frames[j];
      PrismChartItem *item = prism_chart_data_add_item (chart, NULL, dup_frame_text (frame, j));

      item->x[0] = item->x[1] = frame->found[0];
      item->y[0] = item->y[1] = frame->found[1];
      item->value = get_value (frame, kind);
      item->bold = frame->held;
      for (int k = 0; k < 2; k++)
        {
          low[k] = fmin (low[k], frame->found[k]);
          high[k] = fmax (high[k], frame->found[k]);
          if (kind == PRISM_LIGHT_MOVE)
            item->from[k] = frame->found[k] - factor * (frame->found[k] - frame->recorded[k]);
        }
    }
  prism_chart_data_find_colors (chart, FALSE);
  if (low[0] <= high[0])
    {
      chart->first = low[0];
      chart->last = high[0];
    }
  prism_chart_data_set_axis (chart, PRISM_CHART_LEFT, _ ("ky / px"), FALSE,
                             low[1] <= high[1] ? low[1] : NAN, low[1] <= high[1] ? high[1] : NAN);
  return chart;
}
