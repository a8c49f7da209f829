#include "history/prism-convergence.h"
#include "prism-test.h"

static PrismHistory *
make_history (const double *losses, guint n, guint steps_per_sample)
{
  PrismHistory *history = prism_history_new ();

  for (guint i = 0; i < n; i++)
    {
      PrismHistoryRow row = { .step = i + 1,
                              .sample = (gint32) (i / steps_per_sample),
                              .sample_step = i % steps_per_sample + 1,
                              .loss_new = losses[i] };
      g_assert_true (prism_history_append (history, &row));
    }
  return history;
}

static gboolean
find (PrismHistory *history, guint64 n_rows, guint64 step, int direction, guint64 *found)
{
  g_autoptr (PrismSpikes) spikes = prism_spikes_new ();

  g_assert_true (prism_spikes_read (spikes, history, n_rows, G_MAXUINT64));
  return prism_spikes_find (spikes, step, direction, found);
}

TEST (walk, "/engine/spikes/walk")
{
  static const double losses[] = { 1, 0.9, 2.0, 1.9, 1.8, 1.7, 1.8, 1.6, 3.0, NAN, 1, 1.5 };
  g_autoptr (PrismHistory) history = make_history (losses, G_N_ELEMENTS (losses), 100);
  guint64 found = 0;

  /* 0.9 → 2.0 at step 3, 1.6 → 3.0 at step 9, 1 → 1.5 at step 12. */
  g_assert_true (find (history, 12, 0, 1, &found));
  g_assert_cmpuint (found, ==, 3);
  g_assert_true (find (history, 12, 3, 1, &found));
  g_assert_cmpuint (found, ==, 9);
  g_assert_true (find (history, 12, 9, 1, &found));
  g_assert_cmpuint (found, ==, 12);
  g_assert_false (find (history, 12, 12, 1, &found));
  g_assert_true (find (history, 12, 12, -1, &found));
  g_assert_cmpuint (found, ==, 9);
  g_assert_false (find (history, 12, 3, -1, &found));
  g_assert_false (find (history, 5, 3, 1, &found));
  g_assert_false (find (history, 0, 0, 1, &found));
}

/* A measurement that is new begins with a loss of its own. */
TEST (samples_are_no_spikes, "/engine/spikes/samples")
{
  static const double losses[] = { 1, 0.5, 0.1, 1, 0.5, 0.1, 1, 0.5, 0.1 };
  g_autoptr (PrismHistory) history = make_history (losses, G_N_ELEMENTS (losses), 3);
  guint64 found;

  g_assert_false (find (history, 9, 0, 1, &found));
}

/* Of a hundred rises the largest sixteen count. */
TEST (largest, "/engine/spikes/largest")
{
  double losses[200];
  guint64 found = 0;
  guint n = 0;

  for (guint i = 0; i < 100; i++)
    {
      losses[2 * i] = 1.0;
      losses[2 * i + 1] = 1.3 + 0.01 * ((i * 37) % 100);
    }
  g_autoptr (PrismHistory) history = make_history (losses, 200, 1000);
  for (; find (history, 200, found, 1, &found); n++)
    g_assert_cmpfloat (losses[found - 1], >, 1.3 + 0.01 * 83.5);
  g_assert_cmpuint (n, ==, 16);
}

/* Rows come one after the other, more of them than a block has; the same spikes are found. */
TEST (in_pieces, "/engine/spikes/pieces")
{
  g_autofree double *losses = g_new (double, 3000);
  g_autoptr (PrismSpikes) spikes = prism_spikes_new ();
  guint64 n_rows = 0, found = 0, wanted = 0;

  for (guint i = 0; i < 3000; i++)
    losses[i] = i % 255 == 0 || i % 256 == 0 ? 2.0 + i * 1e-3 : 1.0;
  g_autoptr (PrismHistory) history = make_history (losses, 3000, 100000);
  for (guint i = 1; n_rows < 3000; i++)
    {
      n_rows = MIN (n_rows + 37 * i % 400, 3000);
      prism_spikes_read (spikes, history, n_rows, 300);
    }
  while (!prism_spikes_read (spikes, history, 3000, 300))
    continue;
  while (find (history, 3000, wanted, 1, &wanted))
    {
      g_assert_true (prism_spikes_find (spikes, found, 1, &found));
      g_assert_cmpuint (found, ==, wanted);
    }
  g_assert_cmpuint (found, >, 0);
  g_assert_false (prism_spikes_find (spikes, found, 1, &found));

  /* Another run, or one that went back, begins anew. */
  prism_spikes_read (spikes, history, 100, G_MAXUINT64);
  g_assert_false (prism_spikes_find (spikes, 0, 1, &found));
  prism_spikes_read (spikes, NULL, 0, G_MAXUINT64);
  g_assert_false (prism_spikes_find (spikes, 0, 1, &found));
}
