#include "config.h"

#include "../support/tuned-run.h"
#include "base/prism-error.h"

#include <stdio.h>

/* tuning-meter: how a run ends with one of the tuned numbers scaled; tests/bench/tuning.py asks it.
 *
 *   tuning-meter                               the table, a line each, columns apart by tabs
 *   tuning-meter KEY FACTOR [PARAMETER=VALUE]… PSNR and steps of a run */

static void
print_table (void)
{
  for (int i = 0; i < PRISM_N_TUNINGS; i++)
    {
      const PrismTuningEntry *entry = prism_tuning_get_entry (i);

      printf ("%s\t%g\t%s\t%s\t%s\t%d\n", entry->key, entry->value, entry->unit, entry->meaning,
              entry->origin, entry->below_one);
    }
}

static PrismTuning
find (const char *key)
{
  PrismTuning tuning = 0;

  while (tuning < PRISM_N_TUNINGS && !g_str_equal (prism_tuning_get_entry (tuning)->key, key))
    tuning++;
  return tuning;
}

static gboolean
set (PrismConfig *config,
     const char *setting,
     GError **error)
{
  g_auto (GStrv) parts = g_strsplit (setting, "=", 2);

  if (g_strv_length (parts) == 2)
    return prism_config_set_text (config, parts[0], parts[1], error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG, "%s is not PARAMETER=VALUE.", setting);
  return FALSE;
}

static int
run_one (PrismTuning tuning,
         double factor,
         char **settings)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (PrismSnapshot) end = NULL;
  g_autoptr (GError) error = NULL;

  for (; *settings != NULL; settings++)
    if (!set (config, *settings, &error))
      {
        fprintf (stderr, "tuning-meter: %s\n", error->message);
        return 2;
      }
  end = tuned_run (g_steal_pointer (&config), tuning, factor, &error);
  if (end == NULL)
    {
      fprintf (stderr, "tuning-meter: %s\n", error->message);
      return 1;
    }
  printf ("%.17g %" G_GUINT64_FORMAT "\n", end->metrics.psnr, end->step);
  return 0;
}

int
main (int argc,
      char *argv[])
{
  PrismTuning tuning;

  if (argc == 1)
    {
      print_table ();
      return 0;
    }
  tuning = find (argv[1]);
  if (tuning < PRISM_N_TUNINGS && argc > 2)
    return run_one (tuning, g_ascii_strtod (argv[2], NULL), argv + 3);
  fprintf (stderr, "tuning-meter: usage: [KEY FACTOR [PARAMETER=VALUE]…]\n");
  return 2;
}
