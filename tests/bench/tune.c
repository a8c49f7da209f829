/* What the numbers of prism-tuning.c are worth: halves and doubles each of them.
 *
 *   tests/bench/tune [KEY…] -- "SETTING=VALUE …" …
 *
 * Each text of settings is a run. Prints a line for each number and factor: how much PSNR changes
 * in each run, in dB, with a ! where the verdict is another one. */
#include "config.h"

#include "../engine/support/tuned-run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PrismSnapshot *
run (const char *settings, PrismTuning tuning, double factor)
{
  g_auto (GStrv) words = g_strsplit (settings, " ", 0);
  PrismConfig *config = prism_config_new ();

  for (char **word = words; *word != NULL; word++)
    {
      g_auto (GStrv) parts = g_strsplit (*word, "=", 2);

      MUST (prism_config_set_text (config, parts[0], parts[1], &error));
    }
  PrismSnapshot *end = MUST (tuned_run (config, tuning, factor, &error));
  return end;
}

int
main (int argc, char *argv[])
{
  static const double factors[] = { 0.5, 2.0 };
  int first = 1;

  while (first < argc && strcmp (argv[first], "--") != 0)
    first++;
  if (first + 1 >= argc)
    return 1;
  PrismSnapshot **base = g_new0 (PrismSnapshot *, argc);
  for (int i = first + 1; i < argc; i++)
    {
      base[i] = run (argv[i], 0, 1.0);
      printf ("# %.2f dB, verdict %d: %s\n", base[i]->metrics.psnr, base[i]->verdict.kind, argv[i]);
    }
  for (int tuning = 0; tuning < PRISM_N_TUNINGS; tuning++)
    {
      const char *key = prism_tuning_get_entry (tuning)->key;

      if (first > 1 && !g_strv_contains ((const char *const *) argv + 1, key))
        continue;
      for (guint k = 0; k < G_N_ELEMENTS (factors); k++)
        {
          printf ("%-24s %3g ", key, factors[k]);
          for (int i = first + 1; i < argc; i++)
            {
              PrismSnapshot *end = run (argv[i], tuning, factors[k]);

              printf (" %+6.2f%c", end->metrics.psnr - base[i]->metrics.psnr,
                      end->verdict.kind != base[i]->verdict.kind ? '!' : ' ');
              fflush (stdout);
              prism_snapshot_unref (end);
            }
          printf ("\n");
        }
    }
  return 0;
}
