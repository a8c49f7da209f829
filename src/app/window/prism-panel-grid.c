#include "config.h"

#include "window/prism-panel-grid.h"

#define SPACING 6       /* px, between tiles */
#define LEAST_WIDTH 176 /* px, of a tile; below it a chart cannot be read */
#define LEAST_HEIGHT 164
#define WANTED_WIDTH 210 /* px, below it a column is given up */
#define MAX_COLUMNS 4

struct _PrismPanelGrid
{
  GtkWidget parent_instance;

  PrismPanel *maximized; /* (nullable) */
  double scale;          /* of the text */
};

enum
{
  PROP_0,
  PROP_MAXIMIZED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* A tile's place in units of tiles. */
typedef struct
{
  int column;
  int row;
  int n_columns;
  int n_rows;
} Place;

static void prism_panel_grid_buildable_init (GtkBuildableIface *iface);

#define IS_BUILDABLE G_IMPLEMENT_INTERFACE (GTK_TYPE_BUILDABLE, prism_panel_grid_buildable_init)

G_DEFINE_FINAL_TYPE_WITH_CODE (PrismPanelGrid, prism_panel_grid, GTK_TYPE_WIDGET, IS_BUILDABLE)

static GtkBuildableIface *parent_buildable;

static void
set_maximized (PrismPanelGrid *self,
               PrismPanel *panel)
{
  PrismPanel *before = self->maximized;

  if (before == panel)
    return;
  self->maximized = panel;
  if (before != NULL)
    g_object_set (before, "maximized", FALSE, NULL);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MAXIMIZED]);
}

static void
on_panel_maximized (PrismPanelGrid *self,
                    GParamSpec *pspec,
                    PrismPanel *panel)
{
  if (prism_panel_get_maximized (panel))
    set_maximized (self, panel);
  else if (self->maximized == panel)
    set_maximized (self, NULL);
}

static void
prism_panel_grid_add_child (GtkBuildable *buildable,
                            GtkBuilder *builder,
                            GObject *child,
                            const char *type)
{
  if (!PRISM_IS_PANEL (child))
    {
      parent_buildable->add_child (buildable, builder, child, type);
      return;
    }
  gtk_widget_set_parent (GTK_WIDGET (child), GTK_WIDGET (buildable));
  g_signal_connect_object (child, "notify::maximized", G_CALLBACK (on_panel_maximized), buildable,
                           G_CONNECT_SWAPPED);
}

static void
prism_panel_grid_buildable_init (GtkBuildableIface *iface)
{
  parent_buildable = g_type_interface_peek_parent (iface);
  iface->add_child = prism_panel_grid_add_child;
}

static int
count_panels (PrismPanelGrid *self)
{
  int n = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n++;
  return n;
}

static int
get_columns (PrismPanelGrid *self,
             int width)
{
  int wanted = (int) (self->scale * WANTED_WIDTH);

  return CLAMP ((width + SPACING) / (wanted + SPACING), 2, MAX_COLUMNS);
}

/* The first panel takes 2×2 tiles, so that all others fill the rows beside and below it. */
static int
get_rows (int n_panels,
          int columns)
{
  return MAX (2, (n_panels - 1 + 4 + columns - 1) / columns);
}

/* Tiles right of the large one first, then row by row below it. */
static Place
get_place (int i,
           int columns)
{
  int beside = 2 * (columns - 2);
  Place place = { 0, 0, 2, 2 };

  if (i == 0)
    return place;
  place.n_columns = place.n_rows = 1;
  if (i <= beside)
    {
      place.column = 2 + (i - 1) % (columns - 2);
      place.row = (i - 1) / (columns - 2);
    }
  else
    {
      place.column = (i - 1 - beside) % columns;
      place.row = 2 + (i - 1 - beside) / columns;
    }
  return place;
}

static GtkSizeRequestMode
prism_panel_grid_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
prism_panel_grid_measure (GtkWidget *widget,
                          GtkOrientation orientation,
                          int for_size,
                          int *minimum,
                          int *natural,
                          int *minimum_baseline,
                          int *natural_baseline)
{
  PrismPanelGrid *self = PRISM_PANEL_GRID (widget);
  int columns = get_columns (self, for_size > 0 ? for_size : 2 * LEAST_WIDTH);
  int rows = get_rows (count_panels (self), columns);
  /* Of a panel the picture is the larger part, and that does not grow with the text. */
  int least = (int) ((1 + 0.5 * (self->scale - 1)) * LEAST_HEIGHT);

  /* GTK wants every child measured before it is allocated. */
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_measure (child, orientation, -1, NULL, NULL, NULL, NULL);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = 2 * LEAST_WIDTH + SPACING;
  else if (self->maximized != NULL)
    *minimum = *natural = 2 * least + SPACING;
  else
    *minimum = *natural = rows * (least + SPACING) - SPACING;
}

/* Edge number i of n equal tiles in whole pixels, so that rounding never opens a gap. */
static int
get_edge (int length,
          int n,
          int i)
{
  return (length + SPACING) * i / n;
}

static void
allocate_panel (GtkWidget *child,
                const Place *place,
                int columns,
                int rows,
                int width,
                int height)
{
  gboolean mirrored = gtk_widget_get_direction (child) == GTK_TEXT_DIR_RTL;
  int x0 = get_edge (width, columns, place->column);
  int x1 = get_edge (width, columns, place->column + place->n_columns) - SPACING;
  int y0 = get_edge (height, rows, place->row);
  int y1 = get_edge (height, rows, place->row + place->n_rows) - SPACING;
  GtkAllocation area = { mirrored ? width - x1 : x0, y0, x1 - x0, y1 - y0 };

  gtk_widget_size_allocate (child, &area, -1);
}

static void
prism_panel_grid_size_allocate (GtkWidget *widget,
                                int width,
                                int height,
                                int baseline)
{
  PrismPanelGrid *self = PRISM_PANEL_GRID (widget);
  int columns = get_columns (self, width);
  int rows = get_rows (count_panels (self), columns);
  int i = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child), i++)
    {
      Place place = get_place (i, columns);
      Place whole = { 0, 0, 1, 1 };
      gboolean shown = self->maximized == NULL || child == GTK_WIDGET (self->maximized);

      gtk_widget_set_child_visible (child, shown);
      if (!shown)
        continue;
      if (self->maximized != NULL)
        allocate_panel (child, &whole, 1, 1, width, height);
      else
        allocate_panel (child, &place, columns, rows, width, height);
    }
}

static void
prism_panel_grid_get_property (GObject *object,
                               guint id,
                               GValue *value,
                               GParamSpec *pspec)
{
  PrismPanelGrid *self = PRISM_PANEL_GRID (object);

  if (id == PROP_MAXIMIZED)
    g_value_set_object (value, self->maximized);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
prism_panel_grid_dispose (GObject *object)
{
  PrismPanelGrid *self = PRISM_PANEL_GRID (object);
  GtkWidget *child;

  self->maximized = NULL;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (prism_panel_grid_parent_class)->dispose (object);
}

static void
prism_panel_grid_class_init (PrismPanelGridClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = prism_panel_grid_dispose;
  object_class->get_property = prism_panel_grid_get_property;
  widget_class->get_request_mode = prism_panel_grid_get_request_mode;
  widget_class->measure = prism_panel_grid_measure;
  widget_class->size_allocate = prism_panel_grid_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);

  properties[PROP_MAXIMIZED] = g_param_spec_object ("maximized", NULL, NULL, PRISM_TYPE_PANEL,
                                                    G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
prism_panel_grid_init (PrismPanelGrid *self)
{
  self->scale = 1;
}

/**
 * prism_panel_grid_new:
 *
 * Makes an empty grid; the first of its panels is the large one.
 *
 * Returns: (transfer floating): the grid
 */
GtkWidget *
prism_panel_grid_new (void)
{
  return g_object_new (PRISM_TYPE_PANEL_GRID, NULL);
}

/**
 * prism_panel_grid_set_scale:
 * @self: a grid
 * @scale: of the text in the panels, 1 for its usual size
 *
 * Makes the least sizes of tiles fit to the text.
 */
void
prism_panel_grid_set_scale (PrismPanelGrid *self,
                            double scale)
{
  self->scale = scale;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * prism_panel_grid_get_maximized:
 * @self: a grid
 *
 * Returns: (transfer none) (nullable): the panel that is shown alone
 */
PrismPanel *
prism_panel_grid_get_maximized (PrismPanelGrid *self)
{
  return self->maximized;
}
