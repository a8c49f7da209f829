/* prism-ptychography-frame: one frame at a time: its window of the object's spectrum goes through
 * the pupil to the camera, and what differs there comes back to object, pupil and place.
 *
 * Rows and columns go in blocks of sizes that do not depend on the number of threads: neither do
 * the bits. Thread: one at a time, with the threads of a pool. */
#pragma once

#include "backend/prism-recorded.h"
#include "base/prism-pool.h"
#include "ptychography/prism-held-out.h"
#include "ptychography/prism-ptychogram.h"
#include "ptychography/prism-ptychography-sums.h"

G_BEGIN_DECLS

typedef struct
{
  double object_step;                   /* 0…1 */
  double pupil_step;                    /* 0: the pupil stays */
  double gain;                          /* NAN: the one that fits best */
  PrismAberrationFit *fit;              /* (nullable): to be added to */
  PrismPtychographySums *sums;          /* (nullable): to be added to; object and pupil stay */
  gboolean wants_shift;
} PrismPtychographyVisit;

typedef struct
{
  double gain;                          /* of the model's amplitude for the recorded one */
  double error;                         /* Σ(|φ| - gain·A)² */
  double energy;                        /* Σ(gain·A)² */
  double shift[2];                      /* pixels that the pupil's place is off, by one step */
} PrismPtychographyLesson;

typedef struct _PrismPtychographyFrame PrismPtychographyFrame;

PrismPtychographyFrame *prism_ptychography_frame_new     (const PrismPtychogram  *frames,
                                                          PrismPool              *pool,
                                                          GError                **error);
void                    prism_ptychography_frame_free    (PrismPtychographyFrame *self);
void                    prism_ptychography_frame_describe (const PrismPtychographyFrame *self,
                                                           PrismRecordedSpec            *spec,
                                                           double                        limits[2]);
void                    prism_ptychography_frame_set_rim (PrismPtychographyFrame *self,
                                                          double                  width);
void                    prism_ptychography_frame_begin   (PrismPtychographyFrame *self,
                                                          const double           *aberrations);
void                    prism_ptychography_frame_set_aberrations (PrismPtychographyFrame *self,
                                                                  const double *aberrations);
void                    prism_ptychography_frame_begin_with (PrismPtychographyFrame *self,
                                                             const float            *pupil);
PrismPtychographyLesson prism_ptychography_frame_visit   (PrismPtychographyFrame       *self,
                                                          guint                         j,
                                                          const double                  place[2],
                                                          const PrismPtychographyVisit *visit);
const float            *prism_ptychography_frame_predict (PrismPtychographyFrame *self,
                                                          guint                   j,
                                                          const double            place[2]);
PrismHeldOut            prism_ptychography_frame_compare (PrismPtychographyFrame *self,
                                                          guint                   j,
                                                          const double            place[2]);
float                  *prism_ptychography_frame_get_object (PrismPtychographyFrame *self);
float                  *prism_ptychography_frame_get_pupil  (PrismPtychographyFrame *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPtychographyFrame, prism_ptychography_frame_free)

G_END_DECLS
