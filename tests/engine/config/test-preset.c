#include "config.h"

#include "base/prism-error.h"
#include "config/prism-preset.h"
#include "model/prism-config-check.h"

#include <string.h>

static void
test_every_preset_loads_and_fits (void)
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  g_assert_cmpuint (n_presets, ==, 11);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PrismConfig) config = prism_preset_load (presets[i].id, &error);

      g_assert_no_error (error);
      g_assert_true (prism_config_check (config, &error));
      g_assert_no_error (error);
      g_assert_cmpstr (presets[i].label, !=, "");
      g_assert_true (g_str_has_suffix (presets[i].help, "."));
    }
}

/* The numbers that other pages quote. */
static void
test_standard_workload (void)
{
  g_autoptr (PrismConfig) config = prism_preset_load ("standard", NULL);
  g_autoptr (PrismConfig) defaults = prism_config_new ();

  g_assert_true (prism_config_equal (config, defaults));
  g_assert_cmpint (config->image_size, ==, 512);
  g_assert_cmpint (config->object_size, ==, 128);
  g_assert_cmpint (config->samples, ==, 100);
  g_assert_cmpfloat (config->aperture_radius, ==, 20);
}

static void
test_python_prism (void)
{
  g_autoptr (PrismConfig) config = prism_preset_load ("python-prism", NULL);

  g_assert_cmpint (config->edge, ==, PRISM_EDGE_VALID);
  g_assert_cmpint (config->memory, ==, PRISM_MEMORY_SELF);
  g_assert_cmpfloat (config->energy_weight, ==, 0);
  g_assert_cmpint (config->schedule, ==, PRISM_SCHEDULE_CONSTANT);
  g_assert_true (config->fresh_adam);
  g_assert_cmpfloat (config->learning_rate, ==, 1e-3);
  g_assert_cmpint (config->polish, ==, 0);
}

static void
test_unknown_preset (void)
{
  static const char *const ids[] = { "", "nope", "../../etc/passwd", "quick-look.prism", "\xff" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (prism_preset_load (ids[i], &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      g_assert_nonnull (strstr (error->message, "quick-look, standard"));
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/preset/loads-and-fits", test_every_preset_loads_and_fits);
  g_test_add_func ("/engine/preset/standard", test_standard_workload);
  g_test_add_func ("/engine/preset/python-prism", test_python_prism);
  g_test_add_func ("/engine/preset/unknown", test_unknown_preset);
  return g_test_run ();
}
