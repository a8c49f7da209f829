#include "config.h"

#include "instrument/prism-specimen.h"

#include "base/prism-random.h"

#include <math.h>

#define N_CELLS 60
#define CELL_RADIUS 0.055 /* of the side */
#define ABSORPTION 0.15
#define N_GROUPS 5 /* of bars; each has half the period of the one before */
#define SQUARE 0.5 /* side of the bright scene, of the whole */
#define SMOOTH 2.0 /* pixels of an edge */

/* Where something lies: coordinates from 0 to 1. */
typedef struct
{
  double x;
  double y;
  double radius;
  double thickness;
} Cell;

static double
draw_number (guint64 seed,
             guint index,
             guint64 position)
{
  return prism_random_uniform (seed, PRISM_STREAM_OBJECT, index, position);
}

/* 1 within an edge at 0, 0 beyond it, over some pixels. */
static double
soften (double distance,
        guint side)
{
  return 0.5 - 0.5 * tanh (distance * side / SMOOTH);
}

/* A red blood cell is thinner in its middle. */
static double
get_thickness (const Cell *cell,
               double x,
               double y,
               guint side)
{
  double r = hypot (x - cell->x, y - cell->y) / cell->radius;

  if (r > 2)
    return 0;
  return cell->thickness * (0.55 + 1.2 * r * r - 0.75 * r * r * r * r)
         * soften ((r - 1) * cell->radius, side);
}

static void
draw_cells (double phase,
            guint64 seed,
            float *object,
            guint side)
{
  Cell cells[N_CELLS];

  for (guint i = 0; i < N_CELLS; i++)
    cells[i] = (Cell) { draw_number (seed, i, 0), draw_number (seed, i, 1),
                        CELL_RADIUS * (0.7 + 0.5 * draw_number (seed, i, 2)),
                        0.6 + 0.4 * draw_number (seed, i, 3) };
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++)
      {
        double thickness = 0, amplitude;

        for (guint i = 0; i < N_CELLS; i++)
          thickness += get_thickness (&cells[i], (x + 0.5) / side, (y + 0.5) / side, side);
        thickness = MIN (thickness, 1.5);
        amplitude = 1 - ABSORPTION * thickness;
        object[2 * ((gsize) y * side + x)] = (float) (amplitude * cos (phase * thickness));
        object[2 * ((gsize) y * side + x) + 1] = (float) (amplitude * sin (phase * thickness));
      }
}

/* Bars, upright in the left half and level in the right, in rows of falling period. */
static double
get_bar (double x,
         double y)
{
  int group = (int) (y * N_GROUPS);
  double period = 0.16 / (1 << group), along = x < 0.5 ? x : y * N_GROUPS - group;
  double within = fmod (y * N_GROUPS, 1);

  if (within < 0.15 || within > 0.85 || fmod (x, 0.5) < 0.05 || fmod (x, 0.5) > 0.45)
    return 0;
  if (x >= 0.5)
    along /= N_GROUPS;
  return fmod (along, period) < period / 2 ? 1 : 0;
}

static void
draw_target (double phase,
             float *object,
             guint side)
{
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++)
      {
        double bar = get_bar ((x + 0.5) / side, (y + 0.5) / side), amplitude = 1 - 0.8 * bar;

        object[2 * ((gsize) y * side + x)] = (float) (amplitude * cos (phase * bar));
        object[2 * ((gsize) y * side + x) + 1] = (float) (amplitude * sin (phase * bar));
      }
}

/* Bright blocks of several sizes in the middle of the dark. */
static void
draw_scene (guint64 seed,
            float *object,
            guint side)
{
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++)
      {
        double u = ((x + 0.5) / side - 0.5) / SQUARE + 0.5;
        double v = ((y + 0.5) / side - 0.5) / SQUARE + 0.5;
        double value = 0;

        for (guint level = 0; level < 4 && u > 0 && u < 1 && v > 0 && v < 1; level++)
          {
            guint n = 4u << level;
            guint64 block = (guint64) (v * n) * n + (guint64) (u * n);

            value += draw_number (seed, level, block) > 0.6 ? 0.4 : 0.05;
          }
        object[2 * ((gsize) y * side + x)] = (float) value;
        object[2 * ((gsize) y * side + x) + 1] = 0;
      }
}

/**
 * prism_specimen_draw:
 * @kind: what is drawn
 * @phase: where it is thick, rad
 * @seed: of the random numbers
 * @object: (array) (out caller-allocates): the field behind the specimen
 * @side: n
 *
 * Shape: object [n][n][2], real and imaginary part.
 */
void
prism_specimen_draw (PrismSpecimen kind,
                     double phase,
                     guint64 seed,
                     float *object,
                     guint side)
{
  if (kind == PRISM_SPECIMEN_CELLS)
    draw_cells (phase, seed, object, side);
  else if (kind == PRISM_SPECIMEN_TARGET)
    draw_target (phase, object, side);
  else
    draw_scene (seed, object, side);
}
