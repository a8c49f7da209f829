#include "config.h"

#include "model/prism-verdict.h"

#include "base/prism-number.h"
#include "base/prism-text.h"
#include "num/prism-expect.h"
#include "num/prism-tuning.h"

typedef struct
{
  double shot;   /* v */
  double read;   /* ρ */
  double scale;  /* of both, as that of shot noise; 0 without noise */
  double offset; /* c */
} Camera;

/* An SNR is stated for the frame without noise, which the image predicts. */
static Camera
get_camera (const PrismNoise *noise,
            const float *predicted,
            gsize n_pixels)
{
  double sum = 0.0, squares = 0.0;
  Camera camera = { 0 };

  for (gsize i = 0; i < n_pixels; i++)
    {
      double intensity = (double) predicted[i] * predicted[i];

      sum += intensity;
      squares += intensity * intensity;
    }
  if (!(sum > 0.0))
    return camera;
  camera.shot = noise->photon > 0.0 ? noise->photon
                                    : prism_noise_get_ratio (noise->snr) * squares / sum;
  camera.read = prism_noise_get_ratio (noise->read_snr) * squares / (double) n_pixels;
  camera.scale = prism_expect_get_scale (camera.shot, camera.read);
  if (camera.scale > 0.0)
    camera.offset = 0.25 * camera.scale + camera.read / camera.scale;
  return camera;
}

/* Pixels that are compared at once: sums do not depend on the number of threads. */
#define PIXELS 4096

typedef struct
{
  const float *predicted;
  const float *recorded;
  gsize n_pixels;
  const PrismExpect *expect; /* NULL without noise */
  Camera camera;
  PrismVerdict *parts;
} Frame;

static void
compare_pixels (gpointer data,
                guint chunk,
                guint worker)
{
  const Frame *self = data;
  const gsize first = (gsize) chunk * PIXELS, end = MIN (first + PIXELS, self->n_pixels);
  const double weight = 1.0 / self->camera.scale;
  PrismVerdict part = { 0 }; /* sums beside those of another thread take three times as long */

  for (gsize i = first; i < end && self->expect == NULL; i++)
    {
      const double rest = (double) self->predicted[i] - self->recorded[i];

      part.misfit += rest * rest;
      part.power += (double) self->recorded[i] * self->recorded[i];
    }
  /* T is close to normal, so that (H-T)² has twice the square of its mean as variance. */
  for (gsize i = first; i < end && self->expect != NULL; i++)
    {
      const float predicted = self->predicted[i];
      const double intensity = (double) self->recorded[i] * self->recorded[i];
      const double variance = weight * prism_expect_get_variance (self->expect, predicted);
      float slope;
      const double rest = prism_expect_get (self->expect, predicted, &slope)
                          - sqrt (intensity + self->camera.offset);

      part.misfit += weight * rest * rest;
      part.expected += variance;
      part.variance += 2.0 * variance * variance;
      part.power += weight * intensity;
    }
  self->parts[chunk] = part;
}

/**
 * prism_verdict_add_frame:
 * @self: (inout): sums over the frames so far; zeros before the first
 * @pool: (nullable): whose threads share the pixels
 * @noise: what is stated about the camera
 * @predicted: (array length=n_pixels): amplitude of the frame that the image makes, without noise
 * @recorded: (array length=n_pixels): amplitude of the frame
 * @n_pixels: number of pixels
 *
 * Compares a frame with what the image predicts. How much noise is to be expected follows from the
 * prediction, pixel by pixel.
 *
 * Thread: any; with a pool the one that runs it.
 * Source: numerics.md, “Verdict”.
 */
void
prism_verdict_add_frame (PrismVerdict *self,
                         PrismPool *pool,
                         const PrismNoise *noise,
                         const float *predicted,
                         const float *recorded,
                         gsize n_pixels)
{
  const Camera camera = get_camera (noise, predicted, n_pixels);
  const guint n_chunks = (n_pixels + PIXELS - 1) / PIXELS;
  g_autofree PrismVerdict *parts = g_new (PrismVerdict, n_chunks);
  g_autoptr (PrismExpect) expect
      = camera.scale > 0.0 ? prism_expect_new (camera.shot, camera.read, camera.offset) : NULL;
  Frame frame = { predicted, recorded, n_pixels, expect, camera, parts };

  if (pool != NULL)
    prism_pool_run (pool, n_chunks, compare_pixels, &frame);
  for (guint i = 0; i < n_chunks; i++)
    {
      if (pool == NULL)
        compare_pixels (&frame, i, 0);
      prism_verdict_add (self, &parts[i]);
    }
  self->n_frames++;
}

/**
 * prism_verdict_add:
 * @self: (inout): sums over the frames so far
 * @other: sums over other frames
 *
 * Thread: any.
 */
void
prism_verdict_add (PrismVerdict *self,
                   const PrismVerdict *other)
{
  self->n_frames += other->n_frames;
  self->misfit += other->misfit;
  self->expected += other->expected;
  self->variance += other->variance;
  self->power += other->power;
}

/**
 * prism_verdict_decide:
 * @self: (inout): sums over all frames that are judged
 *
 * Thread: any.
 * Source: numerics.md, “Verdict”.
 */
void
prism_verdict_decide (PrismVerdict *self)
{
  const double deviations
      = prism_tuning_get (PRISM_TUNING_VERDICT_DEVIATIONS) * sqrt (self->variance);
  const double excess = prism_tuning_get (PRISM_TUNING_VERDICT_EXCESS) * self->expected;

  if (self->n_frames == 0 || !isfinite (self->misfit))
    self->kind = PRISM_VERDICT_OPEN;
  else if (self->expected > 0.0 ? self->misfit - self->expected <= MAX (deviations, excess)
                                : self->misfit <= prism_tuning_get (PRISM_TUNING_VERDICT_REST)
                                                      * self->power)
    self->kind = PRISM_VERDICT_EXPLAINED;
  else
    self->kind = PRISM_VERDICT_UNEXPLAINED;
}

/* Of the held-out frames' correlation, over the one that noise allows. A model that is wrong in one
 * point (no pupil, real object) stays below it on frames of microscopes. */
#define PREDICTED 0.85
/* Frames in the wrong order, and objects with too little overlap, can be predicted in their pattern
 * and not in their light. Of sets whose truth is met no misfit is above 0.14. */
#define MOST_MISFIT 0.18
/* Times the misfit that noise leaves: on simulated frames noise is found to about a tenth. */
#define NOISE 1.1

/**
 * prism_verdict_predict:
 * @self: (out): the verdict
 * @held_out: frames that were never used, as they are predicted
 *
 * Judges by frames that were held out, by what is left where noise is taken off. Without any the
 * verdict is open; and as long as tiles are missing, for some of a field say nothing of all of it,
 * nobody has judged. Where the last pass has raised their correlation by more than this is known,
 * as it scatters between frames, more passes will raise it further: nothing else is said then.
 *
 * Thread: any.
 * Source: measurements.md, “The score”.
 */
void
prism_verdict_predict (PrismVerdict *self,
                       const PrismPrediction *held_out)
{
  const double pure = held_out->expected > 0 ? held_out->pure : held_out->correlation;
  const double most = hypot (MOST_MISFIT, NOISE * held_out->noise);

  *self = (PrismVerdict) { .is_predicted = held_out->n_done == held_out->n_tiles };
  if (!self->is_predicted || held_out->n_frames == 0 || !isfinite (held_out->correlation))
    return;
  self->n_frames = held_out->n_frames;
  self->misfit = held_out->misfit;
  self->correlation = held_out->correlation;
  self->kind = held_out->gain > held_out->error ? PRISM_VERDICT_IMPROVING
               : !(pure >= PREDICTED && held_out->misfit <= most)
                   ? PRISM_VERDICT_UNEXPLAINED
               : held_out->to_na > 0 ? PRISM_VERDICT_BOUNDED
                                     : PRISM_VERDICT_EXPLAINED;
  self->to_na = held_out->to_na;
  self->cause = self->kind == PRISM_VERDICT_UNEXPLAINED ? held_out->cause : PRISM_CAUSE_NONE;
}

/**
 * prism_verdict_doubt:
 * @self: (inout): a verdict
 * @image: (array length=n_pixels): what was judged, amplitudes in [0, 1]
 * @second: (array length=n_pixels): another image that explains the frames
 * @n_pixels: number of pixels
 *
 * Notes how far the two are from each other. A verdict of an image that is explained becomes
 * ambiguous where that is more than the measurements should allow.
 *
 * Thread: any.
 * Source: numerics.md, “Verdict”.
 */
void
prism_verdict_doubt (PrismVerdict *self,
                     const float *image,
                     const float *second,
                     gsize n_pixels)
{
  double sum = 0.0;

  for (gsize i = 0; i < n_pixels; i++)
    sum += ((double) image[i] - second[i]) * ((double) image[i] - second[i]);
  self->difference = sqrt (sum / (double) n_pixels);
  if (self->kind == PRISM_VERDICT_EXPLAINED
      && self->difference > prism_tuning_get (PRISM_TUNING_SECOND_DIFFERENCE))
    self->kind = PRISM_VERDICT_AMBIGUOUS;
}

/**
 * prism_verdict_get_rest:
 * @self: a verdict
 *
 * Thread: any.
 *
 * Returns: the misfit over what noise leaves of it, about 1 for the truth; without noise over the
 * light of the frames; of frames that were predicted the misfit; NAN for an open verdict
 */
double
prism_verdict_get_rest (const PrismVerdict *self)
{
  if (self->kind == PRISM_VERDICT_OPEN)
    return NAN;
  if (self->is_predicted)
    return self->misfit;
  return self->misfit / (self->expected > 0.0 ? self->expected : self->power);
}

static const char *const keys[PRISM_N_VERDICTS] = {
  [PRISM_VERDICT_OPEN] = "open",
  [PRISM_VERDICT_EXPLAINED] = "explained",
  [PRISM_VERDICT_UNEXPLAINED] = "not explained",
  [PRISM_VERDICT_AMBIGUOUS] = "ambiguous",
  [PRISM_VERDICT_BOUNDED] = "explained as far as the frames say",
  [PRISM_VERDICT_IMPROVING] = "still improving",
};

/**
 * prism_verdict_get_key:
 * @kind: a kind of verdict
 *
 * Thread: any.
 *
 * Returns: what files call it
 */
const char *
prism_verdict_get_key (PrismVerdictKind kind)
{
  return keys[kind];
}

/* 0 for none of words. */
static guint
find (const char *const *words,
      guint n,
      const char *word)
{
  while (--n > 0 && g_strcmp0 (words[n], word) != 0)
    ;
  return n;
}

/**
 * prism_verdict_find:
 * @key: (nullable): what a file calls a kind of verdict
 *
 * Thread: any.
 *
 * Returns: the kind; open for what no file calls so
 */
PrismVerdictKind
prism_verdict_find (const char *key)
{
  return find (keys, PRISM_N_VERDICTS, key);
}

/**
 * prism_verdict_take_json:
 * @self: (inout): a verdict
 * @object: (nullable): what the summary of a simulated run says of it
 *
 * Takes that over; programs that knew of no verdicts wrote none.
 *
 * Thread: any.
 */
void
prism_verdict_take_json (PrismVerdict *self,
                         JsonObject *object)
{
  self->kind = prism_verdict_find (prism_json_get_text (object, "kind"));
  self->n_frames = (guint) fmin (fmax (prism_json_get_number (object, "frames"), 0), G_MAXINT);
  self->misfit = fmax (prism_json_get_number (object, "misfit"), 0);
  self->expected = fmax (prism_json_get_number (object, "expected"), 0);
  self->variance = fmax (prism_json_get_number (object, "variance"), 0);
  self->power = fmax (prism_json_get_number (object, "power"), 0);
  self->difference = fmax (prism_json_get_number (object, "difference"), 0);
}

/**
 * prism_verdict_is_shared:
 * @self: a verdict
 * @coverage: part of the plane that was measured, NAN where nobody knows
 *
 * Where more of the plane is unknown than known, others explain the measurements as well.
 *
 * Thread: any.
 *
 * Returns: whether the picture is one of many that explain the frames
 */
gboolean
prism_verdict_is_shared (const PrismVerdict *self,
                         double coverage)
{
  return self->kind == PRISM_VERDICT_EXPLAINED && !self->is_predicted && coverage < 0.5;
}

/**
 * prism_verdict_get_label:
 * @self: a verdict
 * @coverage: part of the plane that was measured, NAN where nobody knows
 *
 * Thread: any.
 *
 * Returns: what people call it in a table, English; it is in the catalogue of translations
 */
const char *
prism_verdict_get_label (const PrismVerdict *self,
                         double coverage)
{
  static const char *const labels[PRISM_N_VERDICTS] = {
    [PRISM_VERDICT_OPEN] = N_ ("not known"),
    [PRISM_VERDICT_EXPLAINED] = N_ ("fits the measurements"),
    [PRISM_VERDICT_UNEXPLAINED] = N_ ("does not fit the measurements"),
    [PRISM_VERDICT_AMBIGUOUS] = N_ ("ambiguous"),
    [PRISM_VERDICT_BOUNDED] = N_ ("fits as far as the measurements say"),
    [PRISM_VERDICT_IMPROVING] = N_ ("still improving: run more passes"),
  };

  return prism_verdict_is_shared (self, coverage)
             ? N_ ("one of many pictures that fit the measurements")
             : labels[self->kind];
}

/* What a verdict begins with where people read it, so that it is not its colour alone that says
 * whether it is good, to be read with care, or bad; and what GTK and pages of HTML call that. */
static const struct
{
  const char *sign;
  const char *style;
} signs[] = { { "", NULL }, { "✓ ", "success" }, { "⚠ ", "warning" }, { "✗ ", "error" } };

/**
 * prism_verdict_dup_signed:
 * @self: a verdict
 * @coverage: part of the plane that was measured, NAN where nobody knows
 * @text: that says it
 *
 * Thread: any.
 *
 * Returns: (transfer full): the text behind a sign; without one of an open verdict
 */
char *
prism_verdict_dup_signed (const PrismVerdict *self,
                          double coverage,
                          const char *text)
{
  static const int rows[PRISM_N_VERDICTS] = {
    [PRISM_VERDICT_EXPLAINED] = 1,
    [PRISM_VERDICT_UNEXPLAINED] = 3,
    [PRISM_VERDICT_AMBIGUOUS] = 2,
    [PRISM_VERDICT_BOUNDED] = 1,
    [PRISM_VERDICT_IMPROVING] = 2,
  };
  const int row = prism_verdict_is_shared (self, coverage) ? 2 : rows[self->kind];

  return g_strconcat (signs[row].sign, text, NULL);
}

/**
 * prism_verdict_dup_label:
 * @self: a verdict
 * @coverage: part of the plane that was measured, NAN where nobody knows
 *
 * Thread: any.
 *
 * Returns: (transfer full): prism_verdict_get_label() translated, behind its sign
 */
char *
prism_verdict_dup_label (const PrismVerdict *self,
                         double coverage)
{
  return prism_verdict_dup_signed (self, coverage, _ (prism_verdict_get_label (self, coverage)));
}

/**
 * prism_verdict_get_style:
 * @text: with a verdict in it, or none
 *
 * Thread: any.
 *
 * Returns: (transfer none) (nullable): “success”, “warning” or “error”, by the worst sign in it
 */
const char *
prism_verdict_get_style (const char *text)
{
  const char *style = NULL;

  for (guint i = 1; i < G_N_ELEMENTS (signs); i++)
    if (strstr (text, signs[i].sign) != NULL)
      style = signs[i].style;
  return style;
}

/**
 * prism_verdict_get_advice:
 * @self: a verdict
 *
 * Thread: any.
 *
 * Returns: (nullable): a sentence that says what to do, translated; NULL where there is nothing to
 * do
 */
const char *
prism_verdict_get_advice (const PrismVerdict *self)
{
  if (self->kind == PRISM_VERDICT_AMBIGUOUS)
    return _ ("Take more positions, or a larger aperture, to tell which one is right.");
  if (self->kind != PRISM_VERDICT_UNEXPLAINED || self->is_predicted)
    return NULL;
  if (self->cause == PRISM_CAUSE_MOTION)
    return _ ("motion_blur blurs the frames, and no method knows of it: take a smaller one or 0. "
              "Where that does not help, try more positions, steps or passes.");
  return self->expected > 0.0 ? _ ("Try more positions, steps or passes, or another training "
                                   "seed, or check the noise that is stated.")
                              : _ ("Try more positions, steps or passes, or another training "
                                   "seed.");
}

static const char *const causes[PRISM_N_CAUSES] = {
  [PRISM_CAUSE_NONE] = "unknown",
  [PRISM_CAUSE_LIGHT] = "light",
  [PRISM_CAUSE_ORDER] = "order",
  [PRISM_CAUSE_GEOMETRY] = "geometry",
  [PRISM_CAUSE_SPECIMEN] = "specimen",
  [PRISM_CAUSE_MOTION] = "motion",
};

/**
 * prism_verdict_get_cause:
 * @cause: why frames are not predicted
 *
 * Thread: any.
 *
 * Returns: what files call it
 */
const char *
prism_verdict_get_cause (PrismCause cause)
{
  return causes[cause];
}

/**
 * prism_verdict_find_cause:
 * @key: (nullable): what a file calls it
 *
 * Thread: any.
 *
 * Returns: the cause; none for what no file calls so
 */
PrismCause
prism_verdict_find_cause (const char *key)
{
  return find (causes, PRISM_N_CAUSES, key);
}

/* What frames say that were never used. */
static char *
dup_prediction_text (const PrismVerdict *self)
{
  static const char *const reasons[PRISM_N_CAUSES] = {
    [PRISM_CAUSE_NONE]
    = N_ ("Check the light, the order of the frames, the axes of the positions, their distance, NA,"
          " pixel size and wavelength."),
    [PRISM_CAUSE_LIGHT] = N_ ("The likeliest cause is the light: too little of it, stray light, or"
                              " a full camera."),
    [PRISM_CAUSE_ORDER] = N_ ("The likeliest cause is the order of the frames: they have not that"
                              " of the positions."),
    [PRISM_CAUSE_GEOMETRY] = N_ ("The likeliest cause is the geometry: check the axes of the"
                                 " positions, their distance, NA, pixel size and wavelength."),
    [PRISM_CAUSE_SPECIMEN] = N_ ("The likeliest cause is the specimen: it is thick, or moves while"
                                 " frames are taken. No other light, order or geometry that was"
                                 " tried meets the frames."),
    [PRISM_CAUSE_MOTION] = N_ ("The likeliest cause is the specimen: it moves."),
  };
  static const char *const sentences[PRISM_N_VERDICTS] = {
    [PRISM_VERDICT_OPEN] = N_ ("No frame was held out, so nothing tells whether the model predicts"
                               " frames: set hold_out, from 2 to the number of frames."),
    [PRISM_VERDICT_EXPLAINED]
    = N_ ("Fits the measurements: frames that were never used are predicted."),
    [PRISM_VERDICT_UNEXPLAINED]
    = N_ ("Does not fit the measurements: frames that were never used are not predicted."),
    [PRISM_VERDICT_IMPROVING]
    = N_ ("Still improving: the last pass raised the correlation of frames that were never used by"
          " more than its standard error. Run more passes."),
  };

  g_autofree char *bounded
      = g_strdup_printf (_ ("Fits as far as the measurements say, to NA %.2g: frames that were "
                            "never used are predicted as well as their noise allows, and LEDs "
                            "farther out give little but noise."),
                         self->to_na);
  g_autofree char *numbers
      = g_strdup_printf (_ ("Held-out frames: %u, misfit %.4f, correlation %.4f."), self->n_frames,
                         self->misfit, self->correlation);
  const char *sentence
      = self->kind == PRISM_VERDICT_BOUNDED ? bounded : _ (sentences[self->kind]);

  if (self->n_frames == 0)
    return g_strdup (sentence);
  return g_strjoin (" ", sentence, numbers,
                    self->kind == PRISM_VERDICT_UNEXPLAINED ? _ (reasons[self->cause]) : NULL,
                    NULL);
}

/* A table of a sweep does not have the difference. */
static char *
dup_doubt (const PrismVerdict *self)
{
  g_autofree char *sentence
      = self->difference > 0.0
            ? g_strdup_printf (_ ("Two different images fit the measurements equally: between"
                                  " them lie %.0f %% of the brightest amplitude (RMS)."),
                               100.0 * self->difference)
            : g_strdup (_ ("Two different images fit the measurements equally."));

  return g_strjoin (" ", sentence, prism_verdict_get_advice (self), NULL);
}

/**
 * prism_verdict_dup_text:
 * @self: a verdict
 *
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): what it is and what to do, one or two sentences for the
 * user; NULL for an open verdict, and where its numbers are not known
 */
char *
prism_verdict_dup_text (const PrismVerdict *self)
{
  double rest = prism_verdict_get_rest (self);
  gboolean noisy = self->expected > 0.0, is_right = self->kind == PRISM_VERDICT_EXPLAINED;
  g_autofree char *sentence = NULL;

  if (self->is_predicted)
    return dup_prediction_text (self);
  if (!isfinite (rest))
    return NULL;
  if (self->kind == PRISM_VERDICT_AMBIGUOUS)
    return dup_doubt (self);
  if (noisy)
    sentence = g_strdup_printf (is_right ? _ ("The image fits the measurements: what it leaves"
                                              " of them is %.3f times the noise that is expected.")
                                         : _ ("The image does not fit the measurements: it"
                                              " leaves %.3f times the noise that is expected."),
                                rest);
  else
    sentence = g_strdup_printf (
        is_right ? g_dngettext (GETTEXT_PACKAGE,
                                "The image fits the measurements: it leaves %.1e of"
                                " the light of %u frame.",
                                "The image fits the measurements: it leaves %.1e of"
                                " the light of %u frames.",
                                self->n_frames)
                 : g_dngettext (GETTEXT_PACKAGE,
                                "The image does not fit the measurements:"
                                " it leaves %.1e of the light of %u frame.",
                                "The image does not fit the measurements:"
                                " it leaves %.1e of the light of %u frames.",
                                self->n_frames),
        rest, self->n_frames);
  return g_strjoin (" ", sentence,
                    is_right && noisy && self->difference > 0.0
                        ? _ ("Another start led to the same image.")
                        : prism_verdict_get_advice (self),
                    NULL);
}

/**
 * prism_settling_get_key:
 * @self: how the passes ended
 *
 * Returns: what files call it
 */
const char *
prism_settling_get_key (PrismSettlingKind self)
{
  static const char *const keys[PRISM_N_SETTLINGS] = {
    [PRISM_SETTLING_OPEN] = "open",
    [PRISM_SETTLING_MOVING] = "moving",
    [PRISM_SETTLING_STILL] = "converged",
    [PRISM_SETTLING_MET] = "measurements met",
  };

  return keys[self];
}

/**
 * prism_settling_dup_text:
 * @self: of a run
 *
 * Says how far the picture moved, beside the limit.
 *
 * Returns: (transfer full) (nullable): one sentence for the user; %NULL where nothing is known
 */
char *
prism_settling_dup_text (const PrismSettling *self)
{
  g_autofree char *change = prism_number_dup (100.0 * self->change, 3);
  g_autofree char *limit = prism_number_dup (100.0 * self->limit, 3);

  if (self->kind == PRISM_SETTLING_MET)
    return g_strdup (_ ("Converged: the measurements are met."));
  if (self->limit <= 0.0 || self->change <= 0.0)
    return NULL;
  if (self->kind == PRISM_SETTLING_STILL)
    return g_strdup_printf (_ ("Converged: the last passes moved the picture by %s %%, less than"
                               " %s %%."),
                            change, limit);
  if (self->kind == PRISM_SETTLING_MOVING)
    return g_strdup_printf (_ ("Not converged: the last passes moved the picture by %s %%,"
                               " more than %s %%."),
                            change, limit);
  return g_strdup_printf (_ ("Ten passes moved the picture by %s %%; below %s %% they end."),
                          change, limit);
}
