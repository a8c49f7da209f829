#include "config.h"

#include "benchmark/prism-performance.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-number.h"
#include "base/prism-system.h"
#include "base/prism-text.h"

/* Of the memory that is free, what a search may come to. */
#define MEMORY_PART 0.8
/* Times that are no further apart count as the same: the smaller size is the better one then. */
#define SAME 0.05
/* Doublings without a gain after which a search ends. One may be a whim of the machine. */
#define PATIENCE 2

static PrismSeries *
series_new (PrismSeriesKind kind, const PrismConfig *config)
{
  PrismSeries *self = g_new0 (PrismSeries, 1);

  self->kind = kind;
  self->points = g_array_new (FALSE, FALSE, sizeof (PrismSeriesPoint));
  self->gap = prism_series_get_gap (kind, config);
  self->most = prism_series_get_most (kind, config);
  self->end = self->gap != NULL ? PRISM_SERIES_NOTHING : PRISM_SERIES_OPEN;
  return self;
}

PRISM_FREE (PrismSeries, series_free, g_array_unref, points, g_free, problem)

/**
 * prism_performance_new:
 * @config: of the run whose sizes are gone over
 * @searches: whether sizes are doubled until it does not help any more, rather than all measured
 *
 * Returns: (transfer full): a performance without points
 */
PrismPerformance *
prism_performance_new (const PrismConfig *config, gboolean searches)
{
  PrismPerformance *self = g_new0 (PrismPerformance, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->config = prism_config_dup (config);
  self->searches = searches;
  self->made = prism_clock_dup_utc ();
  self->processor = prism_system_dup_processor ();
  self->series = g_ptr_array_new_with_free_func (series_free);
  for (int kind = 0; kind < PRISM_N_SERIES; kind++)
    if (searches ? prism_series_infos[kind].is_searched : kind != PRISM_SERIES_RUNS)
      g_ptr_array_add (self->series, series_new (kind, config));
  return self;
}

PRISM_CLEAR (PrismPerformance,
             performance_clear,
             prism_config_free,
             config,
             g_ptr_array_unref,
             series,
             g_free,
             made,
             g_free,
             processor,
             g_free,
             device)

PRISM_DEFINE_REFERENCES (PrismPerformance, prism_performance, performance_clear)

/**
 * prism_performance_get_series:
 * @self: a performance
 * @series: which
 *
 * Returns: (transfer none): the series
 */
PrismSeries *
prism_performance_get_series (const PrismPerformance *self, guint series)
{
  return g_ptr_array_index (self->series, series);
}

static const PrismSeriesPoint *
get_point (const PrismSeries *self, guint index)
{
  return &g_array_index (self->points, PrismSeriesPoint, index);
}

static double
get_least (const PrismSeries *self, guint n_points)
{
  double least = INFINITY;

  for (guint i = 0; i < n_points; i++)
    least = MIN (least, get_point (self, i)->seconds);
  return least;
}

/* Whether the last doublings brought nothing beyond the chance of a measurement. */
static gboolean
is_flat (const PrismSeries *self)
{
  const guint n = self->points->len;

  return n > PATIENCE && get_least (self, n) > (1.0 - SAME) * get_least (self, n - PATIENCE);
}

/* What the value after the last will need: memory is a straight line of the value. */
static double
foresee_memory (const PrismSeries *self, int value)
{
  const guint n = self->points->len;
  const PrismSeriesPoint *last = get_point (self, n - 1);
  const PrismSeriesPoint *before = n > 1 ? get_point (self, n - 2) : NULL;
  double each = 0.0;

  if (before != NULL)
    each = MAX (last->memory - before->memory, 0.0) / (last->value - before->value);
  else if (self->kind == PRISM_SERIES_RUNS)
    each = last->memory / last->value;
  return last->memory + each * (value - last->value);
}

/* No device is given more at once than it does in this moment. */
static gboolean
fills_moment (const PrismSeries *self)
{
  const guint n = self->points->len;

  return self->kind == PRISM_SERIES_CHUNK && n > 0
         && get_point (self, n - 1)->seconds * get_point (self, n - 1)->value > PRISM_PACE_MOMENT;
}

/* 1, 2, 4 … and the largest. */
static int
get_following (const PrismSeries *self)
{
  const guint n = self->points->len;
  const int last = n > 0 ? get_point (self, n - 1)->value : 0;

  if (prism_series_infos[self->kind].is_choice)
    return n > 0 ? last + 1 : 0;
  return last < self->most ? MIN (MAX (2 * last, 1), self->most) : last + 1;
}

/**
 * prism_performance_get_next:
 * @self: a performance
 * @series: (out): where the next point belongs
 * @value: (out): and of what
 *
 * Series that have come to their end are told so here.
 *
 * Returns: whether there is anything left to measure
 */
gboolean
prism_performance_get_next (PrismPerformance *self, guint *series, int *value)
{
  for (guint i = 0; i < self->series->len; i++)
    {
      PrismSeries *one = prism_performance_get_series (self, i);
      const int following = get_following (one);

      if (one->end != PRISM_SERIES_OPEN)
        continue;
      if (following > one->most)
        one->end = PRISM_SERIES_ALL;
      else if (one->points->len > 0 && one->limit > 0.0
               && foresee_memory (one, following) > MEMORY_PART * one->limit)
        one->end = PRISM_SERIES_FULL;
      else if (fills_moment (one))
        one->end = PRISM_SERIES_WAITS;
      else if (self->searches && is_flat (one))
        one->end = PRISM_SERIES_FLAT;
      else
        {
          *series = i;
          *value = following;
          return TRUE;
        }
    }
  return FALSE;
}

/**
 * prism_performance_end:
 * @self: a performance
 * @series: which
 * @end: why nothing more will be measured of it
 * @problem: (nullable): a sentence, if it failed
 */
void
prism_performance_end (PrismPerformance *self,
                       guint series,
                       PrismSeriesEnd end,
                       const char *problem)
{
  PrismSeries *one = prism_performance_get_series (self, series);

  one->end = end;
  g_free (one->problem);
  one->problem = g_strdup (problem);
}

static guint
count_values (const PrismSeries *self)
{
  guint n = 1;

  if (prism_series_infos[self->kind].is_choice)
    return (guint) self->most + 1;
  for (int value = 1; value < self->most; value = MIN (2 * value, self->most))
    n++;
  return n;
}

/**
 * prism_performance_count_left:
 * @self: a performance
 *
 * Returns: how many points there may be still
 */
guint
prism_performance_count_left (const PrismPerformance *self)
{
  guint n = 0;

  PRISM_FOR_EACH_POINTER (const PrismSeries, one, self->series)
    {
      if (one->end == PRISM_SERIES_OPEN)
        n += count_values (one) - MIN (one->points->len, count_values (one));
    }
  return n;
}

/**
 * prism_series_get_best:
 * @self: a series
 *
 * The knee: the smallest value whose unit takes hardly longer than that of the quickest. Of choices
 * it is the quickest.
 *
 * Returns: (transfer none) (nullable): the point, %NULL where nothing was measured or values are no
 * settings
 */
const PrismSeriesPoint *
prism_series_get_best (const PrismSeries *self)
{
  const double least = get_least (self, self->points->len);
  const gboolean is_choice = prism_series_infos[self->kind].is_choice;

  if (prism_series_infos[self->kind].is_rate)
    return NULL;
  for (guint i = 0; i < self->points->len; i++)
    if (get_point (self, i)->seconds <= (is_choice ? least : (1.0 + SAME) * least))
      return get_point (self, i);
  return NULL;
}

/**
 * prism_series_has_choice:
 * @self: a series
 *
 * Returns: whether there are values of which one is best
 */
gboolean
prism_series_has_choice (const PrismSeries *self)
{
  return self->points->len > 1 && !prism_series_infos[self->kind].is_rate;
}

#define MIB ((guint64) 1 << 20)
#define ENOUGH (1024 * MIB) /* bytes of all copies of a kind that are timed */
#define LEAST 8             /* copies */
#define MOST 64

static const struct
{
  const char *id;
  const char *label;
} kinds[PRISM_N_COPIES] = {
  [PRISM_COPY_UPLOAD_PINNED] = { "upload_pinned", N_ ("Up, pinned") },
  [PRISM_COPY_UPLOAD_PAGEABLE] = { "upload_pageable", N_ ("Up, pageable") },
  [PRISM_COPY_DOWNLOAD_PINNED] = { "download_pinned", N_ ("Down, pinned") },
  [PRISM_COPY_DOWNLOAD_PAGEABLE] = { "download_pageable", N_ ("Down, pageable") },
};

/**
 * prism_copy_kind_get_label:
 * @kind: which way, and what kind of host memory
 *
 * Returns: (transfer none): two words, to be translated
 */
const char *
prism_copy_kind_get_label (PrismCopyKind kind)
{
  return kinds[kind].label;
}

static gboolean
measure_kind (PrismCopyRate *self,
              const PrismBackendOps *ops,
              PrismCopyKind kind,
              char **device,
              GError **error)
{
  const guint n = (guint) CLAMP (ENOUGH / self->n_bytes, LEAST, MOST);
  double seconds[MOST];
  g_autofree char *name = NULL;

  if (!ops->time_copies (kind, self->n_bytes, n, seconds, &name, error))
    return FALSE;
  prism_sort_doubles (seconds, n);
  self->rates[kind] = (double) self->n_bytes / MAX (seconds[n / 10], 1e-9);
  g_free (*device);
  *device = g_steal_pointer (&name);
  return TRUE;
}

/**
 * prism_copy_rate_measure:
 * @self: (out): what was found
 * @ops: a device
 * @n_mib: size of a copy in MiB, 1…4096
 * @device: (out) (transfer full): its name
 * @error: return location
 *
 * Times some copies of each kind. The one that is slower than a tenth of them counts, as with
 * steps: most others say what else went on.
 *
 * Errors: PRISM_ERROR_BACKEND where nothing is copied, PRISM_ERROR_MEMORY,
 * PRISM_ERROR_DEVICE_LOST.
 *
 * Returns: whether all were timed
 */
gboolean
prism_copy_rate_measure (PrismCopyRate *self,
                         const PrismBackendOps *ops,
                         guint n_mib,
                         char **device,
                         GError **error)
{
  g_return_val_if_fail (n_mib >= 1 && n_mib <= PRISM_COPY_RATE_MOST_MIB, FALSE);

  *self = (PrismCopyRate) { .n_bytes = n_mib * MIB };
  *device = NULL;
  if (ops->time_copies == NULL)
    {
      g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_BACKEND,
                           _ ("The processor works in its own memory: nothing is copied."));
      return FALSE;
    }
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    if (!measure_kind (self, ops, kind, device, error))
      {
        g_clear_pointer (device, g_free);
        return FALSE;
      }
  return TRUE;
}

/**
 * prism_copy_rate_dup_number:
 * @rate: bytes/s
 *
 * Returns: (transfer full): GB/s with three digits, without the unit
 */
char *
prism_copy_rate_dup_number (double rate)
{
  const double gigabytes = 1e-9 * rate;

  return g_strdup_printf ("%.*f", gigabytes < 9.995 ? 2 : gigabytes < 99.95 ? 1
                                                                            : 0,
                          gigabytes);
}

/**
 * prism_copy_rate_add_json:
 * @self: what was found
 * @builder: what writes JSON, inside an object
 *
 * Units: bytes/s.
 */
void
prism_copy_rate_add_json (const PrismCopyRate *self, JsonBuilder *builder)
{
  prism_json_add (builder, "bytes: %lu", self->n_bytes);
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      g_autofree char *name = g_strdup_printf ("%s_bytes_per_second", kinds[kind].id);

      prism_json_add (builder, "%s: %g", name, self->rates[kind]);
    }
}

/**
 * prism_copy_rate_read:
 * @self: (out): what was found
 * @object: that prism_copy_rate_add_json() has filled
 *
 * Returns: whether all of it is there
 */
gboolean
prism_copy_rate_read (PrismCopyRate *self, JsonObject *object)
{
  const double n_bytes = prism_json_get_number (object, "bytes");

  if (!(n_bytes >= 1.0 && n_bytes <= (double) PRISM_COPY_RATE_MOST_MIB * MIB))
    return FALSE;
  self->n_bytes = (guint64) n_bytes;
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    {
      g_autofree char *name = g_strdup_printf ("%s_bytes_per_second", kinds[kind].id);

      self->rates[kind] = prism_json_get_number (object, name);
      if (!isfinite (self->rates[kind]) || self->rates[kind] <= 0.0)
        return FALSE;
    }
  return TRUE;
}
