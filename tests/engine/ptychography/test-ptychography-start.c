#include "config.h"

#include "../support/microscope.h"
#include "../support/test-remove-tree.h"
#include "base/prism-error.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-start.h"

#include <math.h>
#include <string.h>

/* What passes begin with, what of it they hold, and the method that takes all frames together. */

static const MicroscopeErrors errors = {
  .defocus = 2, .astigmatism = 0.7, .gain_spread = 0.3, .place_spread = 0.4, .seed = 5
};

static PrismPtychography *
new_solver (const PrismRecording *recording,
            const char *const *changes)
{
  PrismPtychographySettings settings;
  PrismPtychogram *frames;

  prism_ptychography_settings_init (&settings);
  for (guint i = 0; changes[i] != NULL; i++)
    g_assert_true (prism_ptychography_settings_parse (&settings, changes[i], NULL));
  frames = prism_ptychogram_new (recording, &settings, NULL);
  return prism_ptychography_new (frames, &settings, recording->wavelength, recording->na, NULL);
}

static void
explain (PrismPtychography *solver)
{
  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    g_assert_true (prism_ptychography_step (solver));
}

static PrismFinding *
find (PrismPtychography *solver)
{
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));

  return prism_finding_new (solver, none, "none", 0, NULL);
}

#define CHANGES(...) ((const char *const[]) { "border=0", __VA_ARGS__, NULL })

/* Another object of the same instrument needs no search, and holds what it is told to hold. */
static void
test_held (void)
{
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autoptr (PrismPtychography) first = new_solver (truth->recording, CHANGES ("passes=12"));
  g_autoptr (PrismPtychography) second
      = new_solver (truth->recording, CHANGES ("free_pupil=no", "gains=no", "positions=no"));
  g_autoptr (PrismPtychography) plain
      = new_solver (truth->recording,
                    CHANGES ("pupil=flat", "free_pupil=no", "gains=no", "positions=no"));
  g_autoptr (PrismFinding) known = NULL;
  g_autoptr (PrismFinding) found = NULL;
  PrismPrediction held, without;

  explain (first);
  known = find (first);
  prism_ptychography_start_take (second, known, FALSE);
  explain (second);
  explain (plain);
  found = find (second);
  held = prism_ptychography_predict (second, TRUE, NULL, NULL);
  without = prism_ptychography_predict (plain, TRUE, NULL, NULL);
  g_test_message ("held %g, none %g", held.misfit, without.misfit);
  g_assert_cmpfloat (held.misfit, <, 0.5 * without.misfit);
  g_assert_cmpfloat (without.misfit, >, 0.1);
  for (guint j = 0; j < found->n_frames; j++)
    {
      if (!found->frames[j].held)
        g_assert_cmpfloat_with_epsilon (found->frames[j].gain, known->frames[j].gain, 1e-12);
      for (int k = 0; k < 2; k++)
        g_assert_cmpfloat_with_epsilon (found->frames[j].found[k], known->frames[j].found[k], 1e-9);
    }
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (found->waves[i], known->waves[i], 0.01);
}

/* Four numbers for all LEDs: none moves on its own. */
static void
test_board (void)
{
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autoptr (PrismPtychography) solver
      = new_solver (truth->recording, CHANGES ("positions=board"));
  const PrismIllumination *light = prism_ptychography_get_illumination (solver);

  explain (solver);
  for (guint j = 0; j < light->n_frames; j++)
    {
      double place[2];

      prism_illumination_get_expected (light, j, place);
      for (int k = 0; k < 2; k++)
        g_assert_cmpfloat_with_epsilon (light->found[j][k], place[k], 1e-9);
    }
  g_assert_true (light->board.shift[0] != 0);
}

/* All frames together come as near, and the misfit never grows for long. */
static void
test_descent (void)
{
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autoptr (PrismPtychography) solver
      = new_solver (truth->recording, CHANGES ("method=descent", "passes=10"));
  double before = INFINITY;

  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < 10)
    {
      PrismPrediction used;

      g_assert_true (prism_ptychography_step (solver));
      used = prism_ptychography_predict (solver, FALSE, NULL, NULL);
      g_test_message ("misfit %g", used.misfit);
      g_assert_cmpfloat (used.misfit, <, 1.05 * before);
      before = used.misfit;
    }
  g_assert_cmpfloat (before, <, 0.03);
  g_assert_cmpfloat (prism_ptychography_predict (solver, TRUE, NULL, NULL).misfit, <, 0.06);
}

/* A pupil of another wavelength is refused with both instruments named. */
static void
test_other (void)
{
  g_autoptr (Microscope) truth = microscope_new (&errors);
  g_autofree char *folder = g_dir_make_tmp ("prism-start-XXXXXX", NULL);
  g_autofree char *start = g_strconcat ("start=", folder, NULL);
  g_autoptr (PrismPtychography) first = new_solver (truth->recording, CHANGES ("passes=1"));
  g_autoptr (PrismPtychography) same = new_solver (truth->recording, CHANGES (start));
  g_autoptr (PrismPtychography) other = NULL;
  g_autoptr (PrismFinding) known = NULL;
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof (PrismPrediction));
  g_autoptr (GPtrArray) doubts = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  PrismPtychographyOutcome outcome = { .progress = none, .doubts = doubts };

  explain (first);
  outcome.recording = truth->recording;
  outcome.settings = prism_ptychography_get_settings (first);
  outcome.device = "CPU";
  outcome.device_reason = "none";
  outcome.misfits = g_new0 (double, truth->recording->n_frames);
  outcome.correlations = g_new0 (double, truth->recording->n_frames);
  outcome.summary = prism_ptychography_export_dup_summary (first, &outcome);
  g_assert_true (prism_ptychography_export_save_all (first, &outcome, folder, &error));
  g_assert_no_error (error);
  g_assert_true (prism_ptychography_start_load (same, &error));
  truth->recording->wavelength *= 0.8;
  other = new_solver (truth->recording, CHANGES (start));
  g_assert_false (prism_ptychography_start_load (other, &error));
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  g_assert_nonnull (strstr (error->message, "another instrument"));
  g_free ((char *) outcome.summary);
  g_free ((double *) outcome.misfits);
  g_free ((double *) outcome.correlations);
  test_remove_tree (folder);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ptychography-start/held", test_held);
  g_test_add_func ("/engine/ptychography-start/other", test_other);
  g_test_add_func ("/engine/ptychography-start/board", test_board);
  g_test_add_func ("/engine/ptychography-start/descent", test_descent);
  return g_test_run ();
}
