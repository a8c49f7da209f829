#include "config.h"

#include "session/prism-run-list.h"

#include "base/prism-directory.h"
#include "run/prism-run-catalogue.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-result.h"

/* Of images and histories together; the oldest result goes first. */
#define BUDGET ((guint64) 512 << 20)

typedef struct
{
  PrismRunItem *item;
  char *name;
  PrismSnapshot *snapshot;
} Computing;

G_DEFINE_FINAL_TYPE (PrismRunList, prism_run_list, G_TYPE_OBJECT)

static PrismRunItem *
get_item (PrismRunList *self,
          guint i)
{
  g_autoptr (PrismRunItem) item = g_list_model_get_item (G_LIST_MODEL (self->store), i);

  /* The store holds another reference. */
  return item;
}

static guint
get_n_items (PrismRunList *self)
{
  return g_list_model_get_n_items (G_LIST_MODEL (self->store));
}

/* A run that was kept and whose file is opened is one run. */
static gboolean
is_same_run (const PrismSnapshot *a,
             const PrismSnapshot *b)
{
  return a->step == b->step && a->seconds == b->seconds
         && prism_config_equal (a->config, b->config)
         && prism_image_equal (a->reconstruction, b->reconstruction);
}

static PrismRunItem *
find_run (PrismRunList *self,
          const PrismSnapshot *snapshot)
{
  for (guint i = 0; i < get_n_items (self); i++)
    {
      PrismResult *result = get_item (self, i)->result;

      if (result != NULL && is_same_run (result->snapshot, snapshot))
        return get_item (self, i);
    }
  return NULL;
}

static void
emit_changed (PrismRunList *self)
{
  prism_run_item_name_all (G_LIST_MODEL (self->store));
  g_signal_emit_by_name (self, "changed");
}

/**
 * prism_run_list_set_running:
 * @self: a list
 * @running: whether the next of the queue begins once a run is over; the one under way goes on
 */
void
prism_run_list_set_running (PrismRunList *self,
                            gboolean running)
{
  if (self->running == running)
    return;
  self->running = running;
  g_object_notify (G_OBJECT (self), "queue-running");
}

/* The newest result stays whatever it needs. */
static void
apply_budget (PrismRunList *self)
{
  guint64 bytes = 0;

  for (guint i = get_n_items (self); i-- > 0;)
    {
      PrismResult *result = get_item (self, i)->result;
      gboolean newest = bytes == 0;

      if (result == NULL)
        continue;
      bytes += prism_result_get_bytes (result);
      if (bytes > self->budget && !newest)
        g_list_store_remove (self->store, i);
    }
}

PRISM_FREE (Computing,
            computing_free,
            g_object_unref,
            item,
            g_free,
            name,
            prism_snapshot_unref,
            snapshot)

/* Another thread: correlating large images takes a part of a second. */
static gpointer
compute_result (Computing *computing,
                GError **error)
{
  return prism_result_new (computing->name, computing->snapshot);
}

static void
on_computed (PrismRunList *self,
             const Computing *computing,
             gpointer result,
             const GError *error)
{
  g_autoptr (PrismResult) computed = result;

  prism_run_item_set_result (computing->item, computed);
  if (self->store == NULL)
    return;
  apply_budget (self);
  emit_changed (self);
}

static void
keep_in (PrismRunList *self,
         PrismRunItem *item,
         PrismSnapshot *snapshot)
{
  static const PrismJob job
      = { "keep a result", compute_result, on_computed, computing_free, prism_result_unref };

  prism_run_item_set_status (
      item, snapshot->state == PRISM_STATE_STOPPED ? PRISM_RUN_STOPPED : PRISM_RUN_DONE);
  prism_job_start (&job, self,
                   PRISM_NEW (Computing, g_object_ref (item), g_strdup (item->name),
                              prism_snapshot_ref (snapshot)),
                   NULL);
}

static void
add_item (PrismRunList *self,
          PrismRunItem *item)
{
  PRISM_CONNECT (item, "notify::shown", emit_changed, self);
  g_list_store_append (self->store, item);
  prism_run_item_name_all (G_LIST_MODEL (self->store));
}

/* "3", or "3 · For the paper" once somebody has named it; "Point 2" of a sweep, whose settings are
 * told from others here; @other of a file without a number. */
static char *
dup_own_name (const char *path,
              const char *other)
{
  const guint number = prism_run_folder_get_number (path);
  g_autofree char *base = g_path_get_basename (path);
  const char *point = g_str_has_prefix (base, PRISM_PLAN_POINT)
                          ? base + strlen (PRISM_PLAN_POINT)
                          : NULL;
  g_autofree char *numbered
      = number > 0      ? g_strdup_printf ("%u", number)
        : point != NULL ? g_strdup_printf (_ ("Point %u"), 1 + (guint) strtoul (point, NULL, 10))
                        : g_strdup (other);

  return prism_run_catalogue_dup_name (path, numbered);
}

static char *
dup_number (PrismRunList *self)
{
  const guint number = self->session->number;

  return number > 0 ? g_strdup_printf ("%u", number) : NULL;
}

static PrismRunItem *
find_waiting (PrismRunList *self)
{
  for (guint i = 0; i < get_n_items (self); i++)
    if (get_item (self, i)->status == PRISM_RUN_WAITING)
      return get_item (self, i);
  return NULL;
}

static void
start_next (PrismRunList *self)
{
  PrismRunItem *item;

  if (!self->running || self->blocked || prism_session_get_active (self->session))
    return;
  while ((item = find_waiting (self)) != NULL)
    {
      if (prism_session_run_config (self->session, item->config, FALSE))
        {
          g_free (item->own_name);
          item->own_name = dup_number (self);
          item->path = g_strdup (self->session->run_file);
          prism_run_item_name_all (G_LIST_MODEL (self->store));
          prism_run_item_set_status (item, PRISM_RUN_UNDER_WAY);
          g_set_object (&self->current, item);
          return;
        }
      prism_run_item_set_status (item, PRISM_RUN_FAILED);
    }
  prism_run_list_set_running (self, FALSE);
}

static void
plan_next (PrismRunList *self)
{
  if (self->running && self->next_id == 0)
    prism_later (&self->next_id, 0, start_next, self);
}

/* A restart by hand takes the place of what the queue was running, which then waits again. */
static PrismRunItem *
take_current (PrismRunList *self,
              const PrismSnapshot *snapshot)
{
  g_autoptr (PrismRunItem) item = g_steal_pointer (&self->current);

  if (item == NULL)
    return NULL;
  if (prism_config_equal (item->config, snapshot->config))
    return item;
  prism_run_item_set_status (item, PRISM_RUN_WAITING);
  prism_run_list_set_running (self, FALSE);
  return NULL;
}

static void
keep_run (PrismRunList *self,
          PrismSnapshot *snapshot)
{
  PrismRunItem *item = take_current (self, snapshot);
  g_autoptr (PrismRunItem) other = NULL;
  guint position;

  if (item != NULL && snapshot->reconstruction == NULL)
    prism_run_item_set_status (item, PRISM_RUN_FAILED);
  else if (item != NULL)
    keep_in (self, item, snapshot);
  else if (snapshot->reconstruction != NULL && find_run (self, snapshot) == NULL)
    {
      other = prism_run_item_new (dup_number (self), NULL, snapshot->config);
      other->path = g_strdup (self->session->run_file);
      /* Of runs that follow each change the last one is kept: they drive none of the others out. */
      if (self->session->passing)
        {
          if (self->passing != NULL && g_list_store_find (self->store, self->passing, &position))
            g_list_store_remove (self->store, position);
          g_set_object (&self->passing, other);
        }
      add_item (self, other);
      keep_in (self, other, snapshot);
    }
}

static void
on_state_changed (PrismRunList *self)
{
  PrismState state = self->session->state;
  PrismSnapshot *snapshot = self->session->snapshot;

  if (prism_session_get_active (self->session))
    return;
  /* While the queue is blocked another run may be stopped, which says nothing about it. */
  if (state == PRISM_STATE_STOPPED && (self->current != NULL || !self->blocked))
    prism_run_list_set_running (self, FALSE);
  if (state != PRISM_STATE_IDLE && snapshot != NULL && snapshot->config != NULL
      && snapshot->run != self->last_run)
    {
      self->last_run = snapshot->run;
      keep_run (self, snapshot);
    }
  plan_next (self);
}

static void
prism_run_list_finalize (PrismRunList *self)
{
  g_queue_clear_full (&self->paths, g_free);
}

static void
prism_run_list_class_init (PrismRunListClass *klass)
{
  PRISM_DISPOSE (klass, PrismRunList, g_source_remove, next_id);
  PRISM_DISPOSE (klass, PrismRunList, g_object_unref, current, passing, store, session);
  PRISM_ON_FINALIZE (klass, prism_run_list_finalize);
  prism_property_new (klass, "queue-running", G_TYPE_BOOLEAN,
                      G_STRUCT_OFFSET (PrismRunList, running), NULL, NULL);
  prism_signal_new (klass, "changed", 0);
  prism_signal_new (klass, "problem", 1, G_TYPE_STRING);
}

static void
prism_run_list_init (PrismRunList *self)
{
  self->store = g_list_store_new (PRISM_TYPE_RUN_ITEM);
  self->budget = BUDGET;
  g_queue_init (&self->paths);
}

/**
 * prism_run_list_new:
 * @session: whose runs to keep
 *
 * Keeps from now on what every run of the session ends with.
 *
 * Thread: main, like everything here.
 *
 * Returns: (transfer full): an empty list
 */
PrismRunList *
prism_run_list_new (PrismSession *session)
{
  PrismRunList *self = g_object_new (PRISM_TYPE_RUN_LIST, NULL);

  self->session = g_object_ref (session);
  PRISM_CONNECT (session, "notify::state", on_state_changed, self);
  return self;
}

/**
 * prism_run_list_enqueue:
 * @self: a list
 * @name: (nullable): what to call it
 * @config: what to run
 *
 * Adds a run that waits.
 */
void
prism_run_list_enqueue (PrismRunList *self,
                        const char *name,
                        const PrismConfig *config)
{
  g_autoptr (PrismRunItem) item = prism_run_item_new (NULL, name, config);

  add_item (self, item);
}

/* Another thread: files may be large. */
static gpointer
load_result (const char *path,
             GError **error)
{
  g_autoptr (PrismSnapshot) snapshot = prism_run_result_load (path, error);
  g_autofree char *name = dup_own_name (path, NULL);

  return snapshot != NULL ? prism_result_new (name, snapshot) : NULL;
}

static void
add_loaded (PrismRunList *self,
            PrismResult *loaded,
            const char *path)
{
  PrismRunItem *known = self->store != NULL ? find_run (self, loaded->snapshot) : NULL;
  g_autoptr (PrismRunItem) item = NULL;

  if (known != NULL)
    g_object_set (known, "shown", TRUE, NULL);
  if (self->store == NULL || known != NULL)
    return;
  item = prism_run_item_new (g_strdup (loaded->name), NULL, loaded->snapshot->config);
  item->path = g_strdup (path);
  add_item (self, item);
  prism_run_item_set_result (item, loaded);
  apply_budget (self);
  emit_changed (self);
}

static void
load_first (PrismRunList *self);

static void
on_loaded (PrismRunList *self,
           const char *path,
           gpointer result,
           const GError *error)
{
  g_autoptr (PrismResult) loaded = result;

  if (loaded == NULL)
    g_signal_emit_by_name (self, "problem", error->message);
  else
    add_loaded (self, loaded, path);
  g_free (g_queue_pop_head (&self->paths));
  load_first (self);
}

static void
load_first (PrismRunList *self)
{
  static const PrismJob job = { "open a run", load_result, on_loaded, g_free, prism_result_unref };
  const char *path = g_queue_peek_head (&self->paths);

  if (path != NULL)
    prism_job_start (&job, self, g_strdup (path), NULL);
}

/**
 * prism_run_list_open:
 * @self: a list
 * @path: of a .prismrun file, or of a folder of recorded frames' result
 *
 * Adds an earlier run from its file, under the name that it has everywhere. Files come in the order
 * in which they are opened, however large they are.
 */
void
prism_run_list_open (PrismRunList *self,
                     const char *path)
{
  g_queue_push_tail (&self->paths, g_strdup (path));
  if (g_queue_get_length (&self->paths) == 1)
    load_first (self);
}

/**
 * prism_run_list_remove:
 * @self: a list
 * @item: one of its runs; one that is under way stays
 *
 * Forgets a run.
 */
void
prism_run_list_remove (PrismRunList *self,
                       PrismRunItem *item)
{
  guint position;

  if (item == self->current || !g_list_store_find (self->store, item, &position))
    return;
  g_list_store_remove (self->store, position);
  emit_changed (self);
}

/**
 * prism_run_list_show_only:
 * @self: a list
 * @a: (nullable): what a run ended with
 * @b: (nullable): what another one ended with
 *
 * Lets these two take part in the comparison, and no others.
 */
void
prism_run_list_show_only (PrismRunList *self,
                          PrismSnapshot *a,
                          PrismSnapshot *b)
{
  for (guint i = 0; i < get_n_items (self); i++)
    {
      PrismResult *result = get_item (self, i)->result;
      gboolean shown = result != NULL
                       && ((a != NULL && is_same_run (result->snapshot, a))
                           || (b != NULL && is_same_run (result->snapshot, b)));

      g_object_set (get_item (self, i), "shown", shown, NULL);
    }
}

/**
 * prism_run_list_start_queue:
 * @self: a list
 *
 * Runs what waits, one after the other, as soon as no other run is under way.
 */
void
prism_run_list_start_queue (PrismRunList *self)
{
  if (find_waiting (self) == NULL)
    return;
  prism_run_list_set_running (self, TRUE);
  plan_next (self);
}

/**
 * prism_run_list_set_blocked:
 * @self: a list
 * @blocked: whether something else has the session for itself
 *
 * Lets the queue wait meanwhile; it goes on afterwards.
 */
void
prism_run_list_set_blocked (PrismRunList *self,
                            gboolean blocked)
{
  self->blocked = blocked;
  plan_next (self);
}

/**
 * prism_run_list_count_waiting:
 * @self: a list
 *
 * Returns: how many runs wait
 */
guint
prism_run_list_count_waiting (PrismRunList *self)
{
  guint n = 0;

  for (guint i = 0; i < get_n_items (self); i++)
    n += get_item (self, i)->status == PRISM_RUN_WAITING;
  return n;
}

/**
 * prism_run_list_dup_name:
 * @self: a list
 *
 * Returns: (transfer full): what the run on the screen is called: by whoever has named it, or
 *   here; its number before it has ended
 */
char *
prism_run_list_dup_name (PrismRunList *self)
{
  g_autofree char *own_name = dup_number (self);
  const char *name = own_name != NULL ? own_name : "run";

  for (guint i = 0; i < get_n_items (self); i++)
    if (g_strcmp0 (get_item (self, i)->own_name, own_name) == 0)
      name = get_item (self, i)->name;
  return prism_run_catalogue_dup_name (self->session->run_file, name);
}

/**
 * prism_run_list_follow_names:
 * @self: a list
 *
 * Looks up what the runs are called by now in the library.
 */
void
prism_run_list_follow_names (PrismRunList *self)
{
  for (guint i = 0; i < get_n_items (self); i++)
    {
      PrismRunItem *item = get_item (self, i);
      g_autofree char *old = item->own_name;

      item->own_name = item->path != NULL ? dup_own_name (item->path, old) : g_strdup (old);
    }
  emit_changed (self);
}

/**
 * prism_run_list_new_comparison:
 * @self: a list
 *
 * Returns: (transfer full): of the results that are shown
 */
PrismComparison *
prism_run_list_new_comparison (PrismRunList *self)
{
  PrismComparison *comparison = prism_comparison_new ();

  for (guint i = 0; i < get_n_items (self); i++)
    {
      PrismRunItem *item = get_item (self, i);

      if (item->shown && item->result != NULL)
        {
          g_autoptr (PrismResult) named = prism_result_new_named (
              item->result, item->name);

          prism_comparison_add (comparison, named);
        }
    }
  return comparison;
}
