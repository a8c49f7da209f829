#include "config.h"

#include "benchmark/prism-series-kind.h"

#include "profile/prism-profile.h"
#include "profiling/prism-performance-window.h"
#include "profiling/prism-profile-window.h"
#include "support/prism-settings.h"
#include "window/prism-window-private.h"

/* Other thread. What the machine can do is measured when the run does not need it any more; what a
 * GPU can do nobody has measured. */
static gpointer
read_profile (gpointer on_processor,
              GError **error)
{
  PrismTrace *trace = prism_profile_stop ();

  if (on_processor != NULL)
    prism_roof_measure (&trace->roof);
  return prism_trace_reading_new (trace);
}

static void
take_reading (PrismWindow *self,
              gpointer on_processor,
              gpointer result,
              const GError *error)
{
  g_autoptr (PrismTraceReading) reading = result;

  /* The window may have been closed meanwhile. */
  if (self->session == NULL || self->quitting)
    return;
  prism_window_enable (self, "profile", TRUE, NULL);
  prism_window_open_child (self, prism_profile_window_new (reading), NULL);
}

static void
finish (PrismWindow *self)
{
  static const PrismJob job
      = { "profile", read_profile, take_reading, NULL, prism_trace_reading_unref };
  const PrismSnapshot *snapshot = self->session->snapshot;

  self->profiling = FALSE;
  g_action_group_change_action_state (G_ACTION_GROUP (self), "profile",
                                      g_variant_new_boolean (FALSE));
  prism_window_enable (self, "profile", FALSE, NULL);
  prism_job_start (
      &job, self,
      GINT_TO_POINTER (snapshot != NULL && g_strcmp0 (snapshot->backend, "cpu") == 0), NULL);
}

/* A profile goes on through pauses, to the end of the run. */
static void
on_state_changed (PrismWindow *self)
{
  gboolean going = prism_session_get_going (self->session);
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self), "profile");
  g_autoptr (GVariant) wanted = g_action_get_state (action);

  if (self->profiling && !prism_session_get_active (self->session))
    finish (self);
  else if (!self->profiling && going && g_variant_get_boolean (wanted))
    {
      self->profiling = TRUE;
      prism_profile_name_thread ("window");
      prism_profile_start ();
    }
}

static void
on_profile (PrismWindow *self,
            gboolean on)
{
  if (!on)
    {
      if (self->profiling)
        finish (self);
      return;
    }
  on_state_changed (self);
  prism_window_show_toast (self, self->profiling ? _ ("The profile is shown when the run ends")
                                                 : _ ("The next run is profiled"));
}

static void
on_open_profile (PrismWindow *self)
{
  prism_window_open_child (self, prism_profile_window_new (NULL), NULL);
}

/**
 * prism_window_open_profile:
 * @self: a window
 * @path: of a profile
 *
 * Shows a profile that was saved, in a window of its own, which says what is wrong with it.
 */
void
prism_window_open_profile (PrismWindow *self,
                           const char *path)
{
  GtkWidget *window = prism_profile_window_new (NULL);

  prism_window_open_child (self, window, NULL);
  prism_profile_window_open (PRISM_PROFILE_WINDOW (window), path, FALSE);
}

/**
 * prism_window_drop_profile:
 * @self: a window
 *
 * Ends a profile that nobody will look at.
 */
void
prism_window_drop_profile (PrismWindow *self)
{
  if (self->profiling)
    prism_trace_free (prism_profile_stop ());
  self->profiling = FALSE;
}

/* Runs at a time are no setting of a run: the next sweep takes them. */
static void
on_apply (PrismWindow *self,
          int kind,
          int value,
          PrismPerformanceWindow *window)
{
  g_auto (GStrv) settings = prism_series_dup_settings (kind, value);
  g_autofree char *name = prism_series_dup_name (kind, value);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: %s"), _ (prism_series_infos[kind].label), name);
  g_autoptr (GError) error = NULL;

  if (kind == PRISM_SERIES_RUNS)
    g_object_set (prism_settings_get_default (), "sweep-jobs", value, NULL);
  else
    prism_draft_set_several (self->draft, (const char *const *) settings, text, NULL, &error);
  prism_toaster_tell (PRISM_JOB_WINDOW (window)->toast_overlay,
                      error != NULL ? error->message : text);
}

static void
on_performance (PrismWindow *self)
{
  GtkWidget *window;

  if (prism_window_open_again (self, PRISM_TYPE_PERFORMANCE_WINDOW)
      || prism_window_refuse_recorded (self, _ ("“Performance” times simulated runs of a telescope,"
                                                " not recorded frames. Choose an object to time its"
                                                " sizes.")))
    return;
  window = prism_performance_window_new (self->draft->config);
  PRISM_CONNECT (window, "apply", on_apply, self);
  prism_window_open_child (self, window, NULL);
}

/**
 * prism_window_install_profile:
 * @self: a window
 *
 * Adds the actions that note where the time of a run goes, and that measure which sizes pay.
 */
void
prism_window_install_profile (PrismWindow *self)
{
  PRISM_WINDOW_ACTIONS (self,
                        { "profile", on_profile, "b" },
                        { "open-profile", on_open_profile },
                        { "performance", on_performance });
  PRISM_CONNECT (self->session, "notify::state", on_state_changed, self);
}
