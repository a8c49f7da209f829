#include "config.h"

#include "benchmark/prism-performance-text.h"

#include "base/prism-each.h"
#include "base/prism-text.h"
#include "benchmark/prism-series-kind.h"
#include "config/prism-preset.h"

#define COLUMN 10
#define RESTLESS 0.5 /* of which the median step takes longer than the quick ones */

/* What files call the end of a series, and why nothing more was measured, where that is not said by
 * the series. */
static const struct
{
  const char *name;
  const char *sentence; /* (nullable) */
} ends[] = {
  [PRISM_SERIES_OPEN] = { "open" },
  [PRISM_SERIES_ALL] = { "all" },
  [PRISM_SERIES_FLAT] = { "flat", N_ ("Larger ones bring nothing any more.") },
  [PRISM_SERIES_WAITS]
  = { "waits", N_ ("More at once would take longer than a command may wait.") },
  [PRISM_SERIES_FULL]
  = { "memory", N_ ("The next one would take more than four fifths of the memory.") },
  [PRISM_SERIES_NO_MEMORY]
  = { "no-memory", N_ ("For the next one there was not enough memory.") },
  [PRISM_SERIES_NO_TIME] = { "no-time", N_ ("There was no time for more.") },
  [PRISM_SERIES_STOPPED] = { "stopped", N_ ("Cancelled.") },
  [PRISM_SERIES_NOTHING] = { "nothing" },
  [PRISM_SERIES_FAILED] = { "failed" },
};

/* GB/s, in the order of the kinds. */
static char *
dup_rates (const PrismCopyRate *copies)
{
  char *texts[PRISM_N_COPIES];
  char *text;

  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    texts[kind] = prism_copy_rate_dup_number (copies->rates[kind]);
  text = g_strdup_printf (_ ("up %s GB/s (pageable memory %s), down %s GB/s (%s)"),
                          texts[PRISM_COPY_UPLOAD_PINNED], texts[PRISM_COPY_UPLOAD_PAGEABLE],
                          texts[PRISM_COPY_DOWNLOAD_PINNED], texts[PRISM_COPY_DOWNLOAD_PAGEABLE]);
  for (int kind = 0; kind < PRISM_N_COPIES; kind++)
    g_free (texts[kind]);
  return text;
}

/* Returns what a unit takes, the memory, and the error where it is known. */
static char *
dup_figures (const PrismSeries *self, const PrismSeriesPoint *point)
{
  g_autofree char *time = NULL;
  GString *text;
  double ms;

  if (prism_series_infos[self->kind].is_rate)
    return dup_rates (&point->copies);
  ms = 1e3 * point->seconds;
  time = g_strdup_printf (_ ("%.*f ms %s"), ms < 10.0 ? 2 : ms < 100.0 ? 1
                                                                       : 0,
                          ms,
                          _ (prism_series_infos[self->kind].unit));
  text = g_string_new (time);

  if (isfinite (point->memory) && point->memory > 0.0)
    {
      g_autofree char *memory
          = g_format_size_full ((guint64) point->memory, G_FORMAT_SIZE_IEC_UNITS);

      g_string_append_printf (text, ", %s", memory);
    }
  if (isfinite (point->error))
    g_string_append_printf (text, _ (", error of the gradient %.2g"), point->error);
  return g_string_free (text, FALSE);
}

/* Returns why nothing more was measured, NULL where everything was. */
static char *
dup_end (const PrismSeries *self)
{
  if (self->end == PRISM_SERIES_NOTHING)
    return g_strdup_printf (_ ("Left out. %s"), self->gap);
  if (self->end == PRISM_SERIES_FAILED)
    return g_strdup (self->problem);
  return ends[self->end].sentence != NULL ? g_strdup (_ (ends[self->end].sentence)) : NULL;
}

/* The most of each kind, whatever the size. */
static char *
dup_most (const PrismSeries *self)
{
  PrismCopyRate most = { 0 };
  g_autofree char *rates = NULL;

  PRISM_FOR_EACH (const PrismSeriesPoint, point, self->points)
    for (int kind = 0; kind < PRISM_N_COPIES; kind++)
      most.rates[kind] = MAX (most.rates[kind],
                              point->copies.rates[kind]);
  rates = dup_rates (&most);
  return g_strdup_printf (_ ("At most: %s."), rates);
}

/**
 * prism_series_dup_verdict:
 * @self: a series
 *
 * Returns: (transfer full): which value is best, why there are no more, and what to know of it
 */
char *
prism_series_dup_verdict (const PrismSeries *self)
{
  const PrismSeriesInfo *info = &prism_series_infos[self->kind];
  const PrismSeriesPoint *best = prism_series_get_best (self);
  g_autofree char *why = dup_end (self);
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean restless = FALSE;

  if (best != NULL)
    {
      g_autofree char *name = prism_series_dup_name (self->kind, best->value);
      g_autofree char *figures = dup_figures (self, best);

      g_string_append_printf (
          text, prism_series_has_choice (self) ? _ ("Best: %s (%s).") : _ ("%s (%s)."), name,
          figures);
    }
  if (info->is_rate && self->points->len > 0)
    {
      g_autofree char *most = dup_most (self);

      g_string_append_printf (text, "%s %s", most, _ (info->remark));
    }
  if (self->kind == PRISM_SERIES_PRECISION && self->most == 0 && best != NULL)
    g_string_append_printf (text, " %s %s", _ ("The processor computes in single precision alone."),
                            _ ("Shorter numbers (tf32, bf16, fp16) need a GPU."));
  if (why != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", why);
  if (info->remark != NULL && prism_series_has_choice (self))
    g_string_append_printf (text, " %s", _ (info->remark));
  /* Beside other programs a point is as good as chance. */
  PRISM_FOR_EACH (const PrismSeriesPoint, point, self->points)
    restless |= point->unrest > RESTLESS;
  if (restless)
    g_string_append_printf (text, " %s", _ ("Other programs were busy: measure again later."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * prism_performance_dup_title:
 * @self: a performance
 * @made: (nullable): when, as the reader writes it; %NULL: UTC, ISO 8601
 * @device: (nullable): the device in the reader's words; %NULL: as it named itself
 *
 * Returns: (transfer full): what was measured, when and on what
 */
char *
prism_performance_dup_title (const PrismPerformance *self, const char *made, const char *device)
{
  const PrismConfig *config = self->config;

  if (device == NULL)
    device = self->device;

  return g_strdup_printf (
      _ ("%d px in a field of %d px, aperture radius %g px, PRISM Studio %s, %s, %s"),
      config->object_size, config->image_size, config->aperture_radius, PRISM_VERSION,
      made != NULL ? made : self->made,
      device != NULL            ? device
      : self->processor != NULL ? self->processor
                                : "?");
}

static void
append_series (GString *text, const PrismSeries *series)
{
  const PrismSeriesPoint *best = prism_series_get_best (series);
  g_autofree char *verdict = prism_series_dup_verdict (series);

  g_string_append_printf (text, "\n%s\n", _ (prism_series_infos[series->kind].label));
  PRISM_FOR_EACH (const PrismSeriesPoint, point, series->points)
    {
      g_autofree char *name = prism_series_dup_name (series->kind, point->value);
      g_autofree char *figures = dup_figures (series, point);
      const glong width = g_utf8_strlen (name, -1);
      const gboolean is_marked = point == best && prism_series_has_choice (series);

      g_string_append_printf (text, "%s %*s%s  %s\n", is_marked ? "▸" : " ",
                              (int) MAX (COLUMN - width, 0), "", name, figures);
    }
  g_string_append_printf (text, "  %s\n", verdict);
}

/**
 * prism_performance_dup_text:
 * @self: a performance
 *
 * Returns: (transfer full): a table for each series, the best value marked
 */
char *
prism_performance_dup_text (const PrismPerformance *self)
{
  g_autofree char *title = prism_performance_dup_title (self, NULL, NULL);
  g_autofree char *command = prism_performance_dup_command (self);
  GString *text = g_string_new (title);

  g_string_append_c (text, '\n');
  for (guint i = 0; i < self->series->len; i++)
    append_series (text, prism_performance_get_series (self, i));
  if (command != NULL)
    g_string_append_printf (text, "\n%s\n", command);
  return g_string_free (text, FALSE);
}

/**
 * prism_performance_dup_command:
 * @self: a performance
 *
 * Terms of a step are left out: they are for the picture, not for the time. As many runs at a time
 * as are best are an ensemble.
 *
 * Returns: (transfer full) (nullable): the command of the run that was measured, with the best
 *   values
 */
char *
prism_performance_dup_command (const PrismPerformance *self)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  g_autofree char *command = NULL, *verb = NULL, *ensemble = NULL;
  gboolean is_known = FALSE;
  int n_jobs = 0;

  PRISM_FOR_EACH_POINTER (const PrismSeries, series, self->series)
    {
      const PrismSeriesPoint *best = prism_series_get_best (series);
      g_auto (GStrv) settings = NULL;

      if (best == NULL || !prism_series_has_choice (series) || series->kind == PRISM_SERIES_TERMS)
        continue;
      is_known = TRUE;
      if (series->kind == PRISM_SERIES_RUNS)
        n_jobs = best->value;
      settings = prism_series_dup_settings (series->kind, best->value);
      for (char **key = settings; *key != NULL; key += 2)
        prism_config_set_text (config, key[0], key[1], NULL);
    }
  if (!is_known)
    return NULL;
  command = prism_preset_dup_command (config, "run");
  if (n_jobs < 2)
    return g_steal_pointer (&command);
  verb = g_strdup_printf ("sweep --jobs %d --ensemble %d", n_jobs, n_jobs);
  ensemble = prism_preset_dup_command (config, verb);
  return g_strconcat (command, "\n", ensemble, NULL);
}

static void
add_series (JsonBuilder *builder, const PrismSeries *series)
{
  const PrismSeriesPoint *best = prism_series_get_best (series);
  g_autofree char *verdict = prism_series_dup_verdict (series);
  g_autofree char *name = best != NULL ? prism_series_dup_name (series->kind, best->value) : NULL;

  prism_json_add (builder, "%s: {end: %s", prism_series_infos[series->kind].id,
                  ends[series->end].name);
  if (name != NULL)
    prism_json_add (builder, "best: %s", name);
  prism_json_add (builder, "verdict: %s, points: [", verdict);
  PRISM_FOR_EACH (const PrismSeriesPoint, point, series->points)
    {
      g_autofree char *value = prism_series_dup_name (series->kind, point->value);

      prism_json_add (builder, "{value: %s", value);
      if (prism_series_infos[series->kind].is_rate)
        prism_copy_rate_add_json (&point->copies, builder);
      else
        prism_json_add (builder, "seconds: %g, memory_bytes: %g, gradient_error: %g, unrest: %g",
                        point->seconds, point->memory, point->error, point->unrest);
      prism_json_add (builder, "}");
    }
  prism_json_add (builder, "]}");
}

/**
 * prism_performance_add_json:
 * @self: a performance
 * @builder: what writes JSON, inside an object
 *
 * Units: s, bytes.
 */
void
prism_performance_add_json (const PrismPerformance *self, JsonBuilder *builder)
{
  prism_json_add (builder, "made: %s, processor: %s, device: %s, took_seconds: %g, series: {",
                  self->made, self->processor, self->device, self->seconds);
  for (guint i = 0; i < self->series->len; i++)
    add_series (builder, prism_performance_get_series (self, i));
  prism_json_add (builder, "}");
}
