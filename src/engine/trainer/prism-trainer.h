/* prism-trainer: the progressive reconstruction as a machine that advances in small steps, so that
 * whoever drives it can pause, look and change its mind between any two of them.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "backend/prism-cache.h"
#include "formats/prism-bundle.h"
#include "history/prism-keeper.h"
#include "history/prism-progress.h"
#include "measure/prism-scene.h"
#include "solve/prism-live-picture.h"
#include "solve/prism-microscope.h"

G_BEGIN_DECLS

typedef struct _PrismTrainer PrismTrainer;

/* To be read by others, but changed by the functions below alone. */
struct _PrismTrainer
{
  PrismConfig *config;
  PrismBackend *backend;
  PrismCache *cache;
  PrismScene *scene;                    /* sorted as the run visits it */
  PrismProblem *problem;                /* (nullable): of the scene */
  guint n_samples;                      /* N */
  PrismMeasurements *measurements;
  PrismBundle *kept;                    /* (nullable): the last good state of the decoder, to go
                                         * back to when training diverges, and to go on from when
                                         * the device is gone; NULL where none is trained */
  gboolean is_kept;                     /* the device's state is that one */
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
  PrismImage *result;                   /* (nullable) [m][m] of the decoder or the run */
  PrismImage *second;                   /* (nullable) [m][m] explains the measurements, too */
  guint measurement_sample;
  PrismMemoryUse memory;                /* when it was published last */
  gboolean memory_is_last;              /* of the end of the run, which its file has, too */
  guint8 *sample_states;                /* [N] PrismSampleState */
  guint8 *saved_states;                 /* [N] when what is kept was current */
};

/* What a run borrows; all of it outlives the trainer. */
typedef struct
{
  PrismBackend *backend;
  PrismCache *cache;
  PrismScene *scene;                    /* what is measured */
  gboolean (*is_asked) (gpointer data); /* (nullable): for prism_control_is_asked() */
  gpointer data;
} PrismTrainerSource;

PrismTrainer *prism_trainer_new                (const PrismConfig         *config,
                                                const PrismTrainerSource  *source,
                                                GError                   **error);
void          prism_trainer_free               (PrismTrainer *self);
gboolean      prism_trainer_step               (PrismTrainer  *self,
                                                GError       **error);
gboolean      prism_trainer_finish             (PrismTrainer  *self,
                                                GError       **error);
void          prism_trainer_update             (PrismTrainer      *self,
                                                const PrismConfig *config);
gboolean      prism_trainer_move               (PrismTrainer  *self,
                                                PrismBackend  *backend,
                                                const GError  *cause,
                                                GError       **error);
void          prism_trainer_set_notice         (PrismTrainer *self,
                                                char         *notice);
PrismSolver * prism_trainer_get_microscope     (PrismTrainer *self);
gboolean      prism_trainer_is_between         (PrismTrainer *self);
PrismBundle * prism_trainer_dup_state          (PrismTrainer  *self,
                                                GError       **error);
gboolean      prism_trainer_restore            (PrismTrainer  *self,
                                                PrismBundle   *state,
                                                PrismSnapshot *snapshot,
                                                GError       **error);
void          prism_trainer_publish            (PrismTrainer  *self,
                                                PrismSnapshot *snapshot,
                                                gboolean       settled);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTrainer, prism_trainer_free)

G_END_DECLS
