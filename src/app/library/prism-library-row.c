#include "config.h"

#include "library/prism-library-row.h"

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
  PRISM_FINALIZE (klass, PrismLibraryItem, g_free, object, searched);
  prism_signal_new (klass, "changed", 0);
}

static void
prism_library_item_init (PrismLibraryItem *self)
{
}

/**
 * prism_library_item_new:
 * @card: of a catalogue that outlives the item
 *
 * Returns: (transfer full): an item
 */
PrismLibraryItem *
prism_library_item_new (PrismRunCard *card)
{
  PrismLibraryItem *self = g_object_new (PRISM_TYPE_LIBRARY_ITEM, NULL);

  self->card = card;
  self->object = prism_builtin_dup_label (card->object);
  return self;
}

/* "Aperture radius 12 px, Signal to noise 20 dB": what differs from the defaults, as it is said
 * elsewhere. A card that says what is not allowed any more is silent about it. */
static char *
dup_settings (const PrismRunCard *card)
{
  g_auto (GStrv) settings = g_strsplit (card->settings, ";", -1);
  g_autoptr (PrismConfig) config = prism_config_new ();
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (char **setting = settings; card->frames[0] != '\0' && *setting != NULL; setting++)
    g_string_append_printf (text, "%s%s", n++ > 0 ? ", " : "", g_strdelimit (*setting, "=", ' '));
  if (card->frames[0] != '\0')
    return g_string_free (text, FALSE);
  for (char **setting = settings; *setting != NULL && n < MOST_SETTINGS; setting++)
    {
      char *value = strchr (*setting, '=');
      const PrismParam *param;
      g_autofree char *shown = NULL;

      if (value == NULL)
        continue;
      *value++ = '\0';
      param = prism_config_get_param (*setting);
      if (param == NULL || !prism_config_set_text (config, *setting, value, NULL))
        continue;
      shown = prism_ui_text_dup_value (config, param);
      g_string_append_printf (text, "%s%s %s", n++ > 0 ? ", " : "", gettext (param->label), shown);
    }
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
  g_autofree char *settings = dup_settings (card);
  const char *object = card->name[0] != '\0' ? self->object : "";
  const char *comma = object[0] != '\0' && settings[0] != '\0' ? ", " : "";

  return g_strdup_printf ("%s%s%s%s%s", object, comma, settings,
                          card->tags[0] != '\0' ? "  #" : "", card->tags);
}

/**
 * prism_library_item_dup_numbers:
 * @self: an item
 *
 * Returns: (transfer full): PSNR or misfit of held-out frames, verdict, date and size on disk, and
 *   whether it goes next
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
  const char *verdict = judged.kind != PRISM_VERDICT_OPEN
                            ? gettext (prism_verdict_get_label (&judged, card->coverage))
                            : _ ("not judged");

  return g_strdup_printf ("%s · %s · %s · %s%s%s", quality, verdict, date, size,
                          self->next ? " · " : "", self->next ? _ ("goes next") : "");
}

/**
 * prism_library_item_matches:
 * @self: an item
 * @words: of prism_ui_text_split()
 *
 * Returns: whether all words are in its name, object, settings, tags, numbers or path
 */
gboolean
prism_library_item_matches (PrismLibraryItem *self,
                            GStrv words)
{
  if (self->searched == NULL)
    {
      g_autofree char *details = dup_details (self);
      g_autofree char *numbers = prism_library_item_dup_numbers (self);
      g_autofree char *all
          = g_strjoin (" ", prism_library_item_get_title (self), details, numbers,
                       self->card->settings, self->card->path, NULL);

      self->searched = prism_ui_text_dup_folded (all);
    }
  for (; *words != NULL; words++)
    if (strstr (self->searched, *words) == NULL)
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
  PRISM_TEMPLATE_CALLBACKS (klass, on_star_left, on_star_toggled);
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
