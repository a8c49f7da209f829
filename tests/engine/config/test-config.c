#include "config/prism-config.h"
#include "config/prism-device-list.h"
#include "model/prism-config-check.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <locale.h>

static void
assert_message (GError **error, const char *part)
{
  g_assert_error (*error, PRISM_ERROR, PRISM_ERROR_CONFIG);
  if (strstr ((*error)->message, part) == NULL)
    g_error ("“%s” does not contain “%s”", (*error)->message, part);
  g_assert_true (g_str_has_suffix ((*error)->message, ".")
                 || g_str_has_suffix ((*error)->message, "?"));
  g_assert_null (strchr ((*error)->message, '\n'));
  g_clear_error (error);
}

static void
assert_refused (const char *key, const char *text, const char *part)
{
  g_autoptr (PrismConfig) config = prism_config_new (), before = prism_config_dup (config);
  g_autoptr (GError) error = NULL;

  g_assert_false (prism_config_set_text (config, key, text, &error));
  assert_message (&error, part);
  g_assert_true (prism_config_equal (config, before));
}

static void
assert_file_refused (const char *text, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (prism_config_load_text (text, -1, "test.prism", &error));
  assert_message (&error, part);
}

TEST (table_is_sound, "/engine/config/table-is-sound")
{
  g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);
  gsize n_params, n_groups, group = 0;
  const PrismParam *params = prism_config_get_params (&n_params);
  const PrismParamGroup *groups = prism_config_get_groups (&n_groups);

  g_assert_cmpuint (n_params, >, 40);
  for (gsize i = 0; i < n_params; i++)
    {
      const PrismParam *param = &params[i];

      g_test_message ("%s", param->key);
      g_assert_true (g_hash_table_add (keys, (gpointer) param->key));
      g_assert_true (prism_config_get_param (param->key) == param);
      g_assert_nonnull (param->unit);
      g_assert_cmpstr (param->label, !=, "");
      g_assert_true (g_str_has_suffix (param->help, "."));
      g_assert_true ((param->choices != NULL) == (param->type == PRISM_PARAM_CHOICE));
      g_assert_true ((param->default_text != NULL) == (param->type == PRISM_PARAM_TEXT));
      if (strcmp (groups[group].id, param->group) != 0)
        group++;
      g_assert_cmpuint (group, <, n_groups);
      g_assert_cmpstr (groups[group].id, ==, param->group);
    }
  g_assert_cmpuint (group, ==, n_groups - 1);
  g_assert_null (prism_config_get_param ("no_such_key"));
}

/* Each byte of the struct that holds a value belongs to exactly one row of the table. */
TEST (every_field_is_in_the_table, "/engine/config/every-field-is-in-the-table")
{
  guint8 owners[sizeof (PrismConfig)] = { 0 };
  gsize n_params, n_owned = 0;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      gsize size = params[i].type == PRISM_PARAM_TEXT   ? sizeof (char *)
                   : params[i].type == PRISM_PARAM_REAL ? sizeof (double)
                                                        : sizeof (int);

      for (gsize k = 0; k < size; k++)
        g_assert_cmpuint (owners[params[i].offset + k]++, ==, 0);
      n_owned += size;
    }
  /* What is left is padding, at most 4 bytes before each double or pointer and at the end, whose
   * frames it is of, and what is kept of former keys. */
  g_assert_cmpint (owners[offsetof (PrismConfig, kind)]++, ==, 0);
  for (gsize i = 0; i + 8 <= sizeof (PrismConfig); i += 8)
    g_assert_true (owners[i] == 1);
  g_assert_cmpuint (n_owned, <=, sizeof (PrismConfig));
}

TEST (defaults, "/engine/config/defaults")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_true (MUST (prism_config_check (config, &error)));
  g_assert_cmpstr (config->object, ==, "moon");
  g_assert_cmpint (config->image_size, ==, 512);
  g_assert_cmpint (config->object_size, ==, 128);
  g_assert_cmpfloat (config->aperture_radius, ==, 20);
  g_assert_cmpint (config->samples, ==, 100);
  g_assert_cmpint (config->memory, ==, PRISM_MEMORY_REPLAY);
  g_assert_cmpint (config->replay, ==, 4);
  g_assert_true (config->normalise);
  g_assert_cmpfloat (config->energy_weight, ==, 0.35);
  g_assert_cmpint (config->polish, ==, 100);
  g_assert_cmpfloat (config->learning_rate, ==, 2e-3);
  g_assert_cmpint (config->edge, ==, PRISM_EDGE_SAME);
  g_assert_false (config->amp);
}

static double
get_most (const PrismParam *param)
{
  double n_choices = 0;

  if (param->type == PRISM_PARAM_SWITCH)
    return 1;
  if (param->type != PRISM_PARAM_CHOICE)
    return param->maximum;
  for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
    n_choices++;
  return n_choices - 1;
}

TEST (ends_of_every_range, "/engine/config/ends-of-every-range")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      const PrismParam *param = &params[i];
      const double most = get_most (param), beyond = MAX (most + 1, 1.001 * most);
      g_autoptr (GError) error = NULL;

      if (param->type == PRISM_PARAM_TEXT)
        continue;
      g_assert_true (prism_config_set_number (config, param, param->minimum, NULL));
      g_assert_cmpfloat (prism_config_get_number (config, param), ==, param->minimum);
      g_assert_true (prism_config_set_number (config, param, most, NULL));
      g_assert_cmpfloat (prism_config_get_number (config, param), ==, most);
      g_assert_false (prism_config_set_number (config, param, beyond, &error));
      assert_message (&error, param->key);
      g_assert_false (prism_config_set_number (config, param, param->minimum - 1, &error));
      assert_message (&error, "allowed is");
      g_assert_false (prism_config_set_number (config, param, NAN, &error));
      assert_message (&error, param->key);
      g_assert_cmpfloat (prism_config_get_number (config, param), ==, most);
    }
}

/* Names of files have any bytes; what is written of them is UTF-8 and comes back as they were. */
TEST (names_of_files, "/engine/config/names-of-files")
{
  static const char *const keys[] = { "object", "pattern_file" };
  static const struct
  {
    const char *given, *path;
    const char *text;
  } names[] = {
    { "/a/caf\xe9 %20.png", "/a/caf\xe9 %20.png", "file:///a/caf%E9%20%2520.png" },
    { "file:///a/b%20c.png", "/a/b c.png", "/a/b c.png" },
    { "/a/Gr\xc3\xb6\xc3\x9f"
      "e%20.png",
      "/a/Gr\xc3\xb6\xc3\x9f"
      "e%20.png",
      "/a/Gr\xc3\xb6\xc3\x9f"
      "e%20.png" },
    { "file://elsewhere/a.png", "file://elsewhere/a.png", "file://elsewhere/a.png" },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
      {
        const PrismParam *param = prism_config_get_param (keys[k]);
        g_autoptr (PrismConfig) config = prism_config_new ();
        g_autoptr (GError) error = NULL;

        g_assert_true (MUST (prism_config_set_text (config, keys[k], names[i].given, &error)));
        g_assert_cmpstr (k == 0 ? config->object : config->pattern_file, ==, names[i].path);
        g_autofree char *text = prism_config_dup_text (config, param);
        g_assert_cmpstr (text, ==, names[i].text);
        g_assert_true (prism_config_check_ranges (config, NULL, &error));
        g_autofree char *file = prism_config_to_text (config);
        g_autoptr (PrismConfig) again = MUST (prism_config_load_text (file, -1, "a.prism", &error));
        g_assert_true (prism_config_equal (config, again));
      }
}

TEST (text_of_every_parameter_reads_back, "/engine/config/text-reads-back")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gsize n_params;
  const PrismParam *params = prism_config_get_params (&n_params);

  for (gsize i = 0; i < n_params; i++)
    {
      g_autofree char *text = prism_config_dup_text (config, &params[i]);

      g_assert_true (MUST (prism_config_set_text (config, params[i].key, text, &error)));
      g_autofree char *again = prism_config_dup_text (config, &params[i]);
      g_assert_cmpstr (text, ==, again);
    }
}

TEST (numbers_are_short_and_exact, "/engine/config/numbers-are-short-and-exact")
{
  static const char *const texts[] = { "0.35", "0.002", "1e-07", "0.1", "0.30000000000000004" };
  g_autoptr (PrismConfig) config = prism_config_new ();
  const PrismParam *param = prism_config_get_param ("learning_rate");

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_true (prism_config_set_text (config, "learning_rate", texts[i], NULL));
      SAYS (prism_config_dup_text (config, param), texts[i]);
    }
}

TEST (switches_and_choices, "/engine/config/switches-and-choices")
{
  static const char *const on[] = { "on", "true", "yes", "1", "ON" };
  static const char *const off[] = { "off", "false", "no", "0", "Off" };
  g_autoptr (PrismConfig) config = prism_config_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (on); i++)
    {
      g_assert_true (prism_config_set_text (config, "amp", on[i], NULL));
      g_assert_true (config->amp);
      g_assert_true (prism_config_set_text (config, "amp", off[i], NULL));
      g_assert_false (config->amp);
    }
  g_assert_true (prism_config_set_text (config, "pattern", "random-square", NULL));
  g_assert_cmpint (config->pattern, ==, PRISM_PATTERN_RANDOM_SQUARE);
  g_assert_true (prism_config_set_text (config, "backend", "CUDA", NULL));
  g_assert_cmpint (config->backend, ==, prism_device_list_find ("cuda"));
}

TEST (bad_values, "/engine/config/bad-values")
{
  static const char *const not_numbers[] = { "", " 1", "1 ", "1,5", "nan", "NaN", "inf", "-inf",
                                             "0x10", "1e999", "1px", "--1", "ten", "1.5.2" };

  for (gsize i = 0; i < G_N_ELEMENTS (not_numbers); i++)
    {
      assert_refused ("aperture_radius", not_numbers[i], "a number from 1 to 2048 px");
      assert_refused ("steps", not_numbers[i], "a whole number from 1 to 100000");
    }
  assert_refused ("steps", "1.5", "whole number");
  assert_refused ("training_seed", "-1", "from 0 to 2147483647 or auto");
  assert_refused ("upsampling", "0", "from 2 to 16 or auto");
  assert_refused ("defocus", "-10001", "from -10000 to 10000 µm or auto");
  assert_refused ("aperture_radius", "0", "aperture_radius");
  assert_refused ("snr", "101", "0 to 100 dB");
  assert_refused ("amp", "maybe", "on or off");
  assert_refused ("loss", "l3", "l1, l2");
  assert_refused ("object", "", "1 to 4096 bytes");
  assert_refused ("object_text", "moon\xff", "UTF-8");
  assert_refused ("threads", "a\nb%s%n", "a?b%s%n");
}

TEST (unknown_keys, "/engine/config/unknown-keys")
{
  assert_refused ("image_sise", "64", "did you mean “image_size”");
  assert_refused ("imagesize", "64", "did you mean “image_size”");
  assert_refused ("Steps", "64", "did you mean “steps”");
  assert_refused ("radius", "64", "did you mean “aperture_radius”");
  assert_refused ("quite_something_else", "64", "lists all");
  assert_refused ("", "64", "lists all");
  assert_refused ("\xff\xfe\n", "64", "There is no parameter");
}

static void
assert_check_fails (const char *key, const char *value, const char *part)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (prism_config_set_text (config, "aperture_shape", "obscured", NULL));
  g_assert_true (prism_config_set_text (config, key, value, NULL));
  g_assert_false (prism_config_check (config, &error));
  g_assert_true (g_str_has_prefix (error->message, key));
  assert_message (&error, part);
}

TEST (parameters_must_fit_together, "/engine/config/parameters-must-fit")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;

  assert_check_fails ("image_size", "500", "choose 256 or 512");
  assert_check_fails ("object_size", "129", "choose 128 or 130");
  assert_check_fails ("object_size", "514", "512 px");
  assert_check_fails ("aperture_radius", "256.5", "256 px");
  assert_check_fails ("roi", "513", "512 px");
  assert_check_fails ("vane_width", "20.5", "20 px");
  config->steps = 0;
  g_assert_false (prism_config_check (config, &error));
  assert_message (&error, "steps cannot be “0”");
}

TEST (file_round_trip, "/engine/config/file/round-trip")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "name with %s and ü.prism", NULL);

  g_assert_true (prism_config_set_text (config, "object", "/a b/ü\n\\s\t;#.png ", NULL));
  g_assert_true (prism_config_set_text (config, "energy_weight", "0.1", NULL));
  g_assert_true (prism_config_set_text (config, "memory", "self", NULL));
  g_assert_true (prism_config_set_text (config, "amp", "on", NULL));
  g_assert_true (MUST (
      prism_config_save (config, path, "[display]\nmarks=ruler 1 2 3 4\n", &error)));
  g_autoptr (PrismConfig) loaded = MUST (prism_config_load (path, &error));
  g_assert_cmpstr (loaded->object, ==, config->object);
  g_assert_true (prism_config_equal (config, loaded));
  loaded->seed++;
  g_assert_false (prism_config_equal (config, loaded));
}

/* A configuration and the files beside it can be moved together, and opened from anywhere. */
TEST (paths_are_relative_to_the_file, "/engine/config/file/relative-paths")
{
  g_autoptr (TestFolder) directory = test_folder_new ();
  g_autofree char *path = g_build_filename (directory, "setup.prism", NULL);
  g_autofree char *elsewhere = g_canonicalize_filename ("b.png", NULL);
  g_autoptr (PrismConfig) saved = prism_config_new ();

  MUST (g_file_set_contents (
      path, "[prism]\nobject=./pictures/a.png\npattern_file=points.csv\n", -1, &error));
  g_autoptr (PrismConfig) config = MUST (prism_config_load (path, &error));
  g_assert_cmpstr (config->object, ==, in_folder (directory, "pictures", "a.png"));
  g_assert_cmpstr (config->pattern_file, ==, in_folder (directory, "points.csv"));
  g_clear_pointer (&config, prism_config_free);

  MUST (g_file_set_contents (path, "[prism]\nobject=siemens\n", -1, &error));
  config = MUST (prism_config_load (path, &error));
  g_assert_cmpstr (config->object, ==, "siemens");
  g_assert_cmpstr (config->pattern_file, ==, "");
  g_clear_pointer (&config, prism_config_free);

  g_assert_true (MUST (prism_config_set_text (saved, "object", "b.png", &error)));
  g_assert_true (MUST (prism_config_save (saved, path, NULL, &error)));
  config = MUST (prism_config_load (path, &error));
  g_assert_cmpstr (config->object, ==, elsewhere);
}

TEST (file_is_forgiving_about_form, "/engine/config/file/form")
{
  g_autoptr (PrismConfig) config
      = MUST (prism_config_load_text ("\357\273\277# comment\r\n\r\n [prism] \r\n steps = 7  \r\n"
                                      "object=a  \n",
                                      -1, "test.prism", &error));

  g_assert_cmpint (config->steps, ==, 7);
  g_assert_cmpstr (config->object, ==, "a");
  g_assert_cmpint (config->image_size, ==, 512);
}

TEST (bad_files, "/engine/config/file/bad")
{
  g_autofree char *line = g_strnfill (1000000, 'x');
  g_autofree char *long_line = g_strdup_printf ("[prism]\nobject=%.*s\n", 10000, line);
  g_autofree char *huge = g_strdup_printf ("[prism]\nobject=%s\n", line);

  assert_file_refused ("", "no group [prism]");
  assert_file_refused ("[prism]\nsteps=nan\n", "test.prism, line 2: steps cannot be “nan”");
  assert_file_refused ("[prism]\n\nstep=1\n",
                       "line 3: There is no parameter “step”: did you mean “steps”");
  assert_file_refused ("[prism]\nsteps[de]=1\n", "line 2: There is no parameter “steps[de]”");
  assert_file_refused ("[prism]\nsteps=1\nseed=1\nsteps=2\n",
                       "line 4: the key “steps” stands in line 2");
  assert_file_refused ("steps=1\n", "line 1");
  assert_file_refused ("[Prism]\nsteps=1\n", "line 1: the only group");
  assert_file_refused ("[prism]\n[prism]\n", "line 2");
  assert_file_refused ("[prism]\nsteps\n", "line 2: expected");
  assert_file_refused ("[prism]\n=1\n", "line 2: expected");
  assert_file_refused ("[prism]\nobject=a\\qb\n", "line 2: the value has a broken escape");
  assert_file_refused ("[prism]\nobject=\xff\n", "line 2: the text is not UTF-8");
  assert_file_refused (long_line, "line 2: the line is longer");
  assert_file_refused (huge, "more than 256 KiB");
}

TEST (zero_bytes_and_every_truncation, "/engine/config/file/truncated")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = prism_config_to_text (config);
  gsize length = strlen (text);

  for (gsize i = 0; i < length; i++)
    {
      g_autoptr (GError) reason = NULL;
      g_autoptr (PrismConfig) loaded = prism_config_load_text (text, i, "test.prism", &reason);

      g_assert_true ((loaded != NULL) == (reason == NULL));
      if (reason != NULL)
        g_assert_error (reason, PRISM_ERROR, PRISM_ERROR_CONFIG);
    }
  text[length / 2] = '\0';
  g_assert_null (prism_config_load_text (text, length, "test.prism", &error));
  assert_message (&error, "zero byte");
}

TEST (files_that_cannot_be_read, "/engine/config/file/unreadable")
{
  FAILS (prism_config_load ("/no/such/file.prism", &error), IO, "");
  FAILS (prism_config_load ("/", &error), IO, "directory");
  FAILS (prism_config_load ("/dev/zero", &error), IO, "");
}

TEST (comma_locale_changes_nothing, "/engine/config/comma-locale")
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autofree char *before = prism_config_to_text (config);

  if (setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    {
      g_test_skip ("the locale de_DE.UTF-8 is not installed");
      return;
    }
  g_autofree char *after = prism_config_to_text (config);
  g_assert_true (prism_config_set_text (config, "energy_weight", "0.5", NULL));
  g_assert_false (prism_config_set_text (config, "energy_weight", "0,25", NULL));
  g_assert_cmpfloat (config->energy_weight, ==, 0.5);
  setlocale (LC_ALL, "C");
  g_assert_cmpstr (before, ==, after);
}

/* The key that should change is told beside the sentence. */
TEST (the_wrong_key, "/engine/config/wrong-key")
{
  static const char *const cases[][4] = {
    /* key, value, and what else is set before */
    { "image_size", "96" },
    { "object_size", "33" },
    { "aperture_radius", "300" },
    { "roi", "600" },
    { "line_length", "600" },
    { "vane_width", "30", "aperture_shape", "obscured" },
    { "channels", "3 3 3" },
    { "weight_l1", "0", "weight_ssim", "0" },
    { "convergence", "on", "threshold", "0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismConfig) config = prism_config_new ();
      g_autoptr (GError) error = NULL;

      g_assert_null (prism_config_check_find (config, NULL));
      if (i == 7)
        g_assert_true (prism_config_set_text (config, "loss", "composite", NULL));
      if (cases[i][2] != NULL)
        g_assert_true (prism_config_set_text (config, cases[i][2], cases[i][3], NULL));
      g_assert_true (prism_config_set_text (config, cases[i][0], cases[i][1], NULL));
      const char *wrong = prism_config_check_find (config, &error);
      g_assert_cmpstr (wrong, ==, cases[i][0]);
      g_assert_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG);
      config->weight_ssim = 0.3; /* one of them is enough */
      g_assert_true (i != 7 || prism_config_check_find (config, NULL) == NULL);
    }
}

static void
check_former (const char *lines, PrismMethod method)
{
  g_autofree char *text = g_strconcat ("[prism]\n", lines, NULL);
  g_autoptr (PrismConfig) config = MUST (prism_config_load_text (text, -1, "old.prism", &error));

  g_test_message ("%s", text);
  g_assert_cmpint (config->method, ==, method);
}

/* “algorithm” and “effort” of earlier versions have become “method”; in which order they stand does
 * not matter. */
TEST (former_keys, "/engine/config/former-keys")
{
  static const struct
  {
    const char *base, *algorithm, *effort;
    PrismMethod method;
  } cases[] = {
    { "", "algorithm=prism\n", "effort=auto\n", PRISM_METHOD_AUTO },
    { "", "algorithm=prism\n", "effort=full\n", PRISM_METHOD_DECODER },
    { "", "algorithm=epie\n", "effort=auto\n", PRISM_METHOD_EPIE },
    { "", "algorithm=epie\n", "effort=full\n", PRISM_METHOD_EPIE },
    { "", "algorithm=mopie\n", "effort=full\n", PRISM_METHOD_MOPIE },
    { "", "", "effort=full\n", PRISM_METHOD_DECODER },
    { "", "algorithm=mopie\n", "", PRISM_METHOD_MOPIE },
    { "extends=epie\n", "", "effort=full\n", PRISM_METHOD_EPIE },
    { "extends=epie\n", "algorithm=prism\n", "", PRISM_METHOD_AUTO },
    { "extends=epie\n", "algorithm=prism\n", "effort=auto\n", PRISM_METHOD_AUTO },
    { "extends=epie\n", "algorithm=prism\n", "effort=full\n", PRISM_METHOD_DECODER },
    { "extends=epie\n", "algorithm=mopie\n", "effort=full\n", PRISM_METHOD_MOPIE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *one = g_strconcat (cases[i].base, cases[i].algorithm, cases[i].effort, NULL);
      g_autofree char *other
          = g_strconcat (cases[i].effort, cases[i].algorithm, cases[i].base, NULL);

      check_former (one, cases[i].method);
      check_former (other, cases[i].method);
    }
  assert_refused ("algorithm", "full", "algorithm cannot be “full”: allowed is one of prism, ");
  assert_refused ("effort", "", "effort cannot be “”: allowed is one of auto, full.");
  assert_file_refused ("[prism]\nsnr=3\nalgorithm=decoder\n", "test.prism, line 3: algorithm");
}

/* Each overrides what it said before, and leaves alone what it never spoke of. */
TEST (former_keys_over_a_method, "/engine/config/former-keys/over-a-method")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->method = PRISM_METHOD_DECODER;
  g_assert_true (prism_config_set_text (config, "algorithm", "prism", NULL));
  g_assert_cmpint (config->method, ==, PRISM_METHOD_DECODER);
  g_assert_true (prism_config_set_text (config, "effort", "auto", NULL));
  g_assert_cmpint (config->method, ==, PRISM_METHOD_AUTO);
  g_assert_true (prism_config_set_text (config, "effort", "full", NULL));
  g_assert_true (prism_config_set_text (config, "method", "mopie", NULL));
  g_assert_true (prism_config_set_text (config, "effort", "auto", NULL));
  g_assert_cmpint (config->method, ==, PRISM_METHOD_MOPIE);
  g_assert_true (prism_config_set_text (config, "algorithm", "prism", NULL));
  g_assert_cmpint (config->method, ==, PRISM_METHOD_AUTO);
  g_assert_cmpstr (prism_config_get_params (NULL)->key, ==, "method");
  g_assert_true (prism_config_get_param ("effort") == prism_config_get_params (NULL));
}
