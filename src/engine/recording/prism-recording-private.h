/* prism-recording-private: what the files that read recordings share. Thread: one at a time. */
#pragma once

#include "formats/prism-fields.h"
#include "formats/prism-unit.h"
#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* What people call the numbers and columns of an instrument. */

typedef enum
{
  PRISM_NAME_NONE,
  PRISM_NAME_WAVELENGTH,
  PRISM_NAME_PIXEL_SIZE,
  PRISM_NAME_CAMERA_PIXEL,
  PRISM_NAME_MAGNIFICATION,
  PRISM_NAME_NA,
  PRISM_NAME_DISTANCE,
  PRISM_NAME_PITCH,
  PRISM_NAME_FILE,                      /* the name of a frame's own */
  PRISM_NAME_ELEVATION,                 /* of the light, above the specimen's plane */
  PRISM_NAME_POSITIONS,                 /* of LEDs, two or three numbers each */
  PRISM_NAME_COSINES,
  PRISM_NAME_WAVES,
  /* What tables have as columns: */
  PRISM_NAME_FRAME,
  PRISM_NAME_Z,
  PRISM_NAME_X,                         /* the y of each follows it */
  PRISM_NAME_Y,
  PRISM_NAME_NA_X,
  PRISM_NAME_NA_Y,
  PRISM_NAME_WAVE_X,
  PRISM_NAME_WAVE_Y,
  PRISM_NAME_BOX_X,
  PRISM_NAME_BOX_Y,
  PRISM_NAME_COLUMN,
  PRISM_NAME_ROW,
  PRISM_NAME_THETA,                     /* of the light, from the axis */
  PRISM_NAME_PHI,                       /* of the light, around the axis */
  PRISM_NAME_TILT_X,                    /* of the light from the axis, as seen along y */
  PRISM_NAME_TILT_Y,
  PRISM_NAME_EXPOSURE,
  PRISM_N_NAMES
} PrismName;

PrismName prism_recording_names_find (const char *name,
                                      PrismUnit  *unit);

/* Frames whose place is no number. */

void     prism_recording_fill_places  (PrismRecording *self,
                                       double         *values,
                                       gsize           step);
gboolean prism_recording_check_places (PrismRecording *self,
                                       const char     *name,
                                       GError        **error);

/* Which reader a file is for. */

gboolean     prism_fields_can_open (const char *path);
PrismFields *prism_fields_open     (const char  *path,
                                    GError     **error);
PrismFields *prism_fields_open_file (const char  *path,
                                     GError     **error);
PrismFields *prism_fields_open_folder (const char   *path,
                                       char *const  *names,
                                       GError      **error);
gboolean     prism_fields_is_frame (const char *name);
gboolean     prism_fields_check_frame (const char  *path,
                                       gsize       *height,
                                       gsize       *width,
                                       GError     **error);


/* Frames by the names of their files, with and without ending. */

void     prism_frame_names_add  (GHashTable *self,
                                 const char *name,
                                 guint       frame);
gboolean prism_frame_names_find (GHashTable *self,
                                 const char *name,
                                 guint      *frame);

GBytes  *prism_frame_names_dup_table (char *const *labels);

/* The frames of a recording from an array of a file. */

float   *prism_recording_new_frames  (gsize    n_values,
                                      GError **error);
gboolean prism_recording_frames_load (PrismRecording     *self,
                                      PrismFields        *fields,
                                      const PrismField   *field,
                                      const PrismRecipe  *recipe,
                                      GError            **error);
float   *prism_recording_frames_load_mean (PrismFields        *fields,
                                           const PrismField   *field,
                                           const PrismRecipe  *recipe,
                                           guint               height,
                                           guint               width,
                                           GError            **error);
gboolean prism_recording_frames_finish (PrismRecording  *self,
                                        GError         **error);

/* How much light the frames of a recording have. */

typedef struct
{
  guint frame;
  double light;                         /* sum over its pixels */
} PrismFrameLight;

/* Of the pixels of one frame, which it may change. */
typedef double (*PrismFrameFunc) (float  *frame,
                                  gsize   n_pixels,
                                  double  number);

double          *prism_recording_look          (const PrismRecording *self,
                                                PrismFrameFunc        func,
                                                double                number);
double          *prism_recording_dup_light     (const PrismRecording *self);
float            prism_recording_get_largest   (const PrismRecording *self);
PrismFrameLight *prism_recording_rank_by_light (const PrismRecording *self,
                                                gboolean              brightest_first);
void             prism_recording_check_light   (PrismRecording *self);
char            *prism_recording_dup_list      (const GArray *frames);

/* What a camera does to frames, its dark and bright frames, masks and hot
 * pixels. */

void     prism_recording_exposure_divide     (PrismRecording *self,
                                              const double   *exposures,
                                              const char     *name);

guint8 *prism_recording_hot_find (const PrismRecording *recording,
                                  guint                *n_found);
guint8 *prism_recording_hot_find_gaps (const PrismRecording *recording,
                                       guint                *n_found);

gboolean prism_recording_correct (PrismRecording     *self,
                                  PrismFields        *fields,
                                  const PrismRecipe  *recipe,
                                  GError            **error);

/* Numbers in other units than metres, as programs write them. What can be
 * only so is converted and noted. */

double prism_recording_units_get_photon       (double          value);
void prism_recording_units_correct           (PrismRecording *self,
                                              gboolean        pixel_may_be_camera);
void prism_recording_units_correct_positions (PrismRecording *self);

/* Where the light of each frame came from, of the arrays of a file.
 * */

gsize    prism_recording_pairs_count     (PrismFields *fields);
void     prism_recording_pairs_compare   (PrismRecording *self,
                                          const double   *used,
                                          const double   *other,
                                          const char     *used_name,
                                          const char     *other_name);
gboolean prism_recording_pairs_assign    (PrismRecording     *self,
                                          PrismFields        *fields,
                                          const PrismRecipe  *recipe,
                                          GError            **error);
void     prism_recording_pairs_set_index (PrismRecording *self,
                                          const double   *index);
void     prism_recording_pairs_set_depth (PrismRecording *self,
                                          const double   *heights,
                                          double          unit);

void     prism_recording_take_tables      (PrismRecording  *self,
                                           const GPtrArray *paths);

/* Tables that are no CSV in UTF-8, as one. */

GBytes *prism_recording_columns_dup    (PrismFields  *fields,
                                        gsize         n_frames,
                                        GError      **error);
GBytes *prism_recording_columns_load   (const char  *path,
                                        gsize        n_frames,
                                        GError     **error);
char   *prism_recording_columns_decode (GBytes *bytes);

/* What frames themselves show of a camera: a value that no pixel goes
 * beyond, amplitudes instead of intensities, noise, few grey values. */

void prism_recording_quality_check (PrismRecording *self,
                                    gboolean        may_be);
void prism_recording_quality_leave_out (PrismRecording *self);

/* Whether the bright circles in the spectra of frames have the places and
 * the radius that geometry and NA say, and by how much they differ. */

void     prism_recording_geometry_correct (PrismRecording *self,
                                           gboolean        turns);
void     prism_recording_circles_undo    (PrismRecording *self);

/* Edges of the circles. */

/* Spectra of frames, of which one half is looked at. s = side */
typedef struct
{
  int side;
  double radius; /* of the aperture, pixels of the spectrum */
  double unit;   /* pixels of the spectrum for a direction of 1 */
  guint n;
  guint frames[32]; /* [n]: their numbers */
  double centers[32][2]; /* [n]: pixels */
  float *spectra;                       /* [n][s][s]: logarithms */
} PrismRecordingEdges;

gboolean prism_recording_edges_look    (PrismRecordingEdges  *self,
                                        const PrismRecording *recording);
void     prism_recording_edges_place   (PrismRecordingEdges  *self,
                                        const PrismRecording *recording);
void     prism_recording_edges_turn    (PrismRecordingEdges *self,
                                        PrismRecording      *recording);
void     prism_recording_edges_clear   (PrismRecordingEdges *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismRecordingEdges, prism_recording_edges_clear)

G_END_DECLS
