/* prism-config-check: whether a run can be made of a configuration. Thread: any. */
#pragma once

#include "config/prism-config.h"

#include <glib.h>

G_BEGIN_DECLS

gboolean    prism_config_check      (const PrismConfig  *self,
                                     GError            **error);
const char *prism_config_check_find (const PrismConfig  *self,
                                     GError            **error);

/* Frames as people name them, "17, 31-35", counted from 0. Thread: any. */

#define PRISM_FRAME_LIST_SIZE 256

typedef struct
{
  guint first;
  guint last;
} PrismFrameRange;

GArray *prism_frame_list_parse (const char  *text,
                                GError     **error);

G_END_DECLS
