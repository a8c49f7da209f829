#include "config.h"

#include "support/prism-machine-wording.h"

#include <glib/gi18n.h>
#include <stdio.h>

#define LONGEST_UNIT 31 /* of the processor's vectors */

/**
 * prism_machine_wording_dup_time:
 * @time: UTC, ISO 8601
 *
 * Returns: (transfer full): the time here, as people here write it; what is no time stays as it is
 */
char *
prism_machine_wording_dup_time (const char *time)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_iso8601 (time, NULL);
  g_autoptr (GDateTime) local = utc != NULL ? g_date_time_to_local (utc) : NULL;

  return local != NULL ? g_date_time_format (local, "%x %H:%M") : g_strdup (time);
}

/**
 * prism_machine_wording_dup_device:
 * @device: (nullable): a device's name in English, as prism-cli tells it: “CPU, 2 threads, AVX2”
 *
 * Returns: (transfer full) (nullable): the same in the user's language; names of graphics
 * processors stay as they are
 */
char *
prism_machine_wording_dup_device (const char *device)
{
  char unit[LONGEST_UNIT + 1];
  guint n;
  int end = 0;

  if (device == NULL
      || sscanf (device, "CPU, %u thread%*1[s,]%*[ ,]%31[^,]%n", &n, unit, &end) != 2
      || device[end] != '\0')
    return g_strdup (device);
  return g_strdup_printf (ngettext ("CPU, %u thread, %s", "CPU, %u threads, %s", n), n, unit);
}
