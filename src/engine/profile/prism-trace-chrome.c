#include "config.h"

#include "profile/prism-trace.h"

#include "base/prism-json.h"

/* Chrome's trace event format, which Perfetto and about:tracing open: complete events (“X”) in µs,
 * counters (“C”), names of threads (“M”). */

#define PROCESS 1

static void
append_number (GString *text,
               const char *name,
               double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "\"%s\":%s", name,
                          g_ascii_formatd (digits, sizeof digits, "%.17g", value));
}

static void
append_time (GString *text,
             const char *name,
             gint64 ns)
{
  g_string_append_printf (text, ",\"%s\":%" G_GINT64_FORMAT ".%03d", name, ns / 1000,
                          (int) (ns % 1000));
}

static void
append_span (GString *text,
             guint thread,
             const PrismSpan *span)
{
  g_string_append_printf (text,
                          ",\n{\"ph\":\"X\",\"cat\":\"prism\",\"pid\":%d,\"tid\":%u,"
                          "\"name\":\"%s\"",
                          PROCESS, thread, prism_stage_get_id (span->kind));
  append_time (text, "ts", span->begin);
  append_time (text, "dur", span->end - span->begin);
  g_string_append_printf (text,
                          ",\"args\":{\"count\":%" G_GUINT64_FORMAT
                          ",\"bytes\":%" G_GUINT64_FORMAT ",",
                          span->count, span->bytes);
  append_number (text, "operations", span->value);
  g_string_append (text, "}}");
}

static void
append_sample (GString *text,
               const PrismSpan *sample)
{
  g_string_append_printf (text, ",\n{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\"", PROCESS,
                          prism_counter_get_id (sample->kind - PRISM_N_STAGES));
  append_time (text, "ts", sample->begin);
  g_string_append (text, ",\"args\":{");
  append_number (text, "value", sample->value);
  g_string_append (text, "}}");
}

/**
 * prism_trace_dup_chrome:
 * @self: a trace
 *
 * Returns: (transfer full): it as trace events, in JSON
 */
char *
prism_trace_dup_chrome (const PrismTrace *self)
{
  GString *text = g_string_new ("{\"displayTimeUnit\":\"ms\",\"otherData\":{");

  append_number (text, "seconds", self->seconds);
  g_string_append_c (text, ',');
  append_number (text, "overhead", prism_trace_get_overhead (self));
  g_string_append_printf (text, "},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":%d,"
                                "\"name\":\"process_name\",\"args\":{\"name\":\"PRISM Studio\"}}",
                          PROCESS);
  for (guint i = 0; i < self->threads->len; i++)
    {
      const PrismTraceThread *thread = self->threads->pdata[i];
      g_autofree char *name = prism_json_dup_quoted (thread->name);

      g_string_append_printf (text, ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,"
                                    "\"name\":\"thread_name\",\"args\":{\"name\":%s}}",
                              PROCESS, i + 1, name);
      for (guint k = 0; k < thread->spans->len; k++)
        append_span (text, i + 1, &g_array_index (thread->spans, PrismSpan, k));
    }
  for (guint k = 0; k < self->samples->len; k++)
    append_sample (text, &g_array_index (self->samples, PrismSpan, k));
  g_string_append (text, "\n]}\n");
  return g_string_free (text, FALSE);
}
