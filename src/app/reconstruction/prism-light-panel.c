#include "config.h"

#include "reconstruction/prism-light-panel.h"

#include "reconstruction/prism-light-map.h"

#include <glib/gi18n.h>

struct _PrismLightPanel
{
  GtkBox parent_instance;

  GtkDropDown *kind;
  PrismLightMap *map;
  GtkLabel *text;
};

enum
{
  FRAME_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (PrismLightPanel, prism_light_panel, GTK_TYPE_BOX)

static void
show_text (PrismLightPanel *self)
{
  g_autofree char *text = prism_light_map_dup_text (self->map);

  gtk_label_set_label (self->text, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text), text);
}

static void
on_frame_chosen (PrismLightPanel *self,
                 guint frame)
{
  show_text (self);
  g_signal_emit (self, signals[FRAME_CHOSEN], 0, frame);
}

static void
on_kind_chosen (PrismLightPanel *self)
{
  prism_light_map_set_kind (self->map, gtk_drop_down_get_selected (self->kind));
}

static void
prism_light_panel_class_init (PrismLightPanelClass *klass)
{
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-light-panel");
  signals[FRAME_CHOSEN]
      = g_signal_new ("frame-chosen", PRISM_TYPE_LIGHT_PANEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
prism_light_panel_init (PrismLightPanel *self)
{
  const char *labels[PRISM_LIGHT_N_KINDS + 1] = { NULL };

  for (guint k = 0; k < PRISM_LIGHT_N_KINDS; k++)
    labels[k] = prism_light_draw_get_label (k);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->kind = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (labels));
  gtk_widget_set_halign (GTK_WIDGET (self->kind), GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->kind), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What the colours of the lights say"), -1);
  self->map = PRISM_LIGHT_MAP (prism_light_map_new ());
  self->text = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->text, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->text, 0);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->kind));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->map));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->text));
  g_signal_connect_swapped (self->map, "frame-chosen", G_CALLBACK (on_frame_chosen), self);
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (on_kind_chosen), self);
  show_text (self);
}

/**
 * prism_light_panel_set_finding:
 * @finding: (nullable): what is known
 *
 * Shows other frames.
 */
void
prism_light_panel_set_finding (PrismLightPanel *self,
                               PrismFinding *finding)
{
  prism_light_map_set_finding (self->map, finding);
  show_text (self);
}
