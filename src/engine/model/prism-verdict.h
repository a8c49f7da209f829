/* prism-verdict: whether an image explains the frames that were recorded, from the frames and what
 * is stated about the camera alone. Nothing of the true object is used. */
#pragma once

#include "base/prism-pool.h"
#include "model/prism-noise.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_VERDICT_OPEN,                   /* nothing was judged */
  PRISM_VERDICT_EXPLAINED,              /* what is left is noise, or next to nothing */
  PRISM_VERDICT_UNEXPLAINED,
  PRISM_VERDICT_AMBIGUOUS,              /* explained, and another image is, too */
  PRISM_VERDICT_BOUNDED,                /* explained where frames carry signal */
  PRISM_VERDICT_IMPROVING,              /* frames are predicted better with each pass */
  PRISM_N_VERDICTS,
} PrismVerdictKind;

/* Why frames are not predicted. */
typedef enum
{
  PRISM_CAUSE_NONE,
  PRISM_CAUSE_LIGHT,
  PRISM_CAUSE_ORDER,                    /* of the frames */
  PRISM_CAUSE_GEOMETRY,
  PRISM_CAUSE_SPECIMEN,                 /* it is thick, or moves */
  PRISM_CAUSE_MOTION,                   /* of a telescope: motion_blur */
  PRISM_N_CAUSES,
} PrismCause;

/* How well a set of frames is predicted, and where the camera's noise is known how well it can be
 * (prism-frame-noise). */
typedef struct
{
  guint n_frames;
  double misfit;                        /* sqrt (Σ(g|φ| - A)² / ΣA²), one gain a frame; NAN: none */
  double correlation;                   /* median over the frames, of |φ| with A */
  double expected;                      /* likewise, of a perfect model; 0: nobody knows */
  double noise;                         /* misfit of a perfect model */
  double pure;                          /* median of the correlation over the expected one */
  double to_na;                         /* lights farther out carry no signal; 0: all do */
  PrismCause cause;                     /* the likeliest one, of frames that are not explained */
  double error;                         /* standard error of the correlation, from its scatter
                                         * between the frames; 0: unknown */
  double gain;                          /* by which the last pass has raised the correlation above
                                         * the best before; without one before it, all of it */
  guint n_tiles;                        /* of the field; 0: it has none */
  guint n_done;                         /* of them, those that it is of */
} PrismPrediction;

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
  double to_na;                         /* then: lights farther out carry no signal; 0: all do */
  PrismCause cause;                     /* the likeliest one, of frames that are not explained */
} PrismVerdict;

void        prism_verdict_add_frame (PrismVerdict     *self,
                                     PrismPool        *pool,
                                     const PrismNoise *noise,
                                     const float      *predicted,
                                     const float      *recorded,
                                     gsize             n_pixels);
void        prism_verdict_add       (PrismVerdict       *self,
                                     const PrismVerdict *other);
void        prism_verdict_decide    (PrismVerdict *self);
void        prism_verdict_predict   (PrismVerdict *self,
                                     const PrismPrediction *held_out);
void        prism_verdict_doubt     (PrismVerdict     *self,
                                     const float      *image,
                                     const float      *second,
                                     gsize             n_pixels);
double           prism_verdict_get_rest   (const PrismVerdict *self);
const char      *prism_verdict_get_key    (PrismVerdictKind kind);
const char      *prism_verdict_get_cause  (PrismCause cause);
PrismCause       prism_verdict_find_cause (const char *key);
PrismVerdictKind prism_verdict_find       (const char *key);
void             prism_verdict_take_json  (PrismVerdict *self,
                                           JsonObject   *object);
gboolean         prism_verdict_is_shared  (const PrismVerdict *self,
                                           double              coverage);
const char      *prism_verdict_get_label  (const PrismVerdict *self,
                                           double              coverage);
char            *prism_verdict_dup_signed (const PrismVerdict *self,
                                           double              coverage,
                                           const char         *text);
char            *prism_verdict_dup_label  (const PrismVerdict *self,
                                           double              coverage);
const char      *prism_verdict_get_style  (const char *text);
const char      *prism_verdict_get_advice (const PrismVerdict *self);
char            *prism_verdict_dup_text   (const PrismVerdict *self);

/* Whether the passes that end a run still moved its picture when they ended, as far
 * as the measurements and the picture itself can tell. Thread: any. */

typedef enum
{
  PRISM_SETTLING_OPEN,                  /* not watched, or passes are under way */
  PRISM_SETTLING_MOVING,                /* they ended before the picture stood still */
  PRISM_SETTLING_STILL,                 /* it stood still */
  PRISM_SETTLING_MET,                   /* the measurements were met before */
  PRISM_N_SETTLINGS,
} PrismSettlingKind;

typedef struct
{
  PrismSettlingKind kind;
  double change;                        /* by the last ten passes, or the round that settled it,
                                         * relative to the picture's norm; 0 where it is not
                                         * known */
  double limit;                         /* less is still; 0 where nothing is watched */
} PrismSettling;

const char *prism_settling_get_key  (PrismSettlingKind self);
char       *prism_settling_dup_text (const PrismSettling *self);

G_END_DECLS
