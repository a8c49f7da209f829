/* microscope: frames of an LED array microscope, computed straight from the sums of the model, in
 * double precision and without any code of the engine, with what is behind them. */
#pragma once

#include "config/prism-config.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

#define MICROSCOPE_SIDE 64              /* q */
#define MICROSCOPE_UPSAMPLING 3
#define MICROSCOPE_OBJECT (MICROSCOPE_SIDE * MICROSCOPE_UPSAMPLING)
#define MICROSCOPE_LEDS 11              /* along a side of the array */
#define MICROSCOPE_FRAMES (MICROSCOPE_LEDS * MICROSCOPE_LEDS)
#define MICROSCOPE_BRIGHT 1000          /* mean intensity of the middle frame */

typedef struct
{
  double defocus;                       /* rad, of 2ρ² - 1 */
  double astigmatism;                   /* rad, of ρ² cos 2θ */
  double coma;                          /* rad, of (3ρ² - 2)ρ cos θ */
  double gain_spread;                   /* of the LEDs' amplitudes, uniform ± */
  double place_spread;                  /* px of a frame's spectrum, uniform ± in x and y */
  double background;                    /* intensity */
  guint seed;
} MicroscopeErrors;

typedef struct
{
  PrismRecording *recording;
  double object[MICROSCOPE_OBJECT][MICROSCOPE_OBJECT][2];
  double places[MICROSCOPE_FRAMES][2];  /* column, row of the boxes, px, as they are */
  double gains[MICROSCOPE_FRAMES];      /* factors of the amplitudes */
  double radius;                        /* of the pupil, px */
} Microscope;

Microscope *microscope_new  (const MicroscopeErrors *errors);
void        microscope_free (Microscope *self);
void        microscope_set  (PrismConfig *settings, const char  *setting);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Microscope, microscope_free)

G_END_DECLS
