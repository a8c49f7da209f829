#include "config.h"

#include "model/prism-display.h"
#include "prism-cli-harness.h"
#include "prism-test.h"
#include "run/prism-run-file.h"

#include <sys/resource.h>

/* A run of a fraction of a second. */
#define TINY                                                                                  \
  "--set", "image_size=64", "--set", "object_size=16", "--set", "aperture_radius=8", "--set", \
      "samples=6", "--set", "steps=3", "--set", "start_steps=4", "--set", "polish=2"

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
  g_assert_null (strstr (html, "<script"));
  g_assert_null (strstr (html, "src=\"http"));
  g_assert_null (strstr (html, "href=\""));
  g_assert_nonnull (strstr (html, "src=\"data:image/png;base64,"));
  g_assert_nonnull (strstr (html, "srcset=\"data:image/svg+xml;base64,"));
  g_assert_nonnull (strstr (html, "prefers-color-scheme"));
}

/* The first command of a page, as a reader would copy it. */
static char *
dup_command (const char *html)
{
  const char *begin = strstr (html, "<pre>");
  const char *end = begin != NULL ? strstr (begin, "</pre>") : NULL;
  GString *command;

  g_assert_nonnull (end);
  begin += strlen ("<pre>");
  command = g_string_new_len (begin, end - begin);
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
  const char *program = g_getenv ("PRISM_CLI");
  g_autofree char *quoted = g_shell_quote (program);
  g_autofree char *line = NULL;
  const char *arguments[] = { "/bin/sh", "-c", NULL, NULL };
  int status;

  g_assert_true (g_str_has_prefix (command, "prism-cli run "));
  line = g_strdup_printf ("%s%s --quiet --output again", quoted, command + strlen ("prism-cli"));
  arguments[2] = line;
  g_assert_true (g_spawn_sync (folder, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                               NULL, NULL, &status, NULL));
  g_assert_true (g_spawn_check_wait_status (status, NULL));
}

TEST (report_can_be_computed_again, "/cli/report/computed-again")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *html = NULL;
  g_autofree char *command = NULL;
  g_autofree char *a = NULL;
  g_autofree char *b = NULL;
  gsize n_a, n_b;

  prism_cli_harness_works (&result, "run", TINY, "--set", "object=text", "--set",
                           "object_text=it's <b>$5</b> & \"more\"", "--set", "seed=3", "--report",
                           "r.html", "--output", "a", NULL);
  html = prism_cli_harness_dup_file (&result, "r.html", NULL);
  check_page (html);
  command = dup_command (html);
  run_in_shell (command, result.directory);
  a = prism_cli_harness_dup_file (&result, "a/reconstruction.npy", &n_a);
  b = prism_cli_harness_dup_file (&result, "again/reconstruction.npy", &n_b);
  g_assert_cmpmem (a, n_a, b, n_b);
}

TEST (report_as_pdf, "/cli/report/pdf")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *pdf = NULL;
  gsize length;

  prism_cli_harness_works (&result, "run", TINY, "--report", "R.PDF", NULL);
  pdf = prism_cli_harness_dup_file (&result, "R.PDF", &length);
  g_assert_cmpmem (pdf, 5, "%PDF-", 5);
  g_assert_cmpuint (length, >, 10000);
}

/* Before an hour of computing, not after it. */
TEST (report_needs_a_format, "/cli/report/format")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *folder = NULL;

  prism_cli_harness_refuses (&result, 2, "r.doc", "run", TINY, "--report", "r.doc", NULL);
  folder = g_build_filename (result.directory, "prism-output", NULL);
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

TEST (methods_share_everything_else, "/cli/compare/methods")
{
  g_auto (PrismCliResult) result = { 0 };
  g_autofree char *html = NULL;
  g_autofree char *curves = NULL;
  g_autofree char *csv = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *runs;

  prism_cli_harness_run (&result, NULL, "compare", "--methods", TINY, "--json", "--csv", "t.csv",
                         "--curves", "c.csv", "--report", "r.html", NULL);
  g_assert_cmpstr (result.error, ==, "");
  g_assert_cmpint (result.exit_code, ==, 0);
  root = prism_cli_harness_parse (result.output);
  runs = json_object_get_array_member (json_node_get_object (root), "runs");
  g_assert_cmpuint (json_array_get_length (runs), ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      JsonObject *run = json_array_get_object_element (runs, i);
      g_assert_true (isfinite (json_object_get_double_member (run, "psnr")));
      g_assert_false (json_object_has_member (run, "samples"));
      g_assert_true (json_object_has_member (run, "method"));
    }
  csv = prism_cli_harness_dup_file (&result, "t.csv", NULL);
  g_assert_nonnull (strstr (csv, "\nePIE only,"));
  curves = prism_cli_harness_dup_file (&result, "c.csv", NULL);
  g_assert_nonnull (strstr (curves, "\nDecoder and ePIE,1,"));
  html = prism_cli_harness_dup_file (&result, "r.html", NULL);
  check_page (html);
}

/* A run gives the same whether others came before it in the same engine or not. */
TEST (queue_changes_no_result, "/cli/compare/queue")
{
  g_auto (PrismCliResult) queued = { 0 };
  g_auto (PrismCliResult) alone = { 0 };
  g_autofree char *single = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autoptr (JsonNode) summary = NULL;
  JsonObject *final;
  JsonObject *last;

  prism_cli_harness_run (&queued, NULL, "compare", "--run", "standard", "--run", "epie", "--run",
                         "quick-look", TINY, "--json", NULL);
  g_assert_cmpstr (queued.error, ==, "");
  prism_cli_harness_run (&alone, NULL, "run", "--preset", "quick-look", TINY, "--json", NULL);
  root = prism_cli_harness_parse (queued.output);
  summary = prism_cli_harness_parse (alone.output);
  final = json_object_get_object_member (json_node_get_object (summary), "final");
  last = json_array_get_object_element (
      json_object_get_array_member (json_node_get_object (root), "runs"), 2);
  g_assert_cmpstr (json_object_get_string_member (last, "name"), ==, "Quick look");
  g_assert_cmpfloat (json_object_get_double_member (last, "psnr"), ==,
                     json_object_get_double_member (final, "psnr"));
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
  snapshot->config->image_size = 64;
  snapshot->config->object_size = 16;
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
  g_assert_nonnull (strstr (html, "<h2>Marks</h2>"));
  g_assert_nonnull (strstr (html, "alt=\"Reconstruction with marks\""));
  g_assert_nonnull (strstr (html, "<th>1  Rectangle, 4 × 3 px at 2, 2</th>"
                                  "<td>12 px, mean 0.2500, sd 0, min 0.2500, max 0.2500, SNR –, "
                                  "contrast 0</td>"));
  g_assert_null (strstr (html, "<th>2  Line"));
  g_assert_nonnull (strstr (html, "<th>3  Line, 8.0 ± 0.4 px"));
  g_assert_nonnull (strstr (html, "alt=\"Profile along line 3\""));
}

TEST (files_are_compared_and_reported, "/cli/compare/files")
{
  g_auto (PrismCliResult) table = { 0 };
  g_auto (PrismCliResult) report = { 0 };
  g_autofree char *folder = g_dir_make_tmp ("prism-cli-XXXXXX", NULL);
  g_autofree char *first = g_build_filename (folder, "first run.prismrun", NULL);
  g_autofree char *second = g_build_filename (folder, "second.prismrun", NULL);
  g_autofree char *html = NULL;
  g_autofree char *pdf = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *runs;

  save_run (first, 0.25f, 7);
  save_run (second, 0.75f, 8);
  prism_cli_harness_run (&table, NULL, "compare", "--json", second, first, NULL);
  g_assert_cmpstr (table.error, ==, "");
  root = prism_cli_harness_parse (table.output);
  runs = json_object_get_array_member (json_node_get_object (root), "runs");
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (runs, 1), "name"),
                   ==, "first run");
  g_assert_cmpfloat (
      json_object_get_double_member (json_array_get_object_element (runs, 0), "samples"), ==, 8);
  prism_cli_harness_run (&report, NULL, "report", first, second, "--html", "r.html", "--pdf",
                         "r.pdf", NULL);
  g_assert_cmpstr (report.error, ==, "");
  html = prism_cli_harness_dup_file (&report, "r.html", NULL);
  pdf = prism_cli_harness_dup_file (&report, "r.pdf", NULL);
  check_page (html);
  g_assert_nonnull (strstr (html, "first run"));
  check_marks (html);
  g_assert_cmpmem (pdf, 5, "%PDF-", 5);
  g_unlink (first);
  g_unlink (second);
  g_rmdir (folder);
}

TEST (report_says_what_is_missing, "/cli/report/missing")
{
  g_auto (PrismCliResult) nowhere = { 0 };
  g_auto (PrismCliResult) nothing = { 0 };
  g_auto (PrismCliResult) missing = { 0 };

  prism_cli_harness_refuses (&nowhere, 2, "--html", "report", "a.prismrun", NULL);
  prism_cli_harness_refuses (&nothing, 2, "FILE.prismrun|FOLDER is expected here",
                             "report", "--html", "a.html", NULL);
  prism_cli_harness_refuses (&missing, 3, "a.prismrun", "report", "a.prismrun", "--pdf", "a.pdf",
                             NULL);
}

TEST (table_for_people, "/cli/compare/table")
{
  g_auto (PrismCliResult) result = { 0 };

  prism_cli_harness_run (&result, NULL, "compare", "--run", "standard", "--run", "epie", TINY,
                         NULL);
  g_assert_cmpint (result.exit_code, ==, 0);
  g_assert_nonnull (strstr (result.output, "\nPSNR, dB "));
  g_assert_nonnull (strstr (result.output, "\nMethod "));
}

TEST (bad_input, "/cli/compare/bad-input")
{
  g_auto (PrismCliResult) nothing = { 0 };
  g_auto (PrismCliResult) missing = { 0 };
  g_auto (PrismCliResult) base = { 0 };
  g_auto (PrismCliResult) object = { 0 };

  prism_cli_harness_refuses (&nothing, 2, "nothing to compare", "compare", NULL);
  prism_cli_harness_refuses (&missing, 3, "missing.prism", "compare", "--run", "missing.prism",
                             NULL);
  prism_cli_harness_refuses (&base, 2, "--methods", "compare", "--preset", "standard", "--run",
                             "epie", NULL);
  prism_cli_harness_refuses (&object, 3, "mooon", "compare", "--quiet", "--run", "epie", "--set",
                             "object=mooon", NULL);
}

/* A place that cannot be written is found before the runs, and the table is told in any case. */
TEST (results_are_not_lost, "/cli/compare/not-lost")
{
  g_auto (PrismCliResult) early = { 0 }, late = { 0 };

  prism_cli_harness_run (&early, NULL, "compare", TINY, "quick-look", "--csv", "no/such/table.csv",
                         NULL);
  prism_cli_harness_check_error (&early, 3, "no/such/table.csv");
  g_assert_cmpstr (early.output, ==, "");
  prism_cli_harness_refuses (&late, 3, "/dev/full", "compare", TINY, "quick-look", "--csv",
                             "/dev/full", NULL);
  g_assert_nonnull (strstr (late.output, "\nPSNR, dB "));
}

#define FIVE "quick-look", "quick-look", "quick-look", "quick-look", "quick-look"
#define TWENTY FIVE, FIVE, FIVE, FIVE
/* 256 KiB for each picture of k-space. */
#define PLANES                                                                           \
  "--set", "object=moon", "--set", "image_size=256", "--set", "object_size=64", "--set", \
      "samples=2", "--set", "method=epie", "--set", "passes=1", "--set", "snr=20"

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
  g_auto (PrismCliResult) few = { 0 }, many = { 0 };
  long before;

  prism_cli_harness_works (&few, "compare", "--json", PLANES, FIVE, NULL);
  before = get_most_resident ();
  prism_cli_harness_works (&many, "compare", "--json", PLANES, TWENTY, TWENTY, NULL);
  g_test_message ("%ld KiB and %ld KiB", before, get_most_resident ());
  g_assert_cmpint (get_most_resident () - before, <, 8 * 1024);
#endif
}
