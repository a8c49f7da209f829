#include "config.h"

#include "prism-golden.h"

#include "backend/prism-backend.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "device/prism-registry.h"
#include "formats/prism-npy.h"
#include "model/prism-config-check.h"
#include "model/prism-pattern.h"
#include "prism-cli-output.h"

/* n = image_size, m = object_size, P = parameters. */

#define TOLERANCE 1e-5
#define N_STEPS 10              /* of Adam */
#define ADAM_LEARNING_RATE 1e-3 /* where the file has no adam.learning_rate */
#define N_PASSES 10             /* of ePIE */
#define METRIC_SIDE 200         /* px: what metric.a and metric.b have in all golden files */
#define MOST_CENTERS 100000

enum
{
  SLOT_NEW,
  SLOT_OLD,
  SLOT_FIRST_CENTER,
};

typedef struct
{
  char *name;   /* "gradient l1" */
  char *detail; /* what the error is relative to */
  double error;
  double tolerance;
  gboolean failed;
} Check;

/* A file, and a device opened for it. */
typedef struct
{
  PrismNpz *npz;
  char *name; /* of the file, for messages */
  PrismConfig *config;
  PrismBackend *backend;
  const PrismBackendOps *ops;
  gsize n, m;
  PrismMask *old_mask;
  PrismMask *new_mask;
  PrismPattern *centers; /* of fermat */
  GHashTable *arrays;    /* of PrismNpy by their keys: what was read; NULL where it was dropped */
  GPtrArray *checks;     /* of Check */
  GError *error;         /* (nullable): the first one, after which nothing is read or done */
} Golden;

static void
free_check (gpointer data)
{
  Check *check = data;

  g_free (check->name);
  g_free (check->detail);
  g_free (check);
}

static void
golden_clear (Golden *self)
{
  g_clear_pointer (&self->backend, prism_backend_free);
  g_clear_pointer (&self->old_mask, prism_mask_unref);
  g_clear_pointer (&self->new_mask, prism_mask_unref);
  g_clear_pointer (&self->centers, prism_pattern_unref);
  g_clear_pointer (&self->npz, prism_npz_free);
  prism_config_free (self->config);
  g_hash_table_unref (self->arrays);
  g_ptr_array_unref (self->checks);
  g_free (self->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Golden, golden_clear)

static void
refuse (Golden *self,
        const char *key,
        const char *reason)
{
  if (self->error == NULL)
    prism_error_format (&self->error, "%s is no file of golden arrays: “%s” %s.", self->name, key,
                        reason);
}

/* Of finite numbers or text. Infinite for single precision, too, in which the engine computes. */
static const PrismNpy *
read_array (Golden *self,
            const char *key)
{
  PrismNpy *array = g_hash_table_lookup (self->arrays, key);

  if (self->error != NULL || array != NULL)
    return array;
  if (!prism_npz_has (self->npz, key))
    refuse (self, key, "is missing");
  else
    array = prism_npz_get (self->npz, key, &self->error);
  if (array == NULL)
    return NULL;
  g_hash_table_insert (self->arrays, g_strdup (key), array);
  for (gsize i = 0; array->values != NULL && i < array->n_values; i++)
    if (!isfinite ((float) array->values[i]))
      refuse (self, key, "has values that are not finite numbers");
  return array;
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

/* (nullable): numbers of that shape; without an error there are some */
static const double *
get (Golden *self,
     const char *key,
     int n_dims,
     const gsize *sizes)
{
  const PrismNpy *array = read_array (self, key);
  g_autoptr (GString) reason = g_string_new ("is ");

  if (array == NULL || self->error != NULL)
    return NULL;
  if (array->values != NULL && array->n_dims == n_dims
      && (n_dims == 0 || memcmp (array->shape, sizes, (gsize) n_dims * sizeof *sizes) == 0))
    return array->values;
  if (array->values == NULL)
    g_string_append (reason, "text");
  else
    append_sizes (reason, array->n_dims, array->shape);
  g_string_append (reason, " instead of ");
  append_sizes (reason, n_dims, sizes);
  refuse (self, key, reason->str);
  return NULL;
}

static const double *
get_plane (Golden *self,
           const char *key,
           gsize side)
{
  return get (self, key, 2, (const gsize[]) { side, side });
}

static float *
dup_plane (Golden *self,
           const char *key,
           gsize side)
{
  const double *values = get_plane (self, key, side);
  float *plane = values != NULL ? g_new (float, side *side) : NULL;

  for (gsize i = 0; plane != NULL && i < side * side; i++)
    plane[i] = (float) values[i];
  return plane;
}

static gboolean
has_any (Golden *self,
         const char *prefix)
{
  g_auto (GStrv) keys = prism_npz_dup_keys (self->npz);

  for (char **key = keys; *key != NULL; key++)
    if (g_str_has_prefix (*key, prefix))
      return TRUE;
  return FALSE;
}

/* error: how far off it is; what is no number has failed */
static void
add_check (Golden *self,
           const char *name,
           double error,
           double tolerance,
           const char *detail)
{
  Check *check = g_new (Check, 1);

  *check = (Check) { g_strdup (name), g_strdup (detail), error, tolerance, !(error <= tolerance) };
  g_ptr_array_add (self->checks, check);
}

/* The largest difference, relative to the largest expected magnitude; infinite as soon as one value
 * of either is not finite. */
static double
get_error (const float *values,
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

static double
get_ratio (double value,
           double expected)
{
  return expected != 0.0 ? fabs (value - expected) / fabs (expected) : fabs (value);
}

static void
check_plane (Golden *self,
             const char *name,
             const float *values,
             const char *key,
             gsize side,
             double tolerance,
             const char *detail)
{
  const double *expected = get_plane (self, key, side);

  if (expected != NULL)
    add_check (self, name, get_error (values, expected, side * side), tolerance, detail);
}

static PrismMask *
make_mask (Golden *self,
           const char *key)
{
  const double *center = get (self, key, 1, (const gsize[]) { 2 });
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, self->config);
  return center != NULL ? prism_aperture_get_mask (&aperture, (int) self->n, center[0], center[1])
                        : NULL;
}

static void
read_config (Golden *self)
{
  static const char *const keys[][2] = { { "config.image", "image_size" },
                                         { "config.object", "object_size" },
                                         { "config.radius", "aperture_radius" } };
  g_autoptr (GError) reason = NULL;
  g_autofree PrismPoint *points = NULL;
  const PrismNpy *edge, *centers;

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const double *value = get (self, keys[i][0], 0, NULL);
      const PrismParam *param = prism_config_get_param (keys[i][1]);

      if (value != NULL && !prism_config_set_number (self->config, param, *value, NULL))
        refuse (self, keys[i][0], "is out of range");
    }
  edge = read_array (self, "config.edge");
  if (self->error == NULL
      && (edge->text == NULL || edge->n_dims != 0
          || !prism_config_set_text (self->config, "edge", edge->text, NULL)))
    refuse (self, "config.edge", "is neither “same” nor “valid”");
  if (self->error == NULL && !prism_config_check (self->config, &reason))
    refuse (self, "config.*", reason->message);
  self->n = (gsize) self->config->image_size;
  self->m = (gsize) self->config->object_size;
  self->old_mask = make_mask (self, "config.old_center");
  self->new_mask = make_mask (self, "config.new_center");
  centers = read_array (self, "fermat");
  if (self->error == NULL
      && (centers->n_dims != 2 || centers->shape[1] != 2 || centers->shape[0] < 1
          || centers->shape[0] > MOST_CENTERS))
    refuse (self, "fermat", "is no list of points");
  if (self->error != NULL)
    return;
  points = g_new (PrismPoint, centers->shape[0]);
  for (gsize i = 0; i < centers->shape[0]; i++)
    points[i] = (PrismPoint) { centers->values[2 * i], centers->values[2 * i + 1] };
  self->centers = prism_pattern_new_points (points, (guint) centers->shape[0]);
  self->config->samples = (int) centers->shape[0];
}

/* choice: the device, by its number in prism-device-list */
static void
open_backend (Golden *self,
              int choice,
              int n_threads)
{
  g_autofree char *reason = NULL;
  g_autofree float *object = dup_plane (self, "object", self->m);
  PrismBackendSpec spec = { .image_size = (int) self->n,
                            .object_size = (int) self->m,
                            .n_threads = n_threads };

  if (object == NULL)
    return;
  spec.n_slots = SLOT_FIRST_CENTER + self->centers->n_points;
  self->ops = prism_registry_choose (choice, &reason, &self->error);
  if (self->ops != NULL
      && prism_decoder_plan_init (&spec.decoder, spec.image_size, spec.object_size,
                                  self->config->edge, &self->error))
    self->backend = self->ops->open (&spec, &self->error);
  if (self->backend != NULL)
    self->ops->set_object (self->backend, object, &self->error);
}

/* The object through mask, or the file's own detector image there and back, against an array of the
 * file, which is an intensity with square set. */
static void
check_measurement (Golden *self,
                   const char *name,
                   const char *key,
                   const PrismMask *mask,
                   gboolean square,
                   gboolean loads)
{
  const gsize n_pixels = self->n * self->n;
  g_autofree float *amplitude = dup_plane (self, key, self->n);
  g_autofree float *values = g_new0 (float, n_pixels);
  g_autoptr (PrismBuffer) buffer = NULL;

  if (amplitude == NULL)
    return;
  buffer = loads ? self->ops->load_buffer (self->backend, mask, amplitude, &self->error)
                 : self->ops->measure (self->backend, mask, &self->error);
  if (buffer == NULL)
    return;
  self->ops->read_buffer (self->backend, buffer, mask, values);
  for (gsize i = 0; square && i < n_pixels; i++)
    values[i] *= values[i];
  check_plane (self, name, values, key, self->n, loads ? 0 : TOLERANCE,
               loads ? "a detector image to the device and back" : "relative to its maximum");
}

/* Masks, pattern, spectrum and measurements of the object. */
static void
check_optics (Golden *self)
{
  const gsize n = self->n, n_pixels = n * n;
  const double *spectrum = get (self, "spectrum", 3, (const gsize[]) { n, n, 2 });
  g_autoptr (PrismPattern) pattern = NULL;
  g_autofree float *values = g_new0 (float, n_pixels);
  g_autofree double *magnitude = g_new (double, n_pixels);
  double largest = 0.0;

  for (int k = 0; k < 2; k++)
    {
      const char *key = k == 0 ? "pupil.old" : "pupil.new";
      const double *expected = get_plane (self, key, n);
      g_autofree guint8 *plane = g_new0 (guint8, n_pixels);
      gsize n_wrong = 0;

      prism_mask_accumulate (k == 0 ? self->old_mask : self->new_mask, plane);
      for (gsize i = 0; expected != NULL && i < n_pixels; i++)
        n_wrong += plane[i] != expected[i];
      add_check (self, key, n_wrong, 0, "pixels that differ");
    }
  if (self->error == NULL)
    pattern = prism_pattern_new (self->config, &self->error);
  if (pattern == NULL)
    return;
  if (pattern->n_points != self->centers->n_points)
    largest = INFINITY;
  for (guint i = 0; i < MIN (pattern->n_points, self->centers->n_points); i++)
    {
      const PrismPoint *a = &pattern->points[i], *b = &self->centers->points[i];

      largest = prism_worst (largest, hypot (a->y - b->y, a->x - b->x));
    }
  add_check (self, "fermat", largest, 1e-9, "largest distance, px");
  for (gsize i = 0; i < n_pixels; i++)
    magnitude[i] = hypot (spectrum[2 * i], spectrum[2 * i + 1]);
  self->ops->get_spectrum (self->backend, values);
  add_check (self, "spectrum", get_error (values, magnitude, n_pixels), TOLERANCE,
             "|E|, relative to its maximum");
  check_measurement (self, "amplitude.new", "amplitude.new", self->new_mask, FALSE, FALSE);
  check_measurement (self, "intensity.new", "intensity.new", self->new_mask, TRUE, FALSE);
  check_measurement (self, "amplitude.old.of_object", "amplitude.old.of_object", self->old_mask,
                     FALSE, FALSE);
  check_measurement (self, "load and read", "held", self->old_mask, FALSE, TRUE);
}

/* What is done with each array of the decoder's parameters. */
typedef struct
{
  Golden *golden;
  const char *prefix;
  float *expected;     /* [P] */
  const float *values; /* [P] */
  const float *start;  /* (nullable) [P]: paths are compared */
  double error;        /* of the worst array so far */
  char worst[32];      /* its name */
  guint n_arrays;
} Parameters;

/* Weights in the layout of PyTorch, the latent vector as its map of 1×1. */
static void
read_parameters (const char *name,
                 gsize offset,
                 gsize n_values,
                 gpointer data)
{
  Parameters *self = data;
  const PrismDecoderPlan *plan = &self->golden->backend->spec.decoder;
  g_autofree char *key = g_strconcat (self->prefix, "/", name, NULL);
  gsize sizes[4] = { n_values };
  int n_dims = offset == 0 ? 4 : 1;
  const double *array;

  if (offset == 0)
    memcpy (sizes, (const gsize[]) { 1, n_values, 1, 1 }, sizeof sizes);
  for (int i = 0; offset > 0 && i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];
      const gsize in = layer->in_channels, out = layer->out_channels, k = layer->kernel;
      const gboolean convolves = layer->kind == PRISM_LAYER_CONVOLVE;

      if (layer->weight != offset)
        continue;
      n_dims = 4;
      memcpy (sizes, (const gsize[]) { convolves ? out : in, convolves ? in : out, k, k },
              sizeof sizes);
    }
  array = get (self->golden, key, n_dims, sizes);
  for (gsize i = 0; array != NULL && i < n_values; i++)
    self->expected[offset + i] = (float) array[i];
  /* They are large, and seldom wanted again. */
  if (array != NULL)
    g_hash_table_insert (self->golden->arrays, g_steal_pointer (&key), NULL);
}

/* (nullable) [P] in the engine's order; prefix: "init", "final" or "grad.LOSS" */
static float *
dup_parameters (Golden *self,
                const char *prefix)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *values = g_try_new0 (float, plan->n_parameters);
  Parameters parameters = { .golden = self, .prefix = prefix, .expected = values };

  if (values == NULL && self->error == NULL)
    prism_error_memory (&self->error,
                        "Not enough memory for %" G_GSIZE_FORMAT " parameters.",
                        plan->n_parameters);
  if (self->error == NULL)
    prism_decoder_plan_foreach (plan, read_parameters, &parameters);
  return self->error == NULL ? g_steal_pointer (&values) : NULL;
}

/* The largest difference of an array; of paths ‖p - p'‖ / ‖p' - p₀‖: how far the end of the path is
 * off, relative to the path's length. */
static void
compare_parameters (const char *name,
                    gsize offset,
                    gsize n_values,
                    gpointer data)
{
  Parameters *self = data;
  g_autofree double *expected = g_new (double, n_values);
  double difference = 0.0, path = 0.0, error;

  for (gsize i = 0; i < n_values; i++)
    {
      const double off = (double) self->values[offset + i] - self->expected[offset + i];

      expected[i] = self->expected[offset + i];
      difference += off * off;
      if (self->start != NULL)
        path += (expected[i] - self->start[offset + i]) * (expected[i] - self->start[offset + i]);
    }
  error = self->start != NULL ? sqrt (difference / path)
                              : get_error (self->values + offset, expected, n_values);
  error = prism_worst (self->error, error);
  if (self->n_arrays++ == 0 || error > self->error)
    {
      self->error = error;
      g_strlcpy (self->worst, name, sizeof self->worst);
    }
}

static void
check_parameters (Golden *self,
                  const char *name,
                  const char *prefix,
                  const char *start,
                  double tolerance,
                  const char *relative)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *expected = dup_parameters (self, prefix);
  g_autofree float *from = start != NULL ? dup_parameters (self, start) : NULL;
  g_autofree float *values = g_new (float, plan->n_parameters);
  g_autofree char *detail = NULL;
  Parameters parameters = { .expected = expected, .values = values, .start = from };

  if (self->error != NULL)
    return;
  (start != NULL ? self->ops->get_parameters : self->ops->get_gradient) (self->backend, values);
  prism_decoder_plan_foreach (plan, compare_parameters, &parameters);
  detail = g_strdup_printf ("worst of %u arrays (%s)%s", parameters.n_arrays, parameters.worst,
                            relative);
  add_check (self, name, parameters.error, tolerance, detail);
}

static void
reset_decoder (Golden *self)
{
  g_autofree float *parameters = dup_parameters (self, "init");

  if (parameters == NULL)
    return;
  self->ops->set_parameters (self->backend, parameters);
  self->ops->reset_optimizer (self->backend);
}

static void
check_image (Golden *self,
             const char *key,
             const char *name,
             double tolerance)
{
  g_autofree float *values = g_new (float, self->m * self->m);

  if (self->error != NULL)
    return;
  self->ops->forward (self->backend);
  self->ops->read_image (self->backend, PRISM_SOURCE_DECODER, values);
  check_plane (self, name, values, key, self->m, tolerance,
               "decoder output, relative to its maximum");
}

static void
bind (Golden *self,
      guint slot,
      const PrismMask *mask,
      const char *key)
{
  g_autofree float *amplitude = dup_plane (self, key, self->n);
  g_autoptr (PrismBuffer) buffer = NULL;
  double energy;

  if (amplitude != NULL)
    buffer = self->ops->load_buffer (self->backend, mask, amplitude, &self->error);
  if (buffer != NULL)
    self->ops->bind (self->backend, slot, mask, buffer, &energy, &self->error);
}

static PrismStep
make_step (PrismLossKind kind)
{
  return (PrismStep) {
    .loss = kind,
    .domain = PRISM_DOMAIN_AMPLITUDE,
    .normalise = TRUE,
    .new_term = { SLOT_NEW, 1.0f },
    .n_old = 1,
    .old_terms = { { SLOT_OLD, 1.0f } },
    .learning_rate = ADAM_LEARNING_RATE,
  };
}

/* Files have the losses that their writer asked for, each with its gradient; l1 always: it
 * trains. */
static void
check_loss (Golden *self,
            const char *loss,
            PrismLossKind kind)
{
  g_autofree char *key = g_strconcat ("loss.", loss, NULL);
  g_autofree char *prefix = g_strconcat ("grad.", loss, NULL);
  g_autofree char *below = g_strconcat (prefix, "/", NULL);
  g_autofree char *name_old = g_strdup_printf ("loss %s old", loss);
  g_autofree char *name_new = g_strdup_printf ("loss %s new", loss);
  g_autofree char *name = g_strdup_printf ("gradient %s", loss);
  PrismStep step = make_step (kind);
  PrismStepResult result;
  const double *expected;

  if (!g_str_equal (loss, "l1") && !has_any (self, key) && !has_any (self, below))
    return;
  expected = get (self, key, 1, (const gsize[]) { 2 });
  if (expected == NULL)
    return;
  self->ops->compute_gradient (self->backend, &step, &result);
  add_check (self, name_old, get_ratio (result.loss_old, expected[0]), TOLERANCE, "relative");
  add_check (self, name_new, get_ratio (result.loss_new, expected[1]), TOLERANCE, "relative");
  check_parameters (self, name, prefix, NULL, 1e-4, ", relative to its maximum");
}

/* The decoder's output, and the losses and gradients that it has through the telescope. */
static void
check_decoder (Golden *self)
{
  const PrismChoice *choices = prism_config_get_param ("loss")->choices;

  reset_decoder (self);
  check_image (self, "out", "forward", TOLERANCE);
  bind (self, SLOT_OLD, self->old_mask, "held");
  bind (self, SLOT_NEW, self->new_mask, "amplitude.new");
  for (int i = 0; choices[i].name != NULL; i++)
    check_loss (self, choices[i].name, i);
  if (self->error == NULL)
    self->ops->finish (self->backend, &self->error);
}

/* Ten steps: losses on the way, parameters and output at the end. Trajectories are chaotic:
 * rounding of 1e-7 has grown to per cents after ten steps. Large decoders need a lower rate: their
 * trajectories part sooner. */
static void
check_training (Golden *self)
{
  static const struct
  {
    int number;
    double tolerance;
  } steps[] = { { 1, 1e-5 }, { 3, 1e-3 }, { 10, 0.05 } };
  static const char *const rate_key = "adam.learning_rate";
  const double *expected = get (self, "adam.losses", 2, (const gsize[]) { N_STEPS, 2 });
  const double *rate = has_any (self, rate_key) ? get (self, rate_key, 0, NULL) : NULL;
  PrismStep step = make_step (PRISM_LOSS_L1);
  PrismStepResult results[N_STEPS] = { { 0 } };

  if (rate != NULL)
    step.learning_rate = *rate;
  reset_decoder (self);
  for (int i = 0; self->error == NULL && i < N_STEPS; i++)
    self->ops->train (self->backend, &step, 1, &results[i]);
  if (self->error != NULL || !self->ops->finish (self->backend, &self->error))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autofree char *name = g_strdup_printf ("Adam step %d", steps[i].number);
      const PrismStepResult *result = &results[steps[i].number - 1];
      const double *reference = expected + 2 * (steps[i].number - 1);

      add_check (self, name,
                 prism_worst (get_ratio (result->loss_old, reference[0]),
                              get_ratio (result->loss_new, reference[1])),
                 steps[i].tolerance, "losses, relative");
    }
  check_parameters (self, "Adam parameters", "final", "init", 0.05,
                    " after 10 steps, relative to its way");
  check_image (self, "final.out", "Adam output", 0.05);
}

/* From a blank image with apertures of twice the radius, after 1 and after 10 passes: the whole
 * field [n][n], of which the object is the middle [m][m]; around it the support is 0. */
static void
check_epie (Golden *self)
{
  const gsize n = self->n, m = self->m, low = (n - m) / 2;
  g_autofree float *object = g_new (float, m *m);
  g_autofree float *field = g_new0 (float, n *n);
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, self->config);
  aperture.radius *= 2;
  for (guint i = 0; self->error == NULL && i < self->centers->n_points; i++)
    {
      const PrismPoint *point = &self->centers->points[i];
      g_autoptr (PrismMask) mask = prism_aperture_get_mask (&aperture, (int) n, point->y, point->x);
      g_autoptr (PrismBuffer) buffer = self->ops->measure (self->backend, mask, &self->error);
      double energy;

      if (buffer != NULL)
        self->ops->bind (self->backend, SLOT_FIRST_CENTER + i, mask, buffer, &energy, &self->error);
    }
  if (self->error == NULL)
    self->ops->epie_start (self->backend, NULL);
  for (guint pass = 1; self->error == NULL && pass <= N_PASSES; pass++)
    {
      g_autofree char *key = g_strdup_printf ("epie/%u", pass);

      for (guint i = 0; i < self->centers->n_points; i++)
        self->ops->epie_update (self->backend, SLOT_FIRST_CENTER + i, 1.0);
      self->ops->epie_project (self->backend);
      if (pass != 1 && pass != N_PASSES)
        continue;
      self->ops->read_image (self->backend, PRISM_SOURCE_EPIE, object);
      for (gsize y = 0; y < m; y++)
        memcpy (field + (low + y) * n + low, object + y * m, m * sizeof *object);
      check_plane (self, key, field, key, n, 1e-3, "relative to its maximum");
    }
  if (self->error == NULL)
    self->ops->finish (self->backend, &self->error);
}

/* PSNR, SSIM, MS-SSIM and RMSE of two images. */
static void
check_metrics (Golden *self)
{
  static const char *const keys[]
      = { "metric.psnr", "metric.ssim", "metric.ms_ssim", "metric.rmse_percent" };
  g_autofree float *image = dup_plane (self, "metric.a", METRIC_SIDE);
  g_autofree float *object = dup_plane (self, "metric.b", METRIC_SIDE);
  PrismMetrics metrics;
  double ms_ssim;

  if (self->error != NULL
      || !prism_metrics_compute (&metrics, image, object, METRIC_SIDE, METRIC_SIDE, &self->error)
      || !prism_metrics_compute_ms_ssim (&ms_ssim, image, object, METRIC_SIDE, METRIC_SIDE,
                                         &self->error))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const double values[] = { metrics.psnr, metrics.ssim, ms_ssim, metrics.rmse };
      const double *expected = get (self, keys[i], 0, NULL);

      if (expected != NULL)
        add_check (self, keys[i], get_ratio (values[i], *expected), TOLERANCE, "relative");
    }
}

/**
 * prism_golden_check:
 * @path: a .npz file
 * @choice: the device to check, by its number in prism-device-list
 * @n_threads: worker threads, 0 for the device's own choice
 * @builder: (nullable): what writes JSON; NULL: lines are printed
 * @counts: (inout): of checks that were good, and of those that failed
 * @error: return location
 *
 * Checks a device against all arrays of a file, and tells what came out. A file with arrays that no
 * check has read is refused.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check (const char *path,
                    int choice,
                    int n_threads,
                    JsonBuilder *builder,
                    guint counts[2],
                    GError **error)
{
  g_auto (Golden) self = { .name = g_filename_display_name (path),
                           .config = prism_config_new (),
                           .arrays = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                            (GDestroyNotify) prism_npy_free),
                           .checks = g_ptr_array_new_with_free_func (free_check) };
  static void (*const checks[]) (Golden * self)
      = { check_optics, check_decoder, check_training, check_epie, check_metrics };
  g_auto (GStrv) keys = NULL;
  g_autofree char *device = NULL;

  self.npz = prism_npz_load (path, &self.error);
  if (self.npz != NULL)
    read_config (&self);
  if (self.error == NULL)
    open_backend (&self, choice, n_threads);
  for (gsize i = 0; i < G_N_ELEMENTS (checks) && self.error == NULL; i++)
    checks[i](&self);
  keys = self.npz != NULL ? prism_npz_dup_keys (self.npz) : NULL;
  for (char **key = keys; self.error == NULL && *key != NULL; key++)
    if (!g_hash_table_remove (self.arrays, *key))
      refuse (&self, *key, "stands there twice or is nothing that could be checked");
  if (self.error != NULL)
    {
      g_propagate_error (error, self.error);
      return FALSE;
    }
  device = self.ops->dup_device_name (self.backend);
  if (builder != NULL)
    prism_json_add (builder, "{file: %s, device: %s, checks: [", self.name, device);
  else
    prism_cli_say ("%s on %s", self.name, device);
  for (guint i = 0; i < self.checks->len; i++)
    {
      const Check *check = self.checks->pdata[i];
      const char *status = check->failed ? "FAIL" : "ok";

      counts[check->failed]++;
      if (builder != NULL)
        prism_json_add (builder, "{name: %s, status: %s, error: %g, tolerance: %g, detail: %s}",
                        check->name, status, check->error, check->tolerance, check->detail);
      else
        prism_cli_say ("  %-5s %-24s %9.2e  allowed %7.0e  %s", status, check->name, check->error,
                       check->tolerance, check->detail);
    }
  if (builder != NULL)
    prism_json_add (builder, "]}");
  return TRUE;
}
