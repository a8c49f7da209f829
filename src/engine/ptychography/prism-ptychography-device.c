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
  char *failure; /* (nullable) */
  gboolean is_checked;
  gboolean sums_are_checked;
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

/* Once, with the first frame: the CPU does the same, and both must have learned the same. */
static gboolean
check (PrismPtychography *self,
       Batch *batch,
       const PrismPtychographyVisit *visit,
       GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographyVisit copy = *visit;
  const gsize m = (gsize) self->frames->object_side, n = (gsize) self->frames->grid;
  prism_autofree_array float *object
      = prism_arena_new_array (sizeof (float) * 2 * m * m, "the device's object", error);
  g_autofree float *pupil = g_new (float, 2 * n * n);

  if (object == NULL
      || !device->ops->visit (device->recorded, batch->visits, 1, batch->lessons, error)
      || !device->ops->get (device->recorded, object, pupil, error))
    return FALSE;
  copy.gain = batch->visits[0].gain;
  prism_ptychography_frame_visit (self->frame, batch->frames[0],
                                  self->light.found[batch->frames[0]], &copy);
  device->is_checked
      = are_alike (prism_ptychography_frame_get_object (self->frame), object, 2 * m * m)
        && are_alike (prism_ptychography_frame_get_pupil (self->frame), pupil, 2 * n * n);
  if (!device->is_checked)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                 "CPU and GPU learn different things from the first frame.");
  return device->is_checked;
}

static gboolean
visit_batch (PrismPtychography *self,
             Batch *batch,
             const PrismPtychographyVisit *visit,
             GError **error)
{
  PrismPtychographyDevice *device = self->device;
  const guint first = device->is_checked ? 0 : 1;

  if (batch->n == 0)
    return TRUE;
  if ((!device->is_checked && !check (self, batch, visit, error))
      || (batch->n > first
          && !device->ops->visit (device->recorded, batch->visits + first, batch->n - first,
                                  batch->lessons + first, error)))
    return FALSE;
  for (guint i = 0; i < batch->n; i++)
    {
      const PrismPtychographyLesson lesson
          = read_lesson (self, &batch->visits[i], &batch->lessons[i], visit->wants_shift);

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

/* Once, with the first frame of all sums. */
static gboolean
check_sums (PrismPtychography *self,
            Batch *batch,
            const PrismPtychographyVisit *visit,
            GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographySums *found = visit->sums;
  PrismPtychographyVisit copy = *visit;
  const gsize m = (gsize) found->side, n = (gsize) found->grid;
  g_autoptr (PrismPtychographySums) expected = prism_ptychography_sums_new (self->frames, error);

  if (expected == NULL
      || !device->ops->visit (device->recorded, batch->visits, 1, batch->lessons, error)
      || !device->ops->get_sums (device->recorded, found->object, error))
    return FALSE;
  copy.sums = expected;
  copy.gain = batch->visits[0].gain;
  prism_ptychography_frame_visit (self->frame, batch->frames[0],
                                  self->light.found[batch->frames[0]], &copy);
  device->sums_are_checked = are_alike (expected->object, found->object, 2 * m * m)
                             && are_alike (expected->object_weights, found->object_weights, m * m)
                             && are_alike (expected->pupil, found->pupil, 2 * n * n)
                             && are_alike (expected->pupil_weights, found->pupil_weights, n * n);
  if (!device->sums_are_checked)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                 "CPU and GPU learn different things from the first frame.");
  return device->sums_are_checked;
}

static gboolean
sum_up_batch (PrismPtychography *self,
              Batch *batch,
              const PrismPtychographyVisit *visit,
              GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographySums *sums = visit->sums;
  const guint first = device->sums_are_checked ? 0 : 1;

  if ((!device->sums_are_checked && !check_sums (self, batch, visit, error))
      || (batch->n > first
          && !device->ops->visit (device->recorded, batch->visits + first, batch->n - first,
                                  batch->lessons + first, error)))
    return FALSE;
  for (guint i = 0; i < batch->n; i++)
    sums->lessons[sums->next++]
        = read_lesson (self, &batch->visits[i], &batch->lessons[i], visit->wants_shift);
  batch->n = 0;
  return TRUE;
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
        is_done = sum_up_batch (self, batch, visit, &error);
    }
  if (is_done && device->ops->get_sums (device->recorded, sums->object, &error))
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
 * prism_ptychography_device_put_network:
 * @values: parameters and Adam's moments
 * @n_steps: of Adam so far
 *
 * Shape: values [3][P].
 *
 * Returns: whether a device has the network from now on
 */
gboolean
prism_ptychography_device_put_network (PrismPtychography *self,
                                       const float *values,
                                       guint n_steps)
{
  PrismPtychographyDevice *device = self->device;
  g_autoptr (GError) error = NULL;

  if (device == NULL || device->recorded == NULL)
    return FALSE;
  if (device->ops->put_network (device->recorded, values, n_steps, &error))
    return TRUE;
  give_up (device, error);
  return FALSE;
}

/**
 * prism_ptychography_device_get_network:
 * @values: (out): what prism_ptychography_device_put_network() takes
 *
 * Returns: whether they are there; otherwise the device is given up, as by all that follow
 */
gboolean
prism_ptychography_device_get_network (PrismPtychography *self,
                                       float *values)
{
  PrismPtychographyDevice *device = self->device;
  g_autoptr (GError) error = NULL;

  return device->recorded != NULL
         && (device->ops->get_network (device->recorded, values, &error)
             || give_up (device, error) == PRISM_PASSING_DONE);
}

/**
 * prism_ptychography_device_decode:
 * @outputs: (out): what the network makes
 *
 * Shape: outputs [2][m][m].
 *
 * Returns: whether it is there
 */
gboolean
prism_ptychography_device_decode (PrismPtychography *self,
                                  float *outputs)
{
  PrismPtychographyDevice *device = self->device;
  g_autoptr (GError) error = NULL;

  return device->recorded != NULL
         && (device->ops->decode (device->recorded, outputs, &error)
             || give_up (device, error) == PRISM_PASSING_DONE);
}

/**
 * prism_ptychography_device_learn:
 * @slopes: of a loss, by the outputs that were decoded last
 * @rate: of the step of Adam
 *
 * Shape: slopes [2][m][m].
 *
 * Returns: whether it was taken
 */
gboolean
prism_ptychography_device_learn (PrismPtychography *self,
                                 const float *slopes,
                                 double rate)
{
  PrismPtychographyDevice *device = self->device;
  g_autoptr (GError) error = NULL;

  return device->recorded != NULL
         && (device->ops->learn (device->recorded, slopes, rate, &error)
             || give_up (device, error) == PRISM_PASSING_DONE);
}
