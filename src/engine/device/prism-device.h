/* prism-device: the device that an engine's runs use: chosen, opened, kept from one run to the
 * next, and replaced by the CPU when it fails.
 *
 * Thread: engine, but for prism_device_check_config(). */
#pragma once

#include "backend/prism-cache.h"

G_BEGIN_DECLS

typedef struct
{
  PrismBackend *backend;                /* (nullable) */
  PrismBackendSpec wanted;              /* of the backend, as it was asked for */
  char *name;                           /* (nullable): "CPU, 2 threads, AVX-512" */
  char *reason;                         /* (nullable): why this one, one sentence */
  char *notice;                         /* (nullable): what went wrong when it was opened */
  char *precision_advice;               /* (nullable): one sentence */
  int fallback;                         /* PrismError for which the CPU took over, -1 for none */
} PrismDevice;

gboolean      prism_device_check_config      (const PrismConfig  *config,
                                              GError            **error);
const PrismBackendOps *prism_device_choose   (const PrismConfig  *config,
                                              guint               n_samples,
                                              PrismBackendSpec   *spec,
                                              char              **reason,
                                              GError            **error);
gboolean      prism_device_open              (PrismDevice        *self,
                                              const PrismConfig  *config,
                                              guint               n_samples,
                                              gboolean            saves,
                                              PrismCache         *cache,
                                              GError            **error);
gboolean      prism_device_can_fall_back     (PrismDevice  *self,
                                              const GError *cause);
PrismBackend *prism_device_fall_back         (PrismDevice        *self,
                                              const PrismConfig  *config,
                                              const GError       *cause,
                                              GError            **error);
guint64       prism_device_get_cache_budget  (PrismDevice       *self,
                                              const PrismConfig *config,
                                              guint              n_samples);
void          prism_device_close             (PrismDevice *self,
                                              PrismCache  *cache);

G_END_DECLS
