#include "config.h"

#include "base/prism-number.h"
#include "prism-golden.h"

#include <math.h>
#include <string.h>

/* n = image_size, m = object_size, P = parameters. */

#define N_ADAM_STEPS 10
#define ADAM_LEARNING_RATE 1e-3 /* where the file has no adam.learning_rate */

static PrismStep
make_step (PrismLossKind kind)
{
  return (PrismStep) {
    .loss = kind,
    .domain = PRISM_DOMAIN_AMPLITUDE,
    .normalise = TRUE,
    .new_term = { PRISM_GOLDEN_SLOT_NEW, 1.0f },
    .n_old = 1,
    .old_terms = { { PRISM_GOLDEN_SLOT_OLD, 1.0f } },
    .learning_rate = ADAM_LEARNING_RATE,
  };
}

static gboolean
reset_decoder (PrismGolden *self,
               GError **error)
{
  g_autofree float *parameters = prism_golden_dup_parameters (self, "init", error);

  if (parameters == NULL)
    return FALSE;
  self->backend->ops->set_parameters (self->backend, parameters);
  self->backend->ops->reset_optimizer (self->backend);
  return TRUE;
}

static gboolean
check_image (PrismGolden *self,
             const char *key,
             const char *name,
             double tolerance,
             GError **error)
{
  gsize m = self->config->object_size, n_pixels = m * m;
  g_autoptr (PrismNpy) expected = prism_golden_get_plane (self, key, (int) m, error);
  g_autofree float *values = g_new (float, n_pixels);

  if (expected == NULL)
    return FALSE;
  self->backend->ops->forward (self->backend);
  self->backend->ops->read_image (self->backend, PRISM_SOURCE_DECODER, values);
  prism_check_list_add (self->checks, name,
                        prism_check_get_error (values, expected->values, n_pixels), tolerance,
                        "decoder output, relative to its maximum");
  return TRUE;
}

typedef struct
{
  const float *values;   /* [P] */
  const float *expected; /* [P] */
  const float *start;    /* [P], for paths alone */
  double error;          /* of the worst array so far */
  char worst[32];        /* its name */
  guint n_arrays;
} Comparison;

static void
add_error (Comparison *self,
           const char *name,
           double error)
{
  double worst = prism_worst (self->error, error);

  if (self->n_arrays++ == 0 || worst > self->error)
    {
      self->error = worst;
      g_strlcpy (self->worst, name, sizeof self->worst);
    }
}

static void
compare_array (const char *name,
               gsize offset,
               gsize n_values,
               gpointer data)
{
  Comparison *comparison = data;
  g_autofree double *expected = g_new (double, n_values);

  for (gsize i = 0; i < n_values; i++)
    expected[i] = comparison->expected[offset + i];
  add_error (comparison, name,
             prism_check_get_error (comparison->values + offset, expected, n_values));
}

/* ‖p - p'‖ / ‖p' - p₀‖: how far the end of the path is off, relative to the path's length. */
static void
compare_path (const char *name,
              gsize offset,
              gsize n_values,
              gpointer data)
{
  Comparison *comparison = data;
  double difference = 0.0, path = 0.0;

  for (gsize i = offset; i < offset + n_values; i++)
    {
      double off = (double) comparison->values[i] - comparison->expected[i];
      double way = (double) comparison->expected[i] - comparison->start[i];

      difference += off * off;
      path += way * way;
    }
  add_error (comparison, name, sqrt (difference / path));
}

static gboolean
check_gradient (PrismGolden *self,
                const char *loss,
                GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree char *prefix = g_strconcat ("grad.", loss, NULL);
  g_autofree char *name = g_strconcat ("gradient ", loss, NULL);
  g_autofree char *detail = NULL;
  g_autofree float *expected = NULL;
  g_autofree float *values = NULL;
  Comparison comparison = { 0 };

  expected = prism_golden_dup_parameters (self, prefix, error);
  if (expected == NULL)
    return FALSE;
  values = g_new (float, plan->n_parameters);
  self->backend->ops->get_gradient (self->backend, values);
  comparison.values = values;
  comparison.expected = expected;
  prism_decoder_plan_foreach (plan, compare_array, &comparison);
  detail = g_strdup_printf ("worst of %u arrays (%s), relative to its maximum", comparison.n_arrays,
                            comparison.worst);
  prism_check_list_add (self->checks, name, comparison.error, 1e-4, detail);
  return TRUE;
}

static gboolean
check_loss (PrismGolden *self,
            const char *loss,
            PrismLossKind kind,
            GError **error)
{
  g_autofree char *key = g_strconcat ("loss.", loss, NULL);
  g_autofree char *name_old = g_strdup_printf ("loss %s old", loss);
  g_autofree char *name_new = g_strdup_printf ("loss %s new", loss);
  g_autoptr (PrismNpy) expected = NULL;
  PrismStep step = make_step (kind);
  PrismStepResult result;

  expected = prism_golden_get (self, key, (PrismGoldenShape) { 1, { 2 } }, error);
  if (expected == NULL)
    return FALSE;
  self->backend->ops->compute_gradient (self->backend, &step, &result);
  prism_check_list_add (self->checks, name_old,
                        prism_check_get_ratio (result.loss_old, expected->values[0]), 1e-5,
                        "relative");
  prism_check_list_add (self->checks, name_new,
                        prism_check_get_ratio (result.loss_new, expected->values[1]), 1e-5,
                        "relative");
  return check_gradient (self, loss, error);
}

/* Files have the losses that their writer asked for, each with its gradient; l1 always: it trains.
 */
static gboolean
is_loss_named (PrismGolden *self,
               const char *loss)
{
  g_autofree char *value = g_strconcat ("loss.", loss, NULL);
  g_autofree char *gradient = g_strconcat ("grad.", loss, "/", NULL);

  return g_str_equal (loss, "l1") || prism_golden_has_any (self, value)
         || prism_golden_has_any (self, gradient);
}

/**
 * prism_golden_check_decoder:
 * @self: a golden file
 * @error: return location
 *
 * Checks the decoder's output, and the losses and gradients that it has through the telescope.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_decoder (PrismGolden *self,
                            GError **error)
{
  const PrismChoice *choices = prism_config_get_param ("loss")->choices;

  if (!reset_decoder (self, error) || !check_image (self, "out", "forward", 1e-5, error)
      || !prism_golden_bind (self, PRISM_GOLDEN_SLOT_OLD, self->old_mask, "held", error)
      || !prism_golden_bind (self, PRISM_GOLDEN_SLOT_NEW, self->new_mask, "amplitude.new", error))
    return FALSE;
  for (int i = 0; choices[i].name != NULL; i++)
    if (is_loss_named (self, choices[i].name) && !check_loss (self, choices[i].name, i, error))
      return FALSE;
  return self->backend->ops->finish (self->backend, error);
}

/* Trajectories are chaotic: rounding of 1e-7 has grown to per cents after ten steps. */
static double
get_adam_tolerance (int step)
{
  return step == 1 ? 1e-5 : step <= 3 ? 1e-3
                                      : 0.05;
}

static void
check_adam_losses (PrismGolden *self,
                   const PrismStepResult *results,
                   const double *expected)
{
  static const int steps[] = { 1, 3, 10 };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autofree char *name = g_strdup_printf ("Adam step %d", steps[i]);
      const PrismStepResult *result = &results[steps[i] - 1];
      const double *reference = expected + 2 * (steps[i] - 1);
      double error = prism_check_get_ratio (result->loss_old, reference[0]);

      error = prism_worst (error, prism_check_get_ratio (result->loss_new, reference[1]));

      prism_check_list_add (self->checks, name, error, get_adam_tolerance (steps[i]),
                            "losses, relative");
    }
}

static gboolean
check_final_parameters (PrismGolden *self,
                        GError **error)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *start = prism_golden_dup_parameters (self, "init", error);
  g_autofree float *expected = NULL;
  g_autofree float *values = NULL;
  g_autofree char *detail = NULL;
  Comparison comparison = { 0 };

  if (start == NULL)
    return FALSE;
  expected = prism_golden_dup_parameters (self, "final", error);
  if (expected == NULL)
    return FALSE;
  values = g_new (float, plan->n_parameters);
  self->backend->ops->get_parameters (self->backend, values);
  comparison = (Comparison) { .values = values, .expected = expected, .start = start };
  prism_decoder_plan_foreach (plan, compare_path, &comparison);
  detail = g_strdup_printf ("worst of %u arrays (%s) after 10 steps, relative to its way",
                            comparison.n_arrays, comparison.worst);
  prism_check_list_add (self->checks, "Adam parameters", comparison.error, 0.05, detail);
  return TRUE;
}

/* Large decoders need a lower rate: their trajectories part sooner. */
static gboolean
read_learning_rate (PrismGolden *self,
                    double *rate,
                    GError **error)
{
  static const char *const key = "adam.learning_rate";
  g_autoptr (PrismNpy) array = NULL;

  if (!prism_golden_has_any (self, key))
    return TRUE;
  array = prism_golden_get (self, key, (PrismGoldenShape) { 0 }, error);
  if (array != NULL)
    *rate = array->values[0];
  return array != NULL;
}

/**
 * prism_golden_check_training:
 * @self: a golden file, its targets bound by prism_golden_check_decoder()
 * @error: return location
 *
 * Checks ten steps of training: losses on the way, parameters and output at the end.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_training (PrismGolden *self,
                             GError **error)
{
  g_autoptr (PrismNpy) expected = NULL;
  const PrismGoldenShape shape = { 2, { N_ADAM_STEPS, 2 } };
  PrismStep step = make_step (PRISM_LOSS_L1);
  PrismStepResult results[N_ADAM_STEPS] = { { 0 } };

  expected = prism_golden_get (self, "adam.losses", shape, error);
  if (expected == NULL || !read_learning_rate (self, &step.learning_rate, error)
      || !reset_decoder (self, error))
    return FALSE;
  for (int i = 0; i < N_ADAM_STEPS; i++)
    self->backend->ops->train (self->backend, &step, 1, &results[i]);
  if (!self->backend->ops->finish (self->backend, error))
    return FALSE;
  check_adam_losses (self, results, expected->values);
  return check_final_parameters (self, error)
         && check_image (self, "final.out", "Adam output", 0.05, error);
}

/* n = image_size, m = object_size. */

#define TOLERANCE 1e-5

static float *
new_plane (PrismGolden *self)
{
  gsize n = self->config->image_size;

  return g_new0 (float, n *n);
}

static gboolean
check_mask (PrismGolden *self,
            const char *key,
            const PrismMask *mask,
            GError **error)
{
  gsize n = self->config->image_size, n_wrong = 0;
  g_autoptr (PrismNpy) expected = NULL;
  g_autofree guint8 *plane = g_new0 (guint8, n * n);

  expected = prism_golden_get_plane (self, key, (int) n, error);
  if (expected == NULL)
    return FALSE;
  prism_mask_accumulate (mask, plane);
  for (gsize i = 0; i < n * n; i++)
    n_wrong += plane[i] != expected->values[i];
  prism_check_list_add (self->checks, key, n_wrong, 0, "pixels that differ");
  return TRUE;
}

static gboolean
check_pattern (PrismGolden *self,
               GError **error)
{
  g_autoptr (PrismPattern) pattern = NULL;
  double largest = 0.0;

  pattern = prism_pattern_new (self->config, error);
  if (pattern == NULL)
    return FALSE;
  if (pattern->n_points != self->centers->n_points)
    largest = INFINITY;
  for (guint i = 0; i < MIN (pattern->n_points, self->centers->n_points); i++)
    {
      const PrismPoint *a = &pattern->points[i], *b = &self->centers->points[i];
      largest = prism_worst (largest, hypot (a->y - b->y, a->x - b->x));
    }
  prism_check_list_add (self->checks, "fermat", largest, 1e-9, "largest distance, px");
  return TRUE;
}

static gboolean
check_spectrum (PrismGolden *self,
                GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autofree float *values = NULL;
  g_autofree double *magnitude = NULL;

  expected = prism_golden_get (self, "spectrum", (PrismGoldenShape) { 3, { n, n, 2 } }, error);
  if (expected == NULL)
    return FALSE;
  values = new_plane (self);
  magnitude = g_new (double, n *n);
  for (gsize i = 0; i < n * n; i++)
    magnitude[i] = hypot (expected->values[2 * i], expected->values[2 * i + 1]);
  self->backend->ops->get_spectrum (self->backend, values);
  prism_check_list_add (self->checks, "spectrum", prism_check_get_error (values, magnitude, n * n),
                        TOLERANCE, "|E|, relative to its maximum");
  return TRUE;
}

/* The object through mask against an array of the file, which is an intensity with square set. */
static gboolean
check_measurement (PrismGolden *self,
                   const char *key,
                   const PrismMask *mask,
                   gboolean square,
                   GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;
  g_autofree float *values = NULL;

  expected = prism_golden_get_plane (self, key, (int) n, error);
  if (expected == NULL)
    return FALSE;
  buffer = self->backend->ops->measure (self->backend, mask, error);
  if (buffer == NULL)
    return FALSE;
  values = new_plane (self);
  self->backend->ops->read_buffer (self->backend, buffer, mask, values);
  for (gsize i = 0; square && i < n * n; i++)
    values[i] *= values[i];
  prism_check_list_add (self->checks, key, prism_check_get_error (values, expected->values, n * n),
                        TOLERANCE, "relative to its maximum");
  return TRUE;
}

static gboolean
check_buffer (PrismGolden *self,
              GError **error)
{
  gsize n = self->config->image_size;
  g_autoptr (PrismNpy) expected = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;
  g_autofree float *values = NULL;
  prism_autofree_array float *amplitude = NULL;

  expected = prism_golden_get_plane (self, "held", (int) n, error);
  if (expected == NULL)
    return FALSE;
  amplitude = prism_npy_dup_floats (expected);
  buffer = self->backend->ops->load_buffer (self->backend, self->old_mask, amplitude, error);
  if (buffer == NULL)
    return FALSE;
  values = new_plane (self);
  self->backend->ops->read_buffer (self->backend, buffer, self->old_mask, values);
  prism_check_list_add (self->checks, "load and read",
                        prism_check_get_error (values, expected->values, n * n), 0,
                        "a detector image to the device and back");
  return TRUE;
}

/**
 * prism_golden_check_optics:
 * @self: a golden file
 * @error: return location
 *
 * Checks masks, pattern, spectrum and measurements of the object.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the checks could be done, however they came out
 */
gboolean
prism_golden_check_optics (PrismGolden *self,
                           GError **error)
{
  return check_mask (self, "pupil.old", self->old_mask, error)
         && check_mask (self, "pupil.new", self->new_mask, error)
         && check_pattern (self, error)
         && check_spectrum (self, error)
         && check_measurement (self, "amplitude.new", self->new_mask, FALSE, error)
         && check_measurement (self, "intensity.new", self->new_mask, TRUE, error)
         && check_measurement (self, "amplitude.old.of_object", self->old_mask, FALSE, error)
         && check_buffer (self, error);
}
