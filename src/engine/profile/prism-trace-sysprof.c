#include "config.h"

#include "profile/prism-trace.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <unistd.h>

/* A capture for Sysprof: marks, of which the thread is the group, and counters. */

#ifdef HAVE_SYSPROF
#include <sysprof-capture.h>

#define ANY_CPU (-1)

static bool
add_marks (SysprofCaptureWriter *writer,
           gint64 start,
           const PrismTraceThread *thread)
{
  bool ok = true;

  for (guint i = 0; ok && i < thread->spans->len; i++)
    {
      const PrismSpan *span = &g_array_index (thread->spans, PrismSpan, i);
      g_autofree char *message = g_strdup_printf (
          "count %" G_GUINT64_FORMAT ", bytes %" G_GUINT64_FORMAT ", operations %.0f", span->count,
          span->bytes, span->value);

      ok = sysprof_capture_writer_add_mark (writer, start + span->begin, ANY_CPU, getpid (),
                                            (guint64) (span->end - span->begin), thread->name,
                                            prism_stage_get_id (span->kind), message);
    }
  return ok;
}

static bool
add_counters (SysprofCaptureWriter *writer,
              gint64 start,
              const PrismTrace *trace)
{
  SysprofCaptureCounter counters[PRISM_N_COUNTERS] = { 0 };
  guint first = sysprof_capture_writer_request_counter (writer, PRISM_N_COUNTERS);
  bool ok;

  for (guint i = 0; i < PRISM_N_COUNTERS; i++)
    {
      g_strlcpy (counters[i].category, "PRISM Studio", sizeof counters[i].category);
      g_strlcpy (counters[i].name, prism_counter_get_id (i), sizeof counters[i].name);
      counters[i].id = first + i;
      counters[i].type = SYSPROF_CAPTURE_COUNTER_DOUBLE;
    }
  ok = sysprof_capture_writer_define_counters (writer, start, ANY_CPU, getpid (), counters,
                                               PRISM_N_COUNTERS);
  for (guint i = 0; ok && i < trace->samples->len; i++)
    {
      const PrismSpan *sample = &g_array_index (trace->samples, PrismSpan, i);
      const SysprofCaptureCounterValue value = { .vdbl = sample->value };
      const unsigned int id = first + sample->kind - PRISM_N_STAGES;

      ok = sysprof_capture_writer_set_counters (writer, start + sample->begin, ANY_CPU, getpid (),
                                                &id, &value, 1);
    }
  return ok;
}

static bool
write_all (const PrismTrace *trace,
           const char *path)
{
  SysprofCaptureWriter *writer = sysprof_capture_writer_new (path, 0);
  gint64 start = SYSPROF_CAPTURE_CURRENT_TIME;
  bool ok = writer != NULL
            && sysprof_capture_writer_add_process (writer, start, ANY_CPU, getpid (),
                                                   "PRISM Studio");

  for (guint i = 0; ok && i < trace->threads->len; i++)
    ok = add_marks (writer, start, trace->threads->pdata[i]);
  ok = ok && add_counters (writer, start, trace) && sysprof_capture_writer_flush (writer);
  g_clear_pointer (&writer, sysprof_capture_writer_unref);
  return ok;
}
#endif

/**
 * prism_trace_check_sysprof:
 * @path: where a capture is to go
 * @error: return location
 *
 * Errors: PRISM_ERROR_CONFIG where the program was built without the library.
 *
 * Returns: whether prism_trace_save_sysprof() can write captures
 */
gboolean
prism_trace_check_sysprof (const char *path,
                           GError **error)
{
#ifdef HAVE_SYSPROF
  return TRUE;
#else
  g_autofree char *shown = g_filename_display_name (path);

  g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
               "“%s” cannot be saved for Sysprof, because the program was built without"
               " libsysprof-capture: end it with .prismprof or .json.",
               shown);
  return FALSE;
#endif
}

/**
 * prism_trace_save_sysprof:
 * @self: a trace
 * @path: .syscap
 * @error: return location
 *
 * Saves a capture that Sysprof opens. Times are held against the moment of saving.
 *
 * Errors: PRISM_ERROR_CONFIG where the program was built without the library, PRISM_ERROR_IO.
 *
 * Returns: whether it is written
 */
gboolean
prism_trace_save_sysprof (const PrismTrace *self,
                          const char *path,
                          GError **error)
{
#ifdef HAVE_SYSPROF
  g_autofree char *temporary = prism_file_dup_temporary (path, error);
  g_autofree char *shown = prism_file_dup_display_name (path);

  if (temporary == NULL)
    return FALSE;
  if (write_all (self, temporary))
    return prism_file_commit (temporary, path, error);
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO, "“%s” could not be written: %s.", shown,
               g_strerror (errno));
  g_unlink (temporary);
  return FALSE;
#else
  return prism_trace_check_sysprof (path, error);
#endif
}
