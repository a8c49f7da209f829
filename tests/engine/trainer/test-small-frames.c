#include "config.h"

#include "../support/test-run-parts.h"

#include <math.h>

/* Whole runs with small frames against the same with whole ones, for everything that a telescope or
 * a camera may be. Dimensions of this file: n = 128, m = 24, N = samples. */

#define N_FIELD 128
#define MOST_LOST 1.3          /* dB, as in quality.md */
#define MOST_LOST_IN_NOISE 2.0 /* after so few passes, of chance too */

typedef struct
{
  const char *name;
  guint side; /* of the frames that passes look at */
  int samples;
  int shape;
  double radius;
  double line_length;
  double snr;
  double read_snr;
  int domain;
  gboolean is_recorded;
  int cache_size; /* MiB: as little as that holds frames small */
} Case;

static const Case cases[] = {
  { "disk", .side = 32, .samples = 60, .radius = 7.5 },
  { "hexagon", .side = 32, .samples = 60, .shape = PRISM_SHAPE_HEXAGON, .radius = 7.5 },
  { "obscured", .side = 32, .samples = 60, .shape = PRISM_SHAPE_OBSCURED, .radius = 7.5 },
  { "line", .side = 32, .samples = 40, .radius = 7.5, .line_length = 6 },
  { "shot-noise", .side = 64, .samples = 120, .radius = 7.5, .snr = 20 },
  { "read-noise", .side = 64, .samples = 120, .radius = 7.5, .read_snr = 20 },
  { "hexagon-noise",
    .side = 64,
    .samples = 120,
    .shape = PRISM_SHAPE_HEXAGON,
    .radius = 7.5,
    .snr = 20 },
  { "line-noise",
    .side = 64,
    .samples = 80,
    .radius = 7.5,
    .line_length = 6,
    .snr = 20,
    .read_snr = 25 },
  { "intensity", .side = 32, .samples = 60, .radius = 7.5, .domain = PRISM_DOMAIN_INTENSITY },
  { "recorded", .side = 32, .samples = 60, .radius = 7.5, .is_recorded = TRUE },
  { "recorded-noise", .side = 64, .samples = 120, .radius = 7.5, .snr = 20, .is_recorded = TRUE },
  { "held-small", .side = 32, .samples = 60, .radius = 7.5, .cache_size = 1 },
  { "held-small-line",
    .side = 32,
    .samples = 40,
    .radius = 7.5,
    .line_length = 6,
    .cache_size = 1 },
  { "held-small-obscured",
    .side = 32,
    .samples = 60,
    .shape = PRISM_SHAPE_OBSCURED,
    .radius = 7.5,
    .cache_size = 1 },
};

static PrismConfig *
make_config (const Case *scene,
             int frames)
{
  PrismConfig *config = prism_config_new ();

  config->method = PRISM_METHOD_DECODER;
  config->image_size = N_FIELD;
  config->object_size = 24;
  config->samples = scene->samples;
  config->aperture_shape = scene->shape;
  config->aperture_radius = scene->radius;
  config->line_length = scene->line_length;
  config->snr = scene->snr;
  config->read_snr = scene->read_snr;
  config->domain = scene->domain;
  config->cache_size = scene->cache_size;
  config->frames = frames;
  config->steps = 2;
  config->start_steps = 10;
  config->consistency = 1;
  config->polish = 40;
  config->threads = 1;
  return config;
}

/* In place of the telescope what its camera has recorded. */
static void
record (Run *run)
{
  const guint n = run->pattern->n_points;
  g_autofree PrismImage **frames = g_new0 (PrismImage *, n);
  g_autoptr (GError) error = NULL;

  run_measure (run);
  for (guint i = 0; i < n; i++)
    frames[i] = prism_measurements_dup_image (run->measurements, i, &error);
  g_assert_no_error (error);
  g_clear_pointer (&run->measurements, prism_measurements_free);
  prism_scene_unref (run->scene);
  run->scene = prism_scene_new_recorded (frames, run->pattern, run->object, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    prism_image_unref (frames[i]);
}

/* PSNR of the result. */
static double
run_through (const Case *scene,
             int frames,
             guint *side)
{
  g_autoptr (PrismSnapshot) snapshot = NULL;
  double psnr;
  Run run;

  run_prepare (&run, make_config (scene, frames), NULL, prism_registry_get_ops ("cpu"));
  if (scene->cache_size > 0)
    prism_cache_set_budget (run.cache, 12 * N_FIELD * N_FIELD * sizeof (float));
  if (scene->is_recorded)
    record (&run);
  run_start (&run);
  snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
  *side = snapshot->frame_side;
  psnr = snapshot->metrics.psnr;
  run_close (&run);
  return psnr;
}

static void
test_as_good (gconstpointer data)
{
  const Case *scene = data;
  const double most = scene->snr + scene->read_snr > 0.0 ? MOST_LOST_IN_NOISE : MOST_LOST;
  double psnr[PRISM_FRAMES_SMALL + 1];
  guint side;

  for (int frames = PRISM_FRAMES_FULL; frames <= PRISM_FRAMES_SMALL; frames++)
    psnr[frames] = run_through (scene, frames, &side);
  g_test_message ("%.2f dB with whole frames, %.2f with %u×%u points", psnr[PRISM_FRAMES_FULL],
                  psnr[PRISM_FRAMES_SMALL], side, side);
  g_assert_cmpuint (side, ==, scene->side);
  g_assert_cmpfloat (psnr[PRISM_FRAMES_SMALL], >, psnr[PRISM_FRAMES_FULL] - most);
}

int
main (int argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/small-frames/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_as_good);
    }
  return g_test_run ();
}
