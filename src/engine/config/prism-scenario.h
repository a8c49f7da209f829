/* prism-scenario: presets that follow from an objective, or from a lens, a sensor and an altitude:
 * those of the first PRISM by their names, and what differs from them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_SCENARIO_CAMERA_PIXEL 3.45e-6 /* of a microscope, m */

typedef struct
{
  const char *id;                       /* "drone_50m_survey" */
  const char *label;                    /* to be translated */
  const char *objective;                /* (nullable): "100x_1.4NA_oil"; NULL for a camera */
  double wavelength;                    /* nm */
  const char *lens;                     /* "50mm_f4.0" */
  const char *sensor;                   /* "full_frame" */
  double altitude;                      /* m */
  double speed;                         /* over the ground, m/s */
  const char *lacks;                    /* (nullable): what of it is not simulated */
} PrismScenario;

const PrismScenario *prism_scenario_get_all  (gsize *n_scenarios);
gboolean             prism_scenario_is       (const char *spec);
char                *prism_scenario_dup_text (const char  *spec,
                                              GError     **error);
char                *prism_scenario_dup_help (const char  *spec,
                                              GError     **error);
gboolean             prism_scenario_get_objective (const char  *spec,
                                                   double      *magnification,
                                                   double      *na,
                                                   double      *wavelength,
                                                   GError     **error);
char                *prism_scenario_dup_list (void);

G_END_DECLS
