/* prism-units: what pixels are in metres and seconds of arc, from wavelength, distance and the
 * pitch of the aperture plane. Thread: any. */
#pragma once

#include "config/prism-config.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* All in metres but where a name says otherwise; angles in seconds of arc; 0 where nobody knows how
 * far the object is. */
typedef struct
{
  double pixel;                         /* dx = λz/(n·dxf): a pixel of the object, */
  double pixel_angle;                   /* as seen from here */
  double field;                         /* n·dx */
  double field_angle;
  double object;                        /* m·dx: side of the object's square */
  double plane_pixel;                   /* dxf: a pixel of the Fourier plane */
  double aperture;                      /* D = 2·r·dxf: diameter of the telescope */
  double resolved_angle;                /* 1.64·λ/D: two points in phase that it resolves alone, */
  double resolved;                      /* at the object's distance, */
  double resolved_pixels;               /* and in pixels of the object */
  double synthetic;                     /* roi·dxf: diameter of what the pattern fills */
  double synthetic_angle;               /* 1.64·λ over it: what all positions together resolve */
  double coherence_radius;              /* 1.22·λz/(m·dx), in the aperture plane, */
  double coherence_pixels;              /* and in pixels of the Fourier plane */
  double diameter_pixels;               /* object_diameter / dx; 0 when it is not given */
} PrismUnits;

void    prism_units_init_config        (PrismUnits        *self,
                                        const PrismConfig *config);
int     prism_units_get_object_size    (const PrismUnits *self);
char   *prism_units_dup_length         (double metres);
double  prism_units_choose_length      (double       metres,
                                        const char **name);
char   *prism_units_dup_length_within  (double metres,
                                        double error);
char   *prism_units_dup_angle          (double seconds);
char   *prism_units_dup_text           (const PrismUnits *self);
char   *prism_units_dup_advice         (const PrismConfig *config);
void    prism_units_add_json           (const PrismUnits *self,
                                        JsonBuilder      *builder);

G_END_DECLS
