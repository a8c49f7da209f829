#include "history/prism-progress.h"
#include "prism-test.h"

/* Another value in each: a field that the table forgets differs. Add yours. */
static void
fill (PrismProgress *progress)
{
  memset (progress, 0, sizeof *progress);
  progress->phase = PRISM_PHASE_SAMPLES;
  progress->sample = 1;
  progress->pass = 2;
  progress->n_visited = 3;
  progress->sample_step = 4;
  progress->start_step = 5;
  progress->start_attempt = 6;
  progress->start_loss = 0.1;
  progress->step = 7;
  progress->n_visits = 8;
  progress->held = TRUE;
  progress->max_energy = 123.4;
  progress->misfit = 0.01;
  progress->n_extra_passes = 13;
  progress->loss_new = 1.0 / 3.0;
  progress->loss_old = 1e-30;
  progress->learning_rate = 1e-3;
  progress->rate_factor = 0.125;
  progress->metrics = (PrismMetrics) { { 31.25, 0.9, 1e-9 } };
  progress->n_repeated = 9;
  progress->n_skipped = 10;
  progress->skipped_in_a_row = 11;
  progress->n_rollbacks = 12;
  progress->seconds = 13.1;
  progress->step_seconds = 14.1;
  progress->pass_seconds = 15.1;
  progress->pass_began = 16.1;
  progress->n_sample_steps = 17;
  progress->n_extra_steps = 18;
  progress->n_spared_steps = 30;
  progress->visit.attempt = 19;
  progress->visit.n_below = 20;
  progress->visit.n_extra = 21;
  progress->visit.boosted = TRUE;
  progress->visit.boost_step = 22;
  progress->visit.block_n = 23;
  progress->visit.block_sum = 24.1;
  progress->visit.block_mean = 25.1;
  progress->plateau.factor = 0.25;
  progress->plateau.best = 26.1;
  progress->plateau.sum = 27.1;
  progress->plateau.n = 28;
  progress->plateau.n_bad = 29;
}

TEST (round_trip, "/engine/progress/round-trip")
{
  PrismProgress written, read;

  fill (&written);
  memset (&read, 0, sizeof read);
  g_autofree char *text = prism_progress_to_text (&written);
  g_assert_true (MUST (prism_progress_parse (&read, text, "progress.json", &error)));
  g_autofree char *again = prism_progress_to_text (&read);
  g_assert_cmpstr (again, ==, text);
  g_assert_cmpmem (&read, sizeof read, &written, sizeof written);
}

TEST (empty, "/engine/progress/empty")
{
  PrismProgress empty, read;

  prism_progress_init (&empty);
  g_autofree char *text = prism_progress_to_text (&empty);
  g_assert_true (prism_progress_parse (&read, text, "progress.json", NULL));
  g_assert_true (isnan (read.metrics.psnr) && isnan (read.loss_new));
  g_assert_cmpfloat (read.rate_factor, ==, 1.0);
}

TEST (refused, "/engine/progress/refused")
{
  PrismProgress read;

  FAILS (prism_progress_parse (&read, "{\"phase\": 9}", "progress.json", &error), FORMAT,
         "“phase” of progress.json");
}
