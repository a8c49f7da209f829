/* prism-cli-film: the options of prism-cli run that make animations. */
#pragma once

#include "prism-film.h"

G_BEGIN_DECLS

typedef struct
{
  char **paths;                         /* (nullable): no animation */
  gboolean panels;
  int rate;                             /* 0 for the default */
  int scale;                            /* 0 for 1 */
} PrismCliFilm;

void     prism_cli_film_clear (PrismCliFilm *self);
gboolean prism_cli_film_check (const PrismCliFilm  *self,
                               const PrismConfig   *config,
                               GError             **error);
gboolean prism_cli_film_save  (const PrismCliFilm  *self,
                               PrismSnapshot       *snapshot,
                               GError             **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliFilm, prism_cli_film_clear)

G_END_DECLS
