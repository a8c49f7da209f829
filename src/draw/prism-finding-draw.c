#include "config.h"

#include "prism-finding-draw.h"

#include "prism-scale.h"

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
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (settings, param);

      if (prism_param_decides (param, TRUE) && prism_config_differs (settings, defaults, param))
        prism_config_append_setting (text, param->key, value);
    }
  g_string_append (text, " --output result");
  return g_string_free (text, FALSE);
}

#define MARGIN 16    /* around the map */
#define BAR_WIDTH 12 /* of the bar alone */
#define BAR_ROOM 76  /* for the bar and its numbers */
#define LEAST_SIDE 20
#define LEAST_DOT 2.5
#define MOST_DOT 14.0
#define LONGEST_MOVE 0.8 /* of the distance of two lights, how long moves are drawn */

static const char *const labels[PRISM_LIGHT_N_KINDS]
    = { N_ ("Misfit"), N_ ("Correlation"), N_ ("Gain"), N_ ("Move of the place") };

/**
 * prism_light_draw_get_label:
 * @kind: a kind
 *
 * Returns: (transfer none): its name
 */
const char *
prism_light_draw_get_label (PrismLightKind kind)
{
  return gettext (labels[kind]);
}

/**
 * prism_light_draw_get_move:
 *
 * Units: px of a frame's spectrum.
 *
 * Returns: how far its light was found from where it was recorded
 */
double
prism_light_draw_get_move (const PrismFindingFrame *frame)
{
  return hypot (frame->found[0] - frame->recorded[0], frame->found[1] - frame->recorded[1]);
}

/**
 * prism_light_draw_has_place:
 *
 * Returns: whether its place is known
 */
gboolean
prism_light_draw_has_place (const PrismFindingFrame *frame)
{
  return isfinite (frame->found[0]) && isfinite (frame->found[1]);
}

static double
get_value (const PrismLightDraw *self,
           guint j)
{
  const PrismFindingFrame *frame = &self->finding->frames[j];

  switch (self->kind)
    {
    case PRISM_LIGHT_CORRELATION:
      return frame->correlation;
    case PRISM_LIGHT_GAIN:
      return frame->gain;
    case PRISM_LIGHT_MOVE:
      return prism_light_draw_get_move (frame);
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

  for (guint j = 0; finding != NULL && j < finding->n_frames; j++)
    {
      const PrismFindingFrame *frame = &finding->frames[j];

      if (!prism_light_draw_has_place (frame))
        continue;
      if (isfinite (prism_light_draw_get_move (frame)))
        most = MAX (most, prism_light_draw_get_move (frame));
      if (j > 0)
        nearest = MIN (nearest, hypot (frame->found[0] - frame[-1].found[0],
                                       frame->found[1] - frame[-1].found[1]));
    }
  return most > 0 && isfinite (nearest) ? MAX (1, LONGEST_MOVE * nearest / most) : 1;
}

/**
 * prism_light_draw_init:
 * @finding: (nullable): what is known; stays
 * @kind: what the colours say
 *
 * Chooses the colours and how long moves are.
 */
void
prism_light_draw_init (PrismLightDraw *self,
                       const PrismFinding *finding,
                       PrismLightKind kind)
{
  double low = INFINITY, high = -INFINITY;

  *self = (PrismLightDraw) { .finding = finding, .kind = kind };
  for (guint j = 0; finding != NULL && j < finding->n_frames; j++)
    if (isfinite (get_value (self, j)))
      {
        low = MIN (low, get_value (self, j));
        high = MAX (high, get_value (self, j));
      }
  prism_mapping_init (&self->mapping);
  self->mapping.colormap = PRISM_COLORMAP_VIRIDIS;
  self->mapping.levels = PRISM_LEVELS_MANUAL;
  self->mapping.black = low < high ? (float) low : 0;
  self->mapping.white = low < high ? (float) high : 1;
  self->factor = choose_factor (finding);
}

/**
 * prism_light_draw_get_layout:
 * @width: of the rectangle, the bar included
 * @height: of the rectangle
 * @layout: (out): how the places lie in it
 *
 * Returns: whether there are places, and room for them
 */
gboolean
prism_light_draw_get_layout (const PrismLightDraw *self,
                             double width,
                             double height,
                             PrismLightLayout *layout)
{
  const PrismFinding *finding = self->finding;
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, extent;
  guint n = 0;

  width -= BAR_ROOM + 2 * MARGIN;
  height -= 2 * MARGIN;
  for (guint j = 0; finding != NULL && j < finding->n_frames; j++)
    if (prism_light_draw_has_place (&finding->frames[j]))
      {
        for (int k = 0; k < 2; k++)
          {
            low[k] = MIN (low[k], finding->frames[j].found[k]);
            high[k] = MAX (high[k], finding->frames[j].found[k]);
          }
        n++;
      }
  if (n == 0 || width < LEAST_SIDE || height < LEAST_SIDE)
    return FALSE;
  extent = MAX (MAX (high[0] - low[0], high[1] - low[1]), 1e-6);
  layout->dot = CLAMP (0.38 * MIN (width, height) / sqrt (n), LEAST_DOT, MOST_DOT);
  layout->scale = (MIN (width, height) - 2 * layout->dot) / extent;
  for (int k = 0; k < 2; k++)
    layout->middle[k] = (low[k] + high[k]) / 2;
  layout->center[0] = MARGIN + width / 2;
  layout->center[1] = MARGIN + height / 2;
  return TRUE;
}

/**
 * prism_light_draw_get_point:
 * @place: of a light, px of a frame's spectrum
 * @point: (out): where it is drawn
 *
 * Says where a light lies in the rectangle.
 */
void
prism_light_draw_get_point (const PrismLightLayout *layout,
                            const double place[2],
                            double point[2])
{
  for (int k = 0; k < 2; k++)
    point[k] = layout->center[k] + layout->scale * (place[k] - layout->middle[k]);
}

static void
draw_move (const PrismLightDraw *self,
           cairo_t *cr,
           const PrismLightLayout *layout,
           const PrismFindingFrame *frame,
           const double point[2])
{
  double start[2];

  for (int k = 0; k < 2; k++)
    start[k] = point[k] - layout->scale * self->factor * (frame->found[k] - frame->recorded[k]);
  cairo_move_to (cr, start[0], start[1]);
  cairo_line_to (cr, point[0], point[1]);
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgb (cr, 1, 0.45, 0.1);
  cairo_stroke (cr);
}

static void
draw_light (const PrismLightDraw *self,
            PrismPaint *paint,
            const PrismLightLayout *layout,
            guint j)
{
  const PrismFindingFrame *frame = &self->finding->frames[j];
  const float value = (float) get_value (self, j);
  cairo_t *cr = paint->cr;
  double point[2];

  prism_light_draw_get_point (layout, frame->found, point);
  cairo_new_sub_path (cr);
  cairo_arc (cr, point[0], point[1], layout->dot, 0, 2 * G_PI);
  if (isfinite (value))
    {
      guint32 color = 0;

      prism_mapping_apply (&self->mapping, &value, NULL, &color, 1);
      cairo_set_source_rgb (cr, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0,
                            (color & 255) / 255.0);
      cairo_fill_preserve (cr);
    }
  cairo_set_line_width (cr, frame->held ? 2 : 0.5);
  prism_paint_set_alpha (paint, frame->held ? 0.9 : 0.4);
  cairo_stroke (cr);
  if (self->kind == PRISM_LIGHT_MOVE && isfinite (prism_light_draw_get_move (frame)))
    draw_move (self, cr, layout, frame, point);
}

/**
 * prism_light_draw_paint:
 * @paint: where; the origin is the upper left corner
 * @width: of the rectangle
 * @height: of the rectangle
 *
 * Draws the lights, those of frames that were held out with a bold rim, and the bar of colours.
 */
void
prism_light_draw_paint (const PrismLightDraw *self,
                        PrismPaint *paint,
                        double width,
                        double height)
{
  PrismLightLayout layout;

  if (!prism_light_draw_get_layout (self, width, height, &layout))
    return;
  for (guint j = 0; j < self->finding->n_frames; j++)
    if (prism_light_draw_has_place (&self->finding->frames[j]))
      draw_light (self, paint, &layout, j);
  prism_color_bar_draw (paint, &self->mapping, width - BAR_ROOM, MARGIN, BAR_WIDTH,
                        height - 2 * MARGIN);
}
