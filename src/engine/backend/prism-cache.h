/* prism-cache: noise-free and exposed detector images by a small key of parameters; least recently
 * used first out, within a byte budget. */
#pragma once

#include "backend/prism-backend.h"

G_BEGIN_DECLS

typedef struct _PrismCache PrismCache;

/* Zero it before filling in: it is compared and hashed as bytes. */
typedef struct
{
  guint64 object;                       /* id of the object, new for every object loaded */
  double center_y;
  double center_x;
  double radius;
  double obscuration;
  double vane_width;
  double line_length;                   /* 0: the aperture stands still */
  double line_angle;
  double motion_blur;                   /* px, 0: none */
  double motion_angle;
  gint64 line_points;
  gint32 shape;
  gint32 vanes;
  gint32 image_size;
  gint32 object_size;
  double snr;                           /* 0: noise-free, or by photon */
  double photon;
  double read_snr;
  gint64 seed;                          /* 0 when noise-free */
  gint64 sample;                        /* 0 when noise-free */
} PrismCacheKey;

/* What a step or a pass needs for each frame that it looks at. */
typedef enum
{
  PRISM_CACHE_FRAMES,
  PRISM_CACHE_APERTURES,                /* the pixels of k-space that a frame's one lets through */
  PRISM_CACHE_TRANSFORMS,               /* the device's plans and tables of them */
  PRISM_N_CACHES,
} PrismCacheKind;

/* Each use of a frame by a step or a pass counts: it was at hand, or it had to be made for it. */
typedef struct
{
  guint64 hits;                         /* were at hand: nothing was simulated or read */
  guint64 misses;                       /* had to be taken */
  guint64 pass_hits;                    /* the same of the pass under way, or of the last one */
  guint64 pass_misses;
  guint64 aperture_hits;
  guint64 aperture_misses;
  guint64 transform_hits;
  guint64 transform_misses;
  guint64 evictions;                    /* entries that left for want of room */
  double hit_rate;                      /* 0…1 of all uses, NAN before the first */
  double pass_rate;                     /* 0…1 of those of that pass, NAN before its first */
  double aperture_rate;
  double transform_rate;
  guint64 bytes;                        /* of the entries */
  guint64 budget;                       /* bytes, for the entries */
  guint64 small_bytes;                  /* of frames that are held small, beside the entries */
  guint n_entries;
  guint n_small;
} PrismCacheStatistics;

PrismCache  *prism_cache_new             (guint64 budget);
void         prism_cache_free            (PrismCache *self);
void         prism_cache_set_budget      (PrismCache *self,
                                          guint64     budget);
/* (transfer full) (nullable): the caller unrefs it; set takes a reference of its own. */
PrismBuffer *prism_cache_get             (PrismCache          *self,
                                          const PrismCacheKey *key);
/* Whether get() would find it; does not touch the order. */
gboolean     prism_cache_has             (PrismCache          *self,
                                          const PrismCacheKey *key);
void         prism_cache_set             (PrismCache          *self,
                                          const PrismCacheKey *key,
                                          PrismBuffer         *buffer);
void         prism_cache_forget          (PrismCache          *self,
                                          const PrismCacheKey *key);
void         prism_cache_begin_pass      (PrismCache *self);
void         prism_cache_count           (PrismCache     *self,
                                          PrismCacheKind  kind,
                                          gboolean        hit);
gboolean     prism_cache_note_transforms (PrismCache *self);
void         prism_cache_hold_small      (PrismCache *self,
                                          gint64      n_bytes);
void         prism_cache_clear           (PrismCache *self);
void         prism_cache_leave_device    (PrismCache *self);
void         prism_cache_reset_statistics (PrismCache *self);
void         prism_cache_resume_statistics (PrismCache                *self,
                                            const PrismCacheStatistics *before);
void         prism_cache_get_statistics  (PrismCache           *self,
                                          PrismCacheStatistics *statistics);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismCache, prism_cache_free)

G_END_DECLS
