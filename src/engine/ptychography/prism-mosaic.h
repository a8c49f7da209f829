/* prism-mosaic: frames of a large field as overlapping tiles. The light of an LED comes to each
 * from another direction, so that each is explained with directions of its own, begins with what
 * its neighbour has found (pupil, gains, what LEDs are off by). All are put together with
 * the phases and ramps of the phase that make them meet, as bright as the innermost frame.
 *
 * s = side of a tile, u = pixels of the object along one of a frame, H×W = pixels of the object of
 * the whole field. Tiles are numbered from the middle outwards. Thread: one at a time. */
#pragma once

#include "ptychography/prism-finding.h"

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int x;                                /* its first column, pixels of a frame */
  int y;
  guint neighbour;                      /* the tile that it begins with; its own number: none */
  gboolean done;
  PrismPrediction held_out;
  PrismPrediction used;
  guint inner;                          /* frame that its brightness is that of */
  double gain;                          /* that it is taken with, and the phase, rad */
  double phase;
  double ramp[2];                       /* of the phase, rad a pixel of the object */
  PrismBoard board;                     /* of its LEDs, shift in px of s */
  double waves[PRISM_PUPIL_N_MODES];
} PrismMosaicTile;

typedef struct
{
  int side;                             /* s */
  int n_rows;
  int n_columns;
  guint n_tiles;
  PrismMosaicTile *tiles;               /* [n_tiles] */
  int sign;                             /* 1, -1 where directions point the other way, 0 where
                                         * the circles in the spectra do not move */
  int upsampling;                       /* u */
  int height;                           /* H */
  int width;                            /* W */
  gboolean has_distance;                /* of the LEDs; otherwise directions are the same for all */
} PrismMosaicPlan;

typedef struct _PrismMosaic PrismMosaic;

/* To be read by others, but changed by the functions below alone. */
struct _PrismMosaic
{
  PrismRecording *recording;
  PrismConfig *settings;              /* of each tile */
  PrismMosaicPlan plan;
  PrismFinding **findings; /* [n_tiles] (nullable): without their objects */
  float **objects;         /* [n_tiles] (nullable) [m][m][2] */
  PrismObjective objective; /* over the field, once it is asked for */
  GArray *meetings;        /* of what tiles that overlap tell; private to prism-mosaic-join.c */
};

/* Tiles that other threads explain. */
typedef struct _PrismMosaicAhead PrismMosaicAhead;
typedef struct _PrismMosaicBlend PrismMosaicBlend;

double                 prism_mosaic_get_change (const PrismRecording *recording);
int                    prism_mosaic_choose_side (const PrismRecording *recording,
                                                 int                   tile);
char                  *prism_mosaic_dup_choice (const PrismRecording *recording);
PrismMosaic           *prism_mosaic_new        (PrismRecording                  *recording,
                                                const PrismConfig *settings,
                                                GError                         **error);
PrismMosaic           *prism_mosaic_new_planned (const PrismMosaic *planned);
void                   prism_mosaic_free       (PrismMosaic *self);
PrismRecording        *prism_mosaic_cut        (const PrismMosaic  *self,
                                                guint               tile,
                                                GError            **error);
PrismPtychogram       *prism_mosaic_new_frames (const PrismMosaic  *self,
                                                guint               tile,
                                                GError            **error);
PrismPtychography     *prism_mosaic_new_solver (const PrismMosaic  *self,
                                                guint               tile,
                                                GError            **error);
gboolean               prism_mosaic_add        (PrismMosaic       *self,
                                                guint              tile,
                                                PrismPtychography *solver,
                                                GError           **error);
void                   prism_mosaic_put        (PrismMosaic *self,
                                                guint        tile,
                                                float       *object);
gboolean               prism_mosaic_save       (const PrismMosaic  *self,
                                                PrismBundle        *bundle,
                                                GError            **error);
gboolean               prism_mosaic_load       (PrismMosaic  *self,
                                                guint         n_tiles,
                                                PrismBundle  *bundle,
                                                GError      **error);
gboolean               prism_mosaic_survey     (PrismMosaic            *self,
                                                PrismPtychographyWatch  watch,
                                                gpointer                data);
PrismMosaicBlend      *prism_mosaic_blend_new  (const PrismMosaic *mosaic);
void                   prism_mosaic_blend_get_row (gconstpointer blend,
                                                   int           row,
                                                   float        *to);
void                   prism_mosaic_blend_free (PrismMosaicBlend *self);
float                 *prism_mosaic_dup_object (const PrismMosaic  *self,
                                                GError            **error);
void                   prism_mosaic_draw       (const PrismMosaic *self,
                                                const float       *square,
                                                int                field,
                                                int                reduction,
                                                float              white,
                                                int                side,
                                                float             *amplitude,
                                                float             *phase);
gboolean               prism_mosaic_tell       (const PrismMosaic *self,
                                                float             *object,
                                                float              white,
                                                guint              n_tiles,
                                                PrismFinding      *finding);
void                   prism_mosaic_find_seams (const PrismMosaic *self,
                                                double             seams[2]);
PrismPrediction        prism_mosaic_get_held_out (const PrismMosaic     *self,
                                                  const PrismPrediction *middle);
gboolean               prism_mosaic_is_unexplained (const PrismMosaic *self);
char                  *prism_mosaic_dup_table  (const PrismMosaic *self);
char                  *prism_mosaic_dup_sentence (const PrismMosaic *self,
                                                  guint              tile);

guint                  prism_mosaic_count_at_once (guint   threads,
                                                   guint64 n_pixels,
                                                   guint64 side);
PrismMosaicAhead      *prism_mosaic_ahead_new   (const PrismMosaic *mosaic,
                                                 guint              n_done);
void                   prism_mosaic_ahead_free  (PrismMosaicAhead *self);
gboolean               prism_mosaic_ahead_begin (PrismMosaicAhead *self,
                                                 guint             tile);
PrismPtychography     *prism_mosaic_ahead_take  (PrismMosaicAhead *self,
                                                 guint             tile,
                                                 guint             milliseconds,
                                                 GArray           *progress,
                                                 guint             n_before);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismMosaic, prism_mosaic_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismMosaicBlend, prism_mosaic_blend_free)

G_END_DECLS
