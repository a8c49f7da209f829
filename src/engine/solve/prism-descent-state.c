#include "config.h"

#include "base/prism-error.h"
#include "base/prism-record.h"
#include "solve/prism-descent-private.h"

#include <float.h>

/* The part of the descent that is written down and goes on elsewhere.
 *
 * Dimensions of this file: m = object_size, N = samples. */

#define FIELD(...) PRISM_RECORD_FIELD (PrismDescent, __VA_ARGS__)

/* What decides how a pass that begins goes on, beside the images. */
static const PrismRecordField fields[] = {
  FIELD (n_samples, INTEGER, 0, G_MAXINT32),
  FIELD (exponent, REAL, 0, 1),
  FIELD (step_size, REAL, 0, DBL_MAX),
  FIELD (momentum, REAL, 1, DBL_MAX),
  FIELD (last_misfit, REAL, 0, DBL_MAX),
  FIELD (power, REAL, 0, DBL_MAX),
  FIELD (overlap, REAL, 0, DBL_MAX),
  FIELD (smoothness, REAL, 0, DBL_MAX),
  FIELD (least_noise, REAL, 0, DBL_MAX),
  FIELD (exact, SWITCH, 0, 1),
  PRISM_RECORD_PART (PrismDescent, "samples_noise", samples_noise, SWITCH, 0, 1, TRUE),
  { NULL },
};

enum
{
  N_PLANES = 4
};

typedef struct
{
  const char *ending; /* of the file's name */
  float *values;      /* [m][m] */
} Plane;

static void
list_planes (PrismDescent *self,
             Plane planes[N_PLANES])
{
  planes[0] = (Plane) { "-image.npy", self->planes.image };
  planes[1] = (Plane) { "-point.npy", self->planes.point };
  planes[2] = (Plane) { "-across.npy", self->planes.across };
  planes[3] = (Plane) { "-down.npy", self->planes.down };
}

/**
 * prism_descent_save:
 * @self: a descent
 * @bundle: where to
 * @name: what the names of its parts begin with
 * @error: return location
 *
 * Adds the state at the beginning of the pass under way: its visits are then done again.
 *
 * Errors: PRISM_ERROR_MEMORY, PRISM_ERROR_DEVICE_LOST, PRISM_ERROR_BACKEND.
 * Thread: engine.
 *
 * Returns: whether it has been added
 */
gboolean
prism_descent_save (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    GError **error)
{
  g_autofree char *numbers = g_strconcat (name, ".json", NULL);
  g_autofree char *noise = g_strconcat (name, "-noise.csv", NULL);
  gsize m = self->backend->spec.object_size;
  Plane planes[N_PLANES];

  if (!prism_descent_fetch (self, error))
    return FALSE;
  prism_bundle_take_text (bundle, numbers, prism_record_to_text (fields, self));
  prism_bundle_take_text (bundle, noise,
                          prism_noise_estimate_to_text (self->estimates, self->n_samples));
  list_planes (self, planes);
  for (int i = 0; i < N_PLANES; i++)
    {
      g_autofree char *full = g_strconcat (name, planes[i].ending, NULL);

      if (!prism_bundle_add_plane (bundle, full, planes[i].values, m, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
load_numbers (PrismDescent *self,
              PrismBundle *bundle,
              const char *name,
              GError **error)
{
  g_autofree char *numbers_name = g_strconcat (name, ".json", NULL);
  g_autofree char *noise_name = g_strconcat (name, "-noise.csv", NULL);
  const char *numbers = prism_bundle_get_text (bundle, numbers_name, error);
  const char *noise = numbers != NULL ? prism_bundle_get_text (bundle, noise_name, error) : NULL;

  if (noise == NULL || !prism_record_parse (fields, self, numbers, numbers_name, error))
    return FALSE;
  if (self->n_samples <= prism_measurements_get_n (self->measurements))
    return prism_noise_estimate_parse (self->estimates, self->n_samples, noise, noise_name,
                                       error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "%s speaks of %u measurements, but the run has %u.", numbers_name, self->n_samples,
               prism_measurements_get_n (self->measurements));
  self->n_samples = 0;
  return FALSE;
}

/**
 * prism_descent_load:
 * @self: a descent
 * @bundle: what prism_descent_save() added to
 * @name: what the names of its parts begin with
 * @error: return location
 *
 * Goes on from there, bit for bit.
 *
 * Errors: PRISM_ERROR_FORMAT; the descent is then of no use.
 * Thread: engine.
 *
 * Returns: whether everything was good
 */
gboolean
prism_descent_load (PrismDescent *self,
                    PrismBundle *bundle,
                    const char *name,
                    GError **error)
{
  gsize m = self->backend->spec.object_size;
  Plane planes[N_PLANES];

  if (!load_numbers (self, bundle, name, error))
    return FALSE;
  prism_descent_set_planes (self, NULL);
  list_planes (self, planes);
  for (int i = 0; i < N_PLANES; i++)
    {
      g_autofree char *full = g_strconcat (name, planes[i].ending, NULL);

      if (!prism_bundle_copy_plane (bundle, full, planes[i].values, m, error))
        return FALSE;
    }
  prism_descent_begin_pass (self);
  return TRUE;
}
