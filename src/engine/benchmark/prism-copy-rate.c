#include "config.h"

#include "benchmark/prism-copy-rate.h"

#include "base/prism-error.h"
#include "base/prism-json.h"
#include "base/prism-sort.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#define MIB ((guint64) 1 << 20)
#define ENOUGH (1024 * MIB) /* bytes of all copies of a kind that are timed */
#define LEAST 8             /* copies */
#define MOST 64

static const struct
{
  const char *id;
  const char *label;
} kinds[PRISM_N_COPIES] = {
  [PRISM_COPY_UPLOAD_PINNED] = { "upload_pinned", N_ ("Up, pinned") },
  [PRISM_COPY_UPLOAD_PAGEABLE] = { "upload_pageable", N_ ("Up, pageable") },
  [PRISM_COPY_DOWNLOAD_PINNED] = { "download_pinned", N_ ("Down, pinned") },
  [PRISM_COPY_DOWNLOAD_PAGEABLE] = { "download_pageable", N_ ("Down, pageable") },
};

/**
 * prism_copy_kind_get_label:
 * @kind: which way, and what kind of host memory
 *
 * Returns: (transfer none): two words, to be translated
 */
const char *
prism_copy_kind_get_label (PrismCopyKind kind)
{
  return kinds[kind].label;
}

static gboolean
measure_kind (PrismCopyRate *self,
              const PrismBackendOps *ops,
              PrismCopyKind kind,
              char **device,
              GError **error)
{
  const guint n = (guint) CLAMP (ENOUGH / self->n_bytes, LEAST, MOST);
  double seconds[MOST];
  g_autofree char *name = NULL;

  if (!ops->time_copies (kind, self->n_bytes, n, seconds, &name, error))
    return FALSE;
  prism_sort_doubles (seconds, n);
  self->rates[kind] = (double) self->n_bytes / MAX (seconds[n / 10], 1e-9);
  g_free (*device);
  *device = g_steal_pointer (&name);
  return TRUE;
}

/**
 * prism_copy_rate_measure:
 * @self: (out): what was found
 * @ops: a device
 * @n_mib: size of a copy in MiB, 1…4096
 * @device: (out) (transfer full): its name
 * @error: return location
 *
 * Times some copies of each kind. The one that is slower than a tenth of them counts, as with
 * steps: most others say what else went on.
 *
 * Errors: PRISM_ERROR_BACKEND where nothing is copied, PRISM_ERROR_MEMORY,
 * PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether all were timed
 */
gboolean
prism_copy_rate_measure (PrismCopyRate *self,
                         const PrismBackendOps *ops,
                         guint n_mib,
                         char **device,
                         GError **error)
{
  g_return_val_if_fail (n_mib >= 1 && n_mib <= PRISM_COPY_RATE_MOST_MIB, FALSE);

  *self = (PrismCopyRate) { .n_bytes = n_mib * MIB };
  *device = NULL;
  if (ops->time_copies == NULL)
    {
      g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                           _ ("The processor works in its own memory: nothing is copied."));
      return FALSE;
    }
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    if (!measure_kind (self, ops, kind, device, error))
      {
        g_clear_pointer (device, g_free);
        return FALSE;
      }
  return TRUE;
}

/**
 * prism_copy_rate_dup_number:
 * @rate: bytes/s
 *
 * Returns: (transfer full): GB/s with three digits, without the unit
 */
char *
prism_copy_rate_dup_number (double rate)
{
  const double gigabytes = 1e-9 * rate;

  return g_strdup_printf ("%.*f", gigabytes < 9.995 ? 2 : gigabytes < 99.95 ? 1
                                                                            : 0,
                          gigabytes);
}

/**
 * prism_copy_rate_add_json:
 * @self: what was found
 * @builder: what writes JSON, inside an object
 *
 * Units: bytes/s.
 */
void
prism_copy_rate_add_json (const PrismCopyRate *self, JsonBuilder *builder)
{
  prism_json_add_integer (builder, "bytes", (gint64) self->n_bytes);
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      g_autofree char *name = g_strdup_printf ("%s_bytes_per_second", kinds[kind].id);

      prism_json_add_number (builder, name, self->rates[kind]);
    }
}

/**
 * prism_copy_rate_read:
 * @self: (out): what was found
 * @object: that prism_copy_rate_add_json() has filled
 *
 * Returns: whether all of it is there
 */
gboolean
prism_copy_rate_read (PrismCopyRate *self, JsonObject *object)
{
  const double n_bytes = prism_json_get_number (object, "bytes");

  if (!(n_bytes >= 1.0 && n_bytes <= (double) PRISM_COPY_RATE_MOST_MIB * MIB))
    return FALSE;
  self->n_bytes = (guint64) n_bytes;
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      g_autofree char *name = g_strdup_printf ("%s_bytes_per_second", kinds[kind].id);

      self->rates[kind] = prism_json_get_number (object, name);
      if (!isfinite (self->rates[kind]) || self->rates[kind] <= 0.0)
        return FALSE;
    }
  return TRUE;
}
