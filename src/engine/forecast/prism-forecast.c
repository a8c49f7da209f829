#include "config.h"

#include "forecast/prism-forecast.h"

#include "base/prism-clock.h"
#include "measure/prism-measurements.h"
#include "model/prism-pattern.h"
#include "num/prism-tuning.h"
#include "solve/prism-phase-sync.h"
#include "solve/prism-live-picture.h"
#include "solve/prism-solver.h"

/* Dimensions of this file: N = samples. */

/* Passes of a refinement that goes on until nothing moves, as multiples of “polish”; of finished
 * runs of 64 to 256 px. */
#define STILL 0.8
#define STILL_IN_NOISE 2.3
/* The same after an alignment. */
#define STILL_ALIGNED 3.8
#define FIELD_ITERATIONS 120 /* on a frame */
#define SEARCHES 75          /* iterations of an alignment that finds an image */
#define JUDGED 64            /* frames that a verdict looks at */
#define METRICS 10           /* steps of the decoder between two pictures that are measured */
/* Apertures whose neighbours are nearer than this, in radii, hold on to each other. */
#define NEAR 1.8
/* Rows, moments and pictures between the pieces, and memory that is further away than in a
 * trial. */
#define BETWEEN 1.2
/* A correction moves by so much of what the newest run says. */
#define NEWEST 0.5
#define MOST_CORRECTION 20.0

/* What a run with noise does at most when passes do not explain it, before training: all starts on
 * each field, all starts of the alignment, and what follows each. */
static double
get_rescue (const PrismConfig *config,
            const PrismCosts *costs,
            double n,
            double search,
            double filled,
            double still)
{
  const double n_starts = prism_tuning_get (PRISM_TUNING_ALIGN_STARTS_IN_NOISE);
  const double side = prism_measurements_choose_side (config->image_size, config->aperture_radius);
  const double growth = (config->image_size / side) * (config->image_size / side);
  const double n_field = prism_tuning_get (PRISM_TUNING_FIELD_STARTS)
                             * (PRISM_WAVE_PASSES + PRISM_WAVE_TRIAL)
                         + PRISM_WAVE_PASSES
                         + prism_tuning_get (PRISM_TUNING_FIELD_WHOLE) * growth;

  return n_field * n * costs->field + n_starts * PRISM_PHASE_SYNC_MOST_IN_NOISE * search
         + n_starts * (PRISM_PHASE_SYNC_FILL_IN_NOISE * filled + still);
}

/* Of some of the positions: a long list need not be gone through with all of it. */
static gboolean
leaves_gaps (const PrismConfig *config,
             const PrismPattern *pattern)
{
  const guint stride = pattern->n_points / 256 + 1;
  double sum = 0.0;
  guint n = 0;

  for (guint i = 0; i < pattern->n_points; i += stride, n++)
    {
      double nearest = INFINITY;

      for (guint k = 0; k < pattern->n_points; k++)
        if (k != i)
          nearest = MIN (nearest, hypot (pattern->points[k].y - pattern->points[i].y,
                                         pattern->points[k].x - pattern->points[i].x));
      sum += nearest;
    }
  return pattern->n_points > 1 && sum > NEAR * config->aperture_radius * n;
}

/**
 * prism_forecast_init:
 * @self: (out caller-allocates): the forecast
 * @config: of a run
 * @pattern: its positions
 * @costs: of its shape on this machine
 *
 * Tells how long a run will take if nothing beside it wants the processor.
 *
 * Units: seconds.
 * Source: benchmarks.md, “Time before Run”.
 */
void
prism_forecast_init (PrismForecast *self,
                     const PrismConfig *config,
                     const PrismPattern *pattern,
                     const PrismCosts *costs)
{
  const double n = pattern->n_points;
  const gboolean has_noise = prism_measurements_config_has_noise (config);
  const gboolean is_sparse = leaves_gaps (config, pattern);
  const double frames = n * costs->frame, judged = MIN (n, JUDGED) * costs->judge;
  const double polish = config->polish, search = costs->search + n * costs->search_frame;
  /* Passes over all measurements that end with a picture. */
  const double pass = costs->pass + n * costs->visit + costs->picture;
  const double epie_pass = n * costs->epie_visit + costs->picture;
  const double filled = polish * (costs->fill + costs->picture);
  const double still = (has_noise ? STILL_IN_NOISE : STILL) * polish * pass;
  const double n_steps = n * config->passes * config->steps;
  double rounds = 0.0, untrained, trained, *const seconds = self->seconds;

  if (config->consistency > 0)
    {
      guint64 n_passes, n_visits;
      guint n_rounds;

      n_visits = prism_live_picture_count_visits ((guint) config->consistency, (guint) n, has_noise,
                                                  &n_passes, &n_rounds);
      rounds = n_passes * costs->brief_pass + n_visits * costs->brief_visit
               + n_rounds * costs->picture;
    }
  /* Without the decoder, which passes alone show; across gaps come fields behind the frames, an
   * image that fits them, and its gaps. */
  untrained = frames + rounds + pass;
  if (is_sparse && !has_noise)
    untrained += FIELD_ITERATIONS * n * costs->field + SEARCHES * (search + costs->picture)
                 + PRISM_PHASE_SYNC_FILL * filled + STILL_ALIGNED * polish * pass;
  else
    untrained += still;
  trained = frames + config->start_steps * costs->start + n_steps * costs->step
            + (config->consistency > 0 ? 0.0 : n_steps / METRICS) * costs->picture;
  if (config->polish > 0 && config->finish == PRISM_FINISH_EPIE)
    trained += polish * epie_pass;
  else if (config->polish > 0)
    trained += polish * prism_tuning_get_count (PRISM_TUNING_BRIEF_FINAL) * pass;

  for (guint i = 0; i < PRISM_N_TRAININGS; i++)
    seconds[i] = NAN;
  self->longest = NAN;
  if (!prism_config_trains (config))
    seconds[PRISM_TRAINING_SET] = frames + config->passes * epie_pass;
  else if (!prism_config_may_spare_training (config))
    seconds[PRISM_TRAINING_SET] = trained + rounds;
  else
    {
      seconds[PRISM_TRAINING_SPARED] = untrained;
      seconds[PRISM_TRAINING_NEEDED] = untrained + trained + judged;
      if (has_noise && polish > 0 && prism_phase_sync_get_bytes (config, (guint) n) > 0)
        seconds[PRISM_TRAINING_RESCUED]
            = seconds[PRISM_TRAINING_NEEDED]
              + get_rescue (config, costs, n, search, filled, still);
    }
  for (guint i = 0; i < PRISM_N_TRAININGS; i++)
    {
      seconds[i] = (costs->begin + seconds[i] + judged) * BETWEEN
                   * (costs->correction[i] > 0.0 ? costs->correction[i] : 1.0);
      self->longest = fmax (self->longest, seconds[i]);
    }

  /* Noise without overlap mostly ends with the decoder; everything else without it. Where
   * apertures leave gaps it may come otherwise. */
  self->likely = !isnan (seconds[PRISM_TRAINING_SET]) ? PRISM_TRAINING_SET
                 : is_sparse && has_noise             ? PRISM_TRAINING_NEEDED
                                                      : PRISM_TRAINING_SPARED;
  self->least = self->most = seconds[self->likely];
  if (self->likely != PRISM_TRAINING_SET && is_sparse)
    {
      self->least = MIN (seconds[PRISM_TRAINING_SPARED], seconds[PRISM_TRAINING_NEEDED]);
      self->most = MAX (seconds[PRISM_TRAINING_SPARED], seconds[PRISM_TRAINING_NEEDED]);
    }
}

/**
 * prism_forecast_init_config:
 * @self: (out caller-allocates): the forecast
 * @config: of a run
 *
 * As prism_forecast_init(), from what the user's cache knows.
 *
 * Returns: whether runs of this shape were timed
 */
gboolean
prism_forecast_init_config (PrismForecast *self,
                            const PrismConfig *config)
{
  g_autoptr (PrismPattern) pattern = NULL;
  PrismCosts costs;

  if (!prism_costs_load (&costs, config))
    return FALSE;
  pattern = prism_pattern_new (config, NULL);
  if (pattern == NULL)
    return FALSE;
  prism_forecast_init (self, config, pattern, &costs);
  return TRUE;
}

/**
 * prism_forecast_dup_text:
 * @self: a forecast
 *
 * Returns: (transfer full): "≈ 0:24", or "0:02 – 0:30" where the data decide, and, where more may
 *   follow, how long that can be
 */
char *
prism_forecast_dup_text (const PrismForecast *self)
{
  g_autofree char *least = prism_clock_dup_duration (self->least);
  g_autofree char *most = prism_clock_dup_duration (self->most);
  g_autofree char *longest = prism_clock_dup_duration (self->longest);
  g_autofree char *expected = g_str_equal (least, most) ? g_strdup_printf ("≈ %s", least)
                                                        : g_strdup_printf ("%s – %s", least, most);

  if (g_str_equal (longest, most))
    return g_steal_pointer (&expected);
  /* TRANSLATORS: times: “2 s – 8 s, at most 0:49” */
  return g_strdup_printf (_ ("%s, at most %s"), expected, longest);
}

/**
 * prism_forecast_learn:
 * @snapshot: of the end of a run that was not interrupted
 *
 * Keeps what it took beside what was told, for the next runs of its shape. Where that shape was
 * never timed, or the run did not end by itself, nothing is learned. Where the decoder explained
 * nothing and fields were searched in vain, that says nothing of the decoder.
 */
void
prism_forecast_learn (const PrismSnapshot *snapshot)
{
  const PrismConfig *config = snapshot->config;
  PrismForecast plain;
  PrismCosts costs;
  PrismTraining course = snapshot->training;
  double ratio, *known;

  if (snapshot->state != PRISM_STATE_FINISHED || snapshot->pattern == NULL || config == NULL
      || prism_snapshot_is_recorded (snapshot) || !prism_costs_load (&costs, config))
    return;
  prism_forecast_init (&plain, config, snapshot->pattern, &costs);
  if (course == PRISM_TRAINING_NEEDED && !isnan (plain.seconds[PRISM_TRAINING_RESCUED])
      && snapshot->verdict.kind == PRISM_VERDICT_UNEXPLAINED)
    course = PRISM_TRAINING_RESCUED;
  ratio = snapshot->seconds / plain.seconds[course];
  if (isnan (ratio))
    return;
  known = &costs.correction[course];
  *known = CLAMP (*known > 0.0 ? *known * pow (ratio, NEWEST) : ratio, 1.0 / MOST_CORRECTION,
                  MOST_CORRECTION);
  prism_costs_save (&costs, config, NULL);
}
