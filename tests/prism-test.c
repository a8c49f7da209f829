#include "prism-test.h"

static PrismTestList *first;
static PrismTestList **last = &first;

/* Called by constructors, before main(). */
void
prism_test_list (PrismTestList *list)
{
  *last = list;
  last = &list->next;
}

int
prism_test_run (void)
{
  for (PrismTestList *list = first; list != NULL; list = list->next)
    list->add ();
  return g_test_run ();
}

void
prism_test_parts (const char *text,
                  gboolean has,
                  const char *const *parts)
{
  g_assert_nonnull (text);
  for (; *parts != NULL; parts++)
    if ((strstr (text, *parts) != NULL) != has)
      g_error ("“%s” is%s in “%.2000s”", *parts, has ? " not" : "", text);
}

/* format: of a path, with one %d. */
void
prism_test_numbers (const char *format,
                    const int *numbers,
                    gsize n,
                    GTestDataFunc func)
{
  for (gsize i = 0; i < n; i++)
    {
      g_auto (GStrv) parts = g_strsplit (format, "%d", 2);
      g_autofree char *path = g_strdup_printf ("%s%d%s", parts[0], numbers[i], parts[1]);

      g_test_add_data_func (path, GINT_TO_POINTER (numbers[i]), func);
    }
}

/* The name of a row is its first member. */
void
prism_test_rows (const char *path,
                 gconstpointer rows,
                 gsize size,
                 gsize n,
                 GTestDataFunc func)
{
  for (gsize i = 0; i < n; i++)
    {
      const char *const *row = (gconstpointer) ((const char *) rows + i * size);
      g_autofree char *whole = g_strdup_printf ("%s/%s", path, *row);

      g_test_add_data_func (whole, row, func);
    }
}
