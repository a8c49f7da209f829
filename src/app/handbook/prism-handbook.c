#include "config.h"

#include "handbook/prism-handbook.h"

#include "support/prism-wording.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER PRISM_RESOURCE_BASE "/handbook/"
#define ENDING ".md"

/* What is read first; the other pages follow by name. */
static const char *const first[] = { "why", "user-guide", "lessons" };

static void
section_free (gpointer data)
{
  PrismHandbookSection *self = data;

  g_free (self->title);
  g_free (self->anchor);
  g_free (self->text);
  g_free (self->folded);
  g_free (self);
}

/**
 * prism_handbook_dup_anchor:
 * @title: of a heading
 *
 * Returns: (transfer full): what links call it: lower case, dashes for blanks, no punctuation
 */
char *
prism_handbook_dup_anchor (const char *title)
{
  GString *anchor = g_string_new (NULL);
  g_autofree char *lower = g_utf8_strdown (title, -1);

  for (const char *p = lower; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar letter = g_utf8_get_char (p);

      if (g_unichar_isalnum (letter) || letter == '-' || letter == '_')
        g_string_append_unichar (anchor, letter);
      else if (letter == ' ')
        g_string_append_c (anchor, '-');
    }
  return g_string_free (anchor, FALSE);
}

static guint
get_level (const char *line)
{
  guint level = strspn (line, "#");

  return level > 0 && level <= 6 && line[level] == ' ' ? level : 0;
}

static void
finish (PrismHandbookSection *section,
        GString *text)
{
  g_autofree char *all = g_strconcat (section->title, "\n", text->str, NULL);

  section->text = g_strstrip (g_strdup (text->str));
  section->folded = g_utf8_casefold (all, -1);
  g_string_truncate (text, 0);
}

/* What looks like a heading among lines of code is none. */
static void
split_page (GPtrArray *sections,
            const char *page,
            const char *markdown)
{
  g_auto (GStrv) lines = g_strsplit (markdown, "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  PrismHandbookSection *section = NULL;
  gboolean code = FALSE;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint level = code ? 0 : get_level (lines[i]);

      if (g_str_has_prefix (lines[i], "```"))
        code = !code;
      if (level == 0)
        {
          g_string_append_printf (text, "%s\n", lines[i]);
          continue;
        }
      if (section != NULL)
        finish (section, text);
      section = g_new0 (PrismHandbookSection, 1);
      section->page = page;
      section->level = level;
      section->title = g_strstrip (g_strdup (lines[i] + level));
      section->anchor = prism_handbook_dup_anchor (section->title);
      g_ptr_array_add (sections, section);
      g_string_truncate (text, 0);
    }
  if (section != NULL)
    finish (section, text);
}

static guint
rank (const char *name)
{
  guint i = 0;

  while (i < G_N_ELEMENTS (first)
         && !(g_str_has_prefix (name, first[i]) && g_str_equal (name + strlen (first[i]), ENDING)))
    i++;
  return i;
}

static int
compare_pages (gconstpointer a,
               gconstpointer b)
{
  const char *x = *(const char *const *) a;
  const char *y = *(const char *const *) b;
  int order = (int) rank (x) - (int) rank (y);

  return order != 0 ? order : strcmp (x, y);
}

/**
 * prism_handbook_load:
 *
 * Returns: (transfer full) (element-type PrismHandbookSection): all sections, page by page
 */
GPtrArray *
prism_handbook_load (void)
{
  GPtrArray *sections = g_ptr_array_new_with_free_func (section_free);
  const GResourceLookupFlags flags = G_RESOURCE_LOOKUP_FLAGS_NONE;
  g_auto (GStrv) names = g_resources_enumerate_children (FOLDER, flags, NULL);
  guint n = names != NULL ? g_strv_length (names) : 0;

  if (n > 0)
    qsort (names, n, sizeof *names, compare_pages);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strconcat (FOLDER, names[i], NULL);
      g_autofree char *page = NULL;
      g_autofree char *markdown = NULL;
      g_autoptr (GBytes) bytes = NULL;

      if (!g_str_has_suffix (names[i], ENDING))
        continue;
      bytes = g_resources_lookup_data (path, flags, NULL);
      page = g_strndup (names[i], strlen (names[i]) - strlen (ENDING));
      markdown = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
      split_page (sections, g_intern_string (page), markdown);
    }
  return sections;
}

/**
 * prism_handbook_find:
 * @sections: (element-type PrismHandbookSection): of prism_handbook_load()
 * @page: name of a page
 * @anchor: (nullable): of a section; its first where it is %NULL or ""
 *
 * Returns: (transfer none) (nullable): the section
 */
const PrismHandbookSection *
prism_handbook_find (GPtrArray *sections,
                     const char *page,
                     const char *anchor)
{
  for (guint i = 0; i < sections->len; i++)
    {
      const PrismHandbookSection *section = sections->pdata[i];

      if (strcmp (section->page, page) == 0
          && (anchor == NULL || *anchor == '\0' || strcmp (section->anchor, anchor) == 0))
        return section;
    }
  return NULL;
}

/**
 * prism_handbook_matches:
 * @section: a section
 * @words: what is searched for
 *
 * Returns: whether all words are in it, whatever their case
 */
gboolean
prism_handbook_matches (const PrismHandbookSection *section,
                        const char *words)
{
  g_autofree char *folded = g_utf8_casefold (words, -1);
  g_auto (GStrv) parts = g_strsplit_set (folded, " \t", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0' && strstr (section->folded, parts[i]) == NULL)
      return FALSE;
  return TRUE;
}
