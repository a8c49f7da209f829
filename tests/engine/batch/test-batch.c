#include "config.h"

#include "../support/test-remove-tree.h"
#include "../support/test-sanitized.h"
#include "base/prism-directory.h"
#include "batch/prism-batch.h"
#include "config/prism-config.h"

#include <string.h>

#define N_ITEMS 8

/* Runs are shells here: what they do stands in a script, which is told the item's number. */
typedef struct
{
  char *directory;
  const char *script;
  guint n_over;
  guint n_well;
  char *message; /* (nullable): the last one */
  guint least;   /* runs at a time */
  char *notice;  /* (nullable): the last one */
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  fixture->directory = g_dir_make_tmp ("prism-batch-XXXXXX", NULL);
  fixture->script = data;
  fixture->least = G_MAXUINT;
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  test_remove_tree (fixture->directory);
  g_free (fixture->directory);
  g_free (fixture->message);
  g_free (fixture->notice);
}

static char **
dup_command (PrismBatch *batch,
             guint item,
             gpointer data,
             GError **error)
{
  Fixture *fixture = data;
  g_autofree char *number = g_strdup_printf ("%u", item);
  const char *const command[] = { "/bin/sh", "-c", fixture->script, "run", fixture->directory,
                                  number, NULL };

  return g_strdupv ((char **) command);
}

static void
over (PrismBatch *batch,
      guint item,
      const char *message,
      gboolean stopped,
      gpointer data)
{
  Fixture *fixture = data;

  fixture->n_over++;
  fixture->n_well += message == NULL ? 1 : 0;
  if (message == NULL)
    return;
  g_free (fixture->message);
  fixture->message = g_strdup (message);
}

static void
changed (PrismBatch *batch,
         gpointer data)
{
  Fixture *fixture = data;

  fixture->least = MIN (fixture->least, prism_batch_get_n_jobs (batch));
  if (prism_batch_get_notice (batch) == NULL)
    return;
  g_free (fixture->notice);
  fixture->notice = g_strdup (prism_batch_get_notice (batch));
}

static PrismBatch *
new_batch (Fixture *fixture,
           guint n_jobs)
{
  static const PrismBatchFuncs funcs = { dup_command, over, changed };
  g_autoptr (PrismConfig) config = prism_config_new ();
  PrismBatchNeed need = { .n_items = N_ITEMS };
  PrismBatch *batch;

  g_assert_true (prism_config_set_text (config, "backend", "cpu", NULL));
  need.backend = config->backend;
  batch = prism_batch_new (&need, fixture->directory, n_jobs, &funcs, fixture, NULL);
  g_assert_nonnull (batch);
  return batch;
}

static void
run (Fixture *fixture,
     guint n_jobs)
{
  g_autoptr (PrismBatch) batch = new_batch (fixture, n_jobs);

  g_assert_true (prism_batch_start (batch, NULL));
  while (!prism_batch_is_over (batch))
    g_main_context_iteration (NULL, TRUE);
}

/* GLib watches programs from a thread of its own, whose locks the sanitizer does not see. */
static gboolean
is_skipped (void)
{
  if (IS_THREAD_SANITIZED)
    g_test_skip ("GLib watches programs from a thread of its own, whose locks are not seen.");
  return IS_THREAD_SANITIZED;
}

/* One run finds no memory the first time, or is killed for it: half as many at a time, and it is
 * taken again. */
static void
test_halved (Fixture *fixture,
             gconstpointer data)
{
  if (is_skipped ())
    return;
  run (fixture, 4);
  g_assert_cmpuint (fixture->n_over, ==, N_ITEMS);
  g_assert_cmpuint (fixture->n_well, ==, N_ITEMS);
  g_assert_cmpuint (fixture->least, ==, 2);
  g_assert_cmpstr (fixture->notice, ==, "There was too little memory: 2 at a time now.");
}

/* What has too little memory alone is not taken again for ever. */
static void
test_too_large (Fixture *fixture,
                gconstpointer data)
{
  if (is_skipped ())
    return;
  run (fixture, 4);
  g_assert_cmpuint (fixture->n_over, ==, N_ITEMS);
  g_assert_cmpuint (fixture->n_well, ==, 0);
  g_assert_cmpuint (fixture->least, ==, 1);
  g_assert_cmpstr (fixture->message, ==, "No memory.");
}

/* A second batch in the same directory is refused while the first is at work, and not after it. */
static void
test_directory_is_taken (Fixture *fixture,
                         gconstpointer data)
{
  PrismBatch *first = new_batch (fixture, 2);
  g_autoptr (PrismBatch) second = new_batch (fixture, 2);
  g_autoptr (GError) error = NULL;

  if (is_skipped ())
    return;
  g_assert_true (prism_batch_start (first, NULL));
  g_assert_false (prism_batch_start (second, &error));
  g_assert_nonnull (strstr (error->message, "Another program computes in"));
  g_assert_nonnull (strstr (error->message, fixture->directory));
  while (!prism_batch_is_over (first))
    g_main_context_iteration (NULL, TRUE);
  prism_batch_free (first);
  g_assert_true (prism_batch_start (second, NULL));
  while (!prism_batch_is_over (second))
    g_main_context_iteration (NULL, TRUE);
}

#define ONCE "if test $2 = 1 && mkdir $1/tried 2>/dev/null; then "

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, script, function) \
  g_test_add ("/engine/batch/" path, Fixture, script, set_up, function, tear_down)
  ADD ("halved/no-memory", ONCE "echo 'prism-cli: No memory.' >&2; exit 4; fi", test_halved);
  ADD ("halved/killed", ONCE "kill -9 $$; fi", test_halved);
  ADD ("too-large", "echo 'prism-cli: No memory.' >&2; exit 4", test_too_large);
  ADD ("directory-is-taken", "exit 0", test_directory_is_taken);
  return g_test_run ();
}
