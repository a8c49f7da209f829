#include "config.h"

#include "prism-test.h"
#include "recorded-scene.h"
#include "instrument/prism-instrument-simulate.h"
#include "recording/prism-recording-save.h"

/* 49 frames of 64², in a file that can be read again. (transfer full) */
PrismProblem *
recorded_scene_new (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "smear.hdf5", NULL);
  g_autoptr (PrismRecipe) recipe = prism_recipe_new ();
  g_autoptr (PrismInstrumentTruth) truth = NULL;
  g_autoptr (PrismConfig) settings = prism_config_new_recorded ();
  PrismInstrument instrument;

  g_assert_true (prism_instrument_init (&instrument, "microscope", NULL));
  instrument.size = 64;
  instrument.per_side = 7;
  g_autoptr (PrismRecording) simulated
      = MUST (prism_instrument_simulate (&instrument, &truth, &error));
  g_assert_true (MUST (prism_recording_save (simulated, path, PRISM_RECORDING_PTYLAB, &error)));
  g_autoptr (PrismRecording) recording = MUST (prism_recording_load (path, recipe, &error));
  settings->border = 0;
  settings->passes = 6;
  PrismProblem *problem = MUST (prism_problem_new (recording, settings, &error));
  prism_problem_set_reading (problem, recipe, NULL);
  return problem;
}
