#include "history/prism-progress.h"
#include "prism-test.h"

/* Another value in each: a field that the table forgets differs. Add yours. */
static const PrismProgress written = {
  .phase = PRISM_PHASE_SAMPLES,
  .sample = 1,
  .pass = 2,
  .n_visited = 3,
  .sample_step = 4,
  .start_step = 5,
  .start_attempt = 6,
  .start_loss = 0.1,
  .step = 7,
  .n_visits = 8,
  .held = TRUE,
  .max_energy = 123.4,
  .misfit = 0.01,
  .n_extra_passes = 13,
  .loss_new = 1.0 / 3.0,
  .loss_old = 1e-30,
  .learning_rate = 1e-3,
  .rate_factor = 0.125,
  .metrics = { { 31.25, 0.9, 1e-9 } },
  .n_skipped = 10,
  .skipped_in_a_row = 11,
  .n_rollbacks = 12,
  .seconds = 13.1,
  .step_seconds = 14.1,
  .n_sample_steps = 17,
  .visit = {
      .attempt = 19,
      .n_below = 20,
      .n_extra = 21,
      .boosted = TRUE,
      .boost_step = 22,
      .block_n = 23,
      .block_sum = 24.1,
      .block_mean = 25.1,
  },
  .plateau = { .factor = 0.25, .best = 26.1, .sum = 27.1, .n = 28, .n_bad = 29 },
};

TEST (round_trip, "/engine/progress/round-trip")
{
  PrismProgress read;

  memset (&read, 0, sizeof read);
  g_autofree char *text = prism_progress_to_text (&written);
  g_assert_true (MUST (prism_progress_parse (&read, text, "progress.json", &error)));
  SAYS (prism_progress_to_text (&read), text);
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
