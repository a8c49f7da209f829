/* One object of a field from the objects of its tiles.
 *
 * Frames leave three things of a tile open: how bright it is, a phase, and a ramp of the phase. And
 * they bend what changes slowly: a frame whose light the objective's rim cuts off in a part of the
 * field says that the object gets darker there. The innermost frame is the one that no rim cuts,
 * and has one exposure for all tiles. So each object is multiplied by a polynomial that makes that
 * frame come out as bright everywhere as it was recorded.
 *
 * Where two tiles overlap the products conj(a)·b tell how phases and ramps of the two differ. All
 * overlaps together are one problem of least squares, weighted by how well the two agree,
 *   Σ w (x_a - x_b - v_ab)² + Σ d_t x_t²,
 * first for the ramps, then for the phases where the overlaps have their middles, and for what the
 * mean amplitudes differ by, which grow with noise. d ties phases by the first tile, and amplitudes
 * by all, weakly: they are right already but for noise, and must not drift over the field.
 *
 * m = side of a tile's object, H×W = pixels of the object of all. */
#include "config.h"

#include "ptychography/prism-mosaic-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-pool.h"
#include "num/prism-linear.h"
#include "ptychography/prism-ptychography-private.h"

enum
{
  N_TERMS = 10
};               /* of a polynomial of the third degree */
#define ROUNDS 3 /* of phases, whose differences may go round between them */
#define LAG 6    /* times as far apart, pixels that tell a ramp */
#define TIE 0.1  /* of a tile's amplitude to that of the innermost frame; 1: as of an overlap */

/* Two tiles that overlap: what b's object is more than a's. */
typedef struct
{
  guint a;
  guint b;
  double weight;
  double middle[2]; /* of their overlap, pixels of the object of all */
  double ramp[2];   /* rad a pixel */
  double phase;     /* rad, in that middle */
  double level;     /* logarithm of the mean amplitude */
} Meeting;

/**
 * prism_mosaic_join_new:
 *
 * Returns: (transfer full): of what tiles that overlap tell; there are none yet
 */
GArray *
prism_mosaic_join_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (Meeting));
}

static void
evaluate_terms (double x,
                double y,
                double terms[N_TERMS])
{
  const double all[N_TERMS] = { 1, x, y, x * x, x * y, y * y, x * x * x, x * x * y, x * y * y,
                                y * y * y };

  memcpy (terms, all, sizeof all);
}

/**
 * prism_mosaic_join_level:
 * @object: (inout): of the tile
 * @m: its side
 * @solver: that has explained it
 * @inner: the frame that all tiles take their brightness from
 *
 * Makes an object as bright everywhere as the innermost frame shows it: Σ L·(A - c·|φ|) = 0 for
 * each term L of the polynomial c, which a noise of A that nobody knows does not bend.
 *
 * Shape: object [m][m][2].
 */
void
prism_mosaic_join_level (float *object,
                         int m,
                         PrismPtychography *solver,
                         guint inner)
{
  const PrismPtychogram *frames = solver->frames;
  const int q = frames->side;
  const float *recorded = prism_ptychogram_get (frames, inner);
  const float *field;
  double matrix[N_TERMS][N_TERMS + 1] = { { 0 } }, terms[N_TERMS];

  prism_ptychography_frame_compare (solver->frame, inner, solver->light.found[inner], &field);
  for (int row = 0; row < q; row++)
    for (int column = 0; column < q; column++)
      {
        const float *at = field + 2 * ((gsize) row * frames->grid + column);
        const float seen = recorded[(gsize) row * q + column];
        const double value = MAX (seen, 0);
        const double predicted = hypot (at[0], at[1]);

        if (isnan (seen))
          continue;
        evaluate_terms (2.0 * column / q - 1, 2.0 * row / q - 1, terms);
        for (int k = 0; k < N_TERMS; k++)
          {
            for (int l = 0; l < N_TERMS; l++)
              matrix[k][l] += terms[k] * terms[l] * predicted;
            matrix[k][N_TERMS] += terms[k] * value;
          }
      }
  prism_linear_solve (matrix[0], N_TERMS);
  for (int row = 0; row < m; row++)
    for (int column = 0; column < m; column++)
      {
        float *at = object + 2 * ((gsize) row * m + column);
        double factor = 0;

        evaluate_terms (2.0 * column / m - 1, 2.0 * row / m - 1, terms);
        for (int k = 0; k < N_TERMS; k++)
          factor += matrix[k][N_TERMS] * terms[k];
        at[0] *= (float) factor;
        at[1] *= (float) factor;
      }
}

/* Of a tile along columns (0) or rows: they grow from its rim inwards, unless that is the rim of
 * all. */
static float *
new_weights (const PrismMosaic *self,
             guint tile,
             int axis)
{
  const PrismMosaicPlan *plan = &self->plan;
  const int u = plan->upsampling, m = plan->side * u;
  const int whole = axis == 0 ? plan->width : plan->height;
  const int start = u * (axis == 0 ? plan->tiles[tile].x : plan->tiles[tile].y);
  const int fade = u * MAX ((int) (plan->side * self->settings->tile_overlap / 100), 1);
  float *weights = g_new (float, m);

  for (int i = 0; i < m; i++)
    {
      const double before = start == 0 ? 1 : MIN (1, (i + 0.5) / fade);
      const double after = start + m == whole ? 1 : MIN (1, (m - i - 0.5) / fade);
      const double part = sin (MIN (before, after) * G_PI / 2);

      weights[i] = part * part;
    }
  return weights;
}

/* The mean slope of the products' phase along columns (0) or rows, between pixels that are lag
 * apart, beyond the ramp that is known. */
static double
find_slope (const float *products,
            const int sides[2],
            int axis,
            int lag,
            double known)
{
  const int rows = sides[1] - (axis == 1 ? lag : 0), columns = sides[0] - (axis == 0 ? lag : 0);
  const gsize step = 2 * (axis == 0 ? (gsize) lag : (gsize) lag * sides[0]);
  double re = 0, im = 0;

  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      {
        const float *a = products + 2 * ((gsize) row * sides[0] + column), *b = a + step;

        re += a[0] * b[0] + a[1] * b[1];
        im += a[0] * b[1] - a[1] * b[0];
      }
  return hypot (re, im) > 0 ? remainder (atan2 (im, re) - lag * known, 2 * G_PI) / lag : 0;
}

/* products: [sides[1]][sides[0]][2]. Σ of them without the ramp, about their middle. */
static void
take_phase (Meeting *meeting,
            const float *products,
            const int sides[2])
{
  double re = 0, im = 0;

  /* A ramp is first found of neighbouring pixels, which leaves no doubt of turns, then of pixels
   * some times as far apart, which has as many times less of an error. */
  for (int axis = 0; axis < 2; axis++)
    for (int lag = 1; lag <= sides[axis] / 2; lag *= LAG)
      meeting->ramp[axis] += find_slope (products, sides, axis, lag, meeting->ramp[axis]);
  for (int row = 0; row < sides[1]; row++)
    for (int column = 0; column < sides[0]; column++)
      {
        const float *at = products + 2 * ((gsize) row * sides[0] + column);
        const double phase = -(meeting->ramp[0] * (column - sides[0] / 2.0)
                               + meeting->ramp[1] * (row - sides[1] / 2.0));
        const double c = cos (phase), s = sin (phase);

        re += c * at[0] - s * at[1];
        im += c * at[1] + s * at[0];
      }
  meeting->phase = atan2 (im, re);
  meeting->weight = hypot (re, im);
}

static void
meet (PrismMosaic *self,
      guint a,
      guint b)
{
  const int u = self->plan.upsampling, m = self->plan.side * u;
  const int from[2][2] = { { u * self->plan.tiles[a].x, u * self->plan.tiles[a].y },
                           { u * self->plan.tiles[b].x, u * self->plan.tiles[b].y } };
  const int first[2] = { MAX (from[0][0], from[1][0]), MAX (from[0][1], from[1][1]) };
  const int sides[2] = { m - abs (from[0][0] - from[1][0]), m - abs (from[0][1] - from[1][1]) };
  g_autofree float *wx = NULL, *wy = NULL, *vx = NULL, *vy = NULL, *products = NULL;
  Meeting meeting = { .a = a, .b = b };
  double sums[2] = { 0 };

  if (sides[0] <= 0 || sides[1] <= 0)
    return;
  wx = new_weights (self, a, 0);
  wy = new_weights (self, a, 1);
  vx = new_weights (self, b, 0);
  vy = new_weights (self, b, 1);
  products = g_new (float, 2 * (gsize) sides[0] * sides[1]);
  for (int row = 0; row < sides[1]; row++)
    for (int column = 0; column < sides[0]; column++)
      {
        const int ax = first[0] + column - from[0][0], ay = first[1] + row - from[0][1];
        const int bx = first[0] + column - from[1][0], by = first[1] + row - from[1][1];
        const float *p = self->objects[a] + 2 * ((gsize) ay * m + ax);
        const float *q = self->objects[b] + 2 * ((gsize) by * m + bx);
        const float weight = wx[ax] * wy[ay] * vx[bx] * vy[by];
        float *to = products + 2 * ((gsize) row * sides[0] + column);

        to[0] = weight * (p[0] * q[0] + p[1] * q[1]);
        to[1] = weight * (p[0] * q[1] - p[1] * q[0]);
        sums[0] += weight * hypotf (p[0], p[1]);
        sums[1] += weight * hypotf (q[0], q[1]);
      }
  for (int k = 0; k < 2; k++)
    meeting.middle[k] = first[k] + sides[k] / 2.0;
  take_phase (&meeting, products, sides);
  if (!(meeting.weight > 0))
    return;
  meeting.level = log (sums[1] / sums[0]);
  g_array_append_val (self->meetings, meeting);
}

/* The phase of a tile in a place of the object of all. */
static double
get_phase (const PrismMosaic *self,
           guint tile,
           const double at[2])
{
  const PrismMosaicTile *one = &self->plan.tiles[tile];
  const int u = self->plan.upsampling;

  return one->phase + one->ramp[0] * (at[0] - u * one->x) + one->ramp[1] * (at[1] - u * one->y);
}

/* Ramps are known. The first round takes the phase of a tile from the one before it that it agrees
 * with best, so that no difference goes round afterwards. */
static void
solve_phases (PrismMosaic *self,
              PrismDifference *told,
              const double *ties,
              double *x)
{
  const guint n = self->plan.n_tiles;
  g_autofree double *best = g_new0 (double, n);

  PRISM_FOR_EACH (const Meeting, meeting, self->meetings)
    {
      PrismMosaicTile *b = &self->plan.tiles[meeting->b];

      if (meeting->weight <= best[meeting->b])
        continue;
      best[meeting->b] = meeting->weight;
      b->phase = 0;
      b->phase = get_phase (self, meeting->a, meeting->middle) - meeting->phase
                 - get_phase (self, meeting->b, meeting->middle);
    }
  for (int round = 0; round < ROUNDS; round++)
    {
      PrismDifference *one = told;

      PRISM_FOR_EACH (const Meeting, meeting, self->meetings)
        one++->value = remainder (meeting->phase - get_phase (self, meeting->a, meeting->middle)
                                      + get_phase (self, meeting->b, meeting->middle),
                                  2 * G_PI);
      prism_linear_settle (told, self->meetings->len, ties, x, n);
      for (guint i = 0; i < n; i++)
        self->plan.tiles[i].phase += x[i];
    }
}

/* offset: of what tiles differ by, in Meeting */
static void
take_values (const PrismMosaic *self,
             gsize offset,
             PrismDifference *told)
{
  PRISM_FOR_EACH (const Meeting, meeting, self->meetings)
    told++->value = G_STRUCT_MEMBER (double, meeting, offset);
}

/**
 * prism_mosaic_put:
 * @tile: its number; those before it are done
 * @object: (transfer full): its object, as bright as the innermost frame
 *
 * Puts a tile to the others, and finds gain, phase and ramp of all that are done.
 *
 * Shape: object [m][m][2].
 */
void
prism_mosaic_put (PrismMosaic *self,
                  guint tile,
                  float *object)
{
  const guint n = self->plan.n_tiles;
  g_autofree double *ties = g_new0 (double, n);
  g_autofree double *x = g_new (double, n);
  g_autofree PrismDifference *told = NULL;
  guint n_told = 0;
  double mean = 0;

  prism_arena_free_array (self->objects[tile]);
  self->objects[tile] = object;
  self->plan.tiles[tile].done = TRUE;
  for (guint i = 0; i < tile; i++)
    meet (self, i, tile);
  if (self->meetings->len == 0)
    return;
  told = g_new (PrismDifference, self->meetings->len);
  PRISM_FOR_EACH (const Meeting, meeting, self->meetings)
    {
      told[n_told++] = (PrismDifference) { meeting->a, meeting->b, meeting->weight };
      mean += meeting->weight / self->meetings->len;
    }
  ties[0] = mean;
  for (int axis = 0; axis < 2; axis++)
    {
      take_values (self, G_STRUCT_OFFSET (Meeting, ramp[axis]), told);
      prism_linear_settle (told, n_told, ties, x, n);
      for (guint i = 0; i < n; i++)
        self->plan.tiles[i].ramp[axis] = x[i];
    }
  self->plan.tiles[0].phase = 0;
  solve_phases (self, told, ties, x);
  for (guint i = 0; i < n; i++)
    ties[i] = TIE * mean;
  take_values (self, G_STRUCT_OFFSET (Meeting, level), told);
  prism_linear_settle (told, n_told, ties, x, n);
  for (guint i = 0; i < n; i++)
    self->plan.tiles[i].gain = exp (x[i]);
}

struct _PrismMosaicBlend
{
  const PrismMosaic *mosaic; /* (unowned) */
  float **weights[2];        /* [tiles] each: along columns and rows */
  float **turns;             /* [tiles] [m][2]: gain and phase along columns */
};

/**
 * prism_mosaic_blend_new:
 * @mosaic: its tiles; it does not change before this is freed
 *
 * Returns: (transfer full): the object of all tiles, to be had row by row
 */
PrismMosaicBlend *
prism_mosaic_blend_new (const PrismMosaic *mosaic)
{
  const PrismMosaicPlan *plan = &mosaic->plan;
  const int m = plan->side * plan->upsampling;
  PrismMosaicBlend *self = g_new (PrismMosaicBlend, 1);

  self->mosaic = mosaic;
  self->turns = g_new (float *, plan->n_tiles);
  for (int axis = 0; axis < 2; axis++)
    self->weights[axis] = g_new (float *, plan->n_tiles);
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const PrismMosaicTile *tile = &plan->tiles[i];

      for (int axis = 0; axis < 2; axis++)
        self->weights[axis][i] = new_weights (mosaic, i, axis);
      self->turns[i] = g_new (float, 2 * (gsize) m);
      for (int k = 0; k < m; k++)
        {
          self->turns[i][2 * k] = tile->gain * cos (tile->ramp[0] * k);
          self->turns[i][2 * k + 1] = tile->gain * sin (tile->ramp[0] * k);
        }
    }
  return self;
}

/**
 * prism_mosaic_blend_free:
 */
void
prism_mosaic_blend_free (PrismMosaicBlend *self)
{
  for (guint i = 0; i < self->mosaic->plan.n_tiles; i++)
    {
      g_free (self->weights[0][i]);
      g_free (self->weights[1][i]);
      g_free (self->turns[i]);
    }
  g_free (self->weights[0]);
  g_free (self->weights[1]);
  g_free (self->turns);
  g_free (self);
}

/* Adds a row of a tile: turned by its phase, and its amplitudes as they are. */
static void
add_row (const float *restrict from,
         const float *restrict turn,
         const float *restrict weights,
         float weight_of_row,
         const float by[2],
         float gain,
         int n,
         float *restrict to,
         float *restrict amplitudes,
         float *restrict sums)
{
  for (int i = 0; i < n; i++)
    {
      const float re = from[2 * i], im = from[2 * i + 1];
      const float a = by[0] * turn[2 * i] - by[1] * turn[2 * i + 1];
      const float b = by[0] * turn[2 * i + 1] + by[1] * turn[2 * i];
      const float weight = weight_of_row * weights[i];

      to[2 * i] += weight * (a * re - b * im);
      to[2 * i + 1] += weight * (a * im + b * re);
      amplitudes[i] += weight * gain * sqrtf (re * re + im * im);
      sums[i] += weight;
    }
}

/**
 * prism_mosaic_blend_get_row:
 * @blend: a PrismMosaicBlend
 * @row: of the object of all tiles
 * @to: (out) (array): that row; 0 where no tile is yet
 *
 * Tiles fade into each other, their phases as those of complex numbers, and their amplitudes, which
 * would get darker where phases differ, as they are.
 *
 * Shape: @to [W][2].
 * Thread: any.
 */
void
prism_mosaic_blend_get_row (gconstpointer blend,
                            int row,
                            float *to)
{
  const PrismMosaicBlend *self = blend;
  const PrismMosaicPlan *plan = &self->mosaic->plan;
  const int u = plan->upsampling, m = plan->side * u;
  g_autofree float *sums = g_new0 (float, plan->width);
  g_autofree float *amplitudes = g_new0 (float, plan->width);

  memset (to, 0, 2 * sizeof *to * plan->width);
  for (guint i = 0; i < plan->n_tiles; i++)
    {
      const PrismMosaicTile *tile = &plan->tiles[i];
      const int y = row - u * tile->y, x = u * tile->x;
      const double phase = tile->phase + tile->ramp[1] * y;
      const float by[2] = { cos (phase), sin (phase) };

      if (tile->done && y >= 0 && y < m)
        add_row (self->mosaic->objects[i] + 2 * (gsize) y * m, self->turns[i], self->weights[0][i],
                 self->weights[1][i][y], by, tile->gain, m, to + 2 * x, amplitudes + x, sums + x);
    }
  for (int i = 0; i < plan->width; i++)
    {
      const float length = sqrtf (to[2 * i] * to[2 * i] + to[2 * i + 1] * to[2 * i + 1]);
      const float factor = length > 0 ? amplitudes[i] / sums[i] / length : 0;

      to[2 * i] *= factor;
      to[2 * i + 1] *= factor;
    }
}

typedef struct
{
  const PrismMosaicBlend *blend;
  float *object;
} Job;

static void
blend_row (gpointer data,
           guint row)
{
  const Job *job = data;

  prism_mosaic_blend_get_row (job->blend, row,
                              job->object + 2 * (gsize) row * job->blend->mosaic->plan.width);
}

/**
 * prism_mosaic_dup_object:
 *
 * Shape: [H][W][2]; 0 where no tile is yet.
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the object of all tiles; prism_arena_free_array() it
 */
float *
prism_mosaic_dup_object (const PrismMosaic *self,
                         GError **error)
{
  const gsize n = (gsize) self->plan.height * self->plan.width;
  g_autoptr (PrismMosaicBlend) blend = prism_mosaic_blend_new (self);
  Job job = { blend, prism_arena_new_array (2 * n * sizeof (float), "the object of all tiles",
                                            error) };

  if (job.object != NULL)
    prism_parallel_run (self->plan.height, n, blend_row, &job);
  return job.object;
}

/* Adds Σ of the squares by which amplitude and phase of a tile change over so many pixels, and
 * counts. One pixel of u each way tells. */
static void
add_changes (const PrismMosaic *self,
             guint tile,
             int width,
             int axis,
             double sums[3])
{
  const int u = self->plan.upsampling, m = self->plan.side * u;
  const gsize step = 2 * (gsize) width * (axis == 0 ? 1 : (gsize) m);

  for (int row = 0; row < m - (axis == 1 ? width : 0); row += u)
    for (int column = 0; column < m - (axis == 0 ? width : 0); column += u)
      {
        const float *a = self->objects[tile] + 2 * ((gsize) row * m + column), *b = a + step;
        const double phase = atan2 (a[0] * b[1] - a[1] * b[0],
                                    a[0] * b[0] + a[1] * b[1]);

        sums[0] += pow (hypotf (b[0], b[1]) - hypotf (a[0], a[1]), 2);
        sums[1] += pow (remainder (phase + width * self->plan.tiles[tile].ramp[axis], 2 * G_PI), 2);
        sums[2]++;
      }
}

/* Of an overlap, in cells that are as long as it is wide: Σ of the squares by which the mean
 * amplitudes of the two tiles differ, and their phases, and the number of cells. */
static void
add_steps (const PrismMosaic *self,
           const Meeting *meeting,
           double sums[3])
{
  const PrismMosaicTile *a = &self->plan.tiles[meeting->a], *b = &self->plan.tiles[meeting->b];
  const int u = self->plan.upsampling, m = self->plan.side * u;
  const int x = u * MAX (a->x, b->x), y = u * MAX (a->y, b->y);
  const int sides[2] = { m - u * abs (a->x - b->x), m - u * abs (a->y - b->y) };
  const int cell = MIN (sides[0], sides[1]);

  for (int top = y; top + cell <= y + sides[1]; top += cell)
    for (int left = x; left + cell <= x + sides[0]; left += cell)
      {
        double step = 0, re = 0, im = 0;

        for (int k = 0; k < cell * cell; k++)
          {
            const int row = top + k / cell, column = left + k % cell;
            const float *p = self->objects[meeting->a]
                             + 2 * ((gsize) (row - u * a->y) * m + column - u * a->x);
            const float *q = self->objects[meeting->b]
                             + 2 * ((gsize) (row - u * b->y) * m + column - u * b->x);
            const double at[2] = { column, row };
            const double turn
                = get_phase (self, meeting->b, at) - get_phase (self, meeting->a, at);
            const float dot = p[0] * q[0] + p[1] * q[1], cross = p[0] * q[1] - p[1] * q[0];

            step += b->gain * hypotf (q[0], q[1]) - a->gain * hypotf (p[0], p[1]);
            re += cos (turn) * dot - sin (turn) * cross;
            im += cos (turn) * cross + sin (turn) * dot;
          }
        step /= cell * cell;
        sums[0] += step * step;
        sums[1] += pow (atan2 (im, re), 2);
        sums[2]++;
      }
}

/**
 * prism_mosaic_find_seams:
 * @seams: (out): of the amplitude, and of the phase
 *
 * Two tiles give way to each other over their overlap, so that what shows of them is a step as
 * wide as that. Seam index: √(1 + s²/c²), where s is by how much tiles differ in their overlaps,
 * and c by how much the object itself changes over the same distance inside tiles, both root mean
 * squares.
 * 1: nobody sees them. NAN where there is nothing to compare.
 */
void
prism_mosaic_find_seams (const PrismMosaic *self,
                         double seams[2])
{
  const PrismMosaicPlan *plan = &self->plan;
  const int u = plan->upsampling, m = plan->side * u;
  double steps[3] = { 0 }, changes[3] = { 0 };

  PRISM_FOR_EACH (const Meeting, meeting, self->meetings)
    {
      const PrismMosaicTile *a = &plan->tiles[meeting->a], *b = &plan->tiles[meeting->b];
      const int axis = a->y == b->y ? 0 : 1;

      if (a->x != b->x && a->y != b->y)
        continue;
      add_steps (self, meeting, steps);
      add_changes (self, meeting->b,
                   m - u * (axis == 0 ? abs (a->x - b->x) : abs (a->y - b->y)), axis, changes);
    }
  for (int k = 0; k < 2; k++)
    seams[k] = steps[2] > 0 && changes[k] > 0
                   ? sqrt (1 + steps[k] / steps[2] / (changes[k] / changes[2]))
                   : NAN;
}
