#include "config.h"

#include "window/prism-panel-grid.h"

#include "support/prism-widget.h"
#include "window/prism-arrangement.h"

#define SPACING 6       /* px, between tiles */
#define LEAST_WIDTH 176 /* px, of a tile; below it a chart cannot be read */
#define LEAST_HEIGHT 164
#define WANTED_WIDTH 210 /* px, below it a column is given up */
#define NEAR 0.2         /* of a row: so much may be missing where rows are made to fit a page */
#define MAX_COLUMNS 4
#define MAX_ROWS 16
#define MAX_PANELS 32

/* Of one direction: where tiles end, as parts of the whole. */
#define LINES_TYPE "a{sad}"

struct _PrismPanelGrid
{
  GtkWidget parent_instance;

  PrismPanel *maximized; /* (nullable) */
  double scale;          /* of the text */
  int page;              /* px, of which is seen at a time; 0 where that is not known */
  const PrismArrangement *arrangement;
  const char *front; /* (nullable): id of the panel that has the reconstruction's place */
  GVariant *lines;   /* “teach-4-0” → where lines are that were moved */
  GtkWidget *columns[MAX_COLUMNS - 1];
  GtkWidget *rows[MAX_ROWS - 1];
};

/* How panels lie in a certain width. */
typedef struct
{
  GtkWidget *panels[MAX_PANELS];
  PrismPlace places[MAX_PANELS];
  int n_panels; /* that have a place: the first ones */
  int n_all;
  int n_columns;
  int n_rows;
} Layout;

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
  g_object_notify (G_OBJECT (self), "maximized");
}

static void
on_panel_maximized (PrismPanelGrid *self,
                    GParamSpec *pspec,
                    PrismPanel *panel)
{
  if (panel->maximized)
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
  gtk_widget_insert_before (GTK_WIDGET (child), GTK_WIDGET (buildable),
                            PRISM_PANEL_GRID (buildable)->columns[0]);
  PRISM_CONNECT (child, "notify::maximized", on_panel_maximized, buildable);
}

static void
prism_panel_grid_buildable_init (GtkBuildableIface *iface)
{
  parent_buildable = g_type_interface_peek_parent (iface);
  iface->add_child = prism_panel_grid_add_child;
}

static int
get_least (PrismPanelGrid *self,
           GtkOrientation orientation)
{
  /* Of a panel the picture is the larger part, and that does not grow with the text. */
  return orientation == GTK_ORIENTATION_HORIZONTAL
             ? LEAST_WIDTH
             : (int) ((1 + 0.5 * (self->scale - 1)) * LEAST_HEIGHT);
}

/* How many rows a page has. */
static int
count_seen (PrismPanelGrid *self)
{
  const double least = get_least (self, GTK_ORIENTATION_VERTICAL) + SPACING;

  return (int) (self->page / least + NEAR);
}

static gboolean
is_spare (PrismPanelGrid *self,
          const char *id)
{
  for (const PrismArrangementTile *tile = self->arrangement->tiles; tile->id != NULL; tile++)
    if (g_strcmp0 (tile->id, id) == 0)
      return FALSE;
  return id != NULL && g_str_has_prefix (id, "chart-");
}

/* Where text is large, charts that the arrangement does not name give their room to the pictures,
 * the last one first, as far as a page then has all the rest. */
static void
leave_out_charts (Layout *layout,
                  PrismPanelGrid *self,
                  const char *const *ids)
{
  PrismPlace places[MAX_PANELS];
  int n = layout->n_all, n_rows = layout->n_rows;

  while (self->scale > 1 && n > 0 && is_spare (self, ids[n - 1]) && n_rows > count_seen (self))
    n_rows = prism_arrangement_place (self->arrangement, ids, --n, layout->n_columns, places);
  if (n == layout->n_all || n_rows > count_seen (self))
    return;
  layout->n_panels = n;
  layout->n_rows = n_rows;
  memcpy (layout->places, places, sizeof places);
}

static void
layout_init (Layout *layout,
             PrismPanelGrid *self,
             int width)
{
  const int wanted = (int) (self->scale * WANTED_WIDTH);
  const char *ids[MAX_PANELS];

  layout->n_all = 0;
  layout->n_columns = CLAMP ((width + SPACING) / (wanted + SPACING), 2, MAX_COLUMNS);
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (self)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (PRISM_IS_PANEL (child) && gtk_widget_get_visible (child) && layout->n_all < MAX_PANELS)
      {
        const char *id = PRISM_PANEL (child)->id;

        /* The panel in front and the reconstruction have changed their places. */
        if (g_strcmp0 (id, self->front) == 0)
          id = "reconstruction";
        else if (self->front != NULL && g_str_equal (id, "reconstruction"))
          id = self->front;
        ids[layout->n_all] = id;
        layout->panels[layout->n_all++] = child;
      }
  layout->n_panels = layout->n_all;
  layout->n_rows = prism_arrangement_place (self->arrangement, ids, layout->n_panels,
                                            layout->n_columns, layout->places);
  leave_out_charts (layout, self, ids);
}

/* With its gap. Where text is large, all rows make a page as long as each is as high as with the
 * usual text, else whole ones, so that none is cut; with the usual text a cut row says that there
 * are more. */
static int
get_row_height (PrismPanelGrid *self,
                int n_rows)
{
  const int least = get_least (self, GTK_ORIENTATION_VERTICAL) + SPACING;
  const int n_seen = MAX (count_seen (self), 1);

  if (self->scale <= 1 || self->page <= 0)
    return least;
  if (n_rows <= n_seen || n_rows * (LEAST_HEIGHT + SPACING) <= self->page)
    return MIN (least, self->page / n_rows);
  return (self->page + n_seen - 1) / n_seen;
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
  int least = get_least (self, GTK_ORIENTATION_VERTICAL);
  Layout layout;

  layout_init (&layout, self, for_size > 0 ? for_size : 2 * LEAST_WIDTH);
  /* GTK wants every child measured before it is allocated. */
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    gtk_widget_measure (child, orientation, -1, NULL, NULL, NULL, NULL);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = 2 * LEAST_WIDTH + SPACING;
  else if (self->maximized != NULL)
    *minimum = *natural = 2 * least + SPACING;
  else
    *minimum = *natural = layout.n_rows * get_row_height (self, layout.n_rows) - SPACING;
}

static char *
dup_key (PrismPanelGrid *self,
         const Layout *layout,
         GtkOrientation orientation)
{
  return g_strdup_printf ("%s-%d-%d", self->arrangement->id, layout->n_columns, (int) orientation);
}

static int
get_n (const Layout *layout,
       GtkOrientation orientation)
{
  return orientation == GTK_ORIENTATION_HORIZONTAL ? layout->n_columns : layout->n_rows;
}

/* Where tiles begin, in whole pixels, so that rounding never opens a gap: equal ones, or as they
 * were moved, as far as each keeps its least size. Edge n is behind the last tile and its gap. */
static void
fill_edges (PrismPanelGrid *self,
            const Layout *layout,
            GtkOrientation orientation,
            int length,
            int *edges)
{
  g_autofree char *key = dup_key (self, layout, orientation);
  g_autoptr (GVariant) kept = g_variant_lookup_value (self->lines, key, G_VARIANT_TYPE ("ad"));
  gsize n_lines = 0;
  const double *lines
      = kept != NULL ? g_variant_get_fixed_array (kept, &n_lines, sizeof *lines) : NULL;
  const int n = get_n (layout, orientation), whole = length + SPACING;
  const int least = MIN (get_least (self, orientation) + SPACING, whole / n);

  edges[0] = 0;
  edges[n] = whole;
  for (int i = 1; i < n; i++)
    {
      int edge = whole * i / n;

      if ((gsize) i <= n_lines)
        edge = isfinite (lines[i - 1]) ? (int) round (CLAMP (lines[i - 1], 0, 1) * whole) : 0;

      edges[i] = CLAMP (edge, edges[i - 1] + least, whole - (n - i) * least);
    }
}

static void
allocate_area (GtkWidget *child,
               int width,
               int x0,
               int y0,
               int x1,
               int y1)
{
  gboolean mirrored = gtk_widget_get_direction (child) == GTK_TEXT_DIR_RTL;
  GtkAllocation area = { mirrored ? width - x1 : x0, y0, x1 - x0, y1 - y0 };

  gtk_widget_size_allocate (child, &area, -1);
}

/* The tiles along line number i that no panel covers: the longest row of them. */
static void
find_gap (const Layout *layout,
          GtkOrientation orientation,
          int i,
          int *first,
          int *end)
{
  gboolean sideways = orientation == GTK_ORIENTATION_HORIZONTAL;
  const int n = sideways ? layout->n_rows : layout->n_columns;
  int begun = 0;

  *first = *end = 0;
  for (int k = 0; k <= n; k++)
    {
      gboolean covered = k == n;

      for (int p = 0; !covered && p < layout->n_panels; p++)
        {
          const PrismPlace *place = &layout->places[p];
          int along = sideways ? place->row : place->column;
          int along_n = sideways ? place->n_rows : place->n_columns;
          int across = sideways ? place->column : place->row;
          int across_n = sideways ? place->n_columns : place->n_rows;

          covered = along <= k && k < along + along_n && across < i && i < across + across_n;
        }
      if (covered && k - begun > *end - *first)
        {
          *first = begun;
          *end = k;
        }
      if (covered)
        begun = k + 1;
    }
}

static void
allocate_splitters (PrismPanelGrid *self,
                    const Layout *layout,
                    GtkOrientation orientation,
                    int width,
                    const int *along,
                    const int *across)
{
  gboolean sideways = orientation == GTK_ORIENTATION_HORIZONTAL;
  GtkWidget **splitters = sideways ? self->columns : self->rows;
  const int n_most = sideways ? MAX_COLUMNS : MAX_ROWS;

  for (int i = 1; i < n_most; i++)
    {
      int first = 0, end = 0;

      if (self->maximized == NULL && i < get_n (layout, orientation))
        find_gap (layout, orientation, i, &first, &end);
      gtk_widget_set_child_visible (splitters[i - 1], end > first);
      if (end == first)
        continue;
      if (sideways)
        allocate_area (splitters[i - 1], width, along[i] - SPACING, across[first], along[i],
                       across[end] - SPACING);
      else
        allocate_area (splitters[i - 1], width, across[first], along[i] - SPACING,
                       across[end] - SPACING, along[i]);
    }
}

static void
prism_panel_grid_size_allocate (GtkWidget *widget,
                                int width,
                                int height,
                                int baseline)
{
  PrismPanelGrid *self = PRISM_PANEL_GRID (widget);
  int columns[MAX_COLUMNS + 1], rows[MAX_ROWS + 1];
  Layout layout;

  layout_init (&layout, self, width);
  fill_edges (self, &layout, GTK_ORIENTATION_HORIZONTAL, width, columns);
  fill_edges (self, &layout, GTK_ORIENTATION_VERTICAL, height, rows);
  /* What is hidden may have had the pointer, which others hear of and ask for a size anew. */
  allocate_splitters (self, &layout, GTK_ORIENTATION_HORIZONTAL, width, columns, rows);
  allocate_splitters (self, &layout, GTK_ORIENTATION_VERTICAL, width, rows, columns);
  for (int i = 0; i < layout.n_all; i++)
    gtk_widget_set_child_visible (layout.panels[i],
                                  self->maximized == NULL
                                      ? i < layout.n_panels
                                      : layout.panels[i] == GTK_WIDGET (self->maximized));
  for (int i = 0; i < layout.n_all; i++)
    {
      GtkWidget *panel = layout.panels[i];
      const PrismPlace *place = &layout.places[i];

      if (panel == GTK_WIDGET (self->maximized))
        allocate_area (panel, width, 0, 0, width, height);
      else if (self->maximized == NULL && i < layout.n_panels)
        allocate_area (panel, width, columns[place->column], rows[place->row],
                       columns[place->column + place->n_columns] - SPACING,
                       rows[place->row + place->n_rows] - SPACING);
    }
}

/* lines: (transfer full) */
static void
take_lines (PrismPanelGrid *self,
            GVariant *lines)
{
  g_variant_unref (self->lines);
  self->lines = lines;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_object_notify (G_OBJECT (self), "lines");
}

/* Moves a line to a position, which follows the direction of reading, or by so much from where it
 * is. The others stay where they are, unless they are in the way. */
static void
place_line (PrismPanelGrid *self,
            GtkOrientation orientation,
            int i,
            int position,
            gboolean from_there)
{
  gboolean sideways = orientation == GTK_ORIENTATION_HORIZONTAL;
  const int width = gtk_widget_get_width (GTK_WIDGET (self));
  const int length = sideways ? width : gtk_widget_get_height (GTK_WIDGET (self));
  const int least = get_least (self, orientation) + SPACING;
  int edges[MAX_ROWS + 1];
  double lines[MAX_ROWS] = { 0 };
  g_autofree char *key = NULL;
  Layout layout;

  layout_init (&layout, self, width);
  fill_edges (self, &layout, orientation, length, edges);
  if (from_there)
    position += edges[i] - SPACING;
  edges[i] = MAX (MIN (position + SPACING, edges[i + 1] - least), edges[i - 1] + least);
  for (int k = 1; k < get_n (&layout, orientation); k++)
    lines[k - 1] = (double) edges[k] / (length + SPACING);
  key = dup_key (self, &layout, orientation);
  take_lines (self, prism_arrangement_keep (
                        self->lines, key,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, lines, MAX_ROWS,
                                                   sizeof *lines)));
}

static gboolean
is_mirrored (PrismPanelGrid *self,
             GtkOrientation orientation)
{
  return orientation == GTK_ORIENTATION_HORIZONTAL
         && gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

/* Of a splitter: the direction in which it moves, and the number of its line. */
static GtkOrientation
find_line (GtkWidget *splitter,
           int *i)
{
  const int line = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (splitter), "line"));

  *i = ABS (line);
  return line > 0 ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL;
}

static void
on_moved (PrismPanelGrid *self,
          int position,
          GtkWidget *splitter)
{
  int i;
  GtkOrientation orientation = find_line (splitter, &i);

  if (is_mirrored (self, orientation))
    position = gtk_widget_get_width (GTK_WIDGET (self)) - position - SPACING;
  place_line (self, orientation, i, position, FALSE);
}

static void
on_nudged (PrismPanelGrid *self,
           int distance,
           GtkWidget *splitter)
{
  int i;
  GtkOrientation orientation = find_line (splitter, &i);

  place_line (self, orientation, i, is_mirrored (self, orientation) ? -distance : distance, TRUE);
}

static void
on_reset (PrismPanelGrid *self,
          GtkWidget *splitter)
{
  int i;
  g_autofree char *key = NULL;
  Layout layout;

  layout_init (&layout, self, gtk_widget_get_width (GTK_WIDGET (self)));
  key = dup_key (self, &layout, find_line (splitter, &i));
  take_lines (self, prism_arrangement_keep (self->lines, key, NULL));
}

/* {'teach-4-0': [0.25, 0.5, 0.75]} */
static char *
dup_lines (PrismPanelGrid *self)
{
  return g_variant_n_children (self->lines) > 0 ? g_variant_print (self->lines, FALSE)
                                                : g_strdup ("");
}

static void
set_lines (PrismPanelGrid *self,
           const char *text)
{
  g_autofree char *before = dup_lines (self);

  if (g_strcmp0 (before, text) != 0)
    take_lines (self, prism_arrangement_parse (text, LINES_TYPE));
}

static void
set_arrangement (PrismPanelGrid *self,
                 const char *id)
{
  const PrismArrangement *arrangement = prism_arrangement_find (id);

  if (arrangement == self->arrangement)
    return;
  self->arrangement = arrangement;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  g_object_notify (G_OBJECT (self), "arrangement");
}

static void
prism_panel_grid_dispose (PrismPanelGrid *self)
{
  self->maximized = NULL;
  prism_widget_drop_children (GTK_WIDGET (self));
}

static char *
dup_arrangement (PrismPanelGrid *self)
{
  return g_strdup (self->arrangement->id);
}

static void
prism_panel_grid_class_init (PrismPanelGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_panel_grid_dispose);
  PRISM_FINALIZE (klass, PrismPanelGrid, g_variant_unref, lines);
  widget_class->get_request_mode = prism_panel_grid_get_request_mode;
  widget_class->measure = prism_panel_grid_measure;
  widget_class->size_allocate = prism_panel_grid_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);

  PRISM_FIELD (klass, PrismPanelGrid, maximized, PRISM_TYPE_PANEL, NULL);
  prism_property_new (klass, "arrangement", G_TYPE_STRING, 0, dup_arrangement, set_arrangement);
  prism_property_new (klass, "lines", G_TYPE_STRING, 0, dup_lines, set_lines);
}

static GtkWidget *
add_splitter (PrismPanelGrid *self,
              GtkOrientation orientation,
              int number)
{
  GtkWidget *splitter = prism_splitter_new (orientation, number);

  g_object_set_data (
      G_OBJECT (splitter), "line",
      GINT_TO_POINTER (orientation == GTK_ORIENTATION_HORIZONTAL ? number : -number));
  PRISM_CONNECT (splitter, "moved", on_moved, self);
  PRISM_CONNECT (splitter, "nudged", on_nudged, self);
  PRISM_CONNECT (splitter, "reset", on_reset, self);
  gtk_widget_set_parent (splitter, GTK_WIDGET (self));
  return splitter;
}

static void
prism_panel_grid_init (PrismPanelGrid *self)
{
  self->scale = 1;
  self->arrangement = prism_arrangement_find (NULL);
  self->lines = prism_arrangement_parse (NULL, LINES_TYPE);
  for (int i = 0; i < MAX_COLUMNS - 1; i++)
    self->columns[i] = add_splitter (self, GTK_ORIENTATION_HORIZONTAL, i + 1);
  for (int i = 0; i < MAX_ROWS - 1; i++)
    self->rows[i] = add_splitter (self, GTK_ORIENTATION_VERTICAL, i + 1);
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
 * prism_panel_grid_set_front:
 * @self: a grid
 * @id: (nullable): of a panel, %NULL for the reconstruction
 *
 * Gives that panel the largest place.
 */
void
prism_panel_grid_set_front (PrismPanelGrid *self,
                            const char *id)
{
  self->front = g_intern_string (id);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * prism_panel_grid_set_page:
 * @self: a grid
 * @page: how much of its height is seen at a time
 *
 * Makes rows fit in, where they are scrolled and their text is large.
 *
 * Units: pixels.
 */
void
prism_panel_grid_set_page (PrismPanelGrid *self,
                           int page)
{
  if (page == self->page)
    return;
  self->page = page;
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
