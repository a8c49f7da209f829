#include "config.h"

#include "library/prism-library-pictures.h"

struct _PrismLibraryPictures
{
  GHashTable *by_path; /* path → its link in the queue */
  GQueue shown;        /* of Picture, the last that was asked for first */
};

typedef struct
{
  char *path;
  GdkTexture *texture;
} Picture;

static void
drop (PrismLibraryPictures *self,
      GList *link)
{
  Picture *picture = link->data;

  g_hash_table_remove (self->by_path, picture->path);
  g_queue_delete_link (&self->shown, link);
  g_object_unref (picture->texture);
  g_free (picture->path);
  g_free (picture);
}

/**
 * prism_library_pictures_new:
 *
 * Returns: (transfer full): none yet
 */
PrismLibraryPictures *
prism_library_pictures_new (void)
{
  PrismLibraryPictures *self = g_new0 (PrismLibraryPictures, 1);

  self->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  g_queue_init (&self->shown);
  return self;
}

/**
 * prism_library_pictures_free:
 * @self: pictures
 */
void
prism_library_pictures_free (PrismLibraryPictures *self)
{
  while (self->shown.head != NULL)
    drop (self, self->shown.head);
  g_hash_table_unref (self->by_path);
  g_free (self);
}

/**
 * prism_library_pictures_get:
 * @self: pictures
 * @path: file name of a small picture
 *
 * Returns: (transfer none) (nullable): the picture, NULL where the file is not there or cannot be
 *   read
 */
GdkTexture *
prism_library_pictures_get (PrismLibraryPictures *self,
                            const char *path)
{
  GList *link = g_hash_table_lookup (self->by_path, path);
  GdkTexture *texture;
  Picture *picture;

  if (link != NULL)
    {
      g_queue_unlink (&self->shown, link);
      g_queue_push_head_link (&self->shown, link);
      return ((Picture *) link->data)->texture;
    }
  texture = gdk_texture_new_from_filename (path, NULL);
  if (texture == NULL)
    return NULL;
  if (self->shown.length == PRISM_LIBRARY_PICTURES_MOST)
    drop (self, self->shown.tail);
  picture = g_new (Picture, 1);
  *picture = (Picture) { g_strdup (path), texture };
  g_queue_push_head (&self->shown, picture);
  g_hash_table_insert (self->by_path, picture->path, self->shown.head);
  return texture;
}

/**
 * prism_library_pictures_forget:
 * @self: pictures
 * @path: of a file that is another now
 */
void
prism_library_pictures_forget (PrismLibraryPictures *self,
                               const char *path)
{
  GList *link = g_hash_table_lookup (self->by_path, path);

  if (link != NULL)
    drop (self, link);
}
