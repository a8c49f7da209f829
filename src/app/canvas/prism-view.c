#include "config.h"

#include "canvas/prism-view.h"

#include "prism-scale.h"
#include "support/prism-overflow-box.h"
#include "support/prism-widget.h"

static const char *const of_mapping[] = { "colormap", "stretch", "levels", "black", "white" };

G_DEFINE_ABSTRACT_TYPE (PrismView, prism_view, GTK_TYPE_WIDGET)

/* Called for each new image: says something only when it differs, as readers of the screen
 * listen. */
static void
set_name (PrismView *self,
          char *name)
{
  g_autofree char *old = self->name;

  self->name = name;
  if (g_strcmp0 (old, name) != 0)
    prism_widget_set_name (self->canvas, name);
}

static void
update_label (PrismView *self)
{
  const char *title = prism_view_get_title (self);
  g_autofree char *info = NULL;
  PrismFrame frame;

  if (self->image == NULL)
    {
      gtk_label_set_label (self->info_label, "");
      set_name (self, g_strdup_printf (_ ("%s, empty"), title));
      return;
    }
  if (!prism_canvas_get_frame (self->canvas, &frame) || frame.scale == frame.fit)
    info = g_strdup_printf (_ ("%d × %d px"), self->image->width, self->image->height);
  else
    info = g_strdup_printf (_ ("%d × %d px · %.3g×"),
                            self->image->width, self->image->height,
                            frame.scale * frame.device_scale);
  gtk_label_set_label (self->info_label, info);
  set_name (self, g_strdup_printf (_ ("%s, %d × %d pixels"),
                                   title, self->image->width, self->image->height));
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
  g_autofree char *text = NULL;
  PrismProbe probe;

  if (prism_view_get_probe (self, &probe))
    text = prism_ticks_take_minus (PRISM_VIEW_GET_CLASS (self)->dup_probe_text (self, &probe));
  prism_color_bar_set_marker (self->color_bar, text == NULL ? NAN : probe.value);
  if (g_strcmp0 (text, self->probe_text) == 0)
    return;

  g_free (self->probe_text);
  self->probe_text = g_steal_pointer (&text);
  /* The other end of an image belongs to its scale bar. */
  gtk_widget_set_valign (GTK_WIDGET (self->probe_label),
                         self->centered ? GTK_ALIGN_END : GTK_ALIGN_START);
  prism_readout_show_fit (self->probe_label, self->probe_text, GTK_WIDGET (self->canvas));
  if (gtk_widget_has_focus (GTK_WIDGET (self->canvas)))
    gtk_accessible_update_property (GTK_ACCESSIBLE (self->canvas),
                                    GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                    self->probe_text == NULL ? "" : self->probe_text, -1);
  g_object_notify (G_OBJECT (self), "probe-text");
}

static void
picture_changed (PrismView *self)
{
  PrismPicture *picture = self->canvas->rasters[PRISM_LAYER_IMAGE]->worker->result;

  prism_color_bar_set_mapping (self->color_bar, picture != NULL ? &picture->mapping : NULL);
}

static void
image_changed (PrismView *self)
{
  prism_raster_set_image (self->canvas->rasters[PRISM_LAYER_IMAGE],
                          self->image, self->reference);
  prism_canvas_set_size (self->canvas,
                         self->image == NULL ? 0 : self->image->width,
                         self->image == NULL ? 0 : self->image->height);
  gtk_widget_set_visible (GTK_WIDGET (self->empty_label), self->image == NULL);
  update_label (self);
  prism_view_update_probe (self);
  if (PRISM_VIEW_GET_CLASS (self)->image_changed != NULL)
    PRISM_VIEW_GET_CLASS (self)->image_changed (self);
}

static void
draw_overlay (cairo_t *cr,
              const PrismFrame *frame,
              gpointer data)
{
  PrismView *self = data;
  PrismRaster *raster = self->canvas->rasters[PRISM_LAYER_IMAGE];
  PrismPicture *picture = raster->worker->result;
  PrismPaint paint;

  prism_paint_init_widget (&paint, GTK_WIDGET (self->canvas), cr);
  if (PRISM_VIEW_GET_CLASS (self)->draw_overlay != NULL)
    PRISM_VIEW_GET_CLASS (self)->draw_overlay (self, &paint, frame);
  if (!self->centered)
    prism_scale_bar_draw_frame (&paint, frame, self->metres);
  if (picture != NULL)
    prism_pixel_labels_draw (&paint, frame, self->image, prism_view_get_reference (self), picture);
  prism_paint_finish (&paint);
}

static char *
prism_view_dup_probe_text_default (PrismView *self,
                                   const PrismProbe *probe)
{
  g_autofree char *value = isnan (probe->value) ? g_strdup (_ ("nothing is known here"))
                                                : prism_ticks_dup_value (probe->value);
  g_autofree char *place = prism_scale_bar_dup_place (probe->x - self->image->width / 2,
                                                      probe->y - self->image->height / 2,
                                                      self->metres, self->seconds);

  return g_strdup_printf (_ ("x %d, y %d:  %s%s"), probe->x, probe->y, value, place);
}

static char *
dup_title (PrismView *self)
{
  return g_strdup (prism_view_get_title (self));
}

static void
set_empty_text (PrismView *self,
                const char *text)
{
  gtk_label_set_label (self->empty_label, text);
}

static GMenuModel *
get_menu_model (PrismView *self)
{
  return gtk_menu_button_get_menu_model (self->menu_button);
}

static void
set_menu_model (PrismView *self,
                GMenuModel *model)
{
  prism_canvas_set_menu_model (self->canvas, model);
  gtk_menu_button_set_menu_model (self->menu_button, model);
  gtk_widget_set_visible (GTK_WIDGET (self->menu_button), model != NULL);
}

static void
set_title (PrismView *self,
           const char *title)
{
  g_autofree char *menu = g_strdup_printf (_ ("%s menu"), title == NULL ? "" : title);

  gtk_label_set_label (self->title_label, title == NULL ? "" : title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title_label), title);
  prism_widget_set_name (self, title == NULL ? "" : title);
  prism_widget_set_name (self->menu_button, menu);
  update_label (self);
}

static void
prism_view_dispose (PrismView *self)
{
  if (self->canvas != NULL)
    {
      prism_canvas_set_draw_func (self->canvas, NULL, NULL);
      g_signal_handlers_disconnect_by_data (self->canvas->viewport, self);
      g_signal_handlers_disconnect_by_data (self->canvas->rasters[PRISM_LAYER_IMAGE],
                                            self);
    }
  /* gtk_widget_dispose_template() of GTK 4.8 knows the template of the object's own class only. */
  prism_widget_drop_children (GTK_WIDGET (self));
}

/* What is zero is as dark as the page around it, or the panel is a lamp. */
static void
colour_picture (PrismView *self)
{
  PrismMapping drawn = self->mapping;
  GdkRGBA text;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &text);
  if (drawn.colormap == PRISM_COLORMAP_COOLWARM && text.green > 0.5)
    drawn.colormap = PRISM_COLORMAP_COOLWARM_DARK;
  prism_raster_set_mapping (self->canvas->rasters[PRISM_LAYER_IMAGE], &drawn);
}

static void
prism_view_css_changed (GtkWidget *widget,
                        GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (prism_view_parent_class)->css_changed (widget, change);
  colour_picture (PRISM_VIEW (widget));
}

#define OF(member) G_STRUCT_OFFSET (PrismView, mapping.member)

static void
prism_view_class_init (PrismViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GType types[] = { PRISM_TYPE_COLORMAP, PRISM_TYPE_STRETCH, PRISM_TYPE_LEVELS,
                          G_TYPE_FLOAT, G_TYPE_FLOAT };
  static const gsize offsets[] = { OF (colormap), OF (stretch), OF (levels), OF (black),
                                   OF (white) };

  PRISM_ON_DISPOSE (klass, prism_view_dispose);
  PRISM_DISPOSE (klass, PrismView, prism_image_unref, image, reference);
  PRISM_DISPOSE (klass, PrismView, g_free, probe_text, name);
  widget_class->css_changed = prism_view_css_changed;
  klass->dup_probe_text = prism_view_dup_probe_text_default;
  prism_property_new (klass, "title", G_TYPE_STRING, 0, dup_title, set_title);
  prism_property_new (klass, "empty-text", G_TYPE_STRING, 0, NULL, set_empty_text);
  prism_property_new (klass, "viewport", PRISM_TYPE_VIEWPORT, 0, NULL, prism_view_set_viewport);
  prism_property_new (klass, "menu-model", G_TYPE_MENU_MODEL, 0, get_menu_model,
                      set_menu_model);
  for (gsize i = 0; i < G_N_ELEMENTS (of_mapping); i++)
    prism_property_new (klass, of_mapping[i], types[i], offsets[i], NULL, colour_picture);
  PRISM_FIELD (klass, PrismView, probe_text, G_TYPE_STRING, NULL);
  g_type_ensure (PRISM_TYPE_CANVAS);
  g_type_ensure (PRISM_TYPE_COLOR_BAR);
  g_type_ensure (PRISM_TYPE_ADAPTIVE_BOX);
  g_type_ensure (PRISM_TYPE_OVERFLOW_BOX);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  PRISM_TEMPLATE (klass, PrismView, "prism-view.ui", header, title_label, info_label,
                  menu_button, room, overlay, canvas, empty_label, probe_label, note_label,
                  notice_box, notice_label, color_bar);
  gtk_widget_class_install_property_action (widget_class, "panel.colormap", "colormap");
  gtk_widget_class_install_property_action (widget_class, "panel.stretch", "stretch");
}

static void
follow_viewport (PrismView *self)
{
  PrismViewport *viewport = self->canvas->viewport;

  PRISM_CONNECT (viewport, "changed", update_label, self);
  PRISM_CONNECT (viewport, "cursor-moved", prism_view_update_probe, self);
}

static void
prism_view_init (PrismView *self)
{
  prism_mapping_init (&self->mapping);
  gtk_widget_init_template (GTK_WIDGET (self));
  prism_canvas_set_draw_func (self->canvas, draw_overlay, self);
  PRISM_CONNECT (self->canvas->rasters[PRISM_LAYER_IMAGE], "changed",
                 picture_changed, self);
  follow_viewport (self);
  update_label (self);
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
  if (prism_keep (&self->image, image, prism_image_ref, prism_image_unref))
    image_changed (self);
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
  if (prism_keep (&self->reference, reference, prism_image_ref, prism_image_unref))
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
  if (self->image == NULL || self->reference == NULL
      || self->reference->width != self->image->width
      || self->reference->height != self->image->height)
    return NULL;
  return self->reference;
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
  const PrismMapping old = self->mapping;
  const gboolean differs[] = { old.colormap != mapping->colormap, old.stretch != mapping->stretch,
                               old.levels != mapping->levels, old.black != mapping->black,
                               old.white != mapping->white };

  if (prism_mapping_equal (&old, mapping))
    return;
  self->mapping = *mapping;
  colour_picture (self);
  for (gsize i = 0; i < G_N_ELEMENTS (of_mapping); i++)
    if (differs[i])
      g_object_notify (G_OBJECT (self), of_mapping[i]);
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
  *mapping = self->mapping;
  if (self->image != NULL)
    prism_mapping_compute_levels (mapping, self->image, prism_view_get_reference (self));
}

/**
 * prism_view_set_viewport:
 * @self: a view
 * @viewport: (nullable): zoom, position and cursor
 *
 * Links the view with all others that share the viewport.
 */
void
prism_view_set_viewport (PrismView *self,
                         PrismViewport *viewport)
{
  if (viewport == NULL || viewport == self->canvas->viewport)
    return;
  g_signal_handlers_disconnect_by_data (self->canvas->viewport, self);
  prism_canvas_set_viewport (self->canvas, viewport);
  follow_viewport (self);
  update_label (self);
  prism_view_update_probe (self);
  g_object_notify (G_OBJECT (self), "viewport");
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
  PrismImage *reference = prism_view_get_reference (self);
  gsize i;

  *probe = (PrismProbe) { .value = NAN };
  if (self->image == NULL || !prism_canvas_get_pixel (self->canvas, &probe->x, &probe->y))
    return FALSE;
  i = (gsize) probe->y * self->image->width + probe->x;
  probe->value = self->image->pixels[i];
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
  return gtk_label_get_label (self->title_label);
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
  if (metres == self->metres && seconds == self->seconds)
    return;
  self->metres = metres;
  self->seconds = seconds;
  self->canvas->metres = metres;
  prism_view_update_probe (self);
  prism_canvas_redraw (self->canvas);
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
  g_return_if_fail (self->footer == NULL);

  self->footer = footer;
  gtk_widget_set_parent (footer, GTK_WIDGET (self));
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
  gtk_widget_insert_after (strip, GTK_WIDGET (self), self->header);
  gtk_widget_set_parent (bench, self->room);
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
  const char *text = notice != NULL ? notice : "";

  if (strcmp (text, gtk_label_get_text (self->notice_label)) == 0)
    return;
  gtk_label_set_text (self->notice_label, text);
  gtk_widget_set_tooltip_text (self->notice_box, notice);
  gtk_widget_set_visible (self->notice_box, notice != NULL);
}
