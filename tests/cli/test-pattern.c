#include "config.h"

#include "formats/prism-image.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (text, "/cli/pattern/text")
{
  static const char *const words[]
      = { "Positions", "Coverage", "Overlap", "Seen twice", "Nearest neighbour", "Path" };
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_works (&result, "pattern", "--preset", "quick-look", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    g_assert_nonnull (strstr (result.output, words[i]));
}

/* Three apertures that share nothing: every number by hand. */
TEST (json, "/cli/pattern/json")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object;

  prism_cli_harness_works (&result, "pattern", "--json", "--set", "image_size=256", "--set",
                           "object_size=64", "--set", "aperture_radius=10", "--set", "pattern=hand",
                           "--set", "pattern_points=0, 0; 0, 60; 30, 60", NULL);
  root = prism_cli_harness_parse (result.output);
  object = json_node_get_object (root);
  g_assert_cmpint (json_object_get_int_member (object, "positions"), ==, 3);
  g_assert_cmpfloat (json_object_get_double_member (object, "spacing_mean"), ==, 40.0);
  g_assert_cmpfloat (json_object_get_double_member (object, "spacing_min"), ==, 30.0);
  g_assert_cmpfloat (json_object_get_double_member (object, "path_length"), ==, 90.0);
  g_assert_cmpfloat (json_object_get_double_member (object, "twice"), ==, 0.0);
  g_assert_cmpfloat (json_object_get_double_member (object, "redundancy"), ==, 1.0);
}

/* The path follows the order: by radius it is another one than as given, shuffled the longest. */
TEST (orders, "/cli/pattern/orders")
{
  static const char *const orders[] = { "order=given", "order=radius", "order=random" };
  double lengths[3];

  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_auto (PrismCliResult) result = { 0 };
      g_autoptr (JsonNode) root = NULL;

      prism_cli_harness_run (&result, NULL, "pattern", "--json", "--set", "pattern=raster", "--set",
                             orders[i], NULL);
      root = prism_cli_harness_parse (result.output);
      lengths[i] = json_object_get_double_member (json_node_get_object (root), "path_length");
    }
  g_assert_cmpfloat (lengths[0], <, lengths[1]);
  g_assert_cmpfloat (lengths[0], <, lengths[2]);
  g_assert_cmpfloat (lengths[1], !=, lengths[2]);
}

/* What --csv writes, pattern=file reads: the same numbers come out. */
TEST (positions_come_back, "/cli/pattern/csv")
{
  g_auto (PrismCliResult) written = { 0 };
  g_auto (PrismCliResult) read = { 0 };
  g_autoptr (JsonNode) before = NULL;
  g_autoptr (JsonNode) after = NULL;
  g_autofree char *setting = NULL;

  prism_cli_harness_works (&written, "pattern", "--json", "--csv", "points.csv", "--set",
                           "pattern=logarithmic", NULL);
  before = prism_cli_harness_parse (written.output);
  setting = g_strdup_printf ("pattern_file=%s/points.csv", written.directory);
  prism_cli_harness_works (&read, "pattern", "--json", "--set", "pattern=file", "--set", setting,
                           NULL);
  after = prism_cli_harness_parse (read.output);
  for (gsize i = 0; i < 3; i++)
    {
      static const char *const names[] = { "coverage", "spacing_mean", "path_length" };

      g_assert_cmpfloat (
          json_object_get_double_member (json_node_get_object (before), names[i]), ==,
          json_object_get_double_member (json_node_get_object (after), names[i]));
    }
}

TEST (gallery, "/cli/pattern/gallery")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autoptr (PrismImage) sheet = NULL;
  g_autofree char *path = NULL;

  prism_cli_harness_works (&result, "pattern", "--gallery", "all.png", NULL);
  path = g_build_filename (result.directory, "all.png", NULL);
  sheet = prism_image_load (path, NULL);
  g_assert_nonnull (sheet);
  g_assert_cmpint (sheet->width, >, 1000);
}

TEST (bad_usage, "/cli/pattern/bad-usage")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_refuses (&result, 2, ".png", "pattern", "--gallery", "all.jpg", NULL);
  prism_cli_harness_refuses (&result, 3, "/no/such.csv", "pattern", "--set", "pattern=file",
                             "--set", "pattern_file=/no/such.csv", NULL);
  prism_cli_harness_refuses (&result, 3, "/no/such", "pattern", "--csv", "/no/such/points.csv",
                             NULL);
  prism_cli_harness_refuses (&result, 3, "“-” is not the standard output here", "pattern", "--csv",
                             "-", NULL);
  prism_cli_harness_refuses (&result, 2, "“more”", "pattern", "more", NULL);
}

/* Positions that a program prints, which is told how large the field is; nothing of one that fails,
 * prints no positions, or stands in a file. */
TEST (command, "/cli/pattern/command")
{
  static const char *const cases[][2] = {
    { "pattern_command=false", "“false” failed." },
    { "pattern_command=not-there 1", "“not-there 1” cannot be started" },
    { "pattern_command=echo 1,2,x", "what “echo 1,2,x” printed, line 1: " },
    { "pattern_command=yes", "printed more than 8 MiB" },
  };
  g_auto (PrismCliResult) result = { 0 }, file = { 0 };
  g_autofree char *path = NULL, *ran = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (GError) error = NULL;

  prism_cli_harness_run (&result, NULL, "pattern", "--json", "--set",
                         "pattern_command=sh -c 'echo 0,0; echo 3,$((PRISM_IMAGE_SIZE / 4))'",
                         "--set", "image_size=256", "--set", "object_size=64", NULL);
  g_assert_cmpstr (result.error, ==, "");
  root = prism_cli_harness_parse (result.output);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (root), "positions"), ==, 2);
  g_assert_cmpfloat_with_epsilon (
      json_object_get_double_member (json_node_get_object (root), "path_length"), 64.070, 0.001);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (PrismCliResult) refused = { 0 };

      prism_cli_harness_run (&refused, NULL, "pattern", "--set", cases[i][0], NULL);
      g_assert_cmpint (refused.exit_code, !=, 0);
      g_assert_nonnull (strstr (refused.error, cases[i][1]));
    }
  path = g_build_filename (result.directory, "stranger.prism", NULL);
  MUST (g_file_set_contents (path, "[prism]\npattern_command=touch ran\n", -1, &error));
  prism_cli_harness_refuses (&file, 2, "line 2: “pattern_command” stands on the command line",
                             "pattern", "--config", path, NULL);
  ran = g_build_filename (file.directory, "ran", NULL);
  g_assert_false (g_file_test (ran, G_FILE_TEST_EXISTS));
}
