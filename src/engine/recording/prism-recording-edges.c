#include "config.h"

#include "recording/prism-recording-edges.h"

#include "recording/prism-recording-geometry.h"
#include "recording/prism-recording-light.h"

#include "base/prism-arena.h"
#include "base/prism-pool.h"

#include <math.h>

/* An edge is looked for where the spectrum falls from inside a circle to outside: means of the two
 * sides would take the circles for larger and farther out, since spectra fall from their centre. */
#define N_PARAMETERS PRISM_RECORDING_EDGES_N_PARAMETERS
#define WIDEST PRISM_RECORDING_EDGES_WIDEST
#define NARROWEST PRISM_RECORDING_EDGES_NARROWEST
#define MIN_SIDE 48 /* pixels: circles in smaller spectra are all edge */
#define N_ROUNDS 10
#define MOVES 2.0 /* of the first step: none is looked for farther in one */

/* Less than this is what recorded sets have that are explained well: turned by 0.9 degrees, shifted
 * by a twentieth of the radius, circles smaller by 3.5 %. Half of it is how well two halves of the
 * frames have to agree. */
const double prism_recording_edges_notable[N_PARAMETERS] = { 0.03, 0.035, 0.08, 0.08, 0.06 };

/**
 * prism_recording_edges_clear:
 *
 * Frees what it has.
 */
void
prism_recording_edges_clear (PrismRecordingEdges *self)
{
  g_free (self->centers);
  prism_arena_free_array (self->spectra);
}

/**
 * prism_recording_edges_choose:
 * @chosen: (array) (out caller-allocates): [PRISM_RECORDING_GEOMETRY_MAX_FRAMES]
 *
 * Bright frames, by their light: where geometry is wrong it cannot say which they are.
 *
 * Returns: how many there are
 */
guint
prism_recording_edges_choose (const PrismRecording *recording,
                              guint *chosen)
{
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (recording, TRUE);
  guint n = 0;

  while (n < PRISM_RECORDING_GEOMETRY_MAX_FRAMES && n < recording->n_frames
         && all[n].light > PRISM_RECORDING_BRIGHT * all[recording->n_frames > 4 ? 4 : 0].light)
    {
      chosen[n] = all[n].frame;
      n++;
    }
  return n;
}

/* Takes off what all frames have at the same distance from the centre. */
static void
take_mean_off (PrismRecordingEdges *self)
{
  const int s = self->side;
  const gsize n = (gsize) s * s;
  g_autofree double *sums = g_new0 (double, s);
  g_autofree guint *counts = g_new0 (guint, s);
  g_autofree guint *bins = g_new (guint, n);

  for (gsize p = 0; p < n; p++)
    bins[p] = (guint) (hypot ((int) p % s - s / 2, (int) p / s - s / 2) + 0.5);
  for (guint i = 0; i < self->n; i++)
    for (gsize p = 0; p < n; p++)
      {
        sums[bins[p]] += (double) self->spectra[i * n + p];
        counts[bins[p]]++;
      }
  for (int bin = 0; bin < s; bin++)
    sums[bin] /= MAX (counts[bin], 1);
  for (guint i = 0; i < self->n; i++)
    for (gsize p = 0; p < n; p++)
      self->spectra[i * n + p] -= (float) sums[bins[p]];
}

/* The frames that are looked at. */
typedef struct
{
  PrismRecordingEdges *look;
  const PrismRecording *recording;
  guint chosen[PRISM_RECORDING_GEOMETRY_MAX_FRAMES];
  gboolean done[PRISM_RECORDING_GEOMETRY_MAX_FRAMES];
} Making;

static void
make_spectrum (gpointer data,
               guint i)
{
  Making *making = data;
  const gsize n = (gsize) making->look->side * making->look->side;

  making->done[i] = prism_recording_geometry_compute_spectrum (
      making->recording, making->chosen[i], making->look->spectra + i * n);
}

/**
 * prism_recording_edges_look:
 * @self: (out caller-allocates): zeroed; prism_recording_edges_clear() frees what it gets
 * @recording: frames with directions
 *
 * Computes the spectra of the bright frames.
 *
 * Returns: whether there are enough, and circles that can be seen whole
 */
gboolean
prism_recording_edges_look (PrismRecordingEdges *self,
                            const PrismRecording *recording)
{
  Making making = { .look = self, .recording = recording };

  if (recording->directions == NULL || !(recording->na > 0) || !(recording->wavelength > 0)
      || !(recording->pixel_size > 0))
    return FALSE;
  self->side = prism_recording_geometry_get_side (recording);
  self->unit = recording->pixel_size * self->side / recording->wavelength;
  self->radius = recording->na * self->unit;
  if (self->side < MIN_SIDE
      || !(self->radius >= PRISM_RECORDING_GEOMETRY_MIN_RADIUS && self->radius < self->side / 2.0))
    return FALSE;
  self->n = prism_recording_edges_choose (recording, making.chosen);
  if (self->n < PRISM_RECORDING_FEW)
    return FALSE;
  self->centers = g_malloc_n (self->n, sizeof *self->centers);
  self->spectra = prism_arena_new_array ((gsize) self->n * self->side * self->side
                                             * sizeof *self->spectra,
                                         "spectra", NULL);
  if (self->spectra == NULL)
    return FALSE;
  prism_parallel_run (self->n, (gsize) self->n * self->side * self->side, make_spectrum, &making);
  for (guint i = 0; i < self->n; i++)
    {
      for (int k = 0; k < 2; k++)
        self->centers[i][k]
            = self->unit * recording->directions[2 * (gsize) making.chosen[i] + k];
      if (!making.done[i])
        return FALSE;
    }
  take_mean_off (self);
  return TRUE;
}

/* Columns of a row, from the first to the last, counted from the middle of the spectrum. */
typedef struct
{
  double first;
  double last;
} Span;

/* Of a disk around u, v as seen from the row's middle, wider by a margin; none: first > last. */
static Span
cut_disk (double u,
          double v,
          double radius,
          double margin)
{
  const double half = sqrt (MAX (radius * radius - v * v, 0)) + margin;

  if (fabs (v) > radius + margin)
    return (Span) { INFINITY, -INFINITY };
  return (Span) { u - half, u + half };
}

/* What a row has of the edge of two circles. Only pixels that may lie on it are looked at: those of
 * two disks without those of two smaller ones. */
static void
add_row (const PrismRecordingEdges *self,
         guint i,
         int y,
         const double center[2],
         double radius,
         double width,
         double sums[2])
{
  const int s = self->side, v = y - s / 2;
  const double inner = MAX (radius - width, 0), outer = radius + width;
  const float *spectrum = self->spectra + ((gsize) i * s + y) * s + s / 2;
  Span disks[2], holes[2];

  for (int k = 0; k < 2; k++)
    {
      const double sign = 1 - 2 * k;

      disks[k] = cut_disk (sign * center[0], v - sign * center[1], outer, 1);
      holes[k] = cut_disk (sign * center[0], v - sign * center[1], inner, -1);
    }
  for (int u = (int) CLAMP (MIN (disks[0].first, disks[1].first), 0, s);
       u < s - s / 2 && u <= MAX (disks[0].last, disks[1].last); u++)
    {
      double a, b, square, distance, weight;

      for (int k = 0; k < 2; k++)
        if (u > holes[k].first && u < holes[k].last)
          u = (int) MIN (holes[k].last, s - s / 2 - 1);
      a = (u - center[0]) * (u - center[0]) + (v - center[1]) * (v - center[1]);
      b = (u + center[0]) * (u + center[0]) + (v + center[1]) * (v + center[1]);
      square = MIN (a, b);
      if (square < inner * inner || square > outer * outer
          || hypot (u, v) < PRISM_RECORDING_GEOMETRY_CENTER)
        continue;
      distance = (sqrt (square) - radius) / width;
      weight = distance * (1 - distance * distance) * (1 - distance * distance);
      sums[0] -= weight * (double) spectrum[u];
      sums[1] += fabs (weight);
    }
}

/* How far a spectrum falls at the edge of two circles. center: of one; sums: of what is above, and
 * of weights */
static void
add_edge (const PrismRecordingEdges *self,
          guint i,
          const double center[2],
          double radius,
          double width,
          double sums[2])
{
  for (int y = 0; y < self->side; y++)
    add_row (self, i, y, center, radius, width, sums);
}

/**
 * prism_recording_edges_compute:
 * @parameters: (array): [PRISM_RECORDING_EDGES_N_PARAMETERS]
 * @width: of the edge, radii
 * @first: frame that is looked at
 * @step: every so many-th after it
 *
 * Returns: how far the logarithm of the spectra falls at the circles
 */
double
prism_recording_edges_compute (const PrismRecordingEdges *self,
                               const double *parameters,
                               double width,
                               guint first,
                               guint step)
{
  const double c = (1 + parameters[0]) * cos (parameters[1]);
  const double s = (1 + parameters[0]) * sin (parameters[1]);
  double sums[2] = { 0 };

  for (guint i = first; i < self->n; i += step)
    {
      const double *at = self->centers[i];
      const double center[2] = { c * at[0] - s * at[1] + parameters[2] * self->radius,
                                 s * at[0] + c * at[1] + parameters[3] * self->radius };

      add_edge (self, i, center, (1 + parameters[4]) * self->radius, width * self->radius, sums);
    }
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

/**
 * prism_recording_edges_climb:
 * @first: frame that is looked at
 * @step: every so many-th after it
 * @parameters: (array) (inout): [PRISM_RECORDING_EDGES_N_PARAMETERS]
 *
 * Changes one parameter after the other, each way, with steps that get smaller.
 *
 * Returns: how clear the edge is then
 */
double
prism_recording_edges_climb (const PrismRecordingEdges *self,
                             guint first,
                             guint step,
                             double *parameters)
{
  double size = MOVES, best = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      const double width = WIDEST + (NARROWEST - WIDEST) * round / (N_ROUNDS - 1);
      gboolean moved = FALSE;

      best = prism_recording_edges_compute (self, parameters, width, first, step);
      for (int k = 0; k < N_PARAMETERS; k++)
        for (int way = -1; way <= 1; way += 2)
          {
            const double before = parameters[k];
            double edge;

            parameters[k] += way * size * prism_recording_edges_notable[k];
            edge = prism_recording_edges_compute (self, parameters, width, first, step);
            if (edge > best)
              {
                best = edge;
                moved = TRUE;
                break;
              }
            parameters[k] = before;
          }
      if (!moved || round >= N_ROUNDS / 2)
        size *= 0.6;
    }
  return best;
}
