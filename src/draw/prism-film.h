/* prism-film: the moments of a run as an animation.
 *
 * m = object_size. */
#pragma once

#include "history/prism-snapshot.h"
#include "prism-mapping.h"

G_BEGIN_DECLS

typedef enum
{
  PRISM_FILM_RECONSTRUCTION,            /* the picture alone, pixel by pixel */
  PRISM_FILM_PANELS,                    /* with the error and k-space, the step and the PSNR */
} PrismFilmContent;

typedef struct
{
  PrismFilmContent content;
  PrismMapping mapping;                 /* of the reconstruction */
  int scale;                            /* 1 or 2 */
  int rate;                             /* moments per second, 1…60 */
  gboolean loop;
} PrismFilmOptions;

/* Called on the thread that saves; returns FALSE to break off. */
typedef gboolean (*PrismFilmProgress) (guint    n_done,
                                       guint    n_frames,
                                       gpointer data);

void     prism_film_options_init (PrismFilmOptions *self);
gboolean prism_film_save         (PrismSnapshot           *snapshot,
                                  const char              *path,
                                  const PrismFilmOptions  *options,
                                  PrismFilmProgress        progress,
                                  gpointer                 data,
                                  GError                 **error);

G_END_DECLS
