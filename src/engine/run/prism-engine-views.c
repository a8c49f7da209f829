#include "config.h"

#include "model/prism-aperture.h"
#include "model/prism-object.h"
#include "num/prism-spectrum.h"
#include "profile/prism-profile.h"
#include "run/prism-engine-private.h"

#include <sys/stat.h>

/* What is measured, and what is shown of it before. */

/* What one aperture in the middle of the plane shows. */
static gboolean
make_exposure (PrismEngine *self,
               PrismImage *target,
               GError **error)
{
  PrismAperture aperture;
  g_autoptr (PrismMask) mask = NULL;
  const PrismMask *before;

  prism_aperture_init_config (&aperture, self->config);
  mask = prism_aperture_get_mask (&aperture, self->config->image_size, 0.0, 0.0);
  before = self->exposure_mask;
  if (self->exposure != NULL && mask != NULL && before != NULL
      && mask->image_size == before->image_size && mask->height == before->height
      && mask->width == before->width
      && memcmp (mask->bits, before->bits, prism_mask_count_box (mask)) == 0)
    return TRUE;
  g_clear_pointer (&self->exposure, prism_image_unref);
  g_clear_pointer (&self->exposure_mask, prism_mask_unref);
  self->exposure = prism_exposure_new_image (target, mask, error);
  self->exposure_mask = g_steal_pointer (&mask);
  return self->exposure != NULL;
}

/**
 * prism_engine_make_views:
 * @self: an engine with a scene
 * @before: (nullable): the target that the views are of
 *
 * Makes what is shown of a target before it is measured: its spectrum, and one exposure of it. Kept
 * from one run to the next.
 *
 * Shape: spectrum [n][n], exposure [m][m] of a target [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether they are there, as far as there is a target
 */
gboolean
prism_engine_make_views (PrismEngine *self,
                         const PrismImage *before,
                         GError **error)
{
  PrismImage *target = self->scene->target;
  const int n = self->config->image_size;

  if (target == NULL || target != before || (self->spectrum != NULL && self->spectrum->height != n))
    prism_engine_drop_views (self);
  if (target != NULL && self->spectrum == NULL)
    self->spectrum = prism_spectrum_new_image (target, n, error);
  return target == NULL || (self->spectrum != NULL && make_exposure (self, target, error));
}

/**
 * prism_engine_drop_views:
 *
 * Lets go of them.
 */
void
prism_engine_drop_views (PrismEngine *self)
{
  g_clear_pointer (&self->spectrum, prism_image_unref);
  g_clear_pointer (&self->exposure, prism_image_unref);
  g_clear_pointer (&self->exposure_mask, prism_mask_unref);
}

/**
 * prism_engine_get_n_samples:
 * @self: an engine with a scene
 *
 * Returns: N, the number of its positions
 */
guint
prism_engine_get_n_samples (PrismEngine *self)
{
  return self->scene->pattern->n_points;
}

/* Everything that the object's pixels depend on. A file is named with its time and size, so that an
 * edited file is read again. */
static char *
make_object_key (const PrismConfig *config)
{
  struct stat status = { 0 };

  if (stat (config->object, &status) != 0)
    memset (&status, 0, sizeof status);
  return g_strdup_printf ("%s\n%d\n%d\n%d\n%a\n%a\n%s\n%d\n%ld.%ld\n%ld", config->object,
                          config->object_size, config->object_invert, config->point_count,
                          config->point_diameter, config->point_spacing, config->object_text,
                          config->seed, (long) status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                          (long) status.st_size);
}

static gboolean
load_object (PrismEngine *self,
             GError **error)
{
  g_autofree char *key = make_object_key (self->config);
  PrismImage *object;
  gint64 begun;

  if (g_strcmp0 (key, self->object_key) == 0 && self->object != NULL)
    return TRUE;
  begun = prism_profile_begin ();
  object = prism_object_load (self->config, error);
  prism_profile_end (PRISM_STAGE_OBJECT, begun);
  if (object == NULL)
    return FALSE;

  g_clear_pointer (&self->object, prism_image_unref);
  prism_engine_drop_views (self);
  g_free (self->object_key);
  self->object = object;
  self->object_key = g_steal_pointer (&key);
  self->object_id++;
  return TRUE;
}

/* The telescope in front of the object of the configuration. */
static PrismScene *
make_scene (PrismEngine *self,
            GError **error)
{
  g_autoptr (PrismPattern) pattern = NULL;
  gint64 begun;

  if (!load_object (self, error))
    return NULL;
  begun = prism_profile_begin ();
  pattern = prism_pattern_new (self->config, error);
  prism_profile_end (PRISM_STAGE_PATTERN, begun);
  if (pattern == NULL)
    return NULL;
  return prism_scene_new_simulated (self->object, pattern, self->object_id);
}

/**
 * prism_engine_clear_scene:
 *
 * Lets go of what is measured.
 */
void
prism_engine_clear_scene (PrismEngine *self)
{
  g_clear_pointer (&self->scene, prism_scene_unref);
  prism_engine_drop_views (self);
  g_clear_pointer (&self->problem_text, g_free);
}

/**
 * prism_engine_ref_problem:
 * @self: an engine
 *
 * Returns: (transfer full) (nullable): the recorded frames that it looks at
 */
PrismProblem *
prism_engine_ref_problem (PrismEngine *self)
{
  PrismProblem *problem;

  pthread_mutex_lock (&self->lock);
  problem = self->problem != NULL ? prism_problem_ref (self->problem) : NULL;
  pthread_mutex_unlock (&self->lock);
  return problem;
}

/**
 * prism_engine_dup_device_config:
 * @config: of a run
 *
 * Frames on grids of their own never come to the device that a run opens: it is as small as can be,
 * whatever @config says of a telescope.
 *
 * Returns: (transfer full): what to ask of the device
 */
PrismConfig *
prism_engine_dup_device_config (const PrismConfig *config)
{
  PrismConfig *wanted;

  if (config->kind == PRISM_FRAMES_OF_TELESCOPE)
    return prism_config_dup (config);
  wanted = prism_config_new ();
  wanted->image_size = wanted->object_size = wanted->roi = 64;
  wanted->aperture_radius = 1.0;
  wanted->method = PRISM_METHOD_SEQUENTIAL;
  wanted->backend = config->backend;
  wanted->threads = config->threads;
  wanted->history_size = config->history_size;
  return wanted;
}

/* Recorded frames as the configuration wants them; what it says of sizes is what they ask for. */
static gboolean
fit_given (PrismEngine *self,
           GError **error)
{
  PrismProblem *problem = self->given->problem;
  g_autoptr (PrismProblem) wanted = NULL;

  if (problem == NULL)
    return TRUE;
  g_cancellable_push_current (self->wanted);
  wanted = prism_problem_ref_for (problem, self->config, error);
  g_cancellable_pop_current (self->wanted);
  if (wanted == NULL)
    return FALSE;
  if (wanted != problem)
    {
      prism_scene_unref (self->given);
      self->given = prism_scene_new_problem (wanted);
    }
  prism_scene_apply_problem (self->given, self->config);
  return TRUE;
}

/* Those that are there by now. */
static gboolean
read_given (PrismEngine *self,
            GError **error)
{
  g_autoptr (PrismProblem) problem = NULL;

  g_cancellable_push_current (self->wanted);
  problem = prism_problem_load (self->reading, _ ("The recording"), self->config, FALSE, error);
  g_cancellable_pop_current (self->wanted);
  if (problem == NULL)
    return FALSE;
  self->given = prism_scene_new_problem (problem);
  return TRUE;
}

/**
 * prism_engine_load_scene:
 * @self: an engine with a configuration
 *
 * Makes what is measured: the scene that was given, or the telescope in front of the object of the
 * configuration, which is loaded again only where it is another one. Recorded frames are read where
 * they are not there yet, and made ready anew where the configuration wants them otherwise.
 *
 * Errors: those of prism_object_load(), prism_pattern_new(), prism_problem_load() and
 * prism_problem_ref_for(); PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is a scene
 */
gboolean
prism_engine_load_scene (PrismEngine *self,
                         GError **error)
{
  g_autoptr (PrismScene) before = g_steal_pointer (&self->scene);

  if (self->config->kind == PRISM_FRAMES_RECORDED && self->given == NULL && self->reading != NULL
      && !read_given (self, error))
    return FALSE;
  if (self->given != NULL && !fit_given (self, error))
    return FALSE;
  self->scene = self->given != NULL ? prism_scene_ref (self->given) : make_scene (self, error);
  return self->scene != NULL
         && prism_engine_make_views (
             self, before != NULL ? before->target : NULL, error);
}
