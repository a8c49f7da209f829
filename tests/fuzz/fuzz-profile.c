#include "config.h"

#include "fuzz.h"
#include "profile/prism-trace-summary.h"

#include <json-glib/json-glib.h>
#include <string.h>

/* What is read is written and read again as the same, and can be shown in every way. */
static void
try_trace (const PrismTrace *trace)
{
  g_autofree char *written = prism_trace_dup_own (trace);
  g_autofree char *chrome = prism_trace_dup_chrome (trace);
  g_autofree char *text = prism_trace_dup_text (trace);
  g_autofree char *differences = prism_trace_dup_differences (trace, trace);
  g_autoptr (PrismTrace) again = prism_trace_read (written, strlen (written), "again", NULL);
  g_autoptr (JsonNode) root = json_from_string (chrome, NULL);

  g_assert_nonnull (again);
  g_autofree char *rewritten = prism_trace_dup_own (again);
  g_assert_cmpstr (written, ==, rewritten);
  g_assert_nonnull (root);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_null (strchr (text, '\x1b'));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t size)
{
  g_autoptr (PrismTrace) trace = prism_trace_read ((const char *) data, size, "fuzz", NULL);

  if (trace != NULL)
    try_trace (trace);
  return 0;
}
