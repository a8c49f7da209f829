#include "config.h"

#include "prism-golden.h"

#include "prism-check.h"
#include "prism-error.h"

#include <string.h>

static gboolean
refuse (PrismGolden *self,
        const char *key,
        const char *reason,
        GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "%s is no file of golden arrays: “%s” %s.", self->name, key, reason);
  return FALSE;
}

/**
 * prism_golden_has:
 * @self: a golden file
 * @key: name of an array
 *
 * Returns: whether the file has the array
 */
gboolean
prism_golden_has (PrismGolden *self,
                  const char *key)
{
  return prism_npz_has (self->npz, key);
}

/**
 * prism_golden_get:
 * @self: a golden file
 * @key: name of an array
 * @n_values: how many values it must have
 * @error: return location
 *
 * Reads an array of numbers and checks its size.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_golden_get (PrismGolden *self,
                  const char *key,
                  gsize n_values,
                  GError **error)
{
  g_autoptr (PrismNpy) array = prism_npz_get (self->npz, key, error);

  if (array == NULL)
    return NULL;
  if (array->values == NULL || array->n_values != n_values)
    {
      g_autofree char *reason = NULL;

      reason = g_strdup_printf ("has %" G_GSIZE_FORMAT " values instead of %" G_GSIZE_FORMAT,
                                array->n_values, n_values);
      refuse (self, key, reason, error);
      return NULL;
    }
  return g_steal_pointer (&array);
}

static gboolean
set_parameter (PrismGolden *self,
               const char *key,
               const char *golden_key,
               GError **error)
{
  g_autoptr (PrismNpy) array = prism_golden_get (self, golden_key, 1, error);
  const PrismParam *param = prism_config_get_param (key);

  if (array == NULL)
    return FALSE;
  if (!prism_config_set_number (self->config, param, array->values[0], NULL))
    return refuse (self, golden_key, "is out of range", error);
  return TRUE;
}

static gboolean
set_edge (PrismGolden *self,
          GError **error)
{
  g_autoptr (PrismNpy) array = prism_npz_get (self->npz, "config.edge", error);

  if (array == NULL)
    return FALSE;
  if (array->text == NULL || !prism_config_set_text (self->config, "edge", array->text, NULL))
    return refuse (self, "config.edge", "is neither “same” nor “valid”", error);
  return TRUE;
}

static PrismMask *
make_mask (PrismGolden *self,
           const char *golden_key,
           GError **error)
{
  g_autoptr (PrismNpy) center = prism_golden_get (self, golden_key, 2, error);
  PrismAperture aperture;

  if (center == NULL)
    return NULL;
  prism_aperture_init_config (&aperture, self->config);
  return prism_aperture_get_mask (&aperture, self->config->image_size, center->values[0],
                                  center->values[1]);
}

static gboolean
load_centers (PrismGolden *self,
              GError **error)
{
  g_autoptr (PrismNpy) array = NULL;
  g_autofree PrismPoint *points = NULL;

  if (!prism_golden_has (self, "fermat"))
    return TRUE;
  array = prism_npz_get (self->npz, "fermat", error);
  if (array == NULL)
    return FALSE;
  if (array->n_dims != 2 || array->shape[1] != 2 || array->shape[0] < 1 || array->shape[0] > 100000)
    return refuse (self, "fermat", "is no list of points", error);

  points = g_new (PrismPoint, array->shape[0]);
  for (gsize i = 0; i < array->shape[0]; i++)
    points[i] = (PrismPoint) { array->values[2 * i], array->values[2 * i + 1] };
  self->centers = prism_pattern_new_points (points, (guint) array->shape[0]);
  self->config->samples = (int) array->shape[0];
  return TRUE;
}

static gboolean
load_config (PrismGolden *self,
             GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (!set_parameter (self, "image_size", "config.image", error)
      || !set_parameter (self, "object_size", "config.object", error)
      || !set_parameter (self, "aperture_radius", "config.radius", error)
      || !set_edge (self, error))
    return FALSE;
  if (!prism_config_check (self->config, &reason))
    return refuse (self, "config.*", reason->message, error);

  self->old_mask = make_mask (self, "config.old_center", error);
  if (self->old_mask == NULL)
    return FALSE;
  self->new_mask = make_mask (self, "config.new_center", error);
  return self->new_mask != NULL && load_centers (self, error);
}

static gboolean
open_backend (PrismGolden *self,
              PrismBackendChoice choice,
              int n_threads,
              GError **error)
{
  int n = self->config->image_size, m = self->config->object_size;
  g_autofree char *reason = NULL;
  g_autoptr (PrismNpy) object = NULL;
  prism_autofree_array float *amplitude = NULL;
  const PrismBackendOps *ops = prism_backend_get_choice (choice, &reason, error);
  PrismBackendSpec spec = { .image_size = n, .object_size = m, .n_threads = n_threads };

  if (ops == NULL || !prism_decoder_plan_init (&spec.decoder, n, m, self->config->edge, error))
    return FALSE;
  spec.n_slots = PRISM_GOLDEN_SLOT_FIRST_CENTER;
  if (self->centers != NULL)
    spec.n_slots += self->centers->n_points;
  object = prism_golden_get (self, "object", (gsize) m * m, error);
  if (object == NULL)
    return FALSE;
  self->backend = ops->open (&spec, error);
  if (self->backend == NULL)
    return FALSE;
  amplitude = prism_npy_dup_floats (object);
  return ops->set_object (self->backend, amplitude, error);
}

/**
 * prism_golden_new:
 * @path: a .npz file
 * @choice: the device to check
 * @n_threads: worker threads, 0 for the device's own choice
 * @error: return location
 *
 * Opens a golden file and a device with its object.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: (transfer full) (nullable): the file, with no check done yet
 */
PrismGolden *
prism_golden_new (const char *path,
                  PrismBackendChoice choice,
                  int n_threads,
                  GError **error)
{
  g_autoptr (PrismGolden) self = g_new0 (PrismGolden, 1);

  self->name = g_filename_display_name (path);
  self->checks = prism_check_list_new ();
  self->config = prism_config_new ();
  self->npz = prism_npz_load (path, error);
  if (self->npz == NULL || !load_config (self, error)
      || !open_backend (self, choice, n_threads, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_golden_free:
 * @self: (nullable): a golden file
 *
 * Closes the file and the device.
 */
void
prism_golden_free (PrismGolden *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->backend, prism_backend_free);
  g_clear_pointer (&self->old_mask, prism_mask_unref);
  g_clear_pointer (&self->new_mask, prism_mask_unref);
  g_clear_pointer (&self->centers, prism_pattern_unref);
  g_clear_pointer (&self->npz, prism_npz_free);
  g_clear_pointer (&self->config, prism_config_free);
  g_ptr_array_unref (self->checks);
  g_free (self->name);
  g_free (self);
}

typedef struct
{
  PrismGolden *golden;
  const char *prefix;
  float *parameters; /* [P] */
  GError *error;     /* (nullable): the first one */
} Collection;

static void
collect_array (const char *name,
               gsize offset,
               gsize n_values,
               gpointer data)
{
  Collection *collection = data;
  g_autofree char *key = g_strconcat (collection->prefix, "/", name, NULL);
  g_autoptr (PrismNpy) array = NULL;

  if (collection->error != NULL)
    return;
  array = prism_golden_get (collection->golden, key, n_values, &collection->error);
  for (gsize i = 0; array != NULL && i < n_values; i++)
    collection->parameters[offset + i] = (float) array->values[i];
}

/**
 * prism_golden_dup_parameters:
 * @self: a golden file
 * @prefix: "init", "final" or "grad.LOSS"
 * @error: return location
 *
 * Reads one value per parameter of the decoder.
 *
 * Shape: [P] in the engine's order.
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the values
 */
float *
prism_golden_dup_parameters (PrismGolden *self,
                             const char *prefix,
                             GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *parameters = g_try_new0 (float, plan->n_parameters);
  Collection collection = { self, prefix, parameters, NULL };

  if (parameters == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "Not enough memory for %" G_GSIZE_FORMAT " parameters.", plan->n_parameters);
      return NULL;
    }
  prism_decoder_plan_foreach (plan, collect_array, &collection);
  if (collection.error != NULL)
    {
      g_propagate_error (error, collection.error);
      return NULL;
    }
  return g_steal_pointer (&parameters);
}

/**
 * prism_golden_bind:
 * @self: a golden file
 * @slot: where to bind it
 * @mask: the aperture
 * @key: a detector image [n][n] of the file
 * @error: return location
 *
 * Makes a detector image of the file a target on the device.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is bound
 */
gboolean
prism_golden_bind (PrismGolden *self,
                   guint slot,
                   const PrismMask *mask,
                   const char *key,
                   GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) array = prism_golden_get (self, key, n * n, error);
  g_autoptr (PrismBuffer) buffer = NULL;
  prism_autofree_array float *amplitude = NULL;
  double energy;

  if (array == NULL)
    return FALSE;
  amplitude = prism_npy_dup_floats (array);
  buffer = ops->load_buffer (self->backend, mask, amplitude, error);
  return buffer != NULL && ops->bind (self->backend, slot, mask, buffer, &energy, error);
}
