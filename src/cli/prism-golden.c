#include "config.h"

#include "prism-golden.h"

#include "base/prism-error.h"
#include "base/prism-number.h"
#include "device/prism-registry.h"
#include "model/prism-config-check.h"
#include "prism-cli-output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static gboolean
refuse (PrismGolden *self,
        const char *key,
        const char *reason,
        GError **error)
{
  return prism_error_format (error, "%s is no file of golden arrays: “%s” %s.", self->name, key,
                             reason);
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

static const char *const status_names[] = { "ok", "FAIL" };

static void
check_free (PrismCheck *check)
{
  g_free (check->name);
  g_free (check->detail);
  g_free (check);
}

/**
 * prism_check_list_new:
 *
 * Returns: (transfer full) (element-type PrismCheck): an empty list
 */
GPtrArray *
prism_check_list_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) check_free);
}

/**
 * prism_check_list_add:
 * @self: (element-type PrismCheck): a list
 * @name: what was checked
 * @error: how far off it is; not a number counts as failed
 * @tolerance: how far off it may be
 * @detail: what the error is relative to
 *
 * Adds a check and decides whether it is good.
 */
void
prism_check_list_add (GPtrArray *self,
                      const char *name,
                      double error,
                      double tolerance,
                      const char *detail)
{
  PrismCheck *check = g_new0 (PrismCheck, 1);

  check->name = g_strdup (name);
  check->detail = g_strdup (detail);
  check->error = error;
  check->tolerance = tolerance;
  check->status = error <= tolerance ? PRISM_CHECK_OK : PRISM_CHECK_FAILED;
  g_ptr_array_add (self, check);
}

/**
 * prism_check_list_count:
 * @self: (element-type PrismCheck): a list
 * @status: an outcome
 *
 * Returns: how many checks have that outcome
 */
guint
prism_check_list_count (GPtrArray *self,
                        PrismCheckStatus status)
{
  guint n = 0;

  for (guint i = 0; i < self->len; i++)
    n += ((PrismCheck *) self->pdata[i])->status == status;
  return n;
}

/**
 * prism_check_list_print:
 * @self: (element-type PrismCheck): a list
 *
 * Prints one line per check: outcome, name, error, tolerance, what the error is.
 */
void
prism_check_list_print (GPtrArray *self)
{
  for (guint i = 0; i < self->len; i++)
    {
      const PrismCheck *check = self->pdata[i];

      prism_cli_say ("  %-5s %-24s %9.2e  allowed %7.0e  %s",
                     status_names[check->status], check->name, check->error,
                     check->tolerance, check->detail);
    }
}

/**
 * prism_check_list_add_json:
 * @self: (element-type PrismCheck): a list
 * @builder: what writes JSON, inside an object
 *
 * Adds the list as the array "checks".
 */
void
prism_check_list_add_json (GPtrArray *self,
                           JsonBuilder *builder)
{
  prism_json_add (builder, "checks: [");
  for (guint i = 0; i < self->len; i++)
    {
      const PrismCheck *check = self->pdata[i];

      prism_json_add (builder, "{name: %s, status: %s, error: %g, tolerance: %g, detail: %s}",
                      check->name, status_names[check->status], check->error, check->tolerance,
                      check->detail);
    }
  prism_json_add (builder, "]");
}

/**
 * prism_check_get_error:
 * @values: (array length=n_values): what was computed
 * @expected: (array length=n_values): what it should be
 * @n_values: how many
 *
 * The largest difference, relative to the largest expected magnitude.
 *
 * Returns: the error, infinite as soon as one value of either is not finite
 */
double
prism_check_get_error (const float *values,
                       const double *expected,
                       gsize n_values)
{
  double difference = 0.0, largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      if (!isfinite (values[i]) || !isfinite (expected[i]))
        return INFINITY;
      difference = prism_worst (difference, fabs (values[i] - expected[i]));
      largest = prism_worst (largest, fabs (expected[i]));
    }
  return largest > 0.0 ? difference / largest : difference;
}

/**
 * prism_check_get_ratio:
 * @value: what was computed
 * @expected: what it should be
 *
 * The difference relative to what is expected, or the difference itself where that is 0.
 *
 * Returns: the error
 */
double
prism_check_get_ratio (double value,
                       double expected)
{
  return expected != 0.0 ? fabs (value - expected) / fabs (expected) : fabs (value);
}

/* n = image_size, m = object_size. */

#define N_PASSES 10

static gboolean
bind_centers (PrismGolden *self,
              GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, self->config);
  aperture.radius *= 2;
  for (guint i = 0; i < self->centers->n_points; i++)
    {
      const PrismPoint *point = &self->centers->points[i];
      g_autoptr (PrismMask) mask = NULL;
      g_autoptr (PrismBuffer) buffer = NULL;
      double energy;

      mask = prism_aperture_get_mask (&aperture, self->config->image_size, point->y, point->x);
      buffer = ops->measure (self->backend, mask, error);
      if (buffer == NULL
          || !ops->bind (self->backend, PRISM_GOLDEN_SLOT_FIRST_CENTER + i, mask, buffer, &energy,
                         error))
        return FALSE;
    }
  return TRUE;
}

/* The whole field [n][n], of which the object is the middle [m][m]; around it the support is 0. */
static gboolean
check_epie_image (PrismGolden *self,
                  const char *key,
                  GError **error)
{
  gsize n = self->config->image_size, m = self->config->object_size, low = (n - m) / 2;
  g_autoptr (PrismNpy) expected = prism_golden_get_plane (self, key, (int) n, error);
  g_autofree float *object = g_new (float, m *m);
  g_autofree float *field = g_new0 (float, n *n);

  if (expected == NULL)
    return FALSE;
  self->backend->ops->read_image (self->backend, PRISM_SOURCE_EPIE, object);
  for (gsize y = 0; y < m; y++)
    memcpy (field + (low + y) * n + low, object + y * m, m * sizeof *object);
  prism_check_list_add (self->checks, key, prism_check_get_error (field, expected->values, n * n),
                        1e-3, "relative to its maximum");
  return TRUE;
}

/**
 * prism_golden_check_epie:
 * @self: a golden file
 * @error: return location
 *
 * Checks ePIE from a blank image with apertures of twice the radius, after 1 and after 10 passes.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_epie (PrismGolden *self,
                         GError **error)
{
  const PrismBackendOps *ops = self->backend->ops;

  if (!bind_centers (self, error))
    return FALSE;
  ops->epie_start (self->backend, NULL);
  for (guint pass = 1; pass <= N_PASSES; pass++)
    {
      g_autofree char *key = g_strdup_printf ("epie/%u", pass);

      for (guint i = 0; i < self->centers->n_points; i++)
        ops->epie_update (self->backend, PRISM_GOLDEN_SLOT_FIRST_CENTER + i, 1.0);
      ops->epie_project (self->backend);
      if ((pass == 1 || pass == N_PASSES) && !check_epie_image (self, key, error))
        return FALSE;
    }
  return ops->finish (self->backend, error);
}

/* px: what metric.a and metric.b have in all golden files */
#define SIDE 200

static gboolean
check_metric (PrismGolden *self,
              const char *key,
              double value,
              GError **error)
{
  g_autoptr (PrismNpy) expected = prism_golden_get (self, key, (PrismGoldenShape) { 0 }, error);

  if (expected == NULL)
    return FALSE;
  prism_check_list_add (self->checks, key, prism_check_get_ratio (value, expected->values[0]), 1e-5,
                        "relative");
  return TRUE;
}

/**
 * prism_golden_check_metrics:
 * @self: a golden file
 * @error: return location
 *
 * Checks PSNR, SSIM, MS-SSIM and RMSE of two images.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_metrics (PrismGolden *self,
                            GError **error)
{
  g_autoptr (PrismNpy) a = prism_golden_get_plane (self, "metric.a", SIDE, error);
  g_autoptr (PrismNpy) b = NULL;
  prism_autofree_array float *image = NULL;
  prism_autofree_array float *object = NULL;
  PrismMetrics metrics;
  double ms_ssim;

  if (a == NULL)
    return FALSE;
  b = prism_golden_get_plane (self, "metric.b", SIDE, error);
  if (b == NULL)
    return FALSE;
  image = prism_npy_dup_floats (a);
  object = prism_npy_dup_floats (b);
  if (!prism_metrics_compute (&metrics, image, object, SIDE, SIDE, error)
      || !prism_metrics_compute_ms_ssim (&ms_ssim, image, object, SIDE, SIDE, error))
    return FALSE;
  return check_metric (self, "metric.psnr", metrics.psnr, error)
         && check_metric (self, "metric.ssim", metrics.ssim, error)
         && check_metric (self, "metric.ms_ssim", ms_ssim, error)
         && check_metric (self, "metric.rmse_percent", metrics.rmse, error);
}
