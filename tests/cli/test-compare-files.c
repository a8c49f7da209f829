#include "model/prism-display.h"
#include "prism-cli-harness.h"
#include "../engine/support/test-config.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"
#include "run/prism-run-file.h"

/* Well-formed, and nothing in it comes from somewhere else. */
static void
check_page (const char *html)
{
  const GMarkupParser parser = { NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);

  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>\n"));
  MUST (g_markup_parse_context_parse (context, html, -1, &error));
  g_assert_true (MUST (g_markup_parse_context_end_parse (context, &error)));
  LACKS (html, "<script", "src=\"http", "href=\"");
  HAS (html, "src=\"data:image/png;base64,", "srcset=\"data:image/svg+xml;base64,",
       "prefers-color-scheme");
}

/* A finished run of 16 px whose picture is one grey. */
static void
save_run (const char *path,
          float grey,
          int samples)
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();
  const PrismPoint points[2] = { { 0, 0 }, { 3, 4 } };
  const PrismHistoryRow row = { .step = 1, .sample_step = 1, .loss_new = 0.5, .metrics.psnr = NAN };
  g_autoptr (PrismBundle) state = prism_bundle_new ();
  g_autoptr (PrismRunIdentity) identity = prism_run_identity_new (NULL);
  g_autoptr (PrismRunPlace) place = prism_run_place_new (path, NULL, NULL);

  snapshot->state = PRISM_STATE_FINISHED;
  snapshot->config = prism_config_new ();
  test_config_set (snapshot->config, "image_size=64 object_size=16");
  snapshot->config->samples = samples;
  snapshot->display = prism_display_set (
      NULL, "marks", "rectangle 2 2 5 4; camera line 0 0 3 3; line 1 1 9 1");
  snapshot->metrics.psnr = 10 * grey;
  snapshot->device = g_strdup ("CPU");
  snapshot->n_samples = 2;
  snapshot->target = prism_image_new (16, 16, NULL);
  snapshot->reconstruction = prism_image_new (16, 16, NULL);
  for (int i = 0; i < 16 * 16; i++)
    {
      snapshot->target->pixels[i] = i % 2;
      snapshot->reconstruction->pixels[i] = grey;
    }
  snapshot->coverage_plane = prism_image_new (64, 64, NULL);
  memset (snapshot->coverage_plane->pixels, 0, 64 * 64 * sizeof (float));
  snapshot->pattern = prism_pattern_new_points (points, 2);
  snapshot->history = prism_history_new ();
  prism_history_append (snapshot->history, &row);
  snapshot->n_rows = 1;
  MUST (prism_run_file_save (place, snapshot, state, identity, &error));
}

/* Marks have their numbers, lines a chart; what lies on the measurement is left out. */
static void
check_marks (const char *html)
{
  HAS (html, "<h2>Marks</h2>", "alt=\"Reconstruction with marks\"",
       "<th>1  Rectangle, 4 × 3 px at 2, 2 = ",
       "<td>12 px, mean 0.2500, sd 0, min 0.2500, max 0.2500, SNR –, "
       "contrast 0</td>");
  LACKS (html, "<th>2  Line");
  HAS (html, "<th>3  Line, 8.00 ± 0.41 px", "alt=\"Profile along line 3\"");
}

TEST (files_are_compared_and_reported, "/cli/compare/files")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *first = g_build_filename (folder, "first run.prismrun", NULL);
  g_autofree char *second = g_build_filename (folder, "second.prismrun", NULL);

  save_run (first, 0.25f, 7);
  save_run (second, 0.75f, 8);
  g_auto (PrismCliResult) report = cli_clean ("report %s %s --html r.html --pdf r.pdf", first,
                                              second);
  const char *html = cli_file (&report, "r.html");
  check_page (html);
  HAS (html, "first run");
  check_marks (html);
  g_assert_true (g_str_has_prefix (cli_file (&report, "r.pdf"), "%PDF-"));
}
