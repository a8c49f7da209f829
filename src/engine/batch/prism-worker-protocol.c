#include "config.h"

#include "batch/prism-worker-protocol.h"

#define ORDER "(uaay)"
#define ANSWER "(uiay)"

/* GVariant's text has no end of line and keeps names that are no UTF-8. */
static char *
dup_line (GVariant *value)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (value);

  return g_variant_print (owned, TRUE);
}

static GVariant *
read_line (const char *line,
           const char *type)
{
  return g_variant_parse (G_VARIANT_TYPE (type), line, NULL, NULL, NULL);
}

/**
 * prism_worker_protocol_dup_order:
 * @item: number of a run
 * @command: (array zero-terminated=1): “prism-cli”, “run” and its options
 *
 * Returns: (transfer full): what a crew is told, without the end of the line
 */
char *
prism_worker_protocol_dup_order (guint item,
                                 char **command)
{
  return dup_line (g_variant_new ("(u^aay)", (guint32) item, command));
}

/**
 * prism_worker_protocol_read_order:
 * @line: of prism_worker_protocol_dup_order()
 * @item: (out): number of the run
 * @command: (out) (transfer full): its command
 *
 * Returns: whether it is an order
 */
gboolean
prism_worker_protocol_read_order (const char *line,
                                  guint *item,
                                  char ***command)
{
  g_autoptr (GVariant) value = read_line (line, ORDER);
  guint32 number;

  if (value == NULL)
    return FALSE;
  g_variant_get (value, "(u^aay)", &number, command);
  *item = number;
  return TRUE;
}

/**
 * prism_worker_protocol_dup_answer:
 * @item: number of a run
 * @status: with which “prism-cli run” would have ended
 * @message: what it would have said last, "" for nothing
 *
 * Returns: (transfer full): what a crew answers, without the end of the line
 */
char *
prism_worker_protocol_dup_answer (guint item,
                                  int status,
                                  const char *message)
{
  return dup_line (g_variant_new ("(ui^ay)", (guint32) item, (gint32) status, message));
}

/**
 * prism_worker_protocol_read_answer:
 * @line: of prism_worker_protocol_dup_answer()
 * @item: (out): number of the run
 * @status: (out): how it has ended
 * @message: (out) (transfer full): what it said last
 *
 * Returns: whether it is an answer
 */
gboolean
prism_worker_protocol_read_answer (const char *line,
                                   guint *item,
                                   int *status,
                                   char **message)
{
  g_autoptr (GVariant) value = read_line (line, ANSWER);
  guint32 number;
  gint32 code;

  if (value == NULL)
    return FALSE;
  g_variant_get (value, "(ui^ay)", &number, &code, message);
  *item = number;
  *status = code;
  return TRUE;
}
