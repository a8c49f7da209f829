/* prism-ptychography: explains recorded frames by a complex object, a pupil, and the light of every
 * LED: frame j is |F⁻¹{P(k)·O(k - k_j)}|²·g_j (Zheng 2013, Ou 2014). One pass after the other over
 * the frames, the inner ones first; what is held out is never looked at.
 *
 * Dimensions as in prism-ptychogram: N, q, n, M. Complex numbers are pairs of floats.
 * Thread: one at a time. */
#pragma once

#include "formats/prism-bundle.h"
#include "model/prism-verdict.h"
#include "ptychography/prism-illumination.h"
#include "ptychography/prism-ptychogram.h"
#include "ptychography/prism-pupil.h"

G_BEGIN_DECLS

#define PRISM_PTYCHOGRAPHY_BAD 0.15 /* misfit: frames and pupils that are met better are met */
#define PRISM_PTYCHOGRAPHY_WORSE 2.0 /* times the misfit of others as far out, or next to it */

typedef struct _PrismPtychography PrismPtychography;

/* What the passes begin with instead of a search: of an earlier result, or of a neighbouring tile.
 * q' = side of the frames that it was found with. */
typedef struct
{
  int side;                             /* q' */
  float *pupil;                         /* [q'][q'][2] */
  double radius;                        /* of it, pixels of q' */
  double aberrations[PRISM_PUPIL_N_MODES]; /* of it, radians */
  double rim;                           /* px of a frame's grid; NAN: as sharp as can be */
  guint n_frames;                       /* with gains and places; 0: none */
  double *gains;                        /* [n_frames] */
  double (*places)[2];                  /* [n_frames]: pixels of q' from the spectrum's centre */
} PrismPtychographyStart;

/* Before each frame of a pass and of the search, on any thread of them: how much of the
 * pass or of the search is done, 0…1. FALSE ends it there; it may also wait. */
typedef gboolean (*PrismPtychographyWatch) (double   fraction,
                                            gpointer data);

PrismPtychography *prism_ptychography_new   (PrismPtychogram                  *frames,
                                             const PrismConfig  *settings,
                                             double                            wavelength,
                                             double                            na,
                                             GError                          **error);
void               prism_ptychography_free  (PrismPtychography *self);
void               prism_ptychography_set_watch (PrismPtychography     *self,
                                                 PrismPtychographyWatch watch,
                                                 gpointer               data);
void               prism_ptychography_start_free (PrismPtychographyStart *start);
gboolean           prism_ptychography_begin (PrismPtychography *self);
gboolean           prism_ptychography_step  (PrismPtychography *self);
void               prism_ptychography_take_best (PrismPtychography *self);
gboolean           prism_ptychography_save  (PrismPtychography  *self,
                                             PrismBundle        *bundle,
                                             GError            **error);
gboolean           prism_ptychography_load  (PrismPtychography  *self,
                                             PrismBundle        *bundle,
                                             GError            **error);


guint                    prism_ptychography_get_pass         (PrismPtychography *self);
guint                    prism_ptychography_get_next         (PrismPtychography *self);
gboolean                 prism_ptychography_is_searching     (PrismPtychography *self);
guint                    prism_ptychography_get_n_passes     (PrismPtychography *self);
float                   *prism_ptychography_dup_field        (PrismPtychography  *self,
                                                              GError            **error);
float                   *prism_ptychography_dup_object       (PrismPtychography  *self,
                                                              GError            **error);
float                   *prism_ptychography_dup_pupil        (PrismPtychography *self);
float                   *prism_ptychography_dup_prediction   (PrismPtychography *self,
                                                              guint              frame);
double                   prism_ptychography_compare_at       (PrismPtychography *self,
                                                              guint              frame,
                                                              const double       place[2]);
gboolean                 prism_ptychography_is_stray         (PrismPtychography  *self,
                                                              guint               frame);
const PrismPrediction   *prism_ptychography_get_held         (PrismPtychography *self);
double                   prism_ptychography_try              (PrismPtychogram   *frames,
                                                              const PrismConfig *settings,
                                                              gboolean           held,
                                                              const PrismPtychography *owner);
void                     prism_ptychography_judge            (PrismPtychography *self,
                                                              PrismPrediction   *held);
void                     prism_ptychography_ask_cause        (PrismPtychography *self);
double                   prism_ptychography_get_misfit       (PrismPtychography *self);
gboolean                 prism_ptychography_is_decoded       (PrismPtychography *self);
gboolean                 prism_ptychography_takes_whole      (PrismPtychography *self);
PrismPrediction          prism_ptychography_predict          (PrismPtychography *self,
                                                              gboolean           held,
                                                              double            *misfits,
                                                              double            *correlations);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPtychography, prism_ptychography_free)

G_END_DECLS
