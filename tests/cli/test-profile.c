#include "prism-cli-harness.h"
#include "../engine/support/test-remove-tree.h"
#include "prism-test.h"

#define SIZES                                                                           \
  "--set image_size=64 --set object_size=32 --set samples=20 --set aperture_radius=10 " \
  "--set threads=1 --set backend=cpu"

static char *folder;

/* An event of a trace, in µs. */
typedef struct
{
  const char *name;
  gint64 thread;
  double begin, end;
} Event;

static char *
dup_place (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static int
compare_events (gconstpointer a,
                gconstpointer b)
{
  const Event *x = a, *y = b;

  if (x->begin != y->begin)
    return x->begin < y->begin ? -1 : 1;
  return (x->end < y->end) - (x->end > y->end);
}

/* The spans of a trace, by their beginnings, outer ones first. */
static GArray *
collect_spans (JsonArray *events)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Event));

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *object = json_array_get_object_element (events, i);
      Event event;

      if (strcmp (json_object_get_string_member (object, "ph"), "X") != 0)
        continue;
      g_assert_cmpfloat (json_object_get_double_member (object, "ts"), >=, 0.0);
      g_assert_cmpfloat (json_object_get_double_member (object, "dur"), >=, 0.0);
      event.name = json_object_get_string_member (object, "name");
      event.thread = json_object_get_int_member (object, "tid");
      event.begin = json_object_get_double_member (object, "ts");
      event.end = event.begin + json_object_get_double_member (object, "dur");
      g_array_append_val (spans, event);
    }
  g_array_sort (spans, compare_events);
  return spans;
}

static gint64
find_thread (JsonArray *events,
             const char *name)
{
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *object = json_array_get_object_element (events, i);

      if (strcmp (json_object_get_string_member (object, "name"), "thread_name") == 0
          && strcmp (json_object_get_string_member (
                         json_object_get_object_member (object, "args"), "name"),
                     name)
                 == 0)
        return json_object_get_int_member (object, "tid");
    }
  g_assert_not_reached ();
}

/* Each span of a thread lies within the one that is open where it begins; returns the times of
 * stages without those inside them, added up. */
static double
check_nesting (const GArray *spans,
               gint64 thread)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (Event));
  double sum = 0.0;

  for (guint i = 0; i < spans->len; i++)
    {
      const Event *span = &g_array_index (spans, Event, i);

      if (span->thread != thread)
        continue;
      while (open->len > 0 && g_array_index (open, Event, open->len - 1).end <= span->begin + 5e-4)
        g_array_set_size (open, open->len - 1);
      if (open->len > 0)
        g_assert_cmpfloat (span->end, <=, g_array_index (open, Event, open->len - 1).end + 5e-4);
      else
        sum += span->end - span->begin;
      g_array_append_vals (open, span, 1);
    }
  return sum;
}

/* From the first span of a thread to its last, or to where the export of another begins. */
static double
get_wall_time (const GArray *spans,
               gint64 thread)
{
  double first = INFINITY, last = 0.0;

  for (guint i = 0; i < spans->len; i++)
    {
      const Event *span = &g_array_index (spans, Event, i);

      if (span->thread == thread)
        {
          first = MIN (first, span->begin);
          last = MAX (last, span->end);
        }
      else if (strcmp (span->name, "export") == 0)
        last = MAX (last, span->begin);
    }
  return last - first;
}

static guint
count_named (const GArray *spans,
             const char *name)
{
  guint n = 0;

  for (guint i = 0; i < spans->len; i++)
    n += strcmp (g_array_index (spans, Event, i).name, name) == 0;
  return n;
}

/* A counter is never negative, and its last value is what is returned. */
static double
check_counter (JsonArray *events,
               const char *name)
{
  double value = NAN;

  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *object = json_array_get_object_element (events, i);

      if (strcmp (json_object_get_string_member (object, "ph"), "C") != 0
          || strcmp (json_object_get_string_member (object, "name"), name) != 0)
        continue;
      value = json_object_get_double_member (json_object_get_object_member (object, "args"),
                                             "value");
      g_assert_cmpfloat (value, >=, 0.0);
    }
  g_test_message ("%s ends with %g", name, value);
  g_assert_false (isnan (value));
  return value;
}

/* Takes a trace and reads it back. Returns: what part of the engine's wall time no stage owns. */
static double
check_trace (void)
{
  static const char *const stages[] = { "object", "pattern", "measure", "pass", "publish" };
  g_autofree char *path = dup_place ("look.json");

  g_auto (PrismCliResult) result = cli_works ("run " SIZES " --force --profile %s", path);
  HAS (result.output, "; to take it took 0.");
  g_autofree char *text = file_text (path);
  g_autoptr (JsonNode) root = cli_parse (text);
  JsonArray *events = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  g_autoptr (GArray) spans = collect_spans (events);
  double sum = check_nesting (spans, find_thread (events, "engine"));
  double wall = get_wall_time (spans, find_thread (events, "engine"));
  check_nesting (spans, find_thread (events, "main"));
  g_test_message ("%.6f s in stages of %.6f s", 1e-6 * sum, 1e-6 * wall);
  for (gsize i = 0; i < G_N_ELEMENTS (stages); i++)
    g_assert_cmpuint (count_named (spans, stages[i]), >, 0);
  g_assert_cmpuint (count_named (spans, "export"), ==, 1);
  g_assert_cmpfloat (check_counter (events, "host-memory"), >, 1 << 20);
  check_counter (events, "cache-hits");
  check_counter (events, "queue");
  check_counter (events, "device-memory");
  return fabs (sum / wall - 1.0);
}

/* A busy machine takes the processor away between two stages now and then; time that no stage owns
 * would be missing each time. */
TEST (trace, "/cli/profile/trace")
{
  double gap = check_trace ();

  for (guint i = 0; i < 4 && gap > 0.03; i++)
    gap = check_trace ();
  g_assert_cmpfloat (gap, <=, 0.03);
}

/* A profile of three stages, one after the other. */
static char *
write_profile (const char *name,
               int measure)
{
  g_autofree char *text = g_strdup_printf (
      "{\"format\":\"prism-profile\",\"version\":1,\"seconds\":0.9,\"span_cost\":5e-08,"
      "\"bandwidth\":1e9,\"rate\":2e9,\"threads\":[{\"name\":\"engine\",\"lost\":0,\"spans\":["
      "[\"object\",0,1000000,1,0,0],[\"measure\",1000000,%d,1,64000000,0],"
      "[\"pass\",500000000,300000000,20,0,0]]}],\"samples\":[[\"host-memory\",1000,2097152]]}",
      measure);
  char *path = dup_place (name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

TEST (table, "/cli/profile/table")
{
  g_autofree char *before = write_profile ("before.prismprof", 100000000);
  g_autofree char *after = write_profile ("after.prismprof", 400000000);

  g_auto (PrismCliResult) result = cli_works ("profile %s", before);
  HAS (result.output, "pass                 1     0.3000     0.3000");
  /* Of a file from before there were several sets nobody knows what a cache could have done. */
  HAS (result.output, "     0.64      -", "The program had 2.0 MiB at most; ",
       "“passes” takes 75 % of the work, 1 call of 300 ms");
  cli_set (&result, cli_works ("profile %s %s", before, after));
  HAS (result.output, "before.prismprof\n", "after.prismprof\n");
  cli_set (&result, cli_works ("profile --compare %s %s", before, after));
  HAS (result.output, "What became slower most is measure, by 0.3000 s.\n");
  cli_set (&result, cli_run ("profile --compare %s %s", before, before));
  HAS (result.output, "Nothing became slower.\n");
}

/* What a run has written is shown, and twice the same is no difference. */
TEST (own_format, "/cli/profile/own-format")
{
  g_autofree char *path = dup_place ("look.prismprof");

  g_auto (PrismCliResult) result = cli_works ("run " SIZES " --quiet --profile %s", path);
  g_assert_cmpstr (result.output, ==, "");
  cli_set (&result, cli_works ("profile %s", path));
  HAS (result.output, "\nengine  ", "This machine: ", "the profile itself took 0.");
}

TEST (refusals, "/cli/profile/refusals")
{
  g_autofree char *good = write_profile ("good.prismprof", 1000);
  g_autofree char *bad = dup_place ("bad.prismprof");
  g_autofree char *missing = dup_place ("missing.prismprof");
  g_autofree char *capture = dup_place ("look.syscap");

  g_assert_true (g_file_set_contents (bad, "{\"format\":\"prism-profile\",", -1, NULL));
  cli_refuses (3, "bad.prismprof” is not a whole profile", "profile %s", bad);
  cli_refuses (3, "bad.prismprof” is not a whole profile", "profile --compare %s %s", good, bad);
  cli_refuses (3, "missing.prismprof", "profile %s", missing);
  cli_refuses (2, "FILE.prismprof is expected here", "profile");
  cli_refuses (2, "Two profiles are expected", "profile --compare %s", good);
  cli_refuses (2, "“look.txt” names no format of a profile", "run " SIZES " --profile look.txt");
  g_auto (PrismCliResult) result = cli_works ("run " SIZES " --quiet --profile %s", capture);
  g_assert_true (g_file_test (capture, G_FILE_TEST_IS_REGULAR));
  cli_refuses (3, "missing.prismprof", "run " SIZES " --profile %s",
               in_folder (missing, "a.prismprof"));
}

int
main (int argc,
      char **argv)
{
  folder = g_dir_make_tmp ("prism-profile-XXXXXX", NULL);
  g_test_init (&argc, &argv, NULL);
  int code = prism_test_run ();
  test_remove_tree (folder);
  g_free (folder);
  return code;
}
