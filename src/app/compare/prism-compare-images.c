#include "config.h"

#include "compare/prism-compare-images.h"

#include "canvas/prism-color-bar.h"
#include "canvas/prism-image-view.h"
#include "prism-report.h"
#include "support/prism-settings.h"
#include "support/prism-widget.h"

#include <glib/gi18n.h>

/* The entries of the list “Show”. */
enum
{
  SHOW_RECONSTRUCTION,
  SHOW_ERROR,
  SHOW_DIFFERENCE,
  SHOW_PHASE,
  N_SHOWN,
};

/* The entries of the list “Limits”. */
enum
{
  LIMITS_OF_OBJECTS,
  LIMITS_OF_PICTURES, /* 1 and 99 % of what is seen */
  LIMITS_KEPT,        /* whatever runs come and go */
};

struct _PrismCompareImages
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkDropDown *kind;
  GtkDropDown *colors; /* of PrismColormap, without that of differences */
  GtkDropDown *limits;
  GtkToggleButton *modes[PRISM_COMPARE_SWIPE + 1];
  GtkWidget *interval_box;
  GtkSpinButton *interval; /* s */
  GtkWidget *swipe_box;
  GtkAdjustment *swipe;
  GtkStack *stack;
  PrismCompareStage *stage;
  PrismColorBar *color_bar;

  PrismViewport *viewport; /* of all views */
  PrismComparison *comparison;
  PrismMapping mappings[N_SHOWN]; /* the last of each kind */
  gboolean mapped[N_SHOWN];
  guint blink_id;
};

G_DEFINE_FINAL_TYPE (PrismCompareImages, prism_compare_images, GTK_TYPE_WIDGET)

static gboolean
on_blink (gpointer data)
{
  PrismCompareImages *self = data;

  prism_compare_stage_set_current (self->stage, prism_compare_stage_get_current (self->stage) + 1);
  return G_SOURCE_CONTINUE;
}

/* Only while it is to be seen. */
static void
update_blinking (PrismCompareImages *self)
{
  g_clear_handle_id (&self->blink_id, g_source_remove);
  if (prism_compare_stage_get_mode (self->stage) == PRISM_COMPARE_BLINK
      && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->blink_id
        = g_timeout_add ((guint) (1000 * gtk_spin_button_get_value (self->interval)), on_blink,
                         self);
}

static void
on_mode_toggled (PrismCompareImages *self)
{
  for (int mode = 0; mode <= PRISM_COMPARE_SWIPE; mode++)
    if (gtk_toggle_button_get_active (self->modes[mode]))
      prism_compare_stage_set_mode (self->stage, mode);
  gtk_widget_set_visible (self->interval_box,
                          prism_compare_stage_get_mode (self->stage) == PRISM_COMPARE_BLINK);
  gtk_widget_set_visible (self->swipe_box,
                          prism_compare_stage_get_mode (self->stage) == PRISM_COMPARE_SWIPE);
  update_blinking (self);
}

static gboolean
has_shape_of (const PrismImage *image,
              const PrismImage *other)
{
  return image != NULL && other != NULL && image->width == other->width
         && image->height == other->height;
}

/* Returns: (nullable): none where the run has nothing to show */
static PrismImage *
get_picture (PrismCompareImages *self,
             guint i)
{
  const PrismResult *result = prism_comparison_get_result (self->comparison, i);

  return gtk_drop_down_get_selected (self->kind) == SHOW_PHASE ? result->phase
                                                               : result->snapshot->reconstruction;
}

/* What is subtracted from the reconstruction of a run; FALSE where the run has nothing to show. */
static gboolean
get_reference (PrismCompareImages *self,
               guint i,
               PrismImage **reference)
{
  const PrismSnapshot *snapshot = prism_comparison_get_result (self->comparison, i)->snapshot;
  const PrismSnapshot *first = prism_comparison_get_result (self->comparison, 0)->snapshot;

  *reference = NULL;
  if (get_picture (self, i) == NULL)
    return FALSE;
  switch (gtk_drop_down_get_selected (self->kind))
    {
    case SHOW_ERROR:
      *reference = snapshot->target;
      return has_shape_of (snapshot->reconstruction, snapshot->target);
    case SHOW_DIFFERENCE:
      *reference = first->reconstruction;
      return i > 0 && has_shape_of (snapshot->reconstruction, first->reconstruction);
    case SHOW_RECONSTRUCTION:
    default:
      return TRUE;
    }
}

static void
widen (PrismCompareImages *self,
       PrismMapping *mapping)
{
  gboolean first = TRUE;

  for (guint i = 0; i < self->comparison->results->len; i++)
    {
      PrismImage *reference;

      if (!get_reference (self, i, &reference))
        continue;
      prism_report_levels_widen (mapping, get_picture (self, i), reference, first);
      first = FALSE;
    }
}

/* One for all pictures of a kind. */
static void
compute_mapping (PrismCompareImages *self,
                 PrismMapping *mapping)
{
  guint kind = gtk_drop_down_get_selected (self->kind);
  guint limits = gtk_drop_down_get_selected (self->limits);
  PrismMapping amplitude, phase;

  prism_report_levels_compute (self->comparison, &amplitude, mapping, &phase);
  if (kind == SHOW_RECONSTRUCTION)
    *mapping = amplitude;
  if (kind == SHOW_PHASE)
    *mapping = phase;
  if (kind == SHOW_RECONSTRUCTION)
    mapping->colormap = gtk_drop_down_get_selected (self->colors);
  if (limits == LIMITS_KEPT && self->mapped[kind])
    {
      mapping->black = self->mappings[kind].black;
      mapping->white = self->mappings[kind].white;
    }
  else if (kind == SHOW_DIFFERENCE
           || (kind == SHOW_RECONSTRUCTION && limits == LIMITS_OF_PICTURES))
    {
      mapping->levels = kind == SHOW_DIFFERENCE ? PRISM_LEVELS_SYMMETRIC : PRISM_LEVELS_PERCENTILE;
      widen (self, mapping);
      mapping->levels = PRISM_LEVELS_MANUAL;
    }
}

/* Without a mapping there is a reason instead of a picture: an error or a difference that nobody
 * knows. */
static PrismView *
create_view (PrismCompareImages *self,
             guint i,
             PrismImage *reference,
             const PrismMapping *mapping,
             const char *reason)
{
  PrismView *view = PRISM_VIEW (prism_image_view_new ());
  const PrismResult *result = prism_comparison_get_result (self->comparison, i);

  g_object_set (view, "title", result->name, "viewport", self->viewport, "show-color-bar", FALSE,
                "empty-text", reason, NULL);
  if (mapping == NULL)
    return view;
  prism_view_set_mapping (view, mapping);
  prism_view_set_image (view, get_picture (self, i));
  if (reference != NULL)
    prism_view_set_reference (view, reference);
  return view;
}

static gboolean
lacks_target (PrismCompareImages *self,
              const PrismSnapshot *snapshot)
{
  return gtk_drop_down_get_selected (self->kind) == SHOW_ERROR && snapshot->has_no_target;
}

static void
update_views (PrismCompareImages *self)
{
  g_autoptr (GPtrArray) views = g_ptr_array_new ();
  PrismMapping mapping;
  guint n_pictures = 0;

  if (self->comparison == NULL)
    return;
  compute_mapping (self, &mapping);
  gtk_widget_set_sensitive (GTK_WIDGET (self->colors),
                            gtk_drop_down_get_selected (self->kind) == SHOW_RECONSTRUCTION);
  for (guint i = 0; i < self->comparison->results->len; i++)
    {
      PrismResult *result = prism_comparison_get_result (self->comparison, i);
      PrismImage *reference;

      if (get_reference (self, i, &reference))
        {
          g_ptr_array_add (views, create_view (self, i, reference, &mapping, NULL));
          n_pictures++;
        }
      else if (lacks_target (self, result->snapshot))
        g_ptr_array_add (views, create_view (self, i, NULL, NULL,
                                             _ ("No target: the error is unknown.")));
      else if (gtk_drop_down_get_selected (self->kind) == SHOW_DIFFERENCE && i > 0
               && get_picture (self, i) != NULL)
        g_ptr_array_add (views,
                         create_view (self, i, NULL, NULL,
                                      _ ("Another size than the first picture.")));
    }
  if (n_pictures > 0)
    {
      self->mappings[gtk_drop_down_get_selected (self->kind)] = mapping;
      self->mapped[gtk_drop_down_get_selected (self->kind)] = TRUE;
    }
  prism_compare_stage_set_views (self->stage, views);
  prism_color_bar_set_mapping (self->color_bar, n_pictures > 0 ? &mapping : NULL);
  gtk_stack_set_visible_child_name (self->stack, views->len > 0 ? "stage" : "empty");
}

static void
prism_compare_images_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (prism_compare_images_parent_class)->map (widget);
  update_blinking (PRISM_COMPARE_IMAGES (widget));
}

static void
prism_compare_images_unmap (GtkWidget *widget)
{
  g_clear_handle_id (&PRISM_COMPARE_IMAGES (widget)->blink_id, g_source_remove);
  GTK_WIDGET_CLASS (prism_compare_images_parent_class)->unmap (widget);
}

static void
prism_compare_images_dispose (GObject *object)
{
  PrismCompareImages *self = PRISM_COMPARE_IMAGES (object);

  g_clear_handle_id (&self->blink_id, g_source_remove);
  g_clear_pointer (&self->content, gtk_widget_unparent);
  g_clear_pointer (&self->comparison, prism_comparison_free);
  g_clear_object (&self->viewport);
  G_OBJECT_CLASS (prism_compare_images_parent_class)->dispose (object);
}

static void
prism_compare_images_class_init (PrismCompareImagesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_compare_images_dispose;
  widget_class->map = prism_compare_images_map;
  widget_class->unmap = prism_compare_images_unmap;
  g_type_ensure (PRISM_TYPE_COMPARE_STAGE);
  g_type_ensure (PRISM_TYPE_COLOR_BAR);
  PRISM_TEMPLATE (widget_class, PrismCompareImages, "prism-compare-images.ui", content, kind,
                  colors, limits, interval_box, interval, swipe_box, swipe, stack, stage,
                  color_bar);
  gtk_widget_class_bind_template_child_full (widget_class, "side_by_side", FALSE,
                                             G_STRUCT_OFFSET (PrismCompareImages, modes[0]));
  gtk_widget_class_bind_template_child_full (widget_class, "blink", FALSE,
                                             G_STRUCT_OFFSET (PrismCompareImages, modes[1]));
  gtk_widget_class_bind_template_child_full (widget_class, "wipe", FALSE,
                                             G_STRUCT_OFFSET (PrismCompareImages, modes[2]));
  PRISM_TEMPLATE_CALLBACKS (widget_class, on_mode_toggled, update_views, update_blinking);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

/* As the window's pictures in the beginning. */
static void
fill_colors (PrismCompareImages *self)
{
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  g_autoptr (GEnumClass) maps = g_type_class_ref (PRISM_TYPE_COLORMAP);
  g_autofree char *nick = NULL;
  const GEnumValue *value;

  for (int map = 0; map < PRISM_COLORMAP_COOLWARM; map++)
    gtk_string_list_append (names, prism_colormap_get_label (map));
  gtk_drop_down_set_model (self->colors, G_LIST_MODEL (names));
  g_object_get (prism_settings_get_default (), "colormap", &nick, NULL);
  value = g_enum_get_value_by_nick (maps, nick != NULL ? nick : "");
  if (value != NULL && value->value < PRISM_COLORMAP_COOLWARM)
    gtk_drop_down_set_selected (self->colors, value->value);
}

static void
prism_compare_images_init (PrismCompareImages *self)
{
  self->viewport = prism_viewport_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_colors (self);
  g_object_bind_property (self->stage, "position", self->swipe, "value",
                          G_BINDING_BIDIRECTIONAL | G_BINDING_SYNC_CREATE);
}

/**
 * prism_compare_images_set_comparison:
 * @self: a page
 * @comparison: the runs
 *
 * Shows the pictures of these runs, on one scale of colours.
 */
void
prism_compare_images_set_comparison (PrismCompareImages *self,
                                     const PrismComparison *comparison)
{
  g_clear_pointer (&self->comparison, prism_comparison_free);
  self->comparison = prism_comparison_dup (comparison);
  update_views (self);
}

/**
 * prism_compare_images_set_mode:
 * @self: a page
 * @mode: how to show the pictures
 *
 * Presses the button of the mode.
 */
void
prism_compare_images_set_mode (PrismCompareImages *self,
                               PrismCompareMode mode)
{
  gtk_toggle_button_set_active (self->modes[mode], TRUE);
}
