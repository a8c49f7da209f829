/* prism-finding-draw: what is told and drawn of recorded frames: sentences, and a map of the
 * lights. */
#pragma once

#include "prism-mapping.h"
#include "prism-paint.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

/* What is known of recorded frames, as a reader wants it. Thread: any. */

char *prism_finding_text_dup_aberrations (const PrismFinding *finding);
char *prism_finding_text_dup_command     (const char                      *path,
                                          const PrismConfig *settings);

/* Where the light of every frame came from, coloured by what is known of the
 * frame, the same on the screen and in reports. Thread: any, one at a time. */

typedef enum
{
  PRISM_LIGHT_MISFIT,
  PRISM_LIGHT_CORRELATION,
  PRISM_LIGHT_GAIN,
  PRISM_LIGHT_MOVE,                     /* from where it was recorded, px */
  PRISM_LIGHT_N_KINDS,
} PrismLightKind;

typedef struct
{
  const PrismFinding *finding;          /* (nullable) */
  PrismLightKind kind;
  PrismMapping mapping;                 /* of the kind's values */
  double factor;                        /* of moves, as they are drawn */
} PrismLightDraw;

/* How the places lie in a rectangle. */
typedef struct
{
  double scale;
  double middle[2];                     /* of the places */
  double center[2];                     /* of the map */
  double dot;                           /* radius */
} PrismLightLayout;

void        prism_light_draw_init       (PrismLightDraw     *self,
                                         const PrismFinding *finding,
                                         PrismLightKind      kind);
gboolean    prism_light_draw_get_layout (const PrismLightDraw *self,
                                         double                width,
                                         double                height,
                                         PrismLightLayout     *layout);
void        prism_light_draw_get_point  (const PrismLightLayout *layout,
                                         const double            place[2],
                                         double                  point[2]);
gboolean    prism_light_draw_has_place  (const PrismFindingFrame *frame);
double      prism_light_draw_get_move   (const PrismFindingFrame *frame);
void        prism_light_draw_paint      (const PrismLightDraw *self,
                                         PrismPaint           *paint,
                                         double                width,
                                         double                height);
const char *prism_light_draw_get_label  (PrismLightKind kind);

G_END_DECLS
