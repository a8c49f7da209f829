#include "prism-test.h"
#include "session/prism-draft.h"

static void
set (PrismDraft *draft,
     const char *key,
     const char *value,
     const char *merge_key)
{
  const char *values[] = { key, value, NULL };

  g_assert_true (prism_draft_set_several (draft, values, "", merge_key, NULL));
}

static gboolean
can (PrismDraft *draft,
     const char *what)
{
  return (g_str_equal (what, "undo") ? draft->past : draft->future)->len > 0;
}

static int
get_samples (PrismDraft *draft)
{
  return draft->config->samples;
}

TEST (empty, "/app/undo/empty")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  g_autoptr (PrismConfig) before = prism_config_dup (draft->config);

  g_assert_false (can (draft, "undo"));
  g_assert_false (can (draft, "redo"));
  prism_draft_undo (draft);
  prism_draft_redo (draft);
  g_assert_true (prism_config_equal (draft->config, before));
}

TEST (round_trip, "/app/undo/round-trip")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  const int before = get_samples (draft);

  set (draft, "samples", "2", "samples");
  prism_draft_undo (draft);
  g_assert_cmpint (get_samples (draft), ==, before);
  g_assert_false (can (draft, "undo"));
  prism_draft_redo (draft);
  g_assert_cmpint (get_samples (draft), ==, 2);
  g_assert_true (can (draft, "undo"));
  g_assert_false (can (draft, "redo"));
}

/* A method comes with the passes that it needs, in one step; those that somebody set stay. */
TEST (method_brings_passes, "/app/undo/method-brings-passes")
{
  static const struct
  {
    const char *method;
    int passes;
  } cases[] = { { "epie", 40 }, { "mopie", 40 }, { "decoder", 1 }, { "auto", 1 } };
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  const PrismParam *method = prism_config_get_param ("method");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_assert_true (prism_draft_set_parameter (draft, method, cases[i].method, NULL));
      g_assert_cmpint (draft->config->passes, ==, cases[i].passes);
    }
  prism_draft_undo (draft);
  g_assert_cmpint (draft->config->passes, ==, 1);
  g_assert_true (prism_draft_set_parameter (draft, method, "epie", NULL));
  g_assert_true (prism_draft_set_parameter (draft, prism_config_get_param ("passes"), "3", NULL));
  g_assert_true (prism_draft_set_parameter (draft, method, "mopie", NULL));
  g_assert_cmpint (draft->config->passes, ==, 3);
  prism_draft_reset_parameter (draft, method);
  g_assert_cmpint (draft->config->passes, ==, 1);
}

/* Typing 1, 12, 128 is one change; a pause, or another parameter, begins a new one. */
TEST (merge, "/app/undo/merge")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  const int before = get_samples (draft);

  set (draft, "samples", "12", "samples");
  set (draft, "samples", "128", "samples");
  g_usleep (1600 * G_TIME_SPAN_MILLISECOND);
  set (draft, "samples", "99", "samples");
  set (draft, "seed", "7", "seed");

  prism_draft_undo (draft);
  g_assert_cmpint (draft->config->seed, !=, 7);
  g_assert_cmpint (get_samples (draft), ==, 99);
  prism_draft_undo (draft);
  g_assert_cmpint (get_samples (draft), ==, 128);
  prism_draft_undo (draft);
  g_assert_cmpint (get_samples (draft), ==, before);
  g_assert_false (can (draft, "undo"));
}

TEST (new_change_forgets_redo, "/app/undo/new-change-forgets-redo")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);

  set (draft, "samples", "2", "samples");
  prism_draft_undo (draft);
  g_assert_true (can (draft, "redo"));
  set (draft, "samples", "3", "samples");
  g_assert_false (can (draft, "redo"));
  g_assert_true (can (draft, "undo"));
}

/* What has been taken back and made again does not merge with what comes next. */
TEST (redo_ends_a_change, "/app/undo/redo-ends-a-change")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);

  set (draft, "samples", "2", "samples");
  prism_draft_undo (draft);
  prism_draft_redo (draft);
  set (draft, "samples", "3", "samples");
  prism_draft_undo (draft);
  g_assert_cmpint (get_samples (draft), ==, 2);
}

TEST (bounded, "/app/undo/bounded")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  guint n = 0;

  for (int i = 0; i < 1000; i++)
    set (draft, "seed", i % 2 == 0 ? "1" : "2", NULL);
  for (; can (draft, "undo"); n++)
    prism_draft_undo (draft);
  g_assert_cmpuint (n, >=, 100);
  g_assert_cmpuint (n, <, 1000);
}

static void
on_edited (GString *told,
           const char *what,
           gboolean undone)
{
  g_string_append_printf (told, "%s%s. ", undone ? "Undone: " : "", what);
}

/* An opened run begins anew: an undo would bring its settings back without the run before. */
TEST (opened, "/app/undo/opened")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  g_autoptr (PrismConfig) config = prism_config_new ();

  set (draft, "seed", "1", NULL);
  set (draft, "seed", "2", NULL);
  prism_draft_undo (draft);
  g_assert_true (can (draft, "undo") && can (draft, "redo"));
  config->seed = 7;
  prism_draft_take_run (draft, config, NULL, "Opened");
  g_assert_cmpint (draft->config->seed, ==, 7);
  g_assert_false (can (draft, "undo") || can (draft, "redo"));
}

/* What is taken back is told, with what it was; marks and limits are seen without a word. */
TEST (told, "/app/undo/told")
{
  g_autoptr (PrismDraft) draft = g_object_new (PRISM_TYPE_DRAFT, NULL);
  g_autoptr (GString) told = g_string_new (NULL);

  g_signal_connect_swapped (draft, "edited", G_CALLBACK (on_edited), told);
  prism_draft_set_display (draft, "moments", "7 first light", NULL);
  prism_draft_set_display (draft, "marks", "point 1 1", NULL);
  prism_draft_undo (draft);
  prism_draft_undo (draft);
  prism_draft_redo (draft);
  g_assert_cmpstr (told->str, ==,
                   "Name of a moment set. Undone: Name of a moment set. Name of a moment set. ");
}
