#include "config.h"

#include "profile/prism-trace-reading.h"

#include "base/prism-each.h"
#include "base/prism-number.h"
#include "profile/prism-trace.h"

static char *
dup_text (const PrismTrace *trace)
{
  g_autofree char *advice = prism_trace_dup_advice (trace);
  g_autofree char *memory = prism_trace_dup_memory (trace);
  g_autofree char *cost = g_strdup_printf (_ ("%.2f s in all; the profile itself took %.3f %% of"
                                              " them."),
                                           trace->seconds, 100 * prism_trace_get_overhead (trace));

  if (memory == NULL)
    return g_strjoin ("\n", advice, cost, NULL);
  return g_strjoin ("\n", advice, memory, cost, NULL);
}

/**
 * prism_trace_reading_new:
 * @trace: (transfer full): a profile
 *
 * Reads all of it, which takes a while with many spans.
 *
 * Returns: (transfer full): what it comes to
 */
PrismTraceReading *
prism_trace_reading_new (PrismTrace *trace)
{
  PrismTraceReading *self = g_atomic_rc_box_new0 (PrismTraceReading);

  self->trace = trace;
  prism_trace_summary_init (&self->summary, trace);
  self->text = dup_text (trace);
  return self;
}

/**
 * prism_trace_reading_ref:
 * @self: a reading
 *
 * Returns: (transfer full): the same
 */
PrismTraceReading *
prism_trace_reading_ref (PrismTraceReading *self)
{
  return g_atomic_rc_box_acquire (self);
}

PRISM_CLEAR (PrismTraceReading, clear, prism_trace_free, trace, g_free, text)

/**
 * prism_trace_reading_unref:
 * @self: a reading
 */
void
prism_trace_reading_unref (PrismTraceReading *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

/**
 * prism_trace_reading_dup_change:
 * @before: a reading
 * @after: another one
 *
 * Returns: (transfer full): a sentence that names what became slower most
 */
char *
prism_trace_reading_dup_change (const PrismTraceReading *before,
                                const PrismTraceReading *after)
{
  int slower = prism_trace_summary_find_slower (&before->summary, &after->summary);

  if (slower < 0)
    return g_strdup (_ ("Nothing became slower."));
  return g_strdup_printf (_ ("What became slower most is “%s”, by %.4f s."),
                          prism_stage_get_label (slower),
                          after->summary.stages[slower].self - before->summary.stages[slower].self);
}

#define MEBIBYTE 1048576.0
#define MOSTLY 0.3 /* of the time: a stage that is worth a sentence */
#define MOST_SENTENCES 2

/**
 * prism_trace_dup_advice:
 * @trace: a profile
 *
 * Returns: (transfer full): a sentence that names what takes the time, and another where two stages
 *   take most of it
 */
char *
prism_trace_dup_advice (const PrismTrace *trace)
{
  PrismTraceSummary summary;
  PrismStage order[PRISM_N_STAGES];
  GString *text = g_string_new (NULL);
  guint n, n_sentences = 0;

  prism_trace_summary_init (&summary, trace);
  n = prism_trace_summary_sort (&summary, order);
  for (guint i = 0; i < n && n_sentences < MOST_SENTENCES && summary.busy > 0.0; i++)
    {
      const double part = summary.stages[order[i]].self / summary.busy;
      g_autofree char *sentence = NULL;
      PrismStage stage;
      const PrismStageSummary *row;

      if (order[i] == PRISM_STAGE_WAIT || (n_sentences > 0 && part < MOSTLY))
        continue;
      stage = order[i];
      row = &summary.stages[stage];
      sentence = g_strdup_printf (
          g_dngettext (GETTEXT_PACKAGE, "“%s” takes %.0f %% of the work, %u call of %.3g ms: %s.",
                       "“%s” takes %.0f %% of the work, %u calls, half of them within %.3g ms: %s.",
                       row->n_calls),
          prism_stage_get_label (stage), 100 * row->self / summary.busy, row->n_calls,
          1e3 * row->median, _ (prism_stage_get_dependence (stage)));
      g_string_append_printf (text, "%s%s", n_sentences++ > 0 ? " " : "", sentence);
    }
  if (n_sentences == 0)
    g_string_append (text, _ ("Nothing was done."));
  return g_string_free (text, FALSE);
}

/* A column of the table: its value, or a dash where nobody has counted it. */
static void
append_value (GString *text,
              const PrismTraceSummary *summary,
              PrismStage stage,
              PrismStageColumn column)
{
  static const struct
  {
    int width;
    int digits;
    double factor;
    const char *unit;
  } shown[PRISM_STAGE_COLUMN_ARRAYS_MOST] = {
    [PRISM_STAGE_COLUMN_PART] = { 5, 1, 1e2, " %" },
    [PRISM_STAGE_COLUMN_CALLS] = { 8, 0, 1.0, "" },
    [PRISM_STAGE_COLUMN_TOTAL] = { 10, 4, 1.0, "" },
    [PRISM_STAGE_COLUMN_SELF] = { 10, 4, 1.0, "" },
    [PRISM_STAGE_COLUMN_MEDIAN] = { 10, 4, 1e3, "" },
    [PRISM_STAGE_COLUMN_P99] = { 10, 4, 1e3, "" },
    [PRISM_STAGE_COLUMN_BANDWIDTH] = { 8, 2, 1e-9, "" },
    [PRISM_STAGE_COLUMN_BANDWIDTH_PART] = { 4, 0, 1e2, " %" },
    [PRISM_STAGE_COLUMN_RATE] = { 8, 2, 1e-9, "" },
    [PRISM_STAGE_COLUMN_RATE_PART] = { 4, 0, 1e2, " %" },
  };
  const double value = prism_trace_summary_get_value (summary, stage, column);

  if (column >= PRISM_STAGE_COLUMN_ARRAYS_MOST)
    g_string_append_printf (text, column == PRISM_STAGE_COLUMN_DEVICE_MOST ? " %11s" : " %10s",
                            isnan (value) ? "-" : prism_digits ("%.2f", value / MEBIBYTE));
  else if (isnan (value))
    g_string_append_printf (text, " %*s", shown[column].width + (int) strlen (shown[column].unit),
                            "-");
  else
    g_string_append_printf (text, " %*.*f%s", shown[column].width, shown[column].digits,
                            value * shown[column].factor, shown[column].unit);
}

/* What the counters of memory were while a stage was under way; profiles of before have none. */
static void
append_memory (GString *text,
               const PrismTraceSummary *summary,
               const PrismStage *order,
               guint n)
{
  if (n == 0 || isnan (summary->stages[order[0]].memory[PRISM_TRACE_MEMORY_ARRAYS].last))
    return;
  g_string_append_printf (text, "\n%-13s %10s %10s %10s %11s %10s %10s\n", "MiB", "most", "start",
                          "end", "device most", "start", "end");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%-13s", prism_stage_get_id (order[i]));
      for (int k = PRISM_STAGE_COLUMN_ARRAYS_MOST; k < PRISM_N_STAGE_COLUMNS; k++)
        append_value (text, summary, order[i], k);
      g_string_append_c (text, '\n');
    }
}

/* What a thread did with its time, from its first span to its last. */
static void
append_thread (GString *text,
               const PrismTraceThread *thread)
{
  PrismTraceSummary summary;
  PrismStage order[PRISM_N_STAGES];
  guint n, first = 0;

  prism_trace_summary_init_thread (&summary, thread);
  n = prism_trace_summary_sort (&summary, order);
  while (first < n && order[first] == PRISM_STAGE_WAIT)
    first++;
  g_string_append_printf (text, "%-13s %8u %10.4f %10.4f %7.1f %%  %s\n", thread->name,
                          thread->spans->len, summary.busy, summary.stages[PRISM_STAGE_WAIT].self,
                          100 * prism_trace_get_coverage (thread),
                          first < n ? prism_stage_get_id (order[first]) : "-");
}

static void
append_roof (GString *text,
             const PrismRoof *roof)
{
  const double last = 1e-9 * roof->bandwidths[PRISM_ROOF_LAST], first = 1e-9 * *roof->bandwidths;

  if (first > 0.0)
    g_string_append_printf (text,
                            "This machine: %.1f GB/s copied in its memory, %.1f in its caches;"
                            " %.1f GFLOP/s.\n",
                            last, first, 1e-9 * roof->rate);
  else if (last > 0.0)
    g_string_append_printf (text, "This machine: %.1f GB/s copied, %.1f GFLOP/s.\n", last,
                            1e-9 * roof->rate);
}

/**
 * prism_trace_dup_text:
 * @trace: a profile
 *
 * Returns: (transfer full): a table of its stages, those first that take longest
 */
char *
prism_trace_dup_text (const PrismTrace *trace)
{
  GString *text = g_string_new (NULL);
  g_autofree char *advice = prism_trace_dup_advice (trace);
  g_autofree char *memory = prism_trace_dup_memory (trace);
  PrismTraceSummary summary;
  PrismStage order[PRISM_N_STAGES];
  guint n;
  static const PrismStageColumn columns[] = {
    PRISM_STAGE_COLUMN_CALLS,
    PRISM_STAGE_COLUMN_TOTAL,
    PRISM_STAGE_COLUMN_SELF,
    PRISM_STAGE_COLUMN_PART,
    PRISM_STAGE_COLUMN_MEDIAN,
    PRISM_STAGE_COLUMN_P99,
    PRISM_STAGE_COLUMN_BANDWIDTH,
    PRISM_STAGE_COLUMN_BANDWIDTH_PART,
    PRISM_STAGE_COLUMN_RATE,
    PRISM_STAGE_COLUMN_RATE_PART,
  };

  prism_trace_summary_init (&summary, trace);
  n = prism_trace_summary_sort (&summary, order);
  g_string_append_printf (text,
                          "%-13s %8s %10s %10s %7s %10s %10s %8s %6s %8s %6s\n", "stage", "calls",
                          "total s", "self s", "part", "median ms", "p99 ms", "GB/s", "roof",
                          "GFLOP/s", "roof");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%-13s", prism_stage_get_id (order[i]));
      PRISM_FOR_EACH_OF (column, columns)
        append_value (text, &summary, order[i], *column);
      g_string_append_c (text, '\n');
    }
  append_memory (text, &summary, order, n);
  g_string_append_printf (text, "\n%-13s %8s %10s %10s %9s  %s\n", "thread", "spans", "busy s",
                          "waits s", "covered", "most in");
  PRISM_FOR_EACH_POINTER (const PrismTraceThread, thread, trace->threads)
    append_thread (text, thread);
  g_string_append_c (text, '\n');
  append_roof (text, &trace->roof);
  if (memory != NULL)
    g_string_append_printf (text, "%s\n", memory);
  g_string_append_printf (text, "%.3f s in all; the profile itself took %.3f %% of them.\n%s\n",
                          trace->seconds, 100 * prism_trace_get_overhead (trace), advice);
  return g_string_free (text, FALSE);
}

/**
 * prism_trace_dup_differences:
 * @before: a profile
 * @after: another one
 *
 * Returns: (transfer full): a table of both, and a sentence that names what became slower most
 */
char *
prism_trace_dup_differences (const PrismTrace *before,
                             const PrismTrace *after)
{
  GString *text = g_string_new (NULL);
  PrismTraceSummary a, b;
  int slower;

  prism_trace_summary_init (&a, before);
  prism_trace_summary_init (&b, after);
  slower = prism_trace_summary_find_slower (&a, &b);
  g_string_append_printf (text, "%-13s %10s %10s %10s %8s\n", "stage", "A self s", "B self s",
                          "B - A s", "B / A");
  for (int stage = 0; stage < PRISM_N_STAGES; stage++)
    {
      double x = a.stages[stage].self, y = b.stages[stage].self;

      if (a.stages[stage].n_calls + b.stages[stage].n_calls == 0)
        continue;
      g_string_append_printf (text, "%-13s %10.4f %10.4f %+10.4f", prism_stage_get_id (stage), x,
                              y, y - x);
      if (x > 0.0)
        g_string_append_printf (text, " %8.2f\n", y / x);
      else
        g_string_append_printf (text, " %8s\n", "-");
    }
  if (slower >= 0)
    g_string_append_printf (text, "What became slower most is %s, by %.4f s.\n",
                            prism_stage_get_id (slower),
                            b.stages[slower].self - a.stages[slower].self);
  else
    g_string_append (text, "Nothing became slower.\n");
  return g_string_free (text, FALSE);
}
