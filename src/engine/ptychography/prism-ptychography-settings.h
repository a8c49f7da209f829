/* prism-ptychography-settings: what a user can choose where recorded frames are explained.
 * Thread: any. */
#pragma once

#include "ptychography/prism-frame-list.h"

G_BEGIN_DECLS

#define PRISM_START_SIZE 1024

typedef enum
{
  PRISM_PUPIL_SEARCH,
  PRISM_PUPIL_FLAT,
} PrismPupilStart;

typedef enum
{
  PRISM_PLACES_HELD,                    /* as recorded, or as the start has them */
  PRISM_PLACES_FOUND,                   /* of every LED, and of the whole board */
  PRISM_PLACES_BOARD,                   /* shift, turn and scale of the whole board alone */
} PrismPlaces;

typedef enum
{
  PRISM_METHOD_SEQUENTIAL,              /* one frame after the other, with steps that get smaller */
  PRISM_METHOD_DESCENT,                 /* all frames together, accelerated */
} PrismPtychographyMethod;

typedef struct
{
  int hold_out;                         /* every so many-th frame is never used; 0: all are */
  char leave_out[PRISM_FRAME_LIST_SIZE]; /* frames that are neither, "17,31-35" */
  int half_bright;                      /* % of the pupil's radius at its rim; frames whose pupil
                                         * lies there are not used */
  PrismPtychographyMethod method;
  int passes;                           /* over all frames */
  int more_passes;                      /* where LEDs are found far from their places */
  int upsampling;                       /* pixels of the object for one of a frame; 0: as needed */
  int border;                           /* pixels of the field around a frame; -1: as needed */
  PrismPupilStart pupil;                /* what the passes begin with */
  double defocus;                       /* µm, where the search begins; NAN: it looks for it */
  double rim;                           /* width of the pupil's, pixels; NAN: the search finds it */
  gboolean free_pupil;                  /* changes point by point */
  gboolean gains;                       /* of the LEDs are found */
  PrismPlaces positions;                /* of the LEDs */
  char start[PRISM_START_SIZE];         /* folder of an earlier result to begin with; "": none */
  int tile;                             /* pixels of a tile's side; 0: the field is one */
  int tile_overlap;                     /* % of it that neighbours share */
  double background;                    /* intensity to take off; NAN: as the dark frames say */
  int threads;                          /* 0: one for each core */
} PrismPtychographySettings;

typedef struct
{
  const char *key;
  double minimum;
  double maximum;
  const char *initial;                  /* as one would write it */
  const char *choices;                  /* (nullable) "search|flat" */
  const char *help;
} PrismPtychographyKey;

void                        prism_ptychography_settings_init  (PrismPtychographySettings *self);
gboolean                    prism_ptychography_settings_set   (PrismPtychographySettings  *self,
                                                               const char                 *key,
                                                               const char                 *value,
                                                               GError                    **error);
gboolean                    prism_ptychography_settings_parse (PrismPtychographySettings  *self,
                                                               const char                 *setting,
                                                               GError                    **error);
char *prism_ptychography_settings_dup (const PrismPtychographySettings *self,
                                       const char                      *key);
const PrismPtychographyKey *prism_ptychography_settings_get_keys (gsize *n_keys);

G_END_DECLS
