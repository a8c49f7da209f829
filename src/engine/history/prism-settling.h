/* prism-settling: whether the passes that end a run still moved its picture when they ended, as far
 * as the measurements and the picture itself can tell. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

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
