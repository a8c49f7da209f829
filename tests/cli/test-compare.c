#include "model/prism-display.h"
#include "prism-cli-harness.h"
#include "../engine/support/test-config.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"
#include "run/prism-run-file.h"

#include <sys/resource.h>

/* A run of a fraction of a second. */
#define TINY                                                                          \
  "--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 " \
  "--set steps=3 --set start_steps=4 --set polish=2"

static void
ignore_text (GMarkupParseContext *context,
             const char *text,
             gsize length,
             gpointer data,
             GError **error)
{
}

/* Well-formed, and nothing in it comes from somewhere else. */
static void
check_page (const char *html)
{
  const GMarkupParser parser = { .text = ignore_text };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);

  g_assert_true (g_str_has_prefix (html, "<!DOCTYPE html>\n"));
  MUST (g_markup_parse_context_parse (context, html, -1, &error));
  g_assert_true (MUST (g_markup_parse_context_end_parse (context, &error)));
  LACKS (html, "<script", "src=\"http", "href=\"");
  HAS (html, "src=\"data:image/png;base64,", "srcset=\"data:image/svg+xml;base64,",
       "prefers-color-scheme");
}

/* The first command of a page, as a reader would copy it. */
static char *
dup_command (const char *html)
{
  const char *begin = strstr (html, "<pre>");
  const char *end = begin != NULL ? strstr (begin, "</pre>") : NULL;

  g_assert_nonnull (end);
  begin += strlen ("<pre>");
  GString *command = g_string_new_len (begin, end - begin);
  g_string_replace (command, "&lt;", "<", 0);
  g_string_replace (command, "&gt;", ">", 0);
  g_string_replace (command, "&quot;", "\"", 0);
  g_string_replace (command, "&apos;", "'", 0);
  g_string_replace (command, "&#39;", "'", 0);
  g_string_replace (command, "&amp;", "&", 0);
  return g_string_free (command, FALSE);
}

static void
run_in_shell (const char *command,
              const char *folder)
{
  g_autofree char *quoted = g_shell_quote (g_getenv ("PRISM_CLI"));
  const char *arguments[] = { "/bin/sh", "-c", NULL, NULL };
  int status;

  g_assert_true (g_str_has_prefix (command, "prism-cli run "));
  g_autofree char *line
      = g_strdup_printf ("%s%s --quiet --output again", quoted, command + strlen ("prism-cli"));
  arguments[2] = line;
  g_assert_true (g_spawn_sync (folder, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                               NULL, NULL, &status, NULL));
  g_assert_true (g_spawn_check_wait_status (status, NULL));
}

TEST (report_can_be_computed_again, "/cli/report/computed-again")
{
  g_auto (PrismCliResult) result = cli_works ("run " TINY " --set object=text --set %s "
                                              "--set seed=3 --report r.html --output a",
                                              "object_text=it's <b>$5</b> & \"more\"");
  const char *html = cli_file (&result, "r.html");
  check_page (html);
  g_autofree char *command = dup_command (html);
  run_in_shell (command, result.directory);
  cli_same (result.directory, "a/reconstruction.npy", result.directory, "again/reconstruction.npy");
}

TEST (report_as_pdf, "/cli/report/pdf")
{
  gsize length;

  g_auto (PrismCliResult) result = cli_works ("run " TINY " --report R.PDF");
  g_autofree char *pdf = cli_bytes (&result, "R.PDF", &length);
  g_assert_cmpmem (pdf, 5, "%PDF-", 5);
  g_assert_cmpuint (length, >, 10000);
}

/* Before an hour of computing, not after it. */
TEST (report_needs_a_format, "/cli/report/format")
{
  g_auto (PrismCliResult) result = cli_run ("run " TINY " --report r.doc");
  cli_check_error (&result, 2, "r.doc");
  g_assert_false (g_file_test (in_folder (result.directory, "prism-output"), G_FILE_TEST_EXISTS));
}

TEST (methods_share_everything_else, "/cli/compare/methods")
{
  g_auto (PrismCliResult) result = cli_clean ("compare --methods " TINY " --json --csv t.csv "
                                              "--curves c.csv --report r.html");
  CLI_JSON (result.output, "runs = 4", "runs.0.psnr = finite", "runs.1.psnr = finite",
            "runs.2.psnr = finite", "runs.3.psnr = finite", "!runs.0.samples", "!runs.1.samples",
            "!runs.2.samples", "!runs.3.samples", "runs.0.method", "runs.1.method",
            "runs.2.method", "runs.3.method");
  HAS (cli_file (&result, "t.csv"), "\nePIE only,");
  HAS (cli_file (&result, "c.csv"), "\nDecoder and ePIE,1,");
  check_page (cli_file (&result, "r.html"));
}

/* A run gives the same whether others came before it in the same engine or not. */
TEST (queue_changes_no_result, "/cli/compare/queue")
{
  g_auto (PrismCliResult) queued = cli_clean ("compare --run standard --run epie "
                                              "--run quick-look " TINY " --json");
  g_auto (PrismCliResult) alone = cli_run ("run --preset quick-look " TINY " --json");
  CLI_JSON (queued.output, "runs.2.name = Quick look");
  g_assert_cmpfloat (cli_number (queued.output, "runs.2.psnr"), ==,
                     cli_number (alone.output, "final.psnr"));
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
  g_auto (PrismCliResult) table = cli_clean ("compare --json %s %s", second, first);
  CLI_JSON (table.output, "runs.1.name = first run", "runs.0.samples = 8");
  g_auto (PrismCliResult) report = cli_clean ("report %s %s --html r.html --pdf r.pdf", first,
                                              second);
  const char *html = cli_file (&report, "r.html");
  check_page (html);
  HAS (html, "first run");
  check_marks (html);
  cli_begins (&report, "r.pdf", "%PDF-");
}

TEST (report_says_what_is_missing, "/cli/report/missing")
{
  cli_refuses (2, "--html", "report a.prismrun");
  cli_refuses (2, "FILE.prismrun|FOLDER is expected here", "report --html a.html");
  cli_refuses (3, "a.prismrun", "report a.prismrun --pdf a.pdf");
}

TEST (table_for_people, "/cli/compare/table")
{
  g_auto (PrismCliResult) result = cli_works ("compare --run standard --run epie " TINY);
  HAS (result.output, "\nPSNR, dB ", "\nMethod ");
}

TEST (bad_input, "/cli/compare/bad-input")
{
  cli_refuses (2, "nothing to compare", "compare");
  cli_refuses (3, "missing.prism", "compare --run missing.prism");
  cli_refuses (2, "--methods", "compare --preset standard --run epie");
  cli_refuses (3, "mooon", "compare --quiet --run epie --set object=mooon");
}

/* A place that cannot be written is found before the runs, and the table is told in any case. */
TEST (results_are_not_lost, "/cli/compare/not-lost")
{
  g_auto (PrismCliResult) early = cli_run ("compare " TINY " quick-look --csv no/such/table.csv");
  cli_check_error (&early, 3, "no/such/table.csv");
  g_assert_cmpstr (early.output, ==, "");
  g_auto (PrismCliResult) late = cli_run ("compare " TINY " quick-look --csv /dev/full");
  cli_check_error (&late, 3, "/dev/full");
  HAS (late.output, "\nPSNR, dB ");
}

#define FIVE "quick-look quick-look quick-look quick-look quick-look "
#define TWENTY FIVE FIVE FIVE FIVE
/* 256 KiB for each picture of k-space. */
#define PLANES                                                                   \
  "--set object=moon --set image_size=256 --set object_size=64 --set samples=2 " \
  "--set method=epie --set passes=1 --set snr=20"

static long
get_most_resident (void)
{
  struct rusage usage;

  g_assert_cmpint (getrusage (RUSAGE_CHILDREN, &usage), ==, 0);
  return usage.ru_maxrss;
}

/* Pictures and curves of a run are gone when the next one begins. To come before whatever takes
 * more memory. */
TEST (runs_leave_their_numbers, "/cli/compare/memory")
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("The sanitizer's own memory grows.");
#else
  g_auto (PrismCliResult) few = cli_works ("compare --json " PLANES " " FIVE);
  long before = get_most_resident ();
  g_auto (PrismCliResult) many = cli_works ("compare --json " PLANES " " TWENTY TWENTY);
  g_test_message ("%ld KiB and %ld KiB", before, get_most_resident ());
  g_assert_cmpint (get_most_resident () - before, <, 8 * 1024);
#endif
}
