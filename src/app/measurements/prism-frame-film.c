#include "config.h"

#include "measurements/prism-frame-film.h"

#include "base/prism-each.h"
#include "prism-scale.h"
#include "ptychography/prism-mosaic.h"
#include "recording/prism-recording-geometry.h"
#include "support/prism-widget.h"

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
    g_string_append_printf (text, _ (", its LED at x %.4g mm, y %.4g mm"), 1e3 * place[0],
                            1e3 * place[1]);
  else
    g_string_append_printf (text, _ (", its LED at NA %.4f (x %+.4f, y %+.4f)"),
                            hypot (place[0], place[1]), place[0], place[1]);
  if (recording->directions != NULL && recording->na > 0)
    g_string_append (text, hypot (place[0], place[1]) < recording->na ? _ (", bright field")
                                                                      : _ (", dark field"));
  return prism_ticks_take_minus (g_string_free (text, FALSE));
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
prism_frame_film_class_init (PrismFrameFilmClass *klass)
{
  PRISM_DISPOSE (klass, PrismFrameFilm, cairo_surface_destroy, picture);
  PRISM_DISPOSE (klass, PrismFrameFilm, prism_recording_free, recording);
  PRISM_TEMPLATE (klass, PrismFrameFilm, "prism-frame-film.ui", area, play_button, position, text);
  PRISM_TEMPLATE_CALLBACKS (klass, on_play_toggled, show_frame);
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
  if (recording != NULL)
    gtk_adjustment_set_upper (self->position, recording->n_frames - 1);
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

/**
 * prism_import_plan_dup_text:
 * @recording: frames with their geometry
 *
 * Says what reconstructing would make of the frames, and whether they are made for it.
 *
 * Errors: PRISM_ERROR_CONFIG for what is missing or does not fit, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): sentences, a line each
 */
char *
prism_import_plan_dup_text (const PrismRecording *recording,
                            GError **error)
{
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  g_autoptr (PrismPtychogram) frames = NULL;
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *choice = NULL;
  int side;

  frames = prism_ptychogram_new (recording, settings, error);
  if (frames == NULL)
    return NULL;
  choice = prism_mosaic_dup_choice (recording);
  /* Tiles leave nothing out. */
  if (prism_mosaic_choose_side (recording, PRISM_TILE_AUTO) != PRISM_TILE_AUTO)
    frames->recorded_width = frames->recorded_height = (guint) frames->side;
  side = frames->upsampling * frames->side;
  g_string_append_printf (text, _ ("Object of %d × %d pixels of %.3g µm; %u bright frames."), side,
                          side, 1e6 * frames->pixel_size, frames->n_bright);
  g_string_append_printf (text, _ ("\nNeighbouring pupils share %.0f %% of their area."),
                          100 * frames->overlap);
  g_string_append_printf (text,
                          _ ("\nThe camera's sampling is fine enough: its pixel is %.4g µm at "
                             "the specimen, at most %.3g µm are wanted."),
                          1e6 * recording->pixel_size,
                          1e6 * recording->wavelength / (2 * recording->na));
  if (choice != NULL)
    g_string_append_printf (text, "\n%s", choice);
  prism_ptychogram_tell (frames, sentences);
  PRISM_FOR_EACH_POINTER (const char, sentence, sentences)
    g_string_append_printf (text, "\n%s", sentence);
  if (frames->n_at_rim > 0)
    g_string_append_printf (text,
                            ngettext ("\n%u frame whose LED lies within %d %% of the NA edge may "
                                      "be half bright; the model can leave it out.",
                                      "\n%u frames whose LEDs lie within %d %% of the NA edge "
                                      "may be half bright; the model can leave them out.",
                                      frames->n_at_rim),
                            frames->n_at_rim, PRISM_PTYCHOGRAM_RIM);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * prism_import_plan_dup_missing:
 * @recording: as it was read
 *
 * The rows of the window are where it is said, but for places and what has no row.
 *
 * Returns: (transfer full) (nullable): what is not known yet and where to say it; %NULL where
 * nothing is missing
 */
char *
prism_import_plan_dup_missing (const PrismRecording *recording)
{
  const guint bits = prism_recording_find_unsaid (recording);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < PRISM_N_UNSAID; i++)
    if ((bits & 1U << i) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "",
                              prism_recording_get_unsaid_name (
                                  i == PRISM_UNSAID_MAGNIFICATION ? PRISM_UNSAID_PIXEL : i));
  if (bits == 0)
    return NULL;
  g_string_prepend (text, _ ("Not known yet: "));
  g_string_append_c (text, '.');
  if ((bits & ~(1U << PRISM_UNSAID_PITCH | 1U << PRISM_UNSAID_PLACES)) != 0)
    g_string_append (text, _ (" Type it into the rows below."));
  if ((bits & 1U << PRISM_UNSAID_PITCH) != 0)
    g_string_append (text, _ (" Load a recipe with the line “pitch = 4 mm”."));
  if ((bits & 1U << PRISM_UNSAID_PLACES) != 0)
    g_string_append (text, _ (" Positions… opens a table of them (CSV with the columns frame, x_mm,"
                              " y_mm or frame, na_x, na_y)."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

#define THUMB 64         /* pixels of a picture on the sheet */
#define PICTURES_GAP 4   /* pixels between two */
#define MAX_THUMBS 1024  /* frames on the sheet */
#define MAX_SPECTRA 6    /* that are shown */
#define SHOWN_RANGE 9.0f /* of a spectrum's logarithm, from the brightest down */

/* One spectrum, and where the circles of its frame should be. */
typedef struct
{
  guint frame;
  cairo_surface_t *surface; /* [side][side] */
  double center[2];         /* pixels from the middle */
} Spectrum;

struct _PrismImportPictures
{
  guint n_thumbs;
  guint n_frames;
  cairo_surface_t **thumbs; /* [n_thumbs] */
  guint n_spectra;
  Spectrum spectra[MAX_SPECTRA];
  int side;
  double radius; /* pixels */
};

/* values: [height][width] from 0 to 1 */
static cairo_surface_t *
make_surface (const float *values,
              int width,
              int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  guint8 *pixels = cairo_image_surface_get_data (surface);
  int stride = cairo_image_surface_get_stride (surface);

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        guint grey = (guint) (255 * CLAMP (values[y * width + x], 0.0f, 1.0f) + 0.5f);

        ((guint32 *) (pixels + y * stride))[x] = grey << 16 | grey << 8 | grey;
      }
  cairo_surface_mark_dirty (surface);
  return surface;
}

/**
 * prism_import_pictures_make_frame:
 * @recording: frames
 * @j: one of them
 * @longest: pixels of the picture's longer side; a smaller frame keeps its own
 *
 * Shows amplitudes of a frame, each pixel the mean of those under it; its brightest is white. One
 * that is the same all over is black.
 *
 * Thread: any.
 *
 * Returns: (transfer full): the picture
 */
cairo_surface_t *
prism_import_pictures_make_frame (const PrismRecording *recording,
                                  guint j,
                                  guint longest)
{
  const float *frame = recording->frames + (gsize) j * recording->height * recording->width;
  guint side = MAX (recording->height, recording->width);
  int width = MAX (1, (int) ((guint64) MIN (longest, side) * recording->width / side));
  int height = MAX (1, (int) ((guint64) MIN (longest, side) * recording->height / side));
  g_autofree float *values = g_new (float, width *height);
  float most = 0, least = INFINITY;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        gsize top = (gsize) y * recording->height / height;
        gsize left = (gsize) x * recording->width / width;
        gsize bottom = MAX ((gsize) (y + 1) * recording->height / height, top + 1);
        gsize right = MAX ((gsize) (x + 1) * recording->width / width, left + 1);
        float sum = 0;

        for (gsize v = top; v < bottom; v++)
          for (gsize u = left; u < right; u++)
            sum += frame[v * recording->width + u];
        values[y * width + x] = sqrtf (sum / ((bottom - top) * (right - left)));
        most = MAX (most, values[y * width + x]);
        least = MIN (least, values[y * width + x]);
      }
  for (int i = 0; i < width * height; i++)
    values[i] = most > least ? values[i] / most : 0;
  return make_surface (values, width, height);
}

static void
add_spectra (PrismImportPictures *self,
             const PrismRecording *recording)
{
  guint frames[MAX_SPECTRA];
  guint n = prism_recording_geometry_choose (recording, frames, MAX_SPECTRA);

  self->side = prism_recording_geometry_get_side (recording);
  for (guint i = 0; i < n; i++)
    {
      Spectrum *spectrum = &self->spectra[self->n_spectra];
      g_autofree float *values = g_new (float, self->side * self->side);
      float most = -INFINITY;

      if (!prism_recording_geometry_compute_spectrum (recording, frames[i], values))
        continue;
      for (int k = 0; k < self->side * self->side; k++)
        most = MAX (most, values[k]);
      for (int k = 0; k < self->side * self->side; k++)
        values[k] = 1 + (values[k] - most) / SHOWN_RANGE;
      spectrum->frame = frames[i];
      spectrum->surface = make_surface (values, self->side, self->side);
      prism_recording_get_center (recording, frames[i], self->side, &spectrum->center[0],
                                  &spectrum->center[1]);
      self->n_spectra++;
    }
  self->radius = recording->na * recording->pixel_size * self->side / recording->wavelength;
}

/**
 * prism_import_pictures_new:
 * @recording: frames with their geometry
 *
 * Thread: any.
 *
 * Returns: (transfer full): the pictures
 */
PrismImportPictures *
prism_import_pictures_new (const PrismRecording *recording)
{
  PrismImportPictures *self = g_new0 (PrismImportPictures, 1);

  self->n_frames = recording->n_frames;
  self->n_thumbs = MIN (recording->n_frames, MAX_THUMBS);
  self->thumbs = g_new0 (cairo_surface_t *, self->n_thumbs);
  for (guint j = 0; j < self->n_thumbs; j++)
    self->thumbs[j] = prism_import_pictures_make_frame (recording, j, THUMB);
  add_spectra (self, recording);
  return self;
}

/**
 * prism_import_pictures_free:
 * @self: (nullable): pictures
 */
void
prism_import_pictures_free (PrismImportPictures *self)
{
  if (self == NULL)
    return;
  for (guint j = 0; j < self->n_thumbs; j++)
    cairo_surface_destroy (self->thumbs[j]);
  for (guint i = 0; i < self->n_spectra; i++)
    cairo_surface_destroy (self->spectra[i].surface);
  g_free (self->thumbs);
  g_free (self);
}

static int
count_columns (int width)
{
  return MAX (1, (width - PICTURES_GAP) / (THUMB + PICTURES_GAP));
}

/**
 * prism_import_pictures_get_height:
 * @width: of the sheet
 *
 * Returns: what the contact sheet needs
 */
int
prism_import_pictures_get_height (const PrismImportPictures *self,
                                  int width)
{
  int columns = count_columns (width);

  return PICTURES_GAP + ((int) self->n_thumbs + columns - 1) / columns * (THUMB + PICTURES_GAP);
}

/**
 * prism_import_pictures_draw_sheet:
 * @paint: a painter
 * @width: of the place
 * @height: of the place
 *
 * Draws the frames in their order, row by row, each on its own scale.
 */
void
prism_import_pictures_draw_sheet (const PrismImportPictures *self,
                                  PrismPaint *paint,
                                  int width,
                                  int height)
{
  int columns = count_columns (width);

  for (guint j = 0; j < self->n_thumbs; j++)
    {
      double x = PICTURES_GAP + (int) (j % columns) * (THUMB + PICTURES_GAP);
      double y = PICTURES_GAP + (int) (j / columns) * (THUMB + PICTURES_GAP);

      cairo_set_source_surface (paint->cr, self->thumbs[j], x, y);
      cairo_paint (paint->cr);
    }
}

static void
draw_spectrum (const PrismImportPictures *self,
               const Spectrum *spectrum,
               PrismPaint *paint,
               double side)
{
  cairo_t *cr = paint->cr;
  double scale = side / self->side;
  g_autofree char *label = g_strdup_printf ("%u", spectrum->frame);

  cairo_save (cr);
  cairo_rectangle (cr, 0, 0, side, side);
  cairo_clip (cr);
  cairo_save (cr);
  cairo_scale (cr, scale, scale);
  prism_paint_set_pixels (cr, spectrum->surface, CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_set_line_width (cr, 1.5);
  cairo_set_source_rgb (cr, 1, 0.65, 0.1);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      cairo_new_sub_path (cr);
      cairo_arc (cr, side / 2 + sign * spectrum->center[0] * scale,
                 side / 2 + sign * spectrum->center[1] * scale, self->radius * scale, 0, 2 * G_PI);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
  prism_paint_set_alpha (paint, 1);
  prism_paint_draw_text (paint, label, side / 2, side, 0.5, 0);
}

/**
 * prism_import_pictures_draw_spectra:
 * @paint: a painter
 * @width: of the place
 * @height: of the place
 *
 * Draws the spectra of bright frames, below each its number, with the circles that the aperture
 * leaves where light that went through meets what was scattered.
 */
void
prism_import_pictures_draw_spectra (const PrismImportPictures *self,
                                    PrismPaint *paint,
                                    int width,
                                    int height)
{
  int columns = self->n_spectra > 1 ? 3 : 1, rows = ((int) self->n_spectra + columns - 1) / columns;
  double line = paint->line_height + PICTURES_GAP;
  double side;

  if (self->n_spectra == 0)
    return;
  side = MIN ((width - (columns + 1.0) * PICTURES_GAP) / columns,
              (height - (rows + 1.0) * PICTURES_GAP) / rows - line);
  if (side < 16)
    return;
  for (guint i = 0; i < self->n_spectra; i++)
    {
      double left = (width - columns * side - (columns - 1) * PICTURES_GAP) / 2;

      cairo_save (paint->cr);
      cairo_translate (paint->cr, left + (int) (i % columns) * (side + PICTURES_GAP),
                       PICTURES_GAP + (int) (i / columns) * (side + line + PICTURES_GAP));
      draw_spectrum (self, &self->spectra[i], paint, side);
      cairo_restore (paint->cr);
    }
}
