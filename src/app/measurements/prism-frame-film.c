#include "config.h"

#include "measurements/prism-frame-film.h"

#include "measurements/prism-import-pictures.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>
#include <math.h>

#define LONGEST 512     /* pixels of the picture; larger frames are reduced */
#define INTERVAL 100000 /* µs between two frames */
#define GAP 12          /* px around and between picture and map */
#define MAP_SHARE 0.36  /* of the width */
#define DOT 2.5         /* px, radius of a light */
#define CHOSEN 6.0      /* of the frame's own */
#define MAX_DOTS 4096   /* with more one sees nothing else */

struct _PrismFrameFilm
{
  AdwBin parent_instance;

  GtkDrawingArea *area;
  GtkToggleButton *play_button;
  GtkAdjustment *position;
  GtkLabel *text;

  PrismRecording *recording; /* (nullable) */
  cairo_surface_t *picture;  /* (nullable): of the frame that is shown */
  guint ticks;               /* of the clock; 0: it does not play */
  gint64 next;               /* µs, when the next frame comes */
};

G_DEFINE_FINAL_TYPE (PrismFrameFilm, prism_frame_film, ADW_TYPE_BIN)

/* x, y of a light: directions, or else positions. */
static gboolean
get_place (const PrismRecording *recording,
           guint j,
           double place[2])
{
  const double *all
      = recording->directions != NULL ? recording->directions : recording->positions;

  if (all == NULL)
    return FALSE;
  place[0] = all[2 * (gsize) j];
  place[1] = all[2 * (gsize) j + 1];
  return isfinite (place[0]) && isfinite (place[1]);
}

/* The farthest light from the middle, and the objective's aperture where both are known. */
static double
get_extent (const PrismRecording *recording)
{
  double most = recording->directions != NULL && isfinite (recording->na) ? recording->na : 0;

  for (guint j = 0; j < recording->n_frames; j++)
    {
      double place[2];

      if (get_place (recording, j, place))
        most = MAX (most, MAX (fabs (place[0]), fabs (place[1])));
    }
  return most;
}

static void
draw_dot (cairo_t *cr,
          const double place[2],
          double scale,
          double radius)
{
  cairo_new_sub_path (cr);
  cairo_arc (cr, scale * place[0], scale * place[1], radius, 0, 2 * G_PI);
}

/* All lights around the middle of a square, the frame's own larger, and the circle inside which
 * light passes the objective straight. */
static void
draw_map (PrismFrameFilm *self,
          PrismPaint *paint,
          double side)
{
  const PrismRecording *recording = self->recording;
  const double extent = get_extent (recording);
  const double scale = (side / 2 - CHOSEN) / MAX (extent, 1e-12);
  const guint stride = recording->n_frames / MAX_DOTS + 1;
  cairo_t *cr = paint->cr;
  double place[2];

  if (!(extent > 0) || side < 4 * CHOSEN)
    return;
  cairo_translate (cr, side / 2, side / 2);
  for (guint j = 0; j < recording->n_frames; j += stride)
    if (get_place (recording, j, place))
      draw_dot (cr, place, scale, DOT);
  prism_paint_set_alpha (paint, 0.45);
  cairo_fill (cr);
  if (recording->directions != NULL && recording->na > 0)
    {
      draw_dot (cr, (const double[2]) { 0, 0 }, scale, scale * recording->na);
      cairo_set_line_width (cr, 1);
      prism_paint_set_alpha (paint, 0.7);
      cairo_stroke (cr);
    }
  if (!get_place (recording, prism_frame_film_get_frame (self), place))
    return;
  draw_dot (cr, place, scale, CHOSEN);
  cairo_set_source_rgb (cr, (double) paint->accent.red, (double) paint->accent.green,
                        (double) paint->accent.blue);
  cairo_fill (cr);
}

static void
draw_picture (PrismFrameFilm *self,
              cairo_t *cr,
              double width,
              double height)
{
  const double w = cairo_image_surface_get_width (self->picture);
  const double h = cairo_image_surface_get_height (self->picture);
  const double scale = MIN (width / w, height / h);

  if (!(scale > 0))
    return;
  cairo_translate (cr, (width - scale * w) / 2, (height - scale * h) / 2);
  cairo_scale (cr, scale, scale);
  /* Beyond the frame its last pixels would go on. */
  cairo_rectangle (cr, 0, 0, w, h);
  cairo_clip (cr);
  prism_paint_set_pixels (cr, self->picture, CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
}

static void
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismFrameFilm *self = data;
  const double map = MIN (MAP_SHARE * width, height - 2.0 * GAP);
  PrismPaint paint;

  if (self->recording == NULL || self->picture == NULL)
    return;
  prism_paint_init_widget (&paint, GTK_WIDGET (area), cr);
  cairo_save (cr);
  cairo_translate (cr, GAP, GAP);
  draw_picture (self, cr, width - map - 3 * GAP, height - 2 * GAP);
  cairo_restore (cr);
  cairo_save (cr);
  cairo_translate (cr, width - map - GAP, (height - map) / 2);
  draw_map (self, &paint, map);
  cairo_restore (cr);
  prism_paint_finish (&paint);
}

static char *
dup_text (PrismFrameFilm *self)
{
  const PrismRecording *recording = self->recording;
  const guint frame = prism_frame_film_get_frame (self);
  GString *text = g_string_new (NULL);
  double place[2];

  g_string_printf (text, _ ("Frame %u of 0 to %u"), frame, recording->n_frames - 1);
  if (!get_place (recording, frame, place))
    return g_string_free (text, FALSE);
  if (recording->directions == NULL)
    g_string_append_printf (text, _ (", its light at x %.4g mm, y %.4g mm"), 1e3 * place[0],
                            1e3 * place[1]);
  else
    g_string_append_printf (text, _ (", its light at NA %.4f (x %+.4f, y %+.4f)"),
                            hypot (place[0], place[1]), place[0], place[1]);
  if (recording->directions != NULL && recording->na > 0)
    g_string_append (text, hypot (place[0], place[1]) < recording->na ? _ (", bright field")
                                                                      : _ (", dark field"));
  return g_string_free (text, FALSE);
}

static void
show_frame (PrismFrameFilm *self)
{
  g_autofree char *text = self->recording != NULL ? dup_text (self) : NULL;

  g_clear_pointer (&self->picture, cairo_surface_destroy);
  if (self->recording != NULL)
    self->picture = prism_import_pictures_make_frame (
        self->recording, prism_frame_film_get_frame (self), LONGEST);
  gtk_label_set_label (self->text, text != NULL ? text : "");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->area), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  text != NULL ? text : "", -1);
  gtk_widget_queue_draw (GTK_WIDGET (self->area));
}

/* After the last frame comes the first. */
static gboolean
on_tick (GtkWidget *widget,
         GdkFrameClock *clock,
         gpointer data)
{
  PrismFrameFilm *self = PRISM_FRAME_FILM (widget);
  const gint64 now = gdk_frame_clock_get_frame_time (clock);

  if (now < self->next)
    return G_SOURCE_CONTINUE;
  self->next = now + INTERVAL;
  prism_frame_film_set_frame (
      self, (prism_frame_film_get_frame (self) + 1) % self->recording->n_frames);
  return G_SOURCE_CONTINUE;
}

static void
on_play_toggled (PrismFrameFilm *self)
{
  const gboolean plays
      = gtk_toggle_button_get_active (self->play_button) && self->recording != NULL;

  if (plays && self->ticks == 0)
    {
      self->next = 0;
      self->ticks = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
    }
  else if (!plays && self->ticks != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->ticks);
      self->ticks = 0;
    }
  gtk_button_set_icon_name (GTK_BUTTON (self->play_button),
                            plays ? "media-playback-pause-symbolic"
                                  : "media-playback-start-symbolic");
}

static void
prism_frame_film_dispose (GObject *object)
{
  PrismFrameFilm *self = PRISM_FRAME_FILM (object);

  g_clear_pointer (&self->picture, cairo_surface_destroy);
  g_clear_pointer (&self->recording, prism_recording_free);
  G_OBJECT_CLASS (prism_frame_film_parent_class)->dispose (object);
}

static void
prism_frame_film_class_init (PrismFrameFilmClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_frame_film_dispose;
  PRISM_TEMPLATE (widget_class, PrismFrameFilm, "prism-frame-film.ui", area, play_button, position,
                  text);
  PRISM_TEMPLATE_CALLBACKS (widget_class, on_play_toggled, show_frame);
}

static void
prism_frame_film_init (PrismFrameFilm *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drawing_area_set_draw_func (self->area, draw, self, NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self), FALSE);
}

/**
 * prism_frame_film_set_recording:
 * @recording: (nullable): frames that nobody changes any more
 *
 * Shows other frames; the number of the frame that is shown stays where there is one.
 */
void
prism_frame_film_set_recording (PrismFrameFilm *self,
                                PrismRecording *recording)
{
  const guint frame = prism_frame_film_get_frame (self);

  g_clear_pointer (&self->recording, prism_recording_free);
  if (recording != NULL)
    self->recording = prism_recording_ref (recording);
  else
    prism_frame_film_set_playing (self, FALSE);
  gtk_widget_set_sensitive (GTK_WIDGET (self), recording != NULL);
  gtk_adjustment_set_upper (self->position, recording != NULL ? recording->n_frames - 1 : 0);
  prism_frame_film_set_frame (self, frame);
  show_frame (self);
}

/**
 * prism_frame_film_set_frame:
 * @frame: its number; beyond the last one it is that
 *
 * Shows one frame.
 */
void
prism_frame_film_set_frame (PrismFrameFilm *self,
                            guint frame)
{
  gtk_adjustment_set_value (self->position, frame);
}

/**
 * prism_frame_film_get_frame:
 *
 * Returns: the number of the frame that is shown
 */
guint
prism_frame_film_get_frame (PrismFrameFilm *self)
{
  return (guint) (gtk_adjustment_get_value (self->position) + 0.5);
}

/**
 * prism_frame_film_set_playing:
 * @playing: whether the next frame comes by itself, ten in a second
 *
 * Plays or holds the film, as its button does.
 */
void
prism_frame_film_set_playing (PrismFrameFilm *self,
                              gboolean playing)
{
  gtk_toggle_button_set_active (self->play_button, playing);
}
