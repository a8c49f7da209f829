#include "config.h"

#include "recording/prism-recording-circles.h"

#include "recording/prism-recording-light.h"

#include "recording/prism-recording-geometry.h"

#include "base/prism-arena.h"
#include "base/prism-parallel.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An edge is looked for where the spectrum falls from inside a circle to outside: means of the two
 * sides would take the circles for larger and farther out, since spectra fall from their centre. */
#define N_PARAMETERS 5
#define MAX_FRAMES 32
#define MIN_FRAMES 8
#define MIN_RADIUS 8.0 /* pixels of the spectrum: smaller circles are all edge */
#define MIN_SIDE 48
#define CENTER 3.0      /* pixels around zero frequency that are left out */
#define BRIGHT_PART 0.2 /* of a bright frame's light */
#define WIDEST 0.13     /* of the radius: how far an edge is seen, at first and at the end */
#define NARROWEST 0.055
#define N_ROUNDS 10
#define MIN_EDGE 0.12 /* of the logarithm: less is no edge */
#define BETTER 1.05   /* times the edge: less is nothing */
/* Spectra fall behind their edges, too: circles seem by 2 % too near to 1 % too far. */
#define NEARER 0.005
#define SMALLER 0.015 /* and smaller by 0 to 3.5 % */
#define ALIKE 0.5     /* of what directions differ by: then it is the pixel or the wavelength */
#define MOVES 2.0     /* of the first step: none is looked for farther in one */

/* Less than this is what recorded sets have that are explained well: turned by 0.9 degrees, shifted
 * by a twentieth of the radius, circles smaller by 3.5 %. Half of it is how well two halves of the
 * frames have to agree. */
static const double notable[N_PARAMETERS] = { 0.03, 0.035, 0.08, 0.08, 0.06 };

/* So many frames tell that. Of fewer spectra the specimen's own edges are seen, too: with nine of
 * simulated cells the circles' are off by up to 13 %, and with 29 by 3.1 %. */
#define ENOUGH 21
#define SCALE_BESIDES 1.1 /* times what is notable */

/* Spectra of frames, of which one half is looked at. s = side */
typedef struct
{
  int side;
  double radius; /* of the aperture, pixels of the spectrum */
  double unit;   /* pixels of the spectrum for a direction of 1 */
  guint n;
  double (*centers)[2]; /* [n]: pixels */
  float *spectra;       /* [n][s][s]: logarithms without what all have at a radius */
} Look;

static void
clear_look (Look *self)
{
  g_free (self->centers);
  prism_arena_free_array (self->spectra);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Look, clear_look)

/* Bright frames, by their light: where geometry is wrong it cannot say which they are. */
static guint
choose_frames (const PrismRecording *recording,
               guint chosen[MAX_FRAMES])
{
  g_autofree PrismFrameLight *all = prism_recording_rank_by_light (recording, TRUE);
  guint n = 0;

  while (n < MAX_FRAMES && n < recording->n_frames
         && all[n].light > BRIGHT_PART * all[recording->n_frames > 4 ? 4 : 0].light)
    {
      chosen[n] = all[n].frame;
      n++;
    }
  return n;
}

/* Takes off what all frames have at the same distance from the centre. */
static void
take_mean_off (Look *self)
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
  Look *look;
  const PrismRecording *recording;
  guint chosen[MAX_FRAMES];
  gboolean done[MAX_FRAMES];
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

static gboolean
look (Look *self,
      const PrismRecording *recording)
{
  Making making = { .look = self, .recording = recording };

  if (recording->directions == NULL || !(recording->na > 0) || !(recording->wavelength > 0)
      || !(recording->pixel_size > 0))
    return FALSE;
  self->side = prism_recording_geometry_get_side (recording);
  self->unit = recording->pixel_size * self->side / recording->wavelength;
  self->radius = recording->na * self->unit;
  if (self->side < MIN_SIDE || !(self->radius >= MIN_RADIUS && self->radius < self->side / 2.0))
    return FALSE;
  self->n = choose_frames (recording, making.chosen);
  if (self->n < MIN_FRAMES)
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
add_row (const Look *self,
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
      if (square < inner * inner || square > outer * outer || u * u + v * v < CENTER * CENTER)
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
add_edge (const Look *self,
          guint i,
          const double center[2],
          double radius,
          double width,
          double sums[2])
{
  for (int y = 0; y < self->side; y++)
    add_row (self, i, y, center, radius, width, sums);
}

/* parameters: scale, turn, shift in radii, radius; each as it differs from none */
static double
compute_edge (const Look *self,
              const double parameters[N_PARAMETERS],
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

/* One parameter after the other, each way, with steps that get smaller. Returns the edge */
static double
climb (const Look *self,
       guint first,
       guint step,
       double parameters[N_PARAMETERS])
{
  double size = MOVES, best = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      const double width = WIDEST + (NARROWEST - WIDEST) * round / (N_ROUNDS - 1);
      gboolean moved = FALSE;

      best = compute_edge (self, parameters, width, first, step);
      for (int k = 0; k < N_PARAMETERS; k++)
        for (int way = -1; way <= 1; way += 2)
          {
            const double before = parameters[k];
            double edge;

            parameters[k] += way * size * notable[k];
            edge = compute_edge (self, parameters, width, first, step);
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

/* Two halves of the frames, each for itself. */
typedef struct
{
  const Look *look;
  double parameters[2][N_PARAMETERS];
} Halves;

static void
climb_half (gpointer data,
            guint half)
{
  Halves *halves = data;

  climb (halves->look, half, 2, halves->parameters[half]);
}

/* What a parameter has to differ by, with so many frames. */
static double
get_least (int parameter,
           guint n_frames)
{
  const double fewer = MAX (1, (double) ENOUGH / n_frames);

  return notable[parameter] * MAX (fewer, parameter == 0 ? SCALE_BESIDES : 1);
}

/**
 * prism_recording_circles_find:
 * @found: (out): what would make the circles lie where they are seen
 * @n_frames: (out): how many frames were looked at
 *
 * Compares the edges of the circles with those that geometry and NA say. Only what is clear is
 * told: both halves of the frames have to say so.
 *
 * Returns: whether something is far from what is said
 */
gboolean
prism_recording_circles_find (const PrismRecording *self,
                              PrismCircles *found,
                              guint *n_frames)
{
  g_auto (Look) view = { 0 };
  double whole[N_PARAMETERS] = { 0 };
  Halves halves = { .look = &view };
  gboolean any = FALSE, far[N_PARAMETERS];
  double before, least;

  *found = (PrismCircles) { .scale = 1, .radius = 1 };
  if (!look (&view, self))
    return FALSE;
  *n_frames = view.n;
  before = compute_edge (&view, whole, NARROWEST, 0, 1);
  least = MIN_EDGE * sqrt (MAX (1, (double) ENOUGH / view.n));
  if (climb (&view, 0, 1, whole) < MAX (least, BETTER * before))
    return FALSE;
  whole[0] += NEARER;
  for (guint i = 0; i < 2; i++)
    memcpy (halves.parameters[i], whole, sizeof whole);
  prism_parallel_run (2, (gsize) view.n * view.side * view.side, climb_half, &halves);
  for (int k = 0; k < N_PARAMETERS; k++)
    {
      far[k] = fabs (whole[k]) > get_least (k, view.n)
               && fabs (halves.parameters[0][k] - halves.parameters[1][k])
                      < MAX (notable[k], 0.5 * fabs (whole[k]));
      any = any || far[k];
    }
  if (far[0] && (whole[4] + SMALLER) / whole[0] > ALIKE)
    {
      whole[4] = whole[0];
      far[4] = TRUE;
    }
  far[2] = far[3] = far[2] || far[3];
  for (int k = 0; k < N_PARAMETERS; k++)
    if (!far[k])
      whole[k] = 0;
  *found = (PrismCircles) { 1 + whole[0],
                            whole[1],
                            { whole[2] * self->na, whole[3] * self->na },
                            1 + whole[4] };
  return any;
}

static void
move_directions (PrismRecording *self,
                 const PrismCircles *circles)
{
  const double c = circles->scale * cos (circles->turn), s = circles->scale * sin (circles->turn);

  for (gsize j = 0; j < self->n_frames; j++)
    {
      double *at = self->directions + 2 * j;
      const double x = at[0], y = at[1];

      at[0] = c * x - s * y + circles->shift[0];
      at[1] = s * x + c * y + circles->shift[1];
    }
}

static void
tell (PrismRecording *self,
      const PrismCircles *circles,
      guint n)
{
  if (circles->scale != 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken %.3f times as large."),
                          n, circles->scale);
  if (circles->turn != 0)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken as turned by %.1f°."),
                          n, circles->turn * 180 / G_PI);
  if (circles->shift[0] != 0)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken as shifted by %.4f, %.4f."),
                          n, circles->shift[0], circles->shift[1]);
  if (circles->radius != 1 && self->na_said)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames have another radius"
                             " than was said: NA %.4g would fit, and stays %.4g."),
                          n, circles->radius * self->na, self->na);
  else if (circles->radius != 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames have another radius"
                             " than the file says: NA %.4g is taken as %.4g."),
                          n, self->na, circles->radius * self->na);
}

/**
 * prism_recording_circles_correct:
 *
 * Moves directions, and changes the NA, where the frames contradict them clearly, and says so. An
 * NA that somebody said stays, and so do directions.
 */
void
prism_recording_circles_correct (PrismRecording *self)
{
  PrismCircles circles;
  guint n = 0;

  if (self->directions_said || !prism_recording_circles_find (self, &circles, &n))
    return;
  tell (self, &circles, n);
  if (!self->na_said)
    self->na *= circles.radius;
  if (self->directions_given || self->positions == NULL)
    {
      move_directions (self, &circles);
      return;
    }
  self->distance /= circles.scale;
  self->rotation += circles.turn * 180 / G_PI;
  for (int k = 0; k < 2; k++)
    self->shift[k] += circles.shift[k] * self->distance;
  prism_recording_update (self);
}
