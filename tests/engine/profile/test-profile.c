#include "base/prism-pool.h"
#include "../support/test-config.h"
#include "../support/test-remove-tree.h"
#include "profile/prism-profile.h"
#include "run/prism-engine.h"

#define PATIENCE 60000 /* ms: a wait as long as this is a failure */

/* A quick look, in little: training, live picture and refinement. */
static PrismConfig *
make_config (void)
{
  return test_config_new ("method=decoder start_target=measurement image_size=64 object_size=16 "
                          "aperture_radius=6 samples=6 steps=5 start_steps=5 polish=20 "
                          "threads=1 backend=cpu");
}

static PrismSnapshot *
run_config (const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismEngine) engine = prism_engine_new (NULL, NULL, &error);
  g_autoptr (PrismSnapshot) snapshot = NULL;

  MUST (prism_engine_configure (engine, config, &error));
  prism_engine_run (engine);
  while (snapshot == NULL || snapshot->state != PRISM_STATE_FINISHED)
    {
      g_clear_pointer (&snapshot, prism_snapshot_unref);
      snapshot = prism_engine_wait (engine, PATIENCE);
      g_assert_nonnull (snapshot);
      g_assert_cmpint (snapshot->state, !=, PRISM_STATE_FAILED);
    }
  return g_steal_pointer (&snapshot);
}

static PrismSnapshot *
run (void)
{
  g_autoptr (PrismConfig) config = make_config ();

  return run_config (config);
}

static PrismTrace *
record (PrismSnapshot **snapshot)
{
  prism_profile_start ();
  *snapshot = run ();
  return prism_profile_stop ();
}

static const PrismTraceThread *
find_engine (const PrismTrace *trace)
{
  for (guint i = 0; i < trace->threads->len; i++)
    {
      const PrismTraceThread *thread = trace->threads->pdata[i];

      if (strcmp (thread->name, "engine") == 0)
        return thread;
    }
  g_assert_not_reached ();
}

/* Whether each span lies within the one that is open where it begins. */
static void
check_nesting (const PrismTraceThread *thread)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < thread->spans->len; i++)
    {
      const PrismSpan *span = &g_array_index (thread->spans, PrismSpan, i);

      g_assert_cmpint (span->begin, >=, 0);
      g_assert_cmpint (span->end, >=, span->begin);
      while (ends->len > 0 && g_array_index (ends, gint64, ends->len - 1) <= span->begin)
        g_array_set_size (ends, ends->len - 1);
      if (ends->len > 0)
        g_assert_cmpint (span->end, <=, g_array_index (ends, gint64, ends->len - 1));
      g_array_append_val (ends, span->end);
    }
}

static gint64
find_last (const PrismTraceThread *thread)
{
  gint64 last = 0;

  for (guint i = 0; i < thread->spans->len; i++)
    last = MAX (last, g_array_index (thread->spans, PrismSpan, i).end);
  return last;
}

TEST (run_is_covered, "/engine/profile/covered")
{
  g_autoptr (PrismSnapshot) snapshot = NULL;
  g_autoptr (PrismTrace) trace = record (&snapshot);
  const PrismTraceThread *engine = find_engine (trace);
  const PrismSpan *spans = (const PrismSpan *) engine->spans->data;
  PrismTraceSummary summary;
  double sum = 0.0;

  check_nesting (engine);
  prism_trace_summary_init (&summary, trace);
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      g_assert_cmpfloat (summary.stages[stage].self, >, -1e-9);
      sum += summary.stages[stage].self;
    }
  /* From its first stage to its last, whatever else the machine does: each begins where the one
   * before it ends. */
  double wall = 1e-9 * (find_last (engine) - spans[0].begin);
  g_test_message ("%.4f s in stages of %.4f s", sum, wall);
  g_assert_cmpfloat (prism_trace_get_coverage (engine), ==, 1.0);
  g_assert_cmpfloat_with_epsilon (sum, wall, 1e-6);
  g_assert_cmpfloat (wall, <=, trace->seconds);
  g_assert_cmpfloat (wall, >=, snapshot->seconds);
  g_assert_cmpfloat (prism_trace_get_overhead (trace), >, 0.0);
  g_assert_cmpfloat (prism_trace_get_overhead (trace), <=, 0.02);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_FORWARD].n_calls, >=, 6 * 5);
  g_assert_cmpfloat (summary.stages[PRISM_STAGE_FORWARD].operations, >, 0.0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_LOSS].n_calls, ==, 6 * 5);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_UPDATE].n_calls, >=, 5 + 6 * 5);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_UPDATE].bytes, >, 0);
  g_assert_cmpfloat (summary.stages[PRISM_STAGE_TELESCOPE].operations, >, 0.0);
  g_assert_cmpfloat (summary.stages[PRISM_STAGE_PASS].operations, >, 0.0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_PASS].bytes, >, 0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_METRICS].n_calls, >, 0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_MEASURE].bytes, >, 0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_OBJECT].n_calls, ==, 1);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_REFINE].n_calls, >, 0);
  g_assert_cmpuint (trace->samples->len, >, 0);
}

TEST (bits_stay, "/engine/profile/bits-stay")
{
  g_autoptr (PrismSnapshot) plain = run (), profiled = NULL;
  g_autoptr (PrismTrace) trace = record (&profiled);

  g_assert_cmpuint (plain->step, ==, profiled->step);
  g_assert_cmpmem (plain->reconstruction->pixels, 16 * 16 * sizeof (float),
                   profiled->reconstruction->pixels, 16 * 16 * sizeof (float));
}

/* What a step moves and computes. */
TEST (counts, "/engine/profile/counts")
{
  g_autoptr (PrismConfig) config = make_config ();
  PrismDecoderRow rows[PRISM_DECODER_TABLE_MAX_ROWS], sum;
  PrismDecoderPlan plan;
  PrismTraceSummary summary;

  g_assert_true (prism_decoder_plan_init_config (&plan, config, NULL));
  prism_decoder_table_get_sum (rows, prism_decoder_table_get_rows (&plan, rows), &sum);
  prism_profile_start ();
  g_autoptr (PrismSnapshot) snapshot = run_config (config);
  g_autoptr (PrismTrace) trace = prism_profile_stop ();
  prism_trace_summary_init (&summary, trace);
  const PrismStageSummary *forward = &summary.stages[PRISM_STAGE_FORWARD];
  const PrismStageSummary *backward = &summary.stages[PRISM_STAGE_BACKWARD];
  const PrismStageSummary *update = &summary.stages[PRISM_STAGE_UPDATE];
  g_assert_cmpuint (backward->n_calls, ==, forward->n_calls);
  g_assert_cmpuint (update->bytes, ==, backward->n_calls * 6 * sizeof (float) * plan.n_parameters);
  /* An update computes the first layer of the next forward pass, too. */
  g_assert_cmpfloat (backward->operations, ==,
                     2.0 * (2.0 * sum.n_products + rows[1].n_products) * backward->n_calls);
  g_assert_cmpfloat (forward->operations, <, 2.0 * sum.n_products * forward->n_calls);
  g_assert_cmpfloat (forward->operations, >,
                     2.0 * (sum.n_products - rows[1].n_products) * forward->n_calls);
}

/* Two chunks that wait for each other: a worker must take one. */
static void
meet (gpointer data, guint chunk, guint worker)
{
  atomic_uint *n = data;

  atomic_fetch_add (n, 1);
  while (atomic_load (n) < 2)
    g_thread_yield ();
}

static void
run_job (PrismStage stage)
{
  g_autoptr (PrismPool) pool = prism_pool_new (2, NULL);
  atomic_uint n = 0;
  gint64 outer = prism_profile_begin (), inner = prism_profile_begin ();

  prism_pool_run (pool, 2, meet, &n);
  prism_profile_end (stage, inner);
  prism_profile_end (PRISM_STAGE_WORK, outer);
}

static PrismTrace *
copy (const PrismTrace *trace)
{
  g_autofree char *text = prism_trace_dup_own (trace);
  PrismTrace *again = prism_trace_read (text, strlen (text), "a profile", NULL);

  g_assert_nonnull (again);
  return again;
}

/* A worker has a lane, with the stages in which it was needed; those of its caller are not longer
 * for it. A team that comes after another goes on in its lanes. */
TEST (workers, "/engine/profile/workers")
{
  PrismTraceSummary summary, idle;

  prism_profile_start ();
  run_job (PRISM_STAGE_PASS);
  run_job (PRISM_STAGE_ALIGN);
  g_autoptr (PrismTrace) recorded = prism_profile_stop (), trace = copy (recorded);
  g_assert_cmpuint (trace->threads->len, ==, 2);
  const PrismTraceThread *caller = trace->threads->pdata[0], *worker = trace->threads->pdata[1];
  g_assert_cmpuint (caller->worker, ==, 0);
  g_assert_cmpuint (worker->worker, ==, 1);
  g_assert_cmpstr (worker->name, ==, "worker 1");
  g_assert_cmpuint (worker->spans->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const PrismSpan *work = &g_array_index (worker->spans, PrismSpan, i);
      const PrismSpan *stage = &g_array_index (caller->spans, PrismSpan, 2 * i + 1);

      g_assert_cmpuint (work->kind, ==, i == 0 ? PRISM_STAGE_PASS : PRISM_STAGE_ALIGN);
      g_assert_cmpuint (work->kind, ==, stage->kind);
      g_assert_cmpuint (work->count, ==, 1);
      g_assert_cmpuint (work->bytes, ==, 0);
      g_assert_cmpint (work->begin, >=, stage->begin);
      g_assert_cmpint (work->begin, <, stage->end);
    }
  prism_trace_summary_init (&summary, trace);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_PASS].n_calls, ==, 1);
  prism_trace_summary_init_thread (&idle, caller);
  g_assert_cmpfloat (summary.busy, ==, idle.busy);
  prism_trace_summary_init_thread (&idle, worker);
  g_assert_cmpfloat (idle.stages[PRISM_STAGE_WAIT].self, >, 0.0);
}

/* What was there when a stage began and ended, and the most in between, to the byte that malloc()
 * has given; in an exported trace as a counter. */
TEST (memory_of_stages, "/engine/profile/memory-of-stages")
{
  const gsize size = 5 << 20;
  PrismTraceSummary summary;

  prism_profile_start ();
  gint64 begun = prism_profile_begin ();
  prism_arena_free_array (prism_arena_new_array (size, "a test", NULL));
  begun = prism_profile_next (PRISM_STAGE_PASS, begun);
  gpointer kept = prism_arena_new_array (size, "a test", NULL);
  prism_profile_end (PRISM_STAGE_PUBLISH, begun);
  g_autoptr (PrismTrace) recorded = prism_profile_stop ();
  prism_arena_free_array (kept);
  g_autoptr (PrismTrace) trace = copy (recorded);
  prism_trace_summary_init (&summary, trace);
  const PrismStageMemory *pass
      = &summary.stages[PRISM_STAGE_PASS].memory[PRISM_TRACE_MEMORY_ARRAYS];
  const PrismStageMemory *publish
      = &summary.stages[PRISM_STAGE_PUBLISH].memory[PRISM_TRACE_MEMORY_ARRAYS];
  g_assert_cmpfloat (pass->most, >=, pass->first + size);
  g_assert_cmpfloat (pass->most, <, pass->first + size + (64 << 10)); /* pages */
  g_assert_cmpfloat (pass->last, ==, pass->first);
  g_assert_cmpfloat (publish->first, ==, pass->last);
  /* malloc() takes the second from its heap, and rounds it otherwise. */
  g_assert_cmpfloat (publish->last, >=, publish->first + size);
  g_assert_cmpfloat (publish->last, <, publish->first + size + (64 << 10));
  g_assert_cmpfloat (publish->most, ==, publish->last);
  g_assert_true (isnan (summary.stages[PRISM_STAGE_PASS].memory[PRISM_TRACE_MEMORY_DEVICE].most));
  g_autofree char *chrome = prism_trace_dup_chrome (trace);
  HAS (chrome, "\"ph\":\"C\",\"pid\":1,\"name\":\"array-memory\"");
  g_autofree char *table = prism_trace_dup_text (trace);
  HAS (table, "\nMiB                 most      start        end");
}

/* What lies in a cache is compared with what caches do, and nothing is where nobody measured. */
TEST (roof, "/engine/profile/roof")
{
  PrismTraceSummary summary = { .roof = { { 16e9, 8e9, 4e9, 2e9, 1e9 }, 2e9 } };
  PrismStageSummary *stage = &summary.stages[PRISM_STAGE_UPDATE];
  const struct
  {
    guint64 n_bytes;
    double part;
  } cases[] = {
    { 1000, 1.0 / 16 },
    { 2 * PRISM_ROOF_SET (0), 1.0 / 16 },
    { 2 * PRISM_ROOF_SET (1), 1.0 / 8 },
    { 20 << 20, 1.0 / 4 },
    { 2 * PRISM_ROOF_SET (4), 1.0 },
    { 1 << 30, 1.0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      stage->n_calls = 3;
      stage->bytes = 3 * cases[i].n_bytes;
      stage->total = 1e-9 * (double) stage->bytes;
      g_assert_cmpfloat_with_epsilon (
          prism_trace_summary_get_value (&summary, PRISM_STAGE_UPDATE,
                                         PRISM_STAGE_COLUMN_BANDWIDTH_PART),
          cases[i].part, 1e-12);
    }
  for (guint i = 0; i < PRISM_ROOF_LAST; i++)
    summary.roof.bandwidths[i] = 0.0;
  stage->bytes = 3 * PRISM_ROOF_SET (1);
  g_assert_true (isnan (prism_trace_summary_get_value (&summary, PRISM_STAGE_UPDATE,
                                                       PRISM_STAGE_COLUMN_BANDWIDTH_PART)));
}

/* Times are added up without spans: what an inner stage takes is not its outer one's own, and a
 * stage that was never ended harms nobody. */
TEST (totals, "/engine/profile/totals")
{
  PrismTraceSummary totals;
  gint64 inner;

  prism_profile_start_totals ();
  gint64 outer = prism_profile_begin ();
  for (int i = 0; i < 2; i++)
    {
      inner = prism_profile_begin ();
      prism_profile_begin ();
      g_usleep (50000);
      prism_profile_end_with (PRISM_STAGE_PASS, inner, 3, 8, 0.0);
    }
  prism_profile_end (PRISM_STAGE_LIVE, outer);
  prism_profile_stop_totals (&totals);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_PASS].n_calls, ==, 2);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_PASS].count, ==, 6);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_PASS].bytes, ==, 16);
  g_assert_cmpfloat (totals.stages[PRISM_STAGE_PASS].self, >=, 0.1);
  g_assert_cmpfloat (totals.stages[PRISM_STAGE_LIVE].total, >=,
                     totals.stages[PRISM_STAGE_PASS].total);
  g_assert_cmpfloat_with_epsilon (
      totals.stages[PRISM_STAGE_LIVE].self,
      totals.stages[PRISM_STAGE_LIVE].total - totals.stages[PRISM_STAGE_PASS].total, 1e-9);
}

/* The same stages as often as with spans, and the spans of a later profile. */
TEST (totals_of_a_run, "/engine/profile/totals-of-a-run")
{
  g_autoptr (PrismSnapshot) noted = NULL;
  PrismTraceSummary totals, summary;

  prism_profile_start_totals ();
  g_autoptr (PrismSnapshot) added = run ();
  prism_profile_stop_totals (&totals);
  g_autoptr (PrismTrace) trace = record (&noted);
  prism_trace_summary_init (&summary, trace);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_TRAIN].count, ==,
                    summary.stages[PRISM_STAGE_TRAIN].count);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_PASS].count, ==,
                    summary.stages[PRISM_STAGE_PASS].count);
  g_assert_cmpuint (totals.stages[PRISM_STAGE_MEASURE].n_calls, ==,
                    summary.stages[PRISM_STAGE_MEASURE].n_calls);
  g_assert_cmpfloat (totals.stages[PRISM_STAGE_WORK].self, <,
                     totals.stages[PRISM_STAGE_WORK].total);
}

/* What finds an image where apertures leave gaps has its names, too. */
TEST (alignment, "/engine/profile/alignment")
{
  g_autoptr (PrismConfig) config = make_config ();
  PrismTraceSummary summary;

  test_config_set (config, "method=auto samples=16 aperture_radius=5");
  prism_profile_start ();
  g_autoptr (PrismSnapshot) snapshot = run_config (config);
  g_autoptr (PrismTrace) trace = prism_profile_stop ();
  prism_trace_summary_init (&summary, trace);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_FIELDS].n_calls, >, 0);
  g_assert_cmpuint (summary.stages[PRISM_STAGE_ALIGN].n_calls, >, 0);
  check_nesting (find_engine (trace));
}

/* The two sentences of two stages that share the work, and the thread that did most first. */
TEST (sentences, "/engine/profile/sentences")
{
  g_autoptr (PrismTrace) trace = prism_trace_new ();
  PrismTraceThread *few = prism_trace_add_thread (trace, "saver");
  PrismTraceThread *much = prism_trace_add_thread (trace, "engine");
  const PrismSpan saved = { .begin = 0, .end = 1000, .kind = PRISM_STAGE_SAVE };
  const PrismSpan spans[] = {
    { .begin = 0, .end = 5000, .kind = PRISM_STAGE_FIELDS },
    { .begin = 5000, .end = 7000, .kind = PRISM_STAGE_PASS },
    { .begin = 7000, .end = 9000, .kind = PRISM_STAGE_PASS },
  };

  SAYS (prism_trace_dup_advice (trace), "Nothing was done.");
  prism_trace_add_span (trace, few, &saved);
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    prism_trace_add_span (trace, much, &spans[i]);
  prism_trace_sort_threads (trace);
  g_assert_true (trace->threads->pdata[0] == much);
  SAYS (prism_trace_dup_advice (trace),
        "“fields” takes 50 % of the work, 1 call of 0.005 ms: it grows with the"
        " frames and their pixels. “passes” takes 40 % of the work, 2 calls, half of"
        " them within 0.002 ms: it grows with the passes, the frames and their pixels.");
}

/* Two threads, with stages within stages. */
static PrismTrace *
make_trace (void)
{
  PrismTrace *trace = prism_trace_new ();
  PrismTraceThread *engine = prism_trace_add_thread (trace, "engine");
  const PrismSpan spans[] = {
    { .begin = 1500, .end = 2500, .count = 1, .kind = PRISM_STAGE_FORWARD, .value = 4e3 },
    { .begin = 1000, .end = 5000, .count = 3, .kind = PRISM_STAGE_TRAIN },
    { .begin = 6000, .end = 6000, .value = 7.5, .kind = PRISM_N_STAGES + PRISM_COUNTER_STEP_RATE },
    { .begin = 5000, .end = 7000, .count = 1, .bytes = 64, .kind = PRISM_STAGE_MEASURE },
  };

  trace->seconds = 1e-5;
  trace->span_cost = 5e-8;
  trace->roof = (PrismRoof) { { 1e9, 1e9, 1e9, 1e9, 1e9 }, 2e9 };
  for (gsize i = 0; i < G_N_ELEMENTS (spans); i++)
    prism_trace_add_span (trace, engine, &spans[i]);
  prism_trace_sort (trace);
  return trace;
}

TEST (sums, "/engine/profile/sums")
{
  g_autoptr (PrismTrace) trace = make_trace ();
  g_autofree char *text = prism_trace_dup_text (trace);
  PrismTraceSummary summary;

  prism_trace_summary_init (&summary, trace);
  g_assert_cmpfloat_with_epsilon (summary.stages[PRISM_STAGE_TRAIN].total, 4e-6, 1e-15);
  g_assert_cmpfloat_with_epsilon (summary.stages[PRISM_STAGE_TRAIN].self, 3e-6, 1e-15);
  g_assert_cmpfloat_with_epsilon (summary.busy, 6e-6, 1e-15);
  g_assert_cmpfloat_with_epsilon (prism_trace_get_overhead (trace), 0.02, 1e-12);
  HAS (text, "100.0 %", "4.00  200 %");
}

TEST (file, "/engine/profile/file")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a.prismprof", NULL);
  g_autoptr (PrismTrace) trace = make_trace ();

  MUST (prism_trace_save (trace, path, &error));
  g_autoptr (PrismTrace) again = MUST (prism_trace_load (path, &error));
  g_autofree char *before = prism_trace_dup_chrome (trace), *after = prism_trace_dup_chrome (again);
  g_assert_cmpstr (before, ==, after);
}

/* A number of a capture, its lowest byte first. */
static guint64
get_number (const char *bytes, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = n_bytes; i > 0; i--)
    value = value << 8 | (guint8) bytes[i - 1];
  return value;
}

/* The frames of a capture, from what Sysprof's header says of their layout. */
static void
check_capture (const char *bytes, gsize length)
{
  guint n_frames[16] = { 0 };
  gsize frame = 256;
  double value;

  g_assert_cmphex (get_number (bytes, 4), ==, 0xfdca975e);
  g_assert_cmpuint (get_number (bytes + 4, 4), ==, 0x101);
  for (gsize size; frame < length; frame += size)
    {
      const char *data = bytes + frame + 24;
      const guint type = (guint) get_number (bytes + frame + 16, 8);

      size = get_number (bytes + frame, 2);
      g_assert_cmpuint (size, >=, 24);
      g_assert_cmpuint (size % 8, ==, 0);
      g_assert_cmpuint (type, <, G_N_ELEMENTS (n_frames));
      g_assert_cmpuint (get_number (bytes + frame + 8, 8), >=, get_number (bytes + 72, 8));
      if (type == 10 && n_frames[type] == 0)
        {
          g_assert_cmpuint (get_number (data, 8), ==, 4000);
          g_assert_cmpstr (data + 8, ==, "engine");
          g_assert_cmpstr (data + 32, ==, "train");
          g_assert_cmpstr (data + 72, ==, "count 3, bytes 0, operations 0");
        }
      if (type == 9)
        {
          g_assert_cmpuint (get_number (data + 8, 4), ==, 1 + PRISM_COUNTER_STEP_RATE);
          memcpy (&value, data + 40, sizeof value);
          g_assert_cmpfloat (value, ==, 7.5);
        }
      n_frames[type]++;
    }
  g_assert_cmpuint (frame, ==, length);
  g_assert_cmpuint (n_frames[10], ==, 3);
  g_assert_cmpuint (n_frames[9], ==, 1);
  g_assert_cmpuint (n_frames[8], ==, 1);
  g_assert_cmpuint (n_frames[4], ==, 1);
}

TEST (sysprof, "/engine/profile/sysprof")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a.syscap", NULL), *bytes = NULL;
  g_autoptr (PrismTrace) trace = make_trace ();
  gsize length;

  MUST (prism_trace_save (trace, path, &error));
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  check_capture (bytes, length);
  FAILS (prism_trace_save (trace, in_folder (directory, "no", "a.syscap"), &error), IO, "");
}

TEST (foreign_files, "/engine/profile/foreign-files")
{
  static const char *const texts[] = {
    "",
    "{}",
    "[]",
    "{\"format\":\"prism-profile\",\"version\":3}",
    "{\"format\":\"prism-profile\",\"version\":1,\"seconds\":1,\"span_cost\":0,\"bandwidth\":0,"
    "\"rate\":0,\"threads\":[{\"name\":\"x\",\"lost\":0,\"spans\":[[\"train\",0,-1,0,0,0]]}],"
    "\"samples\":[]}",
    "{\"format\":\"prism-profile\",\"version\":1,\"seconds\":1,\"span_cost\":0,\"bandwidth\":0,"
    "\"rate\":0,\"threads\":[{\"name\":\"x\",\"lost\":0,\"spans\":[[\"other\",0,1,0,0,0]]}],"
    "\"samples\":[]}",
    "{\"format\":\"prism-profile\",\"version\":1,\"seconds\":1,\"span_cost\":0,\"bandwidth\":0,"
    "\"rate\":0,\"threads\":7,\"samples\":[]}",
  };
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "a.prismprof", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
      FAILS (prism_trace_load (path, &error), FORMAT, "is not a whole profile");
    }
  /* What “run --profile FILE.json” writes is for others, and says whom. */
  g_assert_true (g_file_set_contents (path, "{\"traceEvents\":[]}", -1, NULL));
  FAILS (prism_trace_load (path, &error), FORMAT, "open it at ui.perfetto.dev");
}

TEST (slope_of_memory, "/engine/profile/slope")
{
  g_autoptr (PrismTrace) trace = make_trace ();
  g_autofree char *none = prism_trace_dup_memory (trace);
  PrismTraceCounter memory;

  g_assert_null (none);
  for (guint i = 0; i < 4; i++)
    {
      const PrismSpan sample = {
        .begin = i * 500000000,
        .end = i * 500000000,
        .value = (8.0 + i) * 1048576.0,
        .kind = PRISM_N_STAGES + PRISM_COUNTER_HOST_MEMORY,
      };

      prism_trace_add_span (trace, NULL, &sample);
    }
  prism_trace_counter_init (&memory, trace, PRISM_COUNTER_HOST_MEMORY);
  g_assert_cmpuint (memory.n_samples, ==, 4);
  g_assert_cmpfloat (memory.most, ==, 11.0 * 1048576.0);
  g_assert_cmpfloat_with_epsilon (memory.slope, 2.0 * 1048576.0, 1e-3);
  SAYS (prism_trace_dup_memory (trace),
        "The program had 11.0 MiB at most; its memory changed by +2.00 MiB/s.");
}

/* The schema of trace events, as far as viewers ask for it. */
TEST (chrome, "/engine/profile/chrome")
{
  g_autoptr (PrismTrace) trace = make_trace ();
  g_autofree char *text = prism_trace_dup_chrome (trace);
  g_autoptr (JsonNode) root = json_from_string (text, NULL);
  guint n_spans = 0;

  g_assert_nonnull (root);
  JsonArray *events = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);
      const char *kind = json_object_get_string_member (event, "ph");

      g_assert_nonnull (json_object_get_string_member (event, "name"));
      g_assert_cmpint (json_object_get_int_member (event, "pid"), ==, 1);
      if (strcmp (kind, "M") == 0)
        continue;
      g_assert_cmpfloat (json_object_get_double_member (event, "ts"), >=, 0.0);
      if (strcmp (kind, "X") != 0)
        continue;
      n_spans++;
      g_assert_cmpfloat (json_object_get_double_member (event, "dur"), >=, 0.0);
      g_assert_cmpint (json_object_get_int_member (event, "tid"), ==, 1);
    }
  g_assert_cmpuint (n_spans, ==, 3);
}

TEST (off_notes_nothing, "/engine/profile/off")
{
  g_assert_cmpint (prism_profile_begin (), ==, 0);
  prism_profile_start ();
  g_autoptr (PrismTrace) trace = prism_profile_stop ();
  g_assert_cmpuint (trace->threads->len, ==, 0);
  g_assert_cmpuint (trace->samples->len, ==, 1); /* how much memory there was */
}
