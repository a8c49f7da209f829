#include "config.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "base/prism-text.h"
#include "profile/prism-trace.h"

/* The ending says the format: .json and .syscap are for viewers, .prismprof is read again. There a
 * span is a row [stage, begin, duration, count, bytes, operations], a sample [counter, time,
 * value]. */

#define FORMAT "prism-profile"
#define VERSION 2 /* 1 has no workers, and the bandwidth of one set */
#define MAX_BYTES (G_GUINT64_CONSTANT (512) << 20)
#define MOST_WORKERS 1e6
#define MOST 9e18 /* ns and bytes; below 2^63 */

static gboolean
is_own (const char *path)
{
  return g_str_has_suffix (path, PRISM_TRACE_SUFFIX);
}

static gboolean
is_capture (const char *path)
{
  return g_str_has_suffix (path, ".syscap");
}

/**
 * prism_trace_check_path:
 * @path: where a trace is to go
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG where the ending says no format.
 *
 * Returns: whether prism_trace_save() knows the format
 */
gboolean
prism_trace_check_path (const char *path,
                        GError **error)
{
  if (is_own (path) || is_capture (path) || g_str_has_suffix (path, ".json"))
    return TRUE;
  return prism_error_config (
      error,
      "“%s” names no format of a profile: end it with .prismprof for “prism-cli profile”,"
      " with .json for Perfetto or with .syscap for Sysprof.",
      path);
}

static void
append_double (GString *text,
               const char *before,
               double value)
{
  g_string_append_printf (text, "%s%s", before, prism_digits ("%.17g", value));
}

/* Of spans name, begin, length, count, bytes and value; of samples name, moment and value. */
static void
append_rows (GString *text,
             const GArray *spans)
{
  for (guint i = 0; i < spans->len; i++)
    {
      const PrismSpan *span = &g_array_index (spans, PrismSpan, i);

      g_string_append_printf (text, "%s[\"%s\",%" G_GINT64_FORMAT, i > 0 ? ",\n" : "\n",
                              prism_stage_get_id (span->kind), span->begin);
      if (span->kind < PRISM_N_STAGES)
        g_string_append_printf (text,
                                ",%" G_GINT64_FORMAT ",%" G_GUINT64_FORMAT ",%" G_GUINT64_FORMAT,
                                span->end - span->begin, span->count, span->bytes);
      append_double (text, ",", span->value);
      g_string_append_c (text, ']');
    }
}

static void
append_thread (GString *text,
               const PrismTraceThread *thread)
{
  g_autofree char *name = prism_json_dup_quoted (thread->name);

  g_string_append_printf (text,
                          "{\"name\":%s,\"worker\":%u,\"lost\":%" G_GUINT64_FORMAT
                          ",\"spans\":[",
                          name, thread->worker, thread->n_lost);
  append_rows (text, thread->spans);
  g_string_append (text, "]}");
}

/**
 * prism_trace_dup_own:
 * @self: a trace
 *
 * Returns: (transfer full): it as prism_trace_read() reads it, in JSON
 */
char *
prism_trace_dup_own (const PrismTrace *self)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "{\"format\":\"%s\",\"version\":%d", FORMAT, VERSION);
  append_double (text, ",\"seconds\":", self->seconds);
  append_double (text, ",\"span_cost\":", self->span_cost);
  append_double (text, ",\"bandwidth\":", self->roof.bandwidths[PRISM_ROOF_LAST]);
  for (guint i = 0; i < PRISM_ROOF_N_SETS; i++)
    append_double (text, i == 0 ? ",\"bandwidths\":[" : ",", self->roof.bandwidths[i]);
  append_double (text, "],\"rate\":", self->roof.rate);
  g_string_append (text, ",\n\"threads\":[");
  for (guint i = 0; i < self->threads->len; i++)
    {
      g_string_append (text, i > 0 ? ",\n" : "\n");
      append_thread (text, self->threads->pdata[i]);
    }
  g_string_append (text, "],\n\"samples\":[");
  append_rows (text, self->samples);
  g_string_append (text, "]}\n");
  return g_string_free (text, FALSE);
}

/**
 * prism_trace_save:
 * @self: a trace
 * @path: .prismprof, .json or .syscap
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG for another ending, PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_trace_save (const PrismTrace *self,
                  const char *path,
                  GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  gsize length;

  if (!prism_trace_check_path (path, error))
    return FALSE;
  if (is_capture (path))
    bytes = prism_trace_dup_sysprof (self);
  else
    {
      char *text = is_own (path) ? prism_trace_dup_own (self) : prism_trace_dup_chrome (self);

      bytes = g_bytes_new_take (text, strlen (text));
    }
  data = g_bytes_get_data (bytes, &length);
  return prism_file_save (path, data, length, error);
}

/* A number of an object's or a list's member, FALSE where it is none or out of range. */
static gboolean
read_number (JsonNode *node,
             double *value)
{
  *value = prism_json_to_number (node);
  return *value >= 0.0 && *value < MOST;
}

/* The name at the head of a row and the numbers behind it. */
static const char *
read_row (JsonNode *node,
          double *values,
          guint n_values)
{
  JsonArray *row = prism_json_to_list (node);

  if (row == NULL || json_array_get_length (row) != n_values + 1
      || prism_json_to_text (json_array_get_element (row, 0)) == NULL)
    return NULL;
  for (guint i = 0; i < n_values; i++)
    if (!read_number (json_array_get_element (row, i + 1), &values[i]))
      return NULL;
  return json_array_get_string_element (row, 0);
}

/* thread: (nullable): whose spans they are; else they are samples: a moment and a value. */
static gboolean
read_rows (PrismTrace *self,
           PrismTraceThread *thread,
           JsonArray *rows)
{
  const gboolean of_stages = thread != NULL;
  const guint n = of_stages ? 5 : 2;

  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      double values[5] = { 0 };
      const char *id = read_row (json_array_get_element (rows, i), values, n);
      const int kind = id != NULL ? prism_stage_find (id) : -1;
      const double length = of_stages ? values[1] : 0.0;

      if (kind < 0 || (kind < PRISM_N_STAGES) != of_stages || values[0] + length >= MOST)
        return FALSE;
      prism_trace_add_span (self, thread,
                            &(const PrismSpan) {
                                .kind = (guint) kind,
                                .begin = (gint64) values[0],
                                .end = (gint64) values[0] + (gint64) length,
                                .count = (guint64) values[2],
                                .bytes = (guint64) values[3],
                                .value = values[n - 1],
                            });
    }
  return TRUE;
}

static gboolean
read_threads (PrismTrace *self,
              JsonArray *threads)
{
  for (guint i = 0; i < json_array_get_length (threads); i++)
    {
      JsonNode *node = json_array_get_element (threads, i);
      JsonObject *object = prism_json_to_object (node);
      JsonArray *rows = prism_json_to_list (prism_json_find (object, "spans"));
      const char *name = prism_json_get_text (object, "name");
      g_autofree char *shown = NULL;
      PrismTraceThread *thread;
      double n_lost, worker = 0.0;

      if (rows == NULL || name == NULL || !read_number (prism_json_find (object, "lost"), &n_lost)
          || (json_object_has_member (object, "worker")
              && (!read_number (prism_json_find (object, "worker"), &worker)
                  || worker > MOST_WORKERS)))
        return FALSE;
      shown = prism_printable_dup (name);
      thread = prism_trace_add_thread (self, shown);
      thread->n_lost = (guint64) n_lost;
      thread->worker = (guint) worker;
      if (!read_rows (self, thread, rows))
        return FALSE;
    }
  return TRUE;
}

/* Version 1 has the bandwidth of the last set alone. */
static gboolean
read_roof (PrismRoof *roof,
           JsonObject *object)
{
  JsonArray *values = prism_json_to_list (prism_json_find (object, "bandwidths"));

  if (!read_number (prism_json_find (object, "bandwidth"), &roof->bandwidths[PRISM_ROOF_LAST])
      || !read_number (prism_json_find (object, "rate"), &roof->rate)
      || (values != NULL && json_array_get_length (values) != PRISM_ROOF_N_SETS))
    return FALSE;
  for (guint i = 0; values != NULL && i < PRISM_ROOF_N_SETS; i++)
    if (!read_number (json_array_get_element (values, i), &roof->bandwidths[i]))
      return FALSE;
  return TRUE;
}

static gboolean
read_trace (PrismTrace *self,
            JsonObject *object)
{
  const char *format = prism_json_get_text (object, "format");
  JsonArray *threads = prism_json_to_list (prism_json_find (object, "threads")),
            *samples = prism_json_to_list (prism_json_find (object, "samples"));
  double version;

  return g_strcmp0 (format, FORMAT) == 0
         && read_number (prism_json_find (object, "version"), &version) && version >= 1
         && version <= VERSION && read_number (prism_json_find (object, "seconds"), &self->seconds)
         && read_number (prism_json_find (object, "span_cost"), &self->span_cost)
         && read_roof (&self->roof, object) && threads != NULL && samples != NULL
         && read_threads (self, threads) && read_rows (self, NULL, samples);
}

/**
 * prism_trace_read:
 * @text: any bytes
 * @length: how many
 * @shown: what a sentence calls them
 * @error: return location
 *
 * Reads what prism_trace_save() has written under .prismprof.
 *
 * Errors: PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the trace
 */
PrismTrace *
prism_trace_read (const char *text,
                  gsize length,
                  const char *shown,
                  GError **error)
{
  g_autoptr (PrismTrace) self = prism_trace_new ();
  g_autoptr (JsonNode) root = prism_json_parse_object (text, length);

  if (root != NULL && json_object_has_member (json_node_get_object (root), "traceEvents"))
    {
      prism_error_format (
          error,
          _ ("“%s” is a trace for viewers: open it at ui.perfetto.dev or about:tracing;"
             " read here are profiles of “prism-cli run --profile FILE.prismprof”."),
          shown);
      return NULL;
    }
  if (root == NULL || !read_trace (self, json_node_get_object (root)))
    {
      prism_error_format (error, _ ("“%s” is not a whole profile of this version: make one with"
                                    " “prism-cli run --profile FILE.prismprof”."),
                          shown);
      return NULL;
    }
  prism_trace_sort (self);
  return g_steal_pointer (&self);
}

/**
 * prism_trace_load:
 * @path: a file, whatever it is
 * @error: return location
 *
 * Reads what prism_trace_save() has written under .prismprof.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the trace
 */
PrismTrace *
prism_trace_load (const char *path,
                  GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_BYTES, error);
  const char *text;
  gsize length;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  return prism_trace_read (text, length, path, error);
}

/* Chrome's trace event format, which Perfetto and about:tracing open: complete events (“X”) in µs,
 * counters (“C”), names of threads (“M”). */

#define PROCESS 1

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
  append_double (text, "\"operations\":", span->value);
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

  append_double (text, "\"seconds\":", self->seconds);
  g_string_append_c (text, ',');
  append_double (text, "\"overhead\":", prism_trace_get_overhead (self));
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
      PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
        append_span (text, i + 1, span);
    }
  PRISM_FOR_EACH (const PrismSpan, sample, self->samples)
    {
      g_string_append_printf (text, ",\n{\"ph\":\"C\",\"pid\":%d,\"name\":\"%s\"", PROCESS,
                              prism_stage_get_id (sample->kind));
      append_time (text, "ts", sample->begin);
      g_string_append (text, ",\"args\":{");
      append_double (text, "\"value\":", sample->value);
      g_string_append (text, "}}");
    }
  g_string_append (text, "\n]}\n");
  return g_string_free (text, FALSE);
}

/* A capture for Sysprof, of version 1 of its format: frames one after the other, each a multiple of
 * 8 bytes, numbers with the lowest byte first, texts padded with zeros. Spans are marks, of which
 * the thread is the group.
 *
 * Source: sysprof-capture-types.h of Sysprof. */

#define NAME "PRISM Studio"
#define MAGIC 0xfdca975eu
#define CHROME_VERSION 1
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
append_bits (GString *bytes,
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
  gsize begin;
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *text = g_date_time_format_iso8601 (now);

  append_number_sysprof (bytes, MAGIC, 4);
  append_number_sysprof (bytes, CHROME_VERSION, 1);
  append_number_sysprof (bytes, LITTLE_ENDIAN_FLAG, 3);
  append_text (bytes, text, 64);
  append_number_sysprof (bytes, (guint64) start, 8);
  append_number_sysprof (bytes, (guint64) (start + (gint64) (1e9 * self->seconds)), 8);
  append_zeros (bytes, 168);
  begin = begin_frame (bytes, FRAME_PROCESS, start);
  append_text (bytes, NAME, sizeof NAME);
  end_frame (bytes, begin);
  PRISM_FOR_EACH_POINTER (const PrismTraceThread, thread, self->threads)
    {
      PRISM_FOR_EACH (const PrismSpan, span, thread->spans)
        {
          g_autofree char *message = g_strdup_printf (
              "count %" G_GUINT64_FORMAT ", bytes %" G_GUINT64_FORMAT ", operations %.0f",
              span->count, span->bytes, span->value);

          begin = begin_frame (bytes, FRAME_MARK, start + span->begin);
          append_number_sysprof (bytes, (guint64) (span->end - span->begin), 8);
          append_text (bytes, thread->name, 24);
          append_text (bytes, prism_stage_get_id (span->kind), 40);
          append_text (bytes, message, strlen (message) + 1);
          end_frame (bytes, begin);
        }
    }
  begin = begin_frame (bytes, FRAME_DEFINE_COUNTERS, start);
  append_number_sysprof (bytes, PRISM_N_COUNTERS, 8);
  for (guint i = 0; i < PRISM_N_COUNTERS; i++)
    {
      append_text (bytes, NAME, 32);
      append_text (bytes, prism_stage_get_id (PRISM_N_STAGES + i), 32);
      append_zeros (bytes, 52);
      append_number_sysprof (bytes, COUNTER_DOUBLE | (i + 1), 4);
      append_bits (bytes, 0.0);
    }
  end_frame (bytes, begin);
  PRISM_FOR_EACH (const PrismSpan, sample, self->samples)
    {
      /* The counter that stands now, in a set with room for more. */
      begin = begin_frame (bytes, FRAME_SET_COUNTERS, start + sample->begin);
      append_number_sysprof (bytes, 1, 8);
      append_number_sysprof (bytes, sample->kind - PRISM_N_STAGES + 1, 4);
      append_zeros (bytes, 4 * (VALUES_OF_SET - 1));
      append_bits (bytes, sample->value);
      append_zeros (bytes, 8 * (VALUES_OF_SET - 1));
      end_frame (bytes, begin);
    }
  return g_string_free_to_bytes (bytes);
}
