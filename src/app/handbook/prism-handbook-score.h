/* prism-handbook-score: how much a section is about what is searched for. Thread: any. */
#pragma once

#include "handbook/prism-handbook.h"

G_BEGIN_DECLS

guint prism_handbook_score (const PrismHandbookSection *section, const char *words);

G_END_DECLS
