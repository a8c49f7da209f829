#include "../support/forward-model.h"
#include "cpu/prism-cpu-decoder.h"
#include "cpu/prism-cpu-telescope-private.h"
#include "model/prism-line.h"
#include "test-cpu-telescope-common.h"

/* Every forward model of the CPU against its adjoint and its difference quotients.
 *
 * n = image_size, m = object_size. */

#define N_SEEDS 4   /* the last one at the edge of the field */
#define KINKED 3e-3 /* error of the quotients of what is not smooth */

typedef struct
{
  const char *name;
  PrismAperture aperture;
  PrismLine line;
} Telescope;

static const Telescope telescopes[] = {
  { "disk", { .shape = PRISM_SHAPE_DISK, .radius = 8.3 }, { 0, 1 } },
  { "hexagon", { .shape = PRISM_SHAPE_HEXAGON, .radius = 9 }, { 0, 1 } },
  { "obscured",
    { .shape = PRISM_SHAPE_OBSCURED,
      .radius = 11,
      .obscuration = 0.4,
      .vanes = 3,
      .vane_width = 1.5 },
    { 0, 1 } },
  { "line-accurate", { .shape = PRISM_SHAPE_DISK, .radius = 9 }, { 12, 13 } },
  { "line-fast", { .shape = PRISM_SHAPE_DISK, .radius = 6 }, { 18, 4 } },
  { "line-hexagon", { .shape = PRISM_SHAPE_HEXAGON, .radius = 7 }, { 10, 3 } },
};

#define N_SMALL 4

/* The last one is large enough for every scale of MS-SSIM; one telescope has it. */
static const int sizes[][2] = { { 64, 16 }, { 64, 30 }, { 64, 64 }, { 128, 50 }, { 256, 90 } };

/* Slot 0 has the mask that is tested, slot 1 every pixel of the plane at random. */
typedef struct
{
  Fixture fixture;
  PrismMask *masks[2];
  float *targets[2]; /* [n][n] in the order for the masks */
  float *image;      /* [m][m] where derivatives are taken */
  float *seen;       /* [n][n] of it through masks[0] */
  PrismStep step;
  guint points;         /* step of the misfit's first term */
  guint offset;         /* of its points */
  float *seen_points;   /* (nullable) [n/points][n/points] of image */
  float *target_points; /* (nullable) the same, that is bound */
  float noise;          /* of the misfit */
  float read;
} Scene;

static float *
new_aligned (gsize n_values)
{
  return OWN (g_aligned_free, g_aligned_alloc (n_values, sizeof (float), 64));
}

static PrismMask *
new_mask (const Telescope *telescope, int n, guint64 seed)
{
  PrismPoint middle = {
    (prism_random_uniform (seed, PRISM_STREAM_PATTERN, 0, 0) - 0.5) * n,
    (prism_random_uniform (seed, PRISM_STREAM_PATTERN, 0, 1) - 0.5) * n,
    prism_random_uniform (seed, PRISM_STREAM_PATTERN, 0, 2) * G_PI,
  };

  if (seed == N_SEEDS)
    middle.y = n / 2 - 2.5;
  if (telescope->line.n_points > 1)
    return prism_line_get_mask (&telescope->line, &telescope->aperture, n, &middle);
  return prism_aperture_get_mask (&telescope->aperture, n, middle.y, middle.x);
}

static void
scene_init (Scene *self, const Telescope *telescope, const int size[2], guint64 seed)
{
  const int n = size[0], m = size[1];
  g_autofree float *object = new_image (m * m, 50 + seed);

  *self = (Scene) { 0 };
  self->fixture = fixture_new (n, m, 2);
  g_assert_true (prism_cpu_telescope_allow_samples (self->fixture.telescope, TRUE, NULL));
  self->image = OWN (g_free, new_image (m * m, seed));
  self->seen = OWN (g_free, g_new (float, n *n));
  self->masks[0] = OWN (prism_mask_unref, new_mask (telescope, n, seed));
  self->masks[1] = OWN (prism_mask_unref, new_noise_mask (n, seed));
  for (int i = 0; i < 2; i++)
    {
      self->targets[i] = new_aligned ((gsize) n * n);
      prism_cpu_telescope_measure (self->fixture.telescope, self->masks[i], object,
                                   self->targets[i]);
      bind (&self->fixture, i, self->masks[i], self->targets[i], NULL);
    }
  prism_cpu_telescope_measure (self->fixture.telescope, self->masks[0], self->image, self->seen);
}

/* ---- what the detector records ---- */

/* The derivative of the intensity |φ(a)|² at a, (|φ(a + b)|² - |φ(a - b)|²)/2, which is exact; of
 * the amplitude that divided by 2|φ(a)|. */
static void
apply_record (gpointer data, const float *in, float *out)
{
  Scene *self = data;
  const int n_pixels = self->fixture.n * self->fixture.n;
  const int n_object = self->fixture.m * self->fixture.m;
  g_autofree float *moved = g_new (float, n_object);
  float *other = new_aligned (n_pixels);
  float *seen = new_aligned (n_pixels);

  for (int i = 0; i < n_object; i++)
    moved[i] = self->image[i] + in[i];
  prism_cpu_telescope_measure (self->fixture.telescope, self->masks[0], moved, seen);
  for (int i = 0; i < n_object; i++)
    moved[i] = self->image[i] - in[i];
  prism_cpu_telescope_measure (self->fixture.telescope, self->masks[0], moved, other);
  for (int i = 0; i < n_pixels; i++)
    {
      out[i] = 0.5f * (seen[i] + other[i]) * (seen[i] - other[i]);
      if (self->step.domain == PRISM_DOMAIN_AMPLITUDE)
        out[i] = self->seen[i] > 0.0f ? 0.5f * out[i] / self->seen[i] : 0.0f;
    }
}

/* The gradient of an l2 loss sends p - t back: that for t = max (0, -y) less that for t =
 * max (0, y) is what y is sent back to. */
static void
adjoin_record (gpointer data, const float *out, float *in)
{
  Scene *self = data;
  const int n_pixels = self->fixture.n * self->fixture.n;
  const int n_object = self->fixture.m * self->fixture.m;
  g_autofree float *part = g_new (float, n_object);
  float *target = new_aligned (n_pixels);
  PrismStep step = { .loss = PRISM_LOSS_L2, .domain = self->step.domain, .new_term = { 0, 1.0f } };
  PrismStepResult result;

  memset (in, 0, n_object * sizeof *in);
  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (int i = 0; i < n_pixels; i++)
        {
          target[i] = MAX (0.0f, sign * out[i]);
          if (step.domain == PRISM_DOMAIN_INTENSITY)
            target[i] = sqrtf (target[i]);
        }
      bind (&self->fixture, 0, self->masks[0], target, NULL);
      prism_cpu_telescope_compute_gradient (self->fixture.telescope, &step, self->image, part,
                                            &result);
      for (int i = 0; i < n_object; i++)
        in[i] -= 0.5f * sign * n_pixels * part[i];
    }
  bind (&self->fixture, 0, self->masks[0], self->targets[0], NULL);
}

/* ---- the field between the image and the rows of the detector ---- */

/* Float [n/lanes][width][2][lanes] of the only view. */
static gsize
get_block (const PrismCpuTelescopeView *view, int lanes)
{
  return (gsize) view->mask->width * 2 * lanes;
}

static void
add_view (Scene *self)
{
  prism_cpu_telescope_clear_views (self->fixture.telescope);
  g_assert_true (prism_cpu_telescope_add_view (self->fixture.telescope, self->masks[0],
                                               self->targets[0], PRISM_PIXEL_SCALE, 1.0f));
}

static void
apply_field (gpointer data, const float *in, float *out)
{
  Scene *self = data;
  PrismCpuTelescope *telescope = self->fixture.telescope;
  const PrismCpuTelescopeView *view = &telescope->views[0];
  const int lanes = telescope->kernels->lanes;

  prism_cpu_telescope_transform_image (telescope, in);
  add_view (self);
  prism_cpu_telescope_expand_views (telescope);
  for (int i = 0; i < self->fixture.n / lanes; i++)
    memcpy (out + i * get_block (view, lanes), view->plane + i * view->stride,
            get_block (view, lanes) * sizeof *out);
}

static void
adjoin_field (gpointer data, const float *out, float *in)
{
  Scene *self = data;
  PrismCpuTelescope *telescope = self->fixture.telescope;
  const PrismCpuTelescopeView *view = &telescope->views[0];
  const int lanes = telescope->kernels->lanes;

  add_view (self);
  for (int i = 0; i < self->fixture.n / lanes; i++)
    {
      memset (view->plane + i * view->stride, 0, view->stride * sizeof *out);
      memcpy (view->plane + i * view->stride, out + i * get_block (view, lanes),
              get_block (view, lanes) * sizeof *out);
    }
  prism_cpu_telescope_reduce_views (telescope);
  prism_cpu_telescope_restore_views (telescope, FALSE, in);
}

TEST_ROWS (adjoint, "/engine/forward-models/adjoint", telescopes)
{
  const Telescope *telescope = data;

  for (guint k = 0; k < N_SMALL * N_SEEDS; k++)
    {
      const int *size = sizes[k / N_SEEDS];
      const guint64 seed = 1 + k % N_SEEDS;
      Scene scene;
      ForwardModel model = {
        .n_in = size[1] * size[1],
        .n_out = size[0] * size[0],
        .apply = apply_record,
        .adjoint = adjoin_record,
        .data = &scene,
      };

      scene_init (&scene, telescope, size, seed);
      model.name = "intensity";
      model.rounding = 4e-6;
      scene.step.domain = PRISM_DOMAIN_INTENSITY;
      forward_model_check (&model, seed);
      /* Dark pixels divide by next to nothing. */
      model.name = "amplitude";
      model.rounding = 2e-5;
      scene.step.domain = PRISM_DOMAIN_AMPLITUDE;
      forward_model_check (&model, seed);
      if (telescope->line.n_points > 1)
        continue;
      model.name = "field";
      model.rounding = 0.0;
      model.n_out = 2 * size[0] * scene.masks[0]->width;
      model.apply = apply_field;
      model.adjoint = adjoin_field;
      forward_model_check (&model, seed);
    }
}

/* ---- points of what the detector records ---- */

#define SIDE 32 /* which no aperture here is wider than */

static void
see_points (Scene *self, const float *image, float *points)
{
  g_assert_true (prism_cpu_telescope_set_object (self->fixture.telescope, image, NULL));
  prism_cpu_telescope_measure_points (self->fixture.telescope, self->masks[0], self->points,
                                      points);
}

/* The derivative of the amplitude, as in apply_record(). */
static void
apply_points (gpointer data, const float *in, float *out)
{
  Scene *self = data;
  const int n_object = self->fixture.m * self->fixture.m;
  g_autofree float *moved = g_new (float, n_object);
  float *points = new_aligned (SIDE * SIDE);

  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (int i = 0; i < n_object; i++)
        moved[i] = self->image[i] + sign * in[i];
      see_points (self, moved, points);
      for (int i = 0; i < SIDE * SIDE; i++)
        {
          double part = sign * (double) points[i] * points[i] / (4.0 * self->seen_points[i]);

          out[i] = (float) (part + (sign > 0 ? out[i] : 0.0));
        }
    }
}

/* The slope of the misfit w·step²·Σ(|φ| - A)² where |φ| - A is out/(2·w·step²). */
static void
adjoin_points (gpointer data, const float *out, float *in)
{
  Scene *self = data;
  const float factor = 2.0f * self->points * self->points;
  const PrismMisfitTerm term = { .slot = 0, .weight = 1.0f, .step = self->points };
  double misfit = 0.0;

  for (int i = 0; i < SIDE * SIDE; i++)
    self->target_points[i] = self->seen_points[i] - out[i] / factor;
  g_assert_true (prism_cpu_telescope_bind_points (self->fixture.telescope, 0, self->masks[0],
                                                  self->target_points, self->points, NULL, NULL));
  memset (in, 0, self->fixture.m * self->fixture.m * sizeof *in);
  prism_cpu_telescope_add_misfit_gradient (self->fixture.telescope, self->image, &term, 1, in,
                                           &misfit);
}

TEST_ROWS (adjoint_of_points, "/engine/forward-models/adjoint-of-points", telescopes)
{
  for (guint k = 0; k < N_SMALL * N_SEEDS; k++)
    {
      const int *size = sizes[k / N_SEEDS];
      const guint64 seed = 1 + k % N_SEEDS;
      Scene scene;
      const ForwardModel model = {
        .name = "amplitude of points",
        .n_in = size[1] * size[1],
        .n_out = SIDE * SIDE,
        .apply = apply_points,
        .adjoint = adjoin_points,
        .rounding = 4e-5,
        .data = &scene,
      };

      scene_init (&scene, data, size, seed);
      scene.points = size[0] / SIDE;
      scene.seen_points = new_aligned (SIDE * SIDE);
      scene.target_points = new_aligned (SIDE * SIDE);
      see_points (&scene, scene.image, scene.seen_points);
      forward_model_check (&model, seed);
    }
}

/* ---- losses and misfits ---- */

static double
evaluate_loss (gpointer data, const float *in, float *gradient)
{
  Scene *self = data;
  PrismStepResult result;

  prism_cpu_telescope_compute_gradient (self->fixture.telescope, &self->step, in, gradient,
                                        &result);
  return result.loss_new + result.loss_old;
}

static double
evaluate_misfit (gpointer data, const float *in, float *gradient)
{
  Scene *self = data;
  const PrismMisfitTerm terms[] = {
    { 0, 1.5f, self->noise, self->read, 0.01f, self->points, self->offset, self->offset / 2 },
    { 1, 0.5f, 2.0f * self->noise, 2.0f * self->read, 0.01f },
  };
  double misfit = 0.0;

  memset (gradient, 0, self->fixture.m * self->fixture.m * sizeof *gradient);
  prism_cpu_telescope_add_misfit_gradient (self->fixture.telescope, in, terms,
                                           G_N_ELEMENTS (terms), gradient, &misfit);
  return misfit;
}

TEST_ROWS (losses, "/engine/forward-models/losses", telescopes)
{
  static const char *const names[] = { "l1", "l2", "ssim", "ms-ssim", "composite" };

  const guint n_sizes = data == &telescopes[0] ? G_N_ELEMENTS (sizes) : N_SMALL;

  for (guint k = 0; k < n_sizes; k++)
    for (guint64 seed = k < N_SMALL ? N_SEEDS - 1 : N_SEEDS; seed <= N_SEEDS; seed++)
      {
        Scene scene;
        ForwardModel model = {
          .n_in = sizes[k][1] * sizes[k][1],
          .evaluate = evaluate_loss,
          .data = &scene,
        };

        scene_init (&scene, data, sizes[k], seed);
        scene.step = (PrismStep) {
          .weights = { 0.3f, 0.5f, 0.3f, 0.2f },
          .normalise = seed % 2,
          .new_term = { 0, 1.0f },
          .n_old = 1,
          .old_terms = { { 1, 0.5f } },
        };
        for (int loss = PRISM_LOSS_L1; loss <= PRISM_LOSS_COMPOSITE; loss++)
          for (int domain = PRISM_DOMAIN_AMPLITUDE; domain <= PRISM_DOMAIN_INTENSITY; domain++)
            {
              scene.step.loss = loss;
              scene.step.domain = domain;
              model.name = names[loss];
              model.quotient = loss == PRISM_LOSS_L2 || loss == PRISM_LOSS_SSIM ? 0.0 : KINKED;
              forward_model_check (&model, seed);
            }
      }
}

TEST_ROWS (misfits, "/engine/forward-models/misfits", telescopes)
{
  static const char *const names[] = { "plain", "shot noise", "read noise", "both noises" };
  static const char *const names_of_points[]
      = { "points", "points, shot noise", "points, read noise", "points, both noises" };

  for (guint k = 0; k < N_SMALL; k++)
    for (guint64 seed = N_SEEDS - 1; seed <= N_SEEDS; seed++)
      {
        Scene scene;
        ForwardModel model = {
          .n_in = sizes[k][1] * sizes[k][1],
          .evaluate = evaluate_misfit,
          .data = &scene,
        };

        scene_init (&scene, data, sizes[k], seed);
        for (int noisy = 0; noisy < 4; noisy++)
          {
            scene.noise = noisy % 2 ? 0.02f : 0.0f;
            scene.read = noisy / 2 ? 3e-4f : 0.0f;
            scene.points = 0;
            model.name = names[noisy];
            forward_model_check (&model, seed);
            scene.points = sizes[k][0] / SIDE;
            scene.offset = scene.points - 1;
            model.name = names_of_points[noisy];
            forward_model_check (&model, seed);
          }
      }
}

/* ---- the decoder ---- */

/* Its image as a function of one array of parameters. */
typedef struct
{
  PrismDecoderPlan plan;
  PrismPool *pool;
  PrismCpuDecoder *decoder;
  float *parameters;      /* [P] */
  float *output_gradient; /* [m][m] */
  gsize first;            /* of the array */
  gsize n_values;
} Decoder;

static void
decoder_init (Decoder *self, const char *channels, int size, PrismNormKind norm)
{
  g_autoptr (PrismConfig) config = prism_config_new ();

  *self = (Decoder) { 0 };
  config->image_size = 64;
  config->object_size = size;
  config->latent = 20;
  config->norm = norm;
  g_assert_true (prism_config_set_text (config, "channels", channels, NULL));
  g_assert_true (prism_decoder_plan_init_config (&self->plan, config, NULL));
  self->pool = OWN (prism_pool_free, prism_pool_new (2, NULL));
  self->parameters = OWN (g_free, g_new0 (float, self->plan.n_parameters));
  self->output_gradient = OWN (g_free, new_image (size * size, 77));
}

static void
decoder_open (Decoder *self)
{
  self->decoder = OWN (prism_cpu_decoder_free,
                       MUST (prism_cpu_decoder_new (&self->plan, PRISM_CPU_DECODER_TRAIN,
                                                    self->pool, &error)));
}

/* With every value above 0 and no bias no ReLU cuts: the image is linear in each array alone. Half
 * of what moving it both ways does is then its derivative, exactly. */
static void
apply_layer (gpointer data, const float *in, float *out)
{
  Decoder *self = data;
  const gsize n_pixels = (gsize) self->plan.object_size * self->plan.object_size;
  g_autofree float *moved = g_memdup2 (self->parameters, self->plan.n_parameters * sizeof (float));

  for (int sign = -1; sign <= 1; sign += 2)
    {
      for (gsize i = 0; i < self->n_values; i++)
        moved[self->first + i] = self->parameters[self->first + i] * (1.0f + 0.25f * sign * in[i]);
      prism_cpu_decoder_set_parameters (self->decoder, moved);
      const float *output = prism_cpu_decoder_forward (self->decoder);
      for (gsize i = 0; i < n_pixels; i++)
        out[i] = sign < 0 ? -output[i] : 2.0f * (output[i] + out[i]);
    }
}

/* A step of in[i] moves its parameter by a part of itself. */
static void
adjoin_layer (gpointer data, const float *out, float *in)
{
  Decoder *self = data;
  g_autofree float *gradient = g_new (float, self->plan.n_parameters);

  prism_cpu_decoder_set_parameters (self->decoder, self->parameters);
  prism_cpu_decoder_forward (self->decoder);
  g_assert_true (prism_cpu_decoder_backward (self->decoder, out, NULL));
  prism_cpu_decoder_get_gradient (self->decoder, gradient);
  for (gsize i = 0; i < self->n_values; i++)
    in[i] = self->parameters[self->first + i] * gradient[self->first + i];
}

static void
check_layer (Decoder *self, const char *name, gsize first, gsize n_values)
{
  ForwardModel model = {
    .name = name,
    .n_in = (int) n_values,
    .n_out = self->plan.object_size * self->plan.object_size,
    .apply = apply_layer,
    .adjoint = adjoin_layer,
    .rounding = 1e-3, /* of the difference of two images that are nearly the same */
    .data = self,
  };

  self->first = first;
  self->n_values = n_values;
  for (guint64 seed = 1; seed <= 2; seed++)
    forward_model_check (&model, seed);
}

static void
check_layers (const char *channels, int size)
{
  Decoder decoder;
  PrismDecoderPlan *plan = &decoder.plan;

  decoder_init (&decoder, channels, size, PRISM_NORM_NONE);
  for (int i = 0; i < plan->n_layers; i++)
    {
      const PrismLayer *layer = &plan->layers[i];

      for (gsize k = 0; k < layer->n_weights; k++)
        decoder.parameters[layer->weight + k]
            = (float) (0.5 + prism_random_uniform (i, PRISM_STREAM_OBJECT, 5, k))
              / (layer->in_channels * (layer->kind == PRISM_LAYER_CONVOLVE ? 9 : 4));
    }
  for (int i = 0; i < plan->latent; i++)
    decoder.parameters[i] = (float) (0.5 + prism_random_uniform (9, PRISM_STREAM_OBJECT, 6, i));
  plan->layers[plan->n_layers - 1].activation = PRISM_ACTIVATION_NONE;
  decoder_open (&decoder);
  check_layer (&decoder, "latent vector", 0, plan->latent);
  for (int i = 0; i < plan->n_layers; i++)
    {
      g_autofree char *name = g_strdup_printf ("layer %d of %s", i, channels);

      check_layer (&decoder, name, plan->layers[i].weight, plan->layers[i].n_weights);
    }
}

TEST (decoder_layers, "/engine/forward-models/decoder/layers")
{
  check_layers ("6 5 3 1", 16);
  check_layers ("32 16 18 7 1", 18);
  check_layers ("24 10 20 7 3 1", 30);
}

/* All parameters together, with every norm and activation as it is trained. */
static double
evaluate_decoder (gpointer data, const float *in, float *gradient)
{
  Decoder *self = data;
  const int n_pixels = self->plan.object_size * self->plan.object_size;
  double sum = 0.0;

  prism_cpu_decoder_set_parameters (self->decoder, in);
  const float *output = prism_cpu_decoder_forward (self->decoder);
  for (int i = 0; i < n_pixels; i++)
    sum += (double) output[i] * self->output_gradient[i];
  g_assert_true (prism_cpu_decoder_backward (self->decoder, self->output_gradient, NULL));
  prism_cpu_decoder_get_gradient (self->decoder, gradient);
  return sum;
}

TEST (decoder_gradient, "/engine/forward-models/decoder/gradient")
{
  static const PrismNormKind norms[] = { PRISM_NORM_BATCH, PRISM_NORM_NONE };

  for (guint i = 0; i < 4; i++)
    {
      Decoder decoder;
      ForwardModel model = {
        .name = i / 2 == 0 ? "decoder with norm" : "decoder without norm",
        .evaluate = evaluate_decoder,
        .reach = 3e-3f,
        .data = &decoder,
      };

      decoder_init (&decoder, i % 2 == 0 ? "6 5 3 1" : "24 10 20 7 1", i % 2 == 0 ? 16 : 18,
                    norms[i / 2]);
      prism_decoder_plan_initialise (&decoder.plan, 3, decoder.parameters);
      decoder_open (&decoder);
      model.n_in = (int) decoder.plan.n_parameters;
      model.place = decoder.parameters;
      for (guint64 seed = 1; seed <= 3; seed++)
        forward_model_check (&model, seed);
    }
}
