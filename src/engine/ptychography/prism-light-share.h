/* prism-light-share: a frame beside those whose lights are nearest to its own. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_LIGHT_SHARE_NEIGHBOURS 8

guint  prism_light_share_find_neighbours (const double (*places)[2],
                                          guint         n,
                                          guint         frame,
                                          guint         neighbours[PRISM_LIGHT_SHARE_NEIGHBOURS]);
double prism_light_share_get_ranked      (const double *values,
                                          const guint  *neighbours,
                                          guint         n_neighbours,
                                          double        rank);
double prism_light_share_get             (const double (*places)[2],
                                          const double *light,
                                          guint         n,
                                          guint         frame);

G_END_DECLS
