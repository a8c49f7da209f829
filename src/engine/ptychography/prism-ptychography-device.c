#include "config.h"

#include "ptychography/prism-ptychography-device.h"

#include "base/prism-error.h"
#include "ptychography/prism-illumination.h"
#include "ptychography/prism-ptychography-private.h"

#define MOST PRISM_RECORDED_MOST_VISITS

struct _PrismPtychographyDevice
{
  const PrismRecordedOps *ops;
  PrismRecorded *recorded; /* (nullable): NULL when it was given up */
  char *name;
  char *failure;          /* (nullable) */
  gboolean is_checked[2]; /* of visits one by one, and together */
  gboolean together;      /* sums of frames are on it */
};

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
fill_visit (PrismPtychography *self,
            PrismRecordedVisit *to,
            guint j,
            const PrismPtychographyVisit *visit,
            gboolean free_gains)
{
  *to = (PrismRecordedVisit) {
    .frame = j,
    .gain = free_gains ? (double) NAN : self->light.gains[j],
    .energy = self->frames->energies[j],
    .floor = self->frames->floors[j],
    .object_step = visit->object_step,
    .pupil_step = visit->pupil_step,
  };
  prism_ptychography_place_init (&to->place, self->light.found[j]);
}

static PrismPtychographyLesson
read_lesson (const PrismPtychography *self,
             guint j,
             const PrismRecordedLesson *found,
             gboolean wants_shift,
             gboolean free_gains)
{
  const double n_points = (double) self->frames->grid * self->frames->grid;
  PrismPtychographyLesson lesson = prism_ptychography_make_lesson (
      self->frames, j, found->sums, free_gains ? (double) NAN : self->light.gains[j]);

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
  self->device->together = together;
  return self->device->ops->put (self->device->recorded,
                                 prism_ptychography_frame_get_object (self->frame),
                                 prism_ptychography_frame_get_pupil (self->frame), limits[0],
                                 limits[1], together, error);
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
 * same. The CPU's object and pupil stay. */
static gboolean
check (PrismPtychography *self,
       const PrismRecordedVisit *first,
       PrismRecordedLesson *lesson,
       const PrismPtychographyVisit *visit,
       GError **error)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographyVisit copy = *visit;
  g_autoptr (PrismPtychographySums) found = prism_ptychography_sums_new (self->frames, error);
  g_autoptr (PrismPtychographySums) before = prism_ptychography_sums_new (self->frames, error);
  float *object = prism_ptychography_frame_get_object (self->frame);
  float *pupil = prism_ptychography_frame_get_pupil (self->frame);
  gsize n_object, n_pupil;
  gboolean same;

  if (found == NULL || before == NULL
      || !device->ops->visit (device->recorded, first, 1, 0, lesson, error)
      || !device->ops->get (device->recorded, found->object, found->pupil, error))
    return FALSE;
  n_object = 2 * (gsize) found->side * (gsize) found->side;
  n_pupil = 2 * (gsize) found->grid * (gsize) found->grid;
  memcpy (before->object, object, sizeof *object * n_object);
  memcpy (before->pupil, pupil, sizeof *pupil * n_pupil);
  if (visit->sums != NULL)
    prism_ptychography_sums_clear (visit->sums);
  copy.gain = first->gain;
  prism_ptychography_frame_visit (self->frame, first->frame, self->light.found[first->frame],
                                  &copy);
  same = are_alike (visit->sums != NULL ? visit->sums->object : object, found->object, n_object)
         && are_alike (visit->sums != NULL ? visit->sums->pupil : pupil, found->pupil, n_pupil);
  memcpy (object, before->object, sizeof *object * n_object);
  memcpy (pupil, before->pupil, sizeof *pupil * n_pupil);
  if (!same)
    prism_error_set (error, PRISM_ERROR_BACKEND,
                     _ ("CPU and GPU learn different things from the first frame."));
  return same;
}

/* Visits the first of frames [n], MOST at most, and has the frames behind them come to the device.
 * found: [n] */
static gboolean
visit_batch (PrismPtychography *self,
             const guint *frames,
             guint n,
             const PrismPtychographyVisit *visit,
             gboolean free_gains,
             PrismRecordedLesson *found,
             GError **error)
{
  PrismPtychographyDevice *device = self->device;
  gboolean *is_checked = &device->is_checked[visit->sums != NULL];
  PrismRecordedVisit visits[2 * MOST];
  const guint n_visits = MIN (MOST, n), n_next = MIN (MOST, n - n_visits);
  guint first = 0;

  for (guint i = 0; i < n_visits + n_next; i++)
    fill_visit (self, &visits[i], frames[i], visit, free_gains);
  if (!*is_checked && visit->object_step > 0)
    {
      if (!check (self, visits, found, visit, error))
        return FALSE;
      *is_checked = TRUE;
      first = 1;
    }
  return n_visits == first
         || device->ops->visit (device->recorded, visits + first, n_visits - first, n_next,
                                found + first, error);
}

/**
 * prism_ptychography_device_visit:
 * @visit: what is to change
 * @free_gains: whether the gains are, too
 * @at_rim: whether only frames at the rim are wanted, which teach nothing about their light then
 * @next: (inout): of the order: the frame that it begins with, and goes on with where it is ended
 *
 * Visits frames on the device, some at a time; before it is asked whether to go on, and in the end,
 * the CPU has what is found by then. When the device fails it has what was there before, so that it
 * goes on from @next as if there had never been a device.
 *
 * Returns: what came of it
 */
PrismPtychographyPassing
prism_ptychography_device_visit (PrismPtychography *self,
                                 const PrismPtychographyVisit *visit,
                                 gboolean free_gains,
                                 gboolean at_rim,
                                 guint *next)
{
  PrismPtychographyDevice *device = self->device;
  const guint n_used = self->frames->n_used, *order = self->frames->order;
  g_autofree guint *wanted = g_new (guint, n_used);
  g_autofree PrismRecordedLesson *found = g_new (PrismRecordedLesson, n_used);
  g_autoptr (GError) error = NULL;
  guint n = 0, n_taken = 0;

  for (guint i = *next; i < n_used; i++)
    if (prism_ptychography_wants (self, order[i], at_rim))
      wanted[n++] = order[i];
  if (device->recorded == NULL)
    return PRISM_PASSING_FAILED;
  if (n > 0 && !put (self, FALSE, &error))
    return give_up (device, error);
  for (guint i = 0; i < n; i += MOST)
    {
      const guint end = MIN (i + MOST, n);

      if (!prism_ptychography_go_on (self, at_rim ? 1 : (double) *next / n_used))
        return PRISM_PASSING_ENDED;
      if (!visit_batch (self, wanted + i, n - i, visit, free_gains, found + i, &error))
        return give_up (device, error);
      if (self->watch == NULL && end < n)
        continue;
      if (!device->ops->get (device->recorded, prism_ptychography_frame_get_object (self->frame),
                             prism_ptychography_frame_get_pupil (self->frame), &error))
        return give_up (device, error);
      for (; n_taken < end; n_taken++)
        {
          const guint j = wanted[n_taken];
          const PrismPtychographyLesson lesson
              = read_lesson (self, j, &found[n_taken], visit->wants_shift, free_gains);

          if (!at_rim)
            prism_ptychography_light_take (self, j, &lesson, visit->wants_shift);
        }
      while (end < n && order[*next] != wanted[end])
        ++*next;
    }
  *next = n_used;
  return PRISM_PASSING_DONE;
}

/**
 * prism_ptychography_device_compare:
 * @frames: (array length=n): frames
 * @sums: (out) (array length=n): what prism_ptychography_frame_compare() finds of each
 *
 * Compares frames, at their places, with what object and pupil predict.
 *
 * Returns: whether a device has done it; one that fails is given up
 */
gboolean
prism_ptychography_device_compare (PrismPtychography *self,
                                   const guint *frames,
                                   guint n,
                                   PrismHeldOut *sums)
{
  PrismPtychographyDevice *device = self->device;
  const PrismPtychographyVisit look = { 0 };
  g_autofree PrismRecordedLesson *found = g_new (PrismRecordedLesson, n);
  g_autoptr (GError) error = NULL;
  gboolean is_done;

  if (device == NULL || device->recorded == NULL)
    return FALSE;
  is_done = put (self, FALSE, &error);
  for (guint i = 0; i < n && is_done; i += MOST)
    is_done = visit_batch (self, frames + i, n - i, &look, FALSE, found + i, &error);
  for (guint i = 0; i < n && is_done; i++)
    sums[i] = (PrismHeldOut) {
      .n = (guint64) found[i].sums[4],
      .predicted = found[i].sums[2],
      .recorded = found[i].sums[3],
      .predicted_squares = found[i].sums[0],
      .recorded_squares = self->frames->squares[frames[i]],
      .products = found[i].sums[1],
    };
  if (!is_done)
    give_up (device, error);
  return is_done;
}

/* Does on the device what prism_ptychography_sum_up() is asked for. When the device fails nothing
 * has been summed up. */
static PrismPtychographyPassing
sum_up_on_device (PrismPtychography *self,
                  const PrismPtychographyVisit *visit,
                  gboolean free_gains,
                  double begin,
                  double length)
{
  PrismPtychographyDevice *device = self->device;
  PrismPtychographySums *sums = visit->sums;
  PrismRecordedLesson found[MOST];
  g_autoptr (GError) error = NULL;
  gboolean is_done = device->recorded != NULL;

  if (!is_done)
    return PRISM_PASSING_FAILED;
  /* Frames may have been compared since it was ended. */
  if (!device->together)
    sums->next = 0;
  if (sums->next == 0)
    is_done = put (self, TRUE, &error);
  while (sums->next < sums->n_frames && is_done)
    {
      const guint *frames = sums->frames + sums->next;
      const guint n = sums->n_frames - sums->next;

      if (!prism_ptychography_go_on (self, begin + length * sums->next / sums->n_frames))
        return PRISM_PASSING_ENDED;
      is_done = visit_batch (self, frames, n, visit, free_gains, found, &error);
      for (guint i = 0; i < MIN (MOST, n) && is_done; i++)
        sums->lessons[sums->next++]
            = read_lesson (self, frames[i], &found[i], visit->wants_shift, free_gains);
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
