#include "config.h"

#include "ptychography/prism-ptychography-device.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "ptychography/prism-illumination.h"
#include "ptychography/prism-ptychography-private.h"

#include <math.h>
#include <string.h>

#define MOST PRISM_RECORDED_MOST_VISITS

struct _PrismPtychographyDevice
{
  const PrismRecordedOps *ops;
  PrismRecorded *recorded; /* (nullable): NULL when it was given up */
  char *name;
  char *failure;          /* (nullable) */
  gboolean is_checked[2]; /* of visits one by one, and together */
};

/* Some frames that are visited without anybody looking. */
typedef struct
{
  guint frames[MOST];
  PrismRecordedVisit visits[MOST];
  PrismRecordedLesson lessons[MOST];
  guint n;
} Batch;

/**
 * prism_ptychography_device_open:
 * @ops: what the device can do
 *
 * Lets a device take the passes that follow.
 *
 * Errors: the device's.
 *
 * Returns: whether it will; otherwise they are the CPU's, as before
 */
gboolean
prism_ptychography_device_open (PrismPtychography *self,
                                const PrismRecordedOps *ops,
                                GError **error)
{
  const PrismPtychogram *frames = self->frames;
  PrismRecordedSpec spec = {
    .n_frames = frames->n_frames,
    .side = frames->side,
    .border = frames->border,
    .grid = frames->grid,
    .object_side = frames->object_side,
    .radius = frames->radius,
    .amplitudes = frames->amplitudes,
    .network = self->decoder != NULL ? &self->decoder->plan : NULL,
  };
  double limits[2];
  PrismRecorded *recorded;

  prism_ptychography_frame_describe (self->frame, &spec, limits);
  recorded = ops->open (&spec, error);
  if (recorded == NULL)
    return FALSE;
  prism_ptychography_device_close (self);
  self->device = g_new0 (PrismPtychographyDevice, 1);
  self->device->ops = ops;
  self->device->recorded = recorded;
  self->device->name = ops->dup_device_name (recorded);
  return TRUE;
}

/**
 * prism_ptychography_device_free:
 * @self: (nullable): what to free
 */
void
prism_ptychography_device_free (PrismPtychographyDevice *self)
{
  if (self == NULL)
    return;
  if (self->recorded != NULL)
    self->ops->close (self->recorded);
  g_free (self->name);
  g_free (self->failure);
  g_free (self);
}

/**
 * prism_ptychography_device_close:
 * @self: between two passes
 *
 * Gives the device's memory back; passes that follow are the CPU's.
 */
void
prism_ptychography_device_close (PrismPtychography *self)
{
  g_clear_pointer (&self->device, prism_ptychography_device_free);
  if (self->decoder != NULL)
    self->decoder->is_lent = FALSE;
}

/**
 * prism_ptychography_device_get_name:
 *
 * Returns: (nullable): of the device that takes the passes; NULL where it is the CPU
 */
const char *
prism_ptychography_device_get_name (PrismPtychography *self)
{
  return self->device != NULL && self->device->recorded != NULL ? self->device->name : NULL;
}

/**
 * prism_ptychography_device_get_failure:
 *
 * Returns: (nullable): why the device was given up, a sentence
 */
const char *
prism_ptychography_device_get_failure (PrismPtychography *self)
{
  return self->device != NULL ? self->device->failure : NULL;
}

static PrismPtychographyPassing
give_up (PrismPtychographyDevice *self,
         const GError *error)
{
  self->failure = g_strdup (error->message);
  self->ops->close (self->recorded);
  self->recorded = NULL;
  return PRISM_PASSING_FAILED;
}

static void
add_visit (PrismPtychography *self,
           Batch *batch,
           guint j,
           const PrismPtychographyVisit *visit,
           gboolean free_gains)
{
  PrismRecordedVisit *to = &batch->visits[batch->n];
  PrismPtychographyPlace place;

  prism_ptychography_place_init (&place, self->light.found[j]);
  *to = (PrismRecordedVisit) {
    .frame = j,
    .gain = free_gains ? (double) NAN : self->light.gains[j],
    .energy = self->frames->energies[j],
    .object_step = visit->object_step,
    .pupil_step = visit->pupil_step,
  };
  memcpy (to->whole, place.whole, sizeof to->whole);
  memcpy (to->base, place.base, sizeof to->base);
  memcpy (to->weights, place.weights, sizeof to->weights);
  memcpy (to->back, place.back, sizeof to->back);
  batch->frames[batch->n++] = j;
}

static PrismPtychographyLesson
read_lesson (const PrismPtychography *self,
             const PrismRecordedVisit *visit,
             const PrismRecordedLesson *found,
             gboolean wants_shift)
{
  const double n_points = (double) self->frames->grid * self->frames->grid;
  PrismPtychographyLesson lesson = { .gain = visit->gain };

  if (isnan (lesson.gain))
    lesson.gain = visit->energy > 0 ? found->sums[1] / visit->energy : 1;
  lesson.energy = lesson.gain * lesson.gain * visit->energy;
  lesson.error = found->sums[0] - 2 * lesson.gain * found->sums[1] + lesson.energy;
  if (wants_shift)
    prism_ptychography_place_find_shift (found->forces, n_points, lesson.shift);
  return lesson;
}

static gboolean
put (PrismPtychography *self,
     gboolean together,
     GError **error)
{
  PrismRecordedSpec spec;
  double limits[2];

  prism_ptychography_frame_describe (self->frame, &spec, limits);
  return self->device->ops->put (self->device->recorded,
                                 prism_ptychography_frame_get_object (self->frame),
                                 prism_ptychography_frame_get_pupil (self->frame), limits[0],
                                 limits[1], together, error);
}

static gboolean
fetch (PrismPtychography *self,
       GError **error)
{
  return self->device->ops->get (self->device->recorded,
                                 prism_ptychography_frame_get_object (self->frame),
                                 prism_ptychography_frame_get_pupil (self->frame), error);
}

static gboolean
are_alike (const float *a,
           const float *b,
           gsize n)
{
  double difference = 0, power = 0;

  for (gsize i = 0; i < n; i++)
    {
      difference += (double) (a[i] - b[i]) * (double) (a[i] - b[i]);
      power += (double) a[i] * (double) a[i];
    }
  return difference <= 1e-6 * power; /* a thousandth of the root mean square */
}

/* Once of each kind, with the first frame: the CPU does the same, and both must have learned the
 * same. */
static gboolean
check (PrismPtychography *self,
       Batch *batch,
       const PrismPtychographyVisit *visit,
       GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographyVisit copy = *visit;
  g_autoptr (PrismPtychographySums) found = prism_ptychography_sums_new (self->frames, error);
  const float *object = prism_ptychography_frame_get_object (self->frame);
  const float *pupil = prism_ptychography_frame_get_pupil (self->frame);

  if (found == NULL
      || !device->ops->visit (device->recorded, batch->visits, 1, batch->lessons, error)
      || !device->ops->get (device->recorded, found->object, found->pupil, error))
    return FALSE;
  if (visit->sums != NULL)
    {
      prism_ptychography_sums_clear (visit->sums);
      object = visit->sums->object;
      pupil = visit->sums->pupil;
    }
  copy.gain = batch->visits[0].gain;
  prism_ptychography_frame_visit (self->frame, batch->frames[0],
                                  self->light.found[batch->frames[0]], &copy);
  if (are_alike (object, found->object, 2 * (gsize) found->side * found->side)
      && are_alike (pupil, found->pupil, 2 * (gsize) found->grid * found->grid))
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
               "CPU and GPU learn different things from the first frame.");
  return FALSE;
}

static gboolean
visit_batch (PrismPtychography *self,
             Batch *batch,
             const PrismPtychographyVisit *visit,
             GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographySums *sums = visit->sums;
  gboolean *is_checked = &device->is_checked[sums != NULL];
  const guint first = *is_checked ? 0 : 1;

  if (batch->n == 0)
    return TRUE;
  *is_checked = *is_checked || check (self, batch, visit, error);
  if (!*is_checked
      || (batch->n > first
          && !device->ops->visit (device->recorded, batch->visits + first, batch->n - first,
                                  batch->lessons + first, error)))
    return FALSE;
  for (guint i = 0; i < batch->n; i++)
    {
      const PrismPtychographyLesson lesson
          = read_lesson (self, &batch->visits[i], &batch->lessons[i], visit->wants_shift);

      if (sums != NULL)
        sums->lessons[sums->next++] = lesson;
      else
        prism_ptychography_light_take (self, batch->frames[i], &lesson, visit->wants_shift);
    }
  batch->n = 0;
  return TRUE;
}

/**
 * prism_ptychography_device_pass:
 * @visit: what is to change
 * @free_gains: whether the gains are, too
 *
 * Visits all frames on the device, some at a time; before it is asked whether to go on, and in the
 * end, the CPU has what is found by then. When the device fails that is what was there at the
 * beginning.
 *
 * Returns: what came of it
 */
PrismPtychographyPassing
prism_ptychography_device_pass (PrismPtychography *self,
                                PrismPtychographyVisit *visit,
                                gboolean free_gains)
{
  PrismPtychographyDevice *device = self->device;
  const PrismPtychogram *frames = self->frames;
  g_autofree Batch *batch = g_new0 (Batch, 1);
  g_autoptr (GError) error = NULL;

  if (device->recorded == NULL)
    return PRISM_PASSING_FAILED;
  if (!put (self, FALSE, &error))
    return give_up (device, error);
  for (guint i = self->next; i < frames->n_used; i++)
    {
      if (self->watch != NULL && batch->n == 0)
        {
          if (i > self->next && !fetch (self, &error))
            return give_up (device, error);
          self->next = i;
        }
      if (!prism_ptychography_go_on (self, (double) i / frames->n_used))
        return PRISM_PASSING_ENDED;
      if (self->strays[frames->order[i]] == 0)
        add_visit (self, batch, frames->order[i], visit, free_gains);
      if ((batch->n == MOST || i + 1 == frames->n_used)
          && !visit_batch (self, batch, visit, &error))
        return give_up (device, error);
    }
  if (!fetch (self, &error))
    return give_up (device, error);
  self->next = frames->n_used;
  return PRISM_PASSING_DONE;
}

/* Does on the device what prism_ptychography_sum_up() is asked for. When the device fails nothing
 * has been summed up. */
static PrismPtychographyPassing
sum_up_on_device (PrismPtychography *self,
                  PrismPtychographyVisit *visit,
                  gboolean free_gains,
                  double begin,
                  double length)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographySums *sums = visit->sums;
  g_autofree Batch *batch = g_new0 (Batch, 1);
  g_autoptr (GError) error = NULL;
  gboolean is_done = device->recorded != NULL;

  if (!is_done)
    return PRISM_PASSING_FAILED;
  if (sums->next == 0)
    is_done = put (self, TRUE, &error);
  for (guint i = sums->next; i < sums->n_frames && is_done; i++)
    {
      if (!prism_ptychography_go_on (self, begin + length * i / sums->n_frames))
        return PRISM_PASSING_ENDED;
      add_visit (self, batch, sums->frames[i], visit, free_gains);
      if (batch->n == MOST || i + 1 == sums->n_frames)
        is_done = visit_batch (self, batch, visit, &error);
    }
  if (is_done && device->ops->get (device->recorded, sums->object, sums->pupil, &error))
    return PRISM_PASSING_DONE;
  sums->next = 0;
  return give_up (device, error);
}

/**
 * prism_ptychography_sum_up:
 * @visit: what the frames of its sums are to teach
 * @free_gains: whether gains are those that fit best, or as they are found by now
 * @begin: how much of the pass is done
 * @length: how much of it these frames are
 *
 * Visits frames that are taken together, on the device where there is one, or the rest of them
 * where it was ended. Gains and places stay.
 *
 * Returns: whether it was not ended; then the sums are of all of them, and each has its lesson
 */
gboolean
prism_ptychography_sum_up (PrismPtychography *self,
                           PrismPtychographyVisit *visit,
                           gboolean free_gains,
                           double begin,
                           double length)
{
  PrismPtychographySums *sums = visit->sums;
  PrismPtychographyPassing passing = PRISM_PASSING_FAILED;

  if (self->device != NULL)
    passing = sum_up_on_device (self, visit, free_gains, begin, length);
  if (passing == PRISM_PASSING_ENDED)
    return FALSE;
  if (passing == PRISM_PASSING_FAILED && sums->next == 0)
    prism_ptychography_sums_clear (sums);
  for (; passing == PRISM_PASSING_FAILED && sums->next < sums->n_frames; sums->next++)
    {
      const guint j = sums->frames[sums->next];

      if (!prism_ptychography_go_on (self, begin + length * sums->next / sums->n_frames))
        return FALSE;
      visit->gain = free_gains ? (double) NAN : self->light.gains[j];
      sums->lessons[sums->next]
          = prism_ptychography_frame_visit (self->frame, j, self->light.found[j], visit);
    }
  sums->next = 0;
  for (guint i = 0; i < sums->n_frames; i++)
    self->misfits[sums->frames[i]]
        = sqrt (MAX (sums->lessons[i].error, 0) / MAX (sums->lessons[i].energy, 1e-300));
  return TRUE;
}

/**
 * prism_ptychography_device_run_network:
 * @task: what is done with the network
 * @values: (inout): as the task says
 * @number: likewise
 *
 * Returns: whether a device has done it; one that fails is given up
 */
gboolean
prism_ptychography_device_run_network (PrismPtychography *self,
                                       PrismNetworkTask task,
                                       float *values,
                                       double number)
{
  PrismPtychographyDevice *device = self->device;
  g_autoptr (GError) error = NULL;

  if (device == NULL || device->recorded == NULL)
    return FALSE;
  if (device->ops->run_network (device->recorded, task, values, number, &error))
    return TRUE;
  give_up (device, error);
  return FALSE;
}
