/* recording-notes: what was said of a recording. */
#pragma once

#include "recording/prism-recording.h"

#include <string.h>

/* Whether one of the notes has the part. */
static inline gboolean
recording_has_note (const PrismRecording *recording, const char *part)
{
  for (guint i = 0; i < recording->notes->len; i++)
    if (strstr (g_ptr_array_index (recording->notes, i), part) != NULL)
      return TRUE;
  return FALSE;
}
