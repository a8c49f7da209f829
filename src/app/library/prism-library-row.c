#include "config.h"

#include "library/prism-library-row.h"

#include "support/prism-wording.h"

#include <glib/gi18n.h>

struct _PrismLibraryRow
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkImage *image;
  GtkLabel *title;
  GtkLabel *details;
  GtkLabel *numbers;
  GtkToggleButton *star;

  PrismLibraryItem *item; /* (nullable) */
  gboolean updating;
};

static guint starred_signal;

G_DEFINE_FINAL_TYPE (PrismLibraryRow, prism_library_row, GTK_TYPE_WIDGET)

static char *
dup_tooltip (PrismLibraryItem *item)
{
  const PrismRunCard *card = prism_library_item_get_card (item);

  if (!prism_library_item_get_next (item))
    return g_strdup (card->path);
  return g_strdup_printf ("%s\n%s", card->path,
                          _ ("When another run is kept, this one goes to the trash: the preferences"
                             " say how many stay. A star, a name or a tag keeps it."));
}

static void
update (PrismLibraryRow *self)
{
  PrismRunCard *card = prism_library_item_get_card (self->item);
  g_autofree char *title = prism_library_item_dup_title (self->item);
  g_autofree char *details = prism_library_item_dup_details (self->item);
  g_autofree char *numbers = prism_library_item_dup_numbers (self->item);
  g_autofree char *name = g_strdup_printf (_ ("Star “%s”"), title);
  g_autofree char *tooltip = dup_tooltip (self->item);

  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->details, details);
  gtk_label_set_label (self->numbers, numbers);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->star), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  self->updating = TRUE;
  gtk_toggle_button_set_active (self->star, card->starred);
  gtk_button_set_icon_name (GTK_BUTTON (self->star),
                            card->starred ? "starred-symbolic" : "non-starred-symbolic");
  self->updating = FALSE;
}

static void
on_star_toggled (PrismLibraryRow *self)
{
  if (self->item == NULL || self->updating)
    return;
  prism_library_item_get_card (self->item)->starred = gtk_toggle_button_get_active (self->star);
  prism_library_item_changed (self->item);
  g_signal_emit (self, starred_signal, 0);
}

static void
prism_library_row_dispose (GObject *object)
{
  PrismLibraryRow *self = PRISM_LIBRARY_ROW (object);

  if (self->item != NULL)
    g_signal_handlers_disconnect_by_data (self->item, self);
  g_clear_object (&self->item);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS (prism_library_row_parent_class)->dispose (object);
}

static void
prism_library_row_class_init (PrismLibraryRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_library_row_dispose;
  starred_signal = g_signal_new ("starred", PRISM_TYPE_LIBRARY_ROW, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-library-row.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, content);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, image);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, title);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, details);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, numbers);
  gtk_widget_class_bind_template_child (widget_class, PrismLibraryRow, star);
  gtk_widget_class_bind_template_callback (widget_class, on_star_toggled);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
prism_library_row_init (PrismLibraryRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_library_row_new:
 *
 * Returns: (transfer floating): a row without a run
 */
GtkWidget *
prism_library_row_new (void)
{
  return g_object_new (PRISM_TYPE_LIBRARY_ROW, NULL);
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
  g_signal_connect_swapped (item, "changed", G_CALLBACK (update), self);
  if (picture != NULL)
    gtk_image_set_from_paintable (self->image, GDK_PAINTABLE (picture));
  else
    gtk_image_set_from_icon_name (self->image, "image-missing-symbolic");
  update (self);
}
