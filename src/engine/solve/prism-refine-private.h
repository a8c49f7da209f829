/* prism-refine-private: a refinement, for the files that are its parts.
 *
 * m = object_size. Thread: engine. */
#pragma once

#include "solve/prism-alignment.h"
#include "solve/prism-descent.h"
#include "solve/prism-refine.h"
#include "solve/prism-stillness.h"

G_BEGIN_DECLS

/* To learn the misfit of the live picture: it has had its own. */
#define PRISM_REFINE_PASSES_OF_LIVE 1

typedef enum
{
  PRISM_ATTEMPT_LIVE,    /* from the live picture, which has seen off the decoder's image */
  PRISM_ATTEMPT_DECODER, /* from that where there is no live picture */
  PRISM_ATTEMPT_BLANK,   /* from a blank one */
  PRISM_ATTEMPT_LONG,    /* from a blank one again, with patience, where neither explains it */
  PRISM_ATTEMPT_FINAL,   /* from the best of them */
  PRISM_ATTEMPT_NONE,
  PRISM_ATTEMPT_ALIGN, /* of a brief one: from the fields behind the frames, */
  PRISM_ATTEMPT_FILL,  /* and from the image that they give, */
  PRISM_ATTEMPT_SETTLE = 9, /* by rounds in which it settles; 8 in older files: exact steps */
} PrismAttempt;

typedef struct
{
  PrismSolver parent;
  PrismDescent *descent;
  guint n_planned; /* passes of the attempts that are always made */
  PrismAttempt attempt;
  gboolean best_is_live; /* best came from the live picture */
  gboolean is_rescued;   /* from fields with noise */
  gboolean needs_long;
  gboolean shows_best;       /* instead of the image of the attempt under way */
  guint pass;                /* of the attempt under way */
  guint passes_before;       /* of the attempts before it */
  double smoothness;         /* factor of the total variation that the user wants */
  double best_misfit;        /* of best; NAN before the first attempt ended */
  double best_power;         /* Σ w·ΣA² with the weights of best_misfit */
  float *best;               /* [m][m] */
  PrismStillness stillness;  /* of a brief one, and of one that goes on until nothing moves */
  double change;             /* by the last ten passes of the result, relative; 0 before */
  double limit;              /* of it; 0 where none ends the passes */
  gboolean is_still;         /* they ended because it is below, */
  gboolean is_met;           /* or because the data are met exactly */
  gboolean has_found;        /* the image is not that of a pass: it settled */
  PrismAlignment *alignment; /* (nullable) of a brief one */
  guint n_starts;            /* of the alignment so far */
  gboolean is_aligned;       /* one of them found an image */
  gboolean settles_early;    /* what it found settles before the last passes */
  gboolean settles_again;    /* what has not settled far enough then, after them */
  double distance;           /* from fields with noise, of the nearest start; NAN without */
  guint n_mends;             /* of an image with noise by fields so far */
  double judged;             /* misfit of best by the verdict, with noise; NAN before */
  gboolean explains;         /* best explains the measurements, with noise */
  guint n_questions;         /* starts that look for another image that does */
  float *second;             /* (nullable) [m][m] such a one */
} PrismRefine;

gsize    prism_refine_count_pixels     (PrismRefine *self);
gboolean prism_refine_has_clean_fields (PrismRefine *self);
gboolean prism_refine_has_noisy_fields (PrismRefine *self);
gboolean prism_refine_stops_early      (PrismRefine *self);
gboolean prism_refine_runs_on          (PrismRefine *self);
guint    prism_refine_count_passes     (PrismRefine *self);
guint    prism_refine_count_planned    (PrismRefine *self);
double   prism_refine_get_most_misfit  (PrismRefine *self);
void     prism_refine_keep             (PrismRefine *self);
void     prism_refine_keep_nearer      (PrismRefine *self);
gboolean prism_refine_ensure_alignment (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_wants_alignment  (PrismRefine *self);
gboolean prism_refine_begin_alignment  (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_end_clean_final  (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_end_noisy_final  (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_may_settle       (PrismRefine *self);
gboolean prism_refine_may_settle_early (PrismRefine *self);
void     prism_refine_begin_settling_early (PrismRefine *self);
gboolean prism_refine_has_settled_early (PrismRefine *self);
gboolean prism_refine_begin_settling   (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_end_settling     (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_end_search       (PrismRefine  *self,
                                        GError      **error);
gboolean prism_refine_align            (PrismRefine  *self,
                                        guint         n_samples,
                                        gboolean     *is_done,
                                        GError      **error);

G_END_DECLS
