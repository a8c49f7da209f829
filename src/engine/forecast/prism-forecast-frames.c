#include "config.h"

#include "forecast/prism-forecast.h"

#include "base/prism-clock.h"

/* How long recorded frames take: nobody knows what their search and passes cost here before some of
 * them are done, so a part of each is done and timed, on the frames themselves. */

#define PART 0.3 /* s of each */
/* Pupil, places and held-out frames take their time beside the visits that are timed; of runs of
 * 128² to 1024². */
#define BESIDE 1.6
#define N_SEARCHES 3 /* where LEDs are far from their places */

/* What was done until then. */
typedef struct
{
  GMutex lock;
  GCancellable *cancellable; /* (nullable) */
  double begun;              /* s */
  double fraction;           /* of the search */
  guint n;                   /* frames */
} Part;

/* On any thread of the search. */
static gboolean
watch (double fraction,
       gpointer data)
{
  Part *self = data;
  const gboolean goes_on = prism_clock_get_seconds () < self->begun + PART
                           && !g_cancellable_is_cancelled (self->cancellable);

  g_mutex_lock (&self->lock);
  if (goes_on)
    self->fraction = MAX (self->fraction, fraction);
  self->n += goes_on;
  g_mutex_unlock (&self->lock);
  return goes_on;
}

/* Returns seconds that it has taken; 0: there is no memory, or nobody waits any more */
static double
time_part (Part *self,
           const PrismProblem *problem,
           const PrismConfig *settings,
           gboolean passes)
{
  const PrismRecording *recording = problem->recording;
  g_autoptr (PrismPtychography) solver
      = prism_ptychography_new (prism_ptychogram_ref (problem->frames), settings,
                                recording->wavelength, recording->na, NULL);
  gboolean goes_on;

  if (solver == NULL || g_cancellable_is_cancelled (self->cancellable))
    return 0;
  prism_ptychography_set_watch (solver, watch, self);
  self->begun = prism_clock_get_seconds ();
  goes_on = prism_ptychography_begin (solver);
  if (passes)
    {
      self->begun = prism_clock_get_seconds ();
      self->n = 0;
      while (goes_on && prism_ptychography_get_pass (solver) < (guint) settings->passes)
        goes_on = prism_ptychography_step (solver);
    }
  else if (goes_on)
    self->fraction = 1;
  return prism_clock_get_seconds () - self->begun;
}

/**
 * prism_forecast_init_problem:
 * @self: (out caller-allocates): the forecast
 * @problem: frames that are ready
 * @config: what is wanted of them
 * @cancellable: (nullable): ends what is timed
 *
 * As prism_forecast_init(), for recorded frames; where LEDs are far from their places more passes
 * and searches follow. It takes half a second.
 *
 * Units: seconds.
 *
 * Returns: whether it is known; not for other methods than one frame after the other, what nobody
 *   waits for any more, and fields in tiles, whose making and joining take as long as their passes
 */
gboolean
prism_forecast_init_problem (PrismForecast *self,
                             const PrismProblem *problem,
                             const PrismConfig *config,
                             GCancellable *cancellable)
{
  g_autoptr (PrismConfig) settings = prism_config_dup (problem->settings);
  Part search = { .cancellable = cancellable }, pass = { .cancellable = cancellable };
  double searching = 0, passing, pass_seconds;

  settings->passes = config->passes;
  settings->method = config->method;
  prism_config_settle_method (settings);
  if (settings->method != PRISM_METHOD_SEQUENTIAL || problem->mosaic != NULL)
    return FALSE;
  if (settings->pupil == PRISM_PUPIL_SEARCH)
    searching = time_part (&search, problem, settings, FALSE) / MAX (search.fraction, 1e-3);
  settings->pupil = PRISM_PUPIL_FLAT;
  passing = time_part (&pass, problem, settings, TRUE);
  if (!(passing > 0) || pass.n == 0)
    return FALSE;
  pass_seconds = BESIDE * passing * problem->frames->n_used / pass.n;
  passing = pass_seconds * config->passes;
  for (guint i = 0; i < PRISM_N_TRAININGS; i++)
    self->seconds[i] = NAN;
  self->likely = PRISM_TRAINING_SET;
  self->seconds[self->likely] = self->least = self->most = searching + passing;
  self->longest = N_SEARCHES * searching + passing + pass_seconds * config->more_passes;
  return TRUE;
}
