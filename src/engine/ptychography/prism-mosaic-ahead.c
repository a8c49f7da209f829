/* Tiles side by side. A tile depends on nothing but its frames and what its neighbour has found, so
 * that threads of their own explain those whose neighbour is done, the first of them first; the
 * caller takes them over in their order, and makes pictures of them meanwhile. Which thread has
 * explained a tile changes no bit. Together they hold no more frames than were recorded. */
#include "config.h"

#include "base/prism-pool.h"
#include "ptychography/prism-mosaic-private.h"

typedef struct
{
  guint tile;
  PrismPtychography *solver; /* (nullable): once it is through */
  GArray *progress;          /* of PrismPrediction, after each pass */
  gboolean is_lost;          /* nobody is at it any more, and it is not through */
} Ahead;

struct _PrismMosaicAhead
{
  const PrismMosaic *mosaic; /* (unowned) */
  GPtrArray *threads;
  GPtrArray *tiles; /* of Ahead, those that nobody has taken over */
  gboolean *begun;  /* [tiles] */
  guint n_done;     /* of the first ones, what they have found is there */
  guint n_at_work;  /* threads */
  GMutex lock;      /* of what is above */
  GCond cond;
  gint ends; /* atomic */
};

/**
 * prism_mosaic_count_at_once:
 * @threads: that the user wants, 0 for all
 * @n_pixels: of a frame
 * @side: of a tile
 *
 * Returns: how many tiles are explained at the same time, 1 at least: each has its frames twice
 *   while it begins
 */
guint
prism_mosaic_count_at_once (guint threads,
                            guint64 n_pixels,
                            guint64 side)
{
  return 1
         + MIN (prism_pool_count_threads (threads) - 1, (guint) (n_pixels / (2 * side * side)));
}

static gboolean
watch (double fraction,
       gpointer self)
{
  return !g_atomic_int_get (&((PrismMosaicAhead *) self)->ends);
}

/* All passes over a tile. Its solver is there together with the last of them. FALSE where they were
 * ended, or there is no memory. */
static gboolean
explain (PrismMosaicAhead *self,
         Ahead *ahead)
{
  g_autoptr (PrismPtychography) solver
      = prism_mosaic_new_solver (self->mosaic, ahead->tile, NULL);

  if (solver == NULL)
    return FALSE;
  prism_ptychography_set_watch (solver, watch, self);
  if (!prism_ptychography_begin (solver))
    return FALSE;
  while (solver != NULL)
    {
      if (!prism_ptychography_step (solver))
        return FALSE;
      g_mutex_lock (&self->lock);
      g_array_append_vals (ahead->progress, prism_ptychography_get_held (solver), 1);
      if (prism_ptychography_get_pass (solver) >= prism_ptychography_get_n_passes (solver))
        ahead->solver = g_steal_pointer (&solver);
      g_cond_broadcast (&self->cond);
      g_mutex_unlock (&self->lock);
    }
  return TRUE;
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

/* The first tile that can begin. One may wait to be taken over while each thread is at another;
 * what the caller waits for may always begin. */
static Ahead *
begin_next (PrismMosaicAhead *self)
{
  const PrismMosaicPlan *plan = &self->mosaic->plan;

  for (guint i = self->n_done; i < plan->n_tiles; i++)
    if (!self->begun[i] && plan->tiles[i].neighbour < self->n_done
        && (i == self->n_done || self->tiles->len <= self->threads->len))
      {
        Ahead *ahead = g_new0 (Ahead, 1);

        self->begun[i] = TRUE;
        ahead->tile = i;
        ahead->progress = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
        g_ptr_array_add (self->tiles, ahead);
        return ahead;
      }
  return NULL;
}

/* One that has no memory for its tile leaves the others to the caller. */
static gpointer
work (gpointer data)
{
  PrismMosaicAhead *self = data;
  gboolean goes_on = TRUE;

  g_mutex_lock (&self->lock);
  while (goes_on && watch (0, self))
    {
      Ahead *ahead = begin_next (self);

      if (ahead == NULL)
        {
          g_cond_wait (&self->cond, &self->lock);
          continue;
        }
      g_mutex_unlock (&self->lock);
      goes_on = explain (self, ahead);
      g_mutex_lock (&self->lock);
      if (!goes_on)
        ahead->is_lost = TRUE;
    }
  self->n_at_work--;
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/**
 * prism_mosaic_ahead_new:
 * @mosaic: its tiles; it outlives this
 * @n_done: of them, those that are done
 *
 * Returns: (transfer full): threads at work, as many as may be; none where that is one
 */
PrismMosaicAhead *
prism_mosaic_ahead_new (const PrismMosaic *mosaic,
                        guint n_done)
{
  const PrismRecording *recording = mosaic->recording;
  const guint n = prism_mosaic_count_at_once (mosaic->settings->threads,
                                              (guint64) recording->width * recording->height,
                                              mosaic->plan.side);
  PrismMosaicAhead *self = g_new0 (PrismMosaicAhead, 1);

  self->mosaic = mosaic;
  self->n_done = n_done;
  self->tiles = g_ptr_array_new ();
  self->begun = g_new0 (gboolean, mosaic->plan.n_tiles);
  self->threads = g_ptr_array_new ();
  g_mutex_init (&self->lock);
  g_cond_init (&self->cond);
  g_mutex_lock (&self->lock);
  self->n_at_work = n > 1 ? n : 0;
  for (guint i = 0; i < self->n_at_work; i++)
    g_ptr_array_add (self->threads, g_thread_new ("tile", work, self));
  g_mutex_unlock (&self->lock);
  return self;
}

static PrismPtychography *
end (Ahead *ahead)
{
  PrismPtychography *solver = ahead->solver;

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
  g_mutex_lock (&self->lock);
  g_atomic_int_set (&self->ends, TRUE);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  for (guint i = 0; i < self->tiles->len; i++)
    prism_ptychography_free (end (g_ptr_array_index (self->tiles, i)));
  g_ptr_array_unref (self->threads);
  g_ptr_array_unref (self->tiles);
  g_free (self->begun);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->cond);
  g_free (self);
}

/**
 * prism_mosaic_ahead_begin:
 * @tile: the next one; those before it are done
 *
 * Lets tiles begin whose neighbour is done.
 *
 * Returns: whether @tile is done by a thread of this, or will be; otherwise the caller has to
 */
gboolean
prism_mosaic_ahead_begin (PrismMosaicAhead *self,
                          guint tile)
{
  gboolean has;

  g_mutex_lock (&self->lock);
  self->n_done = tile;
  has = find (self, tile) != NULL || (!self->begun[tile] && self->n_at_work > 0);
  g_cond_broadcast (&self->cond);
  g_mutex_unlock (&self->lock);
  return has;
}

/**
 * prism_mosaic_ahead_take:
 * @tile: the next one
 * @milliseconds: how long to wait at most
 * @progress: (element-type PrismPrediction): gets a row of its next pass
 * @n_before: rows there of other tiles
 *
 * Returns: (transfer full) (nullable): what has explained it, with the row of its last pass; NULL
 *   before, and where there was no memory
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
  PrismPtychography *solver = NULL;
  Ahead *ahead;

  g_mutex_lock (&self->lock);
  while (((ahead = find (self, tile)) == NULL
          || (ahead->progress->len <= n_told && ahead->solver == NULL && !ahead->is_lost))
         && g_cond_wait_until (&self->cond, &self->lock, until))
    ;
  if (ahead != NULL && n_told < ahead->progress->len)
    g_array_append_vals (progress, &g_array_index (ahead->progress, PrismPrediction, n_told), 1);
  if (ahead != NULL
      && (ahead->is_lost || (ahead->solver != NULL && n_told + 1 >= ahead->progress->len)))
    {
      g_ptr_array_remove (self->tiles, ahead);
      solver = end (ahead);
    }
  g_mutex_unlock (&self->lock);
  if (solver != NULL)
    prism_ptychography_set_watch (solver, NULL, NULL);
  return solver;
}
