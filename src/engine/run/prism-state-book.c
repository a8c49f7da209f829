#include "config.h"

#include "run/prism-state-book.h"

#include "history/prism-keeper.h"
#include "run/prism-run-snapshot.h"

/* A fork goes over a tenth of the samples again at most. Each state has the decoder with both
 * moments of its weights: 5 MiB for an object of 64 px, 32 MiB for one of 128. */
#define MAX_STATES 10

struct _PrismStateBook
{
  guint64 budget;   /* bytes */
  guint64 n_visits; /* at which the training, or all passes of a run without, are through */
  gboolean trains;
  guint64 spacing;     /* visits between two states; 0 before the first is known */
  guint64 last_visits; /* of the newest state, or of the last that found no room */
  GPtrArray *states;   /* of PrismKeptState, ascending in step */
  PrismStates *list;   /* (nullable): what was handed out, until there is another state */
};

/* What the pictures of the run leave of history_size, and half of it at least. */
static guint64
compute_budget (const PrismConfig *config,
                guint n_samples)
{
  const guint64 size = (guint64) config->history_size << 20;
  const guint64 pictures = prism_keeper_get_required_bytes (config, n_samples);

  return size - MIN (pictures, size / 2);
}

/**
 * prism_state_book_new:
 * @config: the run
 * @n_samples: points of its pattern
 *
 * Returns: (transfer full): a book without states
 */
PrismStateBook *
prism_state_book_new (const PrismConfig *config,
                      guint n_samples)
{
  PrismStateBook *self = g_new0 (PrismStateBook, 1);

  self->budget = compute_budget (config, n_samples);
  self->trains = prism_config_trains (config);
  self->n_visits = (guint64) (self->trains ? n_samples : 1) * (guint64) config->passes;
  self->states = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_kept_state_unref);
  return self;
}

/**
 * prism_state_book_free:
 * @self: (nullable): a book
 *
 * Frees it; lists that were handed out stay.
 */
void
prism_state_book_free (PrismStateBook *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->states);
  g_clear_pointer (&self->list, prism_states_unref);
  g_free (self);
}

static PrismKeptState *
get_state (PrismStateBook *self,
           guint i)
{
  return g_ptr_array_index (self->states, i);
}

static guint64
count_bytes (PrismStateBook *self)
{
  guint64 bytes = 0;

  for (guint i = 0; i < self->states->len; i++)
    bytes += prism_kept_state_get_size (get_state (self, i));
  return bytes;
}

/* So that states of this size last for all visits. */
static guint64
choose_spacing (PrismStateBook *self,
                guint64 size)
{
  const guint64 n = MIN (self->budget / MAX (size, 1), MAX_STATES);

  return n > 0 ? MAX ((self->n_visits + n - 1) / n, 1) : G_MAXUINT64;
}

static void
drop (PrismStateBook *self)
{
  for (guint i = self->states->len; i > 0; i--)
    if (prism_kept_state_get_n_visits (get_state (self, i - 1)) % self->spacing != 0)
      g_ptr_array_remove_index (self->states, i - 1);
}

static void
thin (PrismStateBook *self)
{
  while (self->states->len > 0
         && (self->states->len > MAX_STATES || count_bytes (self) > self->budget))
    {
      if (self->states->len == 1)
        g_ptr_array_set_size (self->states, 0);
      self->spacing = self->spacing < G_MAXUINT64 / 2 ? 2 * self->spacing : G_MAXUINT64;
      drop (self);
    }
  g_clear_pointer (&self->list, prism_states_unref);
}

/* The largest distance that all of them keep. */
static guint64
find_spacing (const PrismStates *states)
{
  guint64 spacing = 0;

  for (guint i = 0; i < states->n_states; i++)
    {
      guint64 a = prism_kept_state_get_n_visits (states->states[i]), b = spacing;

      while (b > 0)
        {
          guint64 rest = a % b;

          a = b;
          b = rest;
        }
      spacing = a;
    }
  return spacing;
}

/**
 * prism_state_book_load:
 * @self: a book without states
 * @states: of the run that goes on
 *
 * Takes over what was kept before.
 */
void
prism_state_book_load (PrismStateBook *self,
                       const PrismStates *states)
{
  for (guint i = 0; i < states->n_states; i++)
    g_ptr_array_add (self->states, prism_kept_state_ref (states->states[i]));
  if (states->n_states == 0)
    return;
  self->spacing = MAX (find_spacing (states), 1);
  self->last_visits
      = prism_kept_state_get_n_visits (states->states[states->n_states - 1]);
  thin (self);
}

/**
 * prism_state_book_wants:
 * @phase: of the run
 * @n_visits: samples and passes that are completed
 *
 * Returns: whether the state of now should be kept
 */
gboolean
prism_state_book_wants (PrismStateBook *self,
                        PrismPhase phase,
                        guint64 n_visits)
{
  if (n_visits == self->last_visits || phase == PRISM_PHASE_DONE || self->spacing == G_MAXUINT64)
    return FALSE;
  /* Passes that polish have nothing to change any more. */
  if (self->trains && phase == PRISM_PHASE_POLISH && n_visits != self->n_visits)
    return FALSE;
  return self->spacing == 0 || n_visits % self->spacing == 0;
}

/**
 * prism_state_book_keep:
 * @snapshot: of the run between two steps
 * @state: (transfer full) (nullable): of prism_trainer_dup_state() at the same moment
 * @n_visits: samples and passes that are completed
 *
 * Keeps a state. Where there is no room for it in memory or on the disk, it is left out.
 */
void
prism_state_book_keep (PrismStateBook *self,
                       const PrismSnapshot *snapshot,
                       PrismBundle *state,
                       guint64 n_visits)
{
  g_autoptr (PrismBundle) parts = state;
  PrismKeptState *kept = NULL;

  self->last_visits = n_visits;
  if (parts == NULL || !prism_run_snapshot_add_parts (snapshot, parts))
    return;
  if (self->spacing == 0)
    self->spacing = choose_spacing (self, prism_bundle_get_size (parts));
  if (n_visits % self->spacing == 0)
    kept = prism_kept_state_new (g_steal_pointer (&parts), snapshot->step, n_visits);
  if (kept == NULL)
    return;
  g_ptr_array_add (self->states, kept);
  thin (self);
}

/**
 * prism_state_book_dup_states:
 *
 * Returns: (transfer full): what is kept now
 */
PrismStates *
prism_state_book_dup_states (PrismStateBook *self)
{
  if (self->list == NULL)
    self->list = prism_states_new ((PrismKeptState *const *) self->states->pdata,
                                   self->states->len);
  return prism_states_ref (self->list);
}
