#include "config.h"

#include "measure/prism-scene.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Ids of frames: no object has them. */
#define RECORDED (G_GUINT64_CONSTANT (1) << 63)

/* How frames come about. */
typedef struct
{
  /* Amplitude of frame i on the device. (transfer full) (nullable) */
  PrismBuffer *(*measure) (PrismScene *self,
                           PrismBackend *backend,
                           guint i,
                           const PrismMask *mask,
                           GError **error);
  /* Energy of what the still aperture sees at the centre. */
  gboolean (*compute_center) (PrismScene *self,
                              PrismBackend *backend,
                              const PrismAperture *aperture,
                              double *energy,
                              GError **error);
} PrismSceneKind;

struct _PrismScene
{
  gatomicrefcount ref_count;
  const PrismSceneKind *kind;
  guint64 id; /* stands for it in keys of the cache */
  PrismPattern *pattern;
  PrismImage *target;    /* (nullable) [m][m] amplitude */
  PrismImage **frames;   /* (nullable) [N] amplitude [n][n] */
  guint *order;          /* (nullable) [N] number of each frame as it was handed in */
  PrismProblem *problem; /* (nullable) */
};

static double
add_up_energy (const float *amplitude,
               gsize n_pixels)
{
  double energy = 0.0;

  for (gsize k = 0; k < n_pixels; k++)
    energy += (double) amplitude[k] * amplitude[k];
  return energy;
}

static PrismBuffer *
simulate (PrismScene *self,
          PrismBackend *backend,
          guint i,
          const PrismMask *mask,
          GError **error)
{
  return backend->ops->measure (backend, mask, error);
}

static gboolean
simulate_center (PrismScene *self,
                 PrismBackend *backend,
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
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                   "Not enough memory for an aperture. Choose a smaller aperture_radius.");
      return FALSE;
    }
  buffer = backend->ops->measure (backend, mask, error);
  if (buffer == NULL)
    return FALSE;
  backend->ops->read_buffer (backend, buffer, mask, image->pixels);
  if (!backend->ops->finish (backend, error))
    return FALSE;
  *energy = add_up_energy (image->pixels, (gsize) n * n);
  return TRUE;
}

static PrismBuffer *
load (PrismScene *self,
      PrismBackend *backend,
      guint i,
      const PrismMask *mask,
      GError **error)
{
  return backend->ops->load_buffer (backend, mask, self->frames[i]->pixels, error);
}

/* The brightest frame stands for the one at the centre. */
static gboolean
find_center (PrismScene *self,
             PrismBackend *backend,
             const PrismAperture *aperture,
             double *energy,
             GError **error)
{
  *energy = 0.0;
  for (guint i = 0; i < self->pattern->n_points; i++)
    {
      const PrismImage *frame = self->frames[i];

      *energy = MAX (*energy, add_up_energy (frame->pixels, (gsize) frame->height * frame->width));
    }
  return TRUE;
}

static const PrismSceneKind simulated = { simulate, simulate_center };
static const PrismSceneKind recorded = { load, find_center };
static const PrismSceneKind of_problem = { NULL };

static PrismScene *
new_scene (const PrismSceneKind *kind,
           PrismPattern *pattern,
           PrismImage *target,
           guint64 id)
{
  PrismScene *self = g_new0 (PrismScene, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->id = id;
  self->pattern = prism_pattern_ref (pattern);
  self->target = target != NULL ? prism_image_ref (target) : NULL;
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
  return new_scene (&simulated, pattern, object, id);
}

static gboolean
check_frame (const PrismImage *frame,
             guint i,
             int size,
             GError **error)
{
  gsize n_pixels = (gsize) frame->height * frame->width;

  if (frame->height != size || frame->width != size)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                   _ ("Frame %u has %d × %d px, the first one %d × %d: frames must be squares of "
                      "one size."),
                   i + 1, frame->height, frame->width, size, size);
      return FALSE;
    }
  for (gsize k = 0; k < n_pixels; k++)
    if (!(frame->pixels[k] >= 0.0f) || !isfinite (frame->pixels[k]))
      {
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                     _ ("Frame %u has the amplitude %g at row %zu, column %zu: an amplitude is a "
                        "number from 0 on."),
                     i + 1, frame->pixels[k], k / size, k % size);
        return FALSE;
      }
  return TRUE;
}

/**
 * prism_scene_new_recorded:
 * @frames: (array): what the camera recorded at each position; a reference is kept on each
 * @pattern: centres in the order of the frames
 * @target: (nullable): the object, where it is known
 * @error: return location
 *
 * Shape: @frames [N], each [n][n] in natural order, origin at [n/2][n/2]; @target [m][m].
 * Units: amplitude.
 * Errors: PRISM_ERROR_FORMAT for frames that are not squares of one size, and for amplitudes that
 * are negative or not finite.
 *
 * Returns: (transfer full) (nullable): a scene of these frames
 */
PrismScene *
prism_scene_new_recorded (PrismImage *const *frames,
                          PrismPattern *pattern,
                          PrismImage *target,
                          GError **error)
{
  static guint n_made;
  PrismScene *self;

  for (guint i = 0; i < pattern->n_points; i++)
    if (!check_frame (frames[i], i, frames[0]->height, error))
      return NULL;
  self = new_scene (&recorded, pattern, target,
                    RECORDED | (guint64) g_atomic_int_add (&n_made, 1));
  self->frames = g_new (PrismImage *, pattern->n_points);
  self->order = g_new (guint, pattern->n_points);
  for (guint i = 0; i < pattern->n_points; i++)
    {
      self->frames[i] = prism_image_ref (frames[i]);
      self->order[i] = i;
    }
  return self;
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
  const double scale = (double) frames->side / frames->grid / prism_problem_get_reduction (problem);
  g_autofree PrismPoint *points = g_new0 (PrismPoint, frames->n_used);
  g_autoptr (PrismPattern) pattern = NULL;
  PrismScene *self;

  for (guint i = 0; i < frames->n_used; i++)
    {
      points[i].x = scale * frames->centers[frames->order[i]][0];
      points[i].y = scale * frames->centers[frames->order[i]][1];
    }
  pattern = prism_pattern_new_points (points, frames->n_used);
  self = new_scene (&of_problem, pattern, NULL, RECORDED);
  self->problem = prism_problem_ref (problem);
  return self;
}

/**
 * prism_scene_apply_problem:
 * @self: a scene
 * @config: (inout): of a run
 *
 * Where the scene is a problem: makes sizes, aperture and method what its frames ask for. The
 * object is shown on m pixels a side, its spectrum on the next power of two.
 */
void
prism_scene_apply_problem (PrismScene *self,
                           PrismConfig *config)
{
  const PrismPtychogram *frames;
  double radius;
  int n = 64;

  if (self->problem == NULL)
    return;
  frames = self->problem->frames;
  config->object_size = prism_problem_get_side (self->problem);
  while (n < config->object_size)
    n *= 2;
  radius = frames->radius * frames->side / frames->grid
           / prism_problem_get_reduction (self->problem);
  config->image_size = n;
  config->roi = config->object_size;
  config->aperture_radius = CLAMP (radius, 1.0, n / 2.0);
  config->aperture_shape = PRISM_SHAPE_DISK;
  config->line_length = 0.0;
  config->method = PRISM_METHOD_EPIE;
  config->order = PRISM_ORDER_GIVEN;
  config->passes = CLAMP (self->problem->settings.passes, 1, 1000);
  config->until_converged = FALSE;
  config->snr = config->read_snr = config->photons = 0.0;
}

/**
 * prism_scene_new_sorted:
 * @self: a scene
 * @keys: (array): one key per position
 *
 * The same scene with its positions, and their frames, as prism_pattern_new_sorted() puts them.
 *
 * Returns: (transfer full): the scene
 */
PrismScene *
prism_scene_new_sorted (PrismScene *self,
                        const double *keys)
{
  guint n = self->pattern->n_points;
  g_autoptr (PrismPattern) pattern = prism_pattern_new_sorted (self->pattern, keys);
  PrismScene *sorted = new_scene (self->kind, pattern, self->target, self->id);

  if (self->frames == NULL)
    return sorted;
  sorted->frames = g_new (PrismImage *, n);
  sorted->order = g_new (guint, n);
  prism_pattern_sort_keys (keys, n, sorted->order);
  for (guint i = 0; i < n; i++)
    {
      sorted->frames[i] = prism_image_ref (self->frames[sorted->order[i]]);
      sorted->order[i] = self->order[sorted->order[i]];
    }
  return sorted;
}

/**
 * prism_scene_ref:
 * @self: a scene
 *
 * Returns: (transfer full): the same, with one more reference
 */
PrismScene *
prism_scene_ref (PrismScene *self)
{
  /* The macro is compiled here and so seen by ThreadSanitizer. */
  g_atomic_int_inc (&self->ref_count);
  return self;
}

/**
 * prism_scene_unref:
 * @self: (transfer full) (nullable): a scene
 */
void
prism_scene_unref (PrismScene *self)
{
  if (self == NULL || !g_atomic_int_dec_and_test (&self->ref_count))
    return;
  for (guint i = 0; self->frames != NULL && i < self->pattern->n_points; i++)
    prism_image_unref (self->frames[i]);
  g_free (self->frames);
  g_free (self->order);
  g_clear_pointer (&self->target, prism_image_unref);
  prism_problem_unref (self->problem);
  prism_pattern_unref (self->pattern);
  g_free (self);
}

/**
 * prism_scene_is_simulated:
 * @self: a scene
 *
 * Returns: whether noise is added to its frames; frames that were recorded have theirs
 */
gboolean
prism_scene_is_simulated (PrismScene *self)
{
  return self->kind == &simulated;
}

/**
 * prism_scene_get_id:
 * @self: a scene
 *
 * Returns: what stands for it in keys of the cache
 */
guint64
prism_scene_get_id (PrismScene *self)
{
  return self->id;
}

/**
 * prism_scene_get_pattern:
 * @self: a scene
 *
 * Returns: (transfer none): its positions
 */
PrismPattern *
prism_scene_get_pattern (PrismScene *self)
{
  return self->pattern;
}

/**
 * prism_scene_get_problem:
 * @self: a scene
 *
 * Returns: (transfer none) (nullable): frames on grids of their own; where there are some, the
 * scene has no others
 */
PrismProblem *
prism_scene_get_problem (PrismScene *self)
{
  return self->problem;
}

/**
 * prism_scene_get_target:
 * @self: a scene
 *
 * Returns: (transfer none) (nullable): the object, where it is known
 */
PrismImage *
prism_scene_get_target (PrismScene *self)
{
  return self->target;
}

/**
 * prism_scene_get_frame_size:
 * @self: a scene
 *
 * Returns: n of frames that were recorded; 0 where they are computed in any size
 */
int
prism_scene_get_frame_size (PrismScene *self)
{
  return self->frames != NULL ? self->frames[0]->height : 0;
}

/**
 * prism_scene_get_frame:
 * @self: a scene
 * @i: number of a position
 *
 * Returns: the number that its frame had when the scene was made, the same however it is sorted;
 * @i where frames are computed
 */
guint
prism_scene_get_frame (PrismScene *self,
                       guint i)
{
  return self->order != NULL ? self->order[i] : i;
}

/**
 * prism_scene_show:
 * @self: a scene
 * @backend: a device
 * @error: return location
 *
 * Gives the device the object to look at and to compare pictures with; a black one where it is not
 * known: what the device then computes against it means nothing. Of a problem it needs none.
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
  int m = backend->spec.object_size;
  g_autoptr (PrismImage) black = NULL;

  if (self->problem != NULL)
    return TRUE;
  if (self->target != NULL)
    return backend->ops->set_object (backend, self->target->pixels, error);
  black = prism_image_new (m, m, error);
  return black != NULL && backend->ops->set_object (backend, black->pixels, error);
}

/**
 * prism_scene_measure:
 * @self: a scene that the device was shown
 * @backend: the device
 * @i: number of a position
 * @mask: the aperture there
 * @error: return location
 *
 * Makes frame @i: without noise where it is computed, as it is where it was recorded.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_BACKEND, PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: (transfer full) (nullable): its amplitude on the device
 */
PrismBuffer *
prism_scene_measure (PrismScene *self,
                     PrismBackend *backend,
                     guint i,
                     const PrismMask *mask,
                     GError **error)
{
  return self->kind->measure (self, backend, i, mask, error);
}

/**
 * prism_scene_compute_center:
 * @self: a scene that the device was shown
 * @backend: the device
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
prism_scene_compute_center (PrismScene *self,
                            PrismBackend *backend,
                            const PrismAperture *aperture,
                            double *energy,
                            GError **error)
{
  return self->kind->compute_center (self, backend, aperture, energy, error);
}
