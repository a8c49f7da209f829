/* prism-trainer-private: the trainer's state, shared by the files that make up the trainer.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "base/prism-clock.h"
#include "history/prism-keeper.h"
#include "history/prism-progress.h"
#include "solve/prism-live-picture.h"
#include "solve/prism-solver.h"
#include "trainer/prism-trainer.h"

G_BEGIN_DECLS

struct _PrismTrainer
{
  PrismConfig *config;
  PrismBackend *backend;
  PrismCache *cache;
  PrismScene *scene;                    /* sorted as the run visits it */
  PrismProblem *problem;                /* (nullable): of the scene */
  PrismPattern *pattern;                /* of the scene */
  PrismMeasurements *measurements;
  PrismBundle *kept;                    /* (nullable): the last good state of the decoder, to go
                                         * back to when training diverges, and to go on from when
                                         * the device is gone; NULL where none is trained */
  PrismSolver *polish;                  /* NULL before the polish; while a decoder is trained that
                                         * was not needed at first, it has the picture so far */
  PrismLivePicture *live;               /* (nullable) before its first round */
  PrismHistory *history;
  PrismHistoryRow row;                  /* of the newest step, not yet in the history */
  gboolean has_row;
  PrismKeeper *keeper;              /* of the moments to walk back to */
  PrismProgress now;
  PrismProgress saved;                  /* when what is kept was current */
  PrismPace pace;                       /* steps of the decoder */
  PrismControl control;                 /* of rounds and passes */
  GError *pending;                      /* (nullable): found while a snapshot was filled */

  char *notice;                         /* (nullable) one sentence for the user */

  guint8 *coverage;                     /* [n][n] 0/1, origin at [n/2][n/2] */
  double covered;                       /* fraction of the region of interest */
  PrismImage *coverage_image;           /* (nullable) [n][n], made when it is published */
  PrismImage *measurement_image;        /* (nullable) [n][n] of measurement_sample */
  PrismImage *start_image;              /* (nullable) [m][m] */
  PrismImage *held_image;               /* (nullable) [m][m], the decoder's when it was held */
  PrismImage *frame;                    /* (nullable) [m][m], the newest of the decoder */
  PrismImage *live_image;               /* (nullable) [m][m], made when it is shown; all that show
                                         * it share it until its next round is through */
  PrismImage *decoded;                  /* (nullable) [m][m] the decoder's, when it has ended */
  PrismFold *fold;                      /* (nullable) of the decoder, made when it is published */
  gboolean fold_failed;
  PrismImage *result;                   /* (nullable) [m][m] of the decoder or the run */
  PrismImage *second;                   /* (nullable) [m][m] explains the measurements, too */
  guint measurement_sample;
  PrismMemoryUse memory;                /* when it was published last */
  gboolean memory_is_last;              /* of the end of the run, which its file has, too */
  guint8 *sample_states;                /* [N] PrismSampleState */
  guint8 *saved_states;                 /* [N] when what is kept was current */
};

/* The method: what fails leaves the trainer where prism_trainer_move() can go on from. */
gboolean prism_trainer_run_method           (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_begin_start          (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_train                (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_go_round             (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_begin_polish         (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_refine               (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_order_frames         (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_is_explained         (PrismTrainer *self);
void     prism_trainer_join_decoder         (PrismTrainer *self);
void     prism_trainer_note_noise           (PrismTrainer      *self,
                                             const PrismConfig *former);
gboolean prism_trainer_keep_result          (PrismTrainer  *self,
                                             const float   *image,
                                             GError       **error);
PrismSolverSpec
         prism_trainer_get_polish_spec      (PrismTrainer *self);
const PrismSolverKind *
         prism_trainer_choose_polish        (PrismTrainer *self);
void     prism_trainer_note_pass            (PrismTrainer *self);
gboolean prism_trainer_make_polish          (PrismTrainer  *self,
                                             PrismBundle   *state,
                                             GError       **error);

/* What is noted down and shown. */
void     prism_trainer_note_renewed         (PrismTrainer *self,
                                             guint         sample);
void     prism_trainer_measure_image        (PrismTrainer *self,
                                             const float  *image);
void     prism_trainer_cover                (PrismTrainer *self,
                                             guint         sample);
void     prism_trainer_rebuild_coverage     (PrismTrainer *self);
double   prism_trainer_get_steps_per_second (PrismTrainer *self);
void     prism_trainer_begin_pace           (PrismTrainer *self);
void     prism_trainer_append_row           (PrismTrainer *self,
                                             gint32        sample,
                                             guint32       sample_step,
                                             gboolean      with_metrics);
void     prism_trainer_hand_over_row        (PrismTrainer *self);
PrismImage *
         prism_trainer_read_decoder         (PrismTrainer  *self,
                                             GError       **error);
const float *
         prism_trainer_get_live_image       (PrismTrainer *self);
gboolean prism_trainer_shows_decoder        (PrismTrainer *self);
PrismImage *
         prism_trainer_dup_picture          (PrismTrainer *self);
gboolean prism_trainer_read_frame           (PrismTrainer *self,
                                             PrismImage   *image);
void     prism_trainer_keep_moment          (PrismTrainer *self,
                                             guint64       n_visits_before);
void     prism_trainer_keep                 (PrismTrainer    *self,
                                             PrismMomentKind  kind,
                                             PrismImage      *image);

/* The decoder. */
gboolean prism_trainer_initialise_decoder   (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_keep_decoder         (PrismTrainer  *self,
                                             GError       **error);
gboolean prism_trainer_is_finite            (PrismTrainer *self);
void     prism_trainer_go_back              (PrismTrainer *self);
gboolean prism_trainer_add_decoder          (PrismTrainer  *self,
                                             PrismBundle   *bundle,
                                             GError       **error);
gboolean prism_trainer_load_decoder         (PrismTrainer  *self,
                                             PrismBundle   *bundle,
                                             GError       **error);

/* What is kept. */
gboolean prism_trainer_set_memory_error     (GError **error);
void     prism_trainer_mark                 (PrismTrainer *self);
gboolean prism_trainer_save                 (PrismTrainer  *self,
                                             GError       **error);
void     prism_trainer_note_parts           (PrismTrainer *self);

G_END_DECLS
