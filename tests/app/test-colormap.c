#include "prism-mapping.h"
#include "prism-test.h"

static int
get_channel (guint32 pixel,
             int shift)
{
  return pixel >> shift & 0xff;
}

static void
assert_color (PrismColormap map,
              int i,
              guint32 expected,
              int tolerance)
{
  guint32 pixel = prism_colormap_get_table (map)[i];

  g_test_message ("%s[%d] = %08x, published %08x", prism_colormap_get_label (map), i, pixel,
                  expected);
  for (int shift = 0; shift <= 24; shift += 8)
    g_assert_cmpint (abs (get_channel (pixel, shift) - get_channel (expected, shift)), <=,
                     tolerance);
}

/* First, middle and last colour as the authors of the maps print them. */
TEST (published_colors, "/app/colormap/published-colors")
{
  assert_color (PRISM_COLORMAP_GREY, 0, 0xff000000, 0);
  assert_color (PRISM_COLORMAP_GREY, 51, 0xff333333, 0);
  assert_color (PRISM_COLORMAP_GREY, 255, 0xffffffff, 0);
  assert_color (PRISM_COLORMAP_VIRIDIS, 0, 0xff440154, 5);
  assert_color (PRISM_COLORMAP_VIRIDIS, 128, 0xff20908c, 5);
  assert_color (PRISM_COLORMAP_VIRIDIS, 255, 0xfffde725, 5);
  assert_color (PRISM_COLORMAP_MAGMA, 0, 0xff000003, 5);
  assert_color (PRISM_COLORMAP_MAGMA, 128, 0xffb73779, 5);
  assert_color (PRISM_COLORMAP_MAGMA, 255, 0xfffbfcbf, 5);
  assert_color (PRISM_COLORMAP_INFERNO, 128, 0xffbc3754, 5);
  assert_color (PRISM_COLORMAP_INFERNO, 255, 0xfffcfea4, 5);
  assert_color (PRISM_COLORMAP_PLASMA, 0, 0xff0c0786, 5);
  assert_color (PRISM_COLORMAP_PLASMA, 128, 0xffcb4777, 5);
  assert_color (PRISM_COLORMAP_PLASMA, 255, 0xffeff821, 5);
  assert_color (PRISM_COLORMAP_CIVIDIS, 0, 0xff00204c, 5);
  assert_color (PRISM_COLORMAP_CIVIDIS, 128, 0xff7d7c78, 5);
  assert_color (PRISM_COLORMAP_CIVIDIS, 255, 0xffffe945, 5);
  assert_color (PRISM_COLORMAP_COOLWARM, 0, 0xff3b4cc0, 4);
  assert_color (PRISM_COLORMAP_COOLWARM, 128, 0xffdddddd, 4);
  assert_color (PRISM_COLORMAP_COOLWARM, 255, 0xffb40426, 4);
  assert_color (PRISM_COLORMAP_COOLWARM_DARK, 128, 0xff2b2b2b, 6);
}

/* A sequential map must not fold back: its luma grows all the way. */
TEST (sequential_maps_grow_brighter, "/app/colormap/sequential-maps-grow-brighter")
{
  for (PrismColormap map = PRISM_COLORMAP_GREY; map <= PRISM_COLORMAP_CIVIDIS; map++)
    {
      const guint32 *table = prism_colormap_get_table (map);
      double previous = -1;

      for (int i = 0; i < PRISM_COLORMAP_SIZE; i += 8)
        {
          double luma = 0.299 * get_channel (table[i], 16) + 0.587 * get_channel (table[i], 8)
                        + 0.114 * get_channel (table[i], 0);
          g_assert_cmpfloat (luma, >, previous);
          previous = luma;
        }
    }
}

TEST (coverage_is_premultiplied, "/app/colormap/coverage-is-premultiplied")
{
  const guint32 *table = prism_colormap_get_table (PRISM_COLORMAP_COVERAGE);

  g_assert_cmphex (table[0], ==, 0);
  for (int i = 0; i < PRISM_COLORMAP_SIZE; i++)
    for (int shift = 0; shift < 24; shift += 8)
      g_assert_cmpint (get_channel (table[i], shift), <=, get_channel (table[i], 24));
}

TEST (nicks_name_the_maps, "/app/colormap/nicks-name-the-maps")
{
  g_autoptr (GEnumClass) class = g_type_class_ref (PRISM_TYPE_COLORMAP);

  g_assert_cmpint (g_enum_get_value_by_nick (class, "coolwarm")->value, ==,
                   PRISM_COLORMAP_COOLWARM);
  for (guint i = 0; i < class->n_values; i++)
    g_assert_nonnull (prism_colormap_get_label (class->values[i].value));
}
