#include "config.h"

#include "session/prism-undo.h"

#define MAX_ENTRIES 200
/* Changes of one parameter closer together than this are one change: typing, a held arrow key. */
#define MERGE_SPAN (1500 * G_TIME_SPAN_MILLISECOND)

typedef struct
{
  PrismConfig *config;
  char *label;
  char *merge_key; /* (nullable) */
  gint64 time;     /* µs, of the last change */
} PrismUndoEntry;

struct _PrismUndo
{
  GPtrArray *past;   /* of PrismUndoEntry: the state before each change */
  GPtrArray *future; /* the state after each change taken back */
};

static void
entry_free (gpointer data)
{
  PrismUndoEntry *entry = data;

  prism_config_free (entry->config);
  g_free (entry->label);
  g_free (entry->merge_key);
  g_free (entry);
}

static PrismUndoEntry *
entry_new (const PrismConfig *config,
           const char *label)
{
  PrismUndoEntry *entry = g_new0 (PrismUndoEntry, 1);

  entry->config = prism_config_dup (config);
  entry->label = g_strdup (label);
  return entry;
}

static PrismUndoEntry *
get_last (GPtrArray *entries)
{
  return entries->len > 0 ? g_ptr_array_index (entries, entries->len - 1) : NULL;
}

/* Takes the newest entry of @from, leaves the current state in @to. */
static PrismConfig *
move_entry (GPtrArray *from,
            GPtrArray *to,
            const PrismConfig *current,
            char **label)
{
  PrismUndoEntry *entry = get_last (from);
  PrismConfig *config;

  if (entry == NULL)
    return NULL;
  g_ptr_array_add (to, entry_new (current, entry->label));
  config = g_steal_pointer (&entry->config);
  if (label != NULL)
    *label = g_strdup (entry->label);
  g_ptr_array_set_size (from, from->len - 1);
  return config;
}

/**
 * prism_undo_new:
 *
 * Starts with nothing to undo.
 *
 * Returns: (transfer full): the history of changes
 */
PrismUndo *
prism_undo_new (void)
{
  PrismUndo *self = g_new0 (PrismUndo, 1);

  self->past = g_ptr_array_new_with_free_func (entry_free);
  self->future = g_ptr_array_new_with_free_func (entry_free);
  return self;
}

/**
 * prism_undo_free:
 * @self: (nullable): a history of changes
 *
 * Frees it.
 */
void
prism_undo_free (PrismUndo *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->past);
  g_ptr_array_unref (self->future);
  g_free (self);
}

/**
 * prism_undo_push:
 * @self: a history of changes
 * @before: the configuration before the change
 * @label: what is changed, as it is shown
 * @merge_key: (nullable): changes with the same key in quick succession become one
 * @now: monotonic time
 *
 * Remembers a change. What had been taken back before is forgotten.
 *
 * Units: @now in µs.
 */
void
prism_undo_push (PrismUndo *self,
                 const PrismConfig *before,
                 const char *label,
                 const char *merge_key,
                 gint64 now)
{
  PrismUndoEntry *last = get_last (self->past);
  PrismUndoEntry *entry;

  if (last != NULL && self->future->len == 0 && merge_key != NULL
      && g_strcmp0 (last->merge_key, merge_key) == 0 && now - last->time < MERGE_SPAN)
    {
      last->time = now;
      return;
    }

  g_ptr_array_set_size (self->future, 0);
  if (self->past->len == MAX_ENTRIES)
    g_ptr_array_remove_index (self->past, 0);
  entry = entry_new (before, label);
  entry->merge_key = g_strdup (merge_key);
  entry->time = now;
  g_ptr_array_add (self->past, entry);
}

/**
 * prism_undo_can_undo:
 * @self: a history of changes
 *
 * Returns: whether there is a change to take back
 */
gboolean
prism_undo_can_undo (const PrismUndo *self)
{
  return self->past->len > 0;
}

/**
 * prism_undo_can_redo:
 * @self: a history of changes
 *
 * Returns: whether a change was taken back
 */
gboolean
prism_undo_can_redo (const PrismUndo *self)
{
  return self->future->len > 0;
}

/**
 * prism_undo_undo:
 * @self: a history of changes
 * @current: the configuration now
 * @label: (out) (optional) (transfer full): what is taken back
 *
 * Takes the last change back.
 *
 * Returns: (transfer full) (nullable): the configuration before it
 */
PrismConfig *
prism_undo_undo (PrismUndo *self,
                 const PrismConfig *current,
                 char **label)
{
  return move_entry (self->past, self->future, current, label);
}

/**
 * prism_undo_redo:
 * @self: a history of changes
 * @current: the configuration now
 * @label: (out) (optional) (transfer full): what is done again
 *
 * Makes the change that was last taken back once more.
 *
 * Returns: (transfer full) (nullable): the configuration after it
 */
PrismConfig *
prism_undo_redo (PrismUndo *self,
                 const PrismConfig *current,
                 char **label)
{
  return move_entry (self->future, self->past, current, label);
}
