#include "config.h"

#include "support/prism-widget.h"
#include "window/prism-arrangement.h"

#define MAX_COLUMNS 8
#define MAX_ROWS 64

/* The picture in front, all the rest at a glance. */
static const PrismArrangementTile explore[] = {
  { "reconstruction", 2, 2 },
  { NULL },
};

/* Where the telescope is and what the picture makes of it, side by side. */
static const PrismArrangementTile teach[] = {
  { "reconstruction", 2, 3 },
  { "kspace", 2, 3 },
  { "target", 1, 1 },
  { "measurement", 1, 1 },
  { "error", 1, 1 },
  { "chart-1", 1, 1 },
  { "chart-2", 2, 1 },
  { NULL },
};

/* Object, pupil and lights of recorded frames, and what is predicted of one. */
static const PrismArrangementTile microscope[] = {
  { "reconstruction", 2, 2 },
  { "phase", 2, 2 },
  { "pupil", 1, 1 },
  { "lights", 1, 1 },
  { "measurement", 1, 1 },
  { "prediction", 1, 1 },
  { "chart-1", 2, 1 },
  { NULL },
};

/* What the device does, over time. */
static const PrismArrangementTile device[] = {
  { "reconstruction", 2, 2 },
  { "chart-1", 2, 1 },
  { "chart-2", 2, 1 },
  { "chart-3", 2, 1 },
  { "chart-4", 2, 1 },
  { NULL },
};

static const PrismArrangement arrangements[] = {
  { "explore", explore, 3, { "losses", "quality", "correlation", "resources" } },
  { "teach", teach, 3, { "losses", "quality", "correlation", "resources" } },
  { "microscope", microscope, 1, { "prediction", "memory", "correlation", "resources" } },
  { "device", device, 4, { "cache", "memory", "speed", "losses" } },
};

/**
 * prism_arrangement_find:
 * @id: (nullable): "teach"
 *
 * Returns: the arrangement of that name, the first where there is none
 */
const PrismArrangement *
prism_arrangement_find (const char *id)
{
  PRISM_FOR_EACH_OF (one, arrangements)
    if (g_strcmp0 (one->id, id) == 0)
      return one;
  return &arrangements[0];
}

static gboolean
is_free (const gboolean taken[MAX_ROWS][MAX_COLUMNS],
         const PrismPlace *place)
{
  for (int row = place->row; row < place->row + place->n_rows; row++)
    for (int column = place->column; column < place->column + place->n_columns; column++)
      if (taken[row][column])
        return FALSE;
  return TRUE;
}

/* The first gap, row by row, that is large enough. */
static void
settle (gboolean taken[MAX_ROWS][MAX_COLUMNS],
        int n_columns,
        PrismPlace *place)
{
  for (place->row = 0; place->row + place->n_rows < MAX_ROWS; place->row++)
    for (place->column = 0; place->column + place->n_columns <= n_columns; place->column++)
      if (is_free (taken, place))
        {
          for (int row = place->row; row < place->row + place->n_rows; row++)
            for (int column = place->column; column < place->column + place->n_columns; column++)
              taken[row][column] = TRUE;
          return;
        }
}

static int
find_panel (const char *const *panels,
            int n_panels,
            const char *id)
{
  for (int i = 0; i < n_panels; i++)
    if (g_strcmp0 (panels[i], id) == 0)
      return i;
  return -1;
}

/* What is left of a row that ends with a gap belongs to the panel before it. */
static void
fill_gaps (gboolean taken[MAX_ROWS][MAX_COLUMNS],
           int n_panels,
           int n_columns,
           PrismPlace *places)
{
  for (int i = 0; i < n_panels; i++)
    {
      PrismPlace *place = &places[i];

      while (place->n_rows == 1 && place->column + place->n_columns < n_columns
             && !taken[place->row][place->column + place->n_columns])
        {
          taken[place->row][place->column + place->n_columns] = TRUE;
          place->n_columns++;
        }
    }
}

/**
 * prism_arrangement_place:
 * @panels: (array length=n_panels): ids of the panels
 * @n_panels: how many, 32 at most
 * @n_columns: tiles beside each other, 2 to 8
 * @places: (out) (array length=n_panels): where they stand
 *
 * Fills rows of tiles with panels.
 *
 * Returns: number of rows
 */
int
prism_arrangement_place (const PrismArrangement *self,
                         const char *const *panels,
                         int n_panels,
                         int n_columns,
                         PrismPlace *places)
{
  gboolean taken[MAX_ROWS][MAX_COLUMNS] = { 0 };
  int n_rows = 2;

  for (int i = 0; i < n_panels; i++)
    places[i] = (PrismPlace) { .column = -1, .n_columns = 1, .n_rows = 1 };
  for (const PrismArrangementTile *tile = self->tiles; tile->id != NULL; tile++)
    {
      int i = find_panel (panels, n_panels, tile->id);

      if (i < 0)
        continue;
      places[i].n_columns = MIN (tile->n_columns, n_columns);
      places[i].n_rows = tile->n_rows;
      settle (taken, n_columns, &places[i]);
    }
  for (int i = 0; i < n_panels; i++)
    {
      if (places[i].column < 0)
        settle (taken, n_columns, &places[i]);
      n_rows = MAX (n_rows, places[i].row + places[i].n_rows);
    }
  fill_gaps (taken, n_panels, n_columns, places);
  return n_rows;
}

/**
 * prism_arrangement_parse:
 * @text: (nullable): as it is remembered
 * @type: of a dictionary
 *
 * Returns: (transfer full): what it says; what is no such text has nothing
 */
GVariant *
prism_arrangement_parse (const char *text,
                         const char *type)
{
  const GVariantType *expected = G_VARIANT_TYPE (type);
  GVariant *kept
      = text != NULL && *text != '\0' ? g_variant_parse (expected, text, NULL, NULL, NULL) : NULL;

  return kept != NULL ? kept
                      : g_variant_ref_sink (
                          g_variant_new_array (g_variant_type_element (expected), NULL, 0));
}

/**
 * prism_arrangement_keep:
 * @kept: a dictionary
 * @key: of an entry
 * @value: (nullable): what takes the place of its value; without one it goes
 *
 * Returns: (transfer full): the dictionary with that
 */
GVariant *
prism_arrangement_keep (GVariant *kept,
                        const char *key,
                        GVariant *value)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, g_variant_get_type (kept));
  for (gsize i = 0; i < g_variant_n_children (kept); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (kept, i);
      g_autoptr (GVariant) other = g_variant_get_child_value (entry, 0);

      if (!g_str_equal (g_variant_get_string (other, NULL), key))
        g_variant_builder_add_value (&builder, entry);
    }
  if (value != NULL)
    g_variant_builder_add_value (&builder,
                                 g_variant_new_dict_entry (g_variant_new_string (key), value));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

#define KEY_STEP 16 /* px */

struct _PrismSplitter
{
  GtkWidget parent_instance;

  GtkOrientation orientation; /* in which it moves */
};

G_DEFINE_FINAL_TYPE (PrismSplitter, prism_splitter, GTK_TYPE_WIDGET)

/* Offsets are counted from where the splitter is, which follows them. */
static void
on_drag_update (PrismSplitter *self,
                double x,
                double y)
{
  gboolean sideways = self->orientation == GTK_ORIENTATION_HORIZONTAL;
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (self));

  if (gtk_widget_translate_coordinates (GTK_WIDGET (self), parent, x, y, &x, &y))
    g_signal_emit_by_name (self, "moved", (int) (sideways ? x : y));
}

static void
on_drag_begin (PrismSplitter *self,
               double x,
               double y,
               GtkGestureDrag *gesture)
{
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
on_pressed (PrismSplitter *self,
            int n_presses)
{
  if (n_presses == 2)
    g_signal_emit_by_name (self, "reset");
}

static gboolean
on_key (PrismSplitter *self,
        guint key)
{
  gboolean sideways = self->orientation == GTK_ORIENTATION_HORIZONTAL;

  /* Several may come before the splitter is allocated anew: each counts from where it will be. */
  if (key == (sideways ? GDK_KEY_Left : GDK_KEY_Up))
    g_signal_emit_by_name (self, "nudged", -KEY_STEP);
  else if (key == (sideways ? GDK_KEY_Right : GDK_KEY_Down))
    g_signal_emit_by_name (self, "nudged", KEY_STEP);
  else if (key == GDK_KEY_Delete || key == GDK_KEY_BackSpace)
    g_signal_emit_by_name (self, "reset");
  else
    return FALSE;
  return TRUE;
}

static void
prism_splitter_class_init (PrismSplitterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  prism_signal_new (klass, "moved", 1, G_TYPE_INT);
  prism_signal_new (klass, "nudged", 1, G_TYPE_INT);
  prism_signal_new (klass, "reset", 0);
  gtk_widget_class_set_css_name (widget_class, "splitter");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SEPARATOR);
}

static void
prism_splitter_init (PrismSplitter *self)
{
  prism_widget_control (self, gtk_gesture_drag_new (), self, "drag-begin", on_drag_begin,
                        "drag-update", on_drag_update, NULL);
  prism_widget_control (self, gtk_gesture_click_new (), self, "pressed", on_pressed, NULL);
  prism_widget_control (self, gtk_event_controller_key_new (), self, "key-pressed", on_key, NULL);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
}

/**
 * prism_splitter_new:
 * @orientation: in which it moves
 * @number: from 1
 *
 * Thread: main.
 *
 * Returns: (transfer floating): a splitter
 */
GtkWidget *
prism_splitter_new (GtkOrientation orientation,
                    int number)
{
  PrismSplitter *self = g_object_new (PRISM_TYPE_SPLITTER, NULL);
  gboolean sideways = orientation == GTK_ORIENTATION_HORIZONTAL;
  g_autofree char *label = g_strdup_printf (sideways ? _ ("Right edge of column %d")
                                                     : _ ("Lower edge of row %d"),
                                            number);

  self->orientation = orientation;
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), sideways ? "col-resize" : "row-resize");
  prism_widget_set_name (self, label);
  return GTK_WIDGET (self);
}
