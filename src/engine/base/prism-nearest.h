/* prism-nearest: the word that was probably meant. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

const char *prism_nearest_find (const char *word,
                                const char *const *words);

G_END_DECLS
