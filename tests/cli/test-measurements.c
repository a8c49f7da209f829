#include "config.h"

#include "prism-cli-harness.h"

#include "../engine/support/test-remove-tree.h"
#include "formats/prism-npy.h"

#include <math.h>
#include <string.h>

/* A microscope is simulated, and its frames are explained. */

typedef struct
{
  char *directory;
  char *frames;
  char *output;
} Fixture;

static void
set_up (Fixture *fixture,
        gconstpointer data)
{
  g_auto (PrismCliResult) result = { 0 };

  fixture->directory = g_dir_make_tmp ("prism-cli-measurements-XXXXXX", NULL);
  fixture->frames = g_build_filename (fixture->directory, "cells.hdf5", NULL);
  fixture->output = g_build_filename (fixture->directory, "result", NULL);
  prism_cli_harness_run (&result, NULL, "simulate", "--set", "size=64", "--set", "per_side=9",
                         "--set", "gains=0.1", fixture->frames, NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
}

static void
tear_down (Fixture *fixture,
           gconstpointer data)
{
  test_remove_tree (fixture->directory);
  g_free (fixture->directory);
  g_free (fixture->frames);
  g_free (fixture->output);
}

static double
get_number (JsonNode *node,
            const char *object,
            const char *name)
{
  JsonObject *root = json_node_get_object (node);

  return json_object_get_double_member (json_object_get_object_member (root, object), name);
}

static void
check_array (const Fixture *fixture,
             const char *name,
             gboolean is_complex,
             gsize side)
{
  g_autofree char *path = g_build_filename (fixture->output, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismNpy) array = prism_npy_load (path, &error);

  g_assert_no_error (error);
  g_assert_cmpint (array->is_complex, ==, is_complex);
  g_assert_cmpuint (array->shape[0], ==, side);
  g_assert_cmpuint (array->shape[1], ==, side);
  for (gsize i = 0; i < array->n_values; i++)
    g_assert_true (isfinite (array->values[i]));
}

static void
test_run (Fixture *fixture,
          gconstpointer data)
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) summary = NULL;
  g_autofree char *table = NULL;
  g_autofree char *path = g_build_filename (fixture->output, "frames.csv", NULL);
  g_auto (GStrv) lines = NULL;
  gsize side;

  prism_cli_harness_run (&result, NULL, "run", "--measurements", fixture->frames, "--output",
                         fixture->output, "--json", "--set", "hold_out=10", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  summary = prism_cli_harness_parse (result.output);
  g_assert_cmpfloat (get_number (summary, "held_out", "correlation"), >, 0.95);
  g_assert_cmpfloat (get_number (summary, "held_out", "misfit"), <, 0.1);
  g_assert_cmpfloat (get_number (summary, "held_out", "frames"), ==, 8);
  side = (gsize) get_number (summary, "object", "side_px");
  check_array (fixture, "amplitude.npy", FALSE, side);
  check_array (fixture, "phase.npy", FALSE, side);
  check_array (fixture, "object.npy", TRUE, side);
  check_array (fixture, "pupil.npy", TRUE, 64);

  g_assert_true (g_file_get_contents (path, &table, NULL, NULL));
  lines = g_strsplit (table, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + 81 + 1);
}

static void
test_refused (Fixture *fixture,
              gconstpointer data)
{
  const struct
  {
    const char *arguments[5];
    int exit_code;
    const char *part;
  } wrong[] = {
    { { "run", "--positions", "x.csv" }, 2, "--measurements FILE" },
    { { "run", "--measurements", fixture->frames, "--report", "x.html" }, 2, "--report" },
    { { "run", "--measurements", fixture->frames, "--dry-run" }, 2, "--dry-run" },
    { { "run", "--measurements", fixture->frames, "--preset", "quick-look" }, 2, "--preset" },
    { { "run", "--measurements", fixture->frames, "--set", "radius=3" }, 2, "hold_out" },
    { { "run", "--measurements", fixture->frames, "--set", "passes=0" }, 2, "from 1" },
    { { "run", "--measurements", fixture->frames, "--assign", "na=0.9" }, 2, "too large for NA" },
    { { "run", "--measurements", "nothing.hdf5" }, 3, "nothing.hdf5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const char *const *a = wrong[i].arguments;
      g_auto (PrismCliResult) result = { 0 };

      prism_cli_harness_run (&result, NULL, a[0], a[1], a[2], a[3], a[4], NULL);
      g_test_message ("%d: %s", result.exit_code, result.error);
      g_assert_cmpint (result.exit_code, ==, wrong[i].exit_code);
      g_assert_nonnull (strstr (result.error, wrong[i].part));
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/cli/measurements/run", Fixture, NULL, set_up, test_run, tear_down);
  g_test_add ("/cli/measurements/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}
