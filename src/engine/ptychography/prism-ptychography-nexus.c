/* A result of recorded frames as one file: the picture that other programs open, what it was made
 * of, and all that is needed to predict every frame again. Thread: any.
 *
 * Of frame j the camera sees |F⁻¹{P_j(k)·O(k + k_j)}|, where O is the transform of
 * /entry/model/object and k_j its place in whole pixels; P_j is /entry/model/pupil, moved by what
 * is left of the place by cubic convolution, times a disk of the radius and the rim beside it. */
#include "config.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "formats/prism-nexus.h"
#include "ptychography/prism-light-check.h"
#include "ptychography/prism-ptychography-export.h"
#include "ptychography/prism-ptychography-private.h"

/* PtyLab's object is a spectrum whose forward transform, centred and unitary, is the field: what is
 * at k in ours is at -k in its. field: [n][n][2], n even */
static void
transform (float *field,
           int n)
{
  for (int pass = 0; pass < 2; pass++)
    {
      const float scale = pass == 0 ? 1.0f : 1.0f / (float) n;

      for (int i = 0; i < n * n; i++)
        {
          const float factor = (i / n + i % n) % 2 == 0 ? scale : -scale;

          field[2 * i] *= factor;
          field[2 * i + 1] *= factor;
        }
      if (pass == 0)
        prism_fft_complex_transform (field, n, FALSE);
    }
}

/* Returns: (transfer full): [q][q][2], the pupil with what is at k at -k */
static float *
dup_turned (const float *pupil,
            int q)
{
  float *turned = g_new (float, 2 * (gsize) q * q);

  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      memcpy (turned + 2 * (row * q + column),
              pupil + 2 * ((q - row) % q * q + (q - column) % q), 2 * sizeof *turned);
  return turned;
}

/* Returns: (transfer full): [N][2], y and x of the LEDs that at this distance would be where their
 * light is found to come from, m; NAN beyond any angle */
static double *
dup_encoder (PrismPtychography *self,
             double distance)
{
  const PrismPtychogram *frames = self->frames;
  const double unit = frames->wavelength / (frames->pixel_size * frames->upsampling * frames->grid);
  double *places = g_new (double, 2 * (gsize) frames->n_frames);

  for (guint j = 0; j < frames->n_frames; j++)
    {
      const double x = self->light.found[j][0] * unit, y = self->light.found[j][1] * unit;
      const double scale = distance / sqrt (1 - x * x - y * y);

      places[2 * j] = y * scale;
      places[2 * j + 1] = x * scale;
    }
  return places;
}

/* Numbers of the held-out frames that the held-out misfit is of, and what the camera saw. */
static guint
gather_held_out (PrismPtychography *self,
                 guint32 *numbers,
                 float *amplitudes)
{
  const PrismPtychogram *frames = self->frames;
  const gsize n = (gsize) frames->side * frames->side;
  guint n_held = 0;

  for (guint j = 0; j < frames->n_frames; j++)
    if (frames->roles[j] == PRISM_FRAME_HELD_OUT && !prism_ptychography_is_stray (self, j))
      {
        const float *seen = prism_ptychogram_get (frames, j);

        for (gsize i = 0; i < n; i++)
          amplitudes[n_held * n + i] = isnan (seen[i]) ? -1 : MAX (seen[i], 0);
        numbers[n_held++] = j;
      }
  return n_held;
}

/* Of the frequencies that a frame's grid has. */
static void
add_pupil (PrismNexus *file,
           const float *pupil,
           int q,
           double field)
{
  const gsize shape[] = { (gsize) q, (gsize) q };

  prism_nexus_group (file, "/entry/pupil", "NXdata");
  prism_nexus_attribute (file, "/entry/pupil", "signal", (const char *const[]) { "pupil", NULL });
  prism_nexus_attribute (file, "/entry/pupil", "axes", (const char *const[]) { "fy", "fx", NULL });
  prism_nexus_array (file, "/entry/pupil/pupil", PRISM_NEXUS_COMPLEX, 2, shape, pupil, NULL);
  prism_nexus_axis (file, "/entry/pupil/fy", shape[0], q / 2 / field, -1 / field, "1/m");
  prism_nexus_axis (file, "/entry/pupil/fx", shape[1], -(q / 2) / field, 1 / field, "1/m");
}

static void
add_instrument (PrismNexus *file,
                const PrismRecording *recording)
{
  const gboolean has_camera
      = isfinite (recording->camera_pixel) && isfinite (recording->magnification);

  prism_nexus_group (file, "/entry/instrument", "NXinstrument");
  prism_nexus_number (file, "/entry/instrument/wavelength", recording->wavelength, "m");
  prism_nexus_number (file, "/entry/instrument/NA", recording->na, NULL);
  prism_nexus_number (file, "/entry/instrument/pixel_size", recording->pixel_size, "m");
  prism_nexus_number (file, "/entry/instrument/camera_pixel_size",
                      has_camera ? recording->camera_pixel : recording->pixel_size, "m");
  prism_nexus_number (file, "/entry/instrument/magnification",
                      has_camera ? recording->magnification : 1, NULL);
}

/* What it was made of. */
static void
add_process (PrismNexus *file,
             const PrismPtychographyOutcome *outcome)
{
  g_autofree char *source
      = outcome->problem != NULL ? prism_problem_to_text (outcome->problem, TRUE, NULL) : NULL;

  prism_nexus_text (file, "/entry/process/frames", source);
  prism_nexus_text (file, "/entry/process/summary", outcome->summary);
  prism_nexus_group (file, "/entry/process/parameters", "NXcollection");
  PRISM_FOR_EACH_PARAM (param)
    if (prism_config_decides (outcome->settings, param))
      {
        g_autofree char *path = g_strconcat ("/entry/process/parameters/", param->key, NULL);
        g_autofree char *value = prism_config_dup_text (outcome->settings, param);

        prism_nexus_text (file, path, value);
      }
}

/* What is known of every frame. roles: [N], scores: [2][N], of misfit and correlation */
static void
add_frames (PrismNexus *file,
            PrismPtychography *self,
            const PrismPtychographyOutcome *outcome,
            guint32 *roles,
            double *scores)
{
  const gsize n = self->frames->n_frames, pair[] = { n, 2 };

  for (gsize j = 0; j < n; j++)
    {
      roles[j] = self->frames->roles[j];
      scores[j] = outcome->finding->frames[j].misfit;
      scores[n + j] = outcome->finding->frames[j].correlation;
    }
  prism_nexus_group (file, "/entry/frames", "NXcollection");
  prism_nexus_array (file, "/entry/frames/role", PRISM_NEXUS_UINT32, 1, pair, roles, NULL);
  prism_nexus_attribute (file, "/entry/frames/role", "long_name",
                         (const char *const[]) { "0 used, 1 held out, 2 left out", NULL });
  prism_nexus_array (file, "/entry/frames/gain", PRISM_NEXUS_DOUBLE, 1, pair, self->light.gains,
                     NULL);
  prism_nexus_array (file, "/entry/frames/misfit", PRISM_NEXUS_DOUBLE, 1, pair, scores, NULL);
  prism_nexus_array (file, "/entry/frames/correlation", PRISM_NEXUS_DOUBLE, 1, pair,
                     scores + n, NULL);
  prism_nexus_array (file, "/entry/frames/recorded", PRISM_NEXUS_DOUBLE, 2, pair,
                     self->light.recorded, "px");
  prism_nexus_array (file, "/entry/frames/place", PRISM_NEXUS_DOUBLE, 2, pair, self->light.found,
                     "px");
  prism_nexus_attribute (file, "/entry/frames/place", "long_name",
                         (const char *const[]) { "column and row of the pupil's centre, pixels of"
                                                 " /entry/model/pupil from the middle of the"
                                                 " object's spectrum",
                                                 NULL });
}

/* All that predicts frames. field: [M][M][2] */
static void
add_model (PrismNexus *file,
           PrismPtychography *self,
           const float *field)
{
  const PrismPtychogram *frames = self->frames;
  const gsize m = (gsize) frames->object_side, n = (gsize) frames->grid;
  const double pixel = frames->pixel_size, start = -pixel * frames->upsampling * frames->border;

  prism_nexus_group (file, "/entry/model", "NXdata");
  prism_nexus_attribute (file, "/entry/model", "signal", (const char *const[]) { "object", NULL });
  prism_nexus_attribute (file, "/entry/model", "axes", (const char *const[]) { "y", "x", NULL });
  prism_nexus_array (file, "/entry/model/object", PRISM_NEXUS_COMPLEX, 2, (gsize[]) { m, m }, field,
                     NULL);
  prism_nexus_axis (file, "/entry/model/y", m, -start, -pixel, "m");
  prism_nexus_axis (file, "/entry/model/x", m, start, pixel, "m");
  prism_nexus_array (file, "/entry/model/pupil", PRISM_NEXUS_COMPLEX, 2, (gsize[]) { n, n },
                     prism_ptychography_frame_get_pupil (self->frame), NULL);
  prism_nexus_number (file, "/entry/model/radius", frames->radius, "px");
  prism_nexus_number (file, "/entry/model/rim", self->rim, "px");
  prism_nexus_number (file, "/entry/model/border", frames->border, "px");
  prism_nexus_number (file, "/entry/model/upsampling", frames->upsampling, NULL);
}

/* By the names that PtyLab's saveResults() writes and load() reads. Its object has no border. */
static void
add_ptylab (PrismNexus *file,
            const PrismRecording *recording,
            double distance)
{
  static const char *const links[][2] = {
    { "/object", "/entry/ptylab/object" },
    { "/probe", "/entry/ptylab/probe" },
    { "/encoder", "/entry/ptylab/encoder" },
    { "/error", "/entry/ptylab/error" },
    { "/zled", "/entry/ptylab/zled" },
    { "/zo", "/entry/ptylab/zled" },
    { "/purityProbe", "/entry/ptylab/purity" },
    { "/purityObject", "/entry/ptylab/purity" },
    { "/wavelength", "/entry/instrument/wavelength" },
    { "/NA", "/entry/instrument/NA" },
    { "/dxp", "/entry/instrument/pixel_size" },
    { "/dxo", "/entry/instrument/pixel_size" },
    { "/dxd", "/entry/instrument/camera_pixel_size" },
    { "/magnification", "/entry/instrument/magnification" },
  };

  prism_nexus_number (file, "/entry/ptylab/zled", distance, "m");
  prism_nexus_number (file, "/entry/ptylab/purity", 1, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (links); i++)
    prism_nexus_link (file, links[i][0], links[i][1]);
}

/**
 * prism_ptychography_nexus_save:
 * @outcome: what it came to, with its summary
 * @picture: amplitude and phase of the whole field
 * @path: file name
 *
 * Writes a result as one file, see docs/measurements.md. Of a field in tiles the picture is that of
 * all, the rest of the middle one.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_ptychography_nexus_save (PrismPtychography *self,
                               const PrismPtychographyOutcome *outcome,
                               const PrismResultPicture *picture,
                               const char *path,
                               GError **error)
{
  const PrismPtychogram *frames = self->frames;
  const gsize q = (gsize) frames->side, n_frames = frames->n_frames;
  const gsize whole = (gsize) frames->upsampling * q;
  const double known = outcome->recording->distance, distance = known > 0 ? known : 1;
  g_autofree char *shown = prism_file_dup_display_name (outcome->recording->path);
  g_autofree char *title = g_path_get_basename (shown);
  g_autoptr (PrismNexus) file = prism_nexus_new (title);
  const float *pupil = outcome->finding->pupil;
  g_autofree float *turned = dup_turned (pupil, frames->side);
  g_autofree double *encoder = dup_encoder (self, distance);
  g_autofree guint32 *roles = g_new (guint32, n_frames);
  g_autofree double *scores = g_new (double, 2 * n_frames);
  g_autofree guint32 *numbers = g_new (guint32, n_frames);
  const GArray *progress = outcome->finding->progress;
  g_autofree float *error_of_passes = g_new (float, progress->len);
  prism_autofree_array float *field = prism_ptychography_dup_field (self, error);
  prism_autofree_array float *spectrum
      = field != NULL ? prism_ptychography_dup_object (self, error) : NULL;
  prism_autofree_array float *held = NULL;
  gsize n_held = 0;

  if (spectrum == NULL)
    return FALSE;
  for (guint j = 0; j < n_frames; j++)
    n_held += frames->roles[j] == PRISM_FRAME_HELD_OUT;
  held = prism_arena_new_array (MAX (n_held, 1) * q * q * sizeof *held, "held-out frames", error);
  if (held == NULL)
    return FALSE;
  transform (spectrum, (int) whole);
  prism_nexus_picture (file, picture->height, picture->width, frames->pixel_size,
                       picture->amplitude, "phase", picture->phase, "rad");
  add_pupil (file, pupil, frames->side, frames->pixel_size * (double) whole);
  add_instrument (file, outcome->recording);
  add_process (file, outcome);
  add_frames (file, self, outcome, roles, scores);
  add_model (file, self, field);
  n_held = gather_held_out (self, numbers, held);
  prism_nexus_array (file, "/entry/model/held_out", PRISM_NEXUS_UINT32, 1, &n_held, numbers, NULL);
  prism_nexus_array (file, "/entry/model/held_out_amplitudes", PRISM_NEXUS_FLOAT, 3,
                     (gsize[]) { n_held, q, q }, held, NULL);

  prism_nexus_group (file, "/entry/ptylab", "NXcollection");
  prism_nexus_array (file, "/entry/ptylab/object", PRISM_NEXUS_COMPLEX, 6,
                     (gsize[]) { 1, 1, 1, 1, whole, whole }, spectrum, NULL);
  prism_nexus_array (file, "/entry/ptylab/probe", PRISM_NEXUS_COMPLEX, 6,
                     (gsize[]) { 1, 1, 1, 1, q, q }, turned, NULL);
  prism_nexus_array (file, "/entry/ptylab/encoder", PRISM_NEXUS_DOUBLE, 2,
                     (gsize[]) { n_frames, 2 }, encoder, "m");
  for (guint i = 0; i < progress->len; i++)
    error_of_passes[i] = (float) g_array_index (progress, PrismPrediction, i).misfit;
  prism_nexus_array (file, "/entry/ptylab/error", PRISM_NEXUS_FLOAT, 1,
                     (gsize[]) { progress->len }, error_of_passes, NULL);
  add_ptylab (file, outcome->recording, distance);
  return prism_nexus_save (file, path, NULL, error);
}
