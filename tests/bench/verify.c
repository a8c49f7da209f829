/* verify: checks a device against files of golden arrays.
 *
 *   verify [--backend NAME] FILE.npz…
 *
 * The keys are those of the reference implementation in PyTorch (make_steps.py writes such files):
 *
 *   config.image, config.object, config.radius, config.edge, config.old_center, config.new_center
 *   object [m][m], spectrum [n][n][2], pupil.old, pupil.new [n][n], fermat [N][2]
 *   init/NAME, final/NAME, grad.LOSS/NAME: parameters before and after ten Adam steps, gradients
 *   out, final.out [m][m], held, amplitude.new, intensity.new, amplitude.old.of_object [n][n]
 *   loss.LOSS [2] = old, new; adam.losses [10][2]; epie/1, epie/10 [n][n] at twice the radius
 *   metric.a, metric.b, metric.psnr, metric.ssim, metric.rmse_percent; metric.ms_ssim, which this
 *   program has as a loss alone, loss.ms-ssim
 *
 * All of them must be there, with at least one loss, and no others: a check that falls away without
 * a word would pass for one that was good. The exit status is 1 where a check has failed; a file
 * that is not as above ends the program. */
#include "config.h"

#include "backend/prism-backend.h"
#include "base/prism-number.h"
#include "device/prism-registry.h"
#include "formats/prism-fields-readers.h"
#include "model/prism-pattern.h"
#include "prism-test.h"

#include <locale.h>

#define TOLERANCE 1e-5
#define N_STEPS 10              /* of Adam */
#define ADAM_LEARNING_RATE 1e-3 /* where the file has no adam.learning_rate */
#define N_PASSES 10             /* of ePIE */
#define METRIC_SIDE 200         /* px: what metric.a and metric.b have in all golden files */

enum
{
  SLOT_NEW,
  SLOT_OLD,
  SLOT_FIRST_CENTER,
};

/* A file, and a device opened for it. */
typedef struct
{
  PrismFields *npz;
  GHashTable *arrays; /* of PrismField: what was read */
  PrismConfig *config;
  PrismBackend *backend;
  const PrismBackendOps *ops;
  gsize n, m;            /* image_size, object_size */
  PrismMask *masks[2];   /* by slot */
  PrismPattern *centers; /* of fermat */
  guint n_failed;
} Golden;

static gsize
count_numbers (const PrismField *array)
{
  return array->values == NULL ? 0 : array->n_values * (array->kind == PRISM_FIELD_COMPLEX ? 2 : 1);
}

static const PrismField *
read_array (Golden *self, const char *key)
{
  PrismField *array = prism_fields_find (self->npz, key);

  if (array == NULL)
    g_error ("“%s” is missing", key);
  g_hash_table_add (self->arrays, array);
  for (gsize i = 0; i < count_numbers (array); i++)
    if (!isfinite ((float) array->values[i]))
      g_error ("“%s” has values that are not finite numbers", key);
  return array;
}

/* Numbers, so many: 1, a side squared, a list. */
static const double *
get (Golden *self, const char *key, gsize n_values)
{
  const PrismField *array = read_array (self, key);

  if (count_numbers (array) != n_values)
    g_error ("“%s” has %" G_GSIZE_FORMAT " numbers instead of %" G_GSIZE_FORMAT, key,
             count_numbers (array), n_values);
  return array->values;
}

static float *
dup_plane (Golden *self, const char *key, gsize side)
{
  const double *values = get (self, key, side * side);
  float *plane = g_new (float, side *side);

  for (gsize i = 0; i < side * side; i++)
    plane[i] = (float) values[i];
  return plane;
}

/* error: how far off it is; what is no number has failed */
static void
add_check (Golden *self, const char *name, double error, double tolerance, const char *detail)
{
  const gboolean is_good = error <= tolerance;

  self->n_failed += !is_good;
  printf ("  %-5s %-24s %9.2e  allowed %7.0e  %s\n", is_good ? "ok" : "FAIL", name, error,
          tolerance, detail);
}

/* The largest difference, relative to the largest expected magnitude; infinite as soon as one value
 * is not finite. */
static double
get_error (const float *values, const double *expected, gsize n_values)
{
  double difference = 0.0, largest = 0.0;

  for (gsize i = 0; i < n_values; i++)
    {
      if (!isfinite (values[i]))
        return INFINITY;
      difference = prism_worst (difference, fabs (values[i] - expected[i]));
      largest = prism_worst (largest, fabs (expected[i]));
    }
  return largest > 0.0 ? difference / largest : difference;
}

static double
get_ratio (double value, double expected)
{
  return expected != 0.0 ? fabs (value - expected) / fabs (expected) : fabs (value);
}

static void
open_golden (Golden *self, const char *path, const char *device)
{
  static const char *const numbers[][2] = { { "config.image", "image_size" },
                                            { "config.object", "object_size" },
                                            { "config.radius", "aperture_radius" } };
  static const char *const centers[] = { "config.new_center", "config.old_center" };
  PrismBackendSpec spec = { 0 };
  g_autofree char *name = NULL, *reason = NULL;
  PrismAperture aperture;

  self->npz = MUST (prism_fields_load_npz (path, &error));
  self->arrays = g_hash_table_new (NULL, NULL);
  self->config = prism_config_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    MUST (prism_config_set_number (self->config, prism_config_get_param (numbers[i][1]),
                                   *get (self, numbers[i][0], 1), &error));
  MUST (prism_config_set_text (self->config, "edge", read_array (self, "config.edge")->labels[0],
                               &error));
  MUST (prism_config_set_text (self->config, "backend", device, &error));
  self->n = (gsize) self->config->image_size;
  self->m = (gsize) self->config->object_size;
  prism_aperture_init_config (&aperture, self->config);
  for (int i = 0; i < 2; i++)
    {
      const double *center = get (self, centers[i], 2);

      self->masks[i] = prism_aperture_get_mask (&aperture, (int) self->n, center[0], center[1]);
    }
  const PrismField *fermat = read_array (self, "fermat");
  if (fermat->n_dims != 2 || fermat->shape[1] != 2 || fermat->shape[0] < 1)
    g_error ("“fermat” is no list of points");
  g_autofree PrismPoint *points = g_new (PrismPoint, fermat->shape[0]);
  for (gsize i = 0; i < fermat->shape[0]; i++)
    points[i] = (PrismPoint) { fermat->values[2 * i], fermat->values[2 * i + 1] };
  self->centers = prism_pattern_new_points (points, (guint) fermat->shape[0]);
  self->config->samples = (int) fermat->shape[0];

  spec.image_size = (int) self->n;
  spec.object_size = (int) self->m;
  spec.n_slots = SLOT_FIRST_CENTER + self->centers->n_points;
  self->ops = MUST (prism_registry_choose (self->config->backend, &reason, &error));
  MUST (prism_decoder_plan_init (&spec.decoder, spec.image_size, spec.object_size,
                                 self->config->edge, &error));
  self->backend = MUST (self->ops->open (&spec, &error));
  g_autofree float *object = dup_plane (self, "object", self->m);
  MUST (self->ops->set_object (self->backend, object, &error));
  name = self->ops->dup_device_name (self->backend);
  printf ("%s on %s\n", path, name);
}

/* A detector image, which an intensity's file has squared, against an array of the file. */
static void
check_buffer (Golden *self,
              const char *name,
              const char *key,
              int slot,
              PrismBuffer *buffer,
              gboolean square,
              double tolerance)
{
  const gsize n_pixels = self->n * self->n;
  g_autofree float *values = g_new0 (float, n_pixels);

  self->ops->read_buffer (self->backend, buffer, self->masks[slot], values);
  for (gsize i = 0; square && i < n_pixels; i++)
    values[i] *= values[i];
  add_check (self, name, get_error (values, get (self, key, n_pixels), n_pixels), tolerance,
             "relative to its maximum");
}

/* Masks, pattern, spectrum and measurements of the object. */
static void
check_optics (Golden *self)
{
  static const struct
  {
    const char *key;
    int slot;
    gboolean square;
  } measurements[] = { { "amplitude.new", SLOT_NEW, FALSE },
                       { "intensity.new", SLOT_NEW, TRUE },
                       { "amplitude.old.of_object", SLOT_OLD, FALSE } };
  const gsize n_pixels = self->n * self->n;
  const double *spectrum = get (self, "spectrum", 2 * n_pixels);
  g_autoptr (PrismPattern) pattern = MUST (prism_pattern_new (self->config, &error));
  g_autofree float *values = g_new0 (float, n_pixels), *held = dup_plane (self, "held", self->n);
  g_autofree double *magnitude = g_new (double, n_pixels);
  g_autoptr (PrismBuffer) loaded = NULL;
  double largest = pattern->n_points == self->centers->n_points ? 0.0 : INFINITY;

  for (int slot = 0; slot < 2; slot++)
    {
      const char *key = slot == SLOT_OLD ? "pupil.old" : "pupil.new";
      const double *expected = get (self, key, n_pixels);
      g_autofree guint8 *plane = g_new0 (guint8, n_pixels);
      gsize n_wrong = 0;

      prism_mask_accumulate (self->masks[slot], plane);
      for (gsize i = 0; i < n_pixels; i++)
        n_wrong += plane[i] != expected[i];
      add_check (self, key, n_wrong, 0, "pixels that differ");
    }
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
  for (gsize i = 0; i < G_N_ELEMENTS (measurements); i++)
    {
      const char *key = measurements[i].key;
      const int slot = measurements[i].slot;
      g_autoptr (PrismBuffer) buffer
          = MUST (self->ops->measure (self->backend, self->masks[slot], &error));

      check_buffer (self, key, key, slot, buffer, measurements[i].square, TOLERANCE);
    }
  loaded = MUST (self->ops->load_buffer (self->backend, self->masks[SLOT_OLD], held, &error));
  check_buffer (self, "load and read", "held", SLOT_OLD, loaded, FALSE, 0);
}

/* What is done with each array of the decoder's parameters. */
typedef struct
{
  Golden *golden;
  const char *prefix; /* "init", "final" or "grad.LOSS" */
  const char *start;  /* (nullable): another prefix: paths are compared */
  float *values;      /* [P] */
  double error;       /* of the worst array so far */
  char name[32];      /* its name */
} Parameters;

/* Weights in the layout of PyTorch, which is the engine's. */
static const double *
get_parameters (Golden *golden, const char *prefix, const char *name, gsize n_values)
{
  g_autofree char *key = g_strconcat (prefix, "/", name, NULL);

  return get (golden, key, n_values);
}

static void
read_parameters (const char *name, gsize offset, gsize n_values, gpointer data)
{
  Parameters *self = data;
  const double *array = get_parameters (self->golden, self->prefix, name, n_values);

  for (gsize i = 0; i < n_values; i++)
    self->values[offset + i] = (float) array[i];
}

/* The largest difference of an array; of paths ‖p - p'‖ / ‖p' - p₀‖: how far the end of the path is
 * off, relative to the path's length. */
static void
compare_parameters (const char *name, gsize offset, gsize n_values, gpointer data)
{
  Parameters *self = data;
  const double *expected = get_parameters (self->golden, self->prefix, name, n_values);
  const double *start = self->start != NULL
                            ? get_parameters (self->golden, self->start, name, n_values)
                            : NULL;
  double difference = 0.0, path = 0.0, error;

  for (gsize i = 0; start != NULL && i < n_values; i++)
    {
      difference += pow (self->values[offset + i] - expected[i], 2);
      path += pow (expected[i] - start[i], 2);
    }
  error = start != NULL ? sqrt (difference / path)
                        : get_error (self->values + offset, expected, n_values);
  if (*self->name == '\0' || !(error <= self->error))
    {
      self->error = prism_worst (self->error, error);
      g_strlcpy (self->name, name, sizeof self->name);
    }
}

static void
check_parameters (Golden *self,
                  const char *name,
                  const char *prefix,
                  const char *start,
                  double tolerance)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *values = g_new (float, plan->n_parameters);
  Parameters parameters = { self, prefix, start, values };

  (start != NULL ? self->ops->get_parameters : self->ops->get_gradient) (self->backend, values);
  prism_decoder_plan_foreach (plan, compare_parameters, &parameters);
  g_autofree char *detail = g_strdup_printf ("worst array: %s, relative to its %s", parameters.name,
                                             start != NULL ? "way of 10 steps" : "maximum");
  add_check (self, name, parameters.error, tolerance, detail);
}

static void
reset_decoder (Golden *self)
{
  const PrismDecoderPlan *plan = &self->backend->spec.decoder;
  g_autofree float *values = g_new (float, plan->n_parameters);
  Parameters parameters = { self, "init", NULL, values };

  prism_decoder_plan_foreach (plan, read_parameters, &parameters);
  self->ops->set_parameters (self->backend, values);
  self->ops->reset_optimizer (self->backend);
}

static void
check_image (Golden *self, const char *key, const char *name, double tolerance)
{
  const gsize n_pixels = self->m * self->m;
  g_autofree float *values = g_new (float, n_pixels);

  self->ops->forward (self->backend);
  self->ops->read_image (self->backend, PRISM_SOURCE_DECODER, values);
  add_check (self, name, get_error (values, get (self, key, n_pixels), n_pixels), tolerance,
             "decoder output, relative to its maximum");
}

static void
bind (Golden *self, guint slot, const char *key)
{
  g_autofree float *amplitude = dup_plane (self, key, self->n);
  const PrismMask *mask = self->masks[slot];
  g_autoptr (PrismBuffer) buffer
      = MUST (self->ops->load_buffer (self->backend, mask, amplitude, &error));
  double energy;

  MUST (self->ops->bind (self->backend, slot, mask, buffer, &energy, &error));
}

static PrismStep
make_step (PrismLossKind kind, double rate)
{
  return (PrismStep) {
    .loss = kind,
    .domain = PRISM_DOMAIN_AMPLITUDE,
    .normalise = TRUE,
    .new_term = { SLOT_NEW, 1.0f },
    .n_old = 1,
    .old_terms = { { SLOT_OLD, 1.0f } },
    .learning_rate = rate,
  };
}

/* The decoder's output, and the losses and gradients that it has through the telescope. Files have
 * the losses that their writer asked for, each with its gradient; l1 always: it trains. */
static void
check_decoder (Golden *self)
{
  const PrismChoice *choices = prism_config_get_param ("loss")->choices;

  reset_decoder (self);
  check_image (self, "out", "forward", TOLERANCE);
  bind (self, SLOT_OLD, "held");
  bind (self, SLOT_NEW, "amplitude.new");
  for (int i = 0; choices[i].name != NULL; i++)
    {
      g_autofree char *key = g_strconcat ("loss.", choices[i].name, NULL);
      g_autofree char *prefix = g_strconcat ("grad.", choices[i].name, NULL);
      const PrismStep step = make_step (i, ADAM_LEARNING_RATE);
      PrismStepResult result;

      if (i != PRISM_LOSS_L1 && prism_fields_find (self->npz, key) == NULL)
        continue;
      const double *expected = get (self, key, 2);
      self->ops->compute_gradient (self->backend, &step, &result);
      double worst = prism_worst (get_ratio (result.loss_old, expected[0]),
                                  get_ratio (result.loss_new, expected[1]));
      add_check (self, key, worst, TOLERANCE, "relative");
      check_parameters (self, prefix, prefix, NULL, 1e-4);
    }
  MUST (self->ops->finish (self->backend, &error));
}

/* Ten steps: losses on the way, parameters and output at the end. Trajectories are chaotic:
 * rounding of 1e-7 has grown to per cents after ten steps. Large decoders need a lower rate: their
 * trajectories part sooner. */
static void
check_training (Golden *self)
{
  static const char *const rate_key = "adam.learning_rate";
  const double tolerances[N_STEPS] = { [0] = 1e-5, [2] = 1e-3, [9] = 0.05 };
  const double *expected = get (self, "adam.losses", 2 * N_STEPS);
  const gboolean has_rate = prism_fields_find (self->npz, rate_key) != NULL;
  const PrismStep step
      = make_step (PRISM_LOSS_L1, has_rate ? *get (self, rate_key, 1) : ADAM_LEARNING_RATE);
  PrismStepResult results[N_STEPS] = { { 0 } };

  reset_decoder (self);
  for (int i = 0; i < N_STEPS; i++)
    self->ops->train (self->backend, &step, 1, &results[i]);
  MUST (self->ops->finish (self->backend, &error));
  for (int i = 0; i < N_STEPS; i++)
    if (tolerances[i] > 0.0)
      {
        g_autofree char *name = g_strdup_printf ("Adam step %d", i + 1);
        const double worst = prism_worst (get_ratio (results[i].loss_old, expected[2 * i]),
                                          get_ratio (results[i].loss_new, expected[2 * i + 1]));

        add_check (self, name, worst, tolerances[i], "losses, relative");
      }
  check_parameters (self, "Adam parameters", "final", "init", 0.05);
  check_image (self, "final.out", "Adam output", 0.05);
}

/* From a blank image with apertures of twice the radius, after 1 and after 10 passes: the whole
 * field [n][n], of which the object is the middle [m][m]; around it the support is 0. */
static void
check_epie (Golden *self)
{
  const gsize n = self->n, m = self->m, low = (n - m) / 2;
  g_autofree float *object = g_new (float, m *m), *field = g_new0 (float, n *n);
  PrismAperture aperture;

  prism_aperture_init_config (&aperture, self->config);
  aperture.radius *= 2;
  for (guint i = 0; i < self->centers->n_points; i++)
    {
      const PrismPoint *point = &self->centers->points[i];
      g_autoptr (PrismMask) mask = prism_aperture_get_mask (&aperture, (int) n, point->y, point->x);
      g_autoptr (PrismBuffer) buffer = MUST (self->ops->measure (self->backend, mask, &error));
      double energy;

      MUST (self->ops->bind (self->backend, SLOT_FIRST_CENTER + i, mask, buffer, &energy, &error));
    }
  self->ops->epie_start (self->backend, NULL);
  for (guint pass = 1; pass <= N_PASSES; pass++)
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
      add_check (self, key, get_error (field, get (self, key, n * n), n * n), 1e-3,
                 "relative to its maximum");
    }
  MUST (self->ops->finish (self->backend, &error));
}

/* PSNR, SSIM and RMSE of two images. */
static void
check_metrics (Golden *self)
{
  static const char *const keys[] = { "metric.psnr", "metric.ssim", "metric.rmse_percent" };
  g_autofree float *image = dup_plane (self, "metric.a", METRIC_SIDE);
  g_autofree float *object = dup_plane (self, "metric.b", METRIC_SIDE);
  PrismMetrics metrics;

  get (self, "metric.ms_ssim", 1);
  MUST (prism_metrics_compute (&metrics, image, object, METRIC_SIDE, METRIC_SIDE, &error));
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const double values[] = { metrics.psnr, metrics.ssim, metrics.rmse };

      add_check (self, keys[i], get_ratio (values[i], *get (self, keys[i], 1)), TOLERANCE,
                 "relative");
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *device = NULL;
  const GOptionEntry entries[] = {
    { "backend", 0, 0, G_OPTION_ARG_STRING, &device, "Device, as in --set backend=NAME", "NAME" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("FILE.npz…");
  guint n_failed = 0;

  setlocale (LC_CTYPE, "");
  g_option_context_add_main_entries (context, entries, NULL);
  MUST (g_option_context_parse (context, &argc, &argv, &error));
  for (int i = 1; i < argc; i++)
    {
      Golden golden = { 0 };

      open_golden (&golden, argv[i], device != NULL ? device : "auto");
      check_optics (&golden);
      check_decoder (&golden);
      check_training (&golden);
      check_epie (&golden);
      check_metrics (&golden);
      for (guint k = 0; k < golden.npz->fields->len; k++)
        if (!g_hash_table_remove (golden.arrays, g_ptr_array_index (golden.npz->fields, k)))
          g_error ("“%s” stands there twice or is nothing that could be checked",
                   ((PrismField *) g_ptr_array_index (golden.npz->fields, k))->name);
      n_failed += golden.n_failed;
      prism_backend_free (golden.backend);
    }
  printf ("%u failed\n", n_failed);
  return argc < 2 || n_failed > 0;
}
