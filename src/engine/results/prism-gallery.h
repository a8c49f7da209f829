/* prism-gallery: every kind of sampling pattern with the same aperture and number of samples, as
 * small pictures side by side. Thread: any. */
#pragma once

#include "results/prism-survey.h"

G_BEGIN_DECLS

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
