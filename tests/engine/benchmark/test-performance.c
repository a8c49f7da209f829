#include "config.h"

#include "../support/test-remove-tree.h"
#include "base/prism-system.h"
#include "benchmark/prism-gradient-error.h"
#include "benchmark/prism-bench-runner.h"
#include "benchmark/prism-performance-text.h"
#include "benchmark/prism-series-kind.h"
#include "config/prism-preset.h"
#include "device/prism-registry.h"
#include "model/prism-object.h"
#include "prism-test.h"

static char *directory;

static PrismConfig *
make_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 16;
  config->aperture_radius = 6;
  config->samples = 40;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

static PrismSeries *
find_series (PrismPerformance *performance, PrismSeriesKind kind)
{
  for (guint i = 0; i < performance->series->len; i++)
    if (prism_performance_get_series (performance, i)->kind == kind)
      return prism_performance_get_series (performance, i);
  g_assert_not_reached ();
}

/* What a clock and a scale of our own say of a value. */
typedef double (*Fake) (PrismSeriesKind kind, int value);

static void
measure (PrismPerformance *performance, Fake seconds, Fake memory, double limit)
{
  guint series, n = 0;
  int value;

  while (prism_performance_get_next (performance, &series, &value))
    {
      PrismSeries *one = prism_performance_get_series (performance, series);
      PrismSeriesPoint point = { .value = value, .error = NAN, .unrest = 0.0 };

      point.seconds = seconds (one->kind, value);
      point.memory = memory (one->kind, value);
      one->limit = limit;
      g_array_append_vals (prism_performance_get_series (performance, series)->points, &point, 1);
      g_assert_cmpuint (++n, <, 100);
    }
}

/* A term costs 8 + 1 / value up to eight of them, and no less with more. */
static double
fall_to_eight (PrismSeriesKind kind, int value)
{
  return 1e-4 * (1.0 + 8.0 / MIN (value, 8));
}

static double
fall_for_ever (PrismSeriesKind kind, int value)
{
  return 1e-5 / value;
}

static double
weigh_little (PrismSeriesKind kind, int value)
{
  return 1000.0 + value;
}

/* 100 bytes a run. */
static double
weigh_runs (PrismSeriesKind kind, int value)
{
  return 100.0 * value;
}

static int
get_last (const PrismSeries *series)
{
  return g_array_index (series->points, PrismSeriesPoint, series->points->len - 1).value;
}

/* The command, copied, is the run that was measured, with the best number of steps at once. */
static void
check_same_run (const PrismPerformance *performance, const char *command)
{
  g_autoptr (PrismConfig) wanted = prism_config_dup (performance->config), config = NULL;
  g_auto (GStrv) words = NULL;
  int n;

  g_assert_true (g_shell_parse_argv (command, &n, &words, NULL));
  for (int i = 2; i + 1 < n; i += 2)
    if (strcmp (words[i], "--preset") == 0)
      config = prism_preset_load (words[i + 1], NULL);
    else
      {
        g_auto (GStrv) pair = g_strsplit (words[i + 1], "=", 2);

        g_assert_cmpstr (words[i], ==, "--set");
        if (config == NULL)
          config = prism_config_new ();
        g_assert_true (prism_config_set_text (config, pair[0], pair[1], NULL));
      }
  g_assert_nonnull (config);
  wanted->chunk = 8;
  wanted->threads = config->threads;
  wanted->frames = config->frames;
  wanted->amp = config->amp;
  g_assert_true (prism_config_equal (wanted, config));
}

/* Doubled until the time of a unit stops falling: two doublings more show that it does. */
TEST (search_ends_at_knee, "/engine/performance/knee")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, TRUE);

  measure (performance, fall_to_eight, weigh_little, 1e9);
  g_assert_cmpuint (performance->series->len, ==, 3);
  PrismSeries *chunk = find_series (performance, PRISM_SERIES_CHUNK);
  g_assert_cmpint (chunk->end, ==, PRISM_SERIES_FLAT);
  g_assert_cmpuint (chunk->points->len, ==, 6);
  g_assert_cmpint (get_last (chunk), ==, 32);
  g_assert_cmpint (prism_series_get_best (chunk)->value, ==, 8);
  g_autofree char *verdict = prism_series_dup_verdict (chunk);
  g_assert_true (g_str_has_prefix (verdict, "Best: 8 (0.20 ms a step, "));
  HAS (verdict, "Larger ones bring nothing any more.");
}

/* Eight runs take 800 bytes, which is 80 %; sixteen would be too many. */
TEST (search_ends_at_memory, "/engine/performance/memory")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, TRUE);
  g_autoptr (PrismPerformance) first = prism_performance_new (config, TRUE);

  measure (performance, fall_for_ever, weigh_runs, 1000.0);
  PrismSeries *runs = find_series (performance, PRISM_SERIES_RUNS);
  g_assert_cmpint (runs->end, ==, PRISM_SERIES_FULL);
  g_assert_cmpint (get_last (runs), ==, 8);
  g_assert_cmpint (prism_series_get_best (runs)->value, ==, 8);

  measure (first, fall_for_ever, weigh_runs, 120.0);
  runs = find_series (first, PRISM_SERIES_RUNS);
  g_assert_cmpint (runs->end, ==, PRISM_SERIES_FULL);
  g_assert_cmpuint (runs->points->len, ==, 1);
}

/* Not a search: everything there is, whether it helps or not. */
TEST (measure_takes_all, "/engine/performance/all")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, FALSE);

  measure (performance, fall_to_eight, weigh_little, 1e9);
  g_assert_cmpuint (performance->series->len, ==, PRISM_N_SERIES - 1);
  g_assert_cmpint (get_last (find_series (performance, PRISM_SERIES_TERMS)), ==, 32);
  g_assert_cmpint (get_last (find_series (performance, PRISM_SERIES_THREADS)), ==,
                   prism_available_get_processors ());
  g_assert_cmpuint (find_series (performance, PRISM_SERIES_FRAMES)->points->len, ==, 2);
  g_assert_cmpuint (find_series (performance, PRISM_SERIES_PRECISION)->points->len, ==, 1);
  g_assert_cmpint (get_last (find_series (performance, PRISM_SERIES_CHUNK)), ==, 64);
  g_assert_cmpint (find_series (performance, PRISM_SERIES_CHUNK)->end, ==, PRISM_SERIES_ALL);
  g_autofree char *text = prism_performance_dup_text (performance);
  g_autofree char *command = prism_performance_dup_command (performance);
  HAS (text, "The processor computes in single precision alone.", "(tf32, bf16, fp16) need a GPU.");
  HAS (command, " --set chunk=8");
  check_same_run (performance, command);
  LACKS (command, "replay");
}

static double
take_long (PrismSeriesKind kind, int value)
{
  return 0.01;
}

/* 10 ms a step: two of them are more than a command may wait. */
TEST (moment, "/engine/performance/moment")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, FALSE);

  measure (performance, take_long, weigh_little, 1e9);
  PrismSeries *chunk = find_series (performance, PRISM_SERIES_CHUNK);
  g_assert_cmpint (chunk->end, ==, PRISM_SERIES_WAITS);
  g_assert_cmpint (get_last (chunk), ==, 2);
  g_assert_cmpint (prism_series_get_best (chunk)->value, ==, 1);
}

TEST (gaps, "/engine/performance/gaps")
{
  g_autoptr (PrismConfig) config = make_config ();

  config->memory = PRISM_MEMORY_SELF;
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, TRUE);
  SAYS (prism_series_dup_verdict (find_series (performance, PRISM_SERIES_TERMS)),
        "Left out. With this memory a step has two terms at most.");
  g_assert_null (prism_series_get_best (find_series (performance, PRISM_SERIES_TERMS)));
}

/* A program in the place of prism-cli. */
static char *
write_program (const char *body)
{
  char *path = g_build_filename (directory, "program", NULL);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n%s\n", body);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
  return path;
}

/* A device that copies, in the place of the module's. */
static gboolean
time_copies (PrismCopyKind kind,
             gsize n_bytes,
             guint n_times,
             double *seconds,
             char **device,
             GError **error)
{
  for (guint i = 0; i < n_times; i++)
    seconds[i] = (i == 0 ? 0.5 : 1.0) * (kind + 1) * 1e-10 * (double) n_bytes;
  *device = g_strdup ("fake");
  return TRUE;
}

static char *
dup_no_reason (void)
{
  return NULL;
}

static const PrismBackendOps copying = {
  .abi = PRISM_BACKEND_ABI,
  .name = "cuda",
  .dup_unavailable_reason = dup_no_reason,
  .time_copies = time_copies,
};

static void
on_point (PrismBenchRunner *runner, gpointer data)
{
  if (runner->over)
    g_main_loop_quit (data);
}

static void
run (PrismPerformance *performance, const char *body, double most_seconds)
{
  g_autofree char *program = write_program (body);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (PrismBenchRunner) runner
      = prism_bench_runner_new (NULL, performance, program, most_seconds, on_point, loop);

  prism_bench_runner_start (runner);
  if (!runner->over)
    g_main_loop_run (loop);
  g_assert_true (runner->over);
}

#define FIGURES                                                                           \
  "echo '{\"decile_step_ms\": 2.0, \"median_step_ms\": 2.2, \"terms\": 4, \"steps\": 10," \
  " \"peak_bytes\": 1000, \"device\": \"fake\", \"pass_seconds\": 0.5}'"

TEST (runner, "/engine/performance/runner")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = prism_performance_new (config, FALSE);

  run (performance, FIGURES, 30);
  const PrismSeries *terms = find_series (performance, PRISM_SERIES_TERMS);
  const PrismSeries *frames = find_series (performance, PRISM_SERIES_FRAMES);
  g_assert_cmpstr (performance->device, ==, "fake");
  g_assert_cmpuint (terms->points->len, ==, 6);
  g_assert_cmpfloat_with_epsilon (g_array_index (terms->points, PrismSeriesPoint, 0).seconds,
                                  0.0005, 1e-9);
  g_assert_cmpfloat_with_epsilon (g_array_index (frames->points, PrismSeriesPoint, 1).seconds, 0.5,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (g_array_index (terms->points, PrismSeriesPoint, 0).memory, 1000,
                                  1e-9);
}

/* One that is much quicker than the others is chance. */
TEST (copy_rate, "/engine/performance/copy-rate")
{
  static const double wanted[] = { 10e9, 5e9, 10e9 / 3.0, 2.5e9 };
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autofree char *device = NULL;
  PrismCopyRate rate, again;

  g_assert_true (MUST (prism_copy_rate_measure (&rate, &copying, 64, &device, &error)));
  g_assert_cmpstr (device, ==, "fake");
  g_assert_cmpuint (rate.n_bytes, ==, 64 << 20);
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    g_assert_cmpfloat_with_epsilon (rate.rates[kind], wanted[kind], 1.0);
  json_builder_begin_object (builder);
  prism_copy_rate_add_json (&rate, builder);
  json_builder_end_object (builder);
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_assert_true (prism_copy_rate_read (&again, json_node_get_object (root)));
  g_assert_cmpfloat_with_epsilon (again.rates[3], wanted[3], 1.0);
  json_object_remove_member (json_node_get_object (root), "download_pageable_bytes_per_second");
  g_assert_false (prism_copy_rate_read (&again, json_node_get_object (root)));

  g_clear_pointer (&device, g_free);
  FAILS (prism_copy_rate_measure (&rate, prism_registry_get_ops ("cpu"), 1, &device, &error),
         BACKEND, "");
}

/* Copies are rates: each size is shown with all four, nothing is best, and nothing to be set. */
TEST (transfers, "/engine/performance/transfers")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) performance = NULL, without = prism_performance_new (config, FALSE);

  g_autofree char *left_out
      = prism_series_dup_verdict (find_series (without, PRISM_SERIES_TRANSFERS));
  g_assert_true (g_str_has_prefix (left_out, "Left out. The run is on the processor"));

  prism_registry_replace ("cuda", &copying);
  config->backend = PRISM_BACKEND_FIRST_MODULE;
  performance = prism_performance_new (config, FALSE);
  run (performance,
       "case \"$*\" in *'--transfers --mib=256'*) exit 4;;"
       " *--transfers*) echo '{\"device\": \"fake\","
       " \"transfers\": [{\"bytes\": 1048576, \"upload_pinned_bytes_per_second\": 2e10,"
       " \"upload_pageable_bytes_per_second\": 6000000000,"
       " \"download_pinned_bytes_per_second\": 2.1e10,"
       " \"download_pageable_bytes_per_second\": 5e9}]}'; exit;; esac\n" FIGURES,
       30);
  prism_registry_replace ("cuda", NULL);
  const PrismSeries *transfers = find_series (performance, PRISM_SERIES_TRANSFERS);
  g_assert_cmpuint (transfers->points->len, ==, 4);
  g_assert_cmpint (transfers->end, ==, PRISM_SERIES_NO_MEMORY);
  g_assert_null (prism_series_get_best (transfers));
  g_assert_false (prism_series_has_choice (transfers));
  g_autofree char *text = prism_performance_dup_text (performance);
  g_autofree char *command = prism_performance_dup_command (performance);
  HAS (text, " 64 MiB  up 20.0 GB/s (pageable memory 6.00), down 21.0 GB/s"
             " (5.00)\n",
       "At most: up 20.0 GB/s", "For the next one there was not enough memory.");
  LACKS (command, "MiB");
}

/* More than two terms are too many, in either way in which that shows. */
TEST (out_of_memory, "/engine/performance/out-of-memory")
{
  static const char *const ways[] = { "exit 4", "kill -9 $$" };

  for (gsize i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (PrismConfig) config = make_config ();
      g_autoptr (PrismPerformance) performance = prism_performance_new (config, TRUE);
      g_autofree char *body = g_strdup_printf (
          "case \"$*\" in *replay=4*) %s;; esac\n%s", ways[i], FIGURES);

      run (performance, body, 0);
      const PrismSeries *terms = find_series (performance, PRISM_SERIES_TERMS);
      g_autofree char *verdict = prism_series_dup_verdict (terms);
      g_assert_cmpint (terms->end, ==, PRISM_SERIES_NO_MEMORY);
      g_assert_cmpint (get_last (terms), ==, 2);
      HAS (verdict, "For the next one there was not enough memory.");
      g_assert_cmpuint (find_series (performance, PRISM_SERIES_RUNS)->points->len, >=, 3);
    }
}

/* One that never ends is ended when the time is over; one that fails says why. */
TEST (late_and_failing, "/engine/performance/late-and-failing")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (PrismPerformance) late = prism_performance_new (config, FALSE);
  g_autoptr (PrismPerformance) failing = prism_performance_new (config, FALSE);
  const PrismSeries *series = find_series (failing, PRISM_SERIES_THREADS);

  run (late, "exec sleep 1000", 0.2);
  g_assert_cmpint (find_series (late, PRISM_SERIES_TERMS)->end, ==, PRISM_SERIES_NO_TIME);
  g_assert_cmpuint (find_series (late, PRISM_SERIES_TERMS)->points->len, ==, 0);
  run (failing, "echo 'prism-cli: It is too dark.' >&2; exit 1", 30);
  g_assert_cmpint (series->end, ==, PRISM_SERIES_FAILED);
  g_assert_cmpstr (series->problem, ==, "It is too dark.");
}

/* Single precision is as far from itself as nothing. */
TEST (gradient_error, "/engine/performance/gradient-error")
{
  g_autoptr (PrismConfig) config = make_config ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) object = MUST (prism_object_load (config, &error));
  PrismBackendSpec spec = { .image_size = 64, .object_size = 16, .n_slots = 2, .n_threads = 1 };
  const PrismBackendOps *ops = prism_registry_get_ops ("cpu");
  double distance = NAN;

  g_assert_true (prism_decoder_plan_init (&spec.decoder, 64, 16, PRISM_EDGE_SAME, &error));
  g_autofree float *weights = g_new (float, spec.decoder.n_parameters);
  prism_decoder_plan_initialise (&spec.decoder, 1, weights);
  g_assert_true (prism_gradient_error_compute (ops, &spec, object, weights, &distance, &error));
  g_assert_cmpfloat (distance, ==, 0.0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  directory = g_dir_make_tmp ("prism-XXXXXX", NULL);
  int result = prism_test_run ();
  test_remove_tree (directory);
  g_free (directory);
  return result;
}
