#include "faulty-backend.h"

#include "base/prism-error.h"
#include "cpu/prism-cpu-backend.h"

#include <math.h>

#define CHUNK 2 /* steps: more than the CPU takes, so that chunks are tested, too */

static PrismBackendOps ops;
static struct
{
  gboolean armed;
  FaultyCall call;
  guint n;
  FaultyKind kind;
  gboolean struck;
  gboolean latched; /* memory, for finish to tell */
} fault;
static guint counts[FAULTY_N_CALLS];
static const char *unsupported; /* (nullable) */

/* What a GPU has in memory of its own. */
#define N_PLANES 4
static float *copies[PRISM_N_ITERATES][N_PLANES];

/* Counts a call; whether the fault is this one, or has made this one fail for good. */
static gboolean
strike (FaultyCall call)
{
  guint i = counts[call]++;
  gboolean stays = fault.kind == FAULTY_NAN || fault.kind == FAULTY_MEMORY;

  if (fault.armed && call == fault.call && i == fault.n)
    fault.struck = TRUE;
  return fault.struck && call == fault.call && (i == fault.n || stays);
}

static gboolean
is_lost (void)
{
  return fault.struck && (fault.kind == FAULTY_LOST || fault.kind == FAULTY_LOST_LATE);
}

static void
set_lost (GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_DEVICE_LOST,
               "It is gone, for it was unplugged by a test. Plug it in again.");
}

static const char *
faulty_get_loss (void)
{
  return is_lost () ? "it was unplugged by a test" : NULL;
}

static void
set_memory (GError **error)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
               "Not enough GPU memory: 2 GiB wanted, 1 GiB free. Choose a smaller image, or run"
               " on the CPU.");
}

/* Whether an operation that can fail does so now; a device that is lost and has not said so yet
 * keeps silent. */
static gboolean
refuse (FaultyCall call, GError **error)
{
  gboolean now = strike (call);

  if (now && fault.kind == FAULTY_MEMORY)
    {
      set_memory (error);
      return TRUE;
    }
  if (!is_lost () || fault.kind == FAULTY_LOST_LATE)
    return FALSE;
  set_lost (error);
  return TRUE;
}

/* Whether an operation that cannot fail returns nonsense. */
static gboolean
is_spoiled (FaultyCall call)
{
  gboolean now = strike (call);

  if (now && fault.kind == FAULTY_MEMORY)
    fault.latched = TRUE;
  return is_lost () || (now && fault.kind == FAULTY_NAN);
}

static void
spoil (float *values, gsize n_values)
{
  for (gsize i = 0; i < n_values; i++)
    values[i] = NAN;
}

static gsize
get_plane (PrismBackend *self, gboolean of_the_object)
{
  gsize side = of_the_object ? self->spec.object_size : self->spec.image_size;

  return side * side;
}

static char *
faulty_dup_unsupported_reason (const PrismBackendSpec *spec)
{
  return g_strdup (unsupported);
}

static PrismBackend *
faulty_open (const PrismBackendSpec *spec, GError **error)
{
  if (refuse (FAULTY_OPEN, error))
    return NULL;
  PrismBackend *self = prism_cpu_backend_ops.open (spec, error);
  if (self != NULL)
    self->ops = &ops;
  return self;
}

static char *
faulty_dup_device_name (PrismBackend *self)
{
  return g_strdup ("Faulty GPU");
}

static gboolean
faulty_set_object (PrismBackend *self, const float *amplitude, GError **error)
{
  return !refuse (FAULTY_SET_OBJECT, error)
         && prism_cpu_backend_ops.set_object (self, amplitude, error);
}

static void
faulty_set_parameters (PrismBackend *self, const float *parameters)
{
  if (!is_spoiled (FAULTY_SET_PARAMETERS))
    prism_cpu_backend_ops.set_parameters (self, parameters);
}

static void
faulty_get_parameters (PrismBackend *self, float *parameters)
{
  if (is_spoiled (FAULTY_GET_PARAMETERS))
    spoil (parameters, self->spec.decoder.n_parameters);
  else
    prism_cpu_backend_ops.get_parameters (self, parameters);
}

static gboolean
is_nonsense (FaultyCall call)
{
  return is_lost () || (fault.struck && fault.kind == FAULTY_NAN && fault.call == call);
}

static PrismBuffer *
faulty_measure (PrismBackend *self, const PrismMask *mask, GError **error)
{
  return refuse (FAULTY_MEASURE, error) ? NULL : prism_cpu_backend_ops.measure (self, mask, error);
}

static PrismBuffer *
faulty_expose (PrismBackend *self,
               PrismBuffer *clean,
               const PrismMask *mask,
               const PrismExposure *exposure,
               GError **error)
{
  if (refuse (FAULTY_EXPOSE, error))
    return NULL;
  return prism_cpu_backend_ops.expose (self, clean, mask, exposure, error);
}

static void
faulty_read_buffer (PrismBackend *self,
                    PrismBuffer *buffer,
                    const PrismMask *mask,
                    float *amplitude)
{
  /* Pixels that are not finite show in the image and in its energy. */
  if (is_spoiled (FAULTY_READ_BUFFER)
      || (is_nonsense (FAULTY_MEASURE) || is_nonsense (FAULTY_EXPOSE)))
    spoil (amplitude, get_plane (self, FALSE));
  else
    prism_cpu_backend_ops.read_buffer (self, buffer, mask, amplitude);
}

static gboolean
faulty_bind (PrismBackend *self,
             guint slot,
             const PrismMask *mask,
             PrismBuffer *target,
             double *energy,
             GError **error)
{
  if (target != NULL && refuse (FAULTY_BIND, error))
    return FALSE;
  if (!prism_cpu_backend_ops.bind (self, slot, mask, target, energy, error))
    return FALSE;
  if (target != NULL
      && (is_nonsense (FAULTY_BIND)
          || (is_nonsense (FAULTY_MEASURE) || is_nonsense (FAULTY_EXPOSE))))
    *energy = NAN;
  return TRUE;
}

static gboolean
faulty_hold (PrismBackend *self, guint slot, const PrismMask *mask, GError **error)
{
  return !refuse (FAULTY_HOLD, error) && prism_cpu_backend_ops.hold (self, slot, mask, error);
}

static void
faulty_forward (PrismBackend *self)
{
  if (!is_spoiled (FAULTY_FORWARD))
    prism_cpu_backend_ops.forward (self);
}

static void
faulty_read_image (PrismBackend *self, PrismSource source, float *image)
{
  if (is_spoiled (FAULTY_READ_IMAGE))
    spoil (image, get_plane (self, TRUE));
  else
    prism_cpu_backend_ops.read_image (self, source, image);
}

/* As on a GPU, a frame has not arrived when it was only just asked for. */
static gboolean
faulty_collect_frame (PrismBackend *self, float *image, PrismMetrics *metrics)
{
  if (is_spoiled (FAULTY_COLLECT_FRAME))
    {
      spoil (image, get_plane (self, TRUE));
      return FALSE;
    }
  return counts[FAULTY_COLLECT_FRAME] % 2 == 0
         && prism_cpu_backend_ops.collect_frame (self, image, metrics);
}

static guint
faulty_train (PrismBackend *self, const PrismStep *steps, guint n_steps, PrismStepResult *results)
{
  if (!is_spoiled (FAULTY_TRAIN))
    return prism_cpu_backend_ops.train (self, steps, n_steps, results);
  for (guint i = 0; i < n_steps; i++)
    results[i] = (PrismStepResult) { .loss_new = NAN, .loss_old = NAN, .skipped = TRUE };
  return is_lost () && fault.kind == FAULTY_LOST ? 0 : n_steps;
}

static void
faulty_epie_update (PrismBackend *self, guint slot, double step_size)
{
  if (!is_spoiled (FAULTY_EPIE_UPDATE))
    prism_cpu_backend_ops.epie_update (self, slot, step_size);
}

static void
faulty_epie_project (PrismBackend *self)
{
  if (!is_spoiled (FAULTY_EPIE_PROJECT))
    prism_cpu_backend_ops.epie_project (self);
}

static void
faulty_epie_collect (PrismBackend *self, double *residual, double *power)
{
  prism_cpu_backend_ops.epie_collect (self, residual, power);
  if (is_nonsense (FAULTY_EPIE_PROJECT) || is_nonsense (FAULTY_EPIE_UPDATE))
    *residual = NAN;
}

static void
faulty_compute_misfit (PrismBackend *self,
                       const float *image,
                       const guint *slots,
                       guint n_slots,
                       double *residual,
                       double *power)
{
  prism_cpu_backend_ops.compute_misfit (self, image, slots, n_slots, residual, power);
  if (is_spoiled (FAULTY_COMPUTE_MISFIT))
    *residual = *power = NAN;
}

/* The host's planes in their order, to go through them. */
static void
list_planes (const PrismIterate *iterate, float *planes[N_PLANES])
{
  planes[0] = iterate->image;
  planes[1] = iterate->point;
  planes[2] = iterate->across;
  planes[3] = iterate->down;
}

static void
faulty_put_iterate (PrismBackend *self, const PrismIterate *iterate)
{
  gsize n_pixels = get_plane (self, TRUE);
  float *planes[N_PLANES];

  if (is_spoiled (FAULTY_PUT_ITERATE))
    return;
  list_planes (iterate, planes);
  for (guint i = 0; i < N_PLANES; i++)
    {
      float **copy = &copies[iterate->place][i];

      *copy = g_renew (float, *copy, n_pixels);
      memcpy (*copy, planes[i], n_pixels * sizeof (float));
    }
}

static gboolean
faulty_get_iterate (PrismBackend *self, const PrismIterate *iterate)
{
  gboolean spoiled = is_spoiled (FAULTY_GET_ITERATE);
  gsize n_pixels = get_plane (self, TRUE);
  float *planes[N_PLANES];

  list_planes (iterate, planes);
  for (guint i = 0; i < N_PLANES; i++)
    if (planes[i] != NULL && spoiled)
      spoil (planes[i], n_pixels);
    else if (planes[i] != NULL)
      memcpy (planes[i], copies[iterate->place][i], n_pixels * sizeof (float));
  return !spoiled || fault.kind != FAULTY_LOST;
}

static void
faulty_descend (PrismBackend *self,
                const PrismIterate *iterate,
                const PrismPassPart *part,
                PrismPassResult *result)
{
  static float *slope;
  float **planes = copies[iterate->place];
  gsize n_pixels = get_plane (self, TRUE);
  PrismIterate copy = { 0, planes[0], planes[1], planes[2], planes[3], NULL };

  if (is_spoiled (FAULTY_DESCEND))
    {
      *result = (PrismPassResult) { .misfit = NAN };
      return;
    }
  slope = g_renew (float, slope, n_pixels);
  copy.slope = slope;
  prism_cpu_backend_ops.descend (self, &copy, part, result);
}

static gboolean
faulty_finish (PrismBackend *self, GError **error)
{
  gboolean now = strike (FAULTY_FINISH);

  if (is_lost ())
    {
      set_lost (error);
      return FALSE;
    }
  if (fault.latched || (now && fault.kind == FAULTY_MEMORY))
    {
      fault.latched = FALSE;
      set_memory (error);
      return FALSE;
    }
  return TRUE;
}

/* The table, complete but for what is the CPU's own. */
const PrismBackendOps *
faulty_backend_get_ops (void)
{
  ops = prism_cpu_backend_ops;
  ops.name = "cuda";
  ops.get_loss = faulty_get_loss;
  ops.chunk_size = CHUNK;
  ops.open = faulty_open;
  ops.dup_device_name = faulty_dup_device_name;
  ops.set_object = faulty_set_object;
  ops.dup_unsupported_reason = faulty_dup_unsupported_reason;
  ops.set_parameters = faulty_set_parameters;
  ops.get_parameters = faulty_get_parameters;
  ops.is_finite = NULL;
  ops.measure = faulty_measure;
  ops.expose = faulty_expose;
  ops.read_buffer = faulty_read_buffer;
  ops.bind = faulty_bind;
  ops.hold = faulty_hold;
  ops.forward = faulty_forward;
  ops.read_image = faulty_read_image;
  ops.collect_frame = faulty_collect_frame;
  ops.train = faulty_train;
  ops.epie_update = faulty_epie_update;
  ops.epie_project = faulty_epie_project;
  ops.epie_collect = faulty_epie_collect;
  ops.compute_misfit = faulty_compute_misfit;
  ops.put_iterate = faulty_put_iterate;
  ops.get_iterate = faulty_get_iterate;
  ops.descend = faulty_descend;
  ops.finish = faulty_finish;
  return &ops;
}

/* The n-th call from now on, from 0, will fail. */
void
faulty_backend_arm (FaultyCall call, guint n, FaultyKind kind)
{
  memset (counts, 0, sizeof counts);
  fault = (typeof (fault)) { .armed = TRUE, .call = call, .n = n, .kind = kind };
}

void
faulty_backend_disarm (void)
{
  memset (counts, 0, sizeof counts);
  memset (&fault, 0, sizeof fault);
}

/* What it says from now on that it cannot do; NULL: everything. */
void
faulty_backend_set_unsupported (const char *reason)
{
  unsupported = reason;
}

gboolean
faulty_backend_has_struck (void)
{
  return fault.struck;
}

/* Calls since the last arm or disarm. */
guint
faulty_backend_get_count (FaultyCall call)
{
  return counts[call];
}

const char *
faulty_backend_get_name (FaultyCall call)
{
#define NAME(CALL, name) [FAULTY_##CALL] = #name,
  static const char *const names[FAULTY_N_CALLS] = { FAULTY_CALLS (NAME) };

  return names[call];
}
