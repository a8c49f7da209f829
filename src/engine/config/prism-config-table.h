/* prism-config-table: the rows of the parameter table, group by group in the order in which they
 * are shown; prism-config-table.c joins them. Each list ends with a NULL key. */
#pragma once

#include "config/prism-config.h"

G_BEGIN_DECLS

/* A row of each type. Its key is the name of its member of PrismConfig; label and help are
 * translated: po/meson.build says to xgettext where they stand. What few rows have follows by the
 * names of the members of PrismParam. */
#define PRISM_PARAM(kind, member, its_group, its_unit, where, its_label, its_help, ...)            \
  { .key = #member, .group = its_group, .type = PRISM_PARAM_##kind,                                \
    .offset = G_STRUCT_OFFSET (PrismConfig, member), .unit = its_unit, .applies = where,           \
    .label = its_label, .help = its_help, __VA_ARGS__ }
#define PRISM_NUMBER(kind, key, group, unit, applies, from, to, otherwise, label, help, ...)       \
  PRISM_PARAM (kind, key, group, unit, applies, label, help, .minimum = from, .maximum = to,       \
               .default_value = otherwise, __VA_ARGS__)
#define PRISM_SWITCH(key, group, applies, otherwise, label, help, ...)                             \
  PRISM_PARAM (SWITCH, key, group, "", applies, label, help, .default_value = otherwise,           \
               __VA_ARGS__)
#define PRISM_CHOICE(key, group, applies, values, otherwise, label, help, ...)                     \
  PRISM_PARAM (CHOICE, key, group, "", applies, label, help, .choices = values,                    \
               .default_value = otherwise, __VA_ARGS__)
#define PRISM_TEXT(key, group, applies, most, otherwise, label, help, ...)                         \
  PRISM_PARAM (TEXT, key, group, "", applies, label, help, .maximum = most,                        \
               .default_text = otherwise, __VA_ARGS__)

extern const PrismParam prism_config_measurement_rows[];
extern const PrismParam prism_config_method_rows[];

G_END_DECLS
