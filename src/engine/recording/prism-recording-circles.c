#include "config.h"

#include "recording/prism-recording-geometry.h"
#include "recording/prism-recording-private.h"

#include "base/prism-pool.h"

/* What circles may differ by from what is said: scale, turn, shift in x and y (radii), radius. */
enum
{
  N_PARAMETERS = 5
};

/* Of the radius: how far an edge is seen, at first and at the end. */
#define WIDEST 0.13
#define NARROWEST 0.055
#define MIN_EDGE 0.12 /* of the logarithm: less is no edge */
#define MOST 0.8      /* of the bright frames */

/* So many frames tell that. Of fewer spectra the specimen's own edges are seen, too: with nine of
 * simulated cells the circles' are off by up to 13 %, and with 29 by 3.1 %. */
#define ENOUGH 21

/* What has to be done to the directions, in this order, and to the NA. */
typedef struct
{
  double scale;
  double turn;     /* radians, from x to y */
  double shift[2]; /* of the directions */
  double radius;   /* times the NA */
  double pixel;    /* times the side of a pixel; directions stay */
} PrismCircles;

/* Takes off what all frames have at the same distance from the centre. */
static void
flatten (PrismRecordingEdges *self)
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

/* An edge is looked for where the spectrum falls from inside a circle to outside: means of the two
 * sides would take the circles for larger and farther out, since spectra fall from their centre. */
#define N_ROUNDS 10
#define MOVES 2.0 /* of the first step: none is looked for farther in one */

/* Less than this is what recorded sets have that are explained well: turned by 0.9 degrees, shifted
 * by a twentieth of the radius, circles smaller by 3.5 %. Half of it is how well two halves of the
 * frames have to agree. */
static const double notables[N_PARAMETERS] = { 0.03, 0.035, 0.08, 0.08, 0.06 };

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
          || u * u + v * v < PRISM_RECORDING_GEOMETRY_CENTER * PRISM_RECORDING_GEOMETRY_CENTER)
        continue;
      distance = (sqrt (square) - radius) / width;
      weight = distance * (1 - distance * distance) * (1 - distance * distance);
      sums[0] -= weight * (double) spectrum[u];
      sums[1] += fabs (weight);
    }
}

/* Where parameters have a frame's circle. */
static void
place_circle (const PrismRecordingEdges *self,
              guint i,
              const double *parameters,
              double center[2])
{
  const double c = (1 + parameters[0]) * cos (parameters[1]), *at = self->centers[i];
  const double s = (1 + parameters[0]) * sin (parameters[1]);

  center[0] = c * at[0] - s * at[1] + parameters[2] * self->radius;
  center[1] = s * at[0] + c * at[1] + parameters[3] * self->radius;
}

/* How far the logarithm of the spectra falls at the circles. width: of the edge, radii; first:
 * frame that is looked at; step: every so many-th after it */
static double
compute_edge (const PrismRecordingEdges *self,
              const double *parameters,
              double width,
              guint first,
              guint step)
{
  double sums[2] = { 0 }, center[2];

  for (guint i = first; i < self->n; i += step)
    {
      place_circle (self, i, parameters, center);
      for (int y = 0; y < self->side; y++)
        add_row (self, i, y, center, (1 + parameters[4]) * self->radius, width * self->radius,
                 sums);
    }
  return sums[1] > 0 ? sums[0] / sums[1] : 0;
}

/* Changes one parameter after the other, each way, with steps that get smaller. Returns how clear
 * the edge is then */
static double
climb (const PrismRecordingEdges *self,
       guint first,
       guint step,
       double *parameters)
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

            parameters[k] += way * size * notables[k];
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
  const PrismRecordingEdges *look;
  double parameters[2][N_PARAMETERS];
} Halves;

static void
climb_half (gpointer data,
            guint half)
{
  Halves *halves = data;

  climb (halves->look, half, 2, halves->parameters[half]);
}

/* Where a search begins when what is said shows no edges: turns each way, then scale and radius,
 * each alone; both together are another pixel. */
static const double starts[][2] = {
  { 0.5, 1 },
  { 0.6, 1 },
  { 0.72, 1 },
  { 0.85, 1 },
  { 1.2, 1 },
  { 1.42, 1 },
  { 1.7, 1 },
  { 2, 1 },
  { 1, 0.7 },
  { 1, 0.82 },
  { 1, 1.2 },
  { 1, 1.4 },
  { 2, 2 },
  { 3, 3 },
  { 4, 4 },
};

/* From each of them, as the board stands or with the bright frames around the axis. */
enum
{
  N_TURNS = 18, /* of 10 degrees */
  N_STARTS = 2 * (N_TURNS + G_N_ELEMENTS (starts)),
};
#define N_CHOSEN 12 /* that are climbed from */

typedef struct
{
  const PrismRecordingEdges *look;
  double middle[2]; /* of the bright frames' directions, pixels */
  double parameters[N_STARTS][N_PARAMETERS];
  double edges[N_STARTS];
  guint chosen[N_CHOSEN];
} Starts;

/* Whether these parameters can be: the circles are seen whole, and the light of the bright frames
 * comes in through the NA. */
static gboolean
are_possible (const PrismRecordingEdges *self,
              const double parameters[N_PARAMETERS])
{
  const double radius = (1 + parameters[4]) * self->radius;
  double center[2];
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    {
      place_circle (self, i, parameters, center);
      n += hypot (center[0], center[1]) < (1 + PRISM_RECORDING_RIM) * radius;
    }
  return radius >= PRISM_RECORDING_GEOMETRY_MIN_RADIUS && radius < self->side / 2.0
         && n >= MOST * self->n;
}

/* Goes to a start, and looks how clear the edges are there. */
static void
rate_start (gpointer data,
            guint i)
{
  Starts *all = data;
  const int k = (int) i / 2, degrees = k >= N_TURNS ? 0 : (k + 1) / 2 * (k % 2 != 0 ? 10 : -10);
  const double scale = k < N_TURNS ? 1 : starts[k - N_TURNS][0];
  const double size = k < N_TURNS ? 1 : starts[k - N_TURNS][1]; /* of the circles */
  const double turn = degrees * G_PI / 180, radius = all->look->radius;
  const double c = scale * cos (turn), s = scale * sin (turn), *at = all->middle;
  double *parameters = all->parameters[i];

  parameters[0] = scale - 1;
  parameters[1] = turn;
  parameters[2] = i % 2 == 0 ? 0 : -(c * at[0] - s * at[1]) / radius;
  parameters[3] = i % 2 == 0 ? 0 : -(s * at[0] + c * at[1]) / radius;
  parameters[4] = size - 1;
  if (size * radius < PRISM_RECORDING_GEOMETRY_MIN_RADIUS
      || size * radius > all->look->side / 2.0)
    all->edges[i] = -INFINITY;
  else
    all->edges[i] = compute_edge (all->look, parameters, WIDEST, 0, 1);
}

static void
climb_from (gpointer data,
            guint k)
{
  Starts *all = data;
  const guint i = all->chosen[k];

  all->edges[i] = climb (all->look, 0, 1, all->parameters[i]);
  if (!are_possible (all->look, all->parameters[i]))
    all->edges[i] = 0;
}

/* The first start, and those with the clearest edges. */
static void
choose_starts (Starts *all)
{
  double edges[N_STARTS];

  memcpy (edges, all->edges, sizeof edges);
  all->chosen[0] = 0;
  edges[0] = -INFINITY;
  for (guint k = 1; k < N_CHOSEN; k++)
    {
      guint best = 1;

      for (guint i = 2; i < N_STARTS; i++)
        if (edges[i] > edges[best])
          best = i;
      all->chosen[k] = best;
      edges[best] = -INFINITY;
    }
}

/* Climbs until it is no higher. Returns the edge */
static double
climb_on (const PrismRecordingEdges *self,
          double edge,
          double parameters[N_PARAMETERS])
{
  for (;;)
    {
      double further[N_PARAMETERS], higher;

      memcpy (further, parameters, sizeof further);
      higher = climb (self, 0, 1, further);
      if (higher <= edge)
        return edge;
      memcpy (parameters, further, sizeof further);
      if (higher < 1.01 * edge)
        return higher;
      edge = higher;
    }
}

/* The best of all starts; the first, without a jump, unless another is far better. Returns the
 * edge */
static double
search (const PrismRecordingEdges *self,
        double parameters[N_PARAMETERS])
{
  g_autofree Starts *all = g_new0 (Starts, 1);
  guint best = 0;

  all->look = self;
  for (guint i = 0; i < self->n; i++)
    for (int k = 0; k < 2; k++)
      all->middle[k] += self->centers[i][k] / self->n;
  prism_parallel_run (N_STARTS, (gsize) self->n * self->side * self->side, rate_start, all);
  choose_starts (all);
  prism_parallel_run (N_CHOSEN, (gsize) self->n * self->side * self->side, climb_from, all);
  for (guint k = 1; k < N_CHOSEN; k++)
    if (all->edges[all->chosen[k]] > all->edges[best])
      best = all->chosen[k];
  all->edges[best] = climb_on (self, all->edges[best], all->parameters[best]);
  all->edges[0] = climb_on (self, all->edges[0], all->parameters[0]);
  if (all->edges[best] < 1.5 * sqrt (MAX (1, (double) ENOUGH / self->n)) * all->edges[0])
    best = 0;
  memcpy (parameters, all->parameters[best], N_PARAMETERS * sizeof *parameters);
  return are_possible (self, parameters) ? all->edges[best] : 0;
}

/* Which parameters are far from none, in both halves of the frames. Returns whether any is */
static gboolean
judge (const PrismRecordingEdges *self,
       const double whole[N_PARAMETERS],
       gboolean far[N_PARAMETERS])
{
  Halves halves = { .look = self };
  gboolean any = FALSE;

  for (guint i = 0; i < 2; i++)
    memcpy (halves.parameters[i], whole, N_PARAMETERS * sizeof *whole);
  prism_parallel_run (2, (gsize) self->n * self->side * self->side, climb_half, &halves);
  for (int k = 0; k < N_PARAMETERS; k++)
    {
      /* What a parameter has to differ by, with so many frames; a length by a pixel of the
       * spectrum. */
      const double pixels = k == 0 || k == 4 ? 1.2 / self->radius : 0;
      const double notable = notables[k];

      far[k] = fabs (whole[k]) > MAX (pixels, notable * MAX (1, (double) ENOUGH / self->n))
               && fabs (halves.parameters[0][k] - halves.parameters[1][k])
                      < MAX (notable, 0.5 * fabs (whole[k]));
      any = any || far[k];
    }
  return any;
}

/* What parameters say, once those that are not far are none. */
static void
make_circles (const PrismRecording *self,
              double whole[N_PARAMETERS],
              gboolean far[N_PARAMETERS],
              PrismCircles *found)
{
  double pixel = 1;

  /* Binned pixels differ by a quarter and more, and circles and directions alike. */
  if (far[0] && far[4] && fabs (whole[0]) > 0.25
      && fabs (whole[4] - whole[0]) < 0.08 * (1 + whole[0]))
    {
      /* A whole number where it is near one, since pixels are binned. */
      const double scale = 1 + whole[0], near = scale > 1 ? round (scale) : 1 / round (1 / scale);

      pixel = fabs (scale / near - 1) < 0.08 ? near : scale;
      far[0] = far[4] = FALSE;
    }
  far[2] = far[3] = far[2] || far[3];
  for (int k = 0; k < N_PARAMETERS; k++)
    if (!far[k])
      whole[k] = 0;
  *found = (PrismCircles) { 1 + whole[0],
                            whole[1],
                            { whole[2] * self->na / pixel, whole[3] * self->na / pixel },
                            1 + whole[4],
                            pixel };
}

/* Compares the edges of the circles with those that geometry and NA say. Only what is clear is
 * told: both halves of the frames have to say so. Where no edges are as it is said, they are looked
 * for far from there, too. found: (out): what would make the circles lie where they are seen.
 * Returns whether something is far from what is said */
static gboolean
find (const PrismRecording *self,
      const PrismRecordingEdges *view,
      PrismCircles *found)
{
  double whole[N_PARAMETERS] = { 0 };
  gboolean far[N_PARAMETERS], lost;
  double before, edge, least;

  *found = (PrismCircles) { .scale = 1, .radius = 1, .pixel = 1 };
  before = compute_edge (view, whole, NARROWEST, 0, 1);
  least = MIN_EDGE * sqrt (MAX (1, (double) ENOUGH / view->n));
  lost = before < MIN_EDGE;
  edge = lost ? search (view, whole) : climb (view, 0, 1, whole);
  if (edge < MAX (least, before))
    return FALSE;
  if (!judge (view, whole, far))
    return FALSE;
  if (!lost)
    {
      climb_on (view, edge, whole);
      if (!judge (view, whole, far))
        return FALSE;
    }
  make_circles (self, whole, far, found);
  return TRUE;
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

/* By how much directions that are made of positions and a distance are scaled: one that is said
 * stays. */
static double
get_scale (const PrismRecording *self,
           const PrismCircles *circles)
{
  return self->distance_said && !self->directions_given && self->positions != NULL ? 1
                                                                                   : circles->scale;
}

static void
tell (PrismRecording *self,
      const PrismCircles *circles,
      guint n)
{
  const double na = self->stated.na, pixel = 1e6 * self->stated.pixel_size;

  if (circles->pixel != 1 && self->pixel_said)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames are those of "
                             "another pixel than the one given: %.4g µm at the specimen would "
                             "fit, and it stays %.4g µm."),
                          n, pixel * circles->pixel, pixel);
  else if (circles->pixel != 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames are those of "
                             "another pixel than the file says: %.4g µm at the specimen is taken "
                             "as %.4g µm; were pixels binned, or is the magnification another?"),
                          n, pixel, pixel * circles->pixel);
  if (circles->scale != 1 && get_scale (self, circles) == 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames do not fit the "
                             "distance given: %.4g m would fit, and it stays %.4g m."),
                          n, self->distance / circles->scale, self->distance);
  else if (circles->scale != 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken %.3f times as large."),
                          n, circles->scale);
  if (circles->turn != 0)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken as turned by %.1f°."),
                          n, circles->turn * 180 / G_PI);
  if (circles->shift[0] != 0 || circles->shift[1] != 0)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames lie elsewhere than the"
                             " file says: directions are taken as shifted by %.4f, %.4f."),
                          n, circles->shift[0], circles->shift[1]);
  if (circles->radius != 1 && self->na_said)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames have another radius "
                             "than the NA given: NA %.4g would fit, and stays %.4g."),
                          n, circles->radius * na, na);
  else if (circles->radius != 1)
    prism_recording_note (self,
                          _ ("The bright circles in the spectra of %u frames have another radius"
                             " than the file says: NA %.4g is taken as %.4g."),
                          n, na, circles->radius * na);
}

/* How clear the edges are, where they are looked for if they are not where it is said. */
static double
find_edge (PrismRecordingEdges *view,
           const PrismRecording *recording)
{
  double parameters[N_PARAMETERS] = { 0 };

  prism_recording_edges_place (view, recording);
  if (compute_edge (view, parameters, NARROWEST, 0, 1) < MIN_EDGE)
    return search (view, parameters);
  return climb_on (view, climb (view, 0, 1, parameters), parameters);
}

/* Positions that are counted from a corner of the board: the bright frames' LEDs are around the
 * axis where that shows clearer edges. Far from the axis directions are no more alike, so that it
 * is no shift of theirs. all: what is done */
static void
move_to_axis (PrismRecording *self,
              PrismRecordingEdges *view,
              PrismCircles *all)
{
  PrismRecording moved = *self;
  double middle[2] = { 0 };

  if (self->directions_given || self->positions == NULL || !(self->distance > 0)
      || self->rotation != 0)
    return;
  for (guint i = 0; i < view->n; i++)
    for (int k = 0; k < 2; k++)
      middle[k] += self->positions[2 * (gsize) view->frames[i] + k] / view->n;
  if (!(hypot (middle[0], middle[1]) > 0.8 * self->na * self->distance))
    return;
  for (int k = 0; k < 2; k++)
    moved.shift[k] = -middle[k];
  moved.directions = NULL;
  prism_recording_update (&moved);
  if (find_edge (view, &moved) > fmax (MIN_EDGE, find_edge (view, self)))
    {
      memcpy (self->shift, moved.shift, sizeof self->shift);
      prism_recording_update (self);
      for (int k = 0; k < 2; k++)
        all->shift[k] = self->shift[k] / self->distance;
    }
  g_free (moved.directions);
  prism_recording_edges_place (view, self);
}

/* Where no edges are as it is said, and nothing is found: whether it is once y is taken as −y, and
 * does so. */
static gboolean
mirror (PrismRecording *self,
        PrismRecordingEdges *view,
        PrismCircles *all,
        PrismCircles *circles)
{
  const double none[N_PARAMETERS] = { 0 };

  if (compute_edge (view, none, NARROWEST, 0, 1) >= MIN_EDGE)
    return FALSE;
  for (guint i = 0; i < view->n; i++)
    view->centers[i][1] = -view->centers[i][1];
  if (!find (self, view, circles))
    return FALSE;
  for (gsize i = 1; i < 2 * (gsize) self->n_frames; i += 2)
    {
      self->directions[i] = -self->directions[i];
      if (self->positions != NULL)
        self->positions[i] = -self->positions[i];
    }
  self->shift[1] = -self->shift[1];
  self->rotation = -self->rotation;
  all->shift[1] = -all->shift[1];
  prism_recording_note (self,
                        _ ("Mirrored, the directions fit the bright circles in the spectra of %u"
                           " frames: y is taken as −y."),
                        view->n);
  return TRUE;
}

/* Does what was found. Directions that are made of positions have it done to these. */
static void
apply (PrismRecording *self,
       const PrismCircles *circles)
{
  const double c = cos (circles->turn), s = sin (circles->turn);
  const double x = self->shift[0], y = self->shift[1];

  if (!self->na_said)
    self->na *= circles->radius;
  self->pixel_size *= circles->pixel;
  self->camera_pixel *= circles->pixel;
  if (self->directions_given || self->positions == NULL)
    {
      move_directions (self, circles);
      return;
    }
  self->distance /= get_scale (self, circles);
  self->rotation += circles->turn * 180 / G_PI;
  self->shift[0] = c * x - s * y + circles->shift[0] * self->distance;
  self->shift[1] = s * x + c * y + circles->shift[1] * self->distance;
  prism_recording_update (self);
}

/* One after the other. */
static void
join (const PrismRecording *self,
      PrismCircles *all,
      const PrismCircles *next)
{
  const double scale = get_scale (self, next);
  const double c = scale * cos (next->turn), s = scale * sin (next->turn);
  const double x = all->shift[0], y = all->shift[1];

  all->scale = scale != next->scale ? next->scale : all->scale * next->scale;
  all->turn += next->turn;
  all->shift[0] = c * x - s * y + next->shift[0];
  all->shift[1] = s * x + c * y + next->shift[1];
  all->radius = self->na_said ? next->radius : all->radius * next->radius;
  all->pixel *= next->pixel;
}

static PrismGeometry
get_geometry (const PrismRecording *self)
{
  return (PrismGeometry) {
    .distance = self->distance,
    .rotation = self->rotation,
    .shift = { self->shift[0], self->shift[1] },
    .na = self->na,
    .pixel_size = self->pixel_size,
    .camera_pixel = self->camera_pixel,
  };
}

/**
 * prism_recording_geometry_correct:
 * @turns: whether nobody has said the axes
 *
 * Turns directions, moves them, and changes the NA or the pixel, where the frames contradict them
 * clearly, and says so. An NA, a distance or a pixel that somebody said stays, and so do
 * directions.
 */
void
prism_recording_geometry_correct (PrismRecording *self,
                                  gboolean turns)
{
  PrismCircles circles, all = { .scale = 1, .radius = 1, .pixel = 1 };
  g_auto (PrismRecordingEdges) view = { 0 };
  gboolean looks;

  if (self->geometry_known || (self->directions_said && !turns))
    return;
  looks = prism_recording_edges_look (&view, self);
  if (looks && turns)
    prism_recording_edges_turn (&view, self);
  if (self->directions_said)
    return;
  self->stated = get_geometry (self);
  /* Circles in smaller spectra are all edge. */
  if (looks && view.n >= PRISM_RECORDING_FEW && view.side >= 48)
    {
      flatten (&view);
      move_to_axis (self, &view, &all);
      if (find (self, &view, &circles) || mirror (self, &view, &all, &circles))
        {
          join (self, &all, &circles);
          if (circles.pixel == 1 || !self->pixel_said)
            apply (self, &circles);
        }
    }
  self->corrected = get_geometry (self);
  tell (self, &all, view.n);
}

/* What somebody has changed since stays. */
static void
undo (double *value,
      double corrected,
      double stated)
{
  if (*value == corrected)
    *value = stated;
}

/**
 * prism_recording_circles_undo:
 *
 * Goes back to the geometry that was stated before it was corrected, for other places of the LEDs.
 */
void
prism_recording_circles_undo (PrismRecording *self)
{
  const PrismGeometry *from = &self->corrected, *to = &self->stated;

  undo (&self->distance, from->distance, to->distance);
  undo (&self->rotation, from->rotation, to->rotation);
  for (int k = 0; k < 2; k++)
    undo (&self->shift[k], from->shift[k], to->shift[k]);
  undo (&self->na, from->na, to->na);
  undo (&self->pixel_size, from->pixel_size, to->pixel_size);
  undo (&self->camera_pixel, from->camera_pixel, to->camera_pixel);
  self->stated = self->corrected = get_geometry (self);
}

/**
 * prism_recording_geometry_compute_edges:
 * @self: a part of a field, with the directions of its middle
 * @shift: by how much its own may differ from them
 * @edges: (out): how far the logarithm of the spectra falls at the circles, with the shift taken
 *   off, without it, and with it, for several radii
 *
 * Returns: whether there are frames that can tell
 */
gboolean
prism_recording_geometry_compute_edges (const PrismRecording *self,
                                        const double shift[2],
                                        double edges[3][PRISM_RECORDING_GEOMETRY_N_RADII])
{
  g_auto (PrismRecordingEdges) view = { 0 };

  if (!prism_recording_edges_look (&view, self))
    return FALSE;
  for (int k = 0; k < 3; k++)
    for (int r = 0; r < PRISM_RECORDING_GEOMETRY_N_RADII; r++)
      edges[k][r] = compute_edge (
          &view,
          (double[N_PARAMETERS]) { [2] = (k - 1) * shift[0] / self->na,
                                   [3] = (k - 1) * shift[1] / self->na,
                                   [4] = (r - PRISM_RECORDING_GEOMETRY_N_RADII / 2) / 20.0 },
          WIDEST, 0, 1);
  return TRUE;
}
