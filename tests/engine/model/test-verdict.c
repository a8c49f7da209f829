#include "model/prism-verdict.h"
#include "prism-test.h"

/* A frame as the telescope sees it: a bright middle, rings that become faint, and darkness. */
#define SIDE 128
#define N_PIXELS ((gsize) SIDE * SIDE)
#define N_FRAMES 8
#define SEED 11

typedef struct
{
  const char *name;
  PrismNoise noise;
} Camera;

static const Camera cameras[] = {
  { "shots-10-dB", { .snr = 10.0 } },
  { "shots-30-dB", { .snr = 30.0 } },
  { "few-photons", { .photon = 0.3 } },
  { "many-photons", { .photon = 1e-4 } },
  { "read-noise", { .read_snr = 20.0 } },
  { "both", { .snr = 20.0, .read_snr = 15.0 } },
  { "photons-and-read-noise", { .photon = 1e-2, .read_snr = 25.0 } },
};

static float *
make_frame (int shift)
{
  float *frame = g_new (float, N_PIXELS);

  for (int y = 0; y < SIDE; y++)
    for (int x = 0; x < SIDE; x++)
      {
        double distance = hypot (y - 0.5 * SIDE, x - 0.4 * SIDE - shift);

        frame[y * SIDE + x] = (float) fabs (cos (0.3 * distance) / (1.0 + 0.1 * distance));
      }
  return frame;
}

static float *
record (const PrismNoise *noise, const float *frame, guint sample)
{
  float *recorded = g_new (float, N_PIXELS);

  for (gsize i = 0; i < N_PIXELS; i++)
    recorded[i] = frame[i] * frame[i];
  if (prism_noise_is_on (noise))
    prism_noise_expose (noise, recorded, N_PIXELS, SEED, FALSE, sample);
  for (gsize i = 0; i < N_PIXELS; i++)
    recorded[i] = sqrtf (MAX (recorded[i], 0.0f));
  return recorded;
}

static PrismVerdict
judge (const PrismNoise *noise, int shift, float factor)
{
  g_autofree float *frame = make_frame (0), *predicted = make_frame (shift);
  PrismVerdict verdict = { 0 };

  for (gsize i = 0; i < N_PIXELS; i++)
    predicted[i] *= factor;
  for (guint i = 0; i < N_FRAMES; i++)
    {
      g_autofree float *recorded = record (noise, frame, i);

      prism_verdict_add_frame (&verdict, NULL, noise, predicted, recorded, N_PIXELS);
    }
  prism_verdict_decide (&verdict);
  return verdict;
}

TEST_ROWS (truth, "/engine/verdict/truth", cameras)
{
  const Camera *camera = data;
  PrismVerdict verdict = judge (&camera->noise, 0, 1.0f);

  g_test_message ("%s: rest %.4f, %.1f deviations", camera->name, prism_verdict_get_rest (&verdict),
                  (verdict.misfit - verdict.expected) / sqrt (verdict.variance));
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpuint (verdict.n_frames, ==, N_FRAMES);
  g_assert_cmpfloat (fabs (prism_verdict_get_rest (&verdict) - 1.0), <, 0.02);
}

/* The same light elsewhere. */
TEST_ROWS (wrong, "/engine/verdict/wrong", cameras)
{
  const Camera *camera = data;
  PrismVerdict verdict = judge (&camera->noise, 5, 1.0f);

  g_test_message ("%s: rest %.4f", camera->name, prism_verdict_get_rest (&verdict));
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_UNEXPLAINED);
}

TEST (without_noise, "/engine/verdict/without-noise")
{
  const PrismNoise none = { 0 };
  PrismVerdict right = judge (&none, 0, 1.0f), near = judge (&none, 0, 1.001f);
  PrismVerdict wrong = judge (&none, 0, 1.01f);

  g_assert_cmpint (right.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpfloat (prism_verdict_get_rest (&right), <, 1e-12);
  g_assert_cmpint (near.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpfloat_with_epsilon (prism_verdict_get_rest (&near), 1e-6, 1e-8);
  g_assert_cmpint (wrong.kind, ==, PRISM_VERDICT_UNEXPLAINED);
}

TEST (nothing, "/engine/verdict/nothing")
{
  PrismVerdict verdict = { 0 };
  g_autofree float *black = g_new0 (float, N_PIXELS);
  const PrismNoise shots = { .snr = 20.0 };

  prism_verdict_decide (&verdict);
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_OPEN);
  g_assert_true (isnan (prism_verdict_get_rest (&verdict)));
  g_assert_null (prism_verdict_dup_text (&verdict));

  /* A black object is explained by a black image, not by a division by nothing. */
  prism_verdict_add_frame (&verdict, NULL, &shots, black, black, N_PIXELS);
  prism_verdict_decide (&verdict);
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
}

TEST (not_finite, "/engine/verdict/not-finite")
{
  PrismVerdict verdict = { 0 };
  g_autofree float *frame = make_frame (0), *broken = make_frame (0);
  const PrismNoise none = { 0 };

  broken[5] = NAN;
  prism_verdict_add_frame (&verdict, NULL, &none, broken, frame, N_PIXELS);
  prism_verdict_decide (&verdict);
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_OPEN);
}

TEST (text, "/engine/verdict/text")
{
  const PrismNoise none = { 0 }, shots = { .snr = 20.0 };
  PrismVerdict explained = judge (&shots, 0, 1.0f), missed = judge (&none, 0, 1.1f);
  g_autofree char *first = prism_verdict_dup_text (&explained);
  g_autofree char *second = prism_verdict_dup_text (&missed);

  HAS (first, "fits the measurements", "1.00");
  HAS (second, "does not fit the measurements", "1.0e-02 of the light of ");
  g_assert_cmpstr (prism_verdict_get_key (explained.kind), ==, "explained");
  g_assert_cmpstr (prism_verdict_get_key (missed.kind), ==, "not explained");
}

/* Of images that were held against their objects: 42 dB, and a stuck one of 25 dB. */
TEST (excess, "/engine/verdict/excess")
{
  PrismVerdict right = { .n_frames = 64, .misfit = 1.0057, .expected = 1, .variance = 1.2e-6 };
  PrismVerdict stuck = { .n_frames = 64, .misfit = 1.0134, .expected = 1, .variance = 4e-6 };

  prism_verdict_decide (&right);
  prism_verdict_decide (&stuck);
  g_assert_cmpint (right.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpint (stuck.kind, ==, PRISM_VERDICT_UNEXPLAINED);
}

/* A file keeps the kind, and where it does not know the numbers there is no sentence. */
TEST (words, "/engine/verdict/words")
{
  const PrismVerdict noisy = { .kind = PRISM_VERDICT_UNEXPLAINED, .misfit = 2, .expected = 1 };
  const PrismVerdict clean = { .kind = PRISM_VERDICT_UNEXPLAINED, .misfit = 1, .power = 2 };
  const PrismVerdict moved = { .kind = PRISM_VERDICT_UNEXPLAINED, .cause = PRISM_CAUSE_MOTION };
  const PrismVerdict bare = { .kind = PRISM_VERDICT_UNEXPLAINED };
  const PrismVerdict right = { .kind = PRISM_VERDICT_EXPLAINED, .power = 2 };
  g_autofree char *text = prism_verdict_dup_text (&noisy);

  for (int kind = 0; kind < PRISM_N_VERDICTS; kind++)
    {
      g_assert_cmpint (prism_verdict_find (prism_verdict_get_key (kind)), ==, kind);
      g_assert_nonnull (prism_verdict_get_label (&(PrismVerdict) { .kind = kind }, 1));
    }
  g_assert_cmpstr (prism_verdict_get_label (&right, 0.51), ==, "fits the measurements");
  g_assert_cmpstr (prism_verdict_get_label (&right, NAN), ==, "fits the measurements");
  g_assert_cmpstr (prism_verdict_get_label (&right, 0.49), ==,
                   "one of many pictures that fit the measurements");
  for (PrismVerdictKind kind = 0; kind < PRISM_N_VERDICTS; kind++)
    {
      static const char *const styles[] = { NULL, "success", "error", "warning", "success",
                                            "warning" };
      g_autofree char *label = prism_verdict_dup_label (&(PrismVerdict) { .kind = kind }, 1);

      g_assert_cmpstr (prism_verdict_get_style (label), ==, styles[kind]);
    }
  SAYS (prism_verdict_dup_label (&right, 0.49),
        "⚠ one of many pictures that fit the measurements");
  g_assert_cmpint (prism_verdict_find (NULL), ==, PRISM_VERDICT_OPEN);
  g_assert_cmpint (prism_verdict_find ("of later years"), ==, PRISM_VERDICT_OPEN);
  HAS (prism_verdict_get_advice (&noisy), "noise");
  LACKS (prism_verdict_get_advice (&clean), "noise");
  HAS (prism_verdict_get_advice (&moved), "motion_blur");
  g_assert_true (g_str_has_suffix (text, prism_verdict_get_advice (&noisy)));
  g_assert_null (prism_verdict_get_advice (&right));
  g_assert_null (prism_verdict_dup_text (&bare));
}

/* Two images that are far from each other and explain the same frames leave a doubt. */
TEST (doubt, "/engine/verdict/doubt")
{
  const float image[] = { 0.0f, 0.5f, 1.0f, 0.5f }, near[] = { 0.02f, 0.5f, 1.0f, 0.5f };
  const float far[] = { 0.2f, 0.5f, 1.0f, 0.5f };
  PrismVerdict same = { .kind = PRISM_VERDICT_EXPLAINED, .misfit = 1, .expected = 1 };
  PrismVerdict other = same, stuck = { .kind = PRISM_VERDICT_UNEXPLAINED };

  prism_verdict_doubt (&same, image, near, 4);
  prism_verdict_doubt (&other, image, far, 4);
  prism_verdict_doubt (&stuck, image, far, 4);
  g_assert_cmpint (same.kind, ==, PRISM_VERDICT_EXPLAINED);
  g_assert_cmpint (other.kind, ==, PRISM_VERDICT_AMBIGUOUS);
  g_assert_cmpint (stuck.kind, ==, PRISM_VERDICT_UNEXPLAINED);
  g_assert_cmpfloat_with_epsilon (other.difference, 0.1, 1e-6);
  g_autofree char *sure = prism_verdict_dup_text (&same), *unsure = prism_verdict_dup_text (&other);
  HAS (sure, "Another start");
  HAS (unsure, " 10 %");
  other.difference = 0.0;
  g_autofree char *unknown = prism_verdict_dup_text (&other);
  HAS (unknown, "Two different images");
  LACKS (unknown, "%");
}

/* As long as tiles are missing nobody has judged. */
TEST (tiles, "/engine/verdict/tiles")
{
  PrismPrediction held
      = { .n_frames = 15, .misfit = 0.05, .correlation = 0.96, .n_tiles = 9, .n_done = 8 };
  PrismVerdict verdict;

  prism_verdict_predict (&verdict, &held);
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_OPEN);
  g_assert_null (prism_verdict_dup_text (&verdict));
  held.n_done = 9;
  prism_verdict_predict (&verdict, &held);
  g_assert_cmpint (verdict.kind, ==, PRISM_VERDICT_EXPLAINED);
}

/* Of bloodsmear_red after passes 1, 4, 8 and 16, and what says nothing of passes. */
TEST (improving, "/engine/verdict/improving")
{
  static const struct
  {
    double correlation, error, gain;
    PrismVerdictKind kind;
  } rows[] = {
    { 0.8812, 0.0151, 0.8812, PRISM_VERDICT_IMPROVING },
    { 0.9548, 0.0088, 0.0113, PRISM_VERDICT_IMPROVING },
    { 0.9597, 0.0086, 0.0009, PRISM_VERDICT_EXPLAINED },
    { 0.9636, 0.0086, -0.0002, PRISM_VERDICT_EXPLAINED },
    { 0.5044, 0.0858, 0.0003, PRISM_VERDICT_UNEXPLAINED },
    { 0.5044, 0.0858, 0.1, PRISM_VERDICT_IMPROVING },
    { 0.9548, 0, 0, PRISM_VERDICT_EXPLAINED },
    { 0.9548, NAN, NAN, PRISM_VERDICT_EXPLAINED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const PrismPrediction held = { .n_frames = 15,
                                     .misfit = 0.05,
                                     .correlation = rows[i].correlation,
                                     .error = rows[i].error,
                                     .gain = rows[i].gain };
      PrismVerdict verdict;

      prism_verdict_predict (&verdict, &held);
      g_autofree char *text = prism_verdict_dup_text (&verdict);
      g_assert_cmpint (verdict.kind, ==, rows[i].kind);
      g_assert_cmpint (strstr (text, "Run more passes") != NULL, ==,
                       verdict.kind == PRISM_VERDICT_IMPROVING);
    }
}
