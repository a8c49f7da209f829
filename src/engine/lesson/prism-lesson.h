/* prism-lesson: a lesson: steps of a question, a run and what it shows. No step has a run without a
 * question. The format of its file is in docs/lessons.md. Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "history/prism-snapshot.h"
#include "measure/prism-scene.h"

G_BEGIN_DECLS

/* The numbers of a run that a lesson asks for. Thread: any. */

typedef enum
{
  PRISM_LESSON_PSNR,
  PRISM_LESSON_SSIM,
  PRISM_LESSON_ERROR,
  PRISM_LESSON_COVERAGE,
  PRISM_LESSON_GAIN,                    /* PSNR more than in the step before */
  PRISM_LESSON_CORRELATION,             /* of recorded frames that were never used */
  PRISM_LESSON_MISFIT,
  PRISM_LESSON_N_MEASURES,
  PRISM_LESSON_NOTHING = PRISM_LESSON_N_MEASURES,
} PrismLessonMeasure;

typedef struct
{
  const char *key;                      /* its name in files */
  const char *label;                    /* to be translated */
  const char *unit;                     /* or "" */
  int digits;
} PrismLessonNumber;

extern const PrismLessonNumber prism_lesson_numbers[PRISM_LESSON_N_MEASURES];

/* What a run came to. */
typedef struct
{
  double values[PRISM_LESSON_N_MEASURES]; /* NAN where nothing is known */
  PrismVerdictKind verdict;
} PrismLessonResult;

void  prism_lesson_result_init      (PrismLessonResult       *self,
                                     const PrismSnapshot     *snapshot,
                                     const PrismLessonResult *before);
char *prism_lesson_measure_dup_text (PrismLessonMeasure measure,
                                     double             value);

#define PRISM_LESSON_SUFFIX ".prismlesson"
#define PRISM_LESSON_TYPE "application/x-prism-studio-lesson"
#define PRISM_LESSON_MOST_CHOICES 6
#define PRISM_LESSON_FOLDER "/io/github/prism_studio/PrismStudio/lessons/" /* of the resources */

typedef enum
{
  PRISM_LESSON_CHOICE,                  /* one of several answers */
  PRISM_LESSON_NUMBER,                  /* what a number will be */
  PRISM_LESSON_DRAW,                    /* a frame on a picture */
  PRISM_LESSON_N_KINDS,
} PrismLessonKind;

typedef enum
{
  PRISM_LESSON_RECONSTRUCTION,
  PRISM_LESSON_TARGET,
  PRISM_LESSON_MEASUREMENT,
  PRISM_LESSON_COVERED,                 /* what of the Fourier plane was measured */
  PRISM_LESSON_LIGHTS,                  /* how well each recorded frame is met */
  PRISM_LESSON_N_PICTURES,
} PrismLessonView;

/* In parts of the picture's width and height, from its upper left corner. */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
} PrismLessonRegion;

/* What has to come out, or the lesson says something wrong. */
typedef struct
{
  PrismLessonMeasure measure;           /* NOTHING: the verdict */
  double low;
  double high;
  PrismVerdictKind verdict;
  guint line;
} PrismLessonExpectation;

typedef struct
{
  char *title;
  char *text;
  char *question;
  char *why;                            /* after the run */
  PrismLessonKind kind;
  char **choices;                       /* of a choice */
  guint right;                          /* from 0, where no bounds are given */
  PrismLessonMeasure measure;           /* of a number, and of a choice with bounds */
  guint n_bounds;                       /* 0, or one less than choices */
  double bounds[PRISM_LESSON_MOST_CHOICES]; /* rising */
  double low;                           /* of a number, the end of the slider */
  double high;
  PrismLessonView picture;           /* that is shown, and drawn upon */
  PrismLessonRegion region;             /* of a drawing: where it is */
  PrismConfig *config;                  /* of the run */
  GArray *expectations;                 /* of PrismLessonExpectation */
  PrismRecipe *recipe;                  /* (nullable): the run is of recorded frames, the object of
                                         * config, and these are understood so */
  guint swapped[2];                     /* numbers of two frames that change places first */
  int dark;                             /* number of a frame that has no light, or -1 */
  guint line;                           /* of the file */
} PrismLessonStep;

typedef struct
{
  char *title;
  char *summary;
  guint minutes;
  GPtrArray *steps;                     /* of PrismLessonStep */
} PrismLesson;

PrismLesson           *prism_lesson_load_text (const char *text,
                                               gssize      length,
                                               const char *name,
                                               GPtrArray  *mistakes);
PrismLesson           *prism_lesson_load      (const char  *path,
                                               GPtrArray   *mistakes,
                                               GError     **error);
gboolean               prism_lesson_save_new  (const char        *path,
                                               const PrismConfig *config,
                                               GError           **error);
void                   prism_lesson_free      (PrismLesson *self);
const PrismLessonStep *prism_lesson_get_step  (const PrismLesson *self,
                                               guint              i);
char                  *prism_lesson_dup_frames (const char *folder,
                                                const char *name);
PrismScene            *prism_lesson_step_new_scene (PrismLessonStep *self,
                                                    GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismLesson, prism_lesson_free)

G_END_DECLS
