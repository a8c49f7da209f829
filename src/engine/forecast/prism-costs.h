/* prism-costs: what the pieces of a run take on this machine, in seconds, for runs of one shape.
 * They are timed once and kept in a file of the user's cache, with what finished runs taught.
 *
 * Thread: any. */
#pragma once

#include "config/prism-config.h"
#include "history/prism-schedule.h"

G_BEGIN_DECLS

/* Seconds. */
typedef struct
{
  double begin;                         /* to open the device, once a run */
  double frame;                         /* to take a measurement and to see it for the first time */
  double judge;                         /* to hold it against the image in the end */
  double brief_pass;                    /* over the measurements, while training waits: beside */
  double brief_visit;                   /* each measurement of it */
  double pass;                          /* the same at any other time */
  double visit;
  double epie_visit;                    /* a measurement of an ePIE pass */
  double picture;                       /* to find the metrics of an image */
  double field;                         /* an iteration on the field behind a frame */
  double search;                        /* an iteration of the alignment of fields: beside */
  double search_frame;                  /* each frame of it */
  double fill;                          /* an iteration that fills what was not measured */
  double start;                         /* a step of the start phase */
  double step;                          /* a step of the decoder */
  double correction[PRISM_N_TRAININGS]; /* what finished runs took, as a multiple; 0 unknown */
} PrismCosts;

char    *prism_costs_dup_shape (const PrismConfig *config);
gboolean prism_costs_load      (PrismCosts        *self,
                                const PrismConfig *config);
gboolean prism_costs_save      (const PrismCosts   *self,
                                const PrismConfig  *config,
                                GError            **error);

G_END_DECLS
