#include "../support/tuned-run.h"

/* The table of tuned numbers, and that no run breaks when one of them is halved or doubled. What
 * the result is worth then is in docs/quality.md, “Tuned numbers”. */

/* In dB of such a run, which ends at 25 or 35. Twice the step is longer than what is stable, and
 * costs most: the descent halves it and goes on. */
#define MOST_LOSS 15.0
/* Above it is the exact image, which steps find or not: nothing is broken by that. */
#define PASSES_END_AT 35.0

static const double factors[] = { 0.5, 2.0 };

/* Short, with the parts of the method that the scenario names. */
static PrismConfig *
make_config (const char *settings)
{
  g_autofree char *text = g_strconcat ("object=shepp-logan image_size=64 object_size=16 samples=5 "
                                       "aperture_radius=9 steps=2 start_steps=4 polish=3 "
                                       "consistency=1 threads=1 ",
                                       settings, NULL);
  g_auto (GStrv) words = g_strsplit (text, " ", 0);
  PrismConfig *config = prism_config_new ();

  for (int i = 0; words[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (words[i], "=", 2);

      MUST (prism_config_set_text (config, parts[0], parts[1], &error));
    }
  return config;
}

static double
get_psnr (const char *settings, PrismTuning tuning, double factor)
{
  g_autoptr (PrismSnapshot) end = MUST (tuned_run (make_config (settings), tuning, factor, &error));

  g_assert_nonnull (end->reconstruction);
  for (int i = 0; i < 16 * 16; i++)
    g_assert_cmpfloat (fabsf (end->reconstruction->pixels[i]), <=, 1.0f);
  double psnr = end->metrics.psnr;
  g_assert_true (isfinite (psnr));
  return MIN (psnr, PASSES_END_AT);
}

TEST_DATA (nothing_breaks, "/engine/tuning/nothing-breaks/without-noise", "snr=0")
{
  const char *settings = data;
  g_autoptr (PrismConfig) config = make_config (settings);
  double base = get_psnr (settings, 0, 1.0), worst = 0.0;
  const char *key = "none";

  /* What comes before the descent in the table is the decoder's. */
  for (int i = config->snr > 0.0 ? PRISM_TUNING_DESCENT_STEP : 0; i < PRISM_N_TUNINGS; i++)
    for (guint k = 0; k < G_N_ELEMENTS (factors); k++)
      {
        double loss = base - get_psnr (settings, i, factors[k]);

        if (loss > worst)
          {
            worst = loss;
            key = prism_tuning_get_entry (i)->key;
          }
      }
  g_test_message ("%.2f dB; at most %.2f dB less, by %s; %g allowed", base, worst, key, MOST_LOSS);
  g_assert_cmpfloat (worst, <, MOST_LOSS);
  g_assert_cmpfloat (get_psnr (settings, 0, 1.0), ==, base);
}

TEST_DATA_ALSO (nothing_breaks, "/engine/tuning/nothing-breaks/in-noise", "snr=20 schedule=plateau")

TEST (table, "/engine/tuning/table")
{
  g_autoptr (GHashTable) keys = g_hash_table_new (g_str_hash, g_str_equal);

  for (int i = 0; i < PRISM_N_TUNINGS; i++)
    {
      const PrismTuningEntry *entry = prism_tuning_get_entry (i);

      g_assert_nonnull (entry->key);
      g_assert_true (g_hash_table_add (keys, (gpointer) entry->key));
      g_assert_cmpfloat (entry->value, >, 0.0);
      g_assert_true (!entry->below_one || entry->value < 1.0);
    }
}

TEST (scale, "/engine/tuning/scale")
{
  prism_tuning_scale (PRISM_TUNING_DESCENT_STEP, 2.0);
  prism_tuning_scale (PRISM_TUNING_DESCENT_EXPONENT, 2.0);
  prism_tuning_scale (PRISM_TUNING_ALIGN_STARTS, 0.01);
  g_assert_cmpfloat (prism_tuning_get (PRISM_TUNING_DESCENT_STEP), ==, 5.0);
  g_assert_cmpfloat (prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT), ==, 0.5);
  g_assert_cmpuint (prism_tuning_get_count (PRISM_TUNING_ALIGN_STARTS), ==, 1);
  prism_tuning_scale (PRISM_TUNING_DESCENT_STEP, 1.0);
  prism_tuning_scale (PRISM_TUNING_DESCENT_EXPONENT, 1.0);
  prism_tuning_scale (PRISM_TUNING_ALIGN_STARTS, 1.0);
  g_assert_cmpfloat (prism_tuning_get (PRISM_TUNING_DESCENT_STEP), ==, 2.5);
  g_assert_cmpfloat (prism_tuning_get (PRISM_TUNING_DESCENT_EXPONENT), ==, 0.75);
  g_assert_cmpuint (prism_tuning_get_count (PRISM_TUNING_ALIGN_STARTS), ==, 4);
}
