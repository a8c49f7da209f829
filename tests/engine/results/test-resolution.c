#include "prism-test.h"
#include "results/prism-frc.h"

#define M 128

static PrismImage *
make_target (gboolean invert)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;

  prism_config_set_text (config, "object", "usaf1951", &error);
  config->object_size = M;
  config->object_invert = invert;
  return MUST (prism_object_load (config, &error));
}

/* Mean over (2·reach+1)² pixels. */
static PrismImage *
blur (const PrismImage *image, int reach)
{
  PrismImage *blurred = prism_image_new (M, M, NULL);

  for (int y = 0; y < M; y++)
    for (int x = 0; x < M; x++)
      {
        double sum = 0.0;

        for (int v = -reach; v <= reach; v++)
          for (int u = -reach; u <= reach; u++)
            sum += image->pixels[CLAMP (y + v, 0, M - 1) * M + CLAMP (x + u, 0, M - 1)];
        blurred->pixels[y * M + x] = (float) (sum / pow (2 * reach + 1, 2));
      }
  return blurred;
}

static const struct
{
  const char *name;
  gboolean invert;
} targets[] = { { "truth", FALSE }, { "inverted", TRUE } };

TEST_ROWS (truth_is_resolved, "/engine/resolution", targets)
{
  g_autoptr (PrismImage) target = make_target (((const typeof (*targets) *) data)->invert);
  PrismResolution resolution;

  prism_resolution_compute (&resolution, target, target);
  g_assert_cmpuint (resolution.n_elements, >, 10);
  g_assert_cmpuint (resolution.n_resolved, ==, resolution.n_elements);
  g_assert_cmpfloat_with_epsilon (resolution.contrast, 1.0, 1e-9);
}

/* A box of w px takes the contrast of bars away whose pair of lines is w px wide. */
TEST (blur_limits, "/engine/resolution/blur")
{
  g_autoptr (PrismImage) target = make_target (FALSE);
  guint last = G_MAXUINT;

  for (int reach = 1; reach <= 2; reach++)
    {
      g_autoptr (PrismImage) blurred = blur (target, reach);
      PrismResolution resolution;

      prism_resolution_compute (&resolution, blurred, target);
      g_test_message ("blur %d px: %u of %u", 2 * reach + 1, resolution.n_resolved,
                      resolution.n_elements);
      g_assert_cmpuint (resolution.n_resolved, <, last);
      g_assert_cmpfloat (resolution.finest.line_pairs_per_pixel, <, 1.0 / (2 * reach + 1));
      last = resolution.n_resolved;
    }
  g_assert_cmpuint (last, >, 0);
}

TEST (grey_resolves_nothing, "/engine/resolution/grey")
{
  g_autoptr (PrismImage) target = make_target (FALSE), grey = prism_image_new (M, M, NULL);
  PrismResolution resolution;

  for (int i = 0; i < M * M; i++)
    grey->pixels[i] = 0.5f;
  prism_resolution_compute (&resolution, grey, target);
  g_assert_cmpuint (resolution.n_resolved, ==, 0);
  g_autofree char *text = prism_resolution_to_text (&resolution);
  HAS (text, "none");
}
