#include "model/prism-config-check.h"
#include "prism-test.h"

/* What the column “applies” of the table says, and the rows of recorded frames. */

static gboolean
has_value (const PrismParam *param, const char *value)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  if (value[0] == '\0')
    return param->type == PRISM_PARAM_TEXT;
  return prism_config_set_text (config, param->key, value, NULL);
}

/* Every condition names a parameter and values that it can have. */
TEST (sound, "/engine/config-applies/sound")
{
  for (const PrismParam *param = prism_config_get_params (NULL); param->key != NULL; param++)
    {
      g_auto (GStrv) words = g_strsplit (param->applies != NULL ? param->applies : "", " ", -1);

      for (guint i = 0; words[i] != NULL; i++)
        {
          g_auto (GStrv) sides = g_strsplit (words[i], "=", 2);
          g_auto (GStrv) values = g_strsplit (sides[1] != NULL ? sides[1] : "", "|", -1);

          g_test_message ("%s: %s", param->key, words[i]);
          if (sides[1] == NULL)
            {
              static const char *const sources[] = { "telescope", "decoder", "recorded", NULL };

              g_assert_cmpuint (i, ==, 0);
              g_assert_true (g_strv_contains (sources, words[i]));
              continue;
            }
          if (g_str_has_suffix (sides[0], "!"))
            sides[0][strlen (sides[0]) - 1] = '\0';
          const PrismParam *other = prism_config_get_param (sides[0]);
          g_assert_nonnull (other);
          for (guint k = 0; values[k] != NULL; k++)
            g_assert_true (has_value (other, values[k]));
        }
    }
}

static gboolean
applies (const char *key, PrismFramesKind kind, const char *other, const char *value)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->kind = kind;
  if (other != NULL)
    g_assert_true (prism_config_set_text (config, other, value, NULL));
  return prism_config_applies (config, prism_config_get_param (key));
}

TEST (sources, "/engine/config-applies/sources")
{
  static const struct
  {
    const char *key;
    gboolean of[2]; /* simulated, recorded */
  } rows[] = {
    { "object", { TRUE, FALSE } },
    { "samples", { TRUE, FALSE } },
    { "image_size", { TRUE, FALSE } },
    { "snr", { TRUE, FALSE } },
    { "polish", { TRUE, FALSE } },
    { "learning_rate", { TRUE, FALSE } },
    { "hold_out", { FALSE, TRUE } },
    { "background", { FALSE, TRUE } },
    { "method", { TRUE, TRUE } },
    { "passes", { TRUE, TRUE } },
    { "threads", { TRUE, TRUE } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int recorded = 0; recorded < 2; recorded++)
      {
        const PrismParam *param = prism_config_get_param (rows[i].key);

        g_test_message ("%s, %d", rows[i].key, recorded);
        g_assert_cmpint (prism_param_is_of (param, recorded), ==, rows[i].of[recorded]);
        g_assert_cmpint (applies (rows[i].key, recorded, NULL, NULL), ==, rows[i].of[recorded]);
      }
}

TEST (conditions, "/engine/config-applies/conditions")
{
  g_assert_true (applies ("vanes", FALSE, "aperture_shape", "obscured"));
  g_assert_false (applies ("vanes", FALSE, "aperture_shape", "hexagon"));
  g_assert_true (applies ("samples", FALSE, "pattern", "star"));
  g_assert_false (applies ("samples", FALSE, "pattern", "hand"));
  g_assert_true (applies ("replay", FALSE, "memory", "all"));
  g_assert_false (applies ("replay", FALSE, "memory", "self"));
  g_assert_false (applies ("replay", FALSE, "method", "epie"));
  g_assert_true (applies ("depth", FALSE, NULL, NULL));
  g_assert_false (applies ("depth", FALSE, "channels", "16 1"));
  g_assert_false (applies ("line_angle", FALSE, NULL, NULL));
  g_assert_true (applies ("line_angle", FALSE, "line_length", "5"));
  g_assert_true (applies ("object_text", FALSE, "object", "text"));
  g_assert_false (applies ("object_text", FALSE, "object", "moon"));
}

/* What the decoder alone looks at has no effect where none can be trained. */
TEST (decoder, "/engine/config-applies/decoder")
{
  static const char *const methods[] = { "auto", "decoder", "epie", "mopie" };

  g_assert_true (prism_param_is_of_decoder (prism_config_get_param ("amp")));
  g_assert_true (prism_param_is_of_decoder (prism_config_get_param ("channels")));
  g_assert_false (prism_param_is_of_decoder (prism_config_get_param ("smoothness")));
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    {
      g_assert_cmpint (applies ("amp", FALSE, "method", methods[i]), ==, i < 2);
      g_assert_cmpint (applies ("learning_rate", FALSE, "method", methods[i]), ==, i < 2);
      g_assert_true (applies ("passes", FALSE, "method", methods[i]));
      g_assert_true (applies ("seed", FALSE, "method", methods[i]));
    }
}

/* As people write them on a command line, and as the table writes them. */
TEST (microscope, "/engine/config-applies/microscope")
{
  static const struct
  {
    const char *key, *value;
    const char *text;
  } rows[] = {
    { "passes", "10000", "10000" },
    { "hold_out", "0", "0" },
    { "leave_out", "17,31-35", "17,31-35" },
    { "border", "auto", "auto" },
    { "border", "0", "0" },
    { "upsampling", "auto", "auto" },
    { "upsampling", "2", "2" },
    { "pupil", "flat", "flat" },
    { "defocus", "auto", "auto" },
    { "defocus", "-10000", "-10000" },
    { "defocus", "-55", "-55" },
    { "rim", "1", "1" },
    { "rim", "AUTO", "auto" },
    { "background", "0", "0" },
    { "background", "auto", "auto" },
    { "gains", "no", "off" },
    { "free_pupil", "yes", "on" },
    { "method", "descent", "descent" },
    { "method", "complex", "complex" },
    { "positions", "board", "board" },
    { "start", "/somewhere/else", "/somewhere/else" },
    { "start", "none", "" },
    { "tile", "256", "256" },
    { "tile", "auto", "auto" },
  };
  g_autoptr (PrismConfig) config = prism_config_new_recorded ();

  g_assert_null (prism_config_check_find (config, NULL));
  g_assert_cmpint (config->passes, ==, 8);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_test_message ("%s=%s", rows[i].key, rows[i].value);
      MUST (prism_config_set_text (config, rows[i].key, rows[i].value, &error));
      g_autofree char *text = prism_config_dup_text (config, prism_config_get_param (rows[i].key));
      g_assert_cmpstr (text, ==, rows[i].text);
    }
}

/* Who looks for what does not apply reads what it waits for, in the words of the window. */
TEST (condition, "/engine/config-applies/condition")
{
  static const char *const sentences[][2] = {
    { "point_spacing", "Has an effect with Object: Point sources" },
    { "star_lines", "Has an effect with Pattern: Star of lines" },
    { "line_direction", "Has an effect with Line length other than 0" },
  };
  g_autoptr (PrismConfig) config = prism_config_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (sentences); i++)
    {
      const PrismParam *param = prism_config_get_param (sentences[i][0]);

      g_assert_false (prism_config_applies (config, param));
      SAYS (prism_config_dup_condition (config, param), sentences[i][1]);
    }
}

/* Each is refused with a sentence that names what can be set. */
TEST (microscope_refused, "/engine/config-applies/microscope-refused")
{
  static const struct
  {
    const char *key, *value;
    const char *part;
  } wrong[] = {
    { "passes", "0", "from 1 to 10000" },
    { "passes", "2.5", "from 1 to 10000" },
    { "passes", "nan", "from 1 to 10000" },
    { "passes", "auto", "from 1 to 10000" },
    { "upsampling", "1", "2 to 16 or auto" },
    { "upsampling", "-1", "or auto" },
    { "rim", "0.5", "1 to 16 px or auto" },
    { "background", "-0.5", "or auto" },
    { "defocus", "-10000.5", "or auto" },
    { "gains", "maybe", "on or off" },
    { "pupil", "round", "search, flat" },
    { "positions", "some", "no, yes, board" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (PrismConfig) config = prism_config_new_recorded ();

      FAILS (prism_config_set_text (config, wrong[i].key, wrong[i].value, &error), CONFIG,
             wrong[i].part);
    }
}

/* What a telescope has recorded frames have not, and the other way round. */
TEST (fits, "/engine/config-applies/fits")
{
  static const struct
  {
    const char *key, *value;
    gboolean telescope, microscope;
  } rows[] = {
    { "method", "auto", TRUE, TRUE },
    { "method", "epie", TRUE, FALSE },
    { "method", "decoder", TRUE, TRUE },
    { "method", "mopie", TRUE, FALSE },
    { "method", "sequential", FALSE, TRUE },
    { "method", "descent", FALSE, TRUE },
    { "method", "complex", FALSE, TRUE },
    { "tile", "auto", TRUE, TRUE },
    { "leave_out", "x", TRUE, FALSE },
    { "image_size", "100", FALSE, TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (PrismConfig) config = prism_config_new ();

      g_assert_true (prism_config_set_text (config, rows[i].key, rows[i].value, NULL));
      const char *wrong = prism_config_check_find (config, NULL);
      g_assert_cmpstr (wrong, ==, rows[i].telescope ? NULL : rows[i].key);
      config->kind = PRISM_FRAMES_RECORDED;
      wrong = prism_config_check_find (config, NULL);
      g_assert_cmpstr (wrong, ==, rows[i].microscope ? NULL : rows[i].key);
    }
}
