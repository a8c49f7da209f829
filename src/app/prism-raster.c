#include "config.h"

#include "prism-raster.h"

struct _PrismRaster
{
  GObject parent_instance;

  PrismImage *image;     /* (nullable) [h][w], the newest */
  PrismImage *reference; /* (nullable) [h][w] */
  PrismMapping mapping;
  PrismPicture *picture; /* (nullable) of the last finished job */
  gboolean active;
  gboolean busy;  /* one job is under way */
  gboolean stale; /* picture is older than image and mapping */
};

typedef struct
{
  PrismImage *image;
  PrismImage *reference; /* (nullable) */
  PrismMapping mapping;
} Job;

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismRaster, prism_raster, G_TYPE_OBJECT)

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->image, prism_image_unref);
  g_clear_pointer (&job->reference, prism_image_unref);
  g_free (job);
}

static void
run_job (GTask *task,
         gpointer source,
         gpointer data,
         GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  PrismPicture *picture = prism_picture_new (job->image, job->reference, &job->mapping, &error);

  if (picture == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (task, picture, (GDestroyNotify) prism_picture_unref);
}

static void start_job (PrismRaster *self);

static void
job_finished (GObject *source,
              GAsyncResult *result,
              gpointer data)
{
  PrismRaster *self = PRISM_RASTER (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismPicture) picture = g_task_propagate_pointer (G_TASK (result), &error);

  self->busy = FALSE;
  if (picture == NULL)
    g_warning ("%s", error->message);

  /* The image can have been taken away meanwhile. */
  g_clear_pointer (&self->picture, prism_picture_unref);
  if (self->image != NULL)
    self->picture = g_steal_pointer (&picture);
  start_job (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
start_job (PrismRaster *self)
{
  g_autoptr (GTask) task = NULL;
  Job *job;

  if (!self->stale || !self->active || self->busy || self->image == NULL)
    return;

  job = g_new0 (Job, 1);
  job->image = prism_image_ref (self->image);
  job->reference = self->reference == NULL ? NULL : prism_image_ref (self->reference);
  job->mapping = self->mapping;
  task = g_task_new (self, NULL, job_finished, NULL);
  g_task_set_task_data (task, job, job_free);
  self->stale = FALSE;
  self->busy = TRUE;
  g_task_run_in_thread (task, run_job);
}

static void
prism_raster_finalize (GObject *object)
{
  PrismRaster *self = PRISM_RASTER (object);

  g_clear_pointer (&self->image, prism_image_unref);
  g_clear_pointer (&self->reference, prism_image_unref);
  g_clear_pointer (&self->picture, prism_picture_unref);
  G_OBJECT_CLASS (prism_raster_parent_class)->finalize (object);
}

static void
prism_raster_class_init (PrismRasterClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = prism_raster_finalize;
  signals[CHANGED] = g_signal_new ("changed", PRISM_TYPE_RASTER, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
prism_raster_init (PrismRaster *self)
{
  prism_mapping_init (&self->mapping);
}

/**
 * prism_raster_new:
 *
 * An empty raster, not active yet. It emits "changed" when there is a new picture.
 *
 * Returns: (transfer full): the raster
 */
PrismRaster *
prism_raster_new (void)
{
  return g_object_new (PRISM_TYPE_RASTER, NULL);
}

static PrismImage *
ref_or_null (PrismImage *image)
{
  return image == NULL ? NULL : prism_image_ref (image);
}

/**
 * prism_raster_set_image:
 * @self: a raster
 * @image: (nullable): the newest image
 * @reference: (nullable): subtracted from it; ignored when its shape differs
 *
 * Asks for a picture of this image. An image that waits behind a job under way is replaced by the
 * next one: only the newest is coloured.
 *
 * Shape: [h][w].
 */
void
prism_raster_set_image (PrismRaster *self,
                        PrismImage *image,
                        PrismImage *reference)
{
  g_autoptr (PrismImage) old_image = NULL;
  g_autoptr (PrismImage) old_reference = NULL;

  g_return_if_fail (PRISM_IS_RASTER (self));

  if (reference != NULL
      && (image == NULL || reference->width != image->width || reference->height != image->height))
    reference = NULL;
  if (image == self->image && reference == self->reference)
    return;

  old_image = self->image;
  old_reference = self->reference;
  self->image = ref_or_null (image);
  self->reference = ref_or_null (reference);
  self->stale = TRUE;
  if (image == NULL && self->picture != NULL)
    {
      g_clear_pointer (&self->picture, prism_picture_unref);
      g_signal_emit (self, signals[CHANGED], 0);
    }
  start_job (self);
}

/**
 * prism_raster_set_mapping:
 * @self: a raster
 * @mapping: how to colour
 *
 * Asks for a picture in these colours.
 */
void
prism_raster_set_mapping (PrismRaster *self,
                          const PrismMapping *mapping)
{
  g_return_if_fail (PRISM_IS_RASTER (self));

  if (prism_mapping_equal (&self->mapping, mapping))
    return;
  self->mapping = *mapping;
  self->stale = TRUE;
  start_job (self);
}

/**
 * prism_raster_get_image:
 * @self: a raster
 *
 * Returns: (transfer none) (nullable): the newest image
 */
PrismImage *
prism_raster_get_image (PrismRaster *self)
{
  return self->image;
}

/**
 * prism_raster_get_mapping:
 * @self: a raster
 *
 * Returns: (transfer none): how it is coloured
 */
const PrismMapping *
prism_raster_get_mapping (PrismRaster *self)
{
  return &self->mapping;
}

/**
 * prism_raster_set_active:
 * @self: a raster
 * @active: whether somebody looks
 *
 * Jobs run only while active; the newest image waits until then.
 */
void
prism_raster_set_active (PrismRaster *self,
                         gboolean active)
{
  g_return_if_fail (PRISM_IS_RASTER (self));

  self->active = active;
  start_job (self);
}

/**
 * prism_raster_get_picture:
 * @self: a raster
 *
 * Returns: (transfer none) (nullable): the picture of the last job that finished
 */
PrismPicture *
prism_raster_get_picture (PrismRaster *self)
{
  return self->picture;
}

/**
 * prism_raster_is_busy:
 * @self: a raster
 *
 * Returns: whether the picture is not yet that of the newest image
 */
gboolean
prism_raster_is_busy (PrismRaster *self)
{
  return self->busy || (self->stale && self->active && self->image != NULL);
}
