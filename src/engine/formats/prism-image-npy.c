#include "config.h"

#include "formats/prism-image-private.h"

#include "formats/prism-npy.h"

#include <glib/gi18n-lib.h>

/* [height][width], the same with one leading dimension of 1, or colour [height][width][3 or 4]. */
typedef struct
{
  gsize height;
  gsize width;
  gsize n_channels;
} ArrayShape;

static gboolean
get_shape (const PrismNpy *npy,
           ArrayShape *shape)
{
  const gsize *s = npy->shape;

  shape->n_channels = 1;
  if (npy->n_dims == 2)
    {
      shape->height = s[0];
      shape->width = s[1];
      return TRUE;
    }
  if (npy->n_dims != 3)
    return FALSE;
  if (s[0] == 1)
    {
      shape->height = s[1];
      shape->width = s[2];
      return TRUE;
    }
  shape->height = s[0];
  shape->width = s[1];
  shape->n_channels = s[2];
  return s[2] == 3 || s[2] == 4;
}

static gboolean
check_kind (const PrismNpy *npy,
            const PrismImageSource *source,
            GError **error)
{
  if (npy->values != NULL && !npy->is_complex)
    return TRUE;
  prism_image_set_error (error, source,
                         npy->is_complex ? _ ("its values are complex: take numpy.abs of them")
                                         : _ ("it is text"));
  return FALSE;
}

static void
set_shape_error (const PrismNpy *npy,
                 const PrismImageSource *source,
                 GError **error)
{
  g_autofree char *reason = NULL;
  g_autoptr (GString) sizes = g_string_new (NULL);

  for (int i = 0; i < npy->n_dims; i++)
    g_string_append_printf (sizes, "%s%" G_GSIZE_FORMAT, i > 0 ? " × " : "", npy->shape[i]);
  if (npy->n_dims > 2)
    reason = g_strdup_printf (_ ("its shape is %s, an image has two dimensions: take one plane"),
                              sizes->str);
  else
    reason = g_strdup (_ ("it is not an array of two dimensions"));
  prism_image_set_error (error, source, reason);
}

/**
 * prism_image_load_npy:
 * @source: the file
 *
 * Decodes a NumPy array of two dimensions, or three with 3 or 4 channels; values stay as they are.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the image
 */
PrismImage *
prism_image_load_npy (const PrismImageSource *source,
                      GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (source->data, source->size);
  g_autoptr (PrismNpy) npy = prism_npy_load_bytes (bytes, source->name, error);
  ArrayShape shape;
  PrismImage *image;

  if (npy == NULL || !check_kind (npy, source, error))
    return NULL;
  if (!get_shape (npy, &shape))
    {
      set_shape_error (npy, source, error);
      return NULL;
    }
  if (!prism_image_check_size (source, shape.height, shape.width, error))
    return NULL;

  image = prism_image_new ((int) shape.height, (int) shape.width, error);
  if (image == NULL)
    return NULL;
  if (shape.n_channels > 1)
    {
      image->origin.n_channels = shape.n_channels;
      image->origin.n_colors = 3;
    }
  for (gsize i = 0; i < shape.height * shape.width; i++)
    {
      const double *v = npy->values + i * shape.n_channels;
      image->pixels[i] = prism_image_narrow (v[0]);
      if (shape.n_channels > 1)
        image->pixels[i] = prism_image_get_luma (v[0], v[1], v[2]);
    }
  return image;
}
