#include "prism-cli-harness.h"
#include "prism-test.h"

#define HEAD                                                                                      \
  "[lesson]\ntitle=T\nsummary=S\n[settings]\nextends=quick-look\nimage_size=64\nobject_size=16\n" \
  "aperture_radius=8\nsamples=4\n"
#define STEP "[step]\ntitle=A\ntext=B\nquestion=C\nwhy=D\nchoice=one\nchoice=two\nright=2\n"

static char *
dup_file (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("lesson-XXXXXX", NULL);
  char *path = g_build_filename (folder, "x.prismlesson", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
drop_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

TEST (list, "/cli/lesson/list")
{
  g_auto (PrismCliResult) result = cli_works ("lesson list");
  HAS (result.output, "phase      Overlap and phase: ");
  g_auto (PrismCliResult) json = cli_works ("lesson list --json");
  HAS (json.output, "\"title\" : \"Overlap and phase\"");
}

/* What is shown is a file that can be checked. */
TEST (show, "/cli/lesson/show")
{
  g_auto (PrismCliResult) shown = cli_works ("lesson show prior");
  g_autofree char *path = dup_file (shown.output);
  g_auto (PrismCliResult) result = cli_works ("lesson check %s", path);
  HAS (result.output, "a lesson of 4 steps, no mistakes");
  drop_file (path);
}

/* A line for each mistake. */
TEST (mistakes, "/cli/lesson/mistakes")
{
  g_autofree char *path = dup_file (HEAD STEP "colour=red\n[settings]\nsamples=many\n");

  g_auto (PrismCliResult) result = cli_run ("lesson check %s", path);
  g_assert_cmpint (result.exit_code, ==, 2);
  HAS (result.error, "line 18: there is no key “colour” in [step]", "line 20: ");
  drop_file (path);
}

/* What a step needs and is not there, in lines and as JSON. */
TEST (missing, "/cli/lesson/missing")
{
  static const char *const cases[][2] = {
    { "expect=correlation 0 1\n", "line 18: “correlation” is of recorded frames" },
    { "[settings]\nobject=nix.png\n", "line 10: The object “nix.png” is neither a file" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat (HEAD STEP, cases[i][0], NULL);
      g_autofree char *path = dup_file (text);

      cli_refuses (2, cases[i][1], "lesson check %s", path);
      g_auto (PrismCliResult) json = cli_run ("lesson check --json %s", path);
      g_assert_cmpint (json.exit_code, ==, 2);
      g_autofree char *problem = g_strconcat ("0.problems.0 has ", cases[i][1], NULL);
      CLI_JSON (json.output, problem);
      drop_file (path);
    }
}

/* A file that is no lesson gets a line for each kind of mistake. */
TEST (foreign, "/cli/lesson/foreign")
{
  g_autofree char *path = dup_file ("one\ntwo\nthree\na=1\nb=2\n");

  g_auto (PrismCliResult) result = cli_run ("lesson check %s", path);
  g_assert_cmpint (result.exit_code, ==, 2);
  g_auto (GStrv) lines = g_strsplit (result.error, "\n", -1);
  HAS (lines[0], "line 1: expected is “key=value”");
  g_assert_true (g_str_has_suffix (lines[0], "Further lines of which this is true: 2."));
  HAS (lines[1], "line 4: the line [lesson] has to stand");
  g_assert_true (g_str_has_suffix (lines[1], "Further lines of which this is true: 1."));
  LACKS (lines[2], "Further lines");
  drop_file (path);
}

/* What the lesson expects is held against the run. */
TEST (expectations, "/cli/lesson/expectations")
{
  g_autofree char *kept = dup_file (HEAD STEP "expect=psnr 5 200\nexpect=coverage 1 100\n");
  g_autofree char *broken = dup_file (HEAD STEP "expect=psnr 5 200\nexpect=ssim 2 3\n");

  g_auto (PrismCliResult) good = cli_clean ("lesson check --run %s", kept);
  HAS (good.output, "line 10: PSNR ");
  g_auto (PrismCliResult) bad = cli_run ("lesson check --run %s", broken);
  g_assert_cmpint (bad.exit_code, ==, 1);
  HAS (bad.error, "line 19: expected is ssim between 2.000 and 3.000");
  drop_file (kept);
  drop_file (broken);
}

/* The lessons of the program say nothing that their runs do not show. Those that take longest are
 * left to “prism-cli lesson check --run”. */
TEST (true, "/cli/lesson/true")
{
  g_auto (PrismCliResult) result = cli_clean ("lesson check --run phase bars");
}

/* A class: two answered before, one of them again after. */
TEST (report, "/cli/lesson/report")
{
  static const char first[] = "name,lesson,step,question,prediction,result,foreseen,psnr\n"
                              "Ada,Light,1,\"How, and why?\",\"\"\"so\"\"\",other,0,25.5\n"
                              "Bob,Light,1,\"How, and why?\",other,other,1,25.5\r\n"
                              "name,lesson,step,question,prediction,result,foreseen,psnr\n"
                              "Ada,Light,2,Where?,3.0 dB,4.0 dB,1,\n";
  static const char again[] = "name,lesson,step,question,prediction,result,foreseen,psnr\n"
                              "Ada,Light,1,\"How, and why?\",other,other,1,25.5\n";
  g_autofree char *before = dup_file (first);
  g_autofree char *after = dup_file (again);
  g_autofree char *broken = dup_file ("name,lesson,step,question,prediction,result,foreseen,psnr\n"
                                      "Ada,Light\n");

  g_auto (PrismCliResult) text = cli_run ("lesson report %s %s", before, after);
  g_assert_cmpstr (text.output, ==, "Light, step 1: How, and why?\n  came out: other\n"
                                    "  before 1 of 2 foreseen\n       1 \"so\"\n       1 other\n"
                                    "  after  1 of 1 foreseen\n       1 other\n"
                                    "Light, step 2: Where?\n  came out: 4.0 dB\n"
                                    "  before 1 of 1 foreseen\n       1 3.0 dB\n");
  g_assert_cmpint (text.exit_code, ==, 0);
  g_auto (PrismCliResult) json = cli_run ("lesson report --json %s %s", before, after);
  HAS (json.output, "\"after\"", "\\\"so\\\"");
  g_auto (PrismCliResult) wrong = cli_run ("lesson report %s", broken);
  g_assert_cmpint (wrong.exit_code, !=, 0);
  HAS (wrong.error, "row 2 has 2 cells");
  drop_file (before);
  drop_file (after);
  drop_file (broken);
}

TEST (refused, "/cli/lesson/refused")
{
  static const char *const commands[] = { "", "sing", "show" };

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_auto (PrismCliResult) result = cli_run ("lesson %s", i > 0 ? commands[i] : NULL);

      g_assert_cmpint (result.exit_code, ==, 2);
      HAS (result.error, "see “prism-cli lesson --help”");
    }
}
