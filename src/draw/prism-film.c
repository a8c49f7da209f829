#include "config.h"

#include "prism-film.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "formats/prism-animation.h"
#include "history/prism-past.h"
#include "prism-kspace-overlay.h"
#include "prism-picture.h"
#include "prism-scale.h"

#include <gio/gio.h>

/* Dimensions of this file: m = object_size. */

#define MIN_SIDE 256
#define MAX_SIDE 1024
#define MARGIN 10
#define HEAD 30
#define N_PANELS 3
#define FIRST_RATE 15

typedef struct
{
  PrismSnapshot *snapshot; /* the newest of the run */
  const PrismFilmOptions *options;
  PrismPast *past;
  int m;
  int side; /* of a panel, px */
  int height;
  int width;
  guint32 *pixels;        /* [height][width] */
  guint32 *colors;        /* [m][m] */
  PrismMapping error;     /* levels that hold for all moments */
  PrismPicture *spectrum; /* (nullable) */
} Film;

/**
 * prism_film_options_init:
 * @self: (out caller-allocates): options
 *
 * The reconstruction in grey, as large as it is, fifteen moments per second, over and over.
 *
 * Thread: any.
 */
void
prism_film_options_init (PrismFilmOptions *self)
{
  *self = (PrismFilmOptions) { PRISM_FILM_RECONSTRUCTION, .scale = 1, .rate = FIRST_RATE,
                               .loop = TRUE };
  prism_mapping_init (&self->mapping);
}

static void
init_frame (Film *film,
            PrismFrame *frame,
            const PrismImage *image)
{
  prism_frame_init (frame, film->side, film->side, image->width, image->height);
  prism_frame_set_view (frame, 1.0, image->width / 2.0, image->height / 2.0, 1.0);
}

static gboolean
draw_kspace (Film *film,
             PrismPaint *paint,
             PrismSnapshot *shown,
             GError **error)
{
  PrismKspaceOverlay overlay = { .pattern = shown->pattern, .current = -1 };
  const PrismImage *plane = shown->spectrum != NULL ? shown->spectrum : shown->coverage_plane;
  PrismMapping mapping;
  PrismFrame frame;

  if (plane == NULL || shown->pattern == NULL)
    return TRUE;
  init_frame (film, &frame, plane);
  if (film->spectrum != NULL)
    prism_picture_draw (film->spectrum, paint->cr, &frame);
  prism_mapping_init (&mapping);
  mapping.colormap = PRISM_COLORMAP_COVERAGE;
  if (shown->coverage_plane != NULL
      && !prism_picture_draw_image (paint->cr, shown->coverage_plane, NULL, &mapping, &frame,
                                    error))
    return FALSE;
  overlay.n_visited = shown->n_visited;
  prism_aperture_init_config (&overlay.aperture, shown->config);
  overlay.roi = shown->config->roi > 0 ? shown->config->roi : shown->config->image_size;
  if (shown->phase == PRISM_PHASE_SAMPLES && shown->sample < shown->pattern->n_points)
    overlay.current = (int) shown->sample;
  prism_kspace_overlay_draw (&overlay, paint, &frame);
  return TRUE;
}

/* Panel i; its own area begins at the origin. */
static gboolean
draw_panel (Film *film,
            PrismPaint *paint,
            PrismSnapshot *shown,
            int i,
            GError **error)
{
  cairo_t *cr = paint->cr;
  PrismFrame frame;
  gboolean drawn = TRUE;

  cairo_save (cr);
  cairo_translate (cr, MARGIN + i * (film->side + MARGIN), HEAD);
  cairo_rectangle (cr, 0, 0, film->side, film->side);
  cairo_clip (cr);
  init_frame (film, &frame, shown->reconstruction);
  if (i == 0 || (i == 1 && shown->target != NULL))
    drawn = prism_picture_draw_image (cr, shown->reconstruction, i == 0 ? NULL : shown->target,
                                      i == 0 ? &film->options->mapping : &film->error, &frame,
                                      error);
  else if (i == 1)
    prism_paint_draw_text (paint, _ ("No target: unknown"), film->side / 2.0, film->side / 2.0,
                           0.5, 0.5);
  else if (i == 2)
    drawn = draw_kspace (film, paint, shown, error);
  cairo_restore (cr);
  return drawn;
}

static char *
dup_title (const PrismSnapshot *shown)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *step = prism_ticks_dup_count (shown->step);

  g_string_append_printf (text, _ ("Step %s"), step);
  if (isfinite (shown->metrics.psnr))
    {
      g_string_append (text, " · ");
      g_string_append_printf (text, _ ("PSNR %.1f dB"), shown->metrics.psnr);
    }
  return g_strdup (text->str);
}

static gboolean
draw_panels (Film *film,
             const PrismMoment *moment,
             GError **error)
{
  g_autoptr (PrismSnapshot) shown
      = prism_past_new_snapshot (film->past, film->snapshot, moment);
  int stride = film->width * (int) sizeof *film->pixels;
  cairo_surface_t *surface
      = cairo_image_surface_create_for_data ((guchar *) film->pixels, CAIRO_FORMAT_RGB24,
                                             film->width, film->height, stride);
  cairo_t *cr = cairo_create (surface);
  g_autofree char *title = dup_title (shown);
  g_autofree char *samples
      = g_strdup_printf (_ ("%u of %u positions"), shown->n_visited, shown->n_samples);
  PrismPaint paint;
  gboolean drawn = TRUE;

  cairo_set_source_rgb (cr, 0.12, 0.12, 0.12);
  cairo_paint (cr);
  prism_paint_init_figure (&paint, cr, TRUE);
  prism_paint_set_alpha (&paint, 1.0);
  prism_paint_draw_text (&paint, title, MARGIN, HEAD / 2.0, 0, 0.5);
  prism_paint_draw_text (&paint, _ ("Error"), 2 * MARGIN + film->side, HEAD / 2.0, 0, 0.5);
  prism_paint_draw_text (&paint, samples, 3 * MARGIN + 2 * film->side, HEAD / 2.0, 0, 0.5);
  for (int i = 0; drawn && i < N_PANELS; i++)
    drawn = draw_panel (film, &paint, shown, i, error);
  prism_paint_finish (&paint);

  cairo_destroy (cr);
  cairo_surface_finish (surface);
  cairo_surface_destroy (surface);
  return drawn;
}

static gboolean
prepare (Film *film,
         const PrismFrames *frames,
         GError **error)
{
  PrismMapping mapping;
  gsize n = (gsize) film->height * film->width, n_colors = (gsize) film->m * film->m;

  film->pixels = prism_arena_new_array ((n + n_colors) * sizeof *film->pixels,
                                        "the animation's picture", error);
  if (film->pixels == NULL)
    return FALSE;
  film->colors = film->pixels + n;
  /* Levels that stay: a scale of colours that moves with the pictures would say nothing. */
  prism_mapping_init (&film->error);
  film->error.colormap = PRISM_COLORMAP_COOLWARM;
  film->error.levels = PRISM_LEVELS_SYMMETRIC;
  if (film->snapshot->target != NULL)
    prism_mapping_compute_levels (&film->error, frames->moments[frames->n_moments / 2]->image,
                                  film->snapshot->target);
  film->error.levels = PRISM_LEVELS_MANUAL;
  if (film->options->content != PRISM_FILM_PANELS || film->snapshot->spectrum == NULL)
    return TRUE;
  prism_mapping_init_spectrum (&mapping);
  film->spectrum = prism_picture_new (film->snapshot->spectrum, NULL, &mapping, error);
  return film->spectrum != NULL;
}

static gboolean
add_moments (Film *film,
             PrismAnimation *animation,
             const PrismFrames *frames,
             PrismFilmProgress progress,
             gpointer data,
             GError **error)
{
  const int scale = film->options->scale;

  for (guint i = 0; i < frames->n_moments; i++)
    {
      if (progress != NULL && !progress (i, frames->n_moments, data))
        {
          g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                               _ ("The animation was broken off."));
          return FALSE;
        }
      if (film->options->content == PRISM_FILM_RECONSTRUCTION)
        {
          prism_mapping_apply (&film->options->mapping, frames->moments[i]->image->pixels, NULL,
                               film->colors, film->m * film->m);
          for (int y = 0; y < film->height; y++)
            for (int x = 0; x < film->width; x++)
              film->pixels[(gsize) y * film->width + x]
                  = film->colors[(gsize) (y / scale) * film->m + x / scale];
        }
      else if (!draw_panels (film, frames->moments[i], error))
        return FALSE;
      if (!prism_animation_add (animation, film->pixels, error))
        return FALSE;
    }
  return prism_animation_finish (animation, error);
}

/**
 * prism_film_save:
 * @snapshot: the newest of a run
 * @path: .apng, .png or .gif, or a folder; see prism_animation_get_kind()
 * @options: what it shows, and how fast
 * @progress: (nullable) (scope call): called before each moment
 * @data: for @progress
 * @error: return location
 *
 * Writes all moments that are kept of a run, one picture each.
 *
 * Errors: PRISM_ERROR_CONFIG where no moments are kept, PRISM_ERROR_IO, PRISM_ERROR_MEMORY;
 * G_IO_ERROR_CANCELLED where @progress has broken it off.
 * Thread: any.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_film_save (PrismSnapshot *snapshot,
                 const char *path,
                 const PrismFilmOptions *options,
                 PrismFilmProgress progress,
                 gpointer data,
                 GError **error)
{
  const PrismFrames *frames = snapshot->frames;
  Film film = { .snapshot = snapshot, .options = options };
  g_autoptr (PrismAnimation) animation = NULL;
  gboolean ok;

  if (frames == NULL || frames->n_moments == 0)
    return prism_error_config (
        error, _ ("There is no animation: no moments of the run are kept. Set history_size to 16"
                  " MiB or more and run again."));
  film.m = frames->moments[0]->image->width;
  film.past = prism_past_new ();
  film.side = CLAMP (film.m, MIN_SIDE, MAX_SIDE) * options->scale;
  film.height = film.width = film.m * options->scale;
  if (options->content == PRISM_FILM_PANELS)
    {
      film.width = N_PANELS * (film.side + MARGIN) + MARGIN;
      film.height = film.side + HEAD + MARGIN;
    }
  if (prepare (&film, frames, error))
    animation = prism_animation_new (
        path,
        &(PrismAnimationSpec) {
            film.height, film.width, frames->n_moments, options->rate, options->loop },
        error);
  ok = animation != NULL && add_moments (&film, animation, frames, progress, data, error);
  prism_past_free (film.past);
  prism_arena_free_array (film.pixels);
  g_clear_pointer (&film.spectrum, prism_picture_free);
  return ok;
}
