#include "../support/test-remove-tree.h"
#include "../support/test-sanitized.h"
#include "batch/prism-batch.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "prism-test.h"

#include <sys/statvfs.h>

#define N_ITEMS 8
/* The first time: of a run in a process of its own, and among several. */
#define ONCE "if test $2 = 1 && mkdir $1/tried 2>/dev/null; then "
#define FIRST "if test $item = 1 && mkdir tried 2>/dev/null; then "

/* Runs are shells here: what they do stands in a script, which is told the item's number. */
typedef struct
{
  char *directory;
  const char *script;
  guint n_over, n_well;
  char *message; /* (nullable): the last one */
  guint least;   /* runs at a time */
  char *notice;  /* (nullable): the last one */
  char *crew;    /* (nullable): text of what does several runs in one process */
  guint64 disk;  /* bytes that a run leaves */
  guint n_ready; /* items that may begin */
} Fixture;

static guint64 disk_left = G_MAXUINT64; /* bytes, as this program is told */

int
statvfs (const char *path, struct statvfs *space)
{
  *space = (struct statvfs) { .f_bavail = disk_left, .f_frsize = 1 };
  return 0;
}

SET_UP
{
  self->directory = g_dir_make_tmp ("prism-batch-XXXXXX", NULL);
  self->script = data;
  self->least = G_MAXUINT;
  self->n_ready = N_ITEMS;
}

TEAR_DOWN
{
  test_remove_tree (self->directory);
  g_free (self->directory);
  g_free (self->message);
  g_free (self->notice);
  g_free (self->crew);
}

static gboolean
is_finished (guint item, gpointer data)
{
  return FALSE;
}

static gboolean
is_ready (guint item, gpointer data)
{
  return item < ((Fixture *) data)->n_ready;
}

/* A program that stands for prism-cli: one run, or what does several. Its arguments are those of
 * “run --quiet --config CONFIG --output OUTPUT”, whose last word ends in the item's number. */
static char *
write_program (const Fixture *fixture)
{
  g_autofree char *text
      = fixture->crew != NULL
            ? g_strdup (fixture->crew)
            : g_strdup_printf ("#!/bin/sh\nset -- %s ${6##*-}\n%s\n", fixture->directory,
                               fixture->script);
  char *path = g_build_filename (fixture->directory, "program.sh", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  return path;
}

/* Without an item something else has changed. */
static void
over (PrismBatch *batch, guint item, const char *message, gpointer data)
{
  Fixture *fixture = data;
  char **kept = item != G_MAXUINT ? &fixture->message : &fixture->notice;

  fixture->n_over += item != G_MAXUINT;
  fixture->n_well += item != G_MAXUINT && message == NULL;
  fixture->least = MIN (fixture->least, batch->n_jobs);
  if (message == NULL)
    return;
  g_free (*kept);
  *kept = g_strdup (message);
}

static PrismBatch *
new_batch (Fixture *fixture, guint n_jobs)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autofree char *program = write_program (fixture);
  PrismBatchRuns runs = { .need = { .n_items = N_ITEMS, .disk = fixture->disk },
                          .directory = fixture->directory,
                          .program = program,
                          .stem = "item-%u",
                          .is_finished = is_finished,
                          .is_ready = is_ready,
                          .data = fixture };

  g_assert_true (prism_config_set_text (config, "backend", fixture->crew != NULL ? "cuda" : "cpu",
                                        NULL));
  runs.need.backend = config->backend;
  PrismBatch *batch = prism_batch_new (&runs, n_jobs, over, fixture, NULL, NULL);
  g_assert_nonnull (batch);
  return batch;
}

static void
run (Fixture *fixture, guint n_jobs)
{
  g_autoptr (PrismBatch) batch = new_batch (fixture, n_jobs);

  g_assert_true (prism_batch_start (batch, NULL));
  UNTIL (prism_batch_is_over (batch));
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
TEST_WITH (halved, "/engine/batch/halved/no-memory",
           ONCE "echo 'prism-cli: No memory.' >&2; exit 4; fi")
{
  if (is_skipped ())
    return;
  run (self, 4);
  g_assert_cmpuint (self->n_over, ==, N_ITEMS);
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
  g_assert_cmpuint (self->least, ==, 2);
  g_assert_cmpstr (self->notice, ==, "There was too little memory: 2 at a time now.");
}

TEST_ALSO (halved, "/engine/batch/halved/killed", ONCE "kill -9 $$; fi")

/* What has too little memory alone is not taken again for ever. */
TEST_WITH (too_large, "/engine/batch/too-large", "echo 'prism-cli: No memory.' >&2; exit 4")
{
  if (is_skipped ())
    return;
  run (self, 4);
  g_assert_cmpuint (self->n_over, ==, N_ITEMS);
  g_assert_cmpuint (self->n_well, ==, 0);
  g_assert_cmpuint (self->least, ==, 1);
  g_assert_cmpstr (self->message, ==, "No memory.");
}

/* A second batch in the same directory is refused while the first is at work, and not after it. */
TEST_WITH (directory_is_taken, "/engine/batch/directory-is-taken", "exit 0")
{
  PrismBatch *first = new_batch (self, 2);
  g_autoptr (PrismBatch) second = new_batch (self, 2);
  g_autoptr (GError) error = NULL;

  if (is_skipped ())
    return;
  g_assert_true (prism_batch_start (first, NULL));
  g_assert_false (prism_batch_start (second, &error));
  HAS (error->message, "Another program computes in", self->directory);
  UNTIL (prism_batch_is_over (first));
  prism_batch_free (first);
  g_assert_true (prism_batch_start (second, NULL));
  UNTIL (prism_batch_is_over (second));
}

static gboolean
note_time (gpointer passed)
{
  *(gboolean *) passed = TRUE;
  return G_SOURCE_REMOVE;
}

/* Its runs are ended; how is not asked before they have. */
TEST_WITH (freed, "/engine/batch/freed", "exec sleep 10")
{
  PrismBatch *batch = new_batch (self, 2);
  gboolean passed = FALSE;

  g_assert_true (prism_batch_start (batch, NULL));
  prism_batch_free (batch);
  g_timeout_add (300, note_time, &passed);
  UNTIL (passed);
  g_assert_cmpuint (self->n_over, ==, 0);
}

/* Full when a run begins, or after one has found it so: told, and nothing is lost. */
TEST_WITH (full_disk, "/engine/batch/full-disk/before", "exit 0")
{
  if (is_skipped ())
    return;
  self->disk = 3 << 20;
  g_autoptr (PrismBatch) batch = new_batch (self, 2);
  disk_left = 1 << 20;
  g_assert_true (prism_batch_start (batch, NULL));
  g_assert_cmpuint (self->n_over, ==, 0);
  g_assert_cmpstr (self->notice, ==,
                   "Paused: the disk has 1.0\302\240MiB left and a run needs 3.0\302\240MiB. Make"
                   " room and it goes on by itself; what is finished is safe.");
  disk_left = G_MAXUINT64;
  UNTIL (self->n_over >= N_ITEMS / 2);
  g_assert_null (batch->notice);
  disk_left = 0;
  UNTIL (batch->notice != NULL);
  g_assert_cmpuint (self->n_over, <, N_ITEMS);
  disk_left = G_MAXUINT64;
  UNTIL (prism_batch_is_over (batch));
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
}

/* A run whose file cannot be written waits for room as well. */
TEST_WITH (disk_fills, "/engine/batch/full-disk/meanwhile",
           ONCE "echo 'prism-cli: No room.' >&2; exit 3; fi")
{
  if (is_skipped ())
    return;
  self->disk = 3 << 20;
  g_autoptr (PrismBatch) batch = new_batch (self, 1);
  g_assert_true (prism_batch_start (batch, NULL));
  UNTIL (self->n_over >= 1);
  disk_left = 0;
  UNTIL (batch->notice != NULL);
  disk_left = G_MAXUINT64;
  UNTIL (prism_batch_is_over (batch));
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
}

/* An item begins when what it needs has come. */
TEST_WITH (ready, "/engine/batch/ready", "exit 0")
{
  if (is_skipped ())
    return;
  self->n_ready = 3;
  g_autoptr (PrismBatch) batch = new_batch (self, 2);
  g_assert_true (prism_batch_start (batch, NULL));
  UNTIL (self->n_over >= 3);
  g_assert_false (prism_batch_is_running (batch, 3));
  g_assert_false (prism_batch_is_over (batch));
  self->n_ready = N_ITEMS;
  prism_batch_go_on (batch);
  g_assert_true (prism_batch_is_running (batch, 3));
  UNTIL (prism_batch_is_over (batch));
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
}

static void
wait_for_file (const Fixture *fixture, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->directory, name, NULL);

  while (!g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (1000);
}

/* A run takes its first signal as a wish and writes what it has; the second would end it. */
TEST_WITH (stopped_twice, "/engine/batch/stopped-twice",
           "trap 'trap - TERM; touch $1/asked; sleep 0.3; touch $1/written; exit 143' TERM;"
           " touch $1/begun; while :; do sleep 0.05; done")
{
  if (is_skipped ())
    return;
  g_autoptr (PrismBatch) batch = new_batch (self, 1);
  g_assert_true (prism_batch_start (batch, NULL));
  wait_for_file (self, "begun");
  prism_batch_stop (batch);
  wait_for_file (self, "asked");
  prism_batch_stop (batch);
  UNTIL (prism_batch_is_over (batch));
  g_assert_true (g_file_test (in_folder (self->directory, "written"), G_FILE_TEST_EXISTS));
  /* It has no result. */
  g_assert_cmpuint (batch->n_over, ==, 0);
}

/* What is left is what was foretold, then what runs that are over took; one that is late says that
 * the others will be. */
TEST_WITH (left, "/engine/batch/left", "test $2 -lt 4 || exec sleep 10")
{
  static const double costs[N_ITEMS] = { 10, 10, 10, 10, 10, 10, 10, 40 };
  static const double short_costs[N_ITEMS] = { 1, 1, 1, 1, 1e-6, 1e-6, 1, 1 };

  if (is_skipped ())
    return;
  self->n_ready = 4;
  g_autoptr (PrismBatch) batch = new_batch (self, 2);
  g_assert_true (isnan (prism_batch_get_left (batch, NULL)));
  g_assert_cmpfloat (prism_batch_get_left (batch, costs), ==, 55.0);
  g_assert_true (prism_batch_start (batch, NULL));
  UNTIL (self->n_over >= 4);
  double left = prism_batch_get_left (batch, costs);
  g_assert_cmpfloat (left, >, 0.0);
  g_assert_cmpfloat (left, <, 20.0);
  g_assert_cmpfloat_with_epsilon (prism_batch_get_left (batch, NULL), left / 2, 1e-6);
  self->n_ready = 6;
  prism_batch_go_on (batch);
  g_usleep (200000);
  g_assert_cmpfloat (prism_batch_get_left (batch, short_costs), >, 0.1);
  prism_batch_stop (batch);
  UNTIL (prism_batch_is_over (batch));
  g_assert_cmpuint (batch->n_over, ==, 4);
}

static const char *
get_loss (void)
{
  return NULL;
}

/* Runs share a device: they are told to one process, here a script, which answers for each. What
 * stands in @data is done with a run's number in $item. */
static void
test_crew (Fixture *fixture, gconstpointer data)
{
  static PrismBackendOps ops;

  if (is_skipped ())
    return;
  fixture->crew
      = g_strdup_printf ("#!/bin/sh\ncd %s\necho $1 >>started\nif test $1 = run; then exit 0; fi\n"
                         "while read -r word item rest; do item=${item%%,}\n%s\n"
                         "echo \"(uint32 $item, 0, b'')\"; done\n",
                         fixture->directory, fixture->script);
  ops = prism_cpu_backend_ops;
  ops.name = "cuda";
  ops.get_loss = get_loss;
  prism_registry_replace ("cuda", &ops);
  run (fixture, 4);
  prism_registry_replace ("cuda", NULL);
  g_assert_cmpuint (fixture->n_over, ==, N_ITEMS);
}

static char *
dup_started (const Fixture *fixture)
{
  char *text = NULL;

  g_assert_true (
      g_file_get_contents (in_folder (fixture->directory, "started"), &text, NULL, NULL));
  return text;
}

/* All runs are one process. */
TEST_WITH (together, "/engine/batch/crew/together", "true")
{
  test_crew (self, data);
  if (self->crew == NULL)
    return;
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
  SAYS (dup_started (self), "crew\n");
}

/* What one of them has too little device memory for is taken again, beside fewer; as when all of
 * them were killed for too little of the host's. */
TEST_WITH (crew_halved, "/engine/batch/crew/no-memory",
           FIRST "echo \"(uint32 1, 4, b'No memory.')\"; continue; fi")
{
  test_crew (self, data);
  if (self->crew == NULL)
    return;
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
  g_assert_cmpuint (self->least, ==, 2);
  g_assert_cmpstr (self->notice, ==, "There was too little memory: 2 at a time now.");
}

TEST_ALSO (crew_halved, "/engine/batch/crew/killed", FIRST "kill -9 $$; fi")

/* Where a process cannot do several, or ends in the middle, each run is one of its own. */
TEST_WITH (crew_lost, "/engine/batch/crew/crashed", "kill -SEGV $$")
{
  test_crew (self, data);
  if (self->crew == NULL)
    return;
  g_autofree char *started = dup_started (self);
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
  g_assert_true (g_str_has_prefix (started, "crew\nrun\n"));
}

TEST_ALSO (crew_lost, "/engine/batch/crew/unknown", "exit 2")

/* A process that has lost the device ends by itself; another one goes on, as many at a time. */
TEST_WITH (crew_again, "/engine/batch/crew/device-lost", FIRST "exit 0; fi")
{
  test_crew (self, data);
  if (self->crew == NULL)
    return;
  g_assert_cmpuint (self->n_well, ==, N_ITEMS);
  g_assert_cmpuint (self->least, ==, 4);
  SAYS (dup_started (self), "crew\ncrew\n");
}
