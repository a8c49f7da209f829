#include "config.h"

#include "lesson/prism-lesson-text.h"

#include "base/prism-each.h"

#define MOST_BYTES (256 * 1024)
#define BYTE_ORDER_MARK "\357\273\277"

PRISM_FREE (PrismLessonEntry, entry_free, g_free, key, g_free, locale, g_free, value)

PRISM_FREE (PrismLessonGroup, group_free, g_free, name, g_ptr_array_unref, entries)

/**
 * prism_lesson_tell:
 * @mistakes: (element-type utf8): what is wrong so far
 * @name: of the file
 * @line: from 1, or 0 for the file as a whole
 * @sentence: what is wrong, and what to do
 *
 * Adds a mistake with its place.
 */
void
prism_lesson_tell (GPtrArray *mistakes,
                   const char *name,
                   guint line,
                   const char *sentence)
{
  g_ptr_array_add (mistakes, line == 0 ? g_strdup_printf ("%s: %s", name, sentence)
                                       : g_strdup_printf (_ ("%s, line %u: %s"), name, line,
                                                          sentence));
}

/* What is said once, whatever many lines it is true of. */
typedef struct
{
  const char *sentence;
  guint index; /* in the mistakes */
  guint n_more;
} Told;

typedef struct
{
  const char *name;
  GPtrArray *mistakes;
  GArray *told; /* Told */
} Reader;

/* A file that is no lesson has the same mistake in every line: it is said at the first of them. */
static void
tell (Reader *self,
      guint line,
      const char *sentence)
{
  Told told = { sentence, self->mistakes->len, 0 };

  PRISM_FOR_EACH (Told, before, self->told)
    {
      if (strcmp (before->sentence, sentence) == 0)
        {
          before->n_more++;
          return;
        }
    }
  g_array_append_val (self->told, told);
  prism_lesson_tell (self->mistakes, self->name, line, sentence);
}

static void
add_counts (Reader *self)
{
  PRISM_FOR_EACH (const Told, told, self->told)
    {
      char *first = self->mistakes->pdata[told->index];

      if (told->n_more == 0)
        continue;
      self->mistakes->pdata[told->index]
          = g_strdup_printf (_ ("%s Further lines of which this is true: %u."), first,
                             told->n_more);
      g_free (first);
    }
}

static PrismLessonGroup *
open_group (char *line,
            guint number,
            GPtrArray *groups,
            Reader *reader)
{
  PrismLessonGroup *group = g_new0 (PrismLessonGroup, 1);
  char *end = strchr (line, ']');

  if (end == NULL || end[1] != '\0')
    tell (reader, number, _ ("a group is written [lesson], [settings] or [step]."));
  group->name = end != NULL ? g_strndup (line + 1, end - line - 1) : g_strdup (line + 1);
  group->line = number;
  group->entries = g_ptr_array_new_with_free_func (entry_free);
  g_ptr_array_add (groups, group);
  return group;
}

static PrismLessonEntry *
read_key (const char *line,
          guint number,
          PrismLessonGroup *group,
          Reader *reader)
{
  const char *equals = strchr (line, '=');
  PrismLessonEntry *entry;
  char *bracket;

  if (equals == NULL || equals == line)
    {
      tell (reader, number,
            _ ("expected is “key=value”, a group such as [step], a comment that"
               " begins with #, or a blank that goes on with the line above."));
      return NULL;
    }
  if (group == NULL)
    {
      tell (reader, number,
            _ ("the line [lesson] has to stand before the first key."));
      return NULL;
    }
  entry = g_new0 (PrismLessonEntry, 1);
  entry->key = g_strstrip (g_strndup (line, equals - line));
  entry->value = g_strstrip (g_strdup (equals + 1));
  entry->line = number;
  /* "title[de]" */
  bracket = strchr (entry->key, '[');
  if (bracket != NULL && g_str_has_suffix (entry->key, "]"))
    {
      entry->locale = g_strndup (bracket + 1, strlen (bracket) - 2);
      *bracket = '\0';
    }
  g_ptr_array_add (group->entries, entry);
  return entry;
}

static void
go_on (PrismLessonEntry *entry,
       const char *text,
       guint number,
       Reader *reader)
{
  char *longer;

  if (entry == NULL)
    {
      tell (reader, number,
            _ ("the line begins with a blank, but there is no value above that it"
               " could go on with."));
      return;
    }
  longer = g_strconcat (entry->value, *entry->value != '\0' ? " " : "", text, NULL);
  g_free (entry->value);
  entry->value = longer;
}

/**
 * prism_lesson_text_read:
 * @text: contents of a file
 * @length: in bytes, or -1 when it ends with a zero
 * @name: of the file
 * @mistakes: (element-type utf8): gets a sentence for each line that is wrong
 *
 * Splits a file into groups and keys, whatever they mean.
 *
 * Returns: (transfer full) (element-type PrismLessonGroup): the groups in their order
 */
GPtrArray *
prism_lesson_text_read (const char *text,
                        gssize length,
                        const char *name,
                        GPtrArray *mistakes)
{
  GPtrArray *groups = g_ptr_array_new_with_free_func (group_free);
  gsize n_bytes = length < 0 ? strlen (text) : (gsize) length;
  PrismLessonGroup *group = NULL;
  PrismLessonEntry *entry = NULL;
  g_autofree char *whole = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GArray) told = g_array_new (FALSE, FALSE, sizeof (Told));
  Reader reader = { name, mistakes, told };
  const char *reason = NULL;

  if (n_bytes > MOST_BYTES)
    reason = _ ("there are more than 256 KiB: that is no lesson.");
  else if (memchr (text, '\0', n_bytes) != NULL)
    reason = _ ("there is a zero byte: this is no text file.");
  else if (!g_utf8_validate (text, n_bytes, NULL))
    reason = _ ("the text is not UTF-8: save the file in that encoding.");
  if (reason != NULL)
    {
      prism_lesson_tell (mistakes, name, 0, reason);
      return groups;
    }
  whole = g_strndup (text, n_bytes);
  lines = g_strsplit (g_str_has_prefix (whole, BYTE_ORDER_MARK) ? whole + 3 : whole, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      gboolean goes_on = g_ascii_isspace (lines[i][0]);

      g_strstrip (lines[i]);
      if (lines[i][0] == '\0' || lines[i][0] == '#')
        continue;
      if (goes_on)
        go_on (entry, lines[i], i + 1, &reader);
      else if (lines[i][0] == '[')
        group = open_group (lines[i], i + 1, groups, &reader);
      else
        entry = read_key (lines[i], i + 1, group, &reader);
      if (lines[i][0] == '[')
        entry = NULL;
    }
  add_counts (&reader);
  return groups;
}

/* How early a language stands in the user's list; what has no language comes after all. */
static guint
rank (const PrismLessonEntry *entry)
{
  const char *const *languages = g_get_language_names ();
  guint i = 0;

  if (entry->locale == NULL)
    return G_MAXUINT - 1;
  for (; languages[i] != NULL; i++)
    if (strcmp (languages[i], entry->locale) == 0)
      return i;
  return G_MAXUINT;
}

/**
 * prism_lesson_group_find:
 * @self: a group
 * @key: a key
 *
 * Returns: (transfer none) (nullable): its entry in the best of the user's languages
 */
const PrismLessonEntry *
prism_lesson_group_find (const PrismLessonGroup *self,
                         const char *key)
{
  const PrismLessonEntry *best = NULL;

  PRISM_FOR_EACH_POINTER (const PrismLessonEntry, entry, self->entries)
    {
      if (strcmp (entry->key, key) == 0 && rank (entry) != G_MAXUINT
          && (best == NULL || rank (entry) < rank (best)))
        best = entry;
    }
  return best;
}

/* Translated where the program knows it. */
static const char *
get_text (const PrismLessonEntry *entry)
{
  return entry->locale != NULL || *entry->value == '\0' ? entry->value : _ (entry->value);
}

/**
 * prism_lesson_group_get:
 * @self: a group
 * @key: a key
 *
 * Returns: (transfer none): its value for the user, translated where the program knows it, or ""
 */
const char *
prism_lesson_group_get (const PrismLessonGroup *self,
                        const char *key)
{
  const PrismLessonEntry *entry = prism_lesson_group_find (self, key);

  return entry != NULL ? get_text (entry) : "";
}

/**
 * prism_lesson_group_dup_all:
 * @self: a group
 * @key: a key that may stand several times
 *
 * Returns: (transfer full): its values in their order, all in one language
 */
GStrv
prism_lesson_group_dup_all (const PrismLessonGroup *self,
                            const char *key)
{
  const PrismLessonEntry *best = prism_lesson_group_find (self, key);
  GPtrArray *values = g_ptr_array_new ();

  if (best != NULL)
    PRISM_FOR_EACH_POINTER (const PrismLessonEntry, entry, self->entries)
      {
        if (strcmp (entry->key, key) == 0 && g_strcmp0 (entry->locale, best->locale) == 0)
          g_ptr_array_add (values, g_strdup (get_text (entry)));
      }
  g_ptr_array_add (values, NULL);
  return (GStrv) g_ptr_array_free (values, FALSE);
}
