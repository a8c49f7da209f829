/* prism-arrivals: a folder that a camera writes frames into: which of them are there, whole, and
 * what is read of them. Frames have the numbers that they have when all are there.
 *
 * Thread: one at a time, the same for all calls, but for prism_asking_run(). */
#pragma once

#include "recording/prism-recording.h"

G_BEGIN_DECLS

/* A frame of the table. */
typedef struct
{
  guint row;
  char *expected;                       /* (nullable): name in the table, with or without ending */
  const char *name;                     /* (nullable): of the file, once it is there */
} PrismArrivalsFrame;

typedef struct
{
  char *folder;
  char *shown;                          /* name of the table */
  PrismRecipe *recipe;
  PrismRecordingRows *rows;
  guint n_frames;
  guint n_there;
  PrismArrivalsFrame *frames;           /* [n_frames], in the order of their names */
  GHashTable *expected;                 /* (nullable): names with and without ending → number + 1 */
  GHashTable *files;                    /* name → what is known of it */
  gsize height;                         /* of the first frame */
  gsize width;
  PrismRecording *read;                 /* (nullable): frames that were asked, and behind them those
                                         * since */
  GArray *numbers;                      /* of guint: of its frames, those that were read */
  guint n_asked;                        /* of them */
  guint room;                           /* frames that it has memory for */
  guint brightest;                      /* of them */
  PrismRecording *table;                /* (nullable): of PrismAsking */
  GHashTable *done;                     /* names of files that were closed or moved there since the
                                         * last look */
  GQueue notes;                         /* of char *: about files, in the user's language; who
                                         * says one takes it off the head */
  gboolean gone;                        /* the folder was not there at the last look */
  gboolean pending;                     /* a file has yet to stand still */
  gboolean changed;
  gint64 looked;                        /* µs */
  int events;                           /* of inotify; below 0 where there is none */
  int wakes;                            /* eventfd */
} PrismArrivals;

PrismArrivals  *prism_arrivals_new         (const char         *folder,
                                            const char         *positions,
                                            const PrismRecipe  *recipe,
                                            GError            **error);
void            prism_arrivals_free        (PrismArrivals *self);
gboolean        prism_arrivals_look        (PrismArrivals *self,
                                            gint64         now);
gboolean        prism_arrivals_wait        (PrismArrivals *self,
                                            gboolean       rests);
void            prism_arrivals_wake        (PrismArrivals *self);
char           *prism_arrivals_dup_missing (const PrismArrivals *self);
PrismRecording *prism_arrivals_read        (PrismArrivals  *self,
                                            const guint   **numbers);
PrismRecording *prism_arrivals_dup_recording (PrismArrivals *self,
                                              gboolean       asks,
                                              GError       **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismArrivals, prism_arrivals_free)

/* The frames of a moment, which are asked about the geometry while others come. */
typedef struct
{
  const PrismArrivals *arrivals;        /* it outlives this */
  char **names;                         /* of the files */
  GBytes *rows;                         /* of the table */
  GArray *numbers;                      /* of guint */
  PrismRecording *recording;            /* (nullable) */
  PrismRecording *table;                /* (nullable): no frames; where the light of all rows comes
                                         * from */
} PrismAsking;

PrismAsking    *prism_asking_new           (const PrismArrivals *arrivals);
void            prism_asking_free          (PrismAsking *self);
gboolean        prism_asking_run           (PrismAsking  *self,
                                            GError      **error);
void            prism_arrivals_take        (PrismArrivals *self,
                                            PrismAsking   *asking);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismAsking, prism_asking_free)

G_END_DECLS
