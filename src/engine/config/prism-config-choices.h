/* prism-config-choices: the values that each choice of the parameter table can take, in the order
 * of its enumeration in prism-config.h. Each list ends with a NULL name. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

extern const PrismChoice prism_config_aperture_shapes[];
extern const PrismChoice prism_config_patterns[];
extern const PrismChoice prism_config_orders[];
extern const PrismChoice prism_config_domains[];
extern const PrismChoice prism_config_methods[];
extern const PrismChoice prism_config_pupil_starts[];
extern const PrismChoice prism_config_places[];
extern const PrismChoice prism_config_directions[];
extern const PrismChoice prism_config_line_points[];
extern const PrismChoice prism_config_mopie_updates[];
extern const PrismChoice prism_config_memories[];
extern const PrismChoice prism_config_finishes[];
extern const PrismChoice prism_config_frame_uses[];
extern const PrismChoice prism_config_losses[];
extern const PrismChoice prism_config_schedules[];
extern const PrismChoice prism_config_start_targets[];
extern const PrismChoice prism_config_norms[];
extern const PrismChoice prism_config_output_activations[];
extern const PrismChoice prism_config_edges[];
extern const PrismChoice prism_config_initialisations[];

G_END_DECLS
