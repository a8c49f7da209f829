#include "config.h"

#include "prism-kspace-overlay.h"

#include "base/prism-each.h"
#include "config/prism-config.h"
#include "prism-mapping.h"
#include "prism-scale.h"

/* Below this length of a side there is no room for numbers. */
#define NUMBERS_SIZE 150
#define KEY_SIZE 260
#define NUMBERS_FONT 0.78
#define KEY_FONT 0.82
/* From a mark to its text, and from there to the next mark. */
#define KEY_MARK 13
#define KEY_GAP 12
#define KEY_SIZE_OF_MARK 3.4
/* Room for "kx" and "ky" at the ends of the axes. */
#define LETTER_ROOM 34
/* Of the scale of the correlation. */
#define SCALE_SIZE 200 /* of a side; below it there is no room */
#define SCALE_WIDTH 64
#define SCALE_HEIGHT 8

static const PrismColor axis_color = { 1, 1, 1, 0.40 };
static const PrismColor number_color = { 1, 1, 1, 0.85 };
static const PrismColor region_color = { 1, 1, 1, 0.55 };
static const PrismColor planned_color = { 1, 1, 1, 0.80 };
static const PrismColor visited_color = { 0.60, 0.95, 1.0, 1.0 };
static const PrismColor rescued_color = { 0.95, 0.90, 0.25, 1.0 };
static const PrismColor failed_color = { 1.0, 0.45, 0.40, 1.0 };
static const PrismColor path_color = { 1, 1, 1, 0.13 };
static const PrismColor trail_color = { 0.60, 0.95, 1.0, 0.28 };
static const PrismColor aperture_color = { 1.0, 0.75, 0.30, 1.0 };
static const PrismColor rim_color = { 0, 0, 0, 0.6 };
static const PrismColor shadow_color = { 0, 0, 0, 0.55 };

/* In the order in which they are painted: what matters most comes last. */
typedef enum
{
  MARK_PLANNED,
  MARK_VISITED,
  MARK_RESCUED,
  MARK_FAILED,
  N_MARKS,
} Mark;

/* The middle of the pixel of k = 0 is half a pixel beyond the corner of column n/2. */
static double
get_x (const PrismFrame *frame,
       double kx)
{
  return frame->x0 + (kx + frame->image_width / 2 + 0.5) * frame->scale;
}

static double
get_y (const PrismFrame *frame,
       double ky)
{
  return frame->y0 + (ky + frame->image_height / 2 + 0.5) * frame->scale;
}

/* With a dark rim, to be read on any spectrum. */
static void
draw_number (PrismPaint *paint,
             const char *text,
             double x,
             double y,
             double align_x,
             double align_y)
{
  double width;
  double height;

  prism_paint_measure (paint, text, &width, &height);
  cairo_move_to (paint->cr, x - align_x * width, y - align_y * height);
  pango_cairo_layout_path (paint->cr, paint->layout);
  prism_paint_set_color (paint, &rim_color, 1);
  cairo_set_line_width (paint->cr, 2.5);
  cairo_set_line_join (paint->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (paint->cr);
  prism_paint_set_color (paint, &number_color, 1);
  prism_paint_draw_text (paint, text, x, y, align_x, align_y);
}

/* Ticks along an axis through the origin; their numbers stand at the edge of the area, away from
 * the crowd of centres. */
static void
draw_ticks (PrismPaint *paint,
            const PrismFrame *frame,
            gboolean vertical,
            double across,
            double edge)
{
  double area = vertical ? frame->area_height : frame->area_width;
  double corner = vertical ? frame->y0 : frame->x0;
  int n = vertical ? frame->image_height : frame->image_width;
  double low = MAX (-n / 2.0, -corner / frame->scale - n / 2 - 0.5);
  double high = MIN (n / 2.0, (area - corner) / frame->scale - n / 2 - 0.5);
  double first = MAX (0, corner) + (vertical ? LETTER_ROOM : 14);
  /* The lowest of the vertical numbers keeps clear of the row of horizontal ones. */
  double last = MIN (area, corner + n * frame->scale) - (vertical ? 30 : LETTER_ROOM);
  PrismTicks ticks;

  if (high - low < 1)
    return;
  prism_ticks_init_integer (&ticks, low, high,
                            (int) ((high - low) * frame->scale
                                   / (paint->line_height * (vertical ? 3.5 : 4.5)))
                                + 1);
  for (int i = 0; i < ticks.n_major; i++)
    {
      double along = prism_paint_snap (vertical
                                           ? get_y (frame, ticks.major[i])
                                           : get_x (frame, ticks.major[i]));
      g_autofree char *label = prism_ticks_dup_label (&ticks, i);

      if (along < first || along > last)
        continue;
      cairo_move_to (paint->cr, vertical ? across - 3 : along, vertical ? along : across - 3);
      cairo_rel_line_to (paint->cr, vertical ? 6 : 0, vertical ? 0 : 6);
      prism_paint_stroke (paint, &axis_color, 1, 1);
      if (vertical && ticks.major[i] != 0) /* the row below has the zero */
        draw_number (paint, label, edge + 4, along, 0, 0.5);
      else if (!vertical)
        draw_number (paint, label, along, edge - 3, 0.5, 1);
    }
}

static void
draw_axes (PrismPaint *paint,
           const PrismFrame *frame)
{
  double x = prism_paint_snap (get_x (frame, 0));
  double y = prism_paint_snap (get_y (frame, 0));
  double left = MAX (0, frame->x0);
  double right = MIN (frame->area_width, frame->x0 + frame->scale * frame->image_width);
  double top = MAX (0, frame->y0);
  double bottom = MIN (frame->area_height, frame->y0 + frame->scale * frame->image_height);

  cairo_move_to (paint->cr, left, y);
  cairo_line_to (paint->cr, right, y);
  cairo_move_to (paint->cr, x, top);
  cairo_line_to (paint->cr, x, bottom);
  prism_paint_stroke (paint, &axis_color, 1, 1);

  /* A figure has its numbers outside. */
  if (paint->figure || MIN (frame->area_width, frame->area_height) < NUMBERS_SIZE)
    return;
  prism_paint_set_font (paint, NUMBERS_FONT, FALSE);
  draw_ticks (paint, frame, FALSE, y, bottom);
  draw_ticks (paint, frame, TRUE, x, left);
  draw_number (paint, "kx", right - 5, bottom - 3, 1, 1);
  draw_number (paint, "ky", left + 4, top + 3, 0, 0);
}

static void
draw_region (const PrismKspaceOverlay *self,
             PrismPaint *paint,
             const PrismFrame *frame)
{
  static const double dashes[] = { 5, 4 };

  if (self->roi <= 0)
    return;
  cairo_save (paint->cr);
  cairo_new_path (paint->cr); /* text leaves a current point */
  cairo_arc (paint->cr, get_x (frame, 0), get_y (frame, 0), self->roi / 2 * frame->scale, 0,
             2 * G_PI);
  cairo_set_dash (paint->cr, dashes, G_N_ELEMENTS (dashes), 0);
  prism_paint_stroke (paint, &region_color, 1, 1.2);
  cairo_restore (paint->cr);
}

static void
draw_path (const PrismKspaceOverlay *self,
           PrismPaint *paint,
           const PrismFrame *frame,
           guint first,
           guint end,
           const PrismColor *color)
{
  for (guint i = first; i < end; i++)
    cairo_line_to (paint->cr, get_x (frame, self->pattern->points[i].x),
                   get_y (frame, self->pattern->points[i].y));
  prism_paint_stroke (paint, color, 1, 1);
}

/* Of the cross of a point that failed. */
static const double other_stroke[2][2] = { { 1, -1 }, { -1, 1 } };

/* A shape and a colour of its own for each kind of point: a ring, a polygon, a cross. */
typedef struct
{
  const PrismColor *color;
  double size;
  guint n_corners;
  double corners[4][2];
} Look;

static const Look looks[N_MARKS] = {
  [MARK_PLANNED] = { &planned_color, 1 },
  [MARK_VISITED] = { &visited_color, 1.35, 4, { { 0, -1 }, { 1, 0 }, { 0, 1 }, { -1, 0 } } },
  [MARK_RESCUED] = { &rescued_color, 1.35, 3, { { 0, -1 }, { 1, 0.8 }, { -1, 0.8 } } },
  [MARK_FAILED] = { &failed_color, 1.25, 2, { { -1, -1 }, { 1, 1 } } },
};

static void
add_mark (PrismPaint *paint,
          Mark mark,
          double x,
          double y,
          double size)
{
  const Look *look = &looks[mark];

  prism_paint_add_polygon (paint, x, y, size * look->size, look->corners, look->n_corners);
  if (mark == MARK_FAILED)
    prism_paint_add_polygon (paint, x, y, size * look->size, other_stroke, 2);
}

static void
paint_marks (PrismPaint *paint,
             Mark mark,
             const PrismColor *color,
             double size)
{
  cairo_t *cr = paint->cr;
  const gboolean cross = mark == MARK_FAILED;

  if (mark != MARK_PLANNED)
    {
      prism_paint_set_color (paint, &shadow_color, 1);
      cairo_set_line_width (cr, (cross ? 0.8 * size : 0) + 1.5);
      cairo_stroke_preserve (cr);
    }
  prism_paint_set_color (paint, color, 1);
  cairo_set_line_width (cr, cross ? 0.8 * size : MAX (0.8, 0.35 * size));
  if (mark == MARK_VISITED || mark == MARK_RESCUED)
    cairo_fill (cr);
  else
    cairo_stroke (cr);
}

static Mark
get_mark (const PrismKspaceOverlay *self,
          guint i)
{
  if (i >= self->n_visited)
    return MARK_PLANNED;
  if (self->states != NULL && i < self->n_states && self->states[i] == PRISM_SAMPLE_FAILED)
    return MARK_FAILED;
  if (self->states != NULL && i < self->n_states && self->states[i] == PRISM_SAMPLE_RESCUED)
    return MARK_RESCUED;
  return MARK_VISITED;
}

/* Marks shrink when many share the area. */
static double
get_mark_size (const PrismKspaceOverlay *self,
               const PrismFrame *frame)
{
  double length = MIN (frame->image_width, frame->image_height) * frame->scale;

  return CLAMP (0.12 * length / sqrt (self->pattern->n_points + 1.0), 1.1, 4.0);
}

/* Ways of the aperture while the camera is open. */
static void
draw_lines (const PrismKspaceOverlay *self,
            PrismPaint *paint,
            const PrismFrame *frame,
            guint first,
            guint end,
            const PrismColor *color)
{
  if (self->line_length <= 0)
    return;
  cairo_new_path (paint->cr);
  for (guint i = first; i < end; i++)
    {
      const PrismPoint *point = &self->pattern->points[i];
      double dx = 0.5 * self->line_length * cos (point->angle);
      double dy = 0.5 * self->line_length * sin (point->angle);

      cairo_move_to (paint->cr, get_x (frame, point->x - dx), get_y (frame, point->y - dy));
      cairo_line_to (paint->cr, get_x (frame, point->x + dx), get_y (frame, point->y + dy));
    }
  prism_paint_stroke (paint, color, 1, 1.6);
}

static void
draw_centers (const PrismKspaceOverlay *self,
              PrismPaint *paint,
              const PrismFrame *frame)
{
  double size = get_mark_size (self, frame);
  guint n_visited = MIN (self->n_visited, self->pattern->n_points);

  draw_path (self, paint, frame, n_visited == 0 ? 0 : n_visited - 1, self->pattern->n_points,
             &path_color);
  draw_path (self, paint, frame, 0, n_visited, &trail_color);
  draw_lines (self, paint, frame, n_visited, self->pattern->n_points, &planned_color);
  draw_lines (self, paint, frame, 0, n_visited, &visited_color);
  for (Mark mark = 0; mark < N_MARKS; mark++)
    {
      for (guint i = 0; i < self->pattern->n_points; i++)
        if (get_mark (self, i) == mark)
          add_mark (paint, mark, get_x (frame, self->pattern->points[i].x),
                    get_y (frame, self->pattern->points[i].y), size);
      paint_marks (paint, mark, looks[mark].color, size);
    }
}

static void
draw_aperture (const PrismKspaceOverlay *self,
               PrismPaint *paint,
               const PrismFrame *frame,
               const PrismPoint *center,
               gboolean planned)
{
  static const double dashes[] = { 4, 3 };
  const double h = sqrt (3) / 2;
  const double corners[6][2]
      = { { 1, 0 }, { .5, h }, { -.5, h }, { -1, 0 }, { -.5, -h }, { .5, -h } };
  const PrismAperture *aperture = &self->aperture;
  const double radius = aperture->radius * frame->scale;
  const gboolean obscured = aperture->shape == PRISM_SHAPE_OBSCURED;
  const double inner = obscured ? aperture->obscuration * radius : 0;
  cairo_t *cr = paint->cr;

  if (radius <= 0)
    return;
  cairo_save (cr);
  cairo_translate (cr, get_x (frame, center->x), get_y (frame, center->y));
  cairo_new_path (cr);
  prism_paint_add_polygon (paint, 0, 0, radius, corners,
                           aperture->shape == PRISM_SHAPE_HEXAGON ? 6 : 0);
  if (inner > 0)
    {
      cairo_new_sub_path (cr);
      cairo_arc_negative (cr, 0, 0, inner, 2 * G_PI, 0);
    }

  if (planned)
    cairo_set_dash (cr, dashes, G_N_ELEMENTS (dashes), 0);
  else
    {
      prism_paint_set_color (paint, &aperture_color, 0.16);
      cairo_fill_preserve (cr);
    }
  prism_paint_set_color (paint, &shadow_color, 1);
  cairo_set_line_width (cr, 4);
  cairo_stroke_preserve (cr);
  prism_paint_stroke (paint, &aperture_color, 1, 1.8);
  cairo_set_dash (cr, NULL, 0, 0);
  for (int i = 0; obscured && i < 2 * aperture->vanes; i++)
    {
      const double angle = i * G_PI / aperture->vanes;

      cairo_move_to (cr, inner * cos (angle), inner * sin (angle));
      cairo_line_to (cr, radius * cos (angle), radius * sin (angle));
    }
  cairo_set_line_width (cr, MAX (1.4, aperture->vane_width * frame->scale));
  cairo_stroke (cr);
  cairo_restore (cr);
}

static void
draw_apertures (const PrismKspaceOverlay *self,
                PrismPaint *paint,
                const PrismFrame *frame)
{
  const guint n = self->pattern->n_points;
  const double size = get_mark_size (self, frame) + 1.85;

  /* Where the next aperture would go, and the one that is held, with a mark that is more than a
   * colour. */
  if (self->editing && self->hovering)
    draw_aperture (self, paint, frame, &self->hover, TRUE);
  if (self->editing && self->holding)
    {
      draw_aperture (self, paint, frame, &self->held, FALSE);
      cairo_new_path (paint->cr);
      add_mark (paint, MARK_VISITED, get_x (frame, self->held.x), get_y (frame, self->held.y),
                size);
      paint_marks (paint, MARK_VISITED, &aperture_color, size);
    }
  if (self->editing)
    return;
  if (self->current >= 0 && (guint) self->current < n)
    draw_aperture (self, paint, frame, &self->pattern->points[self->current], FALSE);
  else if (self->n_visited == 0 && n > 0)
    draw_aperture (self, paint, frame, &self->pattern->points[0], TRUE);
}

static char *
dup_key_text (Mark mark,
              guint n)
{
  switch (mark)
    {
    case MARK_VISITED:
      return g_strdup_printf (ngettext ("%u visited", "%u visited", n), n);
    case MARK_RESCUED:
      return g_strdup_printf (ngettext ("%u rescued", "%u rescued", n), n);
    case MARK_FAILED:
      return g_strdup_printf (ngettext ("%u failed", "%u failed", n), n);
    case MARK_PLANNED:
    case N_MARKS:
    default:
      return g_strdup_printf (ngettext ("%u planned", "%u planned", n), n);
    }
}

/* What the marks mean, with how many there are of each; x, y: upper left corner. */
static void
draw_key (const PrismKspaceOverlay *self,
          PrismPaint *paint,
          double x,
          double y)
{
  static const Mark order[] = { MARK_VISITED, MARK_RESCUED, MARK_FAILED, MARK_PLANNED };
  g_auto (GStrv) texts = g_new0 (char *, G_N_ELEMENTS (order) + 1);
  Mark marks[G_N_ELEMENTS (order)];
  double widths[G_N_ELEMENTS (order)], width = -KEY_GAP;
  guint n = 0;

  prism_paint_set_font (paint, KEY_FONT, FALSE);
  PRISM_FOR_EACH_OF (one, order)
    {
      guint n_marks = 0;

      for (guint k = 0; k < self->pattern->n_points; k++)
        n_marks += get_mark (self, k) == *one;
      if (n_marks == 0 && (*one == MARK_RESCUED || *one == MARK_FAILED))
        continue;
      marks[n] = *one;
      texts[n] = dup_key_text (*one, n_marks);
      prism_paint_measure (paint, texts[n], &widths[n], NULL);
      width += KEY_MARK + widths[n++] + KEY_GAP;
    }
  prism_paint_draw_patch (paint, x - 5, y - 2, width + 10, paint->line_height + 4);
  for (guint i = 0; i < n; i++)
    {
      add_mark (paint, marks[i], x + 4, y + paint->line_height / 2, KEY_SIZE_OF_MARK);
      paint_marks (paint, marks[i], looks[marks[i]].color, KEY_SIZE_OF_MARK);
      prism_paint_set_color (paint, &number_color, 1);
      prism_paint_draw_text (paint, texts[i], x + KEY_MARK, y, 0, 0);
      x += KEY_MARK + widths[i] + KEY_GAP;
    }
}

/**
 * prism_kspace_overlay_draw:
 * @self: what to show
 * @paint: where
 * @frame: the place of the spectrum
 *
 * Paints axes with numbers, the region of interest, the path in the order of the visits, visited
 * centres as diamonds, those that converged late as triangles, those that failed to as crosses,
 * planned ones as rings, and the aperture.
 */
void
prism_kspace_overlay_draw (const PrismKspaceOverlay *self,
                           PrismPaint *paint,
                           const PrismFrame *frame)
{
  draw_axes (paint, frame);
  draw_region (self, paint, frame);
  if (self->correlation && MIN (frame->area_width, frame->area_height) >= SCALE_SIZE)
    {
      const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_VIRIDIS);
      double right = frame->area_width - 10;
      double text_width;
      double x;

      /* What the colours of the rings mean, at the upper right. */
      prism_paint_set_font (paint, KEY_FONT, FALSE);
      prism_paint_measure (paint, _ ("ring correlation 0…1"), &text_width, NULL);
      x = right - MAX (text_width, SCALE_WIDTH);
      prism_paint_draw_patch (paint, x - 5, 6, right - x + 10,
                              paint->line_height + SCALE_HEIGHT + 8);
      prism_paint_set_color (paint, &number_color, 1);
      prism_paint_draw_text (paint, _ ("ring correlation 0…1"), x, 8, 0, 0);
      for (int i = 0; i < SCALE_WIDTH; i++)
        {
          const PrismColor color
              = prism_color_unpack (table[i * (PRISM_COLORMAP_SIZE - 1) / (SCALE_WIDTH - 1)]);

          prism_paint_set_color (paint, &color, 1);
          cairo_rectangle (paint->cr, x + i, 10 + paint->line_height, 1.5, SCALE_HEIGHT);
          cairo_fill (paint->cr);
        }
    }
  if (self->pattern == NULL)
    return;
  draw_centers (self, paint, frame);
  draw_apertures (self, paint, frame);
  if (paint->figure)
    draw_key (self, paint, 10, 7);
  else if (MIN (frame->area_width, frame->area_height) >= KEY_SIZE)
    draw_key (self, paint, MAX (0, frame->x0) + LETTER_ROOM, 8);
}
