#include "config.h"

#include "num/prism-tuning.h"

/* Of each its unit, what it means, and what speaks for the value. Sizes as m/n; “photograph” is a
 * photograph of Europa, r the radius of the aperture in pixels. */
static const PrismTuningEntry entries[PRISM_N_TUNINGS] = {
  /* L1 loss: a start phase that ends above it draws other weights. 64/256 moon, ten seeds: nine
   * end at 0.02 to 0.15 and finish at 38 to 47 dB, one ends at 0.30 and at 14 dB. */
  [PRISM_TUNING_START_LOSS] = { "start-loss", 0.1 },
  /* Of 1/(2·overlap): length of a step. 1 is safe for any image; 2.5 needs half as many passes,
   * 4 never diverged. */
  [PRISM_TUNING_DESCENT_STEP] = { "descent-step", 2.5 },
  /* Of the last misfit: above it a step is taken back. Plausible. */
  [PRISM_TUNING_DESCENT_DIVERGENCE] = { "descent-divergence", 2.0 },
  /* Exponent p of the weights that a search ends with. 1 is the likeliest image, but slow:
   * points r 14, 20 dB lose 3 dB with 0.75; moon, bars, photograph gain 0.2 to 0.6. */
  [PRISM_TUNING_DESCENT_EXPONENT] = { "descent-exponent", 0.75, TRUE },
  /* Of √ρ: offset of read noise while a basin is looked for. Bars r 14, 20 dB of read noise: 37
   * dB, with the whole offset 20. */
  [PRISM_TUNING_DESCENT_OFFSET] = { "descent-offset", 0.1 },
  /* Passes that end a search look at all pixels. 64/256 bars r 10, 20 dB: 46.1 dB, with 20
   * 45.9. */
  [PRISM_TUNING_SAMPLES_FULL] = { "samples-full", 5 },
  /* Of 2·overlap: total variation without noise. 1e-7 to 1e-6 are within 0.5 dB, 1e-5 is up to 4
   * dB worse. */
  [PRISM_TUNING_VARIATION] = { "variation", 1e-6 },
  /* Of the likeliest: total variation with noise. 64/256, 10 dB, 1 and 3: moon r 10 40.9 and
   * 42.8 dB, phantom r 10 41.8 and 44.6, photograph r 20 42.0 and 41.0. */
  [PRISM_TUNING_VARIATION_IN_NOISE] = { "variation-in-noise", 2.0 },
  /* Total variation of the first of the passes that end a search. More is faster where nothing was
   * measured. */
  [PRISM_TUNING_VARIATION_FIRST] = { "variation-first", 4.0 },
  /* Part of the passes in which it comes down; without noise none is left then. The data are to be
   * met exactly at the end. */
  [PRISM_TUNING_VARIATION_COOLING] = { "variation-cooling", 0.75, TRUE },
  /* Iterations of the dual problem in a pass. It goes on from the pass before. */
  [PRISM_TUNING_VARIATION_ITERATIONS] = { "variation-iterations", 20 },
  /* Samples of a whole round; one of fewer has more passes. The first pictures do not fall from
   * one to the next. */
  [PRISM_TUNING_LIVE_SAMPLES] = { "live-samples", 20 },
  /* Rounds at most in a run. Work must not grow with N². */
  [PRISM_TUNING_LIVE_ROUNDS] = { "live-rounds", 100 },
  /* Factor of the variation without noise until the last round. More is faster where nothing was
   * measured. */
  [PRISM_TUNING_LIVE_VARIATION] = { "live-variation", 10.0 },
  /* Exponent p of the middle of an attempt. Points r 10, 20 dB: 48 dB, without p = 0 before it
   * 23. */
  [PRISM_TUNING_REFINE_EXPONENT] = { "refine-exponent", 0.5 },
  /* Times the passes in the last round while training waits. A refinement follows that goes on
   * until nothing moves. */
  [PRISM_TUNING_BRIEF_LAST] = { "brief-last", 20 },
  /* Times the passes of that refinement at most. 64/256, r 14: without noise 48.1 dB after 160
   * passes, 48.6 after 400; 20 dB: 46.2 after 240, 46.8 after 380. */
  [PRISM_TUNING_BRIEF_FINAL] = { "brief-final", 4 },
  /* Passes in which an image moves or does not. Plausible. */
  [PRISM_TUNING_BRIEF_WINDOW] = { "brief-window", 10 },
  /* Of the image: less in that time is not moving. 96/256 moon r 20: 51.7 dB after 40 passes,
   * 52.0 after 90 and after 600. */
  [PRISM_TUNING_BRIEF_STILL] = { "brief-still", 1e-4 },
  /* Of Σ A²: a larger misfit without noise needs the decoder. Ten runs: found 6e-11 to 9e-10,
   * stuck 6e-8 to 5e-6. */
  [PRISM_TUNING_BRIEF_EXPLAINED] = { "brief-explained", 1e-8 },
  /* Of the reflected projections of one frame. Plausible. */
  [PRISM_TUNING_FIELD_RELAXATION] = { "field-relaxation", 0.8 },
  /* Starts of one. Without noise two, then four, then eight gain nothing: 19 scenes, 0.0 dB in the
   * median. With noise half, and all for those that are lost. */
  [PRISM_TUNING_FIELD_STARTS] = { "field-starts", 8 },
  /* Iterations that follow on whole frames with noise. 128/512 moon, four scenes: 6 leave 1.2
   * times the error, 25 and 40 no less. */
  [PRISM_TUNING_FIELD_WHOLE] = { "field-whole", 12 },
  /* Of the median: a larger misfit with noise is a doubtful field's. Plausible. */
  [PRISM_TUNING_FIELD_DOUBTFUL] = { "field-doubtful", 1.6 },
  /* Of the median: the same in every second search. 48/128 moon, 30 samples, r 6 and 7: 20 to 29
   * and 36 dB. */
  [PRISM_TUNING_FIELD_MORE_DOUBTFUL] = { "field-more-doubtful", 1.2 },
  /* Relaxation with noise, in two of three starts. Plausible. */
  [PRISM_TUNING_ALIGN_DAMPED] = { "align-damped", 0.97, TRUE },
  /* And in the third. Plausible. */
  [PRISM_TUNING_ALIGN_LESS_DAMPED] = { "align-less-damped", 0.99, TRUE },
  /* Starts of a search at most. Plausible. */
  [PRISM_TUNING_ALIGN_STARTS] = { "align-starts", 4 },
  /* Starts at most with noise. Plausible. */
  [PRISM_TUNING_ALIGN_STARTS_IN_NOISE] = { "align-starts-in-noise", 8 },
  /* Of Σ A²: a larger misfit needs another start. Plausible. */
  [PRISM_TUNING_ALIGN_EXPLAINED] = { "align-explained", 1e-6 },
  /* Length of its steps, of the longest safe one. Plausible. */
  [PRISM_TUNING_FILL_STEP] = { "fill-step", 1.25 },
  /* First strength of a fill with noise, times the distance, at least. Plausible. */
  [PRISM_TUNING_FILL_FIRST_IN_NOISE] = { "fill-first-in-noise", 4.0 },
  /* And at its end, times the distance. Plausible. */
  [PRISM_TUNING_FILL_LAST_IN_NOISE] = { "fill-last-in-noise", 0.12 },
  /* Standard deviations above the expected misfit that are still noise. The truth: -2 to 2. */
  [PRISM_TUNING_VERDICT_DEVIATIONS] = { "verdict-deviations", 5.0 },
  /* Of the expected misfit that is not held against an image in any case. 64/256, r 5 to 14:
   * nearly all right images have less, stuck ones more. */
  [PRISM_TUNING_VERDICT_EXCESS] = { "verdict-excess", 0.01 },
  /* Of the light that an image may miss without noise. 64/256, r 6 to 14: below it 35 dB and
   * more, above it less. */
  [PRISM_TUNING_VERDICT_REST] = { "verdict-rest", 1e-5 },
  /* Of the region of interest: where less is measured, with noise, another image is sought.
   * Plausible. */
  [PRISM_TUNING_SECOND_COVERAGE] = { "second-coverage", 0.3 },
  /* RMS: two images that differ by more are two. They are 28 dB from each other. */
  [PRISM_TUNING_SECOND_DIFFERENCE] = { "second-difference", 0.04 },
};

static double factors[PRISM_N_TUNINGS]; /* 0: as in the table */

/**
 * prism_tuning_get:
 * @tuning: which one
 *
 * Thread: any.
 *
 * Returns: the number
 */
double
prism_tuning_get (PrismTuning tuning)
{
  const PrismTuningEntry *entry = &entries[tuning];

  if (G_LIKELY (factors[tuning] == 0.0))
    return entry->value;
  return entry->below_one ? MAX (1.0 - factors[tuning] * (1.0 - entry->value), 0.0)
                          : factors[tuning] * entry->value;
}

/**
 * prism_tuning_get_count:
 * @tuning: one that counts something
 *
 * Thread: any.
 *
 * Returns: the number, at least 1
 */
guint
prism_tuning_get_count (PrismTuning tuning)
{
  return (guint) MAX (1.0, round (prism_tuning_get (tuning)));
}

/**
 * prism_tuning_get_entry:
 * @tuning: which one
 *
 * Thread: any.
 *
 * Returns: (transfer none): its row of the table
 */
const PrismTuningEntry *
prism_tuning_get_entry (PrismTuning tuning)
{
  return &entries[tuning];
}

/**
 * prism_tuning_scale:
 * @tuning: which one
 * @factor: above 0; 1 for the table's value
 *
 * Has the methods go on with a multiple of a number, or of what it misses to 1. No program does
 * that, only tests.
 *
 * Thread: before any other uses it.
 */
void
prism_tuning_scale (PrismTuning tuning,
                    double factor)
{
  factors[tuning] = factor == 1.0 ? 0.0 : factor;
}
