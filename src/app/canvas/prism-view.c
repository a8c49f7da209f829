#include "config.h"

#include "canvas/prism-view.h"

#include "canvas/prism-color-bar.h"
#include "prism-scale.h"
#include "support/prism-fit-box.h"
#include "support/prism-widget.h"

#include <math.h>
#include <string.h>

typedef struct
{
  GtkWidget *header;
  GtkLabel *title_label;
  GtkLabel *info_label;
  GtkMenuButton *menu_button;
  GtkWidget *room; /* of the image, and of what comes with it */
  GtkWidget *overlay;
  PrismCanvas *canvas;
  GtkLabel *empty_label;
  GtkLabel *probe_label;
  GtkLabel *note_label;
  GtkWidget *notice_box;
  GtkLabel *notice_label;
  PrismColorBar *color_bar;
  GtkWidget *footer; /* (nullable) */

  PrismImage *image;     /* (nullable) [h][w] */
  PrismImage *reference; /* (nullable) [h][w], subtracted from it */
  PrismMapping mapping;  /* as wished; the picture has the levels that were found */
  double metres;         /* of a pixel, 0 when it is not known */
  double seconds;        /* of arc */
  char *probe_text;      /* (nullable) */
  char *name;            /* (nullable) of the canvas, for screen readers */
} PrismViewPrivate;

enum
{
  PROP_0,
  PROP_TITLE,
  PROP_EMPTY_TEXT,
  PROP_VIEWPORT,
  PROP_MENU_MODEL,
  PROP_SHOW_COLOR_BAR,
  PROP_COLORMAP,
  PROP_STRETCH,
  PROP_LEVELS,
  PROP_BLACK,
  PROP_WHITE,
  PROP_PROBE_TEXT,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (PrismView, prism_view, GTK_TYPE_WIDGET)

#define GET_PRIVATE(self) ((PrismViewPrivate *) prism_view_get_instance_private (self))

/* Called for each new image: says something only when it differs, as readers of the screen
 * listen. */
static void
set_name (PrismView *self,
          char *name)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  g_autofree char *old = priv->name;

  priv->name = name;
  if (g_strcmp0 (old, name) != 0)
    prism_widget_set_name (priv->canvas, name);
}

static void
update_label (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  const char *title = prism_view_get_title (self);
  g_autofree char *info = NULL;
  PrismFrame frame;

  if (priv->image == NULL)
    {
      gtk_label_set_label (priv->info_label, "");
      set_name (self, g_strdup_printf (_ ("%s, empty"), title));
      return;
    }
  if (!prism_canvas_get_frame (priv->canvas, &frame) || frame.scale == frame.fit)
    info = g_strdup_printf (_ ("%d × %d px"), priv->image->width, priv->image->height);
  else
    info = g_strdup_printf (_ ("%d × %d px · %.3g×"),
                            priv->image->width, priv->image->height,
                            frame.scale * frame.device_scale);
  gtk_label_set_label (priv->info_label, info);
  set_name (self, g_strdup_printf (_ ("%s, %d × %d pixels"),
                                   title, priv->image->width, priv->image->height));
}

static void
update_probe (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  g_autofree char *text = NULL;
  PrismProbe probe;

  if (prism_view_get_probe (self, &probe))
    text = PRISM_VIEW_GET_CLASS (self)->dup_probe_text (self, &probe);
  prism_color_bar_set_marker (priv->color_bar, text == NULL ? NAN : probe.value);
  if (g_strcmp0 (text, priv->probe_text) == 0)
    return;

  g_free (priv->probe_text);
  priv->probe_text = g_steal_pointer (&text);
  /* The other end of an image belongs to its scale bar. */
  gtk_widget_set_valign (GTK_WIDGET (priv->probe_label),
                         PRISM_VIEW_GET_CLASS (self)->centered ? GTK_ALIGN_END : GTK_ALIGN_START);
  prism_readout_show_fit (priv->probe_label, priv->probe_text, GTK_WIDGET (priv->canvas));
  if (gtk_widget_has_focus (GTK_WIDGET (priv->canvas)))
    gtk_accessible_update_property (GTK_ACCESSIBLE (priv->canvas),
                                    GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    priv->probe_text == NULL ? "" : priv->probe_text, -1);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROBE_TEXT]);
}

static void
picture_changed (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  PrismPicture *picture = prism_raster_get_picture (prism_canvas_get_raster (priv->canvas,
                                                                             PRISM_LAYER_IMAGE));

  prism_color_bar_set_mapping (priv->color_bar,
                               picture != NULL ? prism_picture_get_mapping (picture) : NULL);
}

static void
image_changed (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  prism_raster_set_image (prism_canvas_get_raster (priv->canvas, PRISM_LAYER_IMAGE),
                          priv->image, priv->reference);
  prism_canvas_set_size (priv->canvas,
                         priv->image == NULL ? 0 : priv->image->width,
                         priv->image == NULL ? 0 : priv->image->height);
  gtk_widget_set_visible (GTK_WIDGET (priv->empty_label), priv->image == NULL);
  update_label (self);
  update_probe (self);
  if (PRISM_VIEW_GET_CLASS (self)->image_changed != NULL)
    PRISM_VIEW_GET_CLASS (self)->image_changed (self);
}

static void
draw_overlay (cairo_t *cr,
              const PrismFrame *frame,
              gpointer data)
{
  PrismView *self = data;
  PrismViewPrivate *priv = GET_PRIVATE (self);
  PrismRaster *raster = prism_canvas_get_raster (priv->canvas, PRISM_LAYER_IMAGE);
  PrismPicture *picture = prism_raster_get_picture (raster);
  PrismPaint paint;

  prism_paint_init_widget (&paint, GTK_WIDGET (priv->canvas), cr);
  if (PRISM_VIEW_GET_CLASS (self)->draw_overlay != NULL)
    PRISM_VIEW_GET_CLASS (self)->draw_overlay (self, &paint, frame);
  if (!PRISM_VIEW_GET_CLASS (self)->centered)
    prism_scale_bar_draw_frame (&paint, frame, priv->metres);
  if (picture != NULL)
    prism_pixel_labels_draw (&paint, frame, priv->image, prism_view_get_reference (self), picture);
  prism_paint_finish (&paint);
}

static char *
prism_view_dup_probe_text_default (PrismView *self,
                                   const PrismProbe *probe)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  g_autofree char *value = prism_ticks_dup_value (probe->value);
  g_autofree char *place = prism_scale_bar_dup_place (probe->x - priv->image->width / 2,
                                                      probe->y - priv->image->height / 2,
                                                      priv->metres, priv->seconds);

  return g_strdup_printf (_ ("x %d, y %d:  %s%s"), probe->x, probe->y, value, place);
}

static void
prism_view_get_property (GObject *object,
                         guint id,
                         GValue *value,
                         GParamSpec *pspec)
{
  PrismView *self = PRISM_VIEW (object);
  PrismViewPrivate *priv = GET_PRIVATE (self);

  switch (id)
    {
    case PROP_TITLE:
      g_value_set_string (value, prism_view_get_title (self));
      break;
    case PROP_EMPTY_TEXT:
      g_value_set_string (value, gtk_label_get_label (priv->empty_label));
      break;
    case PROP_VIEWPORT:
      g_value_set_object (value, prism_view_get_viewport (self));
      break;
    case PROP_MENU_MODEL:
      g_value_set_object (value, gtk_menu_button_get_menu_model (priv->menu_button));
      break;
    case PROP_SHOW_COLOR_BAR:
      g_value_set_boolean (value, gtk_widget_get_visible (GTK_WIDGET (priv->color_bar)));
      break;
    case PROP_COLORMAP:
      g_value_set_enum (value, priv->mapping.colormap);
      break;
    case PROP_STRETCH:
      g_value_set_enum (value, priv->mapping.stretch);
      break;
    case PROP_LEVELS:
      g_value_set_enum (value, priv->mapping.levels);
      break;
    case PROP_BLACK:
      g_value_set_float (value, priv->mapping.black);
      break;
    case PROP_WHITE:
      g_value_set_float (value, priv->mapping.white);
      break;
    case PROP_PROBE_TEXT:
      g_value_set_string (value, priv->probe_text);
      break;
    }
}

static void
set_menu_model (PrismView *self,
                GMenuModel *model)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  prism_canvas_set_menu_model (priv->canvas, model);
  gtk_menu_button_set_menu_model (priv->menu_button, model);
  gtk_widget_set_visible (GTK_WIDGET (priv->menu_button), model != NULL);
}

static void
set_title (PrismView *self,
           const char *title)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  g_autofree char *menu = g_strdup_printf (_ ("%s menu"), title == NULL ? "" : title);

  gtk_label_set_label (priv->title_label, title == NULL ? "" : title);
  prism_widget_set_name (self, title == NULL ? "" : title);
  prism_widget_set_name (priv->menu_button, menu);
  update_label (self);
}

static void
prism_view_set_property (GObject *object,
                         guint id,
                         const GValue *value,
                         GParamSpec *pspec)
{
  PrismView *self = PRISM_VIEW (object);
  PrismViewPrivate *priv = GET_PRIVATE (self);
  PrismMapping mapping = priv->mapping;

  switch (id)
    {
    case PROP_TITLE:
      set_title (self, g_value_get_string (value));
      break;
    case PROP_EMPTY_TEXT:
      gtk_label_set_label (priv->empty_label, g_value_get_string (value));
      break;
    case PROP_VIEWPORT:
      if (g_value_get_object (value) != NULL)
        prism_view_set_viewport (self, g_value_get_object (value));
      break;
    case PROP_MENU_MODEL:
      set_menu_model (self, g_value_get_object (value));
      break;
    case PROP_SHOW_COLOR_BAR:
      gtk_widget_set_visible (GTK_WIDGET (priv->color_bar), g_value_get_boolean (value));
      break;
    case PROP_COLORMAP:
      mapping.colormap = g_value_get_enum (value);
      break;
    case PROP_STRETCH:
      mapping.stretch = g_value_get_enum (value);
      break;
    case PROP_LEVELS:
      mapping.levels = g_value_get_enum (value);
      break;
    case PROP_BLACK:
      mapping.black = g_value_get_float (value);
      break;
    case PROP_WHITE:
      mapping.white = g_value_get_float (value);
      break;
    }
  prism_view_set_mapping (self, &mapping);
}

static void
prism_view_dispose (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  if (priv->canvas != NULL)
    {
      prism_canvas_set_draw_func (priv->canvas, NULL, NULL);
      g_signal_handlers_disconnect_by_data (prism_canvas_get_viewport (priv->canvas), self);
      g_signal_handlers_disconnect_by_data (prism_canvas_get_raster (priv->canvas,
                                                                     PRISM_LAYER_IMAGE),
                                            self);
    }
  /* gtk_widget_dispose_template() of GTK 4.8 knows the template of the object's own class only. */
  prism_widget_drop_children (GTK_WIDGET (self));
  g_clear_pointer (&priv->image, prism_image_unref);
  g_clear_pointer (&priv->reference, prism_image_unref);
  g_clear_pointer (&priv->probe_text, g_free);
  g_clear_pointer (&priv->name, g_free);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, "", flags);
  properties[PROP_EMPTY_TEXT] = g_param_spec_string ("empty-text", NULL, NULL, "", flags);
  properties[PROP_VIEWPORT] = g_param_spec_object ("viewport", NULL, NULL, PRISM_TYPE_VIEWPORT,
                                                   flags);
  properties[PROP_MENU_MODEL] = g_param_spec_object ("menu-model", NULL, NULL, G_TYPE_MENU_MODEL,
                                                     flags);
  properties[PROP_SHOW_COLOR_BAR] = g_param_spec_boolean ("show-color-bar", NULL, NULL, TRUE,
                                                          flags);
  properties[PROP_COLORMAP] = g_param_spec_enum ("colormap", NULL, NULL, PRISM_TYPE_COLORMAP,
                                                 PRISM_COLORMAP_GREY, flags);
  properties[PROP_STRETCH] = g_param_spec_enum ("stretch", NULL, NULL, PRISM_TYPE_STRETCH,
                                                PRISM_STRETCH_LINEAR, flags);
  properties[PROP_LEVELS] = g_param_spec_enum ("levels", NULL, NULL, PRISM_TYPE_LEVELS,
                                               PRISM_LEVELS_MANUAL, flags);
  properties[PROP_BLACK] = g_param_spec_float ("black", NULL, NULL, -G_MAXFLOAT, G_MAXFLOAT, 0,
                                               flags);
  properties[PROP_WHITE] = g_param_spec_float ("white", NULL, NULL, -G_MAXFLOAT, G_MAXFLOAT, 1,
                                               flags);
  properties[PROP_PROBE_TEXT] = g_param_spec_string ("probe-text", NULL, NULL, NULL,
                                                     G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (klass, N_PROPS, properties);
}

/* What is zero is as dark as the page around it, or the panel is a lamp. */
static void
colour_picture (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  PrismMapping drawn = priv->mapping;
  GdkRGBA text;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &text);
  if (drawn.colormap == PRISM_COLORMAP_COOLWARM && text.green > 0.5)
    drawn.colormap = PRISM_COLORMAP_COOLWARM_DARK;
  prism_raster_set_mapping (prism_canvas_get_raster (priv->canvas, PRISM_LAYER_IMAGE), &drawn);
}

static void
prism_view_css_changed (GtkWidget *widget,
                        GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (prism_view_parent_class)->css_changed (widget, change);
  colour_picture (PRISM_VIEW (widget));
}

static void
prism_view_class_init (PrismViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->get_property = prism_view_get_property;
  object_class->set_property = prism_view_set_property;
  PRISM_ON_DISPOSE (klass, prism_view_dispose);
  widget_class->css_changed = prism_view_css_changed;
  klass->dup_probe_text = prism_view_dup_probe_text_default;
  install_properties (object_class);

  g_type_ensure (PRISM_TYPE_CANVAS);
  g_type_ensure (PRISM_TYPE_COLOR_BAR);
  g_type_ensure (PRISM_TYPE_BESIDE_BOX);
  g_type_ensure (PRISM_TYPE_FIT_BOX);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  PRISM_TEMPLATE_PRIVATE (klass, PrismView, "prism-view.ui", header, title_label, info_label,
                          menu_button, room, overlay, canvas, empty_label, probe_label, note_label,
                          notice_box, notice_label, color_bar);
}

static void
follow_viewport (PrismView *self)
{
  PrismViewport *viewport = prism_view_get_viewport (self);

  PRISM_CONNECT (viewport, "changed", update_label, self);
  PRISM_CONNECT (viewport, "cursor-moved", update_probe, self);
}

static void
prism_view_init (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  prism_mapping_init (&priv->mapping);
  gtk_widget_init_template (GTK_WIDGET (self));
  prism_canvas_set_draw_func (priv->canvas, draw_overlay, self);
  PRISM_CONNECT (prism_canvas_get_raster (priv->canvas, PRISM_LAYER_IMAGE), "changed",
                 picture_changed, self);
  follow_viewport (self);
  update_label (self);
}

static void
replace_image (PrismImage **slot,
               PrismImage *image)
{
  PrismImage *old = *slot;

  *slot = image == NULL ? NULL : prism_image_ref (image);
  if (old != NULL)
    prism_image_unref (old);
}

/**
 * prism_view_set_image:
 * @self: a view
 * @image: (nullable): what to show
 *
 * Shows another image; the colours follow as soon as a thread has made them. Cheap enough to be
 * called for each frame, and free when the image is the one that is shown.
 */
void
prism_view_set_image (PrismView *self,
                      PrismImage *image)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  g_return_if_fail (PRISM_IS_VIEW (self));

  if (image == priv->image)
    return;
  replace_image (&priv->image, image);
  image_changed (self);
}

/**
 * prism_view_get_image:
 * @self: a view
 *
 * Returns: (transfer none) (nullable): the image
 */
PrismImage *
prism_view_get_image (PrismView *self)
{
  return GET_PRIVATE (self)->image;
}

/**
 * prism_view_set_reference:
 * @self: a view
 * @reference: (nullable): subtracted from the image, pixel by pixel
 *
 * Makes the view show an error map. A reference of another shape than the image is left out.
 */
void
prism_view_set_reference (PrismView *self,
                          PrismImage *reference)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  g_return_if_fail (PRISM_IS_VIEW (self));

  if (reference == priv->reference)
    return;
  replace_image (&priv->reference, reference);
  image_changed (self);
}

/**
 * prism_view_get_reference:
 * @self: a view
 *
 * Returns: (transfer none) (nullable): what is subtracted from the image, NULL when nothing is
 */
PrismImage *
prism_view_get_reference (PrismView *self)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  if (priv->image == NULL || priv->reference == NULL
      || priv->reference->width != priv->image->width
      || priv->reference->height != priv->image->height)
    return NULL;
  return priv->reference;
}

/**
 * prism_view_set_mapping:
 * @self: a view
 * @mapping: colour map, stretch and levels
 *
 * Shows the image in other colours.
 */
void
prism_view_set_mapping (PrismView *self,
                        const PrismMapping *mapping)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  const PrismMapping old = priv->mapping;
  const gboolean differs[] = { old.colormap != mapping->colormap, old.stretch != mapping->stretch,
                               old.levels != mapping->levels, old.black != mapping->black,
                               old.white != mapping->white };

  g_return_if_fail (PRISM_IS_VIEW (self));

  if (prism_mapping_equal (&old, mapping))
    return;
  priv->mapping = *mapping;
  colour_picture (self);
  for (int i = PROP_COLORMAP; i <= PROP_WHITE; i++)
    if (differs[i - PROP_COLORMAP])
      g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
}

/**
 * prism_view_get_mapping:
 * @self: a view
 * @mapping: (out caller-allocates): colour map, stretch, and the levels that the picture has now
 *
 * Says how the image is coloured, for a figure or an export that shall look alike.
 */
void
prism_view_get_mapping (PrismView *self,
                        PrismMapping *mapping)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  *mapping = priv->mapping;
  if (priv->image != NULL)
    prism_mapping_compute_levels (mapping, priv->image, prism_view_get_reference (self));
}

/**
 * prism_view_set_viewport:
 * @self: a view
 * @viewport: zoom, position and cursor
 *
 * Links the view with all others that share the viewport.
 */
void
prism_view_set_viewport (PrismView *self,
                         PrismViewport *viewport)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  g_return_if_fail (PRISM_IS_VIEW (self));
  g_return_if_fail (PRISM_IS_VIEWPORT (viewport));

  if (viewport == prism_view_get_viewport (self))
    return;
  g_signal_handlers_disconnect_by_data (prism_view_get_viewport (self), self);
  prism_canvas_set_viewport (priv->canvas, viewport);
  follow_viewport (self);
  update_label (self);
  update_probe (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_VIEWPORT]);
}

/**
 * prism_view_get_viewport:
 * @self: a view
 *
 * Returns: (transfer none): its viewport
 */
PrismViewport *
prism_view_get_viewport (PrismView *self)
{
  return prism_canvas_get_viewport (GET_PRIVATE (self)->canvas);
}

/**
 * prism_view_get_probe:
 * @self: a view
 * @probe: (out caller-allocates): the pixel at the cursor, and its value
 *
 * Reads the image where the pointer or the keyboard points, in this view or in a linked one.
 *
 * Returns: whether the cursor is on the image
 */
gboolean
prism_view_get_probe (PrismView *self,
                      PrismProbe *probe)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  PrismImage *reference = prism_view_get_reference (self);
  gsize i;

  *probe = (PrismProbe) { .value = NAN };
  if (priv->image == NULL || !prism_canvas_get_pixel (priv->canvas, &probe->x, &probe->y))
    return FALSE;
  i = (gsize) probe->y * priv->image->width + probe->x;
  probe->value = priv->image->pixels[i];
  if (reference != NULL)
    probe->value -= reference->pixels[i];
  return TRUE;
}

/**
 * prism_view_get_title:
 * @self: a view
 *
 * Returns: (transfer none): its title
 */
const char *
prism_view_get_title (PrismView *self)
{
  return gtk_label_get_label (GET_PRIVATE (self)->title_label);
}

/**
 * prism_view_set_scale:
 * @self: a view
 * @metres: of a pixel; 0 when it is not known
 * @seconds: of arc, of a pixel
 *
 * Lets the scale bar and the probe speak of lengths and angles, too.
 */
void
prism_view_set_scale (PrismView *self,
                      double metres,
                      double seconds)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  g_return_if_fail (PRISM_IS_VIEW (self));

  if (metres == priv->metres && seconds == priv->seconds)
    return;
  priv->metres = metres;
  priv->seconds = seconds;
  prism_canvas_set_metres (priv->canvas, metres);
  update_probe (self);
  prism_canvas_redraw (priv->canvas);
}

/**
 * prism_view_get_scale:
 * @self: a view
 *
 * Returns: what a pixel is in metres, 0 when it is not known
 */
double
prism_view_get_scale (PrismView *self)
{
  return GET_PRIVATE (self)->metres;
}

/**
 * prism_view_get_canvas:
 * @self: a view
 *
 * Returns: (transfer none): the area of the image, which takes the focus
 */
PrismCanvas *
prism_view_get_canvas (PrismView *self)
{
  return GET_PRIVATE (self)->canvas;
}

/**
 * prism_view_set_probe_side:
 * @self: a view
 * @side: start or end of the line
 *
 * Moves what is read at the cursor to one side, where the picture is seen.
 */
void
prism_view_set_probe_side (PrismView *self,
                           GtkAlign side)
{
  gtk_widget_set_halign (GTK_WIDGET (GET_PRIVATE (self)->probe_label), side);
}

/**
 * prism_view_set_footer:
 * @self: a view without a footer
 * @footer: (transfer floating): what comes below the image
 *
 * Adds a widget below the image, which a figure does not show.
 */
void
prism_view_set_footer (PrismView *self,
                       GtkWidget *footer)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);

  g_return_if_fail (priv->footer == NULL);

  priv->footer = footer;
  gtk_widget_set_parent (footer, GTK_WIDGET (self));
}

/**
 * prism_view_set_start:
 * @self: a view
 * @start: what to begin with, which knows itself when it is there
 *
 * Adds a widget where the image will be.
 */
void
prism_view_set_start (PrismView *self,
                      GtkWidget *start)
{
  gtk_overlay_add_overlay (GTK_OVERLAY (GET_PRIVATE (self)->overlay), start);
}

/**
 * prism_view_set_tools:
 * @self: a view without tools
 * @strip: (transfer floating): what comes above the image
 * @bench: (transfer floating): what comes below it, or beside it where there is little height
 *
 * Adds widgets which a figure does not show.
 */
void
prism_view_set_tools (PrismView *self,
                      GtkWidget *strip,
                      GtkWidget *bench)
{
  gtk_widget_insert_after (strip, GTK_WIDGET (self), GET_PRIVATE (self)->header);
  gtk_widget_set_parent (bench, GET_PRIVATE (self)->room);
}

/**
 * prism_view_update_probe:
 * @self: a view
 *
 * Asks again what the probe says.
 */
void
prism_view_update_probe (PrismView *self)
{
  update_probe (self);
}

/**
 * prism_view_set_notice:
 * @self: a view
 * @notice: (nullable): sentences, NULL for none
 *
 * Shows above the image what one has to know about it, for as long as it is shown.
 */
void
prism_view_set_notice (PrismView *self,
                       const char *notice)
{
  PrismViewPrivate *priv = GET_PRIVATE (self);
  const char *text = notice != NULL ? notice : "";

  if (strcmp (text, gtk_label_get_text (priv->notice_label)) == 0)
    return;
  gtk_label_set_text (priv->notice_label, text);
  gtk_widget_set_tooltip_text (priv->notice_box, notice);
  gtk_widget_set_visible (priv->notice_box, notice != NULL);
}

/**
 * prism_view_set_note:
 * @self: a view
 * @note: (nullable): one or more lines, NULL for none
 *
 * Shows a text in the corner of the image.
 */
void
prism_view_set_note (PrismView *self,
                     const char *note)
{
  prism_readout_show (GET_PRIVATE (self)->note_label, note);
}
