/* prism-mapping: how a value becomes a colour: levels, stretch, colour map. */
#pragma once

#include "formats/prism-image.h"
#include "model/prism-limits.h"

#include <glib-object.h>

G_BEGIN_DECLS

/* The colour tables of the views. */

#define PRISM_COLORMAP_SIZE 256

typedef enum
{
  PRISM_COLORMAP_GREY,
  PRISM_COLORMAP_VIRIDIS,
  PRISM_COLORMAP_MAGMA,
  PRISM_COLORMAP_INFERNO,
  PRISM_COLORMAP_PLASMA,
  PRISM_COLORMAP_CIVIDIS,
  PRISM_COLORMAP_COOLWARM,              /* diverging: blue, grey-white in the middle, red */
  PRISM_COLORMAP_COOLWARM_DARK,         /* the same on a dark page; not offered to users */
  PRISM_COLORMAP_COVERAGE,              /* one translucent tint; not offered to users */
  PRISM_COLORMAP_CORRELATION,           /* viridis, translucent; not offered to users */
} PrismColormap;

#define PRISM_TYPE_COLORMAP (prism_colormap_get_type ())

GType          prism_colormap_get_type  (void);
const char    *prism_colormap_get_label (PrismColormap self);
const guint32 *prism_colormap_get_table (PrismColormap self);

typedef enum
{
  PRISM_STRETCH_LINEAR,
  PRISM_STRETCH_LOG,
  PRISM_STRETCH_SQRT,
  PRISM_STRETCH_ASINH,
} PrismStretch;

typedef enum
{
  PRISM_LEVELS_MANUAL,                  /* black and white as they are set */
  PRISM_LEVELS_MIN_MAX,                 /* of the finite values */
  PRISM_LEVELS_PERCENTILE,              /* 1 % and 99 % of the finite values */
  PRISM_LEVELS_SYMMETRIC,               /* -max |v| … max |v|, for differences */
} PrismLevels;

#define PRISM_TYPE_STRETCH (prism_stretch_get_type ())
#define PRISM_TYPE_LEVELS (prism_levels_get_type ())

typedef struct
{
  PrismColormap colormap;
  PrismStretch stretch;
  PrismLevels levels;
  double gain;                          /* a of log (1 + a·t) / log (1 + a); 1000 as in DS9 */
  double gamma;                         /* of the colours: above 1 brightens; 0 is 1 */
  float black;                          /* value of the first colour */
  float white;                          /* value of the last colour */
} PrismMapping;

GType       prism_stretch_get_type         (void);
GType       prism_levels_get_type          (void);
const char *prism_stretch_get_label        (PrismStretch stretch);

void        prism_mapping_init             (PrismMapping *self);
void        prism_mapping_init_spectrum    (PrismMapping *self);
gboolean    prism_mapping_equal            (const PrismMapping *a,
                                            const PrismMapping *b);
void        prism_mapping_set_limits       (PrismMapping      *self,
                                            const PrismLimits *limits);
void        prism_mapping_compute_levels   (PrismMapping     *self,
                                            const PrismImage *image,
                                            const PrismImage *reference);
double      prism_mapping_get_position     (const PrismMapping *self,
                                            double              value);
void        prism_mapping_apply            (const PrismMapping *self,
                                            const float        *values,
                                            const float        *reference,
                                            guint32            *pixels,
                                            int                 n_pixels);

G_END_DECLS
