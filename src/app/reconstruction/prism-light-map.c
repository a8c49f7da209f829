#include "config.h"

#include "reconstruction/prism-light-map.h"

#include "charts/prism-chart-plot.h"
#include "prism-finding-draw.h"

#include <glib/gi18n.h>

struct _PrismLightPanel
{
  GtkBox parent_instance;

  PrismFinding *finding; /* (nullable) */
  GtkDropDown *kind;
  PrismChartPlot *map;
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
  static const char *classes[2][2] = { { NULL }, { "warning", NULL } };
  const char *tip = prism_chart_plot_get_hover_text (self->map);
  GPtrArray *doubts = tip == NULL && self->finding != NULL && self->finding->doubts->len > 0
                          ? self->finding->doubts
                          : NULL;
  g_autoptr (GString) text = g_string_new (
      doubts != NULL ? NULL
      : tip != NULL  ? tip
                     : _ ("Choose a light to see its frame, measured and predicted."));

  for (guint i = 0; doubts != NULL && i < doubts->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                            (const char *) g_ptr_array_index (doubts, i));
  gtk_widget_set_css_classes (GTK_WIDGET (self->text), classes[doubts != NULL]);
  gtk_label_set_label (self->text, text->str);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text), text->str);
}

static void
on_chosen (PrismLightPanel *self,
           guint frame)
{
  g_signal_emit (self, signals[FRAME_CHOSEN], 0, frame);
}

/* The frame that is chosen stays where there is one of its number. */
static void
update (PrismLightPanel *self)
{
  const guint chosen = prism_chart_plot_get_chosen (self->map);
  g_autoptr (PrismChartData) data
      = prism_light_chart_new (self->finding, gtk_drop_down_get_selected (self->kind));

  prism_chart_plot_set_data (self->map, data);
  prism_chart_plot_set_chosen (self->map,
                               chosen < data->items->len ? chosen : PRISM_CHART_NO_ITEM);
  show_text (self);
}

static void
prism_light_panel_dispose (GObject *object)
{
  g_clear_pointer (&PRISM_LIGHT_PANEL (object)->finding, prism_finding_unref);
  G_OBJECT_CLASS (prism_light_panel_parent_class)->dispose (object);
}

static void
prism_light_panel_class_init (PrismLightPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = prism_light_panel_dispose;
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
    labels[k] = prism_light_kind_get_label (k);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->kind = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (labels));
  gtk_widget_set_halign (GTK_WIDGET (self->kind), GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->kind), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What the colours of the lights say"), -1);
  self->map = g_object_new (PRISM_TYPE_CHART_PLOT, "hexpand", TRUE, "vexpand", TRUE, NULL);
  self->text = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (self->text, PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (self->text, 0);
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->kind));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->map));
  gtk_box_append (GTK_BOX (self), GTK_WIDGET (self->text));
  g_signal_connect_swapped (self->map, "item-chosen", G_CALLBACK (on_chosen), self);
  g_signal_connect_swapped (self->map, "hover-changed", G_CALLBACK (show_text), self);
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (update), self);
  update (self);
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
  if (finding == self->finding)
    return;
  g_clear_pointer (&self->finding, prism_finding_unref);
  self->finding = finding != NULL ? prism_finding_ref (finding) : NULL;
  update (self);
}
