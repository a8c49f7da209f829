#include "config.h"

#include "benchmark/prism-benchmark-file.h"

#include "base/prism-directory.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "base/prism-text.h"
#include "benchmark/prism-benchmark-text.h"

#define FORMAT "prism-benchmark"
#define FORMAT_VERSION 1
#define MAX_BYTES (4 << 20)

static void
add_variant (JsonBuilder *builder, const PrismBenchmark *self, guint index)
{
  const PrismBenchmarkVariant *variant = prism_benchmark_get_variant (self, index);
  g_autofree char *verdict = prism_benchmark_dup_verdict (self, index);

  prism_json_add (builder, "{id: %s, verdict: %s, spread: {", variant->id, verdict);
  for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
    {
      const PrismSpread spread = prism_benchmark_variant_get_spread (variant, figure);

      if (spread.n == 0)
        continue;
      prism_json_add (builder, "%s: {median: %g, least: %g, most: %g}",
                      prism_figures[figure].key, spread.median, spread.least,
                      spread.most);
    }
  prism_json_add (builder, "}, runs: [");
  PRISM_FOR_EACH (const PrismBenchmarkRun, run, variant->runs)
    {
      prism_json_add (builder, "{");
      prism_benchmark_run_add_json (run, builder);
      prism_json_add (builder, "}");
    }
  prism_json_add (builder, "]}");
}

/**
 * prism_benchmark_dup_json:
 * @self: a benchmark
 *
 * Units: as prism-benchmark-figure.h has them.
 *
 * Returns: (transfer full): every run with its figures and stages, the spreads and the verdicts
 */
char *
prism_benchmark_dup_json (const PrismBenchmark *self)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  PrismBenchmarkGoal goals[PRISM_BENCHMARK_N_GOALS];

  prism_json_add (builder,
                  "{format: %s, version: %d, made: %s, program: %s, processor: %s, device: %s, "
                  "rounds: %u, variants: [",
                  FORMAT, FORMAT_VERSION, self->made, self->program, self->processor, self->device,
                  self->n_rounds);
  for (guint i = 0; i < self->variants->len; i++)
    add_variant (builder, self, i);
  prism_json_add (builder, "]");
  prism_benchmark_get_goals (self, goals);
  prism_json_add (builder, "goals: {");
  for (int i = 0; i < PRISM_BENCHMARK_N_GOALS; i++)
    {
      prism_json_add (builder, "%s: {limit: %g, value: %g, met: %i}", goals[i].key, goals[i].limit,
                      goals[i].value, prism_benchmark_goal_is_met (&goals[i]));
    }
  prism_json_add (builder, "}, left_out: {");
  PRISM_FOR_EACH_POINTER (const PrismBenchmarkSwitch, of, self->left_out)
    {
      prism_json_add (builder, "%s: %s", of->id, prism_benchmark_switch_get_gap (of, self->config));
    }
  prism_json_add (builder, "}");
  prism_system_add_versions (builder);
  prism_json_add (builder, "configuration: {");
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *text = prism_config_dup_text (self->config, param);

      prism_json_add (builder, "%s: %s", param->key, text);
    }
  prism_json_add (builder, "}}");
  return prism_json_dup_text (builder);
}

/**
 * prism_benchmark_save:
 * @self: a benchmark
 * @path: file name
 * @error: return location
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_benchmark_save (const PrismBenchmark *self, const char *path, GError **error)
{
  g_autofree char *json = prism_benchmark_dup_json (self);

  return prism_file_save (path, json, strlen (json), error);
}

static gboolean
read_variant (PrismBenchmark *self, JsonObject *object)
{
  const char *id = prism_json_get_text (object, "id");
  JsonArray *runs = prism_json_to_list (prism_json_find (object, "runs"));
  PrismBenchmarkVariant *variant
      = id != NULL && runs != NULL && prism_benchmark_find_variant (self, id) == NULL
            ? prism_benchmark_add_variant (self, id)
            : NULL;

  if (variant == NULL || json_array_get_length (runs) > PRISM_BENCHMARK_MOST_ROUNDS)
    return FALSE;
  for (guint i = 0; i < json_array_get_length (runs); i++)
    {
      JsonObject *one = prism_json_to_object (json_array_get_element (runs, i));
      PrismBenchmarkRun run;

      if (one == NULL || !prism_benchmark_run_read (&run, one))
        return FALSE;
      g_array_append_val (variant->runs, run);
    }
  return TRUE;
}

static void
replace (char **place, const char *text)
{
  g_free (*place);
  *place = g_strdup (text);
}

static PrismBenchmark *
read_benchmark (JsonObject *root)
{
  g_autoptr (PrismConfig) config = prism_config_new ();
  gint64 n_rounds = json_object_get_int_member_with_default (root, "rounds", -1);
  JsonArray *variants = prism_json_to_list (prism_json_find (root, "variants"));
  JsonObject *left_out = prism_json_to_object (prism_json_find (root, "left_out"));
  g_autoptr (PrismBenchmark) self = NULL;

  if (g_strcmp0 (prism_json_get_text (root, "format"), FORMAT) != 0
      || json_object_get_int_member_with_default (root, "version", -1) != FORMAT_VERSION
      || variants == NULL || n_rounds < PRISM_BENCHMARK_LEAST_ROUNDS
      || n_rounds > PRISM_BENCHMARK_MOST_ROUNDS || prism_json_get_text (root, "made") == NULL)
    return NULL;
  prism_config_take_json (config, prism_json_to_object (prism_json_find (root, "configuration")));
  self = prism_benchmark_new_empty (config, (guint) n_rounds);
  for (guint i = 0; i < json_array_get_length (variants); i++)
    if (!read_variant (self, prism_json_to_object (json_array_get_element (variants, i))))
      return NULL;
  PRISM_FOR_EACH_OF (one, prism_benchmark_switches)
    if (left_out != NULL && json_object_has_member (left_out, one->id))
      g_ptr_array_add (self->left_out, (gpointer) one);
  replace (&self->made, prism_json_get_text (root, "made"));
  replace (&self->program, prism_json_get_text (root, "program"));
  replace (&self->processor, prism_json_get_text (root, "processor"));
  replace (&self->device, prism_json_get_text (root, "device"));
  if (self->variants->len < 2
      || strcmp (prism_benchmark_get_variant (self, 0)->id, PRISM_BENCHMARK_PLAIN) != 0)
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_benchmark_load:
 * @path: what prism_benchmark_save() has written, or anybody
 * @error: return location
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the benchmark
 */
PrismBenchmark *
prism_benchmark_load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);
  g_autoptr (JsonNode) root = NULL;
  PrismBenchmark *self;

  if (bytes == NULL)
    return NULL;
  root = prism_json_parse_object (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  self = root != NULL ? read_benchmark (json_node_get_object (root)) : NULL;
  if (self != NULL)
    return self;
  prism_error_format (
      error,
      _ ("“%s” is no benchmark, or one of a newer version: choose a comparison.json that"
         " “prism-cli bench --report” has written."),
      path);
  return NULL;
}

/* What does not change how long a run takes. */
static const char *const others[] = { "autosave_samples", "autosave_seconds", NULL };

/* Whether the baseline has timed any variant often enough. */
static gboolean
is_comparable (const PrismBenchmark *self, const PrismBenchmark *baseline)
{
  for (guint i = 0; i < self->variants->len; i++)
    {
      const PrismBenchmarkVariant *before = prism_benchmark_find_variant (
          baseline, prism_benchmark_get_variant (self, i)->id);

      if (before != NULL && before->runs->len >= PRISM_BENCHMARK_LEAST_ROUNDS)
        return TRUE;
    }
  return FALSE;
}

/**
 * prism_benchmark_check_baseline:
 * @self: a benchmark
 * @baseline: an earlier one
 * @error: return location
 *
 * Only runs of the same configuration can be held against each other, and only what was timed.
 *
 * Errors: PRISM_ERROR_CONFIG, which names the first parameter that differs.
 *
 * Returns: whether they can
 */
gboolean
prism_benchmark_check_baseline (const PrismBenchmark *self,
                                const PrismBenchmark *baseline,
                                GError **error)
{
  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *now = prism_config_dup_text (self->config, param);
      g_autofree char *before = prism_config_dup_text (baseline->config, param);

      if (!prism_config_differs (self->config, baseline->config, param)
          || g_strv_contains (others, param->key))
        continue;
      return prism_error_config (
          error,
          _ ("The baseline is of another run: its %s is “%s”, not “%s”. Choose the same"
             " configuration, or make a new baseline."),
          param->key, before, now);
    }
  if (is_comparable (self, baseline))
    return TRUE;
  return prism_error_config (
      error, _ ("The baseline has not two finished runs of any of these kinds, so that there is "
                "nothing to compare with. Make a new baseline with the same --switch."));
}

static void
append_load (GString *text, const PrismBenchmarkVariant *now, const PrismBenchmarkVariant *before)
{
  const PrismSpread from = prism_benchmark_variant_get_spread (before, PRISM_FIGURE_LEFT);
  const PrismSpread to = prism_benchmark_variant_get_spread (now, PRISM_FIGURE_LEFT);

  g_string_append_printf (text,
                          _ ("%s (%s): other programs left %.0f %% of the processors, before"
                             " %.0f %%. Processor time is compared instead of time.\n"),
                          prism_benchmark_variant_get_label (now), now->id, 100.0 * to.median,
                          100.0 * from.median);
}

/* Beyond the spread of both. The stage that grew most is where to look. */
static void
append_stage (GString *text, const PrismBenchmarkVariant *now, const PrismBenchmarkVariant *before)
{
  double most = 0.0;
  int found = -1;

  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      const PrismSpread from = prism_benchmark_variant_get_stage (before, stage);
      const PrismSpread to = prism_benchmark_variant_get_stage (now, stage);

      if (prism_spread_judge (&from, &to) != PRISM_JUDGEMENT_MORE
          || to.median - from.median <= most)
        continue;
      most = to.median - from.median;
      found = stage;
    }
  if (found >= 0)
    g_string_append_printf (text, _ ("  What became slower most is %s, by %.3f s.\n"),
                            prism_stage_get_id (found), most);
}

static gboolean
append_figure (GString *text,
               const PrismBenchmarkVariant *now,
               const PrismBenchmarkVariant *before,
               PrismFigure figure,
               gboolean of_processor)
{
  const PrismFigureInfo *info = &prism_figures[figure];
  PrismJudgement bad = info->better > 0 ? PRISM_JUDGEMENT_LESS : PRISM_JUDGEMENT_MORE;
  const PrismSpread from = prism_benchmark_variant_get_spread (before, figure);
  const PrismSpread to = prism_benchmark_variant_get_spread (now, figure);
  g_autofree char *from_text = prism_figure_dup_text (figure, from.median);
  g_autofree char *to_text = prism_figure_dup_text (figure, to.median);

  if (!info->is_speed || info->is_processor != of_processor
      || prism_spread_judge (&from, &to) != bad)
    return FALSE;
  g_string_append_printf (text, _ ("Slower: %s (%s), %s: %s, before %s.\n"),
                          prism_benchmark_variant_get_label (now), now->id, _ (info->label),
                          to_text, from_text);
  return TRUE;
}

/**
 * prism_benchmark_dup_slower:
 * @self: a benchmark
 * @baseline: an earlier one of the same configuration
 * @n_slower: (out): how many variants have become slower
 *
 * Compares the variants that both have, in each speed that both have measured; where the machine is
 * not as busy as it was, in processor time. What differs by less than the spread of either is no
 * difference.
 *
 * Returns: (transfer full): a line for each speed that has fallen, and the stage to look at; a line
 *   for each variant that is compared in processor time
 */
char *
prism_benchmark_dup_slower (const PrismBenchmark *self,
                            const PrismBenchmark *baseline,
                            guint *n_slower)
{
  GString *text = g_string_new (NULL);

  *n_slower = 0;
  PRISM_FOR_EACH_POINTER (const PrismBenchmarkVariant, now, self->variants)
    {
      const PrismBenchmarkVariant *before = prism_benchmark_find_variant (baseline, now->id);
      gboolean slower = FALSE, of_processor;
      PrismSpread from, to;
      PrismJudgement judgement;

      if (before == NULL)
        continue;
      /* What passes on a clock says something of the program where other programs leave it as
       * much of the processors as before. Else the time that it computes is compared, where both
       * have it. */
      from = prism_benchmark_variant_get_spread (before, PRISM_FIGURE_LEFT);
      to = prism_benchmark_variant_get_spread (now, PRISM_FIGURE_LEFT);
      judgement = prism_spread_judge (&from, &to);
      of_processor = prism_benchmark_variant_get_spread (before, PRISM_FIGURE_PROCESSOR).n > 1
                     && prism_benchmark_variant_get_spread (now, PRISM_FIGURE_PROCESSOR).n > 1
                     && (judgement == PRISM_JUDGEMENT_LESS || judgement == PRISM_JUDGEMENT_MORE);
      if (of_processor)
        append_load (text, now, before);
      for (int figure = 0; figure < PRISM_N_FIGURES; figure++)
        slower |= append_figure (text, now, before, figure, of_processor);
      if (slower)
        append_stage (text, now, before);
      *n_slower += slower;
    }
  return g_string_free (text, FALSE);
}

#define MOST 100u /* the oldest give way */

static char *
dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "prism-studio", "benchmarks", NULL);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return -strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names are times: the newest comes first. */
static GPtrArray *
list_names (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  PRISM_FOR_EACH_NAME (name, folder)
    if (name[0] != '.' && g_str_has_suffix (name, ".json"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

static void
drop_oldest (const char *folder)
{
  g_autoptr (GPtrArray) names = list_names (folder);

  for (guint i = MOST; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

      g_unlink (path);
    }
}

/**
 * prism_benchmark_history_add:
 * @benchmark: one that is over
 * @error: return location
 *
 * Keeps it; of more than a hundred the oldest is dropped.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_benchmark_history_add (const PrismBenchmark *benchmark, GError **error)
{
  g_autofree char *folder = dup_folder ();
  g_autofree char *stem = g_strdelimit (g_strdup (benchmark->made), ":", '-');
  g_autofree char *name = g_strdup_printf ("%s.json", stem);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!prism_directory_check (folder, error) || !prism_benchmark_save (benchmark, path, error))
    return FALSE;
  drop_oldest (folder);
  return TRUE;
}

/**
 * prism_benchmark_history_load:
 * @problems: (out) (optional) (transfer full): sentences, each of a file that is damaged or no
 *   benchmark
 *
 * Files that are no benchmarks, or damaged, are passed over.
 *
 * Returns: (transfer full) (element-type PrismBenchmark): the newest first
 */
GPtrArray *
prism_benchmark_history_load (GPtrArray **problems)
{
  GPtrArray *benchmarks = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_benchmark_unref);
  g_autofree char *folder = dup_folder ();
  g_autoptr (GPtrArray) names = list_names (folder);

  if (problems != NULL)
    *problems = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < names->len && i < MOST; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
      g_autoptr (GError) error = NULL;
      PrismBenchmark *benchmark = prism_benchmark_load (path, &error);

      if (benchmark != NULL)
        g_ptr_array_add (benchmarks, benchmark);
      else if (problems != NULL)
        g_ptr_array_add (*problems, g_strdup_printf ("%s: %s", path, error->message));
    }
  return benchmarks;
}
