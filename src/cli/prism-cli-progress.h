/* prism-cli-progress: shows how a run gets on: a bar on a terminal, lines elsewhere. */
#pragma once

#include "history/prism-snapshot.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean quiet;
  gboolean terminal;
  gboolean utf8;
  double fraction;                      /* 0…1, does not go back within a go at the samples */
  gboolean waited;                      /* the last snapshot was of a run whose decoder waits */
  int last_tenth;                       /* of the last line, -1 before the first */
  PrismPhase last_phase;
  guint last_search;
  double last_shown;                    /* s, of the bar */
  char *last_message;                   /* (nullable) */
  char *last_notice;                    /* (nullable) */
} PrismCliProgress;

void prism_cli_progress_init   (PrismCliProgress *self,
                                gboolean          quiet);
void prism_cli_progress_clear  (PrismCliProgress *self);
void prism_cli_progress_show   (PrismCliProgress    *self,
                                const PrismSnapshot *snapshot);
void prism_cli_progress_finish (PrismCliProgress *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PrismCliProgress, prism_cli_progress_clear)

G_END_DECLS
