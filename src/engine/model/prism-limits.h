/* prism-limits: which values of a picture are its darkest and its brightest colour, as text within
 * a setting: "reconstruction 0.1 0.9 gamma 1.5; error percentiles". What is not named has the
 * limits that the program begins with. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_LIMITS_MAX_GAMMA 10.0

typedef enum
{
  PRISM_LIMITS_TARGET,
  PRISM_LIMITS_MEASUREMENT,
  PRISM_LIMITS_RECONSTRUCTION,
  PRISM_LIMITS_ERROR,
  PRISM_LIMITS_N_PICTURES,
} PrismLimitsPicture;

typedef enum
{
  PRISM_LIMITS_USUAL,       /* those that the program begins with */
  PRISM_LIMITS_FIXED,       /* black and white */
  PRISM_LIMITS_PERCENTILES, /* 1 % and 99 % of the values */
  PRISM_LIMITS_EXTREMES,    /* the smallest and the largest value */
  PRISM_LIMITS_N_KINDS,
} PrismLimitsKind;

typedef struct
{
  PrismLimitsPicture picture;
  PrismLimitsKind kind;
  double black; /* of fixed ones */
  double white;
  double gamma; /* of the colours, 1 for none */
} PrismLimits;

const char *prism_limits_get_picture (PrismLimitsPicture picture);
GArray *prism_limits_list_parse (const char *text,
                                 GError **error);
char *prism_limits_list_to_text (const GArray *list);
const PrismLimits *prism_limits_list_find (const GArray *list,
                                           const char *picture);

G_END_DECLS
