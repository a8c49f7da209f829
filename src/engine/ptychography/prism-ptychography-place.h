/* prism-ptychography-place: where a frame's pupil lies between the points of its grid, and by how
 * much it should be moved. Places are (column, row). Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  int whole[2];                         /* pixels of the window from the middle */
  int base[2];                          /* to the second of the four points that it is mixed of */
  float weights[2][4];                  /* of these, along and down */
  double back[2];                       /* from the place to its whole pixels */
} PrismPtychographyPlace;

void prism_ptychography_place_init       (PrismPtychographyPlace *self,
                                          const double            place[2]);
void prism_ptychography_place_find_shift (const double            forces[5],
                                          double                  n_points,
                                          double                  shift[2]);

G_END_DECLS
