#include "config.h"

#include "library/prism-library-reading.h"

#include "run/prism-run-folder.h"
#include "run/prism-run-lock.h"

/* What is found is shown after so many files and so much time. */
#define AT_ONCE 8
#define TURN 200 /* ms */

/**
 * prism_library_reading_new:
 * @pictures: folder of the small pictures
 * @runs: folder that the program saves runs in
 *
 * Returns: (transfer full): what has looked nowhere yet
 */
PrismLibraryReading *
prism_library_reading_new (const char *pictures,
                           const char *runs)
{
  PrismLibraryReading *self = g_new0 (PrismLibraryReading, 1);

  self->pictures = g_strdup (pictures);
  self->runs = g_strdup (runs);
  self->known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                       (GDestroyNotify) prism_run_card_free);
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->wanted = g_ptr_array_new_with_free_func (g_free);
  self->unread = g_ptr_array_new_with_free_func (g_free);
  return self;
}

/**
 * prism_library_reading_free:
 * @self: a reading
 */
void
prism_library_reading_free (PrismLibraryReading *self)
{
  g_free (self->pictures);
  g_free (self->runs);
  g_hash_table_unref (self->known);
  g_hash_table_unref (self->refused);
  g_ptr_array_unref (self->wanted);
  g_clear_pointer (&self->paths, g_ptr_array_unref);
  g_clear_pointer (&self->gone, g_ptr_array_unref);
  g_ptr_array_unref (self->unread);
  g_free (self);
}

/**
 * prism_library_reading_know:
 * @self: a reading
 * @card: of a file that is read again only where it has changed
 */
void
prism_library_reading_know (PrismLibraryReading *self,
                            const PrismRunCard *card)
{
  PrismRunCard *stamp = g_new0 (PrismRunCard, 1);

  stamp->path = g_strdup (card->path);
  stamp->bytes = card->bytes;
  stamp->modified = card->modified;
  g_hash_table_insert (self->known, stamp->path, stamp);
}

static gboolean
is_to_be_read (const PrismLibraryReading *self,
               const char *path)
{
  const PrismRunCard *known = g_hash_table_lookup (self->known, path);

  return (known == NULL || !prism_run_card_is_current (known))
         && !g_hash_table_contains (self->refused, path);
}

/* The folder is listed once, however many jobs read what is in it. */
static void
find_paths (PrismLibraryReading *self)
{
  g_autoptr (GPtrArray) listed = prism_run_folder_list_paths (self->runs);
  GHashTableIter iter;
  gpointer known;

  self->paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->wanted->len; i++)
    if (is_to_be_read (self, self->wanted->pdata[i]))
      g_ptr_array_add (self->paths, g_strdup (self->wanted->pdata[i]));
  for (guint i = 0; i < listed->len; i++)
    if (is_to_be_read (self, listed->pdata[i]) && !prism_run_lock_is_taken (listed->pdata[i]))
      g_ptr_array_add (self->paths, g_strdup (listed->pdata[i]));
  self->gone = g_ptr_array_new_with_free_func (g_free);
  g_hash_table_iter_init (&iter, self->known);
  while (g_hash_table_iter_next (&iter, &known, NULL))
    if (!g_file_test (known, G_FILE_TEST_EXISTS))
      g_ptr_array_add (self->gone, g_strdup (known));
}

/**
 * prism_library_reading_read:
 * @self: a reading
 *
 * Reads some of what is left. The first time it finds out what there is to read.
 *
 * Returns: (transfer full) (element-type PrismRunCard): the cards of what it has read; frees them
 */
GPtrArray *
prism_library_reading_read (PrismLibraryReading *self)
{
  GPtrArray *cards = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_run_card_free);
  gint64 end = g_get_monotonic_time () + TURN * 1000;

  if (self->paths == NULL)
    find_paths (self);
  g_ptr_array_set_size (self->unread, 0);
  for (; self->next < self->paths->len
         && (cards->len < AT_ONCE || g_get_monotonic_time () < end);
       self->next++)
    {
      const char *path = self->paths->pdata[self->next];
      PrismRunCard *card = prism_run_card_read (path, self->pictures, NULL);

      if (card != NULL)
        g_ptr_array_add (cards, card);
      else
        g_ptr_array_add (self->unread, g_strdup (path));
    }
  return cards;
}
