#include "config.h"

#include "session/prism-undo.h"

/* What a change sees: the configuration before it, and one with more samples. */
static PrismConfig *
new_config (int samples)
{
  PrismConfig *config = prism_config_new ();

  config->samples = samples;
  return config;
}

static void
test_empty (void)
{
  g_autoptr (PrismUndo) undo = prism_undo_new ();
  g_autoptr (PrismConfig) config = new_config (1);

  g_assert_false (prism_undo_can_undo (undo));
  g_assert_false (prism_undo_can_redo (undo));
  g_assert_null (prism_undo_undo (undo, config, NULL));
  g_assert_null (prism_undo_redo (undo, config, NULL));
}

static void
test_round_trip (void)
{
  g_autoptr (PrismUndo) undo = prism_undo_new ();
  g_autoptr (PrismConfig) one = new_config (1);
  g_autoptr (PrismConfig) two = new_config (2);
  g_autoptr (PrismConfig) back = NULL;
  g_autoptr (PrismConfig) again = NULL;
  g_autofree char *label = NULL;

  prism_undo_push (undo, one, "Samples", "samples", 0);
  back = prism_undo_undo (undo, two, &label);
  g_assert_true (prism_config_equal (back, one));
  g_assert_cmpstr (label, ==, "Samples");
  g_assert_false (prism_undo_can_undo (undo));

  again = prism_undo_redo (undo, back, NULL);
  g_assert_true (prism_config_equal (again, two));
  g_assert_true (prism_undo_can_undo (undo));
  g_assert_false (prism_undo_can_redo (undo));
}

/* Typing 1, 12, 128 is one change; a pause, or another parameter, begins a new one. */
static void
test_merge (void)
{
  g_autoptr (PrismUndo) undo = prism_undo_new ();
  g_autoptr (PrismConfig) config = new_config (1);
  g_autoptr (PrismConfig) first = NULL;
  g_autoptr (PrismConfig) second = NULL;
  g_autoptr (PrismConfig) third = NULL;

  prism_undo_push (undo, config, "Samples", "samples", 0);
  config->samples = 12;
  prism_undo_push (undo, config, "Samples", "samples", G_TIME_SPAN_SECOND);
  config->samples = 128;
  prism_undo_push (undo, config, "Samples", "samples", G_TIME_SPAN_MINUTE);
  config->samples = 99;
  prism_undo_push (undo, config, "Seed", "seed", G_TIME_SPAN_MINUTE + 1);

  first = prism_undo_undo (undo, config, NULL);
  second = prism_undo_undo (undo, first, NULL);
  third = prism_undo_undo (undo, second, NULL);
  g_assert_cmpint (first->samples, ==, 99);
  g_assert_cmpint (second->samples, ==, 128);
  g_assert_cmpint (third->samples, ==, 1);
  g_assert_false (prism_undo_can_undo (undo));
}

static void
test_new_change_forgets_redo (void)
{
  g_autoptr (PrismUndo) undo = prism_undo_new ();
  g_autoptr (PrismConfig) one = new_config (1);
  g_autoptr (PrismConfig) two = new_config (2);
  g_autoptr (PrismConfig) back = NULL;

  prism_undo_push (undo, one, "Samples", "samples", 0);
  back = prism_undo_undo (undo, two, NULL);
  g_assert_true (prism_undo_can_redo (undo));
  prism_undo_push (undo, back, "Samples", "samples", 1);
  g_assert_false (prism_undo_can_redo (undo));
  g_assert_true (prism_undo_can_undo (undo));
}

static void
test_bounded (void)
{
  g_autoptr (PrismUndo) undo = prism_undo_new ();
  g_autoptr (PrismConfig) config = new_config (1);
  guint n = 0;

  for (int i = 0; i < 1000; i++)
    prism_undo_push (undo, config, "Preset", NULL, i);
  while (prism_undo_can_undo (undo))
    {
      g_autoptr (PrismConfig) back = prism_undo_undo (undo, config, NULL);
      n++;
    }
  g_assert_cmpuint (n, >=, 100);
  g_assert_cmpuint (n, <, 1000);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/undo/empty", test_empty);
  g_test_add_func ("/app/undo/round-trip", test_round_trip);
  g_test_add_func ("/app/undo/merge", test_merge);
  g_test_add_func ("/app/undo/new-change-forgets-redo", test_new_change_forgets_redo);
  g_test_add_func ("/app/undo/bounded", test_bounded);
  return g_test_run ();
}
