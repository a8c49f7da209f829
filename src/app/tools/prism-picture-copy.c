#include "config.h"

#include "tools/prism-picture-copy.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#include <glib/gi18n.h>

static GdkTexture *
create_texture (cairo_surface_t *surface)
{
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);
  int stride = cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = NULL;

  cairo_surface_flush (surface);
  bytes = g_bytes_new (cairo_image_surface_get_data (surface), (gsize) stride * height);
  return gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
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
  PrismImage *image = prism_view_get_image (view);
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
    texture = create_texture (surface);
  prism_paint_finish (&paint);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  return texture;
}

/**
 * prism_picture_copy_new_provider:
 * @view: a view
 * @name: of the file, without its ending
 * @error: return location
 *
 * Offers the picture to another program, as an image and as a PNG file in a folder for passing
 * files.
 *
 * Errors: as prism_picture_copy_new_texture(), PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): the offer
 */
GdkContentProvider *
prism_picture_copy_new_provider (PrismView *view,
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
