#include "formats/prism-image.h"
#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (text, "/cli/pattern/text")
{
  static const char *const words[]
      = { "Positions", "Coverage", "Overlap", "Seen twice", "Nearest neighbour", "Path" };

  g_auto (PrismCliResult) result = cli_works ("pattern --preset quick-look");
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    HAS (result.output, words[i]);
}

/* Three apertures that share nothing: every number by hand. */
TEST (json, "/cli/pattern/json")
{
  g_auto (PrismCliResult) result = cli_works ("pattern --json --set image_size=256 "
                                              "--set object_size=64 --set aperture_radius=10 "
                                              "--set pattern=hand "
                                              "--set 'pattern_points=0, 0; 0, 60; 30, 60'");
  CLI_JSON (result.output, "positions = 3", "spacing_mean = 40", "spacing_min = 30",
            "path_length = 90", "twice = 0", "redundancy = 1");
}

/* The path follows the order: by radius it is another one than as given, shuffled the longest. */
TEST (orders, "/cli/pattern/orders")
{
  static const char *const orders[] = { "order=given", "order=radius", "order=random" };
  double lengths[3];

  for (gsize i = 0; i < G_N_ELEMENTS (orders); i++)
    {
      g_auto (PrismCliResult) result = cli_run ("pattern --json --set pattern=raster --set %s",
                                                orders[i]);
      lengths[i] = cli_number (result.output, "path_length");
    }
  g_assert_cmpfloat (lengths[0], <, lengths[1]);
  g_assert_cmpfloat (lengths[0], <, lengths[2]);
  g_assert_cmpfloat (lengths[1], !=, lengths[2]);
}

/* What --csv writes, pattern=file reads: the same numbers come out. */
TEST (positions_come_back, "/cli/pattern/csv")
{
  g_auto (PrismCliResult) written = cli_works ("pattern --json --csv points.csv "
                                               "--set pattern=logarithmic");
  g_autofree char *setting = g_strdup_printf ("pattern_file=%s/points.csv", written.directory);
  g_auto (PrismCliResult) read = cli_works ("pattern --json --set pattern=file --set %s", setting);
  for (gsize i = 0; i < 3; i++)
    {
      static const char *const names[] = { "coverage", "spacing_mean", "path_length" };

      g_assert_cmpfloat (cli_number (written.output, names[i]), ==,
                         cli_number (read.output, names[i]));
    }
}

TEST (gallery, "/cli/pattern/gallery")
{
  g_auto (PrismCliResult) result = cli_works ("pattern --gallery all.png");
  g_autoptr (PrismImage) sheet = prism_image_load (in_folder (result.directory, "all.png"), NULL);
  g_assert_nonnull (sheet);
  g_assert_cmpint (sheet->width, >, 1000);
}

TEST (bad_usage, "/cli/pattern/bad-usage")
{
  cli_refuses (2, ".png", "pattern --gallery all.jpg");
  cli_refuses (3, "/no/such.csv", "pattern --set pattern=file --set pattern_file=/no/such.csv");
  cli_refuses (3, "/no/such", "pattern --csv /no/such/points.csv");
  cli_refuses (3, "“-” is not the standard output here", "pattern --csv -");
  cli_refuses (2, "“more”", "pattern more");
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

  g_auto (PrismCliResult) result = cli_clean ("pattern --json --set %s --set image_size=256 "
                                              "--set object_size=64",
                                              "pattern_command=sh -c 'echo 0,0; "
                                              "echo 3,$((PRISM_IMAGE_SIZE / 4))'");
  CLI_JSON (result.output, "positions = 2", "path_length = 64.070 ± 0.001");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (PrismCliResult) refused = cli_run ("pattern --set %s", cases[i][0]);
      g_assert_cmpint (refused.exit_code, !=, 0);
      HAS (refused.error, cases[i][1]);
    }
  g_autofree char *path = g_build_filename (result.directory, "stranger.prism", NULL);
  MUST (g_file_set_contents (path, "[prism]\npattern_command=touch ran\n", -1, &error));
  g_auto (PrismCliResult) file = cli_run ("pattern --config %s", path);
  cli_check_error (&file, 2, "line 2: “pattern_command” stands on the command line");
  g_assert_false (g_file_test (in_folder (file.directory, "ran"), G_FILE_TEST_EXISTS));
}
