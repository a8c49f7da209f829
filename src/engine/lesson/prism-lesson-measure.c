#include "config.h"

#include "lesson/prism-lesson-measure.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static const struct
{
  const char *key;
  const char *label;
  const char *unit;
  int digits;
} measures[] = {
  [PRISM_LESSON_PSNR] = { "psnr", N_ ("PSNR"), "dB", 1 },
  [PRISM_LESSON_SSIM] = { "ssim", N_ ("SSIM"), "", 3 },
  [PRISM_LESSON_ERROR] = { "error", N_ ("Error"), "%", 1 },
  [PRISM_LESSON_COVERAGE] = { "coverage", N_ ("Coverage"), "%", 0 },
  [PRISM_LESSON_GAIN] = { "gain", N_ ("More than in the step before"), "dB", 1 },
};

/**
 * prism_lesson_result_init:
 * @self: (out caller-allocates): gets the numbers
 * @snapshot: of a run that has ended
 * @before: (nullable): what the step before came to
 *
 * Reads the numbers of a run: PSNR and gain in dB, SSIM, the normalised error and the coverage in
 * percent.
 */
void
prism_lesson_result_init (PrismLessonResult *self,
                          const PrismSnapshot *snapshot,
                          const PrismLessonResult *before)
{
  self->values[PRISM_LESSON_PSNR] = snapshot->metrics.psnr;
  self->values[PRISM_LESSON_SSIM] = snapshot->metrics.ssim;
  self->values[PRISM_LESSON_ERROR] = snapshot->metrics.rmse;
  self->values[PRISM_LESSON_COVERAGE] = 100 * snapshot->coverage;
  self->values[PRISM_LESSON_GAIN]
      = before != NULL ? snapshot->metrics.psnr - before->values[PRISM_LESSON_PSNR] : NAN;
  self->verdict = snapshot->verdict.kind;
}

/**
 * prism_lesson_measure_find:
 * @key: "psnr"
 *
 * Returns: the number of that name, or %PRISM_LESSON_NOTHING
 */
PrismLessonMeasure
prism_lesson_measure_find (const char *key)
{
  for (guint i = 0; i < PRISM_LESSON_N_MEASURES; i++)
    if (strcmp (measures[i].key, key) == 0)
      return i;
  return PRISM_LESSON_NOTHING;
}

/**
 * prism_lesson_measure_get_key:
 * @measure: a number
 *
 * Returns: its name in files
 */
const char *
prism_lesson_measure_get_key (PrismLessonMeasure measure)
{
  return measures[measure].key;
}

/**
 * prism_lesson_measure_get_label:
 * @measure: a number
 *
 * Returns: what people call it, translated
 */
const char *
prism_lesson_measure_get_label (PrismLessonMeasure measure)
{
  return _ (measures[measure].label);
}

/**
 * prism_lesson_measure_get_unit:
 * @measure: a number
 *
 * Returns: its unit, or ""
 */
const char *
prism_lesson_measure_get_unit (PrismLessonMeasure measure)
{
  return measures[measure].unit;
}

/**
 * prism_lesson_measure_dup_text:
 * @measure: a number
 * @value: of it
 *
 * Returns: (transfer full): the value with its unit, as people read it
 */
char *
prism_lesson_measure_dup_text (PrismLessonMeasure measure,
                               double value)
{
  const char *unit = measures[measure].unit;

  if (!isfinite (value))
    return g_strdup ("–");
  return g_strdup_printf ("%.*f%s%s", measures[measure].digits, value, *unit != '\0' ? " " : "",
                          unit);
}

/**
 * prism_lesson_measure_dup_keys:
 *
 * Returns: (transfer full): the names of all numbers, for a message
 */
char *
prism_lesson_measure_dup_keys (void)
{
  GString *keys = g_string_new (NULL);

  for (guint i = 0; i < PRISM_LESSON_N_MEASURES; i++)
    g_string_append_printf (keys, "%s%s", i == 0 ? "" : ", ", measures[i].key);
  return g_string_free (keys, FALSE);
}
