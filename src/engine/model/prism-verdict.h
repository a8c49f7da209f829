/* prism-verdict: whether an image explains the frames that were recorded, from the frames and what
 * is stated about the camera alone. Nothing of the true object is used. */
#pragma once

#include "model/prism-noise.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_VERDICT_OPEN,                   /* nothing was judged */
  PRISM_VERDICT_EXPLAINED,              /* what is left is noise, or next to nothing */
  PRISM_VERDICT_UNEXPLAINED,
  PRISM_VERDICT_AMBIGUOUS,              /* explained, and another image is, too */
  PRISM_VERDICT_PARTLY,                 /* frames that were never used are predicted with errors */
  PRISM_N_VERDICTS,
} PrismVerdictKind;

/* Sums over frames. H, T and v: numerics.md, “Refinement”. */
typedef struct
{
  PrismVerdictKind kind;
  guint n_frames;                       /* that were judged */
  double misfit;                        /* Σ Σ(H-T)²/v of the image; without noise Σ Σ(|φ|-A)² */
  double expected;                      /* what noise makes of it for the truth; 0 without noise */
  double variance;                      /* of that */
  double power;                         /* Σ ΣA²/v; without noise Σ ΣA² */
  double difference;                    /* RMS, amplitudes, from another image that is explained,
                                         * too; 0 where none was found */
  gboolean is_predicted;                /* n_frames were never used, and predicted */
  double correlation;                   /* then: median over them; misfit: √(Σ(g|φ| - A)² / ΣA²) */
} PrismVerdict;

void        prism_verdict_add_frame (PrismVerdict     *self,
                                     const PrismNoise *noise,
                                     const float      *predicted,
                                     const float      *recorded,
                                     gsize             n_pixels);
void        prism_verdict_add       (PrismVerdict       *self,
                                     const PrismVerdict *other);
void        prism_verdict_decide    (PrismVerdict *self);
void        prism_verdict_predict   (PrismVerdict *self,
                                     guint         n_frames,
                                     double        misfit,
                                     double        correlation);
void        prism_verdict_doubt     (PrismVerdict     *self,
                                     const float      *image,
                                     const float      *second,
                                     gsize             n_pixels);
gboolean         prism_verdict_is_near    (const PrismVerdict *self,
                                           double              n_deviations);
double           prism_verdict_get_rest   (const PrismVerdict *self);
const char      *prism_verdict_get_key    (PrismVerdictKind kind);
PrismVerdictKind prism_verdict_find       (const char *key);
const char      *prism_verdict_get_label  (PrismVerdictKind kind);
const char      *prism_verdict_get_advice (const PrismVerdict *self);
char            *prism_verdict_dup_text   (const PrismVerdict *self);

G_END_DECLS
