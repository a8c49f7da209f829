#include "config.h"

#include "session/prism-forecaster.h"

#include "device/prism-registry.h"
#include "forecast/prism-cost-probe.h"

/* After the last change: a machine that is timed for every notch of a slider would have nothing
 * left for the slider. */
#define REST 500 /* ms */

/* What another thread is to find out. */
typedef struct
{
  PrismConfig *config;
  GCancellable *cancellable;
  gboolean may_time;
  PrismProblem *problem; /* (nullable): recorded frames */
} Question;

G_DEFINE_FINAL_TYPE (PrismForecaster, prism_forecaster, G_TYPE_OBJECT)

PRISM_FREE (Question,
            question_free,
            g_object_unref,
            cancellable,
            prism_config_free,
            config,
            prism_problem_unref,
            problem)

/* Recorded frames take their memory already. A picture in tiles is many runs, which are told of
 * where they are made. */
static char *
dup_text (const PrismForecaster *self,
          const PrismForecast *forecast)
{
  const guint64 bytes = self->session->required_bytes;
  const PrismConfig *config = self->session->draft->config;
  g_autofree char *memory = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *time = self->known ? prism_forecast_dup_text (forecast) : NULL;

  if (config->tile != 0 && config->kind != PRISM_FRAMES_RECORDED)
    return g_strdup (_ ("In tiles"));
  if (bytes == 0 || time == NULL)
    return time != NULL ? g_steal_pointer (&time) : g_steal_pointer (&memory);
  return g_strdup_printf ("%s\n%s", time, memory);
}

/* Nothing while a run is under way: the status bar says what is left of it. The header has no room
 * for how long a run can be: its tooltip says it. */
static void
update (PrismForecaster *self)
{
  const PrismConfig *config = self->session->draft->config;
  const gboolean in_tiles = config->tile != 0 && config->kind != PRISM_FRAMES_RECORDED;
  const gboolean told = (self->session->required_bytes > 0 || self->known)
                        && !prism_session_get_active (self->session);
  PrismForecast expected = self->forecast;

  expected.longest = expected.most;
  self->detail = config->kind == PRISM_FRAMES_RECORDED
                     ? _ ("Time of the run, by a part of its search and of a pass")
                 : in_tiles
                     ? _ ("Run opens a window of its own, where the object is cut into tiles,"
                          " each a run")
                     : _ ("Time and memory of the run. Passes alone may suffice;"
                          " else the decoder is trained, and exit waves are"
                          " searched");
  g_free (self->text);
  self->text = told ? dup_text (self, &self->forecast) : NULL;
  g_free (self->brief);
  self->brief = told ? dup_text (self, &expected) : NULL;
  g_object_notify (G_OBJECT (self), "text");
}

/* A device with memory of its own belongs to the engine's thread: what runs on it take is known
 * where the command line timed it. */
static gpointer
answer (const Question *self,
        GError **error)
{
  g_autofree PrismForecast *forecast = g_new0 (PrismForecast, 1);
  PrismCosts costs;

  if (self->problem != NULL && self->may_time
      && prism_forecast_init_problem (forecast, self->problem, self->config, self->cancellable))
    return g_steal_pointer (&forecast);
  if (self->problem == NULL && self->may_time && !prism_registry_is_gpu (self->config->backend)
      && !prism_cost_probe_ensure (&costs, self->config, self->cancellable, error))
    return NULL;
  if (self->problem == NULL && prism_forecast_init_config (forecast, self->config))
    return g_steal_pointer (&forecast);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "not timed");
  return NULL;
}

static void
take_answer (PrismForecaster *self,
             const Question *question,
             gpointer result,
             const GError *error)
{
  g_autofree PrismForecast *forecast = result;
  const PrismSnapshot *last;

  if (question->cancellable != self->cancellable)
    return;
  g_clear_object (&self->cancellable);
  self->known = forecast != NULL;
  if (forecast != NULL)
    {
      last = self->session->snapshot;
      self->forecast = *forecast;
      /* What a run with the same settings has just taken is no limit for the next one. */
      if (last != NULL && PRISM_STATE_IS_OVER (self->session->state)
          && prism_config_equal (last->config, question->config))
        self->forecast.longest = fmax (forecast->longest, last->seconds);
    }
  update (self);
}

static void
ask (PrismForecaster *self)
{
  static const PrismJob job = { "forecast", answer, take_answer, question_free, g_free };
  PrismDraft *draft = self->session->draft;
  const PrismScene *frames = draft->frames;

  /* Nor of frames that are not read yet. */
  if (draft->problem != NULL || prism_session_get_active (self->session)
      || (frames == NULL && draft->config->kind == PRISM_FRAMES_RECORDED))
    return;
  self->cancellable = g_cancellable_new ();
  /* The cancellable ends the trial; the job itself always ends with done(). */
  prism_job_start (&job, self,
                   PRISM_NEW (Question, prism_config_dup (draft->config),
                              g_object_ref (self->cancellable), self->timing,
                              frames != NULL ? prism_problem_ref (frames->problem) : NULL),
                   NULL);
}

/* What is known is of other values. */
static void
on_changed (PrismForecaster *self)
{
  if (self->session == NULL)
    return;
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_handle_id (&self->rest_id, g_source_remove);
  self->known = FALSE;
  prism_later (&self->rest_id, REST, ask, self);
  update (self);
}

static void
on_required (PrismForecaster *self)
{
  if (self->session != NULL)
    update (self);
}

static gpointer
learn (gpointer data,
       GError **error)
{
  prism_forecast_learn (data);
  return data;
}

static void
on_state_changed (PrismForecaster *self)
{
  static const PrismJob job = { "learn", learn, NULL, prism_snapshot_unref, NULL };
  PrismSnapshot *snapshot
      = self->session != NULL ? self->session->snapshot : NULL;

  if (snapshot != NULL && snapshot->state == PRISM_STATE_FINISHED
      && self->session->state == PRISM_STATE_FINISHED
      && !self->session->resting && snapshot->run != self->learned)
    {
      self->learned = snapshot->run;
      prism_job_start (&job, NULL, prism_snapshot_ref (snapshot), NULL);
    }
  if (snapshot != NULL && self->session->state == PRISM_STATE_PREPARING)
    {
      const gboolean is_known
          = self->known
            && prism_session_get_planned (self->session) == self->session->draft->config;

      self->expected[0] = is_known ? self->forecast.least : NAN;
      self->expected[1] = is_known ? self->forecast.longest : NAN;
    }
  on_changed (self);
}

static void
prism_forecaster_dispose (PrismForecaster *self)
{
  if (self->cancellable != NULL)
    g_cancellable_cancel (self->cancellable);
  self->session = NULL;
}

static void
prism_forecaster_class_init (PrismForecasterClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_forecaster_dispose);
  PRISM_DISPOSE (klass, PrismForecaster, g_source_remove, rest_id);
  PRISM_DISPOSE (klass, PrismForecaster, g_object_unref, cancellable);
  PRISM_DISPOSE (klass, PrismForecaster, g_free, text, brief);
  PRISM_FIELD (klass, PrismForecaster, text, G_TYPE_STRING, NULL);
}

static void
prism_forecaster_init (PrismForecaster *self)
{
  self->expected[0] = self->expected[1] = NAN;
}

/**
 * prism_forecaster_new:
 * @session: what it watches
 *
 * Returns: (transfer full): a forecaster that knows what the user's cache knows
 */
PrismForecaster *
prism_forecaster_new (PrismSession *session)
{
  PrismForecaster *self = g_object_new (PRISM_TYPE_FORECASTER, NULL);
  PrismDraft *draft = session->draft;

  self->session = session;
  PRISM_CONNECT (draft, "changed", on_changed, self);
  PRISM_CONNECT (draft, "notify::problem", on_changed, self);
  PRISM_CONNECT (session, "notify::required-bytes", on_required, self);
  PRISM_CONNECT (session, "notify::state", on_state_changed, self);
  on_changed (self);
  return self;
}

/**
 * prism_forecaster_set_timing:
 * @self: a forecaster
 * @timing: whether the machine is timed for runs of a shape that is not known, on another thread,
 *   when the draft has rested
 */
void
prism_forecaster_set_timing (PrismForecaster *self,
                             gboolean timing)
{
  self->timing = timing;
  on_changed (self);
}
