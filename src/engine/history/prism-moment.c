#include "config.h"

#include "history/prism-moment.h"

#include <math.h>

/**
 * prism_moment_settings_new:
 * @config: what applied
 * @version: how many times it had been changed
 *
 * Returns: (transfer full): a copy of the configuration to share
 */
PrismMomentSettings *
prism_moment_settings_new (const PrismConfig *config,
                           guint version)
{
  PrismMomentSettings *self = g_new0 (PrismMomentSettings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->version = version;
  self->config = prism_config_dup (config);
  return self;
}

/**
 * prism_moment_settings_ref:
 *
 * Returns: (transfer full): the same settings, with one more reference
 */
PrismMomentSettings *
prism_moment_settings_ref (PrismMomentSettings *self)
{
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_moment_settings_unref:
 * @self: (transfer full) (nullable): settings
 *
 * Gives one reference back.
 */
void
prism_moment_settings_unref (PrismMomentSettings *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_config_free (self->config);
  g_free (self);
}

/**
 * prism_moment_new:
 * @image: the picture
 * @settings: what applied
 *
 * Makes a moment for the caller to fill in before it shares it; what was not computed is NAN.
 *
 * Shape: [m][m].
 *
 * Returns: (transfer full): the moment
 */
PrismMoment *
prism_moment_new (PrismImage *image,
                  PrismMomentSettings *settings)
{
  PrismMoment *self = g_new0 (PrismMoment, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->misfit = NAN;
  prism_metrics_init (&self->metrics);
  self->image = prism_image_ref (image);
  self->settings = prism_moment_settings_ref (settings);
  return self;
}

/**
 * prism_moment_ref:
 *
 * Returns: (transfer full): the same moment, with one more reference
 */
PrismMoment *
prism_moment_ref (PrismMoment *self)
{
  /* The macro, unlike g_atomic_ref_count_inc(), is compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_moment_unref:
 * @self: (transfer full) (nullable): a moment
 *
 * Gives one reference back; the last one frees the picture.
 */
void
prism_moment_unref (PrismMoment *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  prism_image_unref (self->image);
  prism_finding_unref (self->finding);
  prism_moment_settings_unref (self->settings);
  g_free (self);
}
