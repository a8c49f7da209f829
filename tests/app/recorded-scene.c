#include "config.h"

#include "recorded-scene.h"

#include "../engine/support/test-run-parts.h"

/* A run of a second: n = 64, m = 32, N = 12. */
PrismConfig *
recorded_scene_new_config (void)
{
  PrismConfig *config = prism_config_new ();

  config->image_size = 64;
  config->object_size = 32;
  config->aperture_radius = 10;
  config->samples = 12;
  config->steps = 6;
  config->start_steps = 20;
  config->polish = 20;
  config->backend = PRISM_BACKEND_CPU;
  return config;
}

/* What the telescope sees, handed over as if it came from elsewhere. */
PrismScene *
recorded_scene_new (const PrismConfig *config,
                    gboolean with_target)
{
  g_autoptr (GPtrArray) frames
      = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_image_unref);
  g_autoptr (GError) error = NULL;
  PrismScene *scene;
  Run run;

  run_prepare (&run, prism_config_dup (config), NULL, prism_registry_get_ops ("cpu"));
  run_measure (&run);
  for (guint i = 0; i < run.pattern->n_points; i++)
    g_ptr_array_add (frames, prism_measurements_dup_image (run.measurements, i, NULL));
  scene = prism_scene_new_recorded ((PrismImage **) frames->pdata, run.pattern,
                                    with_target ? run.object : NULL, &error);
  g_assert_no_error (error);
  run_close (&run);
  return scene;
}
