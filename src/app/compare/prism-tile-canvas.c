#include "config.h"

#include "compare/prism-tiles-parts.h"

#include "support/prism-widget.h"
#include "support/prism-job.h"

/* Of pictures of tiles that are kept; more than a large screen shows at once. */
#define MAX_CACHE_BYTES (96 << 20)
#define MAX_JOBS 2
#define MAX_SCALE 16.0
#define LEAST_PIXELS 8 /* of a tile's picture */
#define MAX_BATCH 64   /* pictures that one job reads, where they are small */
#define N_LEVELS 16
#define NOTHING G_MAXUINT

typedef struct
{
  cairo_surface_t *surface; /* (nullable) */
  gboolean loading;
  gboolean stale; /* a neighbour has come since */
} Entry;

G_DEFINE_FINAL_TYPE (PrismTileCanvas, prism_tile_canvas, GTK_TYPE_DRAWING_AREA)

/* What is read on another thread. */
typedef struct
{
  guint n;
  PrismTilePictureSpec specs[MAX_BATCH]; /* [n] */
  guint keys[MAX_BATCH];                 /* [n] */
  cairo_surface_t *surfaces[MAX_BATCH];  /* [n] (nullable) */
  guint generation;
} Question;

static void
question_free (Question *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      prism_tile_picture_clear (&self->specs[i]);
      g_clear_pointer (&self->surfaces[i], cairo_surface_destroy);
    }
  g_free (self);
}

static gpointer
load_pictures (Question *self,
               GError **error)
{
  for (guint i = 0; i < self->n; i++)
    self->surfaces[i] = prism_tile_picture_make (&self->specs[i], NULL);
  return self;
}

PRISM_FREE (Entry, entry_free, cairo_surface_destroy, surface)

static Entry *
find (PrismTileCanvas *self,
      guint tile,
      guint level)
{
  return g_hash_table_lookup (self->pictures, GUINT_TO_POINTER (tile * N_LEVELS + level));
}

/* The one of a key, which is new where there is none. */
static Entry *
get_entry (PrismTileCanvas *self,
           guint key)
{
  Entry *entry = find (self, 0, key);

  if (entry == NULL)
    {
      entry = g_new0 (Entry, 1);
      g_hash_table_insert (self->pictures, GUINT_TO_POINTER (key), entry);
    }
  return entry;
}

static gsize
get_bytes (cairo_surface_t *surface)
{
  return surface == NULL ? 0
                         : (gsize) cairo_image_surface_get_stride (surface)
                               * (gsize) cairo_image_surface_get_height (surface);
}

/* Takes the picture. What cannot be read is not asked for again. */
static void
keep_picture (PrismTileCanvas *self,
              guint key,
              cairo_surface_t *surface)
{
  Entry *entry;

  if (surface == NULL)
    return;
  if (self->n_bytes > MAX_CACHE_BYTES)
    {
      g_hash_table_remove_all (self->pictures);
      self->n_bytes = 0;
    }
  entry = get_entry (self, key);
  self->n_bytes += get_bytes (surface) - get_bytes (entry->surface);
  g_clear_pointer (&entry->surface, cairo_surface_destroy);
  entry->surface = surface;
  entry->loading = FALSE;
}

static void
show_pictures (PrismTileCanvas *canvas,
               Question *self,
               gpointer result,
               const GError *error)
{
  canvas->n_jobs--;
  for (guint i = 0; i < self->n && self->generation == canvas->generation; i++)
    keep_picture (canvas, self->keys[i], g_steal_pointer (&self->surfaces[i]));
  gtk_widget_queue_draw (GTK_WIDGET (canvas));
}

static double
get_scale (PrismTileCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));

  return self->scale > 0.0
             ? self->scale
             : MIN (MAX (width, 1.0) / self->plan->width, MAX (height, 1.0) / self->plan->height);
}

/* Pixel of the picture at the upper left corner; all of it lies in the middle. */
static graphene_point_t
get_origin (PrismTileCanvas *self)
{
  const double scale = get_scale (self);
  double width = gtk_widget_get_width (GTK_WIDGET (self)) / scale;
  double height = gtk_widget_get_height (GTK_WIDGET (self)) / scale;

  if (self->scale > 0.0)
    return GRAPHENE_POINT_INIT ((float) self->x, (float) self->y);
  return GRAPHENE_POINT_INIT ((float) ((self->plan->width - width) / 2.0),
                              (float) ((self->plan->height - height) / 2.0));
}

/* The least level whose pixels are no larger than the screen's. */
static int
get_level (PrismTileCanvas *self)
{
  const double wanted = MAX (self->plan->side * get_scale (self), LEAST_PIXELS);
  int level = 0;

  while (level + 1 < N_LEVELS && (self->plan->side >> (level + 1)) >= wanted)
    level++;
  return level;
}

static Question *
ask (PrismTileCanvas *self,
     guint first,
     guint n)
{
  Question *question = PRISM_NEW (Question, n, .generation = self->generation);
  for (guint i = 0; i < n; i++)
    {
      const guint key = g_array_index (self->wanted, guint, first + i);
      Entry *entry = get_entry (self, key);

      entry->loading = TRUE;
      entry->stale = FALSE;
      prism_tile_picture_init (&question->specs[i], self->plan, self->table, self->directory,
                               key / N_LEVELS, (int) (key % N_LEVELS));
      question->keys[i] = key;
    }
  return question;
}

/* Has read what was wanted: the smaller the pictures, the more at once. */
static void
request_wanted (PrismTileCanvas *self)
{
  static const PrismJob job
      = { "tile-picture", load_pictures, show_pictures, question_free, NULL };
  const guint batch = MIN (1u << (2 * MIN (get_level (self), 3)), MAX_BATCH);

  for (guint first = 0; first < self->wanted->len && self->n_jobs < MAX_JOBS; first += batch)
    {
      self->n_jobs++;
      prism_job_start (&job, self, ask (self, first, MIN (self->wanted->len - first, batch)), NULL);
    }
  g_array_set_size (self->wanted, 0);
}

/* A picture of another level is better than none while the right one is read. */
static cairo_surface_t *
find_picture (PrismTileCanvas *self,
              guint tile)
{
  const guint key = tile * N_LEVELS + (guint) get_level (self);
  const Entry *entry = find (self, 0, key);
  cairo_surface_t *surface = entry != NULL ? entry->surface : NULL;

  if (surface != NULL && !entry->stale)
    return surface;
  if (self->wanted->len < MAX_JOBS * MAX_BATCH && (entry == NULL || !entry->loading))
    g_array_append_val (self->wanted, key);
  for (guint level = 0; level < N_LEVELS && surface == NULL; level++)
    {
      entry = find (self, tile, level);
      surface = entry != NULL ? entry->surface : NULL;
    }
  return surface;
}

/* Along one axis: up to the middle of what it shares with the tile before, or after it. */
static double
get_border (const PrismTilePlan *plan,
            guint tile,
            guint step,
            gboolean after,
            gboolean vertical)
{
  PrismTilePlace low, high;

  prism_tile_plan_get_place (plan, after ? tile : tile - step, &low);
  prism_tile_plan_get_place (plan, after ? tile + step : tile, &high);
  return ((vertical ? low.y + high.y : low.x + high.x) + plan->side) / 2.0;
}

/* The part of the picture that a tile alone is shown in: up to the middles of its overlaps. */
static void
get_core (PrismTileCanvas *self,
          guint tile,
          graphene_rect_t *core)
{
  const PrismTilePlan *plan = self->plan;
  const guint columns = (guint) plan->n_columns;
  PrismTilePlace place;
  double right, bottom, left, top;

  prism_tile_plan_get_place (plan, tile, &place);
  left = place.column > 0 ? get_border (plan, tile, 1, FALSE, FALSE) : place.x;
  top = place.row > 0 ? get_border (plan, tile, columns, FALSE, TRUE) : place.y;
  right = place.column + 1 < plan->n_columns ? get_border (plan, tile, 1, TRUE, FALSE)
                                             : MIN (place.x + plan->side, plan->width);
  bottom = place.row + 1 < plan->n_rows ? get_border (plan, tile, columns, TRUE, TRUE)
                                        : MIN (place.y + plan->side, plan->height);
  graphene_rect_init (core, (float) left, (float) top, (float) (right - left),
                      (float) (bottom - top));
}

static void
draw_picture (PrismTileCanvas *self,
              cairo_t *cr,
              guint tile,
              const graphene_rect_t *core)
{
  cairo_surface_t *surface = find_picture (self, tile);
  PrismTilePlace place;
  double scale;

  if (surface == NULL)
    return;
  prism_tile_plan_get_place (self->plan, tile, &place);
  scale = (double) self->plan->side / cairo_image_surface_get_width (surface);
  cairo_save (cr);
  /* Neighbours meet on a pixel of the screen: what is behind must not shine through. */
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  cairo_rectangle (cr, core->origin.x, core->origin.y, core->size.width, core->size.height);
  cairo_clip (cr);
  cairo_translate (cr, place.x, place.y);
  cairo_scale (cr, scale, scale);
  prism_paint_set_pixels (cr, surface,
                          get_scale (self) > 2.0 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  cairo_paint (cr);
  cairo_restore (cr);
}

static void
draw_frame (PrismTileCanvas *self,
            cairo_t *cr,
            const graphene_rect_t *core,
            double width,
            gboolean dashed)
{
  const double line = width / get_scale (self), dash = 2.0 * line;
  GdkRGBA color;

  if (!gtk_style_context_lookup_color (gtk_widget_get_style_context (GTK_WIDGET (self)),
                                       "accent_color", &color))
    color = (GdkRGBA) { 0.2f, 0.5f, 0.9f, 1.0f };
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, line);
  cairo_rectangle (cr, core->origin.x + line / 2, core->origin.y + line / 2,
                   core->size.width - line, core->size.height - line);
  cairo_set_dash (cr, &dash, dashed ? 1 : 0, 0.0);
  cairo_stroke (cr);
}

static void
draw_tiles (PrismTileCanvas *self,
            cairo_t *cr,
            int width,
            int height)
{
  const double scale = get_scale (self);
  const graphene_point_t origin = get_origin (self);
  const graphene_rect_t seen
      = GRAPHENE_RECT_INIT (origin.x, origin.y, (float) (width / scale),
                            (float) (height / scale));

  for (guint i = 0; i < self->plan->n_tiles; i++)
    {
      graphene_rect_t core;

      get_core (self, i, &core);
      if (!graphene_rect_intersection (&core, &seen, NULL))
        continue;
      if (self->kind == PRISM_TILE_CANVAS_IMAGES && self->table->states[i] >= PRISM_TILE_DARK)
        draw_picture (self, cr, i, &core);
      if (self->running != NULL && self->running (i, self->running_data))
        draw_frame (self, cr, &core, 2.0, TRUE);
      if (i == self->selected)
        draw_frame (self, cr, &core, 3.0, FALSE);
    }
  request_wanted (self);
}

static void
draw (GtkDrawingArea *area,
      cairo_t *cr,
      int width,
      int height,
      gpointer data)
{
  PrismTileCanvas *self = PRISM_TILE_CANVAS (area);
  graphene_point_t origin;
  PrismPaint paint;

  if (self->plan == NULL || self->table == NULL)
    return;
  origin = get_origin (self);
  cairo_scale (cr, get_scale (self), get_scale (self));
  cairo_translate (cr, -origin.x, -origin.y);
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.5, 0.2);
  cairo_rectangle (cr, 0, 0, self->plan->width, self->plan->height);
  cairo_fill (cr);
  if (self->kind < PRISM_TILE_MAP_N_KINDS)
    {
      g_autoptr (PrismChartData) map
          = prism_tile_map_new (self->plan, self->table, (PrismTileMapKind) self->kind);
      PrismChartLayout layout;

      prism_paint_init_figure (&paint, cr, FALSE);
      prism_chart_layout_init (&layout, map, &paint, self->plan->width, self->plan->height, NAN,
                               NAN);
      prism_chart_draw (map, &paint, &layout);
      prism_paint_finish (&paint);
    }
  draw_tiles (self, cr, width, height);
}

static void
zoom_at (PrismTileCanvas *self,
         double factor,
         double x,
         double y)
{
  double before, after, fit;
  graphene_point_t origin;

  if (self->plan == NULL)
    return;
  before = get_scale (self);
  origin = get_origin (self);
  self->scale = 0.0;
  fit = get_scale (self);
  after = CLAMP (before * factor, fit, MAX_SCALE);
  self->scale = after > fit ? after : 0.0;
  self->x = origin.x + x / before - x / after;
  self->y = origin.y + y / before - y / after;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* About the middle. */
static void
zoom (PrismTileCanvas *self,
      double factor)
{
  zoom_at (self, factor, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
           gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}

static gboolean
on_scroll (PrismTileCanvas *self,
           double dx,
           double dy)
{
  zoom_at (self, pow (1.2, -dy), self->pointer_x, self->pointer_y);
  return TRUE;
}

static void
on_motion (PrismTileCanvas *self,
           double x,
           double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
}

static void
on_drag_begin (PrismTileCanvas *self)
{
  self->drag_x = self->x;
  self->drag_y = self->y;
  gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
on_drag (PrismTileCanvas *self,
         double dx,
         double dy)
{
  if (self->plan == NULL || self->scale == 0.0)
    return;
  self->x = self->drag_x - dx / self->scale;
  self->y = self->drag_y - dy / self->scale;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_click (PrismTileCanvas *self,
          int n,
          double x,
          double y)
{
  const double scale = self->plan != NULL ? get_scale (self) : 1.0;
  graphene_point_t point;
  graphene_rect_t core;

  for (guint i = 0; self->plan != NULL && i < self->plan->n_tiles; i++)
    {
      get_core (self, i, &core);
      point = get_origin (self);
      graphene_point_init (&point, (float) (point.x + x / scale), (float) (point.y + y / scale));
      if (!graphene_rect_contains_point (&core, &point))
        continue;
      prism_tile_canvas_select (self, i);
      return;
    }
}

static gboolean
on_key (PrismTileCanvas *self,
        guint key)
{
  const guint from = self->selected != NOTHING ? self->selected : 0;
  int step = 0;

  if (self->plan == NULL)
    return FALSE;
  if (key == GDK_KEY_plus || key == GDK_KEY_KP_Add)
    zoom (self, 1.25);
  else if (key == GDK_KEY_minus || key == GDK_KEY_KP_Subtract)
    zoom (self, 0.8);
  else if (key == GDK_KEY_0)
    prism_tile_canvas_fit (self);
  else if (key == GDK_KEY_Right || key == GDK_KEY_Left)
    step = key == GDK_KEY_Right ? 1 : -1;
  else if (key == GDK_KEY_Down || key == GDK_KEY_Up)
    step = key == GDK_KEY_Down ? self->plan->n_columns : -self->plan->n_columns;
  else
    return FALSE;
  if (step != 0 && from + step >= self->plan->n_tiles)
    return FALSE;
  if (step != 0)
    prism_tile_canvas_select (self, from + step);
  return TRUE;
}

static void
prism_tile_canvas_class_init (PrismTileCanvasClass *klass)
{
  PRISM_FINALIZE (klass, PrismTileCanvas, g_hash_table_unref, pictures);
  PRISM_FINALIZE (klass, PrismTileCanvas, g_array_unref, wanted);
  PRISM_FINALIZE (klass, PrismTileCanvas, prism_tile_table_free, table);
  PRISM_FINALIZE (klass, PrismTileCanvas, g_free, directory);
  prism_signal_new (klass, "tile-selected", 0);
}

static void
prism_tile_canvas_init (PrismTileCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  const GtkEventControllerScrollFlags axes = GTK_EVENT_CONTROLLER_SCROLL_VERTICAL;

  self->kind = PRISM_TILE_CANVAS_IMAGES;
  self->selected = NOTHING;
  self->pictures = g_hash_table_new_full (g_direct_hash, g_direct_equal, NULL, entry_free);
  self->wanted = g_array_new (FALSE, FALSE, sizeof (guint));
  gtk_widget_set_focusable (widget, TRUE);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (self), draw, NULL, NULL);
  prism_widget_control (widget, gtk_event_controller_scroll_new (axes), self, "scroll", on_scroll,
                        NULL);
  prism_widget_control (widget, gtk_event_controller_motion_new (), self, "motion", on_motion,
                        NULL);
  prism_widget_control (widget, gtk_event_controller_key_new (), self, "key-pressed", on_key, NULL);
  prism_widget_control (widget, gtk_gesture_drag_new (), self, "drag-begin", on_drag_begin,
                        "drag-update", on_drag, NULL);
  prism_widget_control (widget, gtk_gesture_click_new (), self, "released", on_click, NULL);
}

/* Pictures that a tile fades into, to be made again; until then they stay. */
static void
outdate_around (PrismTileCanvas *self,
                guint tile)
{
  const PrismTilePlan *plan = self->plan;
  PrismTilePlace place;

  prism_tile_plan_get_place (plan, tile, &place);
  for (int row = MAX (place.row - 1, 0); row <= MIN (place.row + 1, plan->n_rows - 1); row++)
    for (int column = MAX (place.column - 1, 0);
         column <= MIN (place.column + 1, plan->n_columns - 1); column++)
      for (guint level = 0; level < N_LEVELS; level++)
        {
          Entry *entry = find (self, (guint) (row * plan->n_columns + column), level);

          if (entry != NULL)
            entry->stale = TRUE;
        }
}

/**
 * prism_tile_canvas_set_tiles:
 * @plan: (nullable): of the tiles; outlives the canvas or the next call
 * @table: (nullable): what they have come to
 * @directory: (nullable): where they are
 *
 * Shows tiles, or what has become of those that are shown.
 */
void
prism_tile_canvas_set_tiles (PrismTileCanvas *self,
                             const PrismTilePlan *plan,
                             const PrismTileTable *table,
                             const char *directory)
{
  if (plan != self->plan || g_strcmp0 (directory, self->directory) != 0)
    {
      g_hash_table_remove_all (self->pictures);
      self->n_bytes = 0;
      self->generation++;
      self->selected = NOTHING;
      self->scale = self->x = self->y = 0.0;
      prism_keep_text (&self->directory, directory);
    }
  else if (self->table != NULL && table != NULL)
    for (guint i = 0; i < MIN (table->n_rows, self->table->n_rows); i++)
      if ((table->states[i] >= PRISM_TILE_DARK) != (self->table->states[i] >= PRISM_TILE_DARK))
        outdate_around (self, i);
  self->plan = (PrismTilePlan *) plan;
  prism_keep (&self->table, table, prism_tile_table_dup, prism_tile_table_free);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * prism_tile_canvas_set_running:
 * @func: (nullable): whether a tile is under way
 * @data: for @func
 */
void
prism_tile_canvas_set_running (PrismTileCanvas *self,
                               PrismTileRunningFunc func,
                               gpointer data)
{
  self->running = func;
  self->running_data = data;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * prism_tile_canvas_select:
 * @tile: number of a tile
 */
void
prism_tile_canvas_select (PrismTileCanvas *self,
                          guint tile)
{
  self->selected = tile;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit_by_name (self, "tile-selected");
}

/**
 * prism_tile_canvas_fit:
 *
 * Shows all of the picture.
 */
void
prism_tile_canvas_fit (PrismTileCanvas *self)
{
  self->scale = self->x = self->y = 0.0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
