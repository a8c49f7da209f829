#include "model/prism-config-check.h"
#include "prism-test.h"
#include "support/prism-ui-text.h"

#include <locale.h>

static void
check_sentence (const char *message,
                const char *expected)
{
  SAYS (prism_ui_text_dup_sentence (message), expected);
}

TEST (sentence, "/app/wording/sentence")
{
  check_sentence ("image_size is 500 px.", "“Field size” is 500 px.");
  check_sentence ("object_size is 600 px, but must not be larger than image_size.",
                  "“Object size” is 600 px, but must not be larger than “Field size”.");
  check_sentence ("samples cannot be “x”.", "“Positions” cannot be “x”.");
  /* A word in the middle that happens to be a key, and words that only contain one. */
  check_sentence ("After 20 steps and 3 samples.", "After 20 steps and 3 samples.");
  check_sentence ("my_image_size2 is odd.", "my_image_size2 is odd.");
  check_sentence ("The file “Größe.png” is empty.", "The file “Größe.png” is empty.");
  check_sentence ("", "");
  /* With a value as its row shows it, but in a command line as it is typed. */
  check_sentence ("Set background=auto or threads=0.",
                  "Set “Background: Automatic” or “Threads: Automatic”.");
  check_sentence ("hot_pixels=keep; “prism-cli bench --against amp=off”; amp=off.",
                  "hot_pixels=keep; “prism-cli bench --against amp=off”; “Mixed precision: off”.");
}

TEST (loss, "/app/wording/loss")
{
  SAYS (prism_ui_text_dup_loss (0.01234), "0.0123");
  SAYS (prism_ui_text_dup_loss (1.5e-6), "1.50×10⁻⁶");
  SAYS (prism_ui_text_dup_loss (NAN), "–");
}

/* Groups of digits have a thin blank between them in every language. */
TEST (number, "/app/wording/number")
{
  SAYS (prism_ui_text_dup_number (2048), "2048");
  SAYS (prism_ui_text_dup_number (1e15), "1\u2009000\u2009000\u2009000\u2009000\u2009000");
  SAYS (prism_ui_text_dup_number (0.25), "0.25");
}

static void
check_value (const PrismConfig *config,
             const char *key,
             const char *expected)
{
  SAYS (prism_ui_text_dup_value (config, prism_config_get_param (key)), expected);
}

TEST (value, "/app/wording/value")
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  g_assert_true (prism_config_set_text (config, "object", "/tmp/a_b.png", NULL));
  check_value (config, "object", "a_b.png");
  g_assert_true (prism_config_set_text (config, "object", "moon", NULL));
  check_value (config, "object", "Moon");
  check_value (config, "image_size", "512 px");
  check_value (config, "aperture_shape", "Disk");
  check_value (config, "amp", "off");
  check_value (config, "learning_rate", "0.002");
}

/* A value of the enumeration without a word of its own would read as another state. */
TEST (states, "/app/wording/states")
{
  for (int a = PRISM_STATE_IDLE; a <= PRISM_STATE_FAILED; a++)
    for (int b = a + 1; b <= PRISM_STATE_FAILED; b++)
      g_assert_cmpstr (prism_ui_text_get_state (a), !=, prism_ui_text_get_state (b));
}

TEST (tiers, "/app/wording/tiers")
{
  PrismSnapshot snapshot = { .phase = PRISM_PHASE_SAMPLES };

  g_assert_cmpstr (prism_ui_text_get_phase (&snapshot), ==, "positions");
  snapshot.tier = PRISM_TIER_AGGRESSIVE;
  g_assert_cmpstr (prism_ui_text_get_phase (&snapshot), ==, "position on a plateau");
  snapshot.tier = PRISM_TIER_RESCUE;
  snapshot.attempt = 1;
  g_assert_cmpstr (prism_ui_text_get_phase (&snapshot), ==, "failed positions again");
}

/* What the engine says of an object that is larger than its field, in a window of that language. */
static char *
dup_sentence_in (const char *locale)
{
  g_autofree char *before = g_strdup (setlocale (LC_ALL, NULL));
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autoptr (GError) error = NULL;

  if (setlocale (LC_ALL, locale) == NULL)
    return NULL;
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("PRISM_LOCALE_DIR"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  config->object_size = 2 * config->image_size;
  g_assert_false (prism_config_check (config, &error));
  char *sentence = prism_ui_text_dup_sentence (error->message);
  setlocale (LC_ALL, before);
  return sentence;
}

/* A locale, how the sentence begins, and what stands in it. */
static const char *const german[]
    = { "de_DE.UTF-8", "„Größe des Objekts“ ist 1024 px, darf aber", "„Feldgröße“ mit 512 px" };
static const char *const spanish[]
    = { "es_ES.UTF-8", "«Tamaño del objeto» es 1024 px, pero", "«Tamaño del campo», que" };

/* What the engine says is in the language of the window, keys included. */
static void
test_engine_speaks_the_language (gconstpointer data)
{
  const char *const *expected = data;
  g_autofree char *sentence = dup_sentence_in (expected[0]);

  if (sentence == NULL)
    {
      g_test_skip_printf ("the locale %s is not installed", expected[0]);
      return;
    }
  g_assert_true (g_str_has_prefix (sentence, expected[1]));
  HAS (sentence, expected[2]);
}

static void
check_origin (const PrismSnapshot *snapshot,
              const char *expected)
{
  SAYS (prism_ui_text_dup_origin (snapshot), expected);
}

/* Below a figure: noise where there is some, the step where it is not the result. */
TEST (origin, "/app/wording/origin")
{
  g_autoptr (PrismSnapshot) snapshot = prism_snapshot_new ();

  snapshot->config = prism_config_new ();
  snapshot->config->object_size = 96;
  snapshot->config->image_size = 256;
  snapshot->config->aperture_radius = 12;
  snapshot->config->seed = 3;
  snapshot->n_samples = 80;
  snapshot->step = 900;
  snapshot->state = PRISM_STATE_FINISHED;
  check_origin (snapshot, "96 px in 256 px, radius 12 px, 80 positions, seed 3");
  snapshot->config->snr = 20;
  snapshot->metrics.psnr = 33.6;
  check_origin (snapshot, "96 px in 256 px, radius 12 px, 80 positions, seed 3, SNR 20 dB,"
                          " PSNR 33.6 dB");
  snapshot->config->snr = 0;
  snapshot->config->photons = 5000;
  snapshot->config->read_snr = 30;
  snapshot->state = PRISM_STATE_PAUSED;
  check_origin (snapshot, "96 px in 256 px, radius 12 px, 80 positions, seed 3, 5000 photons,"
                          " read SNR 30 dB, step 900, PSNR 33.6 dB");
}

static void
check_device (const char *name,
              const char *expected)
{
  SAYS (prism_machine_wording_dup_device (name), expected);
}

/* A name of the processor has words in it; of a graphics processor it stays, and so does what only
 * begins like one. */
TEST (machine, "/app/wording/machine")
{
  g_autofree char *before = g_strdup (setlocale (LC_ALL, NULL));
  g_autofree char *time = NULL, *untimely = prism_machine_wording_dup_time ("once upon a time");

  check_device (NULL, NULL);
  check_device ("CPU, 2 threads, AVX-512", "CPU, 2 threads, AVX-512");
  g_assert_cmpstr (untimely, ==, "once upon a time");
  if (setlocale (LC_ALL, "es_ES.UTF-8") == NULL)
    {
      g_test_skip ("the locale es_ES.UTF-8 is not installed");
      return;
    }
  bindtextdomain (GETTEXT_PACKAGE, g_getenv ("PRISM_LOCALE_DIR"));
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  check_device ("CPU, 2 threads, AVX-512", "CPU, 2 hilos, AVX-512");
  check_device ("CPU, 1 thread, AVX2", "CPU, 1 hilo, AVX2");
  check_device ("NVIDIA H200, CUDA 13.0", "NVIDIA H200, CUDA 13.0");
  check_device ("CPU, many threads, AVX2", "CPU, many threads, AVX2");
  check_device ("CPU, 2 threads, AVX2, and more", "CPU, 2 threads, AVX2, and more");
  time = prism_machine_wording_dup_time ("2026-11-25T12:30:00Z");
  g_assert_true (g_str_has_prefix (time, "25/11/26 ") || g_str_has_prefix (time, "25/11/2026 "));
  setlocale (LC_ALL, before);
}

static guint
rank (const char *words)
{
  return prism_ui_text_rank ("Mixed precision", "amp_type", "The decoder multiplies samples by it",
                             words);
}

/* Names before what is said, words before beginnings, and these before what lies within a name. */
TEST (rank, "/app/wording/rank")
{
  g_assert_cmpuint (rank (""), ==, 0);
  g_assert_cmpuint (rank ("AMP"), ==, 0);
  g_assert_cmpuint (rank ("amp_type"), ==, 0);
  g_assert_cmpuint (rank ("mp"), ==, 0);
  g_assert_cmpuint (rank ("mixed Precision"), ==, 0);
  g_assert_cmpuint (rank ("prec"), ==, 1);
  g_assert_cmpuint (rank ("cision"), ==, 2);
  g_assert_cmpuint (rank ("decoder"), ==, 3);
  g_assert_cmpuint (rank ("sample"), ==, 4);
  g_assert_cmpuint (rank ("ultipl"), ==, PRISM_UI_TEXT_NO_MATCH);
  g_assert_cmpuint (rank ("cision sample"), ==, 6);
  g_assert_cmpuint (rank ("mixed xyzzy"), ==, PRISM_UI_TEXT_NO_MATCH);
}

/* Accents, hyphens and capitals matter on neither side. */
TEST (folding, "/app/wording/folding")
{
  static const struct
  {
    const char *title, *names, *help, *words;
    guint rank;
  } cases[] = {
    { "Patrón", "pattern", "", "patron", 0 },
    { "Patron", "pattern", "", "patro\u0301n", 0 },
    { "Signal to noise", "snr Noise (SNR)", "A ratio", "signal-to-noise ratio", 3 },
    { "Signal-to-noise", "snr", "A ratio", "signal to noise", 0 },
    { "Object size", "object_size Picture", "", "picture", 0 },
    { "Größe", "image_size", "", "GRÖSSE", 0 },
    { "Signal, no noise", "snr", "to", "signal-to-noise", PRISM_UI_TEXT_NO_MATCH },
    { "Samples", "samples", "of amps", "amp", 2 },
    { "Samples", "samples", "of amps", "– ", 0 },
    { "Passes", "passes", "of samples", "amp", PRISM_UI_TEXT_NO_MATCH },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (prism_ui_text_rank (cases[i].title, cases[i].names, cases[i].help,
                                          cases[i].words),
                      ==, cases[i].rank);
}

static char *
dup_verdict (PrismVerdictKind kind,
             double coverage)
{
  PrismSnapshot snapshot = { .coverage = coverage };

  snapshot.verdict.kind = kind;
  return prism_snapshot_dup_verdict (&snapshot);
}

/* Explained with little of the plane is not the only picture that explains. */
TEST (verdict, "/app/wording/verdict")
{
  g_autofree char *open = dup_verdict (PRISM_VERDICT_OPEN, 0.4);

  g_assert_null (open);
  SAYS (dup_verdict (PRISM_VERDICT_EXPLAINED, 0.9), "✓ fits the measurements");
  SAYS (dup_verdict (PRISM_VERDICT_EXPLAINED, 0.4),
        "⚠ fits, and so do other pictures: 60 % of the plane was not measured");
  SAYS (dup_verdict (PRISM_VERDICT_UNEXPLAINED, 0.4), "✗ does not fit the measurements");
}

TESTS
{
  g_test_add_data_func ("/app/wording/engine-speaks/german", german,
                        test_engine_speaks_the_language);
  g_test_add_data_func ("/app/wording/engine-speaks/spanish", spanish,
                        test_engine_speaks_the_language);
}
