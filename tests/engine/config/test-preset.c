#include "config/prism-preset.h"
#include "config/prism-scenario.h"
#include "config/prism-units.h"
#include "model/prism-config-check.h"

#include "../support/test-remove-tree.h"
#include "prism-test.h"

TEST (every_preset_loads_and_fits, "/engine/preset/loads-and-fits")
{
  gsize n_presets;
  const PrismPreset *presets = prism_preset_get_all (&n_presets);

  g_assert_cmpuint (n_presets, ==, 11);
  for (gsize i = 0; i < n_presets; i++)
    {
      g_autoptr (PrismConfig) config = MUST (prism_preset_load (presets[i].id, &error));

      g_assert_true (MUST (prism_config_check (config, &error)));
      g_assert_cmpstr (presets[i].label, !=, "");
      g_assert_true (g_str_has_suffix (presets[i].help, "."));
      /* A camera has noise; the Python PRISM, whose bits that preset has, knows none. */
      g_assert_cmpfloat (config->snr, ==, strcmp (presets[i].id, "python-prism") == 0 ? 0 : 40);
    }
}

/* The numbers that other pages quote: the defaults, and a camera. */
TEST (standard_workload, "/engine/preset/standard")
{
  g_autoptr (PrismConfig) config = prism_preset_load ("standard", NULL);
  g_autoptr (PrismConfig) defaults = prism_config_new ();

  defaults->snr = 40;
  g_assert_true (prism_config_equal (config, defaults));
  g_assert_cmpint (config->image_size, ==, 512);
  g_assert_cmpint (config->object_size, ==, 128);
  g_assert_cmpint (config->samples, ==, 100);
  g_assert_cmpfloat (config->aperture_radius, ==, 20);
}

TEST (python_prism, "/engine/preset/python-prism")
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

TEST (unknown_preset, "/engine/preset/unknown")
{
  static const char *const ids[] = { "", "nope", "../../etc/passwd", "quick-look.prism", "\xff" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    FAILS (prism_preset_load (ids[i], &error), CONFIG, "quick-look, standard");
}

/* A file of the user's folder of presets, or of any other folder. */
static char *
write_file (const char *folder, const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static void
check_refused (const char *path, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) config = prism_config_load (path, &error);

  g_assert_null (config);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  HAS (error->message, part);
}

/* What a file states counts, then what it extends, then the defaults; names are relative to the
 * file that has them. */
TEST (extends, "/engine/preset/extends")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *inner = g_build_filename (folder, "inner", NULL);
  g_autofree char *base
      = write_file (inner, "base.prism", "[prism]\nextends=quick-look\nobject=my.png\nsnr=20\n");
  g_autofree char *path = write_file (
      folder, "top.prism", "[prism]\nsnr=30\nextends = inner/base.prism\npattern_file=p.csv\n");
  g_autoptr (PrismConfig) config = MUST (prism_config_load (path, &error));
  g_autoptr (PrismConfig) ground = prism_preset_load ("epie", NULL), over = NULL;

  g_assert_cmpfloat (config->snr, ==, 30);
  g_assert_cmpint (config->image_size, ==, 256);
  g_assert_cmpint (config->steps, ==, 50);
  g_assert_cmpstr (config->object, ==, in_folder (inner, "my.png"));
  g_assert_cmpstr (config->pattern_file, ==, in_folder (folder, "p.csv"));
  over = MUST (prism_config_load_over (ground, path, &error));
  g_assert_cmpint (over->method, ==, PRISM_METHOD_EPIE);
  g_assert_cmpint (over->image_size, ==, 256);
}

TEST (circles, "/engine/preset/circles")
{
  g_autoptr (TestFolder) folder = test_folder_new ();
  g_autofree char *one = write_file (folder, "one.prism", "[prism]\nextends=two.prism\n");
  g_autofree char *two = write_file (folder, "two.prism", "[prism]\nseed=3\nextends=./one.prism\n");
  g_autofree char *self = write_file (folder, "self.prism", "[prism]\nextends=self.prism\n");
  g_autofree char *lost = write_file (folder, "lost.prism", "[prism]\nextends=no-such\n");
  g_autofree char *wrong = write_file (folder, "wrong.prism", "[prism]\nsnr=900\n");
  g_autofree char *of_wrong = write_file (folder, "of.prism", "[prism]\nextends=wrong.prism\n");
  g_autofree char *twice
      = write_file (folder, "2.prism", "[prism]\nextends=epie\nextends=europa\n");
  g_autofree char *deep = NULL;

  check_refused (one, "one.prism, line 2: ");
  check_refused (one, "circle");
  check_refused (two, "two.prism, line 3: ");
  check_refused (self, "circle");
  check_refused (lost, "There is no preset “no-such”");
  check_refused (of_wrong, "wrong.prism, line 2: snr");
  check_refused (twice, "line 2 already");
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("deep%u.prism", i);
      g_autofree char *text = g_strdup_printf ("[prism]\nextends=deep%u.prism\n", i + 1);

      g_free (deep);
      deep = write_file (folder, name, text);
    }
  g_free (deep);
  deep = g_build_filename (folder, "deep0.prism", NULL);
  check_refused (deep, "16 files");
}

/* Presets of one's own stand beside those of the program, whose names they cannot have. */
TEST (own, "/engine/preset/own")
{
  g_autoptr (PrismConfig) config = prism_preset_load ("quick-look", NULL), again = NULL;

  config->snr = 17.0;
  FAILS (prism_preset_save ("quick-look", "", config, &error), CONFIG, "");
  g_assert_false (prism_preset_save ("../evil", "", config, NULL));
  g_assert_true (MUST (prism_preset_save ("Mein Labor", "Wie im Labor.\nZweite Zeile", config,
                                          &error)));
  g_auto (GStrv) ids = prism_preset_store_dup_own ();
  g_assert_cmpuint (g_strv_length (ids), ==, 1);
  g_assert_cmpstr (ids[0], ==, "Mein Labor");
  SAYS (prism_preset_dup_help ("Mein Labor"), "Wie im Labor. Zweite Zeile");
  again = MUST (prism_preset_load ("Mein Labor", &error));
  g_assert_true (prism_config_equal (again, config));
  g_autofree char *path = prism_preset_store_dup_folder ();
  test_remove_tree (path);
}

/* Pixels are as large as those of the camera at the object; the aperture stays within the pupil. */
TEST (scenarios, "/engine/preset/scenarios")
{
  gsize n_scenarios;
  const PrismScenario *scenarios = prism_scenario_get_all (&n_scenarios);

  g_assert_cmpuint (n_scenarios, ==, 17);
  for (gsize i = 0; i < n_scenarios; i++)
    {
      g_autoptr (PrismConfig) config = MUST (prism_preset_load (scenarios[i].id, &error));

      g_assert_true (MUST (prism_config_check (config, &error)));
      g_assert_cmpfloat (config->roi / 2.0 + config->aperture_radius, <=, config->image_size / 2.0);
    }
}

TEST (scenario_numbers, "/engine/preset/scenario-numbers")
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismConfig) drone
      = prism_preset_load ("drone_50m_survey,altitude=80,lens=35mm_f2.8", &error);
  g_autoptr (PrismConfig) oil = prism_preset_load ("microscope_100x_oil", &error);
  PrismUnits units;

  g_assert_no_error (error);
  prism_units_init_config (&units, drone);
  g_assert_cmpfloat_with_epsilon (units.pixel, 80 * 6.5e-6 / 35e-3, 1e-8);
  prism_units_init_config (&units, oil);
  g_assert_cmpfloat_with_epsilon (units.pixel, 34.5e-9, 1e-14);
  /* NA 1.4: n·dx·NA/λ pixels, of which the aperture has a quarter. */
  g_assert_cmpfloat_with_epsilon (oil->aperture_radius, 512 * 34.5e-9 * 1.4 / 550e-9 / 4, 0.01);
}

TEST (scenario_refused, "/engine/preset/scenario-refused")
{
  static const char *const cases[][2] = {
    { "drone_50m_survey,lens=50", "is no lens of a scenario" },
    { "drone_50m_survey,sensor=x", "is no sensor of a scenario: there are full_frame" },
    { "drone_50m_survey,altitude=-1", "it is a number from 1 to 100000" },
    { "drone_50m_survey,altitude", "write it as altitude=80" },
    { "drone_50m_survey,objective=40x_0.9NA_air", "a camera has lens" },
    { "microscope_40x_air,objective=40x_1.2NA_air", "is no objective of a scenario" },
    { "microscope_40x_air,objective=100x_0.01NA_air", "less than 8 pixels" },
    { "drone_50m_surveys", "did you mean “drone_50m_survey”?" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    FAILS (prism_preset_load (cases[i][0], &error), CONFIG, cases[i][1]);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("prism-presets-XXXXXX", NULL);

  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  int code = prism_test_run ();
  test_remove_tree (folder);
  return code;
}
