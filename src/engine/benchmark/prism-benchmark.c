#include "config.h"

#include "benchmark/prism-benchmark.h"

#include "base/prism-clock.h"
#include "base/prism-error.h"
#include "base/prism-system.h"
#include "config/prism-preset.h"
#include "model/prism-config-check.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
variant_free (gpointer data)
{
  PrismBenchmarkVariant *self = data;

  g_array_unref (self->runs);
  g_free (self->id);
  g_free (self);
}

/**
 * prism_benchmark_new_empty:
 * @config: what is run
 * @n_rounds: how often
 *
 * Returns: (transfer full): a benchmark without variants, made now and here
 */
PrismBenchmark *
prism_benchmark_new_empty (const PrismConfig *config, guint n_rounds)
{
  PrismBenchmark *self = g_new0 (PrismBenchmark, 1);

  g_atomic_ref_count_init (&self->n_refs);
  self->config = prism_config_dup (config);
  self->n_rounds = n_rounds;
  self->made = prism_clock_dup_utc ();
  self->program = g_strdup ("PRISM Studio " PRISM_VERSION);
  self->processor = prism_system_dup_processor ();
  self->variants = g_ptr_array_new_with_free_func (variant_free);
  self->left_out = g_ptr_array_new ();
  return self;
}

/**
 * prism_benchmark_ref:
 * @self: a benchmark
 *
 * Returns: (transfer full): the same
 */
PrismBenchmark *
prism_benchmark_ref (PrismBenchmark *self)
{
  g_atomic_ref_count_inc (&self->n_refs);
  return self;
}

/**
 * prism_benchmark_unref:
 * @self: (nullable): a benchmark
 */
void
prism_benchmark_unref (PrismBenchmark *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->n_refs))
    return;
  prism_config_free (self->config);
  g_ptr_array_unref (self->variants);
  g_ptr_array_unref (self->left_out);
  g_free (self->made);
  g_free (self->program);
  g_free (self->processor);
  g_free (self->device);
  g_free (self);
}

/**
 * prism_benchmark_new_scene:
 *
 * Returns: (transfer full): a run of seconds in which each part of the program has something to do;
 *   without noise, which small frames need
 */
PrismConfig *
prism_benchmark_new_scene (void)
{
  PrismConfig *config = prism_preset_load ("quick-look", NULL);

  if (config == NULL)
    config = prism_config_new ();
  config->method = PRISM_METHOD_DECODER;
  config->snr = 0.0;
  config->samples = 30;
  config->steps = 10;
  config->start_steps = 20;
  return config;
}

/**
 * prism_benchmark_add_variant:
 * @self: a benchmark
 * @id: "plain", "all", or the id of a switch
 *
 * Returns: (transfer none) (nullable): a variant without runs; %NULL for a switch that there is not
 */
PrismBenchmarkVariant *
prism_benchmark_add_variant (PrismBenchmark *self, const char *id)
{
  const PrismBenchmarkSwitch *alone = prism_benchmark_find_switch (id);
  PrismBenchmarkVariant *variant;

  if (alone == NULL && strcmp (id, PRISM_BENCHMARK_PLAIN) != 0
      && strcmp (id, PRISM_BENCHMARK_ALL) != 0)
    return NULL;
  variant = g_new0 (PrismBenchmarkVariant, 1);
  variant->alone = alone;
  variant->id = g_strdup (id);
  variant->runs = g_array_new (FALSE, FALSE, sizeof (PrismBenchmarkRun));
  g_ptr_array_add (self->variants, variant);
  return variant;
}

static gboolean
check_switches (char **switches, GError **error)
{
  gsize n;
  const PrismBenchmarkSwitch *all = prism_benchmark_get_switches (&n);
  g_autoptr (GString) known = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", all[i].id);
  for (; switches != NULL && *switches != NULL; switches++)
    if (prism_benchmark_find_switch (*switches) == NULL)
      {
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                     _ ("There is no switch “%s”: a benchmark knows %s."), *switches, known->str);
        return FALSE;
      }
  return TRUE;
}

static gboolean
check_rounds (guint n_rounds, GError **error)
{
  if (n_rounds >= PRISM_BENCHMARK_LEAST_ROUNDS && n_rounds <= PRISM_BENCHMARK_MOST_ROUNDS)
    return TRUE;
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               _ ("A benchmark takes %d to %d rounds: one alone has no spread to judge by."),
               PRISM_BENCHMARK_LEAST_ROUNDS, PRISM_BENCHMARK_MOST_ROUNDS);
  return FALSE;
}

static void
add_variants (PrismBenchmark *self, char **switches)
{
  gsize n;
  const PrismBenchmarkSwitch *all = prism_benchmark_get_switches (&n);

  prism_benchmark_add_variant (self, PRISM_BENCHMARK_PLAIN);
  prism_benchmark_add_variant (self, PRISM_BENCHMARK_ALL);
  for (gsize i = 0; i < n; i++)
    {
      gboolean asked = switches != NULL
                           ? g_strv_contains ((const char *const *) switches, all[i].id)
                           : all[i].usual;

      if (asked && prism_benchmark_switch_get_gap (&all[i], self->config) != NULL)
        g_ptr_array_add (self->left_out, (gpointer) &all[i]);
      else if (asked)
        prism_benchmark_add_variant (self, all[i].id);
    }
}

/**
 * prism_benchmark_new:
 * @config: what to run
 * @switches: (nullable) (array zero-terminated=1): ids of those to go over; %NULL: the usual ones
 * @n_rounds: how often each variant runs
 * @error: return location
 *
 * Plans the runs. Switches that do nothing for this run on this machine are left out.
 *
 * Errors: PRISM_ERROR_CONFIG, also where no switch is left.
 *
 * Returns: (transfer full) (nullable): a benchmark without runs
 */
PrismBenchmark *
prism_benchmark_new (const PrismConfig *config, char **switches, guint n_rounds, GError **error)
{
  g_autoptr (PrismBenchmark) self = NULL;

  if (!check_rounds (n_rounds, error) || !check_switches (switches, error))
    return NULL;
  self = prism_benchmark_new_empty (config, n_rounds);
  add_variants (self, switches);
  if (self->variants->len == 2)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("None of these switches does anything for this run on this machine: choose"
                      " others."));
      return NULL;
    }
  for (guint i = 0; i < self->variants->len; i++)
    {
      g_autoptr (PrismConfig) one = prism_benchmark_dup_config (self, i, error);

      if (one == NULL)
        return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * prism_benchmark_get_variant:
 * @self: a benchmark
 * @variant: which
 *
 * Returns: (transfer none): the variant
 */
PrismBenchmarkVariant *
prism_benchmark_get_variant (const PrismBenchmark *self, guint variant)
{
  return g_ptr_array_index (self->variants, variant);
}

/**
 * prism_benchmark_find_variant:
 * @self: a benchmark
 * @id: of a variant
 *
 * Returns: (transfer none) (nullable): the variant
 */
const PrismBenchmarkVariant *
prism_benchmark_find_variant (const PrismBenchmark *self, const char *id)
{
  for (guint i = 0; i < self->variants->len; i++)
    if (strcmp (prism_benchmark_get_variant (self, i)->id, id) == 0)
      return prism_benchmark_get_variant (self, i);
  return NULL;
}

/**
 * prism_benchmark_count_runs:
 * @self: a benchmark
 *
 * Returns: how many runs it has when it is over
 */
guint
prism_benchmark_count_runs (const PrismBenchmark *self)
{
  return self->n_rounds * self->variants->len;
}

/**
 * prism_benchmark_count_done:
 * @self: a benchmark
 *
 * Returns: how many of them are over
 */
guint
prism_benchmark_count_done (const PrismBenchmark *self)
{
  guint n = 0;

  for (guint i = 0; i < self->variants->len; i++)
    n += prism_benchmark_get_variant (self, i)->runs->len;
  return n;
}

/* Whether a variant has one of the switches that are gone over. */
static gboolean
has_switch (const PrismBenchmarkVariant *variant, const PrismBenchmarkSwitch *of)
{
  return strcmp (variant->id, PRISM_BENCHMARK_ALL) == 0 || variant->alone == of;
}

/**
 * prism_benchmark_dup_config:
 * @self: a benchmark
 * @variant: which
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG.
 *
 * Returns: (transfer full) (nullable): what the runs of the variant are to run
 */
PrismConfig *
prism_benchmark_dup_config (const PrismBenchmark *self, guint variant, GError **error)
{
  g_autoptr (PrismConfig) config = prism_config_dup (self->config);
  const PrismBenchmarkVariant *wanted = prism_benchmark_get_variant (self, variant);

  for (guint i = 2; i < self->variants->len; i++)
    {
      const PrismBenchmarkSwitch *of = prism_benchmark_get_variant (self, i)->alone;

      if (!prism_benchmark_switch_apply (of, config, has_switch (wanted, of), error))
        return NULL;
    }
  return prism_config_check (config, error) ? g_steal_pointer (&config) : NULL;
}

/**
 * prism_benchmark_wants_variable:
 * @self: a benchmark
 * @variant: which
 * @of: a switch
 *
 * Returns: whether the runs of the variant have the switch off by a variable of the environment
 */
gboolean
prism_benchmark_wants_variable (const PrismBenchmark *self,
                                guint variant,
                                const PrismBenchmarkSwitch *of)
{
  return of->variable != NULL && prism_benchmark_find_variant (self, of->id) != NULL
         && !has_switch (prism_benchmark_get_variant (self, variant), of);
}

/**
 * prism_benchmark_variant_get_label:
 * @self: a variant
 *
 * Returns: (transfer none): what people call it
 */
const char *
prism_benchmark_variant_get_label (const PrismBenchmarkVariant *self)
{
  if (self->alone != NULL)
    return _ (self->alone->label);
  return strcmp (self->id, PRISM_BENCHMARK_ALL) == 0 ? _ ("Everything on") : _ ("Plain");
}

/**
 * prism_benchmark_variant_get_spread:
 * @self: a variant
 * @figure: of it
 * @spread: (out): what its rounds have measured
 */
void
prism_benchmark_variant_get_spread (const PrismBenchmarkVariant *self,
                                    PrismFigure figure,
                                    PrismSpread *spread)
{
  g_autofree double *values = g_new (double, self->runs->len + 1);

  for (guint i = 0; i < self->runs->len; i++)
    values[i] = g_array_index (self->runs, PrismBenchmarkRun, i).figures[figure];
  prism_spread_init (spread, values, self->runs->len);
}

/**
 * prism_benchmark_variant_get_stage:
 * @self: a variant
 * @stage: of its runs
 * @spread: (out): the seconds of its rounds, without inner stages
 */
void
prism_benchmark_variant_get_stage (const PrismBenchmarkVariant *self,
                                   PrismStage stage,
                                   PrismSpread *spread)
{
  g_autofree double *values = g_new (double, self->runs->len + 1);

  for (guint i = 0; i < self->runs->len; i++)
    values[i] = g_array_index (self->runs, PrismBenchmarkRun, i).stages[stage];
  prism_spread_init (spread, values, self->runs->len);
}
