#include "config.h"

#include "library/prism-library-window.h"

#include "library/prism-library-index.h"
#include "library/prism-library-pictures.h"
#include "library/prism-library-row.h"
#include "run/prism-run-folder.h"
#include "run/prism-run-index.h"
#include "run/prism-run-lock.h"
#include "support/prism-job.h"
#include "support/prism-wording.h"

#include <glib/gi18n.h>
#include <math.h>

/* A job shows what it has after so many files and so much time. */
#define AT_ONCE 8
#define TURN 200 /* ms */

enum
{
  ORDER_NEWEST,
  ORDER_BEST,
  ORDER_LARGEST,
  ORDER_NAME,
};

struct _PrismLibraryWindow
{
  AdwWindow parent_instance;

  AdwWindowTitle *window_title;
  GtkLabel *empty_label;
  GtkToggleButton *starred_button;
  GtkDropDown *order;
  GtkEditable *search;
  GtkLabel *problem;
  GtkListView *list;
  GtkEditable *name_entry;
  GtkEditable *tags_entry;
  GtkWidget *open_button;
  GtkWidget *compare_button;
  GtkWidget *trash_button;

  PrismRunCatalogue *catalogue; /* (nullable): where it cannot be made */
  PrismLibraryIndex *index;     /* (nullable): as the catalogue is */
  char *runs;                   /* folder that the program saves runs in */
  GListStore *store;            /* of PrismLibraryItem */
  GHashTable *items;            /* card → its item, which the store keeps */
  PrismLibraryPictures *pictures;
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkSelectionModel *selection;
  char *words;         /* that are searched for, in lower case */
  GHashTable *wanted;  /* paths to be read, besides those of the folder */
  GHashTable *refused; /* paths that could not be read */
  gboolean reading;
  gboolean outdated; /* files are to be looked for once more when that is over */
};

enum
{
  OPEN_RUN,
  COMPARE_RUNS,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismLibraryWindow, prism_library_window, ADW_TYPE_WINDOW)

/* What one job after the other reads. The first finds out what there is to read. */
typedef struct
{
  PrismLibraryWindow *window;
  char *pictures;
  char *runs;
  GHashTable *known;   /* path → PrismRunCard with size and time alone */
  GHashTable *refused; /* path */
  GPtrArray *wanted;   /* of char: besides those of the folder */
  GPtrArray *paths;    /* (nullable) of char: what is to be read, of both */
  guint next;          /* of paths */
  GPtrArray *unread;   /* of char: what this job could not read */
} Reading;

static void read_files (PrismLibraryWindow *self);

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  g_clear_object (&reading->window);
  g_free (reading->pictures);
  g_free (reading->runs);
  g_clear_pointer (&reading->known, g_hash_table_unref);
  g_clear_pointer (&reading->refused, g_hash_table_unref);
  g_clear_pointer (&reading->wanted, g_ptr_array_unref);
  g_clear_pointer (&reading->paths, g_ptr_array_unref);
  g_clear_pointer (&reading->unread, g_ptr_array_unref);
  g_free (reading);
}

static gboolean
is_to_be_read (const Reading *reading,
               const char *path)
{
  const PrismRunCard *known = g_hash_table_lookup (reading->known, path);

  return (known == NULL || !prism_run_card_is_current (known))
         && !g_hash_table_contains (reading->refused, path);
}

/* The folder is listed once, however many jobs read what is in it. */
static void
find_paths (Reading *reading)
{
  g_autoptr (GPtrArray) listed = prism_run_folder_list_paths (reading->runs);

  reading->paths = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < reading->wanted->len; i++)
    if (is_to_be_read (reading, reading->wanted->pdata[i]))
      g_ptr_array_add (reading->paths, g_strdup (reading->wanted->pdata[i]));
  for (guint i = 0; i < listed->len; i++)
    if (is_to_be_read (reading, listed->pdata[i]) && !prism_run_lock_is_taken (listed->pdata[i]))
      g_ptr_array_add (reading->paths, g_strdup (listed->pdata[i]));
}

/* Another thread. */
static gpointer
read_some (gpointer data,
           GError **error)
{
  Reading *reading = data;
  GPtrArray *cards = g_ptr_array_new_with_free_func ((GDestroyNotify) prism_run_card_free);
  gint64 end = g_get_monotonic_time () + TURN * 1000;

  if (reading->paths == NULL)
    find_paths (reading);
  for (; reading->next < reading->paths->len
         && (cards->len < AT_ONCE || g_get_monotonic_time () < end);
       reading->next++)
    {
      const char *path = reading->paths->pdata[reading->next];
      PrismRunCard *card = prism_run_card_read (path, reading->pictures, NULL);

      if (card != NULL)
        g_ptr_array_add (cards, card);
      else
        g_ptr_array_add (reading->unread, g_strdup (path));
    }
  return cards;
}

static void
tell (PrismLibraryWindow *self,
      const char *sentence)
{
  gtk_label_set_label (self->problem, sentence != NULL ? sentence : "");
  gtk_widget_set_visible (GTK_WIDGET (self->problem), sentence != NULL);
}

static void
tell_failure (const char *sentence,
              gpointer self)
{
  tell (self, sentence);
}

static void
count (PrismLibraryWindow *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->store));
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  g_autofree char *text = NULL;

  if (shown == n)
    text = g_strdup_printf (ngettext ("%u run", "%u runs", n), n);
  else
    text = g_strdup_printf (_ ("%u of %u runs"), shown, n);
  adw_window_title_set_subtitle (self->window_title, text);
  gtk_label_set_text (self->empty_label,
                      n == 0 ? _ ("There are no runs yet. Each run that ends is kept here.")
                             : _ ("No run is like that. Change the search or the star."));
  gtk_widget_set_visible (GTK_WIDGET (self->empty_label), shown == 0);
}

static void
queue_save (PrismLibraryWindow *self)
{
  if (self->index != NULL)
    prism_library_index_changed (self->index);
}

static PrismLibraryItem *
create_item (PrismLibraryWindow *self,
             PrismRunCard *card)
{
  PrismLibraryItem *item = prism_library_item_new (card);

  g_hash_table_insert (self->items, card, item);
  return item;
}

static void
forget_picture (PrismLibraryWindow *self,
                const PrismRunCard *card)
{
  g_autofree char *picture = prism_run_catalogue_dup_picture (self->catalogue, card);

  prism_library_pictures_forget (self->pictures, picture);
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
      gboolean known = prism_run_catalogue_find (self->catalogue, card->path) != NULL;
      PrismRunCard *kept = prism_run_catalogue_add (self->catalogue, card);

      if (known)
        forget_picture (self, kept);
      if (known)
        prism_library_item_changed (g_hash_table_lookup (self->items, kept));
      else
        g_ptr_array_add (items, create_item (self, kept));
    }
  g_list_store_splice (self->store, g_list_model_get_n_items (G_LIST_MODEL (self->store)), 0,
                       items->pdata, items->len);
}

static void on_read (gpointer data, gpointer result, const GError *error);

static const PrismJob job
    = { "library", read_some, on_read, reading_free, (GDestroyNotify) g_ptr_array_unref };

static void
start_job (PrismLibraryWindow *self,
           Reading *reading)
{
  reading->unread = g_ptr_array_new_with_free_func (g_free);
  self->reading = TRUE;
  prism_job_start (&job, reading, NULL);
}

/* What is left goes to another job; the one that has ended frees what it found. */
static void
read_on (Reading *reading)
{
  Reading *next = g_new0 (Reading, 1);

  *next = *reading;
  *reading = (Reading) { .unread = reading->unread };
  start_job (next->window, next);
}

static void
on_read (gpointer data,
         gpointer result,
         const GError *error)
{
  Reading *reading = data;
  PrismLibraryWindow *self = reading->window;
  g_autoptr (GPtrArray) cards = result;
  gboolean more = reading->next < reading->paths->len;

  self->reading = FALSE;
  if (self->catalogue == NULL)
    return;
  for (guint i = 0; i < reading->unread->len; i++)
    g_hash_table_add (self->refused, g_strdup (reading->unread->pdata[i]));
  if (cards->len > 0)
    prism_library_index_grows (self->index);
  take_cards (self, cards);
  count (self);
  if (more)
    read_on (reading);
  else if (g_hash_table_size (self->wanted) > 0 || self->outdated)
    read_files (self);
}

static PrismRunCard *
dup_stamp (const PrismRunCard *card)
{
  PrismRunCard *stamp = g_new0 (PrismRunCard, 1);

  stamp->path = g_strdup (card->path);
  stamp->bytes = card->bytes;
  stamp->modified = card->modified;
  return stamp;
}

static void
read_files (PrismLibraryWindow *self)
{
  GPtrArray *cards = prism_run_catalogue_get_cards (self->catalogue);
  Reading *reading;
  GHashTableIter iter;
  gpointer path;

  self->outdated = self->reading;
  if (self->reading)
    return;
  reading = g_new0 (Reading, 1);
  reading->window = g_object_ref (self);
  reading->pictures = g_strdup (prism_run_catalogue_get_folder (self->catalogue));
  reading->runs = g_strdup (self->runs);
  reading->wanted = g_ptr_array_new_with_free_func (g_free);
  reading->known = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                          (GDestroyNotify) prism_run_card_free);
  reading->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < cards->len; i++)
    {
      PrismRunCard *stamp = dup_stamp (cards->pdata[i]);

      g_hash_table_insert (reading->known, stamp->path, stamp);
    }
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
      && !prism_library_item_get_card (item)->starred)
    return FALSE;
  return self->words[0] == '\0' || prism_library_item_matches (item, self->words);
}

static int
compare_items (gconstpointer first,
               gconstpointer second,
               gpointer data)
{
  PrismLibraryWindow *self = data;
  const PrismRunCard *a = prism_library_item_get_card ((gpointer) first);
  const PrismRunCard *b = prism_library_item_get_card ((gpointer) second);
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
      order = g_utf8_collate (a->name[0] != '\0' ? a->name : a->object,
                              b->name[0] != '\0' ? b->name : b->object);
      break;
    default:
      break;
    }
  return order != 0 ? order : g_strcmp0 (b->saved, a->saved);
}

static void
on_search_changed (PrismLibraryWindow *self)
{
  g_free (self->words);
  self->words = g_utf8_strdown (gtk_editable_get_text (self->search), -1);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  count (self);
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
      = items->len == 1 ? prism_library_item_get_card (items->pdata[0]) : NULL;

  gtk_widget_set_sensitive (self->open_button, items->len == 1);
  gtk_widget_set_sensitive (self->compare_button, items->len > 1);
  gtk_widget_set_sensitive (self->trash_button, items->len > 0);
  gtk_widget_set_sensitive (GTK_WIDGET (self->name_entry), card != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->tags_entry), items->len > 0);
  gtk_editable_set_text (self->name_entry, card != NULL ? card->name : "");
  gtk_editable_set_text (self->tags_entry, card != NULL ? card->tags : "");
}

static void
replace (char **text,
         const char *by)
{
  g_free (*text);
  *text = g_strstrip (g_strdup (by));
}

/* Tags go to all runs that are chosen, a name to one. */
static void
on_renamed (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);

  for (guint i = 0; i < items->len; i++)
    {
      PrismRunCard *card = prism_library_item_get_card (items->pdata[i]);

      if (items->len == 1)
        replace (&card->name, gtk_editable_get_text (self->name_entry));
      replace (&card->tags, gtk_editable_get_text (self->tags_entry));
      prism_library_item_changed (items->pdata[i]);
    }
  queue_save (self);
}

static void
on_activate (PrismLibraryWindow *self,
             guint position)
{
  g_autoptr (PrismLibraryItem) item
      = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  g_signal_emit (self, signals[OPEN_RUN], 0, prism_library_item_get_card (item)->path);
}

static void
on_open (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);

  if (items->len == 1)
    g_signal_emit (self, signals[OPEN_RUN], 0,
                   prism_library_item_get_card (items->pdata[0])->path);
}

static void
on_compare (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();

  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (paths, prism_library_item_get_card (items->pdata[i])->path);
  g_ptr_array_add (paths, NULL);
  g_signal_emit (self, signals[COMPARE_RUNS], 0, paths->pdata);
}

static void
on_trash (PrismLibraryWindow *self)
{
  g_autoptr (GPtrArray) items = list_selected (self);
  g_autofree char *sentence = NULL;

  for (guint i = 0; i < items->len; i++)
    {
      PrismRunCard *card = prism_library_item_get_card (items->pdata[i]);
      g_autoptr (GFile) file = g_file_new_for_path (card->path);
      g_autoptr (GError) error = NULL;
      guint position;

      if (!g_file_trash (file, NULL, &error)
          && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
        {
          g_free (sentence);
          sentence = g_strdup_printf (_ ("“%s” stays: %s."), card->path, error->message);
          continue;
        }
      if (g_list_store_find (self->store, items->pdata[i], &position))
        g_list_store_remove (self->store, position);
      g_hash_table_remove (self->items, card);
      prism_run_catalogue_remove (self->catalogue, card);
    }
  tell (self, sentence);
  queue_save (self);
  count (self);
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          PrismLibraryWindow *self)
{
  GtkWidget *row = prism_library_row_new ();

  g_signal_connect_object (row, "starred", G_CALLBACK (queue_save), self, G_CONNECT_SWAPPED);
  gtk_list_item_set_child (item, row);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *list_item,
         PrismLibraryWindow *self)
{
  PrismLibraryItem *item = gtk_list_item_get_item (list_item);
  g_autofree char *picture
      = prism_run_catalogue_dup_picture (self->catalogue, prism_library_item_get_card (item));

  prism_library_row_set_item (PRISM_LIBRARY_ROW (gtk_list_item_get_child (list_item)), item,
                              prism_library_pictures_get (self->pictures, picture));
}

static void
on_unbind (GtkSignalListItemFactory *factory,
           GtkListItem *list_item,
           PrismLibraryWindow *self)
{
  prism_library_row_set_item (PRISM_LIBRARY_ROW (gtk_list_item_get_child (list_item)), NULL, NULL);
}

static gboolean
on_drop (GtkDropTarget *target,
         const GValue *value,
         double x,
         double y,
         PrismLibraryWindow *self)
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
  tell (self, any ? NULL : _ ("Only run files (.prismrun) can join the library."));
  if (any && self->catalogue != NULL)
    read_files (self);
  return any;
}

static void
prism_library_window_dispose (GObject *object)
{
  PrismLibraryWindow *self = PRISM_LIBRARY_WINDOW (object);

  g_clear_pointer (&self->index, prism_library_index_close);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  if (self->list != NULL)
    gtk_list_view_set_model (self->list, NULL);
  self->list = NULL;
  g_clear_object (&self->store);
  g_clear_pointer (&self->catalogue, prism_run_catalogue_free);
  g_clear_pointer (&self->items, g_hash_table_unref);
  g_clear_pointer (&self->wanted, g_hash_table_unref);
  g_clear_pointer (&self->refused, g_hash_table_unref);
  G_OBJECT_CLASS (prism_library_window_parent_class)->dispose (object);
}

static void
prism_library_window_finalize (GObject *object)
{
  PrismLibraryWindow *self = PRISM_LIBRARY_WINDOW (object);

  prism_library_pictures_free (self->pictures);
  g_free (self->runs);
  g_free (self->words);
  G_OBJECT_CLASS (prism_library_window_parent_class)->finalize (object);
}

static void
bind_template (GtkWidgetClass *widget_class)
{
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-library-window.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, window_title);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, empty_label);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, starred_button);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, order);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, search);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, problem);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, list);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, name_entry);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, tags_entry);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, open_button);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, compare_button);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryWindow, trash_button);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_order_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_renamed);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
  gtk_widget_class_bind_template_callback (widget_class, on_compare);
  gtk_widget_class_bind_template_callback (widget_class, on_trash);
}

static void
prism_library_window_class_init (PrismLibraryWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_library_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = prism_library_window_finalize;
  signals[OPEN_RUN] = g_signal_new ("open-run", PRISM_TYPE_LIBRARY_WINDOW, G_SIGNAL_RUN_LAST, 0,
                                    NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[COMPARE_RUNS]
      = g_signal_new ("compare-runs", PRISM_TYPE_LIBRARY_WINDOW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_STRV);
  bind_template (widget_class);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_w, GDK_CONTROL_MASK, "window.close",
                                       NULL);
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
  g_signal_connect_object (self->selection, "selection-changed",
                           G_CALLBACK (on_selection_changed), self, G_CONNECT_SWAPPED);
}

static void
prism_library_window_init (PrismLibraryWindow *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  self->words = g_strdup ("");
  self->pictures = prism_library_pictures_new ();
  self->items = g_hash_table_new (NULL, NULL);
  self->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->refused = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  create_models (self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  gtk_list_view_set_factory (self->list, factory);
  g_object_unref (factory);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
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
      tell (self, error->message);
      return GTK_WIDGET (self);
    }
  self->index = prism_library_index_new (self->catalogue, tell_failure, self);
  cards = prism_run_catalogue_get_cards (self->catalogue);
  for (guint i = 0; i < cards->len; i++)
    g_ptr_array_add (items, create_item (self, cards->pdata[i]));
  g_list_store_splice (self->store, 0, 0, items->pdata, items->len);
  gtk_list_view_set_model (self->list, self->selection);
  count (self);
  read_files (self);
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

/**
 * prism_library_window_get_shown:
 * @self: a window
 *
 * Returns: (transfer none) (element-type PrismLibraryItem): the runs in its list
 */
GListModel *
prism_library_window_get_shown (PrismLibraryWindow *self)
{
  return G_LIST_MODEL (self->selection);
}

/**
 * prism_library_window_is_busy:
 * @self: a window
 *
 * Returns: whether files are being read
 */
gboolean
prism_library_window_is_busy (PrismLibraryWindow *self)
{
  return self->reading;
}
