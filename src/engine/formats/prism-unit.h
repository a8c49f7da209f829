/* prism-unit: units of numbers, as files and people write them. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_UNIT_NONE,
  PRISM_UNIT_LENGTH,                    /* m */
  PRISM_UNIT_WAVE,                      /* waves per m */
  PRISM_UNIT_ENERGY,                    /* J */
  PRISM_UNIT_ANGLE,                     /* degrees */
} PrismUnitKind;

typedef struct
{
  PrismUnitKind kind;
  double size;                          /* of one, in what stands beside the kind */
} PrismUnit;

#define PRISM_UNIT_BARE ((PrismUnit) { PRISM_UNIT_NONE, 1 }) /* of a number alone */

gboolean prism_unit_parse        (const char *text,
                                  gsize       length,
                                  PrismUnit  *unit);
gboolean prism_unit_parse_number (const char *text,
                                  double     *number,
                                  PrismUnit  *unit);

G_END_DECLS
