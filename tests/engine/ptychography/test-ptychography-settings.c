#include "config.h"

#include "base/prism-error.h"
#include "ptychography/prism-ptychography-settings.h"

#include <math.h>

static void
test_defaults (void)
{
  PrismPtychographySettings settings;
  const PrismPtychographyKey *keys;
  gsize n;

  prism_ptychography_settings_init (&settings);
  keys = prism_ptychography_settings_get_keys (&n);
  g_assert_cmpint (settings.hold_out, ==, 15);
  g_assert_cmpint (settings.upsampling, ==, 0);
  g_assert_true (isnan (settings.background));
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *value = prism_ptychography_settings_dup (&settings, keys[i].key);

      g_assert_cmpstr (value, ==, keys[i].initial);
    }
}

static void
test_set (void)
{
  static const char *const settings_to_keep[] = {
    "passes=20",
    "hold_out = 0",
    "border=auto",
    "pupil=flat",
    "defocus=-55",
    "gains=no",
    "method=descent",
    "positions=board",
    "start=/somewhere/else",
    "tile=256",
  };
  PrismPtychographySettings settings;

  prism_ptychography_settings_init (&settings);
  for (gsize i = 0; i < G_N_ELEMENTS (settings_to_keep); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_true (prism_ptychography_settings_parse (&settings, settings_to_keep[i], &error));
      g_assert_no_error (error);
    }
  g_assert_cmpint (settings.passes, ==, 20);
  g_assert_cmpint (settings.hold_out, ==, 0);
  g_assert_cmpint (settings.border, ==, -1);
  g_assert_cmpint (settings.pupil, ==, PRISM_PUPIL_FLAT);
  g_assert_cmpfloat (settings.defocus, ==, -55);
  g_assert_false (settings.gains);
  g_assert_cmpint (settings.method, ==, PRISM_METHOD_DESCENT);
  g_assert_cmpint (settings.positions, ==, PRISM_PLACES_BOARD);
  g_assert_cmpstr (settings.start, ==, "/somewhere/else");
  g_assert_cmpint (settings.tile, ==, 256);
}

/* Each is refused with a sentence that names what can be set. */
static void
test_refuse (void)
{
  static const struct
  {
    const char *setting;
    const char *sentence;
  } wrong[] = {
    { "passes", "key=value" },
    { "passes=0", "from 1 to 10000" },
    { "passes=2.5", "from 1 to 10000" },
    { "passes=nan", "from 1 to 10000" },
    { "passes=auto", "from 1 to 10000" },
    { "upsampling=1", "or auto" },
    { "gains=maybe", "yes or no" },
    { "pupil=round", "search or flat" },
    { "positions=some", "no or yes or board" },
    { "tile=5000", "from 0 to 2048" },
    { "radius=3", "there are hold_out" },
    { "object=real", "complex object" },
    { "background=-1", "or auto" },
    { "passes=20x", "from 1 to 10000" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      PrismPtychographySettings settings;

      prism_ptychography_settings_init (&settings);
      g_assert_false (prism_ptychography_settings_parse (&settings, wrong[i].setting, &error));
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      g_assert_nonnull (strstr (error->message, wrong[i].sentence));
      g_assert_true (g_str_has_suffix (error->message, "."));
    }
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ptychography-settings/defaults", test_defaults);
  g_test_add_func ("/engine/ptychography-settings/set", test_set);
  g_test_add_func ("/engine/ptychography-settings/refuse", test_refuse);
  return g_test_run ();
}
