#include "config.h"

#include "backend/prism-device-counters.h"

#include "base/prism-text.h"

static const char *const kind_names[PRISM_N_TRANSFERS] = {
  [PRISM_TRANSFER_SETUP] = "setup",
  [PRISM_TRANSFER_MEASUREMENT] = "measurements",
  [PRISM_TRANSFER_STEP] = "steps",
  [PRISM_TRANSFER_FRAME] = "frames",
  [PRISM_TRANSFER_STATE] = "state",
};

/**
 * prism_device_counters_subtract:
 * @earlier: the same counters at an earlier time
 *
 * Leaves what was counted since then; the loss scale is the present one.
 */
void
prism_device_counters_subtract (PrismDeviceCounters *self,
                                const PrismDeviceCounters *earlier)
{
  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    {
      self->n_to_device[kind] -= earlier->n_to_device[kind];
      self->bytes_to_device[kind] -= earlier->bytes_to_device[kind];
      self->n_to_host[kind] -= earlier->n_to_host[kind];
      self->bytes_to_host[kind] -= earlier->bytes_to_host[kind];
    }
  self->n_steps -= earlier->n_steps;
  self->n_launches -= earlier->n_launches;
  self->n_captures -= earlier->n_captures;
  self->n_waits -= earlier->n_waits;
  self->n_overflows -= earlier->n_overflows;
}

/**
 * prism_device_counters_get_n:
 *
 * Returns: transfers of every kind, both ways
 */
guint64
prism_device_counters_get_n (const PrismDeviceCounters *self)
{
  guint64 n = 0;

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    n += self->n_to_device[kind] + self->n_to_host[kind];
  return n;
}

/**
 * prism_device_counters_get_bytes:
 *
 * Returns: bytes of every kind, both ways
 */
guint64
prism_device_counters_get_bytes (const PrismDeviceCounters *self)
{
  guint64 bytes = 0;

  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    bytes += self->bytes_to_device[kind] + self->bytes_to_host[kind];
  return bytes;
}

static void
add_transfers (JsonBuilder *builder,
               const char *name,
               const guint64 *n,
               const guint64 *bytes)
{
  prism_json_add (builder, "%s: {", name);
  for (int kind = 0; kind < PRISM_N_TRANSFERS; kind++)
    {
      prism_json_add (builder, "%s: {transfers: %lu, bytes: %lu}", kind_names[kind], n[kind],
                      bytes[kind]);
    }
  prism_json_add (builder, "}");
}

/**
 * prism_device_counters_add_json:
 * @builder: what writes JSON, inside an object
 *
 * Adds the object "counters".
 */
void
prism_device_counters_add_json (const PrismDeviceCounters *self,
                                JsonBuilder *builder)
{
  prism_json_add (builder,
                  "counters: {steps: %lu, graph_launches: %lu, graph_captures: %lu, waits: %lu, "
                  "loss_scale: %g, overflowed_steps: %lu",
                  self->n_steps, self->n_launches, self->n_captures, self->n_waits,
                  self->loss_scale, self->n_overflows);
  add_transfers (builder, "to_device", self->n_to_device, self->bytes_to_device);
  add_transfers (builder, "to_host", self->n_to_host, self->bytes_to_host);
  prism_json_add (builder, "}");
}
