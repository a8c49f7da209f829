#include "../cli/prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

/* The program from end to end with the emulated GPU as its module, and with one that fails:
 * environment and exit status are all that these tests share with it. */

#define TINY                                                                           \
  "--set image_size=64 --set object_size=16 --set aperture_radius=12 --set samples=4 " \
  "--set steps=4 --set start_steps=4 --set polish=2 --set threads=1"
#define TRAINED "decoder"
#define BRIEF "auto"

#define EXACT 100.0 /* dB */

typedef struct
{
  const char *fault;
  const char *words; /* of the notice */
} Fault;

#define SEQUENTIAL "method=sequential"

static char *frames; /* of test_recorded_frames() */

static JsonObject *
run (PrismCliResult *result,
     const char *method,
     const char *backend,
     const char *fault,
     JsonNode **summary)
{
  g_autofree char *setting = g_strconcat ("backend=", backend, NULL);
  g_autofree char *methods = g_strconcat ("method=", method, NULL);

  cli_set (result, cli_run ("PRISM_EMULATION_FAULT=%s PRISM_CUDA_WAIT=1 run " TINY
                            " --quiet --output a --set %s --set %s",
                            fault, setting, methods));
  g_test_message ("%s: %d, %s", fault, result->exit_code, result->error);
  g_assert_cmpint (result->exit_code, ==, 0);
  *summary = cli_parse (cli_file (result, "a/summary.json"));
  return json_node_get_object (*summary);
}

static double
get_psnr (JsonObject *summary)
{
  return json_object_get_double_member (json_object_get_object_member (summary, "final"), "psnr");
}

static double
get_transfers (JsonObject *summary,
               const char *direction,
               const char *kind)
{
  JsonObject *counters = json_object_get_object_member (summary, "counters");
  JsonObject *transfers = json_object_get_object_member (counters, direction);

  return json_object_get_int_member (json_object_get_object_member (transfers, kind), "transfers");
}

/* A graph per step, more for passes, and no more uploads of steps than downloads of results. */
TEST (run_is_the_gpus, "/cuda/run/gpu")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *summary = run (&result, TRAINED, "cuda", "", &root), *counters;

  counters = json_object_get_object_member (summary, "counters");
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpstr (json_object_get_string_member (summary, "backend"), ==, "cuda");
  g_assert_cmpint (json_object_get_int_member (counters, "graph_launches"), >=,
                   json_object_get_int_member (counters, "steps"));
  g_assert_cmpint (json_object_get_int_member (counters, "graph_captures"), <,
                   json_object_get_int_member (counters, "graph_launches"));
  g_assert_cmpfloat (get_transfers (summary, "to_device", "steps"), ==,
                     get_transfers (summary, "to_host", "steps"));
  g_assert_cmpfloat (get_transfers (summary, "to_host", "measurements"), >, 0.0);
}

/* Decoder and telescope of both devices agree to rounding, so short runs end alike. What an exact
 * image differs by beyond EXACT dB is rounding alone. */
TEST_DATA (result_is_the_cpus, "/cuda/run/cpu-agrees", TRAINED)
{
  const char *method = data;
  g_auto (PrismCliResult) cpu = { 0 }, cuda = { 0 };
  g_autoptr (JsonNode) cpu_root = NULL, cuda_root = NULL;
  double expected = get_psnr (run (&cpu, method, "cpu", "", &cpu_root));
  double found = get_psnr (run (&cuda, method, "cuda", "", &cuda_root));

  g_assert_cmpfloat_with_epsilon (MIN (found, EXACT), MIN (expected, EXACT), 0.5);
}

TEST_DATA_ALSO (result_is_the_cpus, "/cuda/run/cpu-agrees-in-brief", BRIEF)

TEST (faults_end_on_the_cpu, "/cuda/run/faults")
{
  static const Fault faults[] = {
    { "illegal-address:40", "an illegal memory access" },
    { "illegal-address:400", "an illegal memory access" },
    { "launch-failure:500", "unspecified launch failure" },
    { "lost:10", "stopped answering" },
    { "hang:450", "did not answer in time" },
    { "allocation:12+", "Not enough GPU memory" },
  };
  g_auto (PrismCliResult) undisturbed = { 0 };
  g_autoptr (JsonNode) undisturbed_root = NULL;
  double expected = get_psnr (run (&undisturbed, TRAINED, "cpu", "", &undisturbed_root));

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autoptr (JsonNode) root = NULL;
      JsonObject *summary = run (&result, TRAINED, "cuda", faults[i].fault, &root);
      const char *message = json_object_get_string_member (summary, "message");

      g_assert_cmpstr (json_object_get_string_member (summary, "backend"), ==, "cpu");
      HAS (message, faults[i].words, "The run goes on on the CPU from ");
      HAS (result.error, message);
      g_assert_cmpfloat (get_psnr (summary), >, expected - 3.0);
    }
}

/* Apertures that leave gaps. */
static JsonObject *
run_apart (PrismCliResult *result,
           const char *backend,
           const char *fault,
           JsonNode **summary)
{
  cli_set (result, cli_run ("PRISM_EMULATION_FAULT=%s run " TINY " --quiet --output a "
                            "--set aperture_radius=4 --set samples=6 --set polish=4 --set %s",
                            fault, backend));
  g_test_message ("%s: %d, %s", fault, result->exit_code, result->error);
  g_assert_cmpint (result->exit_code, ==, 0);
  *summary = cli_parse (cli_file (result, "a/summary.json"));
  return json_node_get_object (*summary);
}

/* Waves and phases are searched on the GPU, some passes at a time, and on the CPU from where a GPU
 * was lost. */
TEST (search, "/cuda/run/search")
{
  g_auto (PrismCliResult) cpu = { 0 }, cuda = { 0 }, lost = { 0 };
  g_autoptr (JsonNode) cpu_root = NULL, cuda_root = NULL, lost_root = NULL;
  JsonObject *expected = run_apart (&cpu, "backend=cpu", "", &cpu_root);
  JsonObject *found = run_apart (&cuda, "backend=cuda", "", &cuda_root);
  JsonObject *left = run_apart (&lost, "backend=cuda", "illegal-address:3500", &lost_root);
  JsonObject *verdict = json_object_get_object_member (found, "verdict");

  g_assert_cmpstr (cuda.error, ==, "");
  g_assert_cmpstr (json_object_get_string_member (found, "backend"), ==, "cuda");
  g_assert_cmpstr (json_object_get_string_member (verdict, "kind"), ==, "explained");
  g_assert_cmpfloat_with_epsilon (get_psnr (found), get_psnr (expected), 0.5);
  g_assert_cmpint (2 * json_object_get_int_member (found, "steps"), <,
                   json_object_get_int_member (expected, "steps"));
  g_assert_cmpstr (json_object_get_string_member (left, "backend"), ==, "cpu");
  HAS (lost.error, "while phases were being searched");
  g_assert_cmpfloat_with_epsilon (get_psnr (left), get_psnr (expected), 0.5);
}

static void
sweep (PrismCliResult *result,
       const char *fault)
{

  cli_set (result, cli_run ("PRISM_EMULATION_FAULT=%s PRISM_CUDA_WAIT=30 sweep " TINY
                            " --set backend=cuda "
                            "--set method=decoder --over training_seed=0,1,2 --jobs 3 "
                            "--output a",
                            fault));
  g_test_message ("%s: %d, %s", fault, result->exit_code, result->error);
  g_assert_cmpint (result->exit_code, ==, 0);
}

static void
check_alone (const PrismCliResult *beside,
             guint seed)
{
  g_autofree char *name = g_strdup_printf ("a/point-%04u/reconstruction.npy", seed);
  g_autofree char *setting = g_strdup_printf ("training_seed=%u", seed);
  gsize n_expected, n;

  g_auto (PrismCliResult) result = cli_works ("run " TINY " --quiet --output a "
                                              "--set backend=cuda --set method=decoder --set %s",
                                              setting);
  g_autofree char *expected = cli_bytes (&result, "a/reconstruction.npy", &n_expected);
  g_autofree char *image = cli_bytes (beside, name, &n);
  g_assert_cmpmem (image, n, expected, n_expected);
}

/* Several at a time in one process have the bits of each alone, also where the device had too
 * little memory for so many. */
TEST_DATA (beside_as_alone, "/cuda/run/beside/enough-memory", "")
{
  g_auto (PrismCliResult) result = { 0 };
  const gboolean too_many = *(const char *) data != '\0';

  sweep (&result, data);
  HAS (result.error, "3 at a time, ");
  g_assert_cmpint (strstr (result.error, "too little memory: 1 at a time") != NULL, ==, too_many);
  for (guint seed = 0; seed < 3; seed++)
    check_alone (&result, seed);
}

TEST_DATA_ALSO (beside_as_alone, "/cuda/run/beside/too-little-memory", "allocation:20+")

/* By itself the program leaves alone what fails in the self-test or has no room. */
TEST (automatic_choice_avoids_faults, "/cuda/run/automatic")
{
  static const Fault faults[] = {
    { "no-device", "No NVIDIA GPU was found" },
    { "no-driver", "Running on the CPU: " },
    { "old-driver", "Running on the CPU: " },
    { "illegal-address:20", "an illegal memory access" },
    { "memory:100000", "Not enough GPU memory" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autoptr (JsonNode) root = NULL;
      JsonObject *summary = run (&result, TRAINED, "auto", faults[i].fault, &root);
      const char *reason = json_object_get_string_member (summary, "device_reason");

      g_test_message ("%s", reason);
      g_assert_cmpstr (json_object_get_string_member (summary, "backend"), ==, "cpu");
      HAS (reason, faults[i].words);
    }
}

/* Who insists on the GPU is told why it cannot be. */
TEST (insisting_is_answered, "/cuda/run/insisting")
{
  cli_refuses (4, "or run on the CPU.", "PRISM_EMULATION_FAULT=memory:100000 run " TINY " "
                                        "--set backend=cuda");
  cli_refuses (5, "No NVIDIA GPU was found", "PRISM_EMULATION_FAULT=no-device run " TINY " "
                                             "--set backend=cuda");
}

/* Recorded frames: device and reason of a run that is to be on a device, fault: of the GPU. */
static JsonObject *
run_recorded (PrismCliResult *result,
              const char *method,
              const char *backend,
              const char *fault,
              JsonNode **summary)
{
  cli_set (result, cli_run ("PRISM_EMULATION_FAULT=%s run --measurements %s --quiet --output a "
                            "--set passes=1 --set pupil=flat --set %s --set %s",
                            fault, frames,
                            backend, method));
  g_test_message ("%s, %s: %d, %s", backend, fault, result->exit_code, result->error);
  if (result->exit_code != 0)
    return NULL;
  *summary = cli_parse (cli_file (result, "a/summary.json"));
  return json_node_get_object (*summary);
}

static void
check_recorded (const char *method,
                const char *backend,
                const char *fault,
                const char *device,
                const char *words)
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *summary = run_recorded (&result, method, backend, fault, &root);

  g_assert_nonnull (summary);
  const char *reason = json_object_get_string_member (summary, "device_reason");
  g_test_message ("%s: %s", json_object_get_string_member (summary, "device"), reason);
  HAS (json_object_get_string_member (summary, "device"), device);
  HAS (reason, words);
}

/* The GPU takes them where there is one; the CPU does, and says why, where there is none or where
 * it fails; who insists on one that is not there gets no result. */
static void
test_recorded_frames (void)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-cuda-run-XXXXXX", NULL);
  g_auto (PrismCliResult) refused = { 0 };

  frames = g_build_filename (folder, "cells.npz", NULL);
  g_auto (PrismCliResult) made = cli_works ("simulate --set size=32 --set per_side=5 %s", frames);
  check_recorded (SEQUENTIAL, "backend=cuda", "", "Emulated GPU", "Running on the GPU, as asked.");
  check_recorded ("method=descent", "backend=cuda", "", "Emulated GPU", "as asked.");
  check_recorded ("method=descent", "backend=cuda", "illegal-address:40", "CPU",
                  "an illegal memory access");
  check_recorded (SEQUENTIAL, "backend=auto", "", "Emulated GPU", "Running on the GPU.");
  check_recorded (SEQUENTIAL, "backend=auto", "no-device", "CPU", "No NVIDIA GPU was found");
  check_recorded (SEQUENTIAL, "backend=cuda", "illegal-address:40", "CPU",
                  "an illegal memory access");
  g_assert_null (run_recorded (&refused, SEQUENTIAL, "backend=cuda", "no-device", NULL));
  cli_check_error (&refused, 5, "No NVIDIA GPU was found");
  test_remove_tree (folder);
  g_free (frames);
}

TEST (info_names_the_self_test, "/cuda/run/info")
{
  g_auto (PrismCliResult) result = cli_works ("info --json");
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonObject *facts = json_node_get_object (root);
  HAS (json_object_get_string_member (facts, "cuda"), "Emulated GPU");
  g_assert_cmpstr (json_object_get_string_member (facts, "self_test"), ==, "passed");
  g_assert_cmpstr (json_object_get_string_member (facts, "default"), ==, "Running on the GPU.");
  g_auto (PrismCliResult) text = cli_run ("PRISM_EMULATION_FAULT=no-device info");
  HAS (text.output, "No NVIDIA GPU was found", "of other makers are not used.");
}

TEST (bench_counts_graphs, "/cuda/run/bench")
{
  g_auto (PrismCliResult) result
      = cli_works ("bench --json --backend cuda --precision bf16 --set image_size=64 --set "
                   "object_size=16 --set aperture_radius=8 --set samples=10 --steps 4 --warm-up 0");
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonObject *counters = json_object_get_object_member (json_node_get_object (root), "counters");
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "precision"), ==,
                   "bf16");
  g_assert_cmpint (json_object_get_int_member (counters, "graph_launches"), ==,
                   json_object_get_int_member (counters, "steps"));
}

/* Fewer steps than a chunk has, and more than one that is not a whole number of them. */
TEST (bench_times_as_many_steps_as_asked, "/cuda/run/bench-steps")
{
  static const char *const steps[] = { "8", "37", NULL };

  for (gsize i = 0; steps[i] != NULL; i++)
    {
      JsonObject *counters;

      g_auto (PrismCliResult) result = cli_works ("bench --json --backend cuda --set image_size=64 "
                                                  "--set object_size=16 --set aperture_radius=8 "
                                                  "--set samples=10 --steps %s --warm-up 3",
                                                  steps[i]);
      g_autoptr (JsonNode) root = cli_parse (result.output);
      counters = json_object_get_object_member (json_node_get_object (root), "counters");
      g_assert_cmpint (json_object_get_int_member (counters, "steps"), ==, atoi (steps[i]));
    }
}

TEST (bench_times_passes, "/cuda/run/bench-passes")
{
  g_auto (PrismCliResult) result = cli_works ("bench --passes --json --backend cuda " TINY);
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonObject *found = json_node_get_object (root);
  HAS (json_object_get_string_member (found, "device"), "Emulated GPU");
  g_assert_cmpfloat (json_object_get_double_member (found, "passes_per_second"), >, 0.0);
}

/* Two contexts and two small runs, and not a third. */
TEST (a_sweep_asks_for_the_gpus_memory, "/cuda/run/sweep")
{
  g_auto (PrismCliResult) result = cli_works ("PRISM_EMULATION_FAULT=memory:636000000 sweep " TINY
                                              " --set backend=cuda --over seed=1,2,3 --jobs 3 "
                                              "--output sweep");
  HAS (result.error, "3 runs, 2 at a time");
}

/* All sizes and kinds; a GPU without the memory for a copy says so. */
TEST (bench_times_copies, "/cuda/run/bench-transfers")
{
  g_auto (PrismCliResult) result = cli_run ("bench --transfers --json --backend cuda");
  g_test_message ("%s", result.error);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_autoptr (JsonNode) root = cli_parse (result.output);
  JsonArray *list = json_object_get_array_member (json_node_get_object (root), "transfers");
  g_assert_cmpuint (json_array_get_length (list), ==, 5);
  for (guint i = 0; i < 5; i++)
    {
      JsonObject *size = json_array_get_object_element (list, i);

      g_assert_cmpint (json_object_get_int_member (size, "bytes"), ==, 1 << (20 + 2 * i));
      g_assert_cmpfloat (json_object_get_double_member (size, "upload_pinned_bytes_per_second"), >,
                         0.0);
      g_assert_cmpfloat (json_object_get_double_member (size, "download_pageable_bytes_per_second"),
                         >, 0.0);
    }
  cli_refuses (4, "memory on the GPU for copies of 64.0",
               "PRISM_EMULATION_FAULT=memory:1000000 bench --transfers --mib 64 --backend cuda");
}

TESTS
{
  g_test_add_func ("/cuda/run/recorded", test_recorded_frames);
}
