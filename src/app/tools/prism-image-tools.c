#include "config.h"

#include "tools/prism-image-tools.h"

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "support/prism-widget.h"
#include "tools/prism-levels-editor.h"

struct _PrismImageTools
{
  GtkWidget parent_instance;

  GtkSpinButton *width_spin;
  PrismLevelsEditor *levels;
  GtkStringList *overlay_names;
  GtkDropDown *overlay_choice;
  GtkScale *opacity_scale;
  GtkWidget *drag_icon;

  PrismView *view;    /* (unowned) */
  char *id;           /* of its panel */
  GPtrArray *sources; /* of PrismView, unowned: what may lie over it */
};

G_DEFINE_FINAL_TYPE (PrismImageTools, prism_image_tools, GTK_TYPE_WIDGET)

static PrismView *
get_overlay (PrismImageTools *self)
{
  guint selected = gtk_drop_down_get_selected (self->overlay_choice);

  return selected > 0 && selected <= self->sources->len ? self->sources->pdata[selected - 1] : NULL;
}

/* With the colours that it has in its own panel. */
static void
update_overlay (PrismImageTools *self)
{
  PrismCanvas *canvas;
  PrismRaster *raster;
  PrismView *source;
  PrismMapping mapping;

  if (self->view == NULL)
    return;
  canvas = self->view->canvas;
  raster = canvas->rasters[PRISM_LAYER_OVERLAY];
  source = get_overlay (self);
  prism_canvas_set_opacity (canvas, gtk_range_get_value (GTK_RANGE (self->opacity_scale)) / 100);
  if (source == NULL)
    prism_raster_set_image (raster, NULL, NULL);
  else
    {
      prism_view_get_mapping (source, &mapping);
      prism_raster_set_mapping (raster, &mapping);
      prism_raster_set_image (raster, source->image,
                              prism_view_get_reference (source));
    }
  prism_canvas_redraw (canvas);
}

static void
on_source_changed (PrismImageTools *self)
{
  if (get_overlay (self) != NULL)
    update_overlay (self);
}

/**
 * prism_picture_copy_new_texture:
 * @view: a view
 * @error: return location
 *
 * Paints the whole image in the colours of the view, one pixel for each of its own, with what lies
 * over it.
 *
 * Errors: PRISM_ERROR_CONFIG where the view is empty, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the picture
 */
GdkTexture *
prism_picture_copy_new_texture (PrismView *view,
                                GError **error)
{
  PrismImage *image = view->image;
  GdkTexture *texture = NULL;
  cairo_surface_t *surface;
  PrismMapping mapping;
  PrismFrame frame;
  PrismPaint paint;
  cairo_t *cr;

  if (image == NULL)
    {
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_CONFIG,
                   _ ("The panel “%s” is empty: there is nothing to copy yet."),
                   prism_view_get_title (view));
      return NULL;
    }
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, image->width, image->height);
  cr = cairo_create (surface);
  prism_paint_init_figure (&paint, cr, FALSE);
  prism_frame_init (&frame, image->width, image->height, image->width, image->height);
  frame.device_scale = 1;
  prism_view_get_mapping (view, &mapping);
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_MEMORY,
                 _ ("Not enough memory to copy a picture of %d × %d px."), image->width,
                 image->height);
  else if (prism_view_draw (view, &paint, &mapping, &frame, error))
    {
      g_autoptr (GBytes) bytes = NULL;
      const int stride = cairo_image_surface_get_stride (surface);

      cairo_surface_flush (surface);
      bytes = g_bytes_new (cairo_image_surface_get_data (surface), (gsize) stride * image->height);
      texture = gdk_memory_texture_new (image->width, image->height, GDK_MEMORY_DEFAULT, bytes,
                                        stride);
    }
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return texture;
}

/* Returns: (transfer full) (nullable): the offer */
static GdkContentProvider *
new_provider (PrismView *view,
              const char *name,
              GError **error)
{
  g_autoptr (GdkTexture) texture = prism_picture_copy_new_texture (view, error);
  g_autofree char *folder = NULL;
  g_autofree char *base = g_strconcat (name, ".png", NULL);
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GFile) file = NULL;
  GdkContentProvider *offers[2];

  if (texture == NULL)
    return NULL;
  folder = g_dir_make_tmp ("prism-studio-XXXXXX", error);
  if (folder == NULL)
    return NULL;
  path = g_build_filename (folder, base, NULL);
  bytes = gdk_texture_save_to_png_bytes (texture);
  if (!prism_file_save (path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error))
    return NULL;
  file = g_file_new_for_path (path);
  offers[0] = gdk_content_provider_new_typed (G_TYPE_FILE, file);
  offers[1] = gdk_content_provider_new_typed (GDK_TYPE_TEXTURE, texture);
  return gdk_content_provider_new_union (offers, G_N_ELEMENTS (offers));
}

static GdkContentProvider *
prepare_drag (GtkDragSource *source,
              double x,
              double y,
              PrismImageTools *self)
{
  g_autoptr (GError) error = NULL;
  GdkContentProvider *provider = new_provider (self->view, self->id, &error);

  if (provider == NULL)
    g_message ("%s", error->message);
  return provider;
}

static void
prism_image_tools_dispose (PrismImageTools *self)
{
  self->view = NULL;
  prism_widget_drop_children (GTK_WIDGET (self));
}

static void
prism_image_tools_class_init (PrismImageToolsClass *klass)
{
  PRISM_ON_DISPOSE (klass, prism_image_tools_dispose);
  PRISM_DISPOSE (klass, PrismImageTools, g_ptr_array_unref, sources);
  PRISM_DISPOSE (klass, PrismImageTools, g_free, id);
  g_type_ensure (PRISM_TYPE_LEVELS_EDITOR);
  PRISM_TEMPLATE (klass, PrismImageTools, "prism-image-tools.ui", width_spin, levels,
                  overlay_names, overlay_choice, opacity_scale, drag_icon);
  PRISM_TEMPLATE_CALLBACKS (klass, update_overlay);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_TOOLBAR);
}

static char *
dup_percent (GtkScale *scale,
             double value,
             gpointer data)
{
  return g_strdup_printf ("%.0f %%", value);
}

static void
prism_image_tools_init (PrismImageTools *self)
{
  GtkDragSource *drag = gtk_drag_source_new ();

  self->sources = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_scale_set_format_value_func (self->opacity_scale, dup_percent, NULL, NULL);
  g_signal_connect (drag, "prepare", G_CALLBACK (prepare_drag), self);
  gtk_widget_add_controller (self->drag_icon, GTK_EVENT_CONTROLLER (drag));
}

/**
 * prism_image_tools_new:
 * @view: whose canvas has marks, and which outlives the tools
 * @id: of its panel, which names files
 *
 * Returns: (transfer floating): tools for it
 */
GtkWidget *
prism_image_tools_new (PrismView *view,
                       const char *id)
{
  PrismImageTools *self = g_object_new (PRISM_TYPE_IMAGE_TOOLS, NULL);

  self->view = view;
  self->id = g_strdup (id);
  prism_levels_editor_set_view (self->levels, view);
  g_object_bind_property (view->canvas->book, "line-width",
                          self->width_spin, "value",
                          G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL);
  return GTK_WIDGET (self);
}

/**
 * prism_image_tools_add_overlay:
 * @self: tools
 * @source: a view that outlives them
 *
 * Lets its picture lie over this one.
 */
void
prism_image_tools_add_overlay (PrismImageTools *self,
                               PrismView *source)
{
  PrismRaster *raster
      = source->canvas->rasters[PRISM_LAYER_IMAGE];

  g_ptr_array_add (self->sources, source);
  gtk_string_list_append (self->overlay_names, prism_view_get_title (source));
  PRISM_CONNECT (raster, "changed", on_source_changed, self);
}
