#include "config.h"

#include "library/prism-library-row.h"

#include "base/prism-each.h"
#include "config/prism-builtin.h"
#include "model/prism-verdict.h"
#include "run/prism-run-folder.h"
#include "support/prism-widget.h"
#include "support/prism-ui-text.h"

#define MOST_SETTINGS 6

G_DEFINE_FINAL_TYPE (PrismLibraryItem, prism_library_item, G_TYPE_OBJECT)

static void
prism_library_item_class_init (PrismLibraryItemClass *klass)
{
  PRISM_FINALIZE (klass, PrismLibraryItem, g_free, object, searched, place);
  PRISM_FINALIZE (klass, PrismLibraryItem, g_hash_table_unref, counts);
  prism_signal_new (klass, "changed", 0);
}

static void
prism_library_item_init (PrismLibraryItem *self)
{
}

static guint
get_count (GHashTable *counts,
           const char *text)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (counts, text));
}

static void
add_one (GHashTable *counts,
         char *text)
{
  g_hash_table_insert (counts, text, GUINT_TO_POINTER (get_count (counts, text) + 1));
}

/* How many runs are in the folder, "", say a setting, "snr=20", and any but the default, "snr". */
static GHashTable *
join_folder (const PrismRunCard *card,
             GHashTable *folders)
{
  g_autofree char *folder = g_path_get_dirname (card->path);
  GHashTable *counts = g_hash_table_lookup (folders, folder);
  g_auto (GStrv) settings = g_strsplit (card->settings, ";", -1);

  if (counts == NULL)
    {
      counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_hash_table_insert (folders, g_steal_pointer (&folder), counts);
    }
  add_one (counts, g_strdup (""));
  for (char **setting = settings; *setting != NULL; setting++)
    {
      add_one (counts, g_strdup (*setting));
      add_one (counts, g_strndup (*setting, strcspn (*setting, "=")));
    }
  return g_hash_table_ref (counts);
}

/**
 * prism_library_item_new:
 * @card: of a catalogue that outlives the item
 * @folders: (element-type utf8 GHashTable): what is known of the folders of other items
 *
 * Returns: (transfer full): an item
 */
PrismLibraryItem *
prism_library_item_new (PrismRunCard *card,
                        GHashTable *folders)
{
  PrismLibraryItem *self = g_object_new (PRISM_TYPE_LIBRARY_ITEM, NULL);

  self->card = card;
  self->counts = join_folder (card, folders);
  self->object = prism_builtin_dup_label (card->object);
  return self;
}

/* Runs of the folder that have the value that a setting says, or the default of a key. */
static guint
count_alike (GHashTable *counts,
             const char *setting)
{
  const guint n = get_count (counts, setting);

  return strchr (setting, '=') != NULL ? n : get_count (counts, "") - n;
}

static int
compare_settings (gconstpointer a,
                  gconstpointer b,
                  gpointer counts)
{
  return (int) count_alike (counts, *(char *const *) a)
         - (int) count_alike (counts, *(char *const *) b);
}

/* A card that says what is not allowed any more is silent about it. */
static PrismConfig *
new_config (const PrismRunCard *card,
            GStrv settings)
{
  const gboolean recorded = card->frames[0] != '\0';
  PrismConfig *config = recorded ? prism_config_new_recorded () : prism_config_new ();

  if (!recorded)
    prism_config_set_text (config, "object", card->object, NULL);
  for (; *settings != NULL; settings++)
    {
      g_auto (GStrv) pair = g_strsplit (*settings, "=", 2);

      if (pair[0] != NULL && pair[1] != NULL && prism_config_get_param (pair[0]) != NULL)
        prism_config_set_text (config, pair[0], pair[1], NULL);
    }
  return config;
}

/* Returns: (nullable): the parameter of a setting, or of a key, that can change the run */
static const PrismParam *
find_param (const PrismConfig *config,
            const char *setting)
{
  g_autofree char *key = g_strndup (setting, strcspn (setting, "="));
  const PrismParam *param = prism_config_get_param (key);

  return param != NULL && prism_config_applies (config, param) ? param : NULL;
}

static void
append_value (GString *text,
              const PrismConfig *config,
              const char *setting)
{
  const PrismParam *param = find_param (config, setting);
  g_autofree char *value = param != NULL ? prism_ui_text_dup_value (config, param) : NULL;

  if (param != NULL)
    g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", gettext (param->label),
                            value);
}

/* "Signal to noise 20 dB, Aperture radius 12 px": what differs from the defaults, as it is said
 * elsewhere, and a default that half of the folder's runs do not have; what fewest of them have
 * first, since the end of a row is cut. */
static char *
dup_settings (const PrismLibraryItem *self)
{
  const gboolean recorded = self->card->frames[0] != '\0';
  g_auto (GStrv) settings = g_strsplit (self->card->settings, ";", -1);
  g_autoptr (PrismConfig) config = new_config (self->card, settings);
  g_autoptr (PrismConfig) defaults = prism_config_new ();
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  GString *text = g_string_new (NULL);
  GHashTableIter iter;
  gpointer key, n;

  for (char **setting = settings; *setting != NULL; setting++)
    if (find_param (config, *setting) != NULL)
      g_ptr_array_add (shown, *setting);
  g_hash_table_iter_init (&iter, self->counts);
  while (!recorded && g_hash_table_iter_next (&iter, &key, &n))
    {
      const PrismParam *param = find_param (config, key);

      if (param != NULL && 2 * GPOINTER_TO_UINT (n) >= get_count (self->counts, "")
          && !prism_config_differs (config, defaults, param))
        g_ptr_array_add (shown, key);
    }
  g_ptr_array_sort_with_data (shown, compare_settings, self->counts);
  g_ptr_array_set_size (shown, (int) MIN (shown->len, MOST_SETTINGS));
  PRISM_FOR_EACH_POINTER (const char, setting, shown)
    append_value (text, config, setting);
  return g_string_free (text, FALSE);
}

/**
 * prism_library_item_get_title:
 * @self: an item
 *
 * Returns: (transfer none): the name that it was given, or else what the run is of
 */
const char *
prism_library_item_get_title (const PrismLibraryItem *self)
{
  return self->card->name[0] != '\0' ? self->card->name : self->object;
}

/* The settings in which it differs from the defaults, and its tags. */
static char *
dup_details (const PrismLibraryItem *self)
{
  const PrismRunCard *card = self->card;
  g_autofree char *settings = dup_settings (self);
  const char *object = card->name[0] != '\0' ? self->object : "";
  const char *comma = object[0] != '\0' && settings[0] != '\0' ? ", " : "";

  return g_strdup_printf ("%s%s%s%s%s", object, comma, settings,
                          card->tags[0] != '\0' ? "  #" : "", card->tags);
}

/**
 * prism_library_item_dup_numbers:
 * @self: an item
 *
 * Returns: (transfer full): PSNR or misfit of held-out frames, verdict or that it cannot be read,
 *   date and size on disk, and whether it goes next
 */
char *
prism_library_item_dup_numbers (PrismLibraryItem *self)
{
  const PrismRunCard *card = self->card;
  const PrismVerdict judged = { .kind = prism_verdict_find (card->verdict) };
  g_autofree char *date = prism_machine_wording_dup_time (card->saved);
  g_autofree char *size = g_format_size_full (card->bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *quality = isfinite (card->psnr) ? g_strdup_printf (_ ("%.1f dB"), card->psnr)
                             : isfinite (card->misfit)
                                 ? g_strdup_printf (_ ("misfit %.4f"), card->misfit)
                                 : g_strdup ("–");
  g_autofree char *verdict = self->unread ? g_strdup (_ ("its file cannot be read"))
                             : judged.kind != PRISM_VERDICT_OPEN
                                 ? prism_verdict_dup_label (&judged, card->coverage)
                                 : g_strdup (_ ("not judged"));

  return g_strdup_printf ("%s · %s · %s · %s%s%s", quality, verdict, date, size,
                          self->next ? " · " : "", self->next ? _ ("goes next") : "");
}

/* All that it states, and what one sets first where that is the default; of recorded frames nothing
 * beside. */
static char *
dup_values (const PrismRunCard *card)
{
  static const char *const keys[] = { "object_size", "image_size", "aperture_radius",
                                      "samples", "pattern", "snr", "method" };
  g_auto (GStrv) settings = g_strsplit (card->settings, ";", -1);
  g_autoptr (PrismConfig) config = new_config (card, settings);
  GString *text = g_string_new (NULL);

  for (char **setting = settings; *setting != NULL; setting++)
    append_value (text, config, *setting);
  for (guint i = 0; card->frames[0] == '\0' && i < G_N_ELEMENTS (keys); i++)
    append_value (text, config, keys[i]);
  return g_string_free (text, FALSE);
}

#define PLACE "/" /* before a word that may be of a path, too */

/**
 * prism_library_item_split:
 * @typed: what is searched for
 *
 * Returns: (transfer full): its words as prism_library_item_matches() wants them: folded, with a
 *   blank before each and, so that “20” is no part of “2026”, after each number
 */
GStrv
prism_library_item_split (const char *typed)
{
  g_auto (GStrv) parts = g_strsplit_set (typed, " \t", -1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  PRISM_FOR_EACH_STRING (part, parts)
    {
      g_autofree char *folded = prism_ui_text_dup_folded (*part);
      const gsize length = strlen (folded);
      g_autofree char *word
          = g_strconcat (strchr (*part, *PLACE) != NULL ? PLACE : "", folded, NULL);

      if (length < 2)
        continue;
      if (!g_ascii_isdigit (folded[length - 2]))
        g_strchomp (word);
      g_strv_builder_add (builder, word);
    }
  return g_strv_builder_end (builder);
}

/**
 * prism_library_item_matches:
 * @self: an item
 * @words: of prism_library_item_split()
 *
 * Returns: whether all words are in its number, name, object, settings, first values, tags and
 *   numbers; one with a slash may be in its path
 */
gboolean
prism_library_item_matches (PrismLibraryItem *self,
                            GStrv words)
{
  if (self->searched == NULL)
    {
      const PrismRunCard *card = self->card;
      const guint n = prism_run_folder_get_number (card->path);
      g_autofree char *number = n > 0 ? g_strdup_printf ("%u", n) : g_strdup ("");
      g_autofree char *numbers = prism_library_item_dup_numbers (self);
      g_autofree char *values = dup_values (card);
      g_autofree char *all = g_strjoin (" ", number, card->name, self->object, values, card->tags,
                                        numbers, card->settings, NULL);

      self->searched = prism_ui_text_dup_folded (all);
      self->place = prism_ui_text_dup_folded (card->path);
    }
  for (; *words != NULL; words++)
    if (!(**words == *PLACE ? strstr (self->searched, *words + 1) != NULL
                                  || strstr (self->place, *words + 1) != NULL
                            : strstr (self->searched, *words) != NULL))
      return FALSE;
  return TRUE;
}

/**
 * prism_library_item_set_next:
 * @self: an item
 * @next: whether its file goes when another run is kept
 */
void
prism_library_item_set_next (PrismLibraryItem *self,
                             gboolean next)
{
  if (self->next == next)
    return;
  self->next = next;
  prism_library_item_changed (self);
}

/**
 * prism_library_item_changed:
 * @self: an item
 *
 * Tells that its card is another.
 */
void
prism_library_item_changed (PrismLibraryItem *self)
{
  g_clear_pointer (&self->searched, g_free);
  g_clear_pointer (&self->place, g_free);
  g_signal_emit_by_name (self, "changed");
}

struct _PrismLibraryRow
{
  AdwBin parent_instance;

  GtkImage *image;
  GtkLabel *title;
  GtkLabel *details;
  GtkLabel *numbers;
  GtkToggleButton *star;

  PrismLibraryItem *item; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (PrismLibraryRow, prism_library_row, ADW_TYPE_BIN)

static void
update (PrismLibraryRow *self)
{
  const PrismRunCard *card = self->item->card;
  const char *name = prism_library_item_get_title (self->item);
  const guint number = prism_run_folder_get_number (card->path);
  g_autofree char *title
      = number > 0 ? g_strdup_printf ("%u · %s", number, name) : g_strdup (name);
  g_autofree char *details = dup_details (self->item);
  g_autofree char *numbers = prism_library_item_dup_numbers (self->item);
  g_autofree char *star = g_strdup_printf (_ ("Star “%s”"), title);
  g_autofree char *tooltip = g_strdup_printf (
      "%s\n%s", card->path,
      _ ("When another run is kept, this one goes to the trash: the preferences say how many stay."
         " A star, a name or a tag keeps it."));

  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->details, details);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->details), details);
  gtk_label_set_label (self->numbers, numbers);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), self->item->next ? tooltip : card->path);
  prism_widget_set_name (self->star, star);
  gtk_toggle_button_set_active (self->star, card->starred);
  gtk_button_set_icon_name (GTK_BUTTON (self->star),
                            card->starred ? "starred-symbolic" : "non-starred-symbolic");
}

static void
on_star_toggled (PrismLibraryRow *self)
{
  const gboolean starred = gtk_toggle_button_get_active (self->star);

  if (self->item == NULL || self->item->card->starred == starred)
    return;
  self->item->card->starred = starred;
  prism_library_item_changed (self->item);
  g_signal_emit_by_name (self, "starred");
}

/* GTK would give the star the keyboard in place of the row. */
static void
on_star_left (PrismLibraryRow *self)
{
  gtk_widget_set_can_focus (GTK_WIDGET (self->star), FALSE);
}

static void
prism_library_row_class_init (PrismLibraryRowClass *klass)
{
  PRISM_DISPOSE (klass, PrismLibraryRow, g_object_unref, item);
  prism_signal_new (klass, "starred", 0);
  PRISM_TEMPLATE (klass, PrismLibraryRow, "prism-library-row.ui", image, title, details,
                  numbers, star);
  PRISM_TEMPLATE_CALLBACKS (klass, on_star_left, on_star_toggled, prism_label_show_sign);
}

static void
prism_library_row_init (PrismLibraryRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_library_row_set_item:
 * @self: a row
 * @item: (nullable): what it shows
 * @picture: (nullable): the small picture
 *
 * Shows another run, as a list does while it is scrolled.
 */
void
prism_library_row_set_item (PrismLibraryRow *self,
                            PrismLibraryItem *item,
                            GdkTexture *picture)
{
  if (self->item != NULL)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_set_object (&self->item, item);
  if (item == NULL)
    return;
  PRISM_CONNECT (item, "changed", update, self);
  if (picture != NULL)
    gtk_image_set_from_paintable (self->image, GDK_PAINTABLE (picture));
  else
    gtk_image_set_from_icon_name (self->image, "image-missing-symbolic");
  update (self);
}

/**
 * prism_library_row_focus_star:
 * @self: a row
 *
 * Returns: whether the keyboard has gone to the star; it does not where the star has it
 */
gboolean
prism_library_row_focus_star (PrismLibraryRow *self)
{
  GtkWidget *star = GTK_WIDGET (self->star);

  if (gtk_widget_is_focus (star))
    return FALSE;
  gtk_widget_set_can_focus (star, TRUE);
  return gtk_widget_grab_focus (star);
}
