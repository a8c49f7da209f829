#include "config.h"

#include "support/prism-overflow-box.h"

#include "support/prism-widget.h"
#define SPACING 16 /* px */

struct _PrismOverflowBox
{
  GtkWidget parent_instance;
};

G_DEFINE_FINAL_TYPE (PrismOverflowBox, prism_overflow_box, GTK_TYPE_WIDGET)

/* The least is the first child alone; the rest is there when there is room. */
static void
prism_overflow_box_measure (GtkWidget *widget,
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
prism_overflow_box_size_allocate (GtkWidget *widget,
                                  int width,
                                  int height,
                                  int baseline)
{
  const gboolean mirrored = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  gboolean full = FALSE;
  int x = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkRequisition minimum, natural;
      GtkAllocation area = { .height = height };

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_get_preferred_size (child, &minimum, &natural);
      /* Once one does not fit, no later one is shown: they come in order of importance. The last
       * one may be cut as far as it lets itself. */
      full = full || (x > 0 && x + minimum.width > width);
      gtk_widget_set_child_visible (child, !full);
      if (full)
        continue;
      area.width = MIN (natural.width, width - x);
      area.x = mirrored ? width - x - area.width : x;
      gtk_widget_size_allocate (child, &area, baseline);
      x += natural.width + SPACING;
    }
}

static void
prism_overflow_box_class_init (PrismOverflowBoxClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_widget_drop_children);
  widget_class->measure = prism_overflow_box_measure;
  widget_class->size_allocate = prism_overflow_box_size_allocate;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_overflow_box_init (PrismOverflowBox *self)
{
}

#define GAP 8 /* px */

struct _PrismAdaptiveBox
{
  GtkWidget parent_instance;

  int least; /* px, of words above the second one */
};

G_DEFINE_FINAL_TYPE (PrismAdaptiveBox, prism_adaptive_box, GTK_TYPE_WIDGET)

/* The least: words in the second one that come and go must not move the first. */
static int
get_width (GtkWidget *child)
{
  int width;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  return width;
}

/* Those that are to be seen: a second one may be there with nothing in it. Returns how many. */
static int
get_children (PrismAdaptiveBox *self,
              GtkWidget *children[2])
{
  GtkWidget *first = gtk_widget_get_first_child (GTK_WIDGET (self));
  int n = 0;

  for (GtkWidget *child = first; child != NULL && n < 2;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_should_layout (child) && (child == first || get_width (child) > 0))
      children[n++] = child;
  return n;
}

static int
get_height (GtkWidget *child,
            int width)
{
  int height;

  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, MAX (width, get_width (child)), &height,
                      NULL, NULL, NULL);
  return height;
}

static gboolean
is_wide (GtkWidget *const children[2],
         int width)
{
  return width >= get_width (children[0]) + GAP + get_width (children[1]);
}

static GtkSizeRequestMode
prism_adaptive_box_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
prism_adaptive_box_measure (GtkWidget *widget,
                            GtkOrientation orientation,
                            int for_size,
                            int *minimum,
                            int *natural,
                            int *minimum_baseline,
                            int *natural_baseline)
{
  GtkWidget *children[2];
  int n = get_children (PRISM_ADAPTIVE_BOX (widget), children);

  for (int i = 0; i < n; i++)
    {
      if (orientation == GTK_ORIENTATION_HORIZONTAL)
        *minimum = MAX (*minimum, get_width (children[i]));
      else if (n == 2 && for_size >= 0 && !is_wide (children, for_size))
        *minimum += get_height (children[i], for_size) + (i > 0 ? GAP : 0);
      else
        *minimum = MAX (*minimum, get_height (children[i], for_size));
    }
  *natural = *minimum;
}

static void
allocate_beside (GtkWidget *widget,
                 GtkWidget *child,
                 GtkAllocation area)
{
  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    area.x = gtk_widget_get_width (widget) - area.x - area.width;
  /* GTK wants each one measured for the size that it gets. */
  area.width = MAX (area.width, get_width (child));
  area.height = MAX (area.height, get_height (child, area.width));
  gtk_widget_size_allocate (child, &area, -1);
}

/* A picture, which expands, is where its shorter side is the longer: what comes beside it must not
 * make it small. Words stay above while they have the least height. */
static gboolean
belongs_beside (PrismAdaptiveBox *self,
                GtkWidget *const children[2],
                int width,
                int height)
{
  const int above = height - GAP - get_height (children[1], width);

  if (!is_wide (children, width))
    return FALSE;
  return gtk_widget_compute_expand (children[0], GTK_ORIENTATION_HORIZONTAL)
             ? MIN (width - GAP - get_width (children[1]), height) >= MIN (width, above)
             : above < self->least;
}

/* A first one that expands is a picture, which has no use for more width than that. Words have a
 * third, however many they are now: what is beside them must not move with them. */
static void
put_beside (GtkWidget *widget,
            GtkWidget *const children[2],
            int width,
            int height)
{
  int second = get_width (children[1]);
  int first = get_width (children[0]);

  first = MAX (first, gtk_widget_compute_expand (children[0], GTK_ORIENTATION_HORIZONTAL)
                          ? MIN (width - GAP - second, height * 4 / 3)
                          : MIN (width - GAP - second, width / 3));
  second = width - GAP - first;
  allocate_beside (widget, children[0], (GtkAllocation) { 0, 0, first, height });
  allocate_beside (widget, children[1], (GtkAllocation) { first + GAP, 0, second, height });
}

static void
prism_adaptive_box_size_allocate (GtkWidget *widget,
                                  int width,
                                  int height,
                                  int baseline)
{
  PrismAdaptiveBox *self = PRISM_ADAPTIVE_BOX (widget);
  GtkWidget *children[2];
  int n = get_children (self, children);

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (n < 2 && child != children[0] && gtk_widget_should_layout (child))
      gtk_widget_size_allocate (child, &(GtkAllocation) { 0 }, -1);
  if (n == 1)
    allocate_beside (widget, children[0], (GtkAllocation) { 0, 0, width, height });
  if (n < 2)
    return;
  if (belongs_beside (self, children, width, height))
    put_beside (widget, children, width, height);
  else
    {
      /* The second has what it needs, the first the rest. */
      const int first = MAX (height - GAP - get_height (children[1], width),
                             get_height (children[0], width));

      allocate_beside (widget, children[0], (GtkAllocation) { 0, 0, width, first });
      allocate_beside (widget, children[1],
                       (GtkAllocation) { 0, first + GAP, width, height - GAP - first });
    }
}

static void
prism_adaptive_box_class_init (PrismAdaptiveBoxClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_widget_drop_children);
  PRISM_FIELD (klass, PrismAdaptiveBox, least, G_TYPE_INT, gtk_widget_queue_resize);
  widget_class->get_request_mode = prism_adaptive_box_get_request_mode;
  widget_class->measure = prism_adaptive_box_measure;
  widget_class->size_allocate = prism_adaptive_box_size_allocate;
}

static void
prism_adaptive_box_init (PrismAdaptiveBox *self)
{
}
