#include "config.h"

#include "run/prism-engine-private.h"

#include "model/prism-object.h"
#include "num/prism-spectrum.h"
#include "profile/prism-profile.h"

#include <sys/stat.h>

/* What the engine measures: object, pattern and spectrum. */

/**
 * prism_engine_get_n_samples:
 * @self: an engine with a scene
 *
 * Returns: N, the number of its positions
 */
guint
prism_engine_get_n_samples (PrismEngine *self)
{
  return prism_scene_get_pattern (self->scene)->n_points;
}

/* Where a controlling thread can see it. */
static void
show_problem (PrismEngine *self)
{
  PrismProblem *problem = self->scene != NULL ? prism_scene_get_problem (self->scene) : NULL;
  PrismProblem *before;

  pthread_mutex_lock (&self->lock);
  before = self->problem;
  self->problem = problem != NULL ? prism_problem_ref (problem) : NULL;
  pthread_mutex_unlock (&self->lock);
  prism_problem_unref (before);
}

/**
 * prism_engine_publish_source:
 * @self: an engine
 * @snapshot: a snapshot
 *
 * Says where the frames come from, and what cannot be known of them.
 *
 * Thread: engine.
 */
void
prism_engine_publish_source (PrismEngine *self,
                             PrismSnapshot *snapshot)
{
  if (self->scene == NULL)
    return;
  show_problem (self);
  snapshot->recorded = prism_engine_has_problem (self);
  snapshot->has_no_target = prism_scene_get_target (self->scene) == NULL;
  snapshot->problem = g_strdup (self->problem_text);
}

/**
 * prism_engine_publish_scene:
 * @self: an engine without a run
 * @snapshot: a snapshot
 *
 * Puts in what is known before a run.
 */
void
prism_engine_publish_scene (PrismEngine *self,
                            PrismSnapshot *snapshot)
{
  PrismImage *target;

  if (self->scene == NULL)
    return;
  target = prism_scene_get_target (self->scene);
  snapshot->target = target != NULL ? prism_image_ref (target) : NULL;
  snapshot->pattern = prism_pattern_ref (prism_scene_get_pattern (self->scene));
  snapshot->n_samples = prism_engine_get_n_samples (self);
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
  g_clear_pointer (&self->spectrum, prism_image_unref);
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

/* Shape: [n][n] of a target [m][m]. Kept from one run to the next. */
static gboolean
make_spectrum (PrismEngine *self,
               const PrismImage *before,
               GError **error)
{
  PrismImage *target = prism_scene_get_target (self->scene);
  int n = self->config->image_size;

  if (target == NULL || target != before || (self->spectrum != NULL && self->spectrum->height != n))
    g_clear_pointer (&self->spectrum, prism_image_unref);
  if (target != NULL && self->spectrum == NULL)
    self->spectrum = prism_spectrum_new_image (target, n, error);
  return target == NULL || self->spectrum != NULL;
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
  g_clear_pointer (&self->spectrum, prism_image_unref);
  g_clear_pointer (&self->problem_text, g_free);
}

/**
 * prism_engine_has_problem:
 * @self: an engine
 *
 * Returns: whether its frames are on grids of their own
 */
gboolean
prism_engine_has_problem (PrismEngine *self)
{
  return self->scene != NULL && prism_scene_get_problem (self->scene) != NULL;
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
 * @is_problem: whether it looks at frames on grids of their own
 *
 * Frames on grids of their own never come to the device that a run opens: it is as small as can be,
 * whatever @config says of a telescope.
 *
 * Returns: (transfer full): what to ask of the device
 */
PrismConfig *
prism_engine_dup_device_config (const PrismConfig *config,
                                gboolean is_problem)
{
  PrismConfig *wanted;

  if (!is_problem)
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
  PrismProblem *problem = prism_scene_get_problem (self->given);
  g_autoptr (PrismProblem) wanted = NULL;

  if (problem == NULL)
    return TRUE;
  wanted = prism_problem_ref_for (problem, self->config, error);
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

/**
 * prism_engine_load_scene:
 * @self: an engine with a configuration
 *
 * Makes what is measured: the scene that was given, or the telescope in front of the object of the
 * configuration, which is loaded again only where it is another one. Recorded frames are made ready
 * anew where the configuration wants them otherwise.
 *
 * Errors: those of prism_object_load(), prism_pattern_new() and prism_problem_ref_for();
 * PRISM_ERROR_MEMORY.
 *
 * Returns: whether there is a scene
 */
gboolean
prism_engine_load_scene (PrismEngine *self,
                         GError **error)
{
  g_autoptr (PrismScene) before = g_steal_pointer (&self->scene);

  if (self->given != NULL && !fit_given (self, error))
    return FALSE;
  self->scene = self->given != NULL ? prism_scene_ref (self->given) : make_scene (self, error);
  return self->scene != NULL
         && make_spectrum (self, before != NULL ? prism_scene_get_target (before) : NULL, error);
}
