#include "config.h"

#include "../support/microscope.h"
#include "../support/simulated-microscope.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography.h"

#include <math.h>
#include <string.h>

/* Frames that teach nothing right: half bright at the pupil's rim, wrong, or all noise. */

#define MOST_BESIDES 3 /* frames next to a wrong one that go with it */

static PrismPtychography *
solve (const PrismRecording *recording,
       const char *leave_out,
       const char *border)
{
  g_autoptr (GError) error = NULL;
  PrismPtychographySettings settings;
  PrismPtychography *solver;

  prism_ptychography_settings_init (&settings);
  g_assert_true (prism_ptychography_settings_set (&settings, "leave_out", leave_out, NULL));
  g_assert_true (prism_ptychography_settings_set (&settings, "border", border, NULL));
  solver = prism_ptychography_new (prism_ptychogram_new (recording, &settings, NULL), &settings,
                                   recording->wavelength, recording->na, &error);
  g_assert_no_error (error);
  g_assert_true (prism_ptychography_begin (solver));
  while (prism_ptychography_get_pass (solver) < prism_ptychography_get_n_passes (solver))
    g_assert_true (prism_ptychography_step (solver));
  return solver;
}

static float *
get_frame (Microscope *self,
           guint frame)
{
  return self->recording->frames + (gsize) frame * MICROSCOPE_SIDE * MICROSCOPE_SIDE;
}

/* Of frames that are used, the one whose light lies next to so many radii of the pupil. */
static guint
find_frame (Microscope *self,
            double radii)
{
  double nearest = INFINITY;
  guint found = 0;

  for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
    {
      const double distance = hypot (self->places[j][0], self->places[j][1]) / self->radius;

      if (j % 15 == 14 || !(fabs (distance - radii) < nearest))
        continue;
      nearest = fabs (distance - radii);
      found = j;
    }
  return found;
}

/* A tenth of the light comes through the pupil, from next to it: what is seen of both adds up as
 * intensity. */
static void
cut (Microscope *self,
     guint frame)
{
  double nearest = INFINITY;
  guint inner = 0;

  for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
    {
      const double *a = self->places[j], *b = self->places[frame];
      const double distance = hypot (a[0] - b[0], a[1] - b[1]);

      if (hypot (a[0], a[1]) > 0.95 * self->radius || !(distance < nearest))
        continue;
      nearest = distance;
      inner = j;
    }
  for (gsize k = 0; k < MICROSCOPE_SIDE * MICROSCOPE_SIDE; k++)
    get_frame (self, frame)[k] += 0.1f * get_frame (self, inner)[k];
}

/* As a camera does that reads a frame from its end. */
static void
reverse (Microscope *self,
         guint frame)
{
  float *values = get_frame (self, frame);

  for (gsize k = 0, l = MICROSCOPE_SIDE * MICROSCOPE_SIDE - 1; k < l; k++, l--)
    {
      const float value = values[k];

      values[k] = values[l];
      values[l] = value;
    }
}

static char *
dup_doubts (PrismPtychography *solver)
{
  g_autofree double *misfits = g_new0 (double, MICROSCOPE_FRAMES);
  g_autofree double *correlations = g_new0 (double, MICROSCOPE_FRAMES);
  g_autofree PrismFindingFrame *frames = NULL;
  g_autoptr (GPtrArray) doubts = NULL;

  prism_ptychography_predict (solver, TRUE, misfits, correlations);
  prism_ptychography_predict (solver, FALSE, misfits, correlations);
  frames = prism_finding_frame_dup_all (solver, misfits, correlations);
  doubts = prism_light_check_find (solver, frames);
  g_ptr_array_add (doubts, NULL);
  return g_strjoinv ("\n", (char **) doubts->pdata);
}

/* A light that is no point, at the rim, and a frame that was read from its end: the passes leave
 * both out, say so, and predict better for it. */
static void
test_left_out (void)
{
  g_autoptr (Microscope) truth = microscope_new (&(const MicroscopeErrors) { .seed = 3 });
  const guint rim = find_frame (truth, 1.03), wrong = find_frame (truth, 1.8);
  g_autofree char *both = g_strdup_printf ("%u,%u", rim, wrong);
  g_autoptr (PrismPtychography) plain = solve (truth->recording, "auto", "0");
  g_autoptr (PrismPtychography) solver = NULL, best = NULL;
  g_autofree char *doubts = NULL, *none = dup_doubts (plain);
  PrismPrediction found, wanted;

  for (guint j = 0; j < MICROSCOPE_FRAMES; j++)
    g_assert_false (prism_ptychography_is_stray (plain, j));
  g_assert_cmpstr (none, ==, "");
  cut (truth, rim);
  reverse (truth, wrong);
  solver = solve (truth->recording, "auto", "0");
  best = solve (truth->recording, both, "0");
  found = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  wanted = prism_ptychography_predict (best, TRUE, NULL, NULL);
  doubts = dup_doubts (solver);
  g_test_message ("frames %s, misfit %g, %g without them\n%s", both, found.misfit, wanted.misfit,
                  doubts);
  g_assert_true (prism_ptychography_is_stray (solver, rim));
  g_assert_true (prism_ptychography_is_stray (solver, wrong));
  g_assert_nonnull (strstr (doubts, "left them out"));
  g_assert_cmpuint (prism_ptychography_predict (solver, FALSE, NULL, NULL).n_frames, >=,
                    prism_ptychography_predict (best, FALSE, NULL, NULL).n_frames - MOST_BESIDES);
  g_assert_cmpfloat (found.misfit, <, 0.006);
}

/* The outer frames have next to no photon: their places, which are right, do not walk away. */
static void
test_noise (void)
{
  g_autoptr (PrismRecording) recording = simulated_microscope_new (NULL, "photons", "3e4", NULL);
  g_autoptr (PrismPtychography) solver = NULL;
  const PrismPtychogram *frames;
  const PrismIllumination *light;
  double off = 0;

  solver = solve (recording, "auto", "0");
  frames = prism_ptychography_get_frames (solver);
  light = prism_ptychography_get_illumination (solver);
  for (guint i = 0; i < frames->n_used; i++)
    for (int k = 0; k < 2; k++)
      off += pow (light->found[frames->order[i]][k] - light->recorded[frames->order[i]][k], 2);
  off = sqrt (off / frames->n_used);
  g_test_message ("places off by %g px", off);
  g_assert_cmpfloat (off, <, 0.35);
}

/* The whole board is off, and the search finds a pupil that does not meet the frames: it is
 * repeated once places are known. */
static void
test_wrong_board (void)
{
  g_autoptr (PrismRecording) recording = simulated_microscope_new (
      NULL, "photons", "0", "per_side", "11", "defocus", "1e-5", NULL);
  g_autoptr (PrismPtychography) solver = NULL;
  PrismPrediction found;

  for (gsize k = 0; k < 2 * (gsize) recording->n_frames; k++)
    recording->directions[k]
        += 2 * recording->wavelength / (recording->pixel_size * recording->width);
  solver = solve (recording, "auto", "auto");
  found = prism_ptychography_predict (solver, TRUE, NULL, NULL);
  g_test_message ("misfit %g, correlation %g", found.misfit, found.correlation);
  g_assert_cmpuint (prism_ptychography_get_pass (solver), ==, 40);
  g_assert_cmpfloat (found.misfit, <, 0.06);
}

int
main (int argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ptychography-strays/left-out", test_left_out);
  g_test_add_func ("/engine/ptychography-strays/noise", test_noise);
  g_test_add_func ("/engine/ptychography-strays/wrong-board", test_wrong_board);
  return g_test_run ();
}
