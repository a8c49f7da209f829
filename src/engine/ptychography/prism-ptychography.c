#include "config.h"

#include "ptychography/prism-ptychography-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "num/prism-fft.h"
#include "num/prism-phase.h"

/* Steps of a pass: 1 / (1 + decay·pass). A step that gets smaller beats a constant one. */
#define STEP_DECAY 0.35
/* Twice as much lets the pupil take up what lies beyond the border: the object's phase bends. */
#define PUPIL_STEP 0.15
#define PUPIL_DECAY 0.1
#define FREE_GAINS_FROM 1 /* passes: before, the object is not known well enough */
#define FREE_REST_FROM 2
/* LEDs that are far off, each on its own, make the search find a wrong pupil, above all
 * a rim that is too soft, which makes the whole board too large. It is repeated once places are
 * known, when that many passes are done and half as many are to come. */
#define FIRST_SEARCH 8
#define SECOND_SEARCH 24
/* Frames that were met far worse than others are left out, before that search and once more, and
 * looked for so many passes after it. A search wants all frames but those that are surely astray;
 * the second time whatever is doubtful is looked for: with 1.5 a light at the rim stays 2.6 pixels
 * off. */
static const struct
{
  guint out;
  guint back;
  double worse; /* times the median of those as far out */
} absences[] = { { G_MAXUINT, 4, 1.5 }, { 8, 11, 1.12 } };

/* Small frames go by one thread each: several would wait for each other five times a frame, which
 * takes ten times as long where other programs want the processor, too. The search has one start
 * for each thread then. */
static gboolean
make_workers (PrismPtychography *self,
              guint n_threads,
              GError **error)
{
  const gboolean small = self->frames->grid < 384;
  const gsize side = (gsize) self->frames->object_side, n_bytes = 2 * sizeof (float) * side * side;
  const gsize most = (gsize) 256 << 20; /* bytes of the objects of the search's starts together */

  self->crew = prism_pool_new (small ? CLAMP (most / n_bytes, 1, n_threads) : 1, error);
  if (self->crew == NULL)
    return FALSE;
  self->n_workers = prism_pool_get_n_threads (self->crew);
  self->pools = g_new0 (PrismPool *, self->n_workers);
  self->frames_of_workers = g_new0 (PrismPtychographyFrame *, self->n_workers);
  for (guint i = 0; i < self->n_workers; i++)
    {
      self->pools[i] = prism_pool_new (small ? 1 : n_threads, error);
      if (self->pools[i] == NULL)
        return FALSE;
      self->frames_of_workers[i]
          = prism_ptychography_frame_new (self->frames, self->pools[i], error);
      if (self->frames_of_workers[i] == NULL)
        return FALSE;
    }
  self->frame = self->frames_of_workers[0];
  return TRUE;
}

/**
 * prism_ptychography_new:
 * @frames: (transfer full): what was recorded
 * @settings: what is wanted
 * @wavelength: m
 * @na: of the objective
 *
 * Allocates all that is needed. prism_ptychography_begin() begins.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): what explains the frames
 */
PrismPtychography *
prism_ptychography_new (PrismPtychogram *frames,
                        const PrismConfig *settings,
                        double wavelength,
                        double na,
                        GError **error)
{
  g_autoptr (PrismPtychography) self = g_new0 (PrismPtychography, 1);

  self->frames = frames;
  self->settings = prism_config_dup (settings);
  self->defocus_phase = G_PI * na * na * 1e-6 / wavelength;
  self->earlier = NAN;
  prism_illumination_init (&self->light, frames->centers, frames->n_frames);
  self->misfits = g_new0 (double, frames->n_frames);
  self->strays = g_new0 (guint8, frames->n_frames);
  if (settings->method == PRISM_METHOD_DESCENT)
    {
      self->descent = prism_ptychography_descent_new (self, error);
      if (self->descent == NULL)
        return NULL;
    }
  if (!make_workers (self, prism_pool_count_threads ((guint) settings->threads), error))
    return NULL;
  if (settings->method == PRISM_METHOD_COMPLEX)
    {
      self->decoder = prism_ptychography_decoder_new (self, error);
      if (self->decoder == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

PRISM_FREE (PrismPtychography,
            free_members,
            g_free,
            frames_of_workers,
            g_free,
            pools,
            g_free,
            misfits,
            g_free,
            strays,
            prism_bundle_free,
            best,
            g_free,
            remedy,
            prism_ptychography_device_free,
            device,
            prism_ptychography_descent_free,
            descent,
            prism_ptychography_decoder_free,
            decoder,
            prism_pool_free,
            crew,
            g_free,
            light.recorded,
            g_free,
            light.found,
            g_free,
            light.gains,
            prism_ptychography_start_free,
            start,
            prism_ptychogram_unref,
            frames,
            prism_config_free,
            settings)

/**
 * prism_ptychography_free:
 * @self: (nullable): what to free
 *
 * Frees it with its frames.
 */
void
prism_ptychography_free (PrismPtychography *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_workers; i++)
    {
      prism_ptychography_frame_free (self->frames_of_workers[i]);
      prism_pool_free (self->pools[i]);
    }
  prism_ptychography_forget_rim (self);
  free_members (self);
}

/**
 * prism_ptychography_get_pass:
 *
 * Returns: passes done
 */
guint
prism_ptychography_get_pass (PrismPtychography *self)
{
  return self->pass;
}

/**
 * prism_ptychography_get_next:
 *
 * Returns: how many of the frames of the pass under way it has visited
 */
guint
prism_ptychography_get_next (PrismPtychography *self)
{
  if (prism_ptychography_is_decoding (self))
    return prism_ptychography_decoder_get_next (self);
  if (self->descent != NULL)
    return prism_ptychography_descent_get_next (self);
  return self->is_passing ? self->next : 0;
}

/**
 * prism_ptychography_is_searching:
 *
 * Thread: any that calls the watch.
 *
 * Returns: whether what the watch is asked in is a search, which has no frames to go on with
 */
gboolean
prism_ptychography_is_searching (PrismPtychography *self)
{
  return self->is_searching;
}

/* Before a decoder is trained, where there is one. */
static guint
count_passes (const PrismPtychography *self)
{
  const PrismPtychographyStart *start = self->start;
  const guint n = (guint) self->settings->passes;
  /* Places that passes began with were found by others. */
  const gboolean is_placed = start != NULL && start->n_frames == self->frames->n_frames;

  /* What was found after more passes is made even in half as many again. */
  if (self->turned_at > n)
    return self->turned_at + n / 2;
  if (self->unsettled && !is_placed && self->descent == NULL)
    return n + (guint) self->settings->more_passes;
  return n;
}

/**
 * prism_ptychography_get_n_passes:
 *
 * Returns: passes that there are to be: more of them when the first ones have found LEDs far from
 *   where they were recorded, and as many as are wanted once more for a decoder
 */
guint
prism_ptychography_get_n_passes (PrismPtychography *self)
{
  return count_passes (self) + (self->decoder != NULL ? (guint) self->settings->passes : 0);
}

/**
 * prism_ptychography_is_decoding:
 *
 * Returns: whether the pass under way, or the next one, trains a decoder
 */
gboolean
prism_ptychography_is_decoding (PrismPtychography *self)
{
  return self->decoder != NULL && self->pass >= count_passes (self);
}

/**
 * prism_ptychography_set_watch:
 * @watch: (nullable): called while something is computed
 * @data: for @watch
 *
 * Lets somebody see how far a search or a pass is, hold it up and end it.
 */
void
prism_ptychography_set_watch (PrismPtychography *self,
                              PrismPtychographyWatch watch,
                              gpointer data)
{
  self->watch = watch;
  self->watch_data = data;
}

static void
turn (float *value,
      double phase)
{
  const float c = cos (phase), s = sin (phase), re = value[0];

  value[0] = re * c - value[1] * s;
  value[1] = re * s + value[1] * c;
}

/* A mean square of 1 inside its rim: the object's scale against the pupil's is free. */
static void
scale_pupil (float *pupil,
             int n,
             double radius)
{
  double sum = 0, factor;
  gsize count = 0;

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const float *at = pupil + 2 * ((gsize) row * n + column);

        if (hypot (column - n / 2, row - n / 2) > radius)
          continue;
        sum += at[0] * at[0] + at[1] * at[1];
        count++;
      }
  factor = sum > 0 ? sqrt (count / sum) : 1;
  for (gsize i = 0; i < 2 * (gsize) n * n; i++)
    pupil[i] *= (float) factor;
}

/* Beyond the rim the pupil goes on as it is there, with the phase of its aberrations, so that what
 * lies between points is known. */
static void
take_pupil (PrismPtychography *self)
{
  const PrismPtychogram *frames = self->frames;
  const PrismPtychographyStart *start = self->start;
  const int n = frames->grid, q = start->side;
  const double last = start->radius - 1.5, scale = start->radius / frames->radius;
  g_autofree float *pupil = g_new (float, 2 * (gsize) n * n);

  for (int row = 0; row < n; row++)
    for (int column = 0; column < n; column++)
      {
        const double x = (column - n / 2) * scale, y = (row - n / 2) * scale, r = hypot (x, y);
        const double factor = r > last ? last / r : 1;
        const double u = factor * x + q / 2, v = factor * y + q / 2;
        const int i = CLAMP ((int) floor (u), 0, q - 2), j = CLAMP ((int) floor (v), 0, q - 2);
        float *to = pupil + 2 * ((gsize) row * n + column);

        prism_pupil_interpolate (start->pupil + 2 * ((gsize) j * q + i), q, u - i, v - j, to);
        if (factor < 1)
          turn (to, prism_pupil_evaluate_phase (x / start->radius, y / start->radius,
                                                start->aberrations)
                        - prism_pupil_evaluate_phase (factor * x / start->radius,
                                                      factor * y / start->radius,
                                                      start->aberrations));
      }
  scale_pupil (pupil, n, frames->radius);
  prism_ptychography_frame_begin_with (self->frame, pupil);
}

static void
take_start (PrismPtychography *self)
{
  const PrismPtychographyStart *start = self->start;
  const double scale = (double) self->frames->grid / start->side;

  for (guint j = 0; j < start->n_frames && start->n_frames == self->frames->n_frames; j++)
    {
      if (start->gains[j] > 0)
        self->light.gains[j] = start->gains[j];
      for (int k = 0; k < 2 && isfinite (start->places[j][0] + start->places[j][1]); k++)
        self->light.found[j][k] = scale * start->places[j][k];
    }
  if (isfinite (start->rim) && self->settings->rim == PRISM_RIM_AUTO)
    self->rim = CLAMP (start->rim, 1, self->frames->widest_rim);
  prism_ptychography_frame_set_rim (self->frame, self->rim);
}

static gboolean
search (PrismPtychography *self,
        gboolean with_rim)
{
  gboolean goes_on;

  self->is_searching = TRUE;
  goes_on = prism_ptychography_search (self, with_rim);
  self->is_searching = FALSE;
  return goes_on;
}

/**
 * prism_ptychography_begin:
 *
 * Begins: with what is known where there is a start, with a search for the pupil where that is
 * wanted, and with the innermost frame.
 *
 * Returns: whether it was not ended; otherwise there is no object
 */
gboolean
prism_ptychography_begin (PrismPtychography *self)
{
  memset (self->aberrations, 0, sizeof self->aberrations);
  prism_illumination_reset (&self->light);
  self->pass = self->first = self->next = 0;
  self->unsettled = self->is_passing = FALSE;
  self->turned_at = 0;
  self->earlier = self->held.correlation = 0;
  prism_ptychography_forget_best (self);
  prism_ptychography_forget_rim (self);
  memset (self->strays, 0, self->frames->n_frames);
  self->rim = self->settings->rim == PRISM_RIM_AUTO ? 1 : self->settings->rim;
  prism_ptychography_frame_set_rim (self->frame, self->rim);
  if (self->start != NULL)
    take_start (self);
  if (self->start != NULL && self->settings->pupil == PRISM_PUPIL_SEARCH)
    {
      memcpy (self->aberrations, self->start->aberrations, sizeof self->aberrations);
      take_pupil (self);
      prism_ptychography_descent_begin (self);
      return TRUE;
    }
  if (self->settings->pupil == PRISM_PUPIL_SEARCH)
    {
      if (!search (self, self->settings->rim == PRISM_RIM_AUTO))
        return FALSE;
    }
  else if (self->settings->defocus != PRISM_DEFOCUS_AUTO)
    self->aberrations[0] = self->settings->defocus * self->defocus_phase / 2;
  prism_ptychography_frame_begin (self->frame, self->aberrations);
  prism_ptychography_descent_begin (self);
  return TRUE;
}

/* Another search, with the places that are found by now. Where it is ended, all is as before. */
static gboolean
search_again (PrismPtychography *self)
{
  g_autoptr (PrismBundle) before = prism_bundle_new ();

  if (!prism_ptychography_save_estimate (self, before, NULL))
    return TRUE;
  self->rim = self->settings->rim == PRISM_RIM_AUTO ? 1 : self->settings->rim;
  prism_ptychography_mark_strays (self, absences[0].worse);
  if (search (self, self->settings->rim == PRISM_RIM_AUTO && self->pass == SECOND_SEARCH))
    {
      prism_ptychography_frame_begin (self->frame, self->aberrations);
      self->first = self->pass;
      return TRUE;
    }
  prism_ptychography_load_estimate (self, before, NULL);
  return FALSE;
}

static gboolean
searches_again (PrismPtychography *self)
{
  return self->unsettled && self->start == NULL && self->settings->pupil == PRISM_PUPIL_SEARCH
         && count_passes (self) >= SECOND_SEARCH + FIRST_SEARCH;
}

static gboolean
wants_search (PrismPtychography *self)
{
  return (self->pass == FIRST_SEARCH || self->pass == SECOND_SEARCH) && self->first != self->pass
         && searches_again (self);
}

/**
 * prism_ptychography_is_looking:
 *
 * Returns: whether passes may be worse for a while: LEDs are far from their places, and searches
 *   for the pupil begin anew with those that are found, the last with as many passes after it as
 *   the first has before
 */
gboolean
prism_ptychography_is_looking (PrismPtychography *self)
{
  return self->pass < SECOND_SEARCH + FIRST_SEARCH && searches_again (self);
}

/* Returns whether it was not ended. */
static gboolean
visit_strays (PrismPtychography *self,
              guint pass)
{
  for (gsize i = 0; i < G_N_ELEMENTS (absences) && self->first > 0; i++)
    {
      if (pass == absences[i].out)
        prism_ptychography_mark_strays (self, absences[i].worse);
      else if (pass == absences[i].back && !prism_ptychography_place_strays (self))
        return FALSE;
    }
  return TRUE;
}

/* What a pass takes from frames. pass: since the last search */
static PrismPtychographyVisit
get_visit (const PrismPtychography *self,
           guint pass)
{
  const double step = 1 / (1 + STEP_DECAY * pass);
  const gboolean free_rest = pass >= FREE_REST_FROM;
  const double pupil_step = PUPIL_STEP * step / (1 + PUPIL_DECAY * pass);

  return (PrismPtychographyVisit) {
    .object_step = step,
    .pupil_step = self->settings->free_pupil && free_rest ? pupil_step : 0,
    .wants_shift = self->settings->positions != PRISM_PLACES_HELD && free_rest,
  };
}

/**
 * prism_ptychography_visit:
 * @from: number of a frame
 *
 * Takes what it and those behind it teach as the next pass would, and nothing of the others.
 */
void
prism_ptychography_visit (PrismPtychography *self,
                          guint from)
{
  const guint pass = self->pass - self->first;
  const gboolean free_gains = self->settings->gains && pass >= FREE_GAINS_FROM;
  PrismPtychographyVisit visit = get_visit (self, pass);

  for (guint j = from; j < self->frames->n_frames; j++)
    if (self->frames->roles[j] == PRISM_FRAME_USED)
      prism_ptychography_visit_frame (self, j, &visit, free_gains, FALSE);
}

/**
 * prism_ptychography_pass:
 *
 * Takes a pass, as prism_ptychography_step() does, whatever comes of it.
 *
 * Returns: whether it was not ended
 */
gboolean
prism_ptychography_pass (PrismPtychography *self)
{
  const guint pass = self->pass - (wants_search (self) ? self->pass : self->first);
  const gboolean free_gains = self->settings->gains && pass >= FREE_GAINS_FROM;
  PrismPtychographyVisit visit = get_visit (self, pass);

  if (prism_ptychography_is_decoding (self))
    return prism_ptychography_decoder_step (self, self->pass - count_passes (self));
  if (self->decoder != NULL)
    self->decoder->step = 0;
  if (self->descent != NULL)
    {
      if (self->turned_at > 0 && prism_ptychography_descent_get_next (self) == 0)
        prism_ptychography_judge_frames (self, pass);
      return prism_ptychography_descent_step (self);
    }
  if (!self->is_passing)
    {
      if ((wants_search (self) && !search_again (self)) || !visit_strays (self, pass))
        return FALSE;
      prism_ptychography_judge_frames (self, pass);
      self->is_passing = TRUE;
      self->next = 0;
    }
  if (!prism_ptychography_visit_frames (self, &visit, free_gains, FALSE, &self->next)
      || !prism_ptychography_visit_rim (self, pass, visit.object_step,
                                        pass > FREE_REST_FROM && !self->unsettled))
    return FALSE;
  if (free_gains)
    prism_ptychography_light_normalise (self);
  if (pass >= FREE_REST_FROM)
    prism_ptychography_light_settle (self);
  self->is_passing = FALSE;
  self->pass++;
  return TRUE;
}

/**
 * prism_ptychography_dup_field:
 *
 * Computes the object with the border that frames are explained with, whose pixels are as bright as
 * the innermost frame's. The mean phase of the part that the frames show is 0.
 *
 * Shape: [M][M][2].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the object; prism_arena_free_array() it
 */
float *
prism_ptychography_dup_field (PrismPtychography *self,
                              GError **error)
{
  const PrismPtychogram *frames = self->frames;
  const int m = frames->object_side, q = frames->upsampling * frames->side;
  const int corner = frames->upsampling * frames->border;
  float *field = prism_arena_new_array (sizeof (float) * 2 * m * m, "the object", error);
  g_autoptr (PrismFftSquare) transform = NULL;
  double sum[2] = { 0 };

  if (field == NULL)
    return NULL;
  memcpy (field, prism_ptychography_frame_get_object (self->frame), sizeof (float) * 2 * m * m);
  transform = prism_fft_square_new (m);
  prism_fft_square_expand (transform, field, m);
  for (int row = 0; row < m; row++)
    for (int column = (row + 1) % 2; column < m; column += 2)
      for (int k = 0; k < 2; k++)
        field[2 * ((gsize) row * m + column) + k] *= -1;
  for (int row = corner; row < corner + q; row++)
    for (int column = corner; column < corner + q; column++)
      for (int k = 0; k < 2; k++)
        sum[k] += field[2 * ((gsize) row * m + column) + k];
  prism_phase_turn_back (field, (gsize) m * m, sum);
  return field;
}

/**
 * prism_ptychography_dup_object:
 *
 * Computes the object without border.
 *
 * Shape: [u·q][u·q][2].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full): the part of prism_ptychography_dup_field() that the frames show;
 *   prism_arena_free_array() it
 */
float *
prism_ptychography_dup_object (PrismPtychography *self,
                               GError **error)
{
  const PrismPtychogram *frames = self->frames;
  const gsize m = (gsize) frames->object_side, q = (gsize) (frames->upsampling * frames->side);
  const gsize corner = (gsize) (frames->upsampling * frames->border);
  float *object = prism_ptychography_dup_field (self, error);

  for (gsize row = 0; object != NULL && row < q; row++)
    memmove (object + 2 * row * q, object + 2 * ((row + corner) * m + corner),
             sizeof *object * 2 * q);
  return object;
}

/**
 * prism_ptychography_dup_pupil:
 *
 * Shape: [q][q][2], on the spectrum of a frame without border, its centre at q/2.
 *
 * Returns: (transfer full): the pupil; g_free() it
 */
float *
prism_ptychography_dup_pupil (PrismPtychography *self)
{
  const int q = self->frames->side;
  float *pupil = g_new (float, 2 * (gsize) q * q);

  prism_pupil_resample (prism_ptychography_frame_get_pupil (self->frame), self->frames->grid, pupil,
                        q);
  prism_pupil_clip (pupil, q, self->frames->radius * q / self->frames->grid);
  return pupil;
}

/**
 * prism_ptychography_is_stray:
 * @frame: one of the frames
 *
 * Returns: whether it is left out by now because it is met far worse than others
 */
gboolean
prism_ptychography_is_stray (PrismPtychography *self,
                             guint frame)
{
  return self->strays[frame] == PRISM_STRAY_FOUND;
}
