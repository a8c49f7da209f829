#include "config.h"

#include "measure/prism-scene.h"

#include "base/prism-each.h"
#include "base/prism-error.h"

static PrismScene *
new_scene (PrismPattern *pattern,
           PrismImage *target,
           guint64 id)
{
  PrismScene *self = g_new0 (PrismScene, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->id = id;
  self->pattern = prism_pattern_ref (pattern);
  self->target = prism_image_ref (target);
  return self;
}

/**
 * prism_scene_new_simulated:
 * @object: what the telescope looks at
 * @pattern: centres in the order of the visits
 * @id: stands for the object in keys of the cache
 *
 * Shape: @object [m][m].
 * Units: @object amplitude.
 *
 * Returns: (transfer full): a scene whose frames are computed, and whose target is the object
 */
PrismScene *
prism_scene_new_simulated (PrismImage *object,
                           PrismPattern *pattern,
                           guint64 id)
{
  return new_scene (pattern, object, id);
}

/**
 * prism_scene_new_problem:
 * @problem: recorded frames and what is wanted of them; a reference is kept
 *
 * The positions are those of the frames that are used, in the order of their visits, on a spectrum
 * as large as the object's; frames on the whole field there are none.
 *
 * Returns: (transfer full): the scene
 */
PrismScene *
prism_scene_new_problem (PrismProblem *problem)
{
  const PrismPtychogram *frames = problem->frames;
  const double scale = prism_problem_get_spectrum_scale (problem);
  g_autofree PrismPoint *points = g_new0 (PrismPoint, frames->n_used);
  g_autoptr (PrismPattern) pattern = NULL;
  PrismScene *self;

  for (guint i = 0; i < frames->n_used; i++)
    {
      points[i].x = scale * frames->centers[frames->order[i]][0];
      points[i].y = scale * frames->centers[frames->order[i]][1];
    }
  pattern = prism_pattern_new_points (points, frames->n_used);
  self = new_scene (pattern, NULL, 0);
  self->problem = prism_problem_ref (problem);
  return self;
}

/**
 * prism_scene_apply_object:
 * @config: (inout): of a run
 * @path: of the frames
 * @side: m, pixels of the picture's side
 * @radius: of the pupil, pixels of the picture's spectrum
 *
 * Makes object, sizes, aperture and method what recorded frames ask for. The object is shown on m
 * pixels a side, its spectrum on the next power of two.
 */
void
prism_scene_apply_object (PrismConfig *config,
                          const char *path,
                          int side,
                          double radius)
{
  int n = 64;

  g_free (config->object);
  config->object = g_strdup (path);
  config->object_size = side;
  while (n < config->object_size)
    n *= 2;
  config->image_size = n;
  config->roi = config->object_size;
  config->aperture_radius = CLAMP (radius, 1.0, n / 2.0);
  prism_config_settle_method (config);
  config->order = PRISM_ORDER_GIVEN;
  config->aperture_shape = PRISM_SHAPE_DISK;
  config->line_length = config->motion_blur = 0.0;
  config->until_converged = FALSE;
  config->snr = config->read_snr = config->photons = 0.0;
}

/**
 * prism_scene_apply_problem:
 * @self: a scene
 * @config: (inout): of a run
 *
 * Where the scene is a problem: as prism_scene_apply_object(), and the side of tiles that it chose.
 */
void
prism_scene_apply_problem (PrismScene *self,
                           PrismConfig *config)
{
  const PrismProblem *problem = self->problem;

  if (problem == NULL)
    return;
  prism_scene_apply_object (config, problem->recording->path, prism_problem_get_side (problem),
                            prism_problem_get_spectrum_scale (problem) * problem->frames->radius);
  config->tile = prism_mosaic_choose_side (problem->recording, config->tile);
}

/**
 * prism_scene_new_sorted:
 * @self: a scene of a telescope
 * @keys: (array): one key per position
 *
 * The same scene with its positions as prism_pattern_new_sorted() puts them.
 *
 * Returns: (transfer full): the scene
 */
PrismScene *
prism_scene_new_sorted (PrismScene *self,
                        const double *keys)
{
  g_autoptr (PrismPattern) pattern = prism_pattern_new_sorted (self->pattern, keys);

  return new_scene (pattern, self->target, self->id);
}

PRISM_CLEAR (PrismScene,
             scene_clear,
             prism_image_unref,
             target,
             prism_problem_unref,
             problem,
             prism_pattern_unref,
             pattern)

PRISM_DEFINE_REFERENCES (PrismScene, prism_scene, scene_clear)

/**
 * prism_scene_show:
 * @self: a scene
 * @backend: a device
 * @error: return location
 *
 * Gives the device the object to look at and to compare pictures with. Of a problem it needs none.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether the device has it
 */
gboolean
prism_scene_show (PrismScene *self,
                  PrismBackend *backend,
                  GError **error)
{
  return self->problem != NULL || backend->ops->set_object (backend, self->target->pixels, error);
}

/**
 * prism_scene_compute_center:
 * @backend: a device that was shown a scene
 * @aperture: the aperture at rest
 * @energy: (out): Σ intensity of an exposure at the centre of the Fourier plane
 * @error: return location
 *
 * Finds the brightness that a number of photons belongs to.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether it could be found
 */
gboolean
prism_scene_compute_center (PrismBackend *backend,
                            const PrismAperture *aperture,
                            double *energy,
                            GError **error)
{
  const int n = backend->spec.image_size;
  g_autoptr (PrismImage) image = prism_image_new (n, n, error);
  g_autoptr (PrismMask) mask = NULL;
  g_autoptr (PrismBuffer) buffer = NULL;

  if (image == NULL)
    return FALSE;
  mask = prism_aperture_get_mask (aperture, n, 0.0, 0.0);
  if (mask == NULL)
    return prism_error_memory (
        error, _ ("Not enough memory for an aperture. Choose a smaller aperture_radius."));
  buffer = backend->ops->measure (backend, mask, error);
  if (buffer == NULL)
    return FALSE;
  backend->ops->read_buffer (backend, buffer, mask, image->pixels);
  if (!backend->ops->finish (backend, error))
    return FALSE;
  *energy = 0.0;
  for (gsize k = 0; k < (gsize) n * n; k++)
    *energy += (double) image->pixels[k] * image->pixels[k];
  return TRUE;
}
