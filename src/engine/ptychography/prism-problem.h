/* prism-problem: recorded frames that are to be explained, made ready as somebody wants it, and how
 * the same frames can be read again. Immutable and reference counted. Thread: any. */
#pragma once

#include "base/prism-arena.h"
#include "ptychography/prism-mosaic.h"

G_BEGIN_DECLS

/* Pixels: files of objects that have more are made one by one. */
#define PRISM_PROBLEM_LARGE (PRISM_ARENA_LARGE / 64)

typedef struct
{
  gatomicrefcount ref_count;
  PrismRecording *recording;
  PrismConfig *settings;                /* those that frames were made ready with */
  PrismMosaic *mosaic;                  /* (nullable): the tiles of a field that is cut into some,
                                         * none of them explained */
  PrismPtychogram *frames;              /* of the field, or of its middle tile */
  PrismRecipe *recipe;                  /* (nullable): how the file was understood */
  char *positions;                      /* (nullable): table that says where the LEDs are */
} PrismProblem;

PrismProblem *prism_problem_new        (PrismRecording     *recording,
                                        const PrismConfig  *settings,
                                        GError            **error);
PrismProblem *prism_problem_ref_for    (PrismProblem       *self,
                                        const PrismConfig  *settings,
                                        GError            **error);
void          prism_problem_set_reading (PrismProblem      *self,
                                         const PrismRecipe *recipe,
                                         const char        *positions);
PrismImage   *prism_problem_new_frame  (const PrismProblem *self,
                                        guint               frame,
                                        const float        *values);
int           prism_problem_get_field  (const PrismProblem *self);
int           prism_problem_get_reduction (const PrismProblem *self);
int           prism_problem_get_side   (const PrismProblem *self);
double        prism_problem_get_spectrum_scale (const PrismProblem *self);
guint         prism_problem_get_n_tiles (const PrismProblem *self);
guint64       prism_problem_get_required_bytes (const PrismProblem *self,
                                                const PrismConfig  *settings,
                                                gboolean            saves);
char         *prism_problem_dup_options (const char *text);
char         *prism_problem_to_text    (const PrismProblem  *self,
                                        gboolean             checks,
                                        GError             **error);
PrismProblem *prism_problem_load       (const char         *text,
                                        const char         *name,
                                        const PrismConfig  *settings,
                                        gboolean            checks,
                                        GError            **error);

PRISM_DECLARE_REFERENCES (PrismProblem, prism_problem)

G_END_DECLS
