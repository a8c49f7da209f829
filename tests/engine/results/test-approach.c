#include "../support/faulty-backend.h"
#include "../support/test-run-parts.h"
#include "config/prism-preset.h"
#include "../support/test-config.h"
#include "results/prism-result.h"

/* What the methods that are compared do, by what their runs ask of the device. */

/* What may have worked on the image of a run. */
typedef struct
{
  const char *id;
  gboolean trains;    /* the decoder */
  gboolean descends;  /* live picture or refinement */
  gboolean iterates;  /* ePIE or Mo-PIE */
  PrismMotion motion; /* of the aperture, as ePIE sees it */
} Work;

static const Work works[] = {
  { "prism", TRUE, TRUE, FALSE, PRISM_MOTION_PARALLEL },
  { "decoder", TRUE, FALSE, FALSE, PRISM_MOTION_PARALLEL },
  { "epie", FALSE, FALSE, TRUE, PRISM_MOTION_IGNORED },
  { "chain", TRUE, FALSE, TRUE, PRISM_MOTION_PARALLEL },
  { "mopie", FALSE, FALSE, TRUE, PRISM_MOTION_PARALLEL },
};

static PrismConfig *
make_config (void)
{
  return test_config_new ("image_size=64 object_size=16 threads=1 aperture_radius=8 samples=3 "
                          "steps=4 start_steps=4 line_length=4");
}

static const Work *
find_work (const char *id)
{
  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    if (strcmp (works[i].id, id) == 0)
      return &works[i];
  g_assert_not_reached ();
}

/* The result of a decoder alone is what its weights say. */
static void
check_decoder_image (Run *run, const PrismSnapshot *snapshot)
{
  gsize m = (gsize) run->config->object_size;
  g_autofree float *image = g_new (float, m *m);

  run->backend->ops->forward (run->backend);
  run->backend->ops->read_image (run->backend, PRISM_SOURCE_DECODER, image);
  g_assert_true (run->backend->ops->finish (run->backend, NULL));
  g_assert_cmpmem (snapshot->reconstruction->pixels, m * m * sizeof (float), image,
                   m * m * sizeof (float));
}

static void
check_approach (const PrismApproach *method, const PrismConfig *config)
{
  const Work *work = find_work (method->id);
  PrismConfig *applied = prism_approach_apply (method, config);
  g_auto (Run) run;

  g_test_message ("%s", method->id);
  faulty_backend_disarm ();
  run_prepare (&run, applied, NULL, faulty_backend_get_ops ());
  run_start (&run);
  g_autoptr (PrismSnapshot) snapshot = run_to_phase (&run, PRISM_PHASE_DONE);
  g_assert_cmpint (faulty_backend_get_count (FAULTY_TRAIN) > 0, ==, work->trains);
  g_assert_cmpint (faulty_backend_get_count (FAULTY_DESCEND) > 0, ==, work->descends);
  g_assert_cmpint (faulty_backend_get_count (FAULTY_EPIE_UPDATE) > 0, ==, work->iterates);
  g_assert_cmpint (run.backend->spec.motion, ==, work->motion);
  if (work->trains && !work->descends && !work->iterates)
    check_decoder_image (&run, snapshot);
}

/* From the defaults, and from what each method leaves behind. */
TEST (runs_do_what_the_method_says, "/engine/approach/runs")
{
  g_autoptr (PrismConfig) config = make_config ();
  gsize n_methods;
  const PrismApproach *methods = prism_approach_get_all (&n_methods);

  g_assert_cmpuint (n_methods, ==, G_N_ELEMENTS (works));
  for (gsize from = 0; from < n_methods; from++)
    {
      g_autoptr (PrismConfig) start = prism_approach_apply (&methods[from], config);

      for (gsize to = 0; to < n_methods; to++)
        check_approach (&methods[to], start);
    }
}

TEST (labels_follow_from_the_whole_configuration, "/engine/approach/labels")
{
  static const char *const cases[][2] = {
    { "prism", "consistency=3 polish=10 finish=refine" },
    { "refined", "consistency=0 polish=10 finish=refine" },
    { "live-epie", "consistency=3 polish=10 finish=epie" },
    { "chain", "consistency=0 polish=10 finish=epie" },
    { "live", "consistency=3 polish=0 finish=refine" },
    { "live", "consistency=3 polish=0 finish=epie" },
    { "decoder", "consistency=0 polish=0 finish=refine" },
    { "decoder", "consistency=0 polish=0 finish=epie" },
  };
  g_autoptr (PrismConfig) config = make_config ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (prism_approach_find (test_config_set (config, cases[i][1]))->id, ==,
                     cases[i][0]);
}

TEST (presets_are_what_they_are_called, "/engine/approach/presets")
{
  static const char *const cases[][2] = { { "standard", "prism" },
                                          { "decoder-only", "decoder" },
                                          { "python-prism", "decoder" },
                                          { "epie", "epie" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PrismConfig) config = MUST (prism_preset_load (cases[i][0], &error));

      g_assert_cmpstr (prism_approach_find (config)->id, ==, cases[i][1]);
    }
}
