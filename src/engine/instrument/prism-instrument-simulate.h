/* prism-instrument-simulate: what an instrument records of a drawn specimen, and the truth behind
 * it. Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "instrument/prism-instrument.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* What an eye sees at the microscope. */
typedef enum
{
  PRISM_CONTRAST_BRIGHT,
  PRISM_CONTRAST_DARK,
  PRISM_CONTRAST_PHASE,
  PRISM_CONTRAST_RELIEF,                /* differential interference contrast */
  PRISM_N_CONTRASTS
} PrismContrast;

/* n = n_side, q = side of a frame, N = number of frames. */
typedef struct
{
  guint n_side;                         /* pixels of the object's side */
  guint n_frames;
  guint size;                           /* q */
  float *object;                        /* [n][n][2]: real, imaginary */
  float *pupil;                         /* [q][q][2], zero frequency in the middle */
  float *gains;                         /* [N] */
  float *directions;                    /* [N][2]: with the shifts of the LEDs */
  float stray;                          /* in units of the frames */
} PrismInstrumentTruth;

PrismRecording *prism_instrument_simulate   (const PrismInstrument  *self,
                                             PrismInstrumentTruth  **truth,
                                             GError                **error);
PrismImage     *prism_instrument_see        (const PrismInstrument       *self,
                                             const PrismInstrumentTruth  *truth,
                                             PrismContrast                contrast,
                                             GError                     **error);
void            prism_instrument_truth_free (PrismInstrumentTruth *self);
gboolean        prism_instrument_truth_save (const PrismInstrumentTruth  *self,
                                             const PrismInstrument       *instrument,
                                             const char                  *path,
                                             GError                     **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismInstrumentTruth, prism_instrument_truth_free)

/* A file with frames for those who have none: those of a simulated microscope.
 * */
char    *prism_sample_dup_path (void);
gboolean prism_sample_prepare  (const char  *path,
                                GError     **error);

G_END_DECLS
