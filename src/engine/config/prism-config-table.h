/* prism-config-table: the rows of the parameter table, group by group in the order in which they
 * are shown; prism-config-table.c joins them. Each list ends with a NULL key. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

/* What a row begins with: its key is the name of its member of PrismConfig. */
#define PRISM_PARAM(kind, member, its_group, its_unit)                                             \
  .key = #member, .group = its_group, .type = PRISM_PARAM_##kind,                                  \
  .offset = G_STRUCT_OFFSET (PrismConfig, member), .unit = its_unit
/* Both are translated: po/meson.build names them to xgettext. */
#define PRISM_LABEL(text) .label = text
#define PRISM_HELP(text) .help = text

extern const PrismParam prism_config_measurement_rows[];
extern const PrismParam prism_config_method_rows[];

G_END_DECLS
