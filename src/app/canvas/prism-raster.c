#include "config.h"

#include "canvas/prism-raster.h"

#include "profile/prism-profile.h"
#include "support/prism-worker.h"

struct _PrismRaster
{
  GObject parent_instance;

  PrismImage *image;     /* (nullable) [h][w], the newest */
  PrismImage *reference; /* (nullable) [h][w] */
  PrismMapping mapping;
  PrismWorker *worker; /* makes pictures */
  gboolean active;
  gboolean stale; /* no picture of this image and mapping was asked for yet */
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

/* Worker thread. */
static gpointer
make_picture (gpointer input)
{
  const Job *job = input;
  g_autoptr (GError) error = NULL;
  gint64 begun = prism_profile_begin ();
  PrismPicture *picture = prism_picture_new (job->image, job->reference, &job->mapping, &error);

  prism_profile_name_thread ("worker");
  prism_profile_end (PRISM_STAGE_RASTER, begun);
  if (picture == NULL)
    g_warning ("%s", error->message);
  return picture;
}

static void
start_job (PrismRaster *self)
{
  Job *job;

  if (!self->stale || !self->active || self->image == NULL)
    return;

  job = g_new0 (Job, 1);
  job->image = prism_image_ref (self->image);
  job->reference = self->reference == NULL ? NULL : prism_image_ref (self->reference);
  job->mapping = self->mapping;
  self->stale = FALSE;
  prism_worker_submit (self->worker, job);
}

static void
on_changed (PrismRaster *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
prism_raster_finalize (GObject *object)
{
  PrismRaster *self = PRISM_RASTER (object);

  g_clear_pointer (&self->image, prism_image_unref);
  g_clear_pointer (&self->reference, prism_image_unref);
  g_clear_object (&self->worker);
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
  self->worker
      = prism_worker_new (make_picture, job_free, (GDestroyNotify) prism_picture_free, 0);
  g_signal_connect_object (self->worker, "changed", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
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
  if (image == NULL)
    prism_worker_submit (self->worker, NULL);
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
 * prism_raster_get_reference:
 * @self: a raster
 *
 * Returns: (transfer none) (nullable): what is subtracted from the newest image
 */
PrismImage *
prism_raster_get_reference (PrismRaster *self)
{
  return self->reference;
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
  return prism_worker_get_result (self->worker);
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
  return prism_worker_is_busy (self->worker)
         || (self->stale && self->active && self->image != NULL);
}
