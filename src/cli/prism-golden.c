#include "config.h"

#include "prism-golden.h"

#include "base/prism-error.h"
#include "device/prism-registry.h"
#include "model/prism-config-check.h"
#include "prism-check.h"

#include <math.h>
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

static gboolean
has_shape (const PrismNpy *array,
           PrismGoldenShape shape)
{
  return array->values != NULL && array->n_dims == shape.n_dims
         && memcmp (array->shape, shape.sizes, shape.n_dims * sizeof *shape.sizes) == 0;
}

static void
append_sizes (GString *text,
              int n_dims,
              const gsize *sizes)
{
  if (n_dims == 0)
    g_string_append (text, "a single number");
  for (int i = 0; i < n_dims; i++)
    g_string_append_printf (text, "%s%" G_GSIZE_FORMAT, i > 0 ? " × " : "", sizes[i]);
}

static gboolean
refuse_shape (PrismGolden *self,
              const char *key,
              const PrismNpy *array,
              PrismGoldenShape shape,
              GError **error)
{
  g_autoptr (GString) reason = g_string_new ("is ");

  if (array->values == NULL)
    g_string_append (reason, "text");
  else
    append_sizes (reason, array->n_dims, array->shape);
  g_string_append (reason, " instead of ");
  append_sizes (reason, shape.n_dims, shape.sizes);
  return refuse (self, key, reason->str, error);
}

/* Infinite for single precision, too, in which the engine computes. */
static gboolean
is_finite (const PrismNpy *array)
{
  for (gsize i = 0; array->values != NULL && i < array->n_values; i++)
    if (!isfinite ((float) array->values[i]))
      return FALSE;
  return TRUE;
}

/* Whatever the array's shape. */
static PrismNpy *
get_array (PrismGolden *self,
           const char *key,
           GError **error)
{
  g_autoptr (PrismNpy) array = NULL;

  if (!prism_npz_has (self->npz, key))
    {
      refuse (self, key, "is missing", error);
      return NULL;
    }
  array = prism_npz_get (self->npz, key, error);
  if (array == NULL)
    return NULL;
  if (!is_finite (array))
    {
      refuse (self, key, "has values that are not finite numbers", error);
      return NULL;
    }
  g_hash_table_add (self->used, g_strdup (key));
  return g_steal_pointer (&array);
}

/**
 * prism_golden_has_any:
 * @self: a golden file
 * @prefix: how the name of an array may begin
 *
 * Returns: whether the file has such an array
 */
gboolean
prism_golden_has_any (PrismGolden *self,
                      const char *prefix)
{
  g_auto (GStrv) keys = prism_npz_dup_keys (self->npz);

  for (char **key = keys; *key != NULL; key++)
    if (g_str_has_prefix (*key, prefix))
      return TRUE;
  return FALSE;
}

/**
 * prism_golden_get:
 * @self: a golden file
 * @key: name of an array
 * @shape: the shape that it must have
 * @error: return location
 *
 * Reads an array of finite numbers; the file is refused where it is missing or anything else.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_golden_get (PrismGolden *self,
                  const char *key,
                  PrismGoldenShape shape,
                  GError **error)
{
  g_autoptr (PrismNpy) array = get_array (self, key, error);

  if (array == NULL)
    return NULL;
  if (!has_shape (array, shape))
    {
      refuse_shape (self, key, array, shape, error);
      return NULL;
    }
  return g_steal_pointer (&array);
}

/**
 * prism_golden_get_plane:
 * @self: a golden file
 * @key: name of an array
 * @side: its rows and columns
 * @error: return location
 *
 * Reads a square of numbers as prism_golden_get() does.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_golden_get_plane (PrismGolden *self,
                        const char *key,
                        int side,
                        GError **error)
{
  return prism_golden_get (self, key, (PrismGoldenShape) { 2, { side, side } }, error);
}

/**
 * prism_golden_check_rest:
 * @self: a golden file, all its checks done
 * @error: return location
 *
 * Refuses a file with arrays that no check has read.
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: whether there are none
 */
gboolean
prism_golden_check_rest (PrismGolden *self,
                         GError **error)
{
  g_auto (GStrv) keys = prism_npz_dup_keys (self->npz);

  for (char **key = keys; *key != NULL; key++)
    if (!g_hash_table_remove (self->used, *key))
      return refuse (self, *key, "stands there twice or is nothing that could be checked", error);
  return TRUE;
}

static gboolean
set_parameter (PrismGolden *self,
               const char *key,
               const char *golden_key,
               GError **error)
{
  g_autoptr (PrismNpy) array = prism_golden_get (self, golden_key, (PrismGoldenShape) { 0 }, error);
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
  g_autoptr (PrismNpy) array = get_array (self, "config.edge", error);

  if (array == NULL)
    return FALSE;
  if (array->text == NULL || array->n_dims != 0
      || !prism_config_set_text (self->config, "edge", array->text, NULL))
    return refuse (self, "config.edge", "is neither “same” nor “valid”", error);
  return TRUE;
}

static PrismMask *
make_mask (PrismGolden *self,
           const char *golden_key,
           GError **error)
{
  g_autoptr (PrismNpy) center = NULL;
  PrismAperture aperture;

  center = prism_golden_get (self, golden_key, (PrismGoldenShape) { 1, { 2 } }, error);
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
  g_autoptr (PrismNpy) array = get_array (self, "fermat", error);
  g_autofree PrismPoint *points = NULL;

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
              int choice,
              int n_threads,
              GError **error)
{
  int n = self->config->image_size, m = self->config->object_size;
  g_autofree char *reason = NULL;
  g_autoptr (PrismNpy) object = NULL;
  prism_autofree_array float *amplitude = NULL;
  const PrismBackendOps *ops = prism_registry_choose (choice, &reason, error);
  PrismBackendSpec spec = { .image_size = n, .object_size = m, .n_threads = n_threads };

  if (ops == NULL || !prism_decoder_plan_init (&spec.decoder, n, m, self->config->edge, error))
    return FALSE;
  spec.n_slots = PRISM_GOLDEN_SLOT_FIRST_CENTER + self->centers->n_points;
  object = prism_golden_get_plane (self, "object", m, error);
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
 * @choice: the device to check, by its number in prism-device-list
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
                  int choice,
                  int n_threads,
                  GError **error)
{
  g_autoptr (PrismGolden) self = g_new0 (PrismGolden, 1);

  self->name = g_filename_display_name (path);
  self->checks = prism_check_list_new ();
  self->config = prism_config_new ();
  self->used = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
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
  g_hash_table_unref (self->used);
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

/* Weights in the layout of PyTorch, the latent vector as its map of 1×1. */
static PrismGoldenShape
get_parameter_shape (const PrismDecoderPlan *plan,
                     gsize offset,
                     gsize n_values)
{
  if (offset == 0)
    return (PrismGoldenShape) { 4, { 1, n_values, 1, 1 } };
  for (int i = 0; i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];
      gsize in = layer->in_channels, out = layer->out_channels, k = layer->kernel;

      if (layer->weight == offset && layer->kind == PRISM_LAYER_CONVOLVE)
        return (PrismGoldenShape) { 4, { out, in, k, k } };
      if (layer->weight == offset)
        return (PrismGoldenShape) { 4, { in, out, k, k } };
    }
  return (PrismGoldenShape) { 1, { n_values } };
}

static void
collect_array (const char *name,
               gsize offset,
               gsize n_values,
               gpointer data)
{
  Collection *collection = data;
  const PrismDecoderPlan *plan = &collection->golden->backend->spec.decoder;
  g_autofree char *key = g_strconcat (collection->prefix, "/", name, NULL);
  g_autoptr (PrismNpy) array = NULL;

  if (collection->error != NULL)
    return;
  array = prism_golden_get (collection->golden, key, get_parameter_shape (plan, offset, n_values),
                            &collection->error);
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
  int n = self->config->image_size;
  g_autoptr (PrismNpy) array = prism_golden_get_plane (self, key, n, error);
  g_autoptr (PrismBuffer) buffer = NULL;
  prism_autofree_array float *amplitude = NULL;
  double energy;

  if (array == NULL)
    return FALSE;
  amplitude = prism_npy_dup_floats (array);
  buffer = ops->load_buffer (self->backend, mask, amplitude, error);
  return buffer != NULL && ops->bind (self->backend, slot, mask, buffer, &energy, error);
}
