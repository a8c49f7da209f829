#include "config.h"

#include "support/prism-fit-box.h"

#define SPACING 16 /* px */

struct _PrismFitBox
{
  GtkWidget parent_instance;
};

static void prism_fit_box_buildable_init (GtkBuildableIface *iface);

#define IS_BUILDABLE G_IMPLEMENT_INTERFACE (GTK_TYPE_BUILDABLE, prism_fit_box_buildable_init)

G_DEFINE_FINAL_TYPE_WITH_CODE (PrismFitBox, prism_fit_box, GTK_TYPE_WIDGET, IS_BUILDABLE)

static GtkBuildableIface *parent_buildable;

static void
prism_fit_box_add_child (GtkBuildable *buildable,
                         GtkBuilder *builder,
                         GObject *child,
                         const char *type)
{
  if (GTK_IS_WIDGET (child))
    gtk_widget_set_parent (GTK_WIDGET (child), GTK_WIDGET (buildable));
  else
    parent_buildable->add_child (buildable, builder, child, type);
}

static void
prism_fit_box_buildable_init (GtkBuildableIface *iface)
{
  parent_buildable = g_type_interface_peek_parent (iface);
  iface->add_child = prism_fit_box_add_child;
}

static int
get_child_width (GtkWidget *child)
{
  GtkRequisition natural;

  gtk_widget_get_preferred_size (child, NULL, &natural);
  return natural.width;
}

/* The least is the first child alone; the rest is there when there is room. */
static void
prism_fit_box_measure (GtkWidget *widget,
                       GtkOrientation orientation,
                       int for_size,
                       int *minimum,
                       int *natural,
                       int *minimum_baseline,
                       int *natural_baseline)
{
  gboolean first = TRUE;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int child_minimum;
      int child_natural;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, orientation, -1, &child_minimum, &child_natural, NULL, NULL);
      if (orientation == GTK_ORIENTATION_VERTICAL)
        {
          *minimum = MAX (*minimum, child_minimum);
          *natural = MAX (*natural, child_natural);
        }
      else
        {
          *minimum += first ? child_minimum : 0;
          *natural += child_natural + (first ? 0 : SPACING);
        }
      first = FALSE;
    }
}

static void
allocate_child (GtkWidget *widget,
                GtkWidget *child,
                int x,
                int child_width,
                int width,
                int height,
                int baseline)
{
  gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkAllocation area = { mirrored ? width - x - child_width : x, 0, child_width, height };

  gtk_widget_size_allocate (child, &area, baseline);
}

static void
prism_fit_box_size_allocate (GtkWidget *widget,
                             int width,
                             int height,
                             int baseline)
{
  int x = 0;
  gboolean full = FALSE;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int child_width;

      if (!gtk_widget_should_layout (child))
        continue;
      child_width = get_child_width (child);
      /* Once one does not fit, no later one is shown: they come in order of importance. */
      full = full || (x > 0 && x + child_width > width);
      gtk_widget_set_child_visible (child, !full);
      if (full)
        continue;
      allocate_child (widget, child, x, MIN (child_width, width), width, height, baseline);
      x += child_width + SPACING;
    }
}

static void
prism_fit_box_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (prism_fit_box_parent_class)->dispose (object);
}

static void
prism_fit_box_class_init (PrismFitBoxClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_fit_box_dispose;
  widget_class->measure = prism_fit_box_measure;
  widget_class->size_allocate = prism_fit_box_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_fit_box_init (PrismFitBox *self)
{
}
