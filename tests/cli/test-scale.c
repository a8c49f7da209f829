#include "prism-cli-harness.h"
#include "prism-test.h"

TEST (for_people, "/cli/scale/people")
{
  g_auto (PrismCliResult) result = cli_clean ("scale --preset europa");
  HAS (result.output, "Pixel of the object  24.5 km, 8.04 mas\n",
       "Object's diameter    128.1 px\n");
}

/* True sizes for the Moon; no metres for what nobody has measured. */
TEST (own_scale, "/cli/scale/own-scale")
{
  g_auto (PrismCliResult) moon = cli_run ("scale --preset quick-look");
  HAS (moon.output, "Object's square      3780 km\n");
  g_auto (PrismCliResult) stars = cli_run ("scale --set object=points");
  LACKS (stars.output, "km");
  HAS (stars.output, "sizes are in pixels");
}

TEST (json, "/cli/scale/json")
{
  g_auto (PrismCliResult) result = cli_works ("scale --json --set wavelength=1000 "
                                              "--set distance=1e6 --set object_diameter=20");
  CLI_JSON (result.output, "advice has object_size to 102", "scale.pixel_m = 0.1953125 ± 1e-12",
            "scale.aperture_m = 0.4 ± 1e-12");
}

/* Powers of ten as large as that once made JSON that nobody could read. */
TEST (large_numbers, "/cli/scale/large-numbers")
{
  g_auto (PrismCliResult) result = cli_run ("scale --json --set wavelength=1e10 "
                                            "--set distance=1e21 --set dxf=1");
  CLI_JSON (result.output, "scale.field_m = 1e22 ± 1e7");
}

TEST (refused, "/cli/scale/refused")
{
  g_auto (PrismCliResult) result = cli_run ("scale --set distance=-1");
  g_assert_cmpint (result.exit_code, ==, 2);
  HAS (result.error, "distance");
}
