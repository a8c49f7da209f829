#include "config.h"

#include "model/prism-config-check.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "model/prism-decoder.h"

/* What only a telescope has. */
static const char *
find_telescope (const PrismConfig *self,
                GError **error)
{
  PrismConfig without_depth = *self;
  PrismDecoderPlan plan;
  const char *wrong;

  if (!prism_config_check_plane (self, &wrong, error))
    return wrong;
  without_depth.depth = 0;
  if (!prism_decoder_plan_init_config (&plan, self, error))
    return prism_decoder_plan_init_config (&plan, &without_depth, NULL) ? "depth" : "channels";
  if (self->loss == PRISM_LOSS_COMPOSITE
      && self->weight_l1 + self->weight_l2 + self->weight_ssim + self->weight_ms_ssim <= 0.0)
    {
      prism_error_config (
          error, _ ("weight_l1, weight_l2, weight_ssim and weight_ms_ssim are all 0, but the loss "
                    "“composite” needs at least one of them above 0."));
      return "weight_l1";
    }
  if (self->convergence && self->threshold <= 0.0)
    {
      prism_error_config (
          error, _ ("convergence is on, but threshold is 0: set the loss below which a position "
                    "is done, such as 0.01, or switch convergence off."));
      return "convergence";
    }
  if (self->photons > 0 && self->photons < 1)
    {
      prism_error_config (
          error, _ ("photons is %g: with less than one photon in an exposure nothing reaches the "
                    "camera. Set 1 to %g, usually 1e5 to 1e8, or 0 for noise by snr."),
          self->photons, prism_config_get_param ("photons")->maximum);
      return "photons";
    }
  return NULL;
}

/* Of a tile of recorded frames: its neighbour's phase and brightness are met where they overlap. */
static const char *
find_recorded (const PrismConfig *self,
               GError **error)
{
  const double least = 5; /* % */
  g_autoptr (GArray) left_out = NULL;

  if (self->tile != 0 && self->tile_overlap < least)
    {
      prism_error_config (
          error, _ ("tile_overlap is %g %%, but tiles of recorded frames share at least %g %%."),
          self->tile_overlap, least);
      return "tile_overlap";
    }
  left_out = prism_frame_list_parse (self->leave_out, error);
  return left_out != NULL ? NULL : "leave_out";
}

/**
 * prism_config_check_find:
 *
 * Finds out whether the parameters fit together: each in its range, a method that such frames have,
 * a field whose side is a power of two, an object and an aperture that fit into it, a decoder that
 * can be built, a loss that counts something, tiles and frames of a microscope that can be. Whether
 * the object's file exists is found out when it is loaded.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (nullable): the key that should change, NULL where a run can be configured with it
 */
const char *
prism_config_check_find (const PrismConfig *self,
                         GError **error)
{
  const gboolean recorded = self->kind == PRISM_FRAMES_RECORDED;
  const char *wrong;

  if (!prism_config_check_ranges (self, &wrong, error))
    return wrong;
  /* Both have a decoder. */
  if (!prism_config_trains (self) && (self->method >= PRISM_METHOD_SEQUENTIAL) != recorded)
    {
      prism_error_config (
          error,
          recorded ? _ ("The method “%s” needs frames on the whole field: recorded "
                        "frames have “sequential”, “descent”, “decoder” and “auto”.")
                   : _ ("The method “%s” is of recorded frames: a telescope has “auto”, "
                        "“decoder”, “epie” and “mopie”."),
          prism_config_get_param ("method")->choices[self->method].name);
      return "method";
    }
  return recorded ? find_recorded (self, error) : find_telescope (self, error);
}

/**
 * prism_config_check:
 *
 * Says what prism_config_check_find() finds.
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: whether a run can be configured with it
 */
gboolean
prism_config_check (const PrismConfig *self,
                    GError **error)
{
  return prism_config_check_find (self, error) == NULL;
}

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
      prism_error_config (error,
                          _ ("A list of frames has at most %d characters: use ranges, such as"
                             " 31-35."),
                          PRISM_FRAME_LIST_SIZE - 1);
      return NULL;
    }
  if (text[0] == '\0' || strcmp (text, "none") == 0 || strcmp (text, "auto") == 0)
    return g_steal_pointer (&ranges);
  PRISM_FOR_EACH_STRING (part, parts)
    {
      PrismFrameRange range;

      if (!read_range (*part, &range))
        {
          prism_error_config (error,
                              _ ("“%s” is no list of frames: write their numbers from 0, such as"
                                 " 17,31-35, or none."),
                              text);
          return NULL;
        }
      g_array_append_val (ranges, range);
    }
  return g_steal_pointer (&ranges);
}
