#include "config.h"

#include "base/prism-clock.h"

#include <time.h>

/* The years of four digits, which GDateTime and the order of names bear, less a day at either end
 * for the time zones. */
#define FIRST (G_GINT64_CONSTANT (-30610224000) + 86400) /* 1000-01-02 */
#define LAST (G_GINT64_CONSTANT (253402300799) - 86400)  /* 9999-12-30 */

/**
 * prism_clock_get_seconds:
 *
 * Units: s, to the nanosecond.
 *
 * Returns: a clock that only goes forward
 */
double
prism_clock_get_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/**
 * prism_clock_get_processor_seconds:
 *
 * Returns: what all threads of the process together have had of the processors
 */
double
prism_clock_get_processor_seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/**
 * prism_clock_new:
 * @seconds: since 1970 in UTC
 *
 * Makes a time of day; one outside the years 1000 to 9999 is the first or the last within them.
 *
 * Returns: (transfer full): the time in UTC
 */
GDateTime *
prism_clock_new (gint64 seconds)
{
  return g_date_time_new_from_unix_utc (CLAMP (seconds, FIRST, LAST));
}

static GDateTime *
get_now (void)
{
  return prism_clock_new (g_get_real_time () / G_USEC_PER_SEC);
}

/**
 * prism_clock_dup_utc:
 *
 * Returns: (transfer full): the time of day in UTC by ISO 8601, as files have it
 */
char *
prism_clock_dup_utc (void)
{
  g_autoptr (GDateTime) now = get_now ();

  return g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
}

/**
 * prism_clock_dup_utc_exact:
 *
 * Returns: (transfer full): prism_clock_dup_utc() to the microsecond, which tells what was written
 * first also within a second; in the order of its letters, beside times without the fraction too
 */
char *
prism_clock_dup_utc_exact (void)
{
  gint64 now = g_get_real_time ();
  g_autoptr (GDateTime) second = prism_clock_new (now / G_USEC_PER_SEC);
  g_autoptr (GDateTime) exact = g_date_time_add (second, now % G_USEC_PER_SEC);

  return g_date_time_format (exact, "%Y-%m-%dT%H:%M:%S.%fZ");
}

/**
 * prism_clock_dup_local:
 * @format: as for g_date_time_format()
 *
 * Returns: (transfer full): the local time of day
 */
char *
prism_clock_dup_local (const char *format)
{
  g_autoptr (GDateTime) now = get_now ();
  g_autoptr (GDateTime) local = g_date_time_to_local (now);

  return g_date_time_format (local, format);
}

/**
 * prism_clock_dup_duration:
 * @seconds: how long; may be NAN
 *
 * Tells a time in whole seconds, with its unit. What takes any time takes a second at least.
 *
 * Returns: (transfer full): "7 s", "12:34 min" or "1:02:03 h", a dash where it is not known
 */
char *
prism_clock_dup_duration (double seconds)
{
  guint64 whole;
  guint rest, minutes;

  if (!isfinite (seconds) || seconds < 0 || seconds > 1e9)
    return g_strdup ("–");
  whole = (guint64) (seconds + 0.5);
  if (seconds > 0 && whole == 0)
    whole = 1;
  rest = (guint) (whole % 60);
  minutes = (guint) (whole / 60 % 60);
  if (whole >= 3600)
    return g_strdup_printf ("%" G_GUINT64_FORMAT ":%02u:%02u h", whole / 3600, minutes, rest);
  return whole >= 60 ? g_strdup_printf ("%u:%02u min", minutes, rest)
                     : g_strdup_printf ("%u s", rest);
}

/**
 * prism_pace_init:
 * @self: (out caller-allocates): a pace
 * @most: units that the device likes to get at once
 *
 * Begins with one unit: nobody knows yet how long it takes.
 */
void
prism_pace_init (PrismPace *self,
                 guint most)
{
  self->most = MAX (most, 1);
  self->n = 1;
  self->seconds = NAN;
}

/**
 * prism_pace_get:
 * @n_left: units that are left to do
 *
 * Returns: units to do at once, at least 1
 */
guint
prism_pace_get (const PrismPace *self,
                guint n_left)
{
  return CLAMP (self->n, 1, MAX (n_left, 1));
}

/**
 * prism_pace_update:
 * @n_done: units that were done at once
 * @seconds: how long that took
 *
 * Learns from a piece of work. The number at most doubles, so that one that was quick by chance
 * does no harm.
 */
void
prism_pace_update (PrismPace *self,
                   guint n_done,
                   double seconds)
{
  double allowed = seconds > 0.0 ? PRISM_PACE_MOMENT * n_done / seconds : self->most;

  self->n = (guint) CLAMP (MIN (allowed, 2.0 * self->n), 1.0, (double) self->most);
  self->seconds = seconds / n_done;
}

/**
 * prism_pace_get_seconds:
 *
 * Units: s.
 *
 * Returns: what one unit took, the last time; NAN before
 */
double
prism_pace_get_seconds (const PrismPace *self)
{
  return self->seconds;
}
