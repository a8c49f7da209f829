#include "config.h"

#include "library/prism-library-limits.h"

#include "run/prism-run-snapshot.h"
#include "support/prism-settings.h"

#include <glib/gi18n.h>

/**
 * prism_library_limits_init:
 * @limits: (out caller-allocates): what the preferences say, with nothing marked
 *
 * Thread: main.
 */
void
prism_library_limits_init (PrismRunLimits *limits)
{
  int n_files, size;

  g_object_get (prism_settings_get_default (), "kept-runs", &n_files, "kept-runs-size", &size,
                NULL);
  *limits = (PrismRunLimits) { (guint) n_files, (guint64) size << 30, NULL };
}

/**
 * prism_library_limits_dup_amount:
 * @n: runs
 * @bytes: of them together
 *
 * Returns: (transfer full): "12 runs, 34.5 MiB"
 */
char *
prism_library_limits_dup_amount (guint n,
                                 guint64 bytes)
{
  g_autofree char *size = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf (ngettext ("%u run, %s", "%u runs, %s", n), n, size);
}

/**
 * prism_library_limits_dup_text:
 * @limits: what stays
 * @entries: (element-type PrismRunEntry): the runs of the folder
 *
 * Returns: (transfer full): how much of the limits is used, and what stays besides
 */
char *
prism_library_limits_dup_text (const PrismRunLimits *limits,
                               GPtrArray *entries)
{
  g_autofree char *used = NULL, *beside = NULL;
  guint n[2] = { 0, 0 };
  guint64 bytes[2] = { 0, 0 };

  for (guint i = 0; i < entries->len; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);
      const int covered = prism_run_limits_cover (limits, entry);

      n[covered]++;
      bytes[covered] += entry->link == NULL ? entry->size : 0;
    }
  used = prism_library_limits_dup_amount (n[1], bytes[1]);
  beside = prism_library_limits_dup_amount (n[0], bytes[0]);
  if (n[0] == 0)
    return g_strdup_printf (_ ("%s now"), used);
  /* Translators: “12 runs, 34.5 MiB now; 3 runs, 9 MiB besides that stay in any case”. */
  return g_strdup_printf (_ ("%s now; %s besides that stay in any case"), used, beside);
}

typedef struct
{
  PrismRunEntry entry; /* first: stands for the whole */
  PrismRunCard *card;
} Candidate;

/* What runs when it was saved is nobody's but its own program's. */
static Candidate *
candidate_new (PrismRunCard *card)
{
  Candidate *self = g_new0 (Candidate, 1);

  self->card = card;
  self->entry.path = card->path;
  self->entry.saved = card->saved;
  self->entry.size = card->bytes;
  self->entry.lesson = card->lesson;
  self->entry.finished = !g_str_equal (card->state_name,
                                       prism_run_snapshot_get_state_name (PRISM_STATE_PAUSED));
  return self;
}

/**
 * prism_library_limits_find_next:
 * @cards: (element-type PrismRunCard): all runs that are known
 * @runs: folder that the program saves runs in
 *
 * Finds what leaves the folder when one more run is kept.
 *
 * Thread: main.
 *
 * Returns: (transfer full) (element-type PrismRunCard): the cards of these runs
 */
GHashTable *
prism_library_limits_find_next (GPtrArray *cards,
                                const char *runs)
{
  GHashTable *next = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) candidates = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) chosen = NULL;
  PrismRunLimits limits;

  prism_library_limits_init (&limits);
  for (guint i = 0; i < cards->len; i++)
    {
      PrismRunCard *card = g_ptr_array_index (cards, i);
      g_autofree char *folder = g_path_get_dirname (card->path);

      if (!prism_run_card_is_marked (card) && g_str_equal (folder, runs))
        g_ptr_array_add (candidates, candidate_new (card));
    }
  chosen = prism_run_limits_choose (&limits, candidates, TRUE);
  for (guint i = 0; i < chosen->len; i++)
    g_hash_table_add (next, ((Candidate *) chosen->pdata[i])->card);
  return next;
}
