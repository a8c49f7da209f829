/* prism-microscope-field: what explains the recorded frames of a field: one solver, or where the
 * field is cut into tiles one for each, from the middle outwards, each beginning with what its
 * neighbour has found; other threads are at those behind the one under way. Written down between
 * two passes it goes on to the same bits. Thread: engine. */
#pragma once

#include "ptychography/prism-problem.h"
#include "solve/prism-solver.h"

G_BEGIN_DECLS

typedef struct
{
  PrismProblem *problem;                /* (unowned) */
  PrismMosaic *mosaic;                  /* (nullable): the tiles that are done */
  guint n_tiles;                        /* 1 where the field is one */
  guint tile;                           /* under way; 0 where the field is one */
  PrismPtychography *solver;            /* (nullable): of the tile under way, or of the field */
  PrismMosaicAhead *ahead;              /* (nullable): tiles behind that one */
  PrismPtychography *middle;            /* (nullable): of the middle tile, once it is done */
  gboolean is_open;                     /* its device is chosen */
  gboolean has_begun;                   /* the solver's search is over: it has an object */
  PrismBundle *whole;                   /* (nullable): its estimate after the last whole pass */
  PrismBundle *of_middle;               /* (nullable): the middle's estimate */
  char *device;                         /* (nullable): that took the passes; NULL: the CPU */
  char *why_cpu;                        /* (nullable): why none could, a sentence */
} PrismMicroscopeField;

gboolean           prism_microscope_field_init      (PrismMicroscopeField  *self,
                                                     PrismProblem          *problem,
                                                     GError               **error);
void               prism_microscope_field_clear     (PrismMicroscopeField *self);
gboolean           prism_microscope_field_is_ahead  (PrismMicroscopeField *self);
gboolean           prism_microscope_field_open      (PrismMicroscopeField   *self,
                                                     const PrismSolver      *owner,
                                                     GError                **error);
gboolean           prism_microscope_field_begin     (PrismMicroscopeField  *self,
                                                     GError               **error);
gboolean           prism_microscope_field_keep      (PrismMicroscopeField  *self,
                                                     GError               **error);
gboolean           prism_microscope_field_is_through (const PrismMicroscopeField *self);
gboolean           prism_microscope_field_add       (PrismMicroscopeField  *self,
                                                     GError               **error);
void               prism_microscope_field_leave     (PrismMicroscopeField *self);
PrismPtychography *prism_microscope_field_get_known (const PrismMicroscopeField *self);
gboolean           prism_microscope_field_save      (const PrismMicroscopeField  *self,
                                                     PrismBundle                 *bundle,
                                                     GError                     **error);
gboolean           prism_microscope_field_load      (PrismMicroscopeField  *self,
                                                     PrismBundle           *bundle,
                                                     GError               **error);

G_END_DECLS
