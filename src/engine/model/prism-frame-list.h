/* prism-frame-list: frames as people name them, "17, 31-35", counted from 0. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PRISM_FRAME_LIST_SIZE 256

typedef struct
{
  guint first;
  guint last;
} PrismFrameRange;

GArray *prism_frame_list_parse (const char  *text,
                                GError     **error);

G_END_DECLS
