#include "config.h"

#include "config/prism-preset.h"
#include "window-test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* follow-meter: what the window adds between a changed value and its picture, in ms, as one JSON
 * object per change.
 *
 *   follow-meter [--changes N] [--set key=value]…
 *
 * The quick look is run once, then its radius is changed again and again with changes followed.
 * "begun" is when the run was asked for, "first" its first snapshot, "shown" the first picture that
 * takes the place of the one before, "near" the first within 1 dB of the end, "end" the end as the
 * window sees it, "computed" what the engine counts as computing. */

#define MOST 100000

typedef struct
{
  WindowTest test;
  gint64 changed; /* µs */
  double begun, first, shown;
  guint n_pictures;
  double times[MOST], qualities[MOST];
} Meter;

static double
get_time (Meter *self)
{
  return (g_get_monotonic_time () - self->changed) * 1e-3;
}

static void
on_state_changed (Meter *self)
{
  if (self->test.session->state == PRISM_STATE_PREPARING && isnan (self->begun))
    self->begun = get_time (self);
}

/* After the follower, which has let go of the picture before or not. */
static void
on_snapshot_changed (Meter *self)
{
  PrismSnapshot *snapshot = self->test.session->snapshot;
  PrismDashboard *dashboard = widget_test_get_part (self->test.window, "dashboard");
  g_autoptr (PrismSnapshot) held = NULL;

  if (isnan (self->begun)
      || (snapshot->state != PRISM_STATE_RUNNING && snapshot->state != PRISM_STATE_FINISHED))
    return;
  g_object_get (dashboard, "held", &held, NULL);
  if (isnan (self->first))
    self->first = get_time (self);
  if (held != NULL || self->n_pictures == MOST)
    return;
  if (isnan (self->shown))
    self->shown = get_time (self);
  self->times[self->n_pictures] = get_time (self);
  self->qualities[self->n_pictures++] = snapshot->metrics.psnr;
}

static double
find_near (Meter *self)
{
  double end = self->qualities[self->n_pictures - 1];
  guint i = self->n_pictures;

  while (i > 0 && self->qualities[i - 1] >= end - 1.0)
    i--;
  return self->times[MIN (i, self->n_pictures - 1)];
}

static void
measure (Meter *self,
         int radius)
{
  g_autofree char *text = g_strdup_printf ("%d", radius);

  self->begun = self->first = self->shown = NAN;
  self->n_pictures = 0;
  self->changed = g_get_monotonic_time ();
  prism_draft_set_parameter (self->test.session->draft,
                             prism_config_get_param ("aperture_radius"), text, NULL);
  WAIT_FOR (window_test_is_active (self->test.session));
  WAIT_FOR (window_test_has_finished (self->test.session));
  PrismSnapshot *snapshot = self->test.session->snapshot;
  printf ("{\"begun\": %.1f, \"first\": %.1f, \"shown\": %.1f, \"near\": %.1f, \"end\": %.1f, "
          "\"computed\": %.1f, \"psnr\": %.2f}\n",
          self->begun, self->first, self->shown, find_near (self), get_time (self),
          1e3 * snapshot->seconds, snapshot->metrics.psnr);
}

static PrismConfig *
read_config (int argc,
             char *argv[],
             int *n_changes)
{
  PrismConfig *config = prism_preset_load ("quick-look", NULL);

  for (int i = 1; i + 1 < argc; i += 2)
    {
      g_auto (GStrv) parts = g_strsplit (argv[i + 1], "=", 2);
      g_autoptr (GError) error = NULL;

      if (g_str_equal (argv[i], "--changes"))
        *n_changes = atoi (argv[i + 1]);
      else if (parts[0] == NULL || parts[1] == NULL
               || !prism_config_set_text (config, parts[0], parts[1], &error))
        g_printerr ("%s is no setting\n", argv[i + 1]);
    }
  return config;
}

int
main (int argc,
      char *argv[])
{
  g_autofree Meter *meter = g_new0 (Meter, 1);
  int n_changes = 6;

  widget_test_init (&argc, &argv);
  g_autoptr (PrismConfig) config = read_config (argc, argv, &n_changes);
  window_test_open (&meter->test, config);
  g_signal_connect_swapped (meter->test.session, "notify::state", G_CALLBACK (on_state_changed),
                            meter);
  g_signal_connect_swapped (meter->test.session, "notify::snapshot",
                            G_CALLBACK (on_snapshot_changed), meter);
  prism_session_run (meter->test.session);
  WAIT_FOR (window_test_has_finished (meter->test.session));
  window_test_activate (&meter->test, "follow");
  for (int i = 0; i < n_changes; i++)
    measure (meter, i % 2 == 0 ? 22 : 20);
  window_test_close (&meter->test);
  return 0;
}
