#include "config.h"

#include "kspace/prism-pattern-bar.h"

#include "support/prism-fit-box.h"

#include <glib/gi18n.h>

#define N_PARTS 4

struct _PrismPatternBar
{
  GtkWidget parent_instance;

  GtkWidget *edit_button;
  GtkWidget *patterns_button;
  GtkWidget *box;
  GtkLabel *labels[N_PARTS]; /* the most important first; what does not fit is left out */
};

G_DEFINE_FINAL_TYPE (PrismPatternBar, prism_pattern_bar, GTK_TYPE_WIDGET)

static void
prism_pattern_bar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PRISM_TYPE_PATTERN_BAR);
  G_OBJECT_CLASS (prism_pattern_bar_parent_class)->dispose (object);
}

static void
prism_pattern_bar_class_init (PrismPatternBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_pattern_bar_dispose;
  g_type_ensure (PRISM_TYPE_FIT_BOX);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/prism_studio/PrismStudio/prism-pattern-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, edit_button);
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, patterns_button);
  gtk_widget_class_bind_template_child (widget_class, PrismPatternBar, box);
  for (int i = 0; i < N_PARTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("label_%d", i + 1);

      gtk_widget_class_bind_template_child_full (
          widget_class, name, FALSE, G_STRUCT_OFFSET (PrismPatternBar, labels[i]));
    }
  gtk_widget_class_set_css_name (widget_class, "prism-pattern-bar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_pattern_bar_init (PrismPatternBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* GTK 4.8 reads the label inside as well as the name of the button. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->edit_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->patterns_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/* One label for each part, so that a narrow panel cuts none in two. */
static void
on_summary_changed (PrismPatternBar *self,
                    GParamSpec *pspec,
                    PrismPatternDesk *desk)
{
  g_auto (GStrv) parts = g_strsplit (prism_pattern_desk_get_summary (desk), " · ", N_PARTS);
  guint n_parts = g_strv_length (parts);

  for (guint i = 0; i < N_PARTS; i++)
    {
      gtk_label_set_text (self->labels[i], i < n_parts ? parts[i] : "");
      gtk_widget_set_visible (GTK_WIDGET (self->labels[i]), i < n_parts);
    }
}

/**
 * prism_pattern_bar_new:
 * @desk: what it shows
 *
 * Returns: (transfer floating): a bar, whose buttons activate actions of the window
 */
GtkWidget *
prism_pattern_bar_new (PrismPatternDesk *desk)
{
  PrismPatternBar *self = g_object_new (PRISM_TYPE_PATTERN_BAR, NULL);

  g_signal_connect_object (desk, "notify::summary", G_CALLBACK (on_summary_changed), self,
                           G_CONNECT_SWAPPED);
  on_summary_changed (self, NULL, desk);
  g_object_bind_property (desk, "details", self->box, "tooltip-text", G_BINDING_SYNC_CREATE);
  return GTK_WIDGET (self);
}
