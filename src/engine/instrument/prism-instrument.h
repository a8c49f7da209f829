/* prism-instrument: an instrument that records through a small aperture, described by its physics:
 * an LED microscope, an array of cameras, a telescope that is moved. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_INSTRUMENT_MICROSCOPE,
  PRISM_INSTRUMENT_CAMERA_ARRAY,
  PRISM_INSTRUMENT_TELESCOPE,
  PRISM_N_INSTRUMENTS
} PrismInstrumentKind;

typedef enum
{
  PRISM_SPECIMEN_CELLS,                 /* phase, and a little absorption */
  PRISM_SPECIMEN_TARGET,                /* bars of smaller and smaller period */
  PRISM_SPECIMEN_SCENE,                 /* real, not negative, dark outside its square */
  PRISM_N_SPECIMENS
} PrismSpecimen;

/* q = size, M = per_side. Lengths in m. */
typedef struct
{
  int kind;                             /* PrismInstrumentKind */
  double specimen;                      /* PrismSpecimen */
  double size;                          /* q: pixels of a frame's side */
  double per_side;                      /* M: LEDs, cameras or places of a side of the array */
  double wavelength;
  double camera_pixel;
  double magnification;
  double na;
  double distance;                      /* of the LEDs, or of what is looked at */
  double pitch;                         /* of the array */
  double slide_thickness;
  double slide_index;
  double rotation;                      /* of the array, degrees */
  double curvature;                     /* 1: light comes from its distance, not from infinity */
  double phase;                         /* of the specimen, rad */
  double index;                         /* of refraction, between specimen and objective */
  double defocus;                       /* m */
  double astigmatism;                   /* waves, root of the mean square, as those below */
  double coma;
  double spherical;
  double stray;                         /* of the mean of the central frame */
  double gains;                         /* relative spread of the LEDs' brightness */
  double shifts;                        /* of the LEDs, pixels of the spectrum, root mean square */
  double photons;                       /* per pixel of the central frame; 0: no noise */
  double read_noise;                    /* electrons */
  double seed;
} PrismInstrument;

typedef struct
{
  const char *key;
  gsize offset;                         /* of a double in PrismInstrument */
  double minimum;
  double maximum;
  double defaults[PRISM_N_INSTRUMENTS];
  const char *help;
  gboolean is_whole;
} PrismInstrumentKey;

gboolean                  prism_instrument_init         (PrismInstrument  *self,
                                                         const char       *scenario,
                                                         GError          **error);
gboolean                  prism_instrument_set          (PrismInstrument  *self,
                                                         const char       *key,
                                                         const char       *value,
                                                         GError          **error);
gboolean                  prism_instrument_check        (const PrismInstrument  *self,
                                                         GError                **error);
const PrismInstrumentKey *prism_instrument_get_keys     (gsize *n_keys);
double                    prism_instrument_get_pixel    (const PrismInstrument *self);
int                       prism_instrument_get_upsampling (const PrismInstrument *self);
char                     *prism_instrument_dup_summary  (const PrismInstrument *self);

G_END_DECLS
