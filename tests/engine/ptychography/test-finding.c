#include "config.h"

#include "../support/microscope.h"
#include "../support/test-remove-tree.h"
#include "base/prism-arena.h"
#include "base/prism-number.h"
#include "num/prism-metrics.h"
#include "num/prism-resample.h"
#include "prism-test.h"
#include "ptychography/prism-finding-picture.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-export.h"

#define tear_down NULL

/* What is found, as pictures, and from the folder of a result. */

typedef struct
{
  Microscope *truth;
  PrismConfig *settings;
  PrismPtychography *solver;
  GArray *progress;
  PrismFinding *finding;
  const char *folder;
  const char *summary; /* in it */
} Fixture;

SET_UP
{
  self->truth = OWN (microscope_free, microscope_new (&(const MicroscopeErrors) { .seed = 1 }));
  self->settings = OWN (prism_config_free, prism_config_new_recorded ());
  self->settings->border = 0;
  self->settings->passes = 4;
  PrismPtychogram *frames = prism_ptychogram_new (self->truth->recording, self->settings, NULL);
  const int side = frames->upsampling * frames->side;
  self->solver = OWN (prism_ptychography_free,
                      prism_ptychography_new (frames, self->settings,
                                              self->truth->recording->wavelength,
                                              self->truth->recording->na, NULL));
  self->progress = OWN (g_array_unref, g_array_new (FALSE, FALSE, sizeof (PrismPrediction)));
  g_assert_true (prism_ptychography_begin (self->solver));
  for (int pass = 0; pass < self->settings->passes; pass++)
    {
      g_assert_true (prism_ptychography_step (self->solver));
      PrismPrediction held = prism_ptychography_predict (self->solver, TRUE, NULL, NULL);
      g_array_append_val (self->progress, held);
    }
  self->finding = OWN (prism_finding_unref,
                       prism_finding_new (self->solver, self->progress, "frames.hdf5", 1.5));
  prism_finding_set_object (self->finding,
                            MUST (prism_ptychography_dup_object (self->solver, &error)), side, side,
                            prism_ptychogram_get_white (frames));
  self->folder = OWN (test_folder_free, test_folder_new ());
  self->summary = in_folder (self->folder, "summary.json");
}

static gboolean
save (Fixture *self, const char *folder, GError **error)
{
  PrismPtychographyOutcome outcome = { .recording = self->truth->recording,
                                       .settings = self->settings,
                                       .finding = self->finding,
                                       .seconds = 1.5 };

  return prism_ptychography_export_save_all (self->solver, &outcome, folder, error);
}

/* What was saved comes back, up to the digits of tables and the single precision of arrays. */
TEST_FIXTURE (load, "/engine/finding/load")
{
  const PrismFinding *found = self->finding;
  g_autoptr (GError) error = NULL;

  g_assert_true (save (self, self->folder, &error));
  g_autoptr (PrismFinding) again = MUST (prism_finding_load (self->folder, &error));
  g_assert_cmpint (again->object_width, ==, found->object_width);
  g_assert_cmpmem (again->object, 8 * again->object_width * again->object_width, found->object,
                   8 * found->object_width * found->object_width);
  g_assert_cmpmem (again->pupil, 8 * again->side * again->side, found->pupil,
                   8 * found->side * found->side);
  g_assert_cmpuint (again->n_frames, ==, found->n_frames);
  g_assert_cmpuint (again->progress->len, ==, 4);
  g_assert_cmpfloat_with_epsilon (again->radius, found->radius, 1e-6);
  g_assert_cmpfloat_with_epsilon (again->pixel_size, found->pixel_size, 1e-12);
  g_assert_cmpfloat_with_epsilon (again->wavelength, self->truth->recording->wavelength, 1e-15);
  g_assert_cmpfloat_with_epsilon (again->na, self->truth->recording->na, 1e-6);
  g_assert_cmpint (again->settings->passes, ==, 4);
  g_assert_cmpint (again->settings->border, ==, 0);
  g_assert_cmpint (found->settings->passes, ==, 4);
  g_assert_cmpfloat_with_epsilon (again->held_out.correlation, found->held_out.correlation, 1e-6);
  g_assert_cmpuint (again->held_out.n_frames, ==, found->held_out.n_frames);
  for (guint i = 0; i < PRISM_PUPIL_N_MODES; i++)
    g_assert_cmpfloat_with_epsilon (again->waves[i], found->waves[i], 1e-6);
  for (guint j = 0; j < found->n_frames; j++)
    {
      g_assert_cmpint (again->frames[j].held, ==, found->frames[j].held);
      g_assert_cmpfloat_with_epsilon (again->frames[j].found[1], found->frames[j].found[1], 1e-4);
      g_assert_cmpfloat_with_epsilon (again->frames[j].misfit, found->frames[j].misfit, 1e-5);
      g_assert_true (isnan (again->frames[j].gain) == found->frames[j].held);
    }
}

#define MARKS \
  ", \"marks\": [{\"mark\": \"ellipse 1 1 9 9\", \"amplitude\": 2, \"amplitude_error\": 1}]}"

/* 1 is white in the frames, in the picture of a run and in the file; of a folder of an earlier
 * version, and of its marks, what it calls white is. */
TEST_FIXTURE (unit, "/engine/finding/unit")
{
  g_autoptr (PrismPtychogram) frames
      = prism_ptychogram_new (self->truth->recording, self->settings, NULL);
  const double white = (double) prism_ptychogram_get_white (frames);
  prism_autofree_array float *raw = prism_ptychography_dup_object (self->solver, NULL);
  g_autoptr (PrismImage) amplitude = NULL, phase = NULL;
  g_autofree char *text = NULL, *end = NULL, *rest = NULL;

  g_assert_true (prism_finding_picture_make_pair (self->finding, &amplitude, &phase, NULL));
  g_assert_true (save (self, self->folder, NULL));
  g_autoptr (PrismFinding) again = prism_finding_load (self->folder, NULL);
  for (int i = 0; i < again->object_height * again->object_width; i++)
    {
      const float *of = again->object + 2 * i;
      const double expected = hypot ((double) raw[2 * i], (double) raw[2 * i + 1]) / white;

      g_assert_cmpfloat_with_epsilon (hypot ((double) of[0], (double) of[1]), expected, 1e-5);
      g_assert_cmpfloat_with_epsilon ((double) amplitude->pixels[i], expected, 1e-5);
    }
  g_assert_true (g_file_get_contents (self->summary, &text, NULL, NULL));
  char *at = strstr (text, "\"frame_white\" : ");
  g_assert_nonnull (at);
  rest = g_strdup (at + strlen ("\"frame_"));
  *at = '\0';
  end = g_strconcat (text, "\"", rest, NULL);
  *strrchr (end, '}') = '\0';
  g_free (text);
  text = g_strconcat (end, MARKS, NULL);
  g_assert_true (g_file_set_contents (self->summary, text, -1, NULL));
  g_autoptr (PrismFinding) former = MUST (prism_finding_load (self->folder, &error));
  g_assert_cmpfloat_with_epsilon ((double) former->object[0], (double) again->object[0] / white,
                                  1e-5);
  const PrismMeasured *measured = &g_array_index (former->readings, PrismMarkReading, 0)
                                       .measured[PRISM_MEASURE_AMPLITUDE];
  g_assert_cmpfloat_with_epsilon (measured->value * white, 2, 1e-5);
  g_assert_cmpfloat_with_epsilon (measured->error * white, 1, 1e-5);
}

/* Each frame has its own misfit and correlation. */
TEST_FIXTURE (frames, "/engine/finding/frames")
{
  const guint n = self->finding->n_frames;
  g_autofree double *misfits = g_new0 (double, n), *correlations = g_new0 (double, n);
  guint n_held = 0;

  prism_ptychography_predict (self->solver, TRUE, misfits, correlations);
  for (guint j = 0; j < n; j++)
    if (self->finding->frames[j].held)
      {
        g_assert_cmpfloat (self->finding->frames[j].misfit, ==, misfits[j]);
        g_assert_cmpfloat (self->finding->frames[j].correlation, ==, correlations[j]);
        g_assert_cmpfloat (self->finding->frames[j].light, >, 0);
        n_held++;
      }
  g_assert_cmpuint (n_held, ==, self->finding->held_out.n_frames);
  g_assert_cmpuint (n_held, >, 1);
}

/* A file that cannot be written is named, and no other one is there. */
TEST_FIXTURE (stopped, "/engine/finding/stopped")
{
  static const char *const names[]
      = { "object.npy", "amplitude.npy", "phase.npy", "amplitude.tif", "phase.tif",
          "amplitude.png", "phase.png", "pupil.npy", "pupil-amplitude.png", "pupil-phase.png",
          "object.ome.tif", "result.h5", "frames.csv", "passes.csv", "summary.json" };

  for (gsize k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autofree char *folder = g_dir_make_tmp ("prism-finding-XXXXXX", NULL);
      g_autofree char *first = g_build_filename (folder, names[k], "in-the-way", NULL);

      g_assert_cmpint (g_mkdir_with_parents (first, 0700), ==, 0);
      FAILS (save (self, folder, &error), IO, names[k]);
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        g_assert_false (g_file_test (in_folder (folder, names[i]), G_FILE_TEST_IS_REGULAR));
      test_remove_tree (folder);
    }
}

/* The folder says after which pass passes were taken back, and so does what is read of it. */
TEST_FIXTURE (taken_back, "/engine/finding/taken-back")
{
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);

  g_assert_true (save (self, self->folder, NULL));
  g_autoptr (PrismFinding) again = prism_finding_load (self->folder, NULL);
  prism_finding_tell (again, said);
  g_assert_cmpuint (said->len, ==, again->doubts->len);
  g_autofree char *text = NULL;
  g_assert_true (g_file_get_contents (self->summary, &text, NULL, NULL));
  char *at = strstr (text, "\"taken_back_after\" : 0");
  g_assert_nonnull (at);
  at[strlen ("\"taken_back_after\" : ")] = '6';
  g_assert_true (g_file_set_contents (self->summary, text, -1, NULL));
  g_autoptr (PrismFinding) turned = prism_finding_load (self->folder, NULL);
  g_ptr_array_set_size (said, 0);
  prism_finding_tell (turned, said);
  HAS (said->pdata[0], "taken back after pass 6;");
}

#define HEAD "{\"held_out\": {\"frames\": \"x\"}, \"pupil\": {\"waves\": 3}, \"object\": {}, "

/* Each wrong folder is one sentence. */
TEST_FIXTURE (refused, "/engine/finding/refused")
{
  static const struct
  {
    const char *file, *text; /* (nullable): what is in it */
    const char *part;        /* of the sentence */
  } rows[] = {
    { NULL, NULL, "summary.json" },
    { "summary.json", "", "not a JSON object" },
    { "summary.json", "[1]", "not a JSON object" },
    { "summary.json", "{\"held_out\": 1, \"pupil\": []}", "has no held_out" },
    { "summary.json", HEAD "\"frames\": {}, \"settings\": 3}", "has no settings" },
    { "summary.json", HEAD "\"frames\": {}, \"settings\": {}}", "object.npy" },
    { "object.npy", "nothing", "object.npy" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      if (rows[i].file != NULL)
        g_assert_true (
            g_file_set_contents (in_folder (self->folder, rows[i].file), rows[i].text, -1, NULL));
      g_assert_null (prism_finding_load (self->folder, &error));
      HAS (error->message, rows[i].part);
    }
}

static PrismImage *
draw (const PrismFinding *finding, PrismFindingPicture picture)
{
  return MUST (prism_finding_picture_new (finding, picture, &error));
}

/* All phases are the same up to turns, and the flat one up to a plane. */
TEST_FIXTURE (pictures, "/engine/finding/pictures")
{
  g_autoptr (PrismImage) phase = draw (self->finding, PRISM_FINDING_PHASE);
  g_autoptr (PrismImage) unwrapped = draw (self->finding, PRISM_FINDING_UNWRAPPED);
  g_autoptr (PrismImage) flat = draw (self->finding, PRISM_FINDING_FLAT);
  g_autoptr (PrismImage) amplitude = draw (self->finding, PRISM_FINDING_AMPLITUDE);
  g_autoptr (PrismImage) pupil = draw (self->finding, PRISM_FINDING_PUPIL_PHASE);
  const int side = self->finding->object_width;
  double bend = 0;

  for (int i = 0; i < side * side; i++)
    {
      const double turns = (double) (unwrapped->pixels[i] - phase->pixels[i]) / (2 * G_PI);

      g_assert_cmpfloat_with_epsilon (turns, round (turns), 1e-4);
      g_assert_cmpfloat (amplitude->pixels[i], >=, 0);
    }
  for (int y = 1; y + 1 < side; y++)
    for (int x = 1; x + 1 < side; x++)
      {
        const float *a = unwrapped->pixels + y * side + x, *b = flat->pixels + y * side + x;
        const double difference = (double) ((a[-1] - 2 * a[0] + a[1]) - (b[-1] - 2 * b[0] + b[1]));

        bend = MAX (bend, fabs (remainder (difference, 2 * G_PI)));
      }
  g_assert_cmpfloat (bend, <, 1e-3);
  g_assert_true (isnan (pupil->pixels[0]));
  g_assert_false (isnan (pupil->pixels[(pupil->width + 1) * (pupil->width / 2)]));
}

/* The brightest point of the spectrum is its centre, and the light ends where pupils do. */
TEST_FIXTURE (spectrum, "/engine/finding/spectrum")
{
  g_autoptr (PrismImage) spectrum = draw (self->finding, PRISM_FINDING_SPECTRUM);
  const int side = self->finding->object_width;
  double inside = 0, outside = 0, reach = 0;
  int n_inside = 0, n_outside = 0;

  for (guint j = 0; j < self->finding->n_frames; j++)
    reach = MAX (reach, hypot (self->finding->frames[j].found[0],
                               self->finding->frames[j].found[1]));
  g_assert_cmpfloat (spectrum->pixels[side / 2 * side + side / 2], ==, 0);
  for (int i = 0; i < side * side; i++)
    if (hypot (i % side - side / 2, i / side - side / 2) < reach)
      inside += (double) spectrum->pixels[i], n_inside++;
    else if (hypot (i % side - side / 2, i / side - side / 2)
             > reach + self->finding->radius + 3)
      outside += (double) spectrum->pixels[i], n_outside++;
  g_assert_cmpint (n_outside, >, 0);
  g_assert_cmpfloat (inside / n_inside, >, outside / n_outside + 1);
}

/* Bright and dark field are what frames come to whose light the aperture lets pass, or not. */
TEST_FIXTURE (contrasts, "/engine/finding/contrasts")
{
  const PrismRecording *recording = self->truth->recording;
  const gsize n = (gsize) recording->width * recording->width;

  for (int dark = 0; dark < 2; dark++)
    {
      g_autoptr (PrismImage) seen = draw (self->finding, PRISM_FINDING_CONTRAST + dark);
      g_autoptr (PrismImage) small
          = prism_resample (seen, (int) recording->width, (int) recording->width, NULL);
      g_autoptr (PrismImage) sum = prism_image_new (small->height, small->width, NULL);
      PrismMetrics metrics;

      g_assert_cmpint (seen->width, ==, self->finding->object_width);
      for (guint j = 0; j < self->finding->n_frames; j++)
        for (gsize i = 0; i < n; i++)
          if ((hypot (self->finding->frames[j].found[0], self->finding->frames[j].found[1])
               > self->finding->radius)
              == dark)
            sum->pixels[i] += recording->frames[j * n + i];
      prism_metrics_compute_errors (&metrics, small->pixels, sum->pixels, small->height,
                                    small->width);
      g_assert_cmpfloat (metrics.pearson, >, 0.99);
    }
}

static char *
dup_warnings (const PrismFinding *finding)
{
  g_autoptr (GPtrArray) told = g_ptr_array_new_with_free_func (g_free);

  prism_finding_tell (finding, told);
  g_ptr_array_add (told, NULL);
  return g_strjoinv ("\n", (char **) told->pdata);
}

/* A moment in the file of a run says of its LEDs what it said when it was there. */
TEST_FIXTURE (warnings, "/engine/finding/warnings")
{
  g_autofree char *path = g_build_filename (self->folder, "a.prismrun", NULL);
  g_autoptr (PrismArchiveWriter) writer = MUST (prism_archive_writer_new (path, &error));
  g_autoptr (PrismFinding) back = NULL;

  if (self->finding->predicted == NULL)
    self->finding->predicted = prism_image_new (self->finding->side, self->finding->side, NULL);
  self->finding->taken_back_after = 3;
  g_ptr_array_add (self->finding->doubts, g_strdup ("LED 7 is dark: “0.02” of what is said."));
  g_autofree char *before = dup_warnings (self->finding);
  prism_finding_save_members (self->finding, writer, "3-");
  g_assert_true (MUST (prism_archive_writer_finish (writer, &error)));
  g_autoptr (PrismArchive) archive = MUST (prism_archive_open (path, &error));
  g_assert_true (MUST (prism_finding_load_members (archive, "3-", &back, &error)));
  SAYS (dup_warnings (back), before);
  g_assert_cmpuint (back->n_frames, ==, self->finding->n_frames);
}

/* Red without a phase, as bright as the amplitude. */
TEST_FIXTURE (colors, "/engine/finding/colors")
{
  g_autoptr (PrismImage) phase = draw (self->finding, PRISM_FINDING_PHASE);
  prism_autofree_array guint32 *colors = prism_finding_picture_dup_colors (self->finding, NULL);
  int n_near = 0;

  for (int i = 0; i < self->finding->object_width * self->finding->object_width; i++)
    {
      const int red = colors[i] >> 16 & 255, green = colors[i] >> 8 & 255, blue = colors[i] & 255;

      if (fabsf (phase->pixels[i]) > 0.1f || red < 60)
        continue;
      n_near++;
      g_assert_cmpint (red, >, 2 * green);
      g_assert_cmpint (red, >, 2 * blue);
    }
  g_assert_cmpint (n_near, >, 0);
}

/* Tiles that are missing are 0: no picture of the object shows that as if it were measured. */
TEST_FIXTURE (unknown, "/engine/finding/unknown")
{
  const int side = self->finding->object_width, half = side / 2 * side;
  g_autoptr (PrismImage) amplitude = NULL, phase = NULL;

  memset (self->finding->object, 0, 2 * sizeof (float) * half);
  for (PrismFindingPicture picture = 0; picture < PRISM_FINDING_SPECTRUM; picture++)
    {
      g_autoptr (PrismImage) image = draw (self->finding, picture);

      g_assert_true (isnan (image->pixels[0]) && isnan (image->pixels[half - 1]));
      g_assert_true (prism_finite_all (image->pixels + half, side * side - half));
    }
  g_assert_true (prism_finding_picture_make_pair (self->finding, &amplitude, &phase, NULL));
  for (int i = 0; i < side * side; i++)
    {
      g_assert_cmpint (isnan (amplitude->pixels[i]) != 0, ==, i < half);
      g_assert_cmpint (isnan (phase->pixels[i]) != 0, ==, i < half);
    }
}

/* Each of red, green and blue is 0.5 + 0.45 cos of what lies between its third of a turn and the
 * phase. */
TEST_FIXTURE (wheel, "/engine/finding/colors/wheel")
{
  static const float values[][2] = { { 1, 0 }, { -2, 0 }, { 0, 0.5f }, { 0, 0 } };
  static const guint32 expected[] = { 0xfff24646, 0xff0db9b9, 0xff40710e, 0 };

  memcpy (self->finding->object, values, sizeof values);
  prism_autofree_array guint32 *colors = prism_finding_picture_dup_colors (self->finding, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_cmphex (colors[i], ==, expected[i]);
}
