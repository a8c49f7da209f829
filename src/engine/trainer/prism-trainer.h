/* prism-trainer: the progressive reconstruction as a machine that advances in small steps, so that
 * whoever drives it can pause, look and change its mind between any two of them.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "backend/prism-cache.h"
#include "formats/prism-bundle.h"
#include "history/prism-snapshot.h"
#include "measure/prism-scene.h"
#include "solve/prism-microscope.h"

G_BEGIN_DECLS

typedef struct _PrismTrainer PrismTrainer;

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
const PrismConfig *
              prism_trainer_get_config         (PrismTrainer *self);
void          prism_trainer_look_at            (PrismTrainer *self,
                                                guint         frame);
void          prism_trainer_find               (PrismTrainer *self);
PrismPhase    prism_trainer_get_phase          (PrismTrainer *self);
guint64       prism_trainer_get_n_visits       (PrismTrainer *self);
gboolean      prism_trainer_is_between         (PrismTrainer *self);
PrismBundle * prism_trainer_dup_state          (PrismTrainer  *self,
                                                GError       **error);
gboolean      prism_trainer_restore            (PrismTrainer  *self,
                                                PrismBundle   *state,
                                                PrismSnapshot *snapshot,
                                                GError       **error);
gboolean      prism_trainer_export             (PrismTrainer          *self,
                                                const char            *device_reason,
                                                gboolean               is_brief,
                                                const char            *directory,
                                                GError               **error);
void          prism_trainer_publish            (PrismTrainer  *self,
                                                PrismSnapshot *snapshot,
                                                gboolean       settled);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismTrainer, prism_trainer_free)

G_END_DECLS
