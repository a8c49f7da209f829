#include "config.h"

#include "session/prism-relevance.h"

static gboolean
applies (const char *key,
         const char *depends_on,
         const char *value)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  const PrismParam *param = prism_config_get_param (key);

  g_assert_nonnull (param);
  g_assert_true (prism_config_set_text (config, depends_on, value, NULL));
  return prism_relevance_get (config, param);
}

static void
test_conditions (void)
{
  g_assert_true (applies ("vanes", "aperture_shape", "obscured"));
  g_assert_false (applies ("vanes", "aperture_shape", "hexagon"));
  g_assert_true (applies ("star_lines", "pattern", "star"));
  g_assert_false (applies ("star_lines", "pattern", "fermat"));
  g_assert_true (applies ("replay", "memory", "all"));
  g_assert_false (applies ("replay", "memory", "self"));
  g_assert_false (applies ("learning_rate", "method", "epie"));
  g_assert_true (applies ("object_text", "object", "text"));
  g_assert_false (applies ("object_text", "object", "moon"));
}

/* Two conditions must both hold. */
static void
test_both (void)
{
  g_assert_false (applies ("replay", "method", "epie"));
  g_assert_true (applies ("replay", "method", "auto"));
}

static gboolean
waits (const char *key,
       PrismMethod method)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  config->method = method;
  return prism_relevance_waits (config, prism_config_get_param (key));
}

/* With the automatic method nobody knows before whether the decoder will be trained. */
static void
test_waits (void)
{
  g_assert_true (waits ("amp", PRISM_METHOD_AUTO));
  g_assert_true (waits ("channels", PRISM_METHOD_AUTO));
  g_assert_false (waits ("smoothness", PRISM_METHOD_AUTO));
  g_assert_false (waits ("amp", PRISM_METHOD_DECODER));
  g_assert_false (waits ("amp", PRISM_METHOD_EPIE));
  g_assert_true (applies ("amp", "method", "auto"));
  g_assert_true (applies ("amp", "method", "decoder"));
  g_assert_false (applies ("amp", "method", "mopie"));
  g_assert_false (applies ("channels", "method", "epie"));
}

/* Whatever chooses between methods, sizes and devices is always there. */
static void
test_always (void)
{
  static const char *const keys[]
      = { "object", "image_size", "object_size", "aperture_shape", "pattern",
          "samples", "method", "backend", "seed", "passes" };

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      g_assert_true (applies (keys[i], "method", "epie"));
      g_assert_true (applies (keys[i], "method", "auto"));
    }
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/relevance/conditions", test_conditions);
  g_test_add_func ("/app/relevance/both", test_both);
  g_test_add_func ("/app/relevance/waits", test_waits);
  g_test_add_func ("/app/relevance/always", test_always);
  return g_test_run ();
}
