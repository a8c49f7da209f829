/* prism-trainer-private: what the files that make up the trainer do for each other.
 *
 * n = image_size, m = object_size, N = samples. Thread: engine. */
#pragma once

#include "trainer/prism-trainer.h"

G_BEGIN_DECLS

/* For the device to be done with all it was asked. */
static inline gboolean
prism_trainer_wait (PrismTrainer *self,
                    GError      **error)
{
  return self->backend->ops->finish (self->backend, error);
}

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
