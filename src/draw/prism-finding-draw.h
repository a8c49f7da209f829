/* prism-finding-draw: what is told and drawn of recorded frames: sentences, and a map of the
 * lights. */
#pragma once

#include "prism-chart-draw.h"
#include "ptychography/prism-finding.h"

G_BEGIN_DECLS

/* What is known of recorded frames, as a reader wants it. Thread: any. */

char *prism_finding_text_dup_aberrations (const PrismFinding *finding);
char *prism_finding_text_dup_finest      (const PrismMeasured *finest,
                                          double               limit,
                                          gboolean             is_whole);
char *prism_finding_text_dup_command     (const char                      *path,
                                          const char                      *reading,
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

const char     *prism_light_kind_get_label (PrismLightKind kind);
PrismChartData *prism_light_chart_new      (const PrismFinding *finding,
                                            PrismLightKind      kind);

G_END_DECLS
