#include "config.h"

#include "recording/prism-recording-geometry.h"
#include "recording/prism-recording-private.h"

#include "base/prism-pool.h"

#define N_PARAMETERS PRISM_RECORDING_EDGES_N_PARAMETERS
#define WIDEST PRISM_RECORDING_EDGES_WIDEST
#define NARROWEST PRISM_RECORDING_EDGES_NARROWEST
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

  prism_recording_edges_climb (halves->look, half, 2, halves->parameters[half]);
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
  const double c = (1 + parameters[0]) * cos (parameters[1]);
  const double s = (1 + parameters[0]) * sin (parameters[1]);
  guint n = 0;

  for (guint i = 0; i < self->n; i++)
    {
      const double *at = self->centers[i];
      const double x = c * at[0] - s * at[1] + parameters[2] * self->radius;
      const double y = s * at[0] + c * at[1] + parameters[3] * self->radius;

      n += hypot (x, y) < (1 + PRISM_RECORDING_RIM) * radius;
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
    all->edges[i] = prism_recording_edges_compute (all->look, parameters, WIDEST, 0, 1);
}

static void
climb_from (gpointer data,
            guint k)
{
  Starts *all = data;
  const guint i = all->chosen[k];

  all->edges[i] = prism_recording_edges_climb (all->look, 0, 1, all->parameters[i]);
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
      higher = prism_recording_edges_climb (self, 0, 1, further);
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
      const double notable = prism_recording_edges_notable[k];

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
  before = prism_recording_edges_compute (view, whole, NARROWEST, 0, 1);
  least = MIN_EDGE * sqrt (MAX (1, (double) ENOUGH / view->n));
  lost = before < MIN_EDGE;
  edge = lost ? search (view, whole) : prism_recording_edges_climb (view, 0, 1, whole);
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
  if (prism_recording_edges_compute (view, parameters, NARROWEST, 0, 1) < MIN_EDGE)
    return search (view, parameters);
  return climb_on (view, prism_recording_edges_climb (view, 0, 1, parameters), parameters);
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
  if (find_edge (view, &moved) > MAX (MIN_EDGE, find_edge (view, self)))
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

  if (prism_recording_edges_compute (view, none, NARROWEST, 0, 1) >= MIN_EDGE)
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
      prism_recording_edges_flatten (&view);
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
