#include "config.h"

#include "history/prism-checkpoints.h"

#include "base/prism-each.h"

#define MAX_STATES 1024
/* In the name of a state, so that a list of names says when it was. */
#define NAME PRISM_CHECKPOINTS "%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT "/"

/* A run file that stays open, whatever takes its name. */
typedef struct
{
  gatomicrefcount ref_count;
  PrismArchive *archive;
} Holder;

struct _PrismKeptState
{
  gatomicrefcount ref_count;
  guint64 step;
  guint64 n_visits;   /* samples and passes completed */
  guint64 size;       /* bytes */
  PrismBundle *parts; /* (nullable): in a temporary file */
  Holder *holder;     /* (nullable): the file that has it */
};

static void
holder_unref (Holder *self)
{
  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_archive_close (self->archive);
  g_free (self);
}

static PrismKeptState *
state_new (guint64 step,
           guint64 n_visits)
{
  PrismKeptState *self = g_new0 (PrismKeptState, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->step = step;
  self->n_visits = n_visits;
  return self;
}

/**
 * prism_kept_state_new:
 * @parts: (transfer full): all that its part of a run file holds
 * @step: of the run
 * @n_visits: samples and passes that were completed
 *
 * Puts a state into a temporary file.
 *
 * Returns: (transfer full) (nullable): the state; %NULL where there is no room for it
 */
PrismKeptState *
prism_kept_state_new (PrismBundle *parts,
                      guint64 step,
                      guint64 n_visits)
{
  PrismKeptState *self;

  if (!prism_bundle_spill (parts))
    {
      prism_bundle_free (parts);
      return NULL;
    }
  self = state_new (step, n_visits);
  self->size = prism_bundle_get_size (parts);
  self->parts = parts;
  return self;
}

PRISM_CLEAR (PrismKeptState, kept_state_clear, prism_bundle_free, parts, holder_unref, holder)

PRISM_DEFINE_REFERENCES (PrismKeptState, prism_kept_state, kept_state_clear)

/**
 * prism_kept_state_get_n_visits:
 *
 * Returns: samples and passes that were completed then
 */
guint64
prism_kept_state_get_n_visits (const PrismKeptState *self)
{
  return self->n_visits;
}

/**
 * prism_kept_state_get_size:
 *
 * Units: bytes.
 *
 * Returns: how much of a disk it takes
 */
guint64
prism_kept_state_get_size (const PrismKeptState *self)
{
  return self->size;
}

/**
 * prism_checkpoints_new:
 * @states: (array length=n_states): ascending in step
 * @n_states: how many
 *
 * Makes a list that nobody changes any more.
 *
 * Returns: (transfer full): the list
 */
PrismCheckpoints *
prism_checkpoints_new (PrismKeptState *const *states,
                       guint n_states)
{
  PrismCheckpoints *self = g_new0 (PrismCheckpoints, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->n_states = n_states;
  self->states = g_new (PrismKeptState *, MAX (n_states, 1));
  for (guint i = 0; i < n_states; i++)
    self->states[i] = prism_kept_state_ref (states[i]);
  return self;
}

static void
checkpoints_clear (PrismCheckpoints *self)
{
  for (guint i = 0; i < self->n_states; i++)
    prism_kept_state_unref (self->states[i]);
  if (self->holder != NULL)
    holder_unref (self->holder);
  g_free (self->states);
}

PRISM_DEFINE_REFERENCES (PrismCheckpoints, prism_checkpoints, checkpoints_clear)

/**
 * prism_checkpoints_get_step:
 * @i: of a state
 *
 * Returns: the step that it is of
 */
guint64
prism_checkpoints_get_step (const PrismCheckpoints *self,
                            guint i)
{
  return self->states[i]->step;
}

/**
 * prism_checkpoints_find:
 * @self: (nullable): a list
 * @step: the newest that is wanted
 *
 * Returns: which state is the newest that is not after a step, -1 where there is none
 */
int
prism_checkpoints_find (const PrismCheckpoints *self,
                        guint64 step)
{
  int found = -1;

  for (guint i = 0; self != NULL && i < self->n_states && self->states[i]->step <= step; i++)
    found = (int) i;
  return found;
}

/**
 * prism_checkpoints_dup_until:
 * @step: the newest that is wanted
 *
 * Returns: (transfer full) (nullable): those that are not after a step; %NULL where there are none
 */
PrismCheckpoints *
prism_checkpoints_dup_until (const PrismCheckpoints *self,
                             guint64 step)
{
  const int last = prism_checkpoints_find (self, step);

  return last >= 0 ? prism_checkpoints_new (self->states, (guint) last + 1) : NULL;
}

static char *
dup_prefix (const PrismKeptState *state)
{
  return g_strdup_printf (NAME, state->step, state->n_visits);
}

/**
 * prism_checkpoints_dup_prefix:
 * @i: of a state
 *
 * Returns: (transfer full): what the names of its parts begin with in a run file
 */
char *
prism_checkpoints_dup_prefix (const PrismCheckpoints *self,
                              guint i)
{
  return dup_prefix (self->states[i]);
}

static void
save_state (const PrismKeptState *state,
            PrismArchiveWriter *writer)
{
  g_autofree char *prefix = dup_prefix (state);
  const char *const *names;

  if (state->parts != NULL)
    {
      prism_bundle_save (state->parts, writer, prefix);
      return;
    }
  names = prism_archive_get_names (state->holder->archive);
  PRISM_FOR_EACH_STRING (name, names)
    if (g_str_has_prefix (*name, prefix))
      prism_archive_writer_copy (writer, state->holder->archive, *name, *name);
}

/**
 * prism_checkpoints_save_members:
 * @self: a list, which stays until the archive is finished
 * @writer: the file of a run
 *
 * Adds all states. Two threads may not do so with the same list at a time.
 */
void
prism_checkpoints_save_members (const PrismCheckpoints *self,
                                PrismArchiveWriter *writer)
{
  for (guint i = 0; i < self->n_states; i++)
    save_state (self->states[i], writer);
}

/* "states/1200-40/snapshot.json" */
static gboolean
parse_name (const char *name,
            guint64 *step,
            guint64 *n_visits)
{
  char *end;

  if (!g_str_has_prefix (name, PRISM_CHECKPOINTS)
      || !g_ascii_isdigit (name[strlen (PRISM_CHECKPOINTS)]))
    return FALSE;
  *step = g_ascii_strtoull (name + strlen (PRISM_CHECKPOINTS), &end, 10);
  if (*end != '-' || !g_ascii_isdigit (end[1]))
    return FALSE;
  *n_visits = g_ascii_strtoull (end + 1, &end, 10);
  return strcmp (end, "/snapshot.json") == 0;
}

static int
compare_up (gconstpointer a,
            gconstpointer b)
{
  const PrismKeptState *left = *(PrismKeptState *const *) a, *right = *(PrismKeptState *const *) b;

  return left->step < right->step ? -1 : left->step > right->step ? 1
                                                                  : 0;
}

static guint64
measure (PrismArchive *archive,
         const PrismKeptState *state)
{
  g_autofree char *prefix = dup_prefix (state);
  const char *const *names = prism_archive_get_names (archive);
  guint64 size = 0;

  PRISM_FOR_EACH_STRING (name, names)
    if (g_str_has_prefix (*name, prefix))
      size += prism_archive_get_size (archive, *name);
  return size;
}

/**
 * prism_checkpoints_take_members:
 * @archive: (transfer full): the file of a run
 *
 * Lists what prism_checkpoints_save_members() has added; what the states hold stays in the file,
 * which stays open for as long as the list or one of them is there.
 *
 * Returns: (transfer full): the list
 */
PrismCheckpoints *
prism_checkpoints_take_members (PrismArchive *archive)
{
  g_autoptr (GPtrArray) states
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_kept_state_unref);
  const char *const *names = prism_archive_get_names (archive);
  Holder *holder = g_new0 (Holder, 1);
  PrismCheckpoints *self;

  g_atomic_ref_count_init (&holder->ref_count);
  holder->archive = archive;
  for (gsize i = 0; names[i] != NULL && states->len < MAX_STATES; i++)
    {
      guint64 step, n_visits;
      PrismKeptState *state;

      if (!parse_name (names[i], &step, &n_visits))
        continue;
      state = state_new (step, n_visits);
      g_atomic_int_inc (&holder->ref_count);
      state->holder = holder;
      state->size = measure (archive, state);
      g_ptr_array_add (states, state);
    }
  g_ptr_array_sort (states, compare_up);
  self = prism_checkpoints_new ((PrismKeptState *const *) states->pdata, states->len);
  self->holder = holder;
  return self;
}
