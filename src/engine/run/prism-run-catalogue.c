#include "config.h"

#include "run/prism-run-catalogue.h"

#include "base/prism-each.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "run/prism-run-file.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-result.h"
#include "run/prism-run-snapshot.h"
#include "formats/prism-png-stream.h"

#define INDEX "library.ini"

/* The texts of a card, as the index names them. */
static const struct
{
  const char *name;
  gsize offset;
} texts[] = {
  { "path", G_STRUCT_OFFSET (PrismRunCard, path) },
  { "name", G_STRUCT_OFFSET (PrismRunCard, name) },
  { "tags", G_STRUCT_OFFSET (PrismRunCard, tags) },
  { "object", G_STRUCT_OFFSET (PrismRunCard, object) },
  { "settings", G_STRUCT_OFFSET (PrismRunCard, settings) },
  { "saved", G_STRUCT_OFFSET (PrismRunCard, saved) },
  { "state", G_STRUCT_OFFSET (PrismRunCard, state_name) },
  { "verdict", G_STRUCT_OFFSET (PrismRunCard, verdict) },
  { "frames", G_STRUCT_OFFSET (PrismRunCard, frames) },
};

/* The numbers, which need not be known. */
static const struct
{
  const char *name;
  gsize offset;
} numbers[] = {
  { "psnr", G_STRUCT_OFFSET (PrismRunCard, psnr) },
  { "misfit", G_STRUCT_OFFSET (PrismRunCard, misfit) },
  { "coverage", G_STRUCT_OFFSET (PrismRunCard, coverage) },
};

static double *
number_at (PrismRunCard *card,
           gsize i)
{
  return G_STRUCT_MEMBER_P (card, numbers[i].offset);
}

static char **
text_at (PrismRunCard *card,
         gsize i)
{
  return G_STRUCT_MEMBER_P (card, texts[i].offset);
}

/**
 * prism_run_card_free:
 * @self: (nullable): a card
 */
void
prism_run_card_free (PrismRunCard *self)
{
  if (self == NULL)
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (*text_at (self, i));
  g_free (self->key);
  g_free (self);
}

static PrismRunCard *
card_new (const char *path)
{
  PrismRunCard *self = g_new0 (PrismRunCard, 1);

  for (gsize i = 1; i < G_N_ELEMENTS (texts); i++)
    *text_at (self, i) = g_strdup ("");
  self->path = g_strdup (path);
  self->key = g_compute_checksum_for_string (G_CHECKSUM_MD5, path, -1);
  self->psnr = self->misfit = self->coverage = NAN;
  return self;
}

static char *
dup_settings (const PrismConfig *config)
{
  g_autoptr (PrismConfig) defaults = prism_config_new_defaults (config->kind);
  GString *text = g_string_new (NULL);

  PRISM_FOR_EACH_PARAM (param)
    {
      g_autofree char *value = prism_config_dup_text (config, param);

      if (prism_param_is_aside (param) || strcmp (param->key, "object") == 0
          || !prism_config_differs (config, defaults, param)
          || !prism_config_applies (config, param))
        continue;
      g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ";" : "", param->key, value);
    }
  return g_string_free (text, FALSE);
}

/* Of recorded frames what was chosen for them, and the file that they are in. */
static void
take_settings (PrismRunCard *self,
               const PrismSnapshot *snapshot)
{
  g_free (self->settings);
  self->settings = dup_settings (snapshot->config);
  if (!prism_snapshot_is_recorded (snapshot))
    return;
  g_free (self->frames);
  self->frames = g_strdup (snapshot->config->object);
  if (snapshot->correlation != 0)
    self->misfit = snapshot->misfit;
}

/* Mean of the pixels that fall on each, of an image that may be smaller. Amplitudes of recorded
 * frames lie close around 1: their darkest and brightest hundredth are black and white. What is not
 * known is black. */
static gboolean
save_picture (const PrismImage *image,
              gboolean recorded,
              const char *path,
              GError **error)
{
  const int side = PRISM_RUN_CARD_SIDE;
  g_autoptr (PrismImage) small = prism_image_new (side, side, error);
  float sorted[PRISM_RUN_CARD_SIDE * PRISM_RUN_CARD_SIDE];
  float black = 0, white = 1;
  int n = 0;

  if (small == NULL)
    return FALSE;
  for (int y = 0; y < side; y++)
    for (int x = 0; x < side; x++)
      {
        int top = y * image->height / side, bottom = MAX ((y + 1) * image->height / side, top + 1);
        int left = x * image->width / side, right = MAX ((x + 1) * image->width / side, left + 1);
        double sum = 0;

        for (int row = top; row < bottom; row++)
          for (int column = left; column < right; column++)
            sum += image->pixels[(gsize) row * image->width + column];
        sum /= (double) (bottom - top) * (right - left);
        small->pixels[y * side + x] = isfinite (sum) ? (float) sum : NAN;
      }
  if (recorded)
    {
      for (int i = 0; i < side * side; i++)
        if (isfinite (small->pixels[i]))
          sorted[n++] = small->pixels[i];
      prism_sort_floats (sorted, n);
      black = n > 0 ? sorted[n / 100] : 0;
      white = n > 0 ? MAX (sorted[n - 1 - n / 100], black + 1e-6f) : 1;
    }
  return prism_image_save_png (small, path, 8, black, white, NULL, error);
}

/**
 * prism_run_card_read:
 * @path: of a run file
 * @folder: where the small picture goes
 * @error: return location
 *
 * Reads what a catalogue says of a run, and makes the small picture.
 *
 * Errors: those of the file, PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): its card
 */
PrismRunCard *
prism_run_card_read (const char *path,
                     const char *folder,
                     GError **error)
{
  g_autoptr (PrismRun) run = prism_run_file_load (path, error);
  g_autoptr (PrismRunCard) self = NULL;
  g_autofree char *name = NULL;
  g_autofree char *picture = NULL;
  GStatBuf info;

  if (run == NULL)
    return NULL;
  self = card_new (path);
  if (g_stat (self->path, &info) == 0)
    {
      self->bytes = (guint64) info.st_size;
      self->modified = info.st_mtime;
    }
  g_free (self->object);
  self->object = g_strdup (run->snapshot->config->object);
  take_settings (self, run->snapshot);
  g_free (self->saved);
  self->saved = g_strdup (run->saved != NULL ? run->saved : "");
  g_free (self->state_name);
  self->state_name = g_strdup (prism_run_snapshot_get_state_name (run->snapshot->state));
  g_free (self->verdict);
  self->verdict = g_strdup (prism_verdict_get_key (run->snapshot->verdict.kind));
  self->psnr = run->snapshot->metrics.psnr;
  if (!run->snapshot->verdict.is_predicted)
    self->coverage = run->snapshot->coverage;
  self->lesson = run->identity->lesson;
  name = g_strconcat (self->key, ".png", NULL);
  picture = g_build_filename (folder, name, NULL);
  if (run->snapshot->reconstruction != NULL
      && !save_picture (run->snapshot->reconstruction, prism_snapshot_is_recorded (run->snapshot),
                        picture, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_run_card_read_last:
 * @n: how many at most
 *
 * Reads what is known of the last runs of the program's folder that are over and have a picture,
 * lessons left out, and what they were named.
 *
 * Thread: any.
 *
 * Returns: (transfer full) (element-type PrismRunCard): the newest first; frees them
 */
GPtrArray *
prism_run_card_read_last (guint n)
{
  g_autofree char *folder = prism_run_folder_dup_path ();
  g_autofree char *catalogue = prism_run_catalogue_dup_folder ();
  g_autoptr (GPtrArray) entries = prism_run_folder_list (folder);
  g_autoptr (PrismRunCatalogue) known = prism_run_catalogue_new (catalogue, NULL);
  GPtrArray *cards = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_run_card_free);

  for (guint i = 0; i < entries->len && cards->len < n; i++)
    {
      const PrismRunEntry *entry = g_ptr_array_index (entries, i);
      PrismRunCard *card = entry->finished && !entry->lesson && !entry->empty
                               ? prism_run_card_read (entry->path, catalogue, NULL)
                               : NULL;
      const PrismRunCard *named
          = known != NULL ? prism_run_catalogue_find (known, entry->path) : NULL;

      if (card == NULL)
        continue;
      if (named != NULL)
        {
          g_free (card->name);
          card->name = g_strdup (named->name);
        }
      g_ptr_array_add (cards, card);
    }
  return cards;
}

/**
 * prism_run_card_is_current:
 * @self: a card
 *
 * Thread: any.
 *
 * Returns: whether the file is as it was when the card was written
 */
gboolean
prism_run_card_is_current (const PrismRunCard *self)
{
  GStatBuf info;

  return g_stat (self->path, &info) == 0 && self->bytes == (guint64) info.st_size
         && self->modified == info.st_mtime;
}

/**
 * prism_run_card_is_marked:
 * @self: a card
 *
 * Returns: whether the user has said that the run matters: by a star, a name or a tag
 */
gboolean
prism_run_card_is_marked (const PrismRunCard *self)
{
  return self->starred || self->name[0] != '\0' || self->tags[0] != '\0';
}

/**
 * prism_run_catalogue_dup_folder:
 *
 * Returns: (transfer full): where the program keeps its catalogue
 */
char *
prism_run_catalogue_dup_folder (void)
{
  return g_build_filename (g_get_user_data_dir (), "prism-studio", "library", NULL);
}

static void
read_card (PrismRunCatalogue *self,
           GKeyFile *file,
           const char *group)
{
  g_autofree char *path = g_key_file_get_string (file, group, "path", NULL);
  PrismRunCard *card;

  if (path == NULL || path[0] == '\0' || g_hash_table_contains (self->by_path, path))
    return;
  card = card_new (path);
  for (gsize i = 1; i < G_N_ELEMENTS (texts); i++)
    {
      char *text = g_key_file_get_string (file, group, texts[i].name, NULL);

      if (text == NULL)
        continue;
      g_free (*text_at (card, i));
      *text_at (card, i) = text;
    }
  card->starred = g_key_file_get_boolean (file, group, "starred", NULL);
  card->lesson = g_key_file_get_boolean (file, group, "lesson", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autofree char *text = g_key_file_get_string (file, group, numbers[i].name, NULL);

      if (text != NULL && text[0] != '\0')
        *number_at (card, i) = g_ascii_strtod (text, NULL);
    }
  card->bytes = g_key_file_get_uint64 (file, group, "bytes", NULL);
  card->modified = g_key_file_get_int64 (file, group, "modified", NULL);
  g_ptr_array_add (self->cards, card);
  g_hash_table_insert (self->by_path, card->path, card);
}

static PrismRunCatalogue *
create (const char *folder)
{
  PrismRunCatalogue *self = g_new0 (PrismRunCatalogue, 1);

  self->folder = g_strdup (folder);
  self->cards = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_run_card_free);
  self->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

/* Where there is none it stays empty. */
static gboolean
load (PrismRunCatalogue *self,
      GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (self->folder, INDEX, NULL);
  g_auto (GStrv) groups = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;
  if (!g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, error))
    return FALSE;
  groups = g_key_file_get_groups (file, NULL);
  PRISM_FOR_EACH_STRING (group, groups)
    read_card (self, file, *group);
  return TRUE;
}

/**
 * prism_run_catalogue_new:
 * @folder: where it is, or will be
 * @error: return location
 *
 * Reads a catalogue. Where there is none it is empty; one that cannot be read is kept beside it.
 *
 * Errors: PRISM_ERROR_IO where the folder cannot be made.
 *
 * Returns: (transfer full) (nullable): the catalogue
 */
PrismRunCatalogue *
prism_run_catalogue_new (const char *folder,
                         GError **error)
{
  PrismRunCatalogue *self;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      prism_error_io (error,
                      _ ("The folder “%s” of the library cannot be made: %s. Check its"
                         " permissions."),
                      folder, g_strerror (errno));
      return NULL;
    }
  self = create (folder);
  if (!load (self, NULL))
    {
      g_autofree char *path = g_build_filename (folder, INDEX, NULL);
      g_autofree char *aside = g_strconcat (path, ".damaged", NULL);

      if (g_rename (path, aside) != 0)
        g_message ("“%s” cannot be kept: %s", path, g_strerror (errno));
    }
  return self;
}

/**
 * prism_run_catalogue_dup_name:
 * @path: (nullable): of a run file
 * @other: (nullable): what to call a run that nobody has named; %NULL: by its number, or else by
 *   its file
 *
 * Looks into the user's catalogue, as it was written last.
 *
 * Thread: any.
 *
 * Returns: (transfer full): “3 · For the paper”, “Run 3”, or “moon” of a file that the program has
 *   not numbered
 */
char *
prism_run_catalogue_dup_name (const char *path,
                              const char *other)
{
  g_autofree char *folder = prism_run_catalogue_dup_folder ();
  g_autoptr (PrismRunCatalogue) self = create (folder);
  const PrismRunCard *card
      = path != NULL && load (self, NULL) ? prism_run_catalogue_find (self, path) : NULL;
  const guint number = path != NULL ? prism_run_folder_get_number (path) : 0;

  if (card != NULL && card->name[0] != '\0')
    return number > 0 ? g_strdup_printf ("%u · %s", number, card->name) : g_strdup (card->name);
  if (other != NULL)
    return g_strdup (other);
  return number > 0 ? g_strdup_printf (_ ("Run %u"), number) : prism_run_result_dup_name (path);
}

/**
 * prism_run_catalogue_load_marked:
 * @folder: where the catalogue is, if there is one
 * @error: return location
 *
 * Finds out which runs matter to the user, where nobody has the catalogue open.
 *
 * Errors: those of the file: what is marked is not known then.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable) (element-type char): the paths of these runs
 */
GHashTable *
prism_run_catalogue_load_marked (const char *folder,
                                 GError **error)
{
  g_autoptr (PrismRunCatalogue) self = create (folder);

  return load (self, error) ? prism_run_catalogue_dup_marked (self) : NULL;
}

/**
 * prism_run_catalogue_free:
 * @self: (nullable): a catalogue
 */
PRISM_FREE_FOR_ALL (PrismRunCatalogue,
                    prism_run_catalogue_free,
                    g_hash_table_unref,
                    by_path,
                    g_ptr_array_unref,
                    cards,
                    g_free,
                    folder)

/**
 * prism_run_catalogue_copy:
 * @self: a catalogue
 *
 * Makes another that does not change with the first: to be saved on another thread.
 *
 * Returns: (transfer full): the copy
 */
PrismRunCatalogue *
prism_run_catalogue_copy (PrismRunCatalogue *self)
{
  PrismRunCatalogue *copy = create (self->folder);

  for (guint i = 0; i < self->cards->len; i++)
    {
      PrismRunCard *card = g_memdup2 (self->cards->pdata[i], sizeof *card);

      for (gsize k = 0; k < G_N_ELEMENTS (texts); k++)
        *text_at (card, k) = g_strdup (*text_at (card, k));
      card->key = g_strdup (card->key);
      prism_run_catalogue_add (copy, card);
    }
  return copy;
}

/**
 * prism_run_catalogue_dup_marked:
 * @self: a catalogue
 *
 * Returns: (transfer full) (element-type char): the paths of the runs that are marked
 */
GHashTable *
prism_run_catalogue_dup_marked (PrismRunCatalogue *self)
{
  GHashTable *marked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  PRISM_FOR_EACH_POINTER (const PrismRunCard, card, self->cards)
    {
      if (prism_run_card_is_marked (card))
        g_hash_table_add (marked, g_strdup (card->path));
    }
  return marked;
}

/**
 * prism_run_catalogue_find:
 * @self: a catalogue
 * @path: of a run file
 *
 * Returns: (transfer none) (nullable): its card
 */
PrismRunCard *
prism_run_catalogue_find (PrismRunCatalogue *self,
                          const char *path)
{
  return g_hash_table_lookup (self->by_path, path);
}

/**
 * prism_run_catalogue_add:
 * @self: a catalogue
 * @card: (transfer full): of prism_run_card_read()
 *
 * Adds a card. That of a file which is known takes its place, and keeps name, tags and star.
 *
 * Returns: (transfer none): the card in the catalogue
 */
PrismRunCard *
prism_run_catalogue_add (PrismRunCatalogue *self,
                         PrismRunCard *card)
{
  PrismRunCard *known = g_hash_table_lookup (self->by_path, card->path);
  PrismRunCard swap;

  if (known == NULL)
    {
      g_ptr_array_add (self->cards, card);
      g_hash_table_insert (self->by_path, card->path, card);
      return card;
    }
  swap = *known;
  *known = *card;
  known->path = swap.path;
  known->key = swap.key;
  known->name = swap.name;
  known->tags = swap.tags;
  known->starred = swap.starred;
  swap.path = card->path;
  swap.key = card->key;
  swap.name = card->name;
  swap.tags = card->tags;
  *card = swap;
  prism_run_card_free (card);
  return known;
}

/**
 * prism_run_catalogue_remove:
 * @self: a catalogue
 * @card: of it
 *
 * Forgets a run and its small picture; the file stays.
 */
void
prism_run_catalogue_remove (PrismRunCatalogue *self,
                            PrismRunCard *card)
{
  g_autofree char *picture = prism_run_catalogue_dup_picture (self, card);

  g_unlink (picture);
  g_hash_table_remove (self->by_path, card->path);
  g_ptr_array_remove_fast (self->cards, card);
}

/**
 * prism_run_catalogue_dup_picture:
 * @self: a catalogue
 * @card: of it
 *
 * Returns: (transfer full): file name of its small picture, which need not be there
 */
char *
prism_run_catalogue_dup_picture (PrismRunCatalogue *self,
                                 const PrismRunCard *card)
{
  g_autofree char *name = g_strconcat (card->key, ".png", NULL);

  return g_build_filename (self->folder, name, NULL);
}

static void
write_card (PrismRunCard *card,
            GKeyFile *file)
{
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    g_key_file_set_string (file, card->key, texts[i].name, *text_at (card, i));
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (isfinite (*number_at (card, i)))
      g_key_file_set_string (file, card->key, numbers[i].name,
                             prism_digits ("%.17g", *number_at (card, i)));
  g_key_file_set_boolean (file, card->key, "starred", card->starred);
  g_key_file_set_boolean (file, card->key, "lesson", card->lesson);
  g_key_file_set_uint64 (file, card->key, "bytes", card->bytes);
  g_key_file_set_int64 (file, card->key, "modified", card->modified);
}

/**
 * prism_run_catalogue_save:
 * @self: a catalogue
 * @error: return location
 *
 * Writes the index.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is on the disk
 */
gboolean
prism_run_catalogue_save (PrismRunCatalogue *self,
                          GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = g_build_filename (self->folder, INDEX, NULL);
  g_autofree char *text = NULL;
  gsize length;

  PRISM_FOR_EACH_POINTER (PrismRunCard, card, self->cards)
    write_card (card, file);
  text = g_key_file_to_data (file, &length, NULL);
  return prism_file_save (path, text, length, error);
}
