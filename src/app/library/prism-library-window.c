#include "config.h"

#include "library/prism-library-window.h"

#include "base/prism-each.h"
#include "support/prism-job.h"
#include "support/prism-settings.h"
#include "support/prism-ui-text.h"
#include "support/prism-widget.h"

enum
{
  ORDER_NEWEST,
  ORDER_BEST,
  ORDER_LARGEST,
  ORDER_NAME,
};

G_DEFINE_FINAL_TYPE (PrismLibraryWindow, prism_library_window, ADW_TYPE_WINDOW)

#define MOST_PICTURES 512 /* that are kept, so that scrolling back reads none again: 8 MiB */

static void read_files (PrismLibraryWindow *self);

static void
tell (const char *sentence,
      gpointer data)
{
  PrismLibraryWindow *self = data;

  gtk_label_set_label (self->problem, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), sentence != NULL);
}

static guint64
count_bytes (PrismLibraryWindow *self)
{
  GHashTableIter iter;
  gpointer card;
  guint64 bytes = 0;

  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, &card, NULL))
    bytes += ((const PrismRunCard *) card)->bytes;
  return bytes;
}

static void
count (PrismLibraryWindow *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->store));
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  const gboolean is_open = n == 0 && self->reading;
  g_autofree char *text = NULL;

  if (is_open)
    text = g_strdup (_ ("Reading…"));
  else if (shown == n)
    text = prism_library_limits_dup_amount (n, count_bytes (self));
  else
    text = g_strdup_printf (_ ("%u of %u runs"), shown, n);
  adw_window_title_set_subtitle (self->window_title, text);
  gtk_label_set_text (self->empty_label,
                      is_open  ? text
                      : n == 0 ? _ ("There are no runs yet. Each run that ends is kept here.")
                               : _ ("No run is like that. Change the search or the star."));
  gtk_widget_set_visible (GTK_WIDGET (self->empty_label), shown == 0);
}

/* Which runs go when another one is kept. */
static void
show_next (PrismLibraryWindow *self)
{
  g_autoptr (GHashTable) next = NULL;
  GHashTableIter iter;
  gpointer card, item;

  if (self->catalogue == NULL)
    return;
  next = prism_library_limits_find_next (self->catalogue->cards,
                                         self->runs);
  g_hash_table_iter_init (&iter, self->items);
  while (g_hash_table_iter_next (&iter, &card, &item))
    prism_library_item_set_next (item, g_hash_table_contains (next, card));
}

static void
queue_save (PrismLibraryWindow *self)
{
  show_next (self);
  if (self->index != NULL)
    prism_library_index_changed (self->index);
}

static PrismLibraryItem *
create_item (PrismLibraryWindow *self,
             PrismRunCard *card)
{
  PrismLibraryItem *item = prism_library_item_new (card, self->folders);

  g_hash_table_insert (self->items, card, item);
  return item;
}

/* What is new joins the list at once: the list is sorted once for all of it. */
static void
take_cards (PrismLibraryWindow *self,
            GPtrArray *cards)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < cards->len; i++)
    {
      PrismRunCard *card = g_steal_pointer (&cards->pdata[i]);
      PrismRunCard *kept = prism_run_catalogue_add (self->catalogue, card);
      PrismLibraryItem *known = g_hash_table_lookup (self->items, kept);
      g_autofree char *picture = prism_run_catalogue_dup_picture (self->catalogue, kept);

      if (known == NULL)
        {
          g_ptr_array_add (items, create_item (self, kept));
          continue;
        }
      g_hash_table_remove (self->pictures, picture);
      prism_library_item_changed (known);
    }
  g_list_store_splice (self->store, g_list_model_get_n_items (G_LIST_MODEL (self->store)), 0,
                       items->pdata, items->len);
}

static void
drop (PrismLibraryWindow *self,
      PrismRunCard *card)
{
  PrismLibraryItem *item = g_hash_table_lookup (self->items, card);
  guint position;

  if (item == NULL)
    return;
  g_hash_table_remove (self->items, card);
  if (g_list_store_find (self->store, item, &position))
    g_list_store_remove (self->store, position);
}

/* A run that was marked may lie on a disk that comes back: its card waits for it. */
static void
drop_gone (PrismLibraryWindow *self,
           GPtrArray *gone)
{
  for (guint i = 0; gone != NULL && i < gone->len; i++)
    {
      PrismRunCard *card = prism_run_catalogue_find (self->catalogue, gone->pdata[i]);

      if (card == NULL || g_file_test (card->path, G_FILE_TEST_EXISTS))
        continue;
      drop (self, card);
      if (!prism_run_card_is_marked (card))
        prism_run_catalogue_remove (self->catalogue, card);
    }
}

static void on_read (PrismLibraryWindow *self,
                     PrismLibraryReading *reading,
                     GPtrArray *result,
                     const GError *error);

/* One job after the other reads some. */
static void
start_job (PrismLibraryWindow *self,
           PrismLibraryReading *reading)
{
  static const PrismJob job = { "library", prism_library_reading_read, on_read, NULL,
                                g_ptr_array_unref };

  self->reading = TRUE;
  prism_job_start (&job, self, reading, NULL);
}

static void
on_read (PrismLibraryWindow *self,
         PrismLibraryReading *reading,
         GPtrArray *result,
         const GError *error)
{
  g_autoptr (GPtrArray) cards = result;
  g_autoptr (GPtrArray) gone = g_steal_pointer (&reading->gone);

  self->reading = FALSE;
  if (self->catalogue == NULL)
    {
      prism_library_reading_free (reading);
      return;
    }
  PRISM_FOR_EACH_POINTER (const char, path, reading->unread)
    {
      PrismRunCard *card = prism_run_catalogue_find (self->catalogue, path);
      PrismLibraryItem *item = card != NULL ? g_hash_table_lookup (self->items, card) : NULL;

      g_hash_table_add (self->refused, g_strdup (path));
      if (item == NULL)
        continue;
      item->unread = TRUE;
      prism_library_item_changed (item);
    }
  if (cards->len > 0 || (gone != NULL && gone->len > 0))
    prism_library_index_grows (self->index);
  drop_gone (self, gone);
  take_cards (self, cards);
  show_next (self);
  if (reading->next < reading->paths->len)
    start_job (self, reading);
  else
    {
      prism_library_reading_free (reading);
      if (g_hash_table_size (self->wanted) > 0 || self->outdated)
        read_files (self);
    }
  count (self);
}

static void
read_files (PrismLibraryWindow *self)
{
  GPtrArray *cards = self->catalogue->cards;
  PrismLibraryReading *reading;
  GHashTableIter iter;
  gpointer path;

  self->outdated = self->reading;
  if (self->reading)
    return;
  reading = prism_library_reading_new (self->catalogue->folder,
                                       self->runs);
  for (guint i = 0; i < cards->len; i++)
    if (g_hash_table_contains (self->items, cards->pdata[i]))
      prism_library_reading_know (reading, cards->pdata[i]);
  g_hash_table_iter_init (&iter, self->refused);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    g_hash_table_add (reading->refused, g_strdup (path));
  g_hash_table_iter_init (&iter, self->wanted);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    g_ptr_array_add (reading->wanted, g_strdup (path));
  g_hash_table_remove_all (self->wanted);
  start_job (self, reading);
}

static gboolean
is_shown (gpointer item,
          gpointer data)
{
  PrismLibraryWindow *self = data;

  if (gtk_toggle_button_get_active (self->starred_button)
      && !PRISM_LIBRARY_ITEM (item)->card->starred)
    return FALSE;
  return self->words[0] == NULL || prism_library_item_matches (item, self->words);
}

static int
compare_items (gconstpointer first,
               gconstpointer second,
               gpointer data)
{
  PrismLibraryWindow *self = data;
  const PrismLibraryItem *one = first, *other = second;
  const PrismRunCard *a = one->card, *b = other->card;
  double x = isfinite (a->psnr) ? a->psnr : -INFINITY;
  double y = isfinite (b->psnr) ? b->psnr : -INFINITY;
  int order = 0;

  switch (gtk_drop_down_get_selected (self->order))
    {
    case ORDER_BEST:
      order = (x < y) - (x > y);
      break;
    case ORDER_LARGEST:
      order = (a->bytes < b->bytes) - (a->bytes > b->bytes);
      break;
    case ORDER_NAME:
      order = g_utf8_collate (prism_library_item_get_title (one),
                              prism_library_item_get_title (other));
      break;
    default:
      break;
    }
  return order != 0 ? order : g_strcmp0 (b->saved, a->saved);
}

static void
on_search_changed (PrismLibraryWindow *self)
{
  g_strfreev (self->words);
  self->words = prism_library_item_split (gtk_editable_get_text (self->search));
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  count (self);
}

/* To the runs that were found. */
static void
on_search_activated (PrismLibraryWindow *self)
{
  on_search_changed (self);
  gtk_selection_model_select_item (self->selection, 0, TRUE);
  gtk_widget_child_focus (GTK_WIDGET (self->list), GTK_DIR_DOWN);
}

static void
on_order_changed (PrismLibraryWindow *self)
{
  if (self->sorter != NULL)
    gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

/* (transfer full) of PrismLibraryItem */
static GPtrArray *
list_selected (PrismLibraryWindow *self)
{
  g_autoptr (GtkBitset) set = gtk_selection_model_get_selection (self->selection);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < gtk_bitset_get_size (set); i++)
    g_ptr_array_add (items, g_list_model_get_item (G_LIST_MODEL (self->selection),
                                                   gtk_bitset_get_nth (set, i)));
  return items;
}

static void
on_selection_changed (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);
  const PrismRunCard *card
      = items->len == 1 ? ((PrismLibraryItem *) items->pdata[0])->card : NULL;

  /* What is typed stays while runs join the list. */
  if (items->len == self->n_chosen && (items->len == 0 || items->pdata[0] == self->chosen))
    return;
  self->n_chosen = items->len;
  self->chosen = items->len > 0 ? items->pdata[0] : NULL;
  gtk_widget_set_sensitive (self->open_button, items->len == 1);
  gtk_widget_set_sensitive (self->compare_button, items->len > 1);
  gtk_widget_set_sensitive (self->trash_button, items->len > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->name_entry), card != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->tags_entry), items->len > 0);
  self->filling = TRUE;
  gtk_editable_set_text (self->name_entry, card != NULL ? card->name : "");
  gtk_editable_set_text (self->tags_entry, card != NULL ? card->tags : "");
  self->filling = FALSE;
}

static void
replace (char **text,
         const char *by)
{
  g_free (*text);
  *text = g_strstrip (g_strdup (by));
}

/* Tags go to all runs that are chosen, a name to one, as they are typed. */
static void
on_renamed (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);

  if (self->filling)
    return;
  for (guint i = 0; i < items->len; i++)
    {
      PrismRunCard *card = ((PrismLibraryItem *) items->pdata[i])->card;

      if (items->len == 1)
        replace (&card->name, gtk_editable_get_text (self->name_entry));
      replace (&card->tags, gtk_editable_get_text (self->tags_entry));
      prism_library_item_changed (items->pdata[i]);
    }
  queue_save (self);
}

/* All that are chosen get what the first has not: a star, or none. */
static gboolean
on_star (GtkWidget *widget,
         GVariant *args,
         gpointer data)
{
  g_autoptr (GPtrArray) items = list_selected (PRISM_LIBRARY_WINDOW (widget));
  const gboolean starred
      = items->len > 0 && !((PrismLibraryItem *) items->pdata[0])->card->starred;

  for (guint i = 0; i < items->len; i++)
    {
      ((PrismLibraryItem *) items->pdata[i])->card->starred = starred;
      prism_library_item_changed (items->pdata[i]);
    }
  queue_save (PRISM_LIBRARY_WINDOW (widget));
  return GDK_EVENT_STOP;
}

static void
on_activate (PrismLibraryWindow *self,
             guint position)
{
  g_autoptr (PrismLibraryItem) item
      = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  g_signal_emit_by_name (self, "open-run", item->card->path);
}

static void
on_open (PrismLibraryWindow *self)
{
  g_signal_emit_by_name (self, "open-run", PRISM_LIBRARY_ITEM (self->chosen)->card->path);
}

static void
on_compare (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  PRISM_FOR_EACH_POINTER (PrismLibraryItem, item, items)
    g_ptr_array_add (paths, item->card->path);
  g_ptr_array_add (paths, NULL);
  g_signal_emit_by_name (self, "compare-runs", paths->pdata);
}

static void
on_trash (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);
  g_autofree char *sentence = NULL;

  PRISM_FOR_EACH_POINTER (PrismLibraryItem, item, items)
    {
      PrismRunCard *card = item->card;
      g_autoptr (GFile) file = g_file_new_for_path (card->path);
      g_autoptr (GError) error = NULL;

      if (!g_file_trash (file, NULL, &error)
          && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
        {
          g_free (sentence);
          sentence = g_strdup_printf (_ ("“%s” stays: %s."), card->path, error->message);
          continue;
        }
      drop (self, card);
      prism_run_catalogue_remove (self->catalogue, card);
    }
  tell (sentence, self);
  queue_save (self);
  count (self);
}

static void
on_setup (PrismLibraryWindow *self,
          GtkListItem *item)
{
  GtkWidget *row = g_object_new (PRISM_TYPE_LIBRARY_ROW, NULL);

  PRISM_CONNECT (row, "starred", queue_save, self);
  gtk_list_item_set_child (item, row);
}

static void
on_bind (PrismLibraryWindow *self,
         GtkListItem *list_item)
{
  PrismLibraryItem *item = gtk_list_item_get_item (list_item);
  g_autofree char *path = prism_run_catalogue_dup_picture (self->catalogue, item->card);
  GdkTexture *picture = g_hash_table_lookup (self->pictures, path);

  if (picture == NULL && (picture = gdk_texture_new_from_filename (path, NULL)) != NULL)
    {
      if (g_hash_table_size (self->pictures) == MOST_PICTURES)
        g_hash_table_remove_all (self->pictures);
      g_hash_table_insert (self->pictures, g_steal_pointer (&path), picture);
    }
  prism_library_row_set_item (PRISM_LIBRARY_ROW (gtk_list_item_get_child (list_item)), item,
                              picture);
}

static void
on_unbind (PrismLibraryWindow *self,
           GtkListItem *list_item)
{
  prism_library_row_set_item (PRISM_LIBRARY_ROW (gtk_list_item_get_child (list_item)), NULL, NULL);
}

static gboolean
on_drop (PrismLibraryWindow *self,
         const GValue *value)
{
  gboolean any = FALSE;

  for (GSList *link = g_value_get_boxed (value); link != NULL; link = link->next)
    {
      char *path = g_file_get_path (link->data);

      if (path == NULL || !g_str_has_suffix (path, PRISM_RUN_FILE_SUFFIX))
        {
          g_free (path);
          continue;
        }
      g_hash_table_add (self->wanted, path);
      any = TRUE;
    }
  tell (any ? NULL : _ ("Only run files (.prismrun) can join the library."), self);
  if (any && self->catalogue != NULL)
    read_files (self);
  return any;
}

static void
prism_library_window_dispose (PrismLibraryWindow *self)
{
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->list != NULL)
    gtk_list_view_set_model (self->list, NULL);
  self->list = NULL;
}

static void
prism_library_window_class_init (PrismLibraryWindowClass *klass)
{
  PRISM_DISPOSE (klass, PrismLibraryWindow, prism_library_index_close, index);
  PRISM_ON_DISPOSE (klass, prism_library_window_dispose);
  PRISM_DISPOSE (klass, PrismLibraryWindow, g_object_unref, selection, store);
  PRISM_DISPOSE (klass, PrismLibraryWindow, prism_run_catalogue_free, catalogue);
  PRISM_DISPOSE (klass, PrismLibraryWindow, g_hash_table_unref, items, folders, wanted, refused);
  PRISM_FINALIZE (klass, PrismLibraryWindow, g_hash_table_unref, pictures);
  PRISM_FINALIZE (klass, PrismLibraryWindow, g_free, runs);
  PRISM_FINALIZE (klass, PrismLibraryWindow, g_strfreev, words);
  gtk_widget_class_add_binding (GTK_WIDGET_CLASS (klass), GDK_KEY_d, GDK_CONTROL_MASK, on_star,
                                NULL);
  prism_signal_new (klass, "open-run", 1, G_TYPE_STRING);
  prism_signal_new (klass, "compare-runs", 1, G_TYPE_STRV);
  PRISM_TEMPLATE (klass, PrismLibraryWindow, "prism-library-window.ui", window_title, empty_label,
                  starred_button, order, search, problem, list, name_entry, tags_entry,
                  open_button, compare_button, trash_button);
  PRISM_TEMPLATE_CALLBACKS (klass, on_search_changed, on_search_activated, on_order_changed,
                            on_activate, on_renamed, on_open, on_compare, on_trash,
                            prism_search_leave);
}

/* In place of the next row: to the star, then to the name, or where several are chosen to their
 * tags. */
static gboolean
on_tab (GtkWidget *list,
        GVariant *args,
        gpointer data)
{
  PrismLibraryWindow *self = PRISM_LIBRARY_WINDOW (gtk_widget_get_root (list));
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self)), *row;

  row = gtk_widget_get_ancestor (focus, PRISM_TYPE_LIBRARY_ROW);
  if (row == NULL)
    row = gtk_widget_get_first_child (focus);
  if (row != NULL && prism_library_row_focus_star (PRISM_LIBRARY_ROW (row)))
    return TRUE;
  return gtk_widget_grab_focus (GTK_WIDGET (self->name_entry))
         || gtk_widget_grab_focus (GTK_WIDGET (self->tags_entry));
}

static void
create_models (PrismLibraryWindow *self)
{
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;

  self->store = g_list_store_new (PRISM_TYPE_LIBRARY_ITEM);
  self->filter = GTK_FILTER (gtk_custom_filter_new (is_shown, self, NULL));
  self->sorter = GTK_SORTER (gtk_custom_sorter_new (compare_items, self, NULL));
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->store)), self->filter);
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered), self->sorter);
  self->selection = GTK_SELECTION_MODEL (gtk_multi_selection_new (G_LIST_MODEL (sorted)));
  PRISM_CONNECT (self->selection, "selection-changed", on_selection_changed, self);
  /* A search may hide what was chosen, of which nothing else tells. */
  PRISM_CONNECT (self->selection, "items-changed", on_selection_changed, self);
}

/* Another program may have removed files meanwhile. */
static void
on_active_changed (PrismLibraryWindow *self)
{
  gboolean active = gtk_window_is_active (GTK_WINDOW (self));

  if (active && self->away && self->catalogue != NULL)
    read_files (self);
  self->away = !active;
}

static void
prism_library_window_init (PrismLibraryWindow *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  self->n_chosen = G_MAXUINT;
  self->words = g_new0 (char *, 1);
  self->pictures = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->items = g_hash_table_new (NULL, NULL);
  self->folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify) g_hash_table_unref);
  self->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
  create_models (self);
  g_signal_connect (self, "notify::is-active", G_CALLBACK (on_active_changed), NULL);
  PRISM_CONNECT (prism_settings_get_default (), "notify::kept-runs", show_next, self);
  PRISM_CONNECT (prism_settings_get_default (), "notify::kept-runs-size", show_next, self);
  PRISM_CONNECT (factory, "setup", on_setup, self);
  PRISM_CONNECT (factory, "bind", on_bind, self);
  PRISM_CONNECT (factory, "unbind", on_unbind, self);
  gtk_list_view_set_factory (self->list, factory);
  for (guint i = 0; i < 2; i++)
    gtk_shortcut_controller_add_shortcut (
        GTK_SHORTCUT_CONTROLLER (keys),
        gtk_shortcut_new (gtk_keyval_trigger_new (i == 0 ? GDK_KEY_Tab : GDK_KEY_Right, 0),
                          gtk_callback_action_new (on_tab, NULL, NULL)));
  gtk_widget_add_controller (GTK_WIDGET (self->list), keys);
  g_object_unref (factory);
  prism_widget_control (self, gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY), self,
                        "drop", on_drop, NULL);
}

/**
 * prism_library_window_new:
 * @catalogue: folder of the catalogue
 * @runs: folder that the program saves runs in
 *
 * Shows what is known at once, and reads files that are new or have changed on another thread.
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
prism_library_window_new (const char *catalogue,
                          const char *runs)
{
  PrismLibraryWindow *self = g_object_new (PRISM_TYPE_LIBRARY_WINDOW, NULL);
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;
  GPtrArray *cards;

  self->runs = g_strdup (runs);
  self->catalogue = prism_run_catalogue_new (catalogue, &error);
  on_selection_changed (self);
  if (self->catalogue == NULL)
    {
      tell (error->message, self);
      return GTK_WIDGET (self);
    }
  self->index = prism_library_index_new (self->catalogue, tell, self);
  cards = self->catalogue->cards;
  PRISM_FOR_EACH_POINTER (PrismRunCard, card, cards)
    g_ptr_array_add (items, create_item (self, card));
  g_list_store_splice (self->store, 0, 0, items->pdata, items->len);
  gtk_list_view_set_model (self->list, self->selection);
  show_next (self);
  read_files (self);
  count (self);
  return GTK_WIDGET (self);
}

/**
 * prism_library_window_refresh:
 * @self: a window
 *
 * Looks for files that are new or have changed, such as that of a run that has just ended.
 */
void
prism_library_window_refresh (PrismLibraryWindow *self)
{
  if (self->catalogue != NULL)
    read_files (self);
}
