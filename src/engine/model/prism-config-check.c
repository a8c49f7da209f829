#include "config.h"

#include "model/prism-config-check.h"

#include "base/prism-error.h"
#include "model/prism-decoder.h"

#include <glib/gi18n-lib.h>

static gboolean
check_decoder (const PrismConfig *self,
               GError **error)
{
  PrismDecoderPlan plan;

  return prism_decoder_plan_init_config (&plan, self, error);
}

static gboolean
check_weights (const PrismConfig *self,
               GError **error)
{
  if (self->loss != PRISM_LOSS_COMPOSITE
      || self->weight_l1 + self->weight_l2 + self->weight_ssim + self->weight_ms_ssim > 0.0)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("weight_l1, weight_l2, weight_ssim and weight_ms_ssim are all 0, but the loss "
                  "“composite” needs at least one of them above 0."));
  return FALSE;
}

static gboolean
check_goal (const PrismConfig *self,
            GError **error)
{
  if (!self->convergence || self->threshold > 0.0)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("convergence is on, but threshold is 0: set the loss below which a sample is "
                  "done, such as 0.01, or switch convergence off."));
  return FALSE;
}

/**
 * prism_config_check:
 * @self: a configuration
 * @error: return location
 *
 * Finds out whether the parameters fit together: each in its range, a field whose side is a power
 * of two, an object and an aperture that fit into it, a decoder that can be built, a loss that
 * counts something. Whether the object's file exists is found out when it is loaded.
 *
 * Errors: PRISM_ERROR_CONFIG; the message begins with the key that is wrong.
 * Thread: any.
 *
 * Returns: whether a run can be configured with it
 */
gboolean
prism_config_check (const PrismConfig *self,
                    GError **error)
{
  return prism_config_check_ranges (self, error) && prism_config_check_plane (self, error)
         && check_decoder (self, error) && check_weights (self, error) && check_goal (self, error);
}
