#include "config.h"

#include "model/prism-frame-list.h"

#include "base/prism-error.h"

#include <string.h>

static gboolean
read_number (const char *text,
             guint *number)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &value, NULL))
    return FALSE;
  *number = (guint) value;
  return TRUE;
}

static gboolean
read_range (const char *part,
            PrismFrameRange *range)
{
  g_auto (GStrv) ends = g_strsplit (part, "-", 2);

  if (ends[0] == NULL)
    return FALSE;
  g_strstrip (ends[0]);
  if (!read_number (ends[0], &range->first))
    return FALSE;
  range->last = range->first;
  if (ends[1] == NULL)
    return TRUE;
  g_strstrip (ends[1]);
  return read_number (ends[1], &range->last) && range->last >= range->first;
}

/**
 * prism_frame_list_parse:
 * @text: "17, 31-35"; "none", "auto" or nothing for no frame that is named
 *
 * Reads a list of frames.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable) (element-type PrismFrameRange): the frames
 */
GArray *
prism_frame_list_parse (const char *text,
                        GError **error)
{
  g_autoptr (GArray) ranges = g_array_new (FALSE, FALSE, sizeof (PrismFrameRange));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  if (strlen (text) >= PRISM_FRAME_LIST_SIZE)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   "A list of frames has at most %d characters: use ranges, such as 31-35.",
                   PRISM_FRAME_LIST_SIZE - 1);
      return NULL;
    }
  if (text[0] == '\0' || strcmp (text, "none") == 0 || strcmp (text, "auto") == 0)
    return g_steal_pointer (&ranges);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      PrismFrameRange range;

      if (!read_range (parts[i], &range))
        {
          g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                       "“%s” is no list of frames: write their numbers from 0, such as"
                       " 17,31-35, or none.",
                       text);
          return NULL;
        }
      g_array_append_val (ranges, range);
    }
  return g_steal_pointer (&ranges);
}
