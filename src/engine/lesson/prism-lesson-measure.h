/* prism-lesson-measure: the numbers of a run that a lesson asks for. Thread: any. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_LESSON_PSNR,
  PRISM_LESSON_SSIM,
  PRISM_LESSON_ERROR,
  PRISM_LESSON_COVERAGE,
  PRISM_LESSON_GAIN,                    /* PSNR more than in the step before */
  PRISM_LESSON_N_MEASURES,
  PRISM_LESSON_NOTHING = PRISM_LESSON_N_MEASURES,
} PrismLessonMeasure;

/* What a run came to. */
typedef struct
{
  double values[PRISM_LESSON_N_MEASURES]; /* NAN where nothing is known */
  PrismVerdictKind verdict;
} PrismLessonResult;

void               prism_lesson_result_init       (PrismLessonResult       *self,
                                                   const PrismSnapshot     *snapshot,
                                                   const PrismLessonResult *before);
PrismLessonMeasure prism_lesson_measure_find      (const char *key);
const char        *prism_lesson_measure_get_key   (PrismLessonMeasure measure);
const char        *prism_lesson_measure_get_label (PrismLessonMeasure measure);
const char        *prism_lesson_measure_get_unit  (PrismLessonMeasure measure);
char              *prism_lesson_measure_dup_text  (PrismLessonMeasure measure,
                                                   double             value);
char              *prism_lesson_measure_dup_keys  (void);

G_END_DECLS
