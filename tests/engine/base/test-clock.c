#include "base/prism-clock.h"
#include "prism-test.h"

static void
check (gint64 seconds, const char *expected)
{
  g_autoptr (GDateTime) time = prism_clock_new (seconds), local = g_date_time_to_local (time);
  g_autofree char *local_text = g_date_time_format (local, "%Y-%m-%d");

  SAYS (g_date_time_format (time, "%Y-%m-%dT%H:%M:%SZ"), expected);
  g_assert_nonnull (local_text);
}

/* In the zones farthest from UTC, too. */
TEST_DATA (every_year, "/engine/clock/utc", "UTC")
{
  g_setenv ("TZ", data, TRUE);
  check (0, "1970-01-01T00:00:00Z");
  check (1795363200, "2026-11-22T16:00:00Z");
  check (G_GINT64_CONSTANT (253402214399), "9999-12-30T23:59:59Z");
  check (G_GINT64_CONSTANT (300000000000), "9999-12-30T23:59:59Z");
  check (G_MAXINT64, "9999-12-30T23:59:59Z");
  check (G_MININT64, "1000-01-02T00:00:00Z");
}

TEST_DATA_ALSO (every_year, "/engine/clock/east", "UTC-14")
TEST_DATA_ALSO (every_year, "/engine/clock/west", "UTC+12")

TEST (now, "/engine/clock/now")
{
  g_autofree char *text = prism_clock_dup_utc (), *local = prism_clock_dup_local ("%Y%m%d-%H%M%S");
  g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (text, NULL);

  g_assert_nonnull (time);
  g_assert_cmpuint (strlen (local), ==, strlen ("20261122-160000"));
}

/* Each with its unit: minutes and seconds of three seconds would be read as three minutes. */
TEST (duration, "/engine/clock/duration")
{
  static const struct
  {
    double seconds;
    const char *text;
  } durations[] = {
    { 0, "0 s" },
    { 0.2, "1 s" },
    { 7.4, "7 s" },
    { 59.4, "59 s" },
    { 59.6, "1:00 min" },
    { 754, "12:34 min" },
    { 3599.4, "59:59 min" },
    { 3723, "1:02:03 h" },
    { 360000, "100:00:00 h" },
    { NAN, "–" },
    { -1, "–" },
    { INFINITY, "–" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (durations); i++)
    {
      g_autofree char *text = prism_clock_dup_duration (durations[i].seconds);

      g_assert_cmpstr (text, ==, durations[i].text);
    }
}
