#include "config.h"

#include "prism-status-bar.h"

#include "widget-test.h"

#include <string.h>

/* A run in the middle of a phase, as the engine reports it. */
static PrismSnapshot *
new_snapshot (PrismPhase phase)
{
  PrismSnapshot *snapshot = prism_snapshot_new ();

  snapshot->config = prism_config_new ();
  snapshot->state = PRISM_STATE_RUNNING;
  snapshot->phase = phase;
  snapshot->n_samples = 120;
  snapshot->n_steps = 5000;
  snapshot->step = 30;
  snapshot->loss_new = 0.25;
  snapshot->device = g_strdup ("CPU, 2 threads");
  return snapshot;
}

static gboolean
says (GtkWidget *widget,
      const char *text)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_visible (widget)
      && strcmp (gtk_label_get_text (GTK_LABEL (widget)), text) == 0)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (says (child, text))
        return TRUE;
    }
  return FALSE;
}

/* In the start phase there are no earlier samples, and no loss of theirs. */
static void
test_losses (void)
{
  GtkWidget *bar = g_object_ref_sink (g_object_new (PRISM_TYPE_STATUS_BAR, NULL));
  g_autoptr (PrismSnapshot) start = new_snapshot (PRISM_PHASE_START);
  g_autoptr (PrismSnapshot) samples = new_snapshot (PRISM_PHASE_SAMPLES);

  samples->loss_old = 0.125;
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, start);
  g_assert_true (says (bar, "Loss 0.2500"));
  prism_status_bar_set_snapshot (PRISM_STATUS_BAR (bar), PRISM_STATE_RUNNING, samples);
  g_assert_true (says (bar, "Loss 0.2500 / 0.1250"));
  g_object_unref (bar);
}

int
main (int argc,
      char *argv[])
{
  widget_test_init (&argc, &argv);
  g_test_add_func ("/app/status-bar/losses", test_losses);
  return g_test_run ();
}
