#include "config.h"

#include "base/prism-text.h"
#include "profile/prism-trace.h"

#include <string.h>
#include <unistd.h>

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

/* A capture for Sysprof, of version 1 of its format: frames one after the other, each a multiple of
 * 8 bytes, numbers with the lowest byte first, texts padded with zeros. Spans are marks, of which
 * the thread is the group.
 *
 * Source: sysprof-capture-types.h of Sysprof. */

#define MAGIC 0xfdca975eu
#define VERSION 1
#define LITTLE_ENDIAN_FLAG 1
#define ANY_CPU 0xffffu
#define FRAME_PROCESS 4
#define FRAME_DEFINE_COUNTERS 8
#define FRAME_SET_COUNTERS 9
#define FRAME_MARK 10
#define COUNTER_DOUBLE (1u << 24) /* above an id of 24 bits */
#define VALUES_OF_SET 8
#define ALIGNMENT 8

static void
append_number_sysprof (GString *bytes,
                       guint64 value,
                       guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    g_string_append_c (bytes, (char) (value >> (8 * i)));
}

static void
append_double (GString *bytes,
               double value)
{
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  append_number_sysprof (bytes, bits, sizeof bits);
}

static void
append_zeros (GString *bytes,
              gsize n)
{
  while (n-- > 0)
    g_string_append_c (bytes, '\0');
}

/* A text with a zero at its end, cut off where it is too long. */
static void
append_text (GString *bytes,
             const char *text,
             gsize n_bytes)
{
  const gsize length = MIN (strlen (text), n_bytes - 1);

  g_string_append_len (bytes, text, (gssize) length);
  append_zeros (bytes, n_bytes - length);
}

/* Returns: where the frame begins, for end_frame() */
static gsize
begin_frame (GString *bytes,
             guint type,
             gint64 time)
{
  const gsize begin = bytes->len;

  append_number_sysprof (bytes, 0, 2);
  append_number_sysprof (bytes, ANY_CPU, 2);
  append_number_sysprof (bytes, (guint64) getpid (), 4);
  append_number_sysprof (bytes, (guint64) time, 8);
  append_number_sysprof (bytes, type, 8);
  return begin;
}

static void
end_frame (GString *bytes,
           gsize begin)
{
  gsize length;

  append_zeros (bytes, (ALIGNMENT - bytes->len % ALIGNMENT) % ALIGNMENT);
  length = bytes->len - begin;
  bytes->str[begin] = (char) length;
  bytes->str[begin + 1] = (char) (length >> 8);
}

static void
append_header (GString *bytes,
               gint64 start,
               double seconds)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *text = g_date_time_format_iso8601 (now);

  append_number_sysprof (bytes, MAGIC, 4);
  append_number_sysprof (bytes, VERSION, 1);
  append_number_sysprof (bytes, LITTLE_ENDIAN_FLAG, 3);
  append_text (bytes, text, 64);
  append_number_sysprof (bytes, (guint64) start, 8);
  append_number_sysprof (bytes, (guint64) (start + (gint64) (1e9 * seconds)), 8);
  append_zeros (bytes, 168);
}

static void
append_process (GString *bytes,
                gint64 start)
{
  static const char name[] = "PRISM Studio";
  const gsize begin = begin_frame (bytes, FRAME_PROCESS, start);

  append_text (bytes, name, sizeof name);
  end_frame (bytes, begin);
}

static void
append_mark (GString *bytes,
             gint64 start,
             const char *thread,
             const PrismSpan *span)
{
  g_autofree char *message = g_strdup_printf (
      "count %" G_GUINT64_FORMAT ", bytes %" G_GUINT64_FORMAT ", operations %.0f", span->count,
      span->bytes, span->value);
  const gsize begin = begin_frame (bytes, FRAME_MARK, start + span->begin);

  append_number_sysprof (bytes, (guint64) (span->end - span->begin), 8);
  append_text (bytes, thread, 24);
  append_text (bytes, prism_stage_get_id (span->kind), 40);
  append_text (bytes, message, strlen (message) + 1);
  end_frame (bytes, begin);
}

static void
append_counters (GString *bytes,
                 gint64 start)
{
  const gsize begin = begin_frame (bytes, FRAME_DEFINE_COUNTERS, start);

  append_number_sysprof (bytes, PRISM_N_COUNTERS, 8);
  for (guint i = 0; i < PRISM_N_COUNTERS; i++)
    {
      append_text (bytes, "PRISM Studio", 32);
      append_text (bytes, prism_counter_get_id (i), 32);
      append_zeros (bytes, 52);
      append_number_sysprof (bytes, COUNTER_DOUBLE | (i + 1), 4);
      append_double (bytes, 0.0);
    }
  end_frame (bytes, begin);
}

/* The counter that stands now, in a set with room for more. */
static void
append_sample_sysprof (GString *bytes,
                       gint64 start,
                       const PrismSpan *sample)
{
  const gsize begin = begin_frame (bytes, FRAME_SET_COUNTERS, start + sample->begin);

  append_number_sysprof (bytes, 1, 8);
  append_number_sysprof (bytes, sample->kind - PRISM_N_STAGES + 1, 4);
  append_zeros (bytes, 4 * (VALUES_OF_SET - 1));
  append_double (bytes, sample->value);
  append_zeros (bytes, 8 * (VALUES_OF_SET - 1));
  end_frame (bytes, begin);
}

/**
 * prism_trace_dup_sysprof:
 * @self: a trace
 *
 * Times are held against this moment.
 *
 * Returns: (transfer full): a capture that Sysprof opens
 */
GBytes *
prism_trace_dup_sysprof (const PrismTrace *self)
{
  const gint64 start = g_get_monotonic_time () * 1000;
  GString *bytes = g_string_new (NULL);

  append_header (bytes, start, self->seconds);
  append_process (bytes, start);
  for (guint i = 0; i < self->threads->len; i++)
    {
      const PrismTraceThread *thread = self->threads->pdata[i];

      for (guint k = 0; k < thread->spans->len; k++)
        append_mark (bytes, start, thread->name, &g_array_index (thread->spans, PrismSpan, k));
    }
  append_counters (bytes, start);
  for (guint i = 0; i < self->samples->len; i++)
    append_sample_sysprof (bytes, start, &g_array_index (self->samples, PrismSpan, i));
  return g_string_free_to_bytes (bytes);
}
