/* Visits to one frame after the other, on the CPU or a device.
 *
 * Frames whose light is imaged on the pupil's rim see what changes slowly over the field, which all
 * others hardly show, and are few: they teach the object several times in the first passes. */
#include "config.h"

#include "ptychography/prism-ptychography-private.h"

/* What a phase is off by lies below six periods of the field, and only these frames see it: figures
 * in docs/measurements.md. More visits bend the recorded sets' prediction. */
#define MORE_VISITS 20 /* once places are looked for and none is far off */
#define PASSES 5
#define STEP 0.7 /* of an ordinary visit's */
/* The rim cuts nothing off what has fewer periods over the field than lights are pixels from it:
 * frames tell such a phase by its curvature alone, which falls with the square, and what a step
 * finds of it with the square of that. What moves goes on moving, as if steps were as many times
 * longer as the lights' distance asks for. */
#define NEAR 1.4        /* pixels of the spectrum: lights at which a plain step is enough */
#define MOST_MEMORY 0.9 /* ten times as long */
#define REACH 4         /* periods of the field for each pixel */

/* Of what changes slowly, a square of the spectrum: what the last round of visits began with, and
 * by how much the one before it has moved it. */
struct _PrismPtychographyRim
{
  double memory; /* of a movement, 0…1; 0: there is none */
  int reach;     /* points from the middle, each way */
  float *before; /* [side][side][2] */
  float *moved;  /* [side][side][2] */
  guint round;   /* of visits that is under way */
  guint next;    /* of the order: the frame that it goes on with */
};

typedef PrismPtychographyRim Memory;

/* Pixels of the spectrum of a frame without border; 0: no light is there. The nearest lights tell
 * the most. */
static double
get_distance (const PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const double unit = (double) frames->grid / frames->side;
  double sum = 0;
  guint n = 0;

  for (guint i = 0; i < frames->n_used; i++)
    {
      const double *place = frames->centers[frames->order[i]];
      const double distance = fabs (hypot (place[0], place[1]) - frames->radius) / unit;

      if (distance * unit > PRISM_RECORDING_RIM * frames->radius)
        continue;
      sum += 1 / pow (MAX (distance, 0.5), 2); /* the rim is soft */
      n++;
    }
  return n > 0 ? 1 / sqrt (sum / n) : 0;
}

static Memory *
memory_new (const PrismPtychography *solver)
{
  const double distance = get_distance (solver);
  const PrismPtychogram *frames = solver->frames;
  const double reach = REACH * distance * frames->grid / frames->side;
  Memory *self = g_new0 (Memory, 1);
  gsize n;

  self->reach = MIN ((int) reach, frames->object_side / 2 - 1);
  if (distance > NEAR)
    self->memory = MIN (1 - pow (NEAR / distance, 4), MOST_MEMORY);
  n = 2 * (gsize) (2 * self->reach + 1) * (gsize) (2 * self->reach + 1);
  self->before = g_new0 (float, n);
  self->moved = g_new0 (float, n);
  return self;
}

/**
 * prism_ptychography_forget_rim:
 *
 * Lets go of visits that are over, or that nobody goes on with.
 */
void
prism_ptychography_forget_rim (PrismPtychography *self)
{
  if (self->at_rim == NULL)
    return;
  g_free (self->at_rim->before);
  g_free (self->at_rim->moved);
  g_clear_pointer (&self->at_rim, g_free);
}

static float *
get_row (const Memory *self,
         PrismPtychography *solver,
         int row)
{
  const int side = solver->frames->object_side, first = side / 2 - self->reach;

  return prism_ptychography_frame_get_object (solver->frame)
         + 2 * ((gsize) (first + row) * side + first);
}

static void
memory_begin (Memory *self,
              PrismPtychography *solver)
{
  const int side = 2 * self->reach + 1;

  for (int row = 0; self->memory > 0 && row < side; row++)
    memcpy (self->before + 2 * (gsize) row * side, get_row (self, solver, row),
            sizeof (float) * 2 * side);
}

/* After a round: what moves goes on moving. */
static void
memory_go_on (Memory *self,
              PrismPtychography *solver)
{
  const int side = 2 * self->reach + 1;
  const float memory = (float) self->memory;

  for (int row = 0; self->memory > 0 && row < side; row++)
    for (int column = 0; column < side; column++)
      for (int k = 0; k < 2; k++)
        {
          float *value = get_row (self, solver, row) + 2 * column + k;
          const gsize i = 2 * ((gsize) row * side + column) + k;

          if (hypot (row - self->reach, column - self->reach) > self->reach)
            continue;
          self->moved[i] = memory * self->moved[i] + *value - self->before[i];
          *value = self->before[i] = self->before[i] + self->moved[i];
        }
}

/**
 * prism_ptychography_visit_frame:
 * @j: a frame
 * @visit: what is to change
 * @free_gains: whether the gain is, too
 * @at_rim: whether it teaches nothing about its light
 *
 * Visits it, and takes over its gain, misfit and place.
 */
void
prism_ptychography_visit_frame (PrismPtychography *self,
                                guint j,
                                PrismPtychographyVisit *visit,
                                gboolean free_gains,
                                gboolean at_rim)
{
  PrismPtychographyLesson lesson;

  visit->gain = free_gains ? (double) NAN : self->light.gains[j];
  lesson = prism_ptychography_frame_visit (self->frame, j, self->light.found[j], visit);
  if (!at_rim)
    prism_ptychography_light_take (self, j, &lesson, visit->wants_shift);
}

/**
 * prism_ptychography_visit_frames:
 * @visit: what is to change
 * @free_gains: whether the gains are, too
 * @at_rim: whether only frames at the rim are wanted, which teach nothing about their light then
 * @next: (inout): of the order: the frame that it begins with, and goes on with where it is ended
 *
 * Visits one frame after the other, on the device where there is one.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_visit_frames (PrismPtychography *self,
                                 PrismPtychographyVisit *visit,
                                 gboolean free_gains,
                                 gboolean at_rim,
                                 guint *next)
{
  const PrismPtychogram *frames = self->frames;
  PrismPtychographyPassing passing = PRISM_PASSING_FAILED;

  if (self->device != NULL)
    passing = prism_ptychography_device_visit (self, visit, free_gains, at_rim, next);
  for (; passing == PRISM_PASSING_FAILED && *next < frames->n_used; ++*next)
    {
      const guint j = frames->order[*next];

      if (!prism_ptychography_wants (self, j, at_rim))
        continue;
      if (!prism_ptychography_go_on (self, at_rim ? 1 : (double) *next / frames->n_used))
        return FALSE;
      prism_ptychography_visit_frame (self, j, visit, free_gains, at_rim);
    }
  return passing != PRISM_PASSING_ENDED;
}

/**
 * prism_ptychography_visit_rim:
 * @pass: passes since the last search
 * @step: of an ordinary visit of this pass
 * @settled: places are looked for, and none is far off
 *
 * Visits the frames at the rim once more, as often as this pass asks for.
 *
 * Returns: whether it was not ended; otherwise the next call goes on with it
 */
gboolean
prism_ptychography_visit_rim (PrismPtychography *self,
                              guint pass,
                              double step,
                              gboolean settled)
{
  PrismPtychographyVisit visit = { .object_step = STEP * step };
  /* What they leave uneven the last passes make even again. */
  const int n_passes = MIN (PASSES, self->settings->passes - 3);
  const guint n_visits
      = settled && self->settings->positions == PRISM_PLACES_FOUND ? MORE_VISITS : 6;

  if ((int) pass >= n_passes)
    return TRUE;
  if (self->at_rim == NULL)
    {
      self->at_rim = memory_new (self);
      memory_begin (self->at_rim, self);
    }
  for (; self->at_rim->round < n_visits; self->at_rim->round++)
    {
      if (!prism_ptychography_visit_frames (self, &visit, FALSE, TRUE, &self->at_rim->next))
        return FALSE;
      self->at_rim->next = 0;
      memory_go_on (self->at_rim, self);
    }
  prism_ptychography_forget_rim (self);
  return TRUE;
}
