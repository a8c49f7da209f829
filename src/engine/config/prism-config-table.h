/* prism-config-table: the rows of groups that have a file of their own; prism-config-table.c joins
 * them. Each list ends with a NULL key. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

extern const PrismParam prism_config_measurement_rows[];
extern const PrismParam prism_config_method_rows[];
extern const PrismParam prism_config_training_rows[];

G_END_DECLS
