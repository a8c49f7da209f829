/* prism-survey: what a sampling pattern measures of k-space with an aperture: the map of how often
 * each pixel is seen, and what can be said about it in numbers. Thread: any. */
#pragma once

#include "formats/prism-image.h"
#include "model/prism-pattern.h"

G_BEGIN_DECLS

typedef struct _PrismSurvey PrismSurvey;

/* Immutable. n = image_size. */
struct _PrismSurvey
{
  PrismPattern *pattern;                /* in the order of the visits */
  PrismImage *visits;                   /* [n][n]: 0, 1, or 2 for seen twice or more often */
  int diameter;                         /* of the region of interest, a disk, px */
  double coverage;                      /* fraction of the region of interest, 0…1 */
  double plane_coverage;                /* fraction of the whole Fourier plane, a square, 0…1 */
  double twice;                         /* fraction of the covered pixels seen twice or more */
  double redundancy;                    /* mean number of apertures over a covered pixel */
  double neighbour_overlap;             /* mean fraction shared with the nearest neighbour, 0…1 */
  double spacing_mean;                  /* distance to the nearest neighbour, px; 0 for one point */
  double spacing_median;
  double spacing_min;
  double path_length;                   /* from the first to the last position, px */
};

PrismSurvey *prism_survey_new         (const PrismConfig  *config,
                                       GError            **error);
PrismSurvey *prism_survey_new_pattern (PrismPattern       *pattern,
                                       const PrismConfig  *config,
                                       GError            **error);
void         prism_survey_free        (PrismSurvey *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismSurvey, prism_survey_free)

/* Every kind of sampling pattern with the same aperture and number of samples, as
 * small pictures side by side. Thread: any. */

guint        prism_gallery_get_n_kinds (void);
PrismConfig *prism_gallery_dup_config  (const PrismConfig *config,
                                        guint              kind);
PrismImage  *prism_gallery_draw_tile   (const PrismSurvey  *survey,
                                        const PrismConfig  *config,
                                        int                 size,
                                        GError            **error);
PrismImage  *prism_gallery_draw_sheet  (const PrismConfig  *config,
                                        GError            **error);
gboolean     prism_gallery_save_png    (const PrismConfig  *config,
                                        const char         *path,
                                        GError            **error);

G_END_DECLS
