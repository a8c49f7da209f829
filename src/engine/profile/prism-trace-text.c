#include "config.h"

#include "profile/prism-trace-counter.h"
#include "profile/prism-trace-summary.h"

#include <glib/gi18n-lib.h>

#define MOSTLY 0.3 /* of the time: a stage that is worth a sentence */
#define MOST_SENTENCES 2

/* What to think of where a stage takes most of the time. */
static const struct
{
  PrismStage stage;
  const char *advice;
} advices[] = {
  { PRISM_STAGE_PASS, N_ ("fewer passes or frames, or small frames for full ones, spare this") },
  { PRISM_STAGE_MEASURE, N_ ("measurements are taken rather than found in the cache") },
  { PRISM_STAGE_EXPOSE, N_ ("noise is drawn rather than found in the cache") },
  { PRISM_STAGE_FORWARD, N_ ("a smaller decoder spares this") },
  { PRISM_STAGE_BACKWARD, N_ ("a smaller decoder spares this") },
  { PRISM_STAGE_UPDATE, N_ ("a smaller decoder spares this") },
  { PRISM_STAGE_FIELDS, N_ ("apertures leave gaps, and more of them spare this") },
  { PRISM_STAGE_ALIGN, N_ ("apertures leave gaps, and more of them spare this") },
  { PRISM_STAGE_METRICS, N_ ("the image is held against the object more often than needed") },
  { PRISM_STAGE_OBJECT, N_ ("the object is drawn or read anew, and the run itself is short") },
  { PRISM_STAGE_RASTER, N_ ("many or large pictures are shown") },
  { PRISM_STAGE_DRAW, N_ ("many or large pictures are shown") },
  { PRISM_STAGE_EXPORT, N_ ("writing the result takes longer than finding it") },
  { PRISM_STAGE_TELESCOPE, N_ ("fewer terms a step, or small frames for full ones, spare this") },
  { PRISM_STAGE_PUBLISH, N_ ("pictures are shown more often than anybody can look at them") },
  { PRISM_STAGE_SAVE, N_ ("the disk is slow, or the run is saved too often") },
  { PRISM_STAGE_WORK, N_ ("most of the time is in no stage of its own") },
};

static char *
dup_sentence (PrismStage stage,
              double part)
{
  for (gsize i = 0; i < G_N_ELEMENTS (advices); i++)
    if (advices[i].stage == stage && part >= MOSTLY)
      return g_strdup_printf (_ ("“%s” takes %.0f %% of the work: %s."),
                              prism_stage_get_label (stage), 100 * part, _ (advices[i].advice));
  return g_strdup_printf (_ ("“%s” takes most of the work, %.0f %%."),
                          prism_stage_get_label (stage), 100 * part);
}

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

      if (order[i] == PRISM_STAGE_WAIT || (n_sentences > 0 && part < MOSTLY))
        continue;
      sentence = dup_sentence (order[i], part);
      g_string_append_printf (text, "%s%s", n_sentences++ > 0 ? " " : "", sentence);
    }
  if (n_sentences == 0)
    g_string_append (text, _ ("Nothing was done."));
  return g_string_free (text, FALSE);
}

static void
append_rate (GString *text,
             double amount,
             double seconds,
             double roof)
{
  double rate = seconds > 0.0 ? amount / seconds : 0.0;

  if (amount <= 0.0)
    g_string_append_printf (text, " %8s %6s", "-", "-");
  else if (roof <= 0.0)
    g_string_append_printf (text, " %8.2f %6s", 1e-9 * rate, "-");
  else
    g_string_append_printf (text, " %8.2f %4.0f %%", 1e-9 * rate, 100 * rate / roof);
}

static void
append_stage (GString *text,
              const PrismTrace *trace,
              const PrismTraceSummary *summary,
              PrismStage stage)
{
  const PrismStageSummary *row = &summary->stages[stage];

  g_string_append_printf (text, "%-13s %8u %10.4f %10.4f", prism_stage_get_id (stage),
                          row->n_calls, row->total, row->self);
  if (stage == PRISM_STAGE_WAIT || summary->busy <= 0.0)
    g_string_append_printf (text, " %7s", "-");
  else
    g_string_append_printf (text, " %5.1f %%", 100 * row->self / summary->busy);
  g_string_append_printf (text, " %10.4f %10.4f", 1e3 * row->median, 1e3 * row->p99);
  append_rate (text, (double) row->bytes, row->total, trace->roof.bandwidth);
  append_rate (text, row->operations, row->total, trace->roof.rate);
  g_string_append_c (text, '\n');
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

  prism_trace_summary_init (&summary, trace);
  n = prism_trace_summary_sort (&summary, order);
  g_string_append_printf (text,
                          "%-13s %8s %10s %10s %7s %10s %10s %8s %6s %8s %6s\n", "stage", "calls",
                          "total s", "self s", "part", "median ms", "p99 ms", "GB/s", "roof",
                          "GFLOP/s", "roof");
  for (guint i = 0; i < n; i++)
    append_stage (text, trace, &summary, order[i]);
  g_string_append_printf (text, "\n%-13s %8s %10s %10s %9s  %s\n", "thread", "spans", "busy s",
                          "waits s", "covered", "most in");
  for (guint i = 0; i < trace->threads->len; i++)
    append_thread (text, trace->threads->pdata[i]);
  g_string_append_c (text, '\n');
  if (trace->roof.bandwidth > 0.0)
    g_string_append_printf (text, "This machine: %.1f GB/s copied, %.1f GFLOP/s.\n",
                            1e-9 * trace->roof.bandwidth, 1e-9 * trace->roof.rate);
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
