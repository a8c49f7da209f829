/* prism-recording: frames that somebody recorded, with their geometry. Thread: one at a time.
 *
 * One convention, whatever the file has: in the large spectrum, whose centre is (0, 0), the box of
 * frame j is centred at (column, row) = directions[j]·pixel_size·N/λ for a side of N pixels. x goes
 * with the columns, y with the rows, downwards. Frames cannot tell the sign of all directions
 * together: the other one fits as well, with object and pupil conjugate. */
#pragma once

#include "formats/prism-fields.h"
#include "recording/prism-recipe.h"

G_BEGIN_DECLS

/* What a reconstruction needs and a recording may not say. */
typedef enum
{
  PRISM_UNSAID_WAVELENGTH,
  PRISM_UNSAID_MAGNIFICATION, /* where the camera's pixel is known */
  PRISM_UNSAID_PIXEL,
  PRISM_UNSAID_NA,
  PRISM_UNSAID_PITCH, /* of LEDs whose columns and rows are known */
  PRISM_UNSAID_DISTANCE,
  PRISM_UNSAID_PLACES,
  PRISM_N_UNSAID
} PrismUnsaid;

enum { PRISM_RECORDING_MAX_FRAMES = 65536 };
#define PRISM_RECORDING_FEW 8           /* frames: fewer tell nothing */
#define PRISM_RECORDING_INSIDE 0.9      /* of the NA: a camera sees the light of such an LED */
#define PRISM_RECORDING_RIM 0.15        /* of the NA, each way: lights farther out are dark */
#define PRISM_RECORDING_BRIGHT 0.1      /* of the brightest frame's light: from inside the NA */
#ifndef PRISM_RECORDING_MAX_SIDE
#define PRISM_RECORDING_MAX_SIDE 16384
#endif

typedef struct
{
  double distance;                      /* m */
  double rotation;                      /* degrees */
  double shift[2];                      /* m */
  double na;
  double pixel_size;                    /* m */
  double camera_pixel;                  /* m */
} PrismGeometry;

/* N = n_frames, h = height, w = width. Numbers that are unknown are NAN. */
typedef struct
{
  gatomicrefcount ref_count;
  guint n_frames;
  guint height;
  guint width;
  float *frames;                        /* [N][h][w]: intensities, finite, not negative */
  guint8 *mask;                         /* (nullable) [h][w]: 0 where a pixel is not used */
  double *positions;                    /* (nullable) [N][2]: x, y of the LEDs as given, m */
  double *directions;                   /* (nullable) [N][2]: x, y; direction cosines */
  guint8 *unplaced;                     /* (nullable) [N]: 1 for a frame that is left out, since
                                           its place is no number: it has another one's */
  gboolean directions_given;            /* they are the file's, not made from the positions */
  gboolean directions_raw;              /* they are in a unit that nobody has said */
  double wave_unit;                     /* waves per m: the unit of raw ones; 0: nobody has said */
  gboolean geometry_known;              /* no frame is asked about it any more */
  gboolean directions_said;             /* by a recipe: no frame changes them */
  gboolean distance_said;               /* likewise: no frame changes it */
  gboolean na_said;                     /* by a recipe: no frame changes it */
  gboolean pixel_said;                  /* likewise, or the magnification */
  int exposure_rule;                    /* of a recipe: 1 divides, -1 keeps, 0: as it seems */
  gboolean are_counts;                  /* frames are as the camera counted, before corrections */
  guint n_spoilt;                       /* frames of values that are no numbers, 0 now */
  gboolean squared;                     /* the values were taken as amplitudes */
  gboolean exposures_divided;           /* frames have been divided by them */
  gboolean pitch_needed;                /* columns and rows of the LEDs are known, not how far they
                                           are apart */
  guint led_columns;                    /* of LEDs whose frames lie row by row, 0: none */
  gboolean leds_by_column;              /* they lie column by column, and there are so many rows */
  double wavelength;                    /* m */
  double pixel_size;                    /* at the sample, m */
  double camera_pixel;                  /* m */
  double magnification;
  double na;                            /* of the objective */
  double distance;                      /* of the LEDs from the sample, m */
  double pitch;                         /* of the LEDs of an array, m */
  double defocus;                       /* m */
  double slide_thickness;               /* m; 0: none */
  double slide_index;
  double rotation;                      /* of the LED array, degrees */
  double shift[2];                      /* of the LED array, m */
  PrismGeometry stated;                 /* before the frames corrected it, and then */
  PrismGeometry corrected;
  char *unread;                         /* (nullable): names of what the file has besides arrays */
  char **labels;                        /* (nullable) [N]: names of frames that are files */
  GBytes *rows;                         /* (nullable): of a table that has more of them */
  char *path;
  char *format;                         /* "PtyLab HDF5" */
  GPtrArray *notes;                     /* of char *: what was understood, a sentence each */
} PrismRecording;

PrismRecording *prism_recording_new            (const char *path,
                                                const char *format);
PrismRecording *prism_recording_ref            (PrismRecording *self);
void            prism_recording_free           (PrismRecording *self);
PrismRecording *prism_recording_new_like       (const PrismRecording *self);
PrismRecording *prism_recording_cut            (const PrismRecording  *self,
                                                guint                  first,
                                                guint                  left,
                                                guint                  top,
                                                guint                  width,
                                                guint                  height,
                                                GError               **error);
PrismRecording *prism_recording_dup_frames     (const PrismRecording *self,
                                                const guint          *order,
                                                guint                 room,
                                                GError              **error);
PrismRecording *prism_recording_understand     (const char         *path,
                                                PrismFields        *fields,
                                                const PrismRecipe  *recipe,
                                                GError            **error);
PrismRecording *prism_recording_load           (const char         *path,
                                                const PrismRecipe  *recipe,
                                                GError            **error);
PrismRecording *prism_recording_load_files     (const char         *folder,
                                                char *const        *names,
                                                const PrismRecipe  *recipe,
                                                GError            **error);
PrismRecording *prism_recording_load_with      (const char         *path,
                                                const char         *positions,
                                                const PrismRecipe  *recipe,
                                                GError            **error);
gboolean        prism_recording_load_positions (PrismRecording  *self,
                                                const char      *path,
                                                GError         **error);
gboolean        prism_recording_parse_positions (PrismRecording *self,
                                                 GBytes         *bytes,
                                                 const char     *name,
                                                 GError        **error);
guint           prism_recording_find_unsaid     (const PrismRecording  *self);
const char     *prism_recording_get_unsaid_name (PrismUnsaid thing);
gboolean        prism_recording_check          (const PrismRecording  *self,
                                                GError               **error);
void            prism_recording_update         (PrismRecording *self);
void            prism_recording_note           (PrismRecording *self,
                                                const char     *format,
                                                ...) G_GNUC_PRINTF (2, 3);
void            prism_recording_get_center     (const PrismRecording *self,
                                                guint                 j,
                                                double                side,
                                                double               *column,
                                                double               *row);

/* A table of LEDs by its rows, some of whose frames are not there yet. */
typedef struct
{
  char **lines;                         /* [1 + n]: the first names the columns */
  guint n;
  char separator;
  char **files;                         /* (nullable) [n]: names of the frames' files */
} PrismRecordingRows;

PrismRecordingRows *prism_recording_rows_load     (const char  *path,
                                                   GError     **error);
GBytes             *prism_recording_rows_dup_some (const PrismRecordingRows *self,
                                                   const guint              *rows,
                                                   char *const              *names,
                                                   guint                     n);
void                prism_recording_rows_free     (PrismRecordingRows *self);

/* Whether it is known how large the pupil is in the spectrum of a frame. */
static inline gboolean
prism_recording_has_optics (const PrismRecording *self)
{
  return self->na > 0 && self->wavelength > 0 && self->pixel_size > 0;
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRecording, prism_recording_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRecordingRows, prism_recording_rows_free)

G_END_DECLS
