/* Tiles side by side. A tile depends on nothing but its frames and what its neighbour has found, so
 * that those whose neighbour is done are explained by threads of their own, one each, while the
 * caller is at the one that comes next; it takes them over in their order. Which of them somebody
 * else has explained changes no bit. Together they hold no more frames than were recorded. */
#include "config.h"

#include "base/prism-pool.h"
#include "ptychography/prism-mosaic-private.h"

typedef struct
{
  PrismMosaicAhead *all;
  guint tile;
  GThread *thread;
  PrismPtychography *solver; /* (nullable) */
  GArray *progress;          /* of PrismPrediction, after each pass */
  gboolean is_through;       /* nobody is at it any more */
} Ahead;

struct _PrismMosaicAhead
{
  const PrismMosaic *mosaic; /* (unowned) */
  guint most;                /* tiles at the same time */
  GPtrArray *tiles;          /* of Ahead, those that nobody has taken over */
  GMutex lock;
  GCond cond;
  gint ends; /* atomic */
};

/**
 * prism_mosaic_count_ahead:
 * @n_threads: that compute
 * @n_pixels: of a frame
 * @side: of a tile
 *
 * Returns: how many tiles are explained beside the one that is under way: each has its frames twice
 *   while it begins
 */
guint
prism_mosaic_count_ahead (guint n_threads,
                          guint64 n_pixels,
                          guint64 side)
{
  return MIN (n_threads - 1, (guint) (n_pixels / (2 * side * side)));
}

/**
 * prism_mosaic_ahead_new:
 * @mosaic: its tiles; it outlives this
 *
 * Returns: (transfer full): nobody at work
 */
PrismMosaicAhead *
prism_mosaic_ahead_new (const PrismMosaic *mosaic)
{
  const PrismRecording *recording = mosaic->recording;
  PrismMosaicAhead *self = g_new0 (PrismMosaicAhead, 1);

  self->mosaic = mosaic;
  self->most = prism_mosaic_count_ahead (
      prism_pool_count_threads (mosaic->settings->threads),
      (guint64) recording->width * recording->height, mosaic->plan.side);
  self->tiles = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  return self;
}

static PrismPtychography *
end (Ahead *ahead)
{
  PrismPtychography *solver = ahead->solver;

  g_thread_join (ahead->thread);
  g_array_unref (ahead->progress);
  g_free (ahead);
  return solver;
}

/**
 * prism_mosaic_ahead_free:
 * @self: (nullable): tiles
 *
 * Ends those that are under way, each before its next frame.
 */
void
prism_mosaic_ahead_free (PrismMosaicAhead *self)
{
  if (self == NULL)
    return;
  g_atomic_int_set (&self->ends, TRUE);
  for (guint i = 0; i < self->tiles->len; i++)
    prism_ptychography_free (end (g_ptr_array_index (self->tiles, i)));
  g_ptr_array_unref (self->tiles);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

static gboolean
watch (double fraction,
       gpointer self)
{
  return !g_atomic_int_get (&((PrismMosaicAhead *) self)->ends);
}

/* All passes; NULL where they were ended, or there is no memory. */
static PrismPtychography *
explain (Ahead *ahead)
{
  g_autoptr (PrismPtychography) solver
      = prism_mosaic_new_solver (ahead->all->mosaic, ahead->tile, NULL);

  if (solver == NULL)
    return NULL;
  prism_ptychography_set_watch (solver, watch, ahead->all);
  if (!prism_ptychography_begin (solver))
    return NULL;
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    {
      if (!prism_ptychography_step (solver))
        return NULL;
      g_array_append_vals (ahead->progress, prism_ptychography_get_held (solver), 1);
    }
  return g_steal_pointer (&solver);
}

static gpointer
run (gpointer data)
{
  Ahead *ahead = data;
  PrismPtychography *solver = explain (ahead);

  g_mutex_lock (&ahead->all->lock);
  ahead->solver = solver;
  ahead->is_through = TRUE;
  g_cond_broadcast (&ahead->all->cond);
  g_mutex_unlock (&ahead->all->lock);
  return NULL;
}

static Ahead *
find (PrismMosaicAhead *self,
      guint tile)
{
  for (guint i = 0; i < self->tiles->len; i++)
    {
      Ahead *ahead = g_ptr_array_index (self->tiles, i);

      if (ahead->tile == tile)
        return ahead;
    }
  return NULL;
}

/**
 * prism_mosaic_ahead_begin:
 * @tile: the next one; those before it are done
 *
 * Begins with tiles behind it whose neighbour is done, as many as there may be.
 */
void
prism_mosaic_ahead_begin (PrismMosaicAhead *self,
                          guint tile)
{
  const PrismMosaicPlan *plan = &self->mosaic->plan;

  for (guint i = tile + 1; i < plan->n_tiles && self->tiles->len < self->most; i++)
    if (plan->tiles[i].neighbour < tile && find (self, i) == NULL)
      {
        Ahead *ahead = g_new0 (Ahead, 1);

        ahead->all = self;
        ahead->tile = i;
        ahead->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
        g_ptr_array_add (self->tiles, ahead);
        ahead->thread = g_thread_new ("tile", run, ahead);
      }
}

/**
 * prism_mosaic_ahead_has:
 * @tile: a tile
 *
 * Returns: whether somebody is at it, or has done it
 */
gboolean
prism_mosaic_ahead_has (PrismMosaicAhead *self,
                        guint tile)
{
  return find (self, tile) != NULL;
}

/**
 * prism_mosaic_ahead_take:
 * @tile: one that somebody is at
 * @milliseconds: how long to wait at most
 * @progress: (element-type PrismPrediction): gets a row of its next pass, once all are done
 * @n_before: rows there of other tiles
 *
 * Returns: (transfer full) (nullable): what has explained it, once there is a row of each pass;
 *   NULL before, and where there was no memory: then nobody is at it any more
 */
PrismPtychography *
prism_mosaic_ahead_take (PrismMosaicAhead *self,
                         guint tile,
                         guint milliseconds,
                         GArray *progress,
                         guint n_before)
{
  const gint64 until = g_get_monotonic_time () + 1000 * (gint64) milliseconds;
  const guint n_told = progress->len - n_before;
  Ahead *ahead = find (self, tile);
  gboolean is_through;

  g_mutex_lock (&self->lock);
  while (!ahead->is_through && g_cond_wait_until (&self->cond, &self->lock, until))
    ;
  is_through = ahead->is_through;
  g_mutex_unlock (&self->lock);
  if (!is_through)
    return NULL;
  if (ahead->solver != NULL && n_told < ahead->progress->len)
    {
      g_array_append_vals (progress, &g_array_index (ahead->progress, PrismPrediction, n_told), 1);
      return NULL;
    }
  if (ahead->solver != NULL)
    prism_ptychography_set_watch (ahead->solver, NULL, NULL);
  g_ptr_array_remove (self->tiles, ahead);
  return end (ahead);
}
