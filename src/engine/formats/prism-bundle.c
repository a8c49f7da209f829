#include "config.h"

#include "formats/prism-bundle.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-temporary.h"
#include "formats/prism-archive-stream.h"

/* An array or a text. */
typedef struct
{
  char *name;
  char *text;    /* (nullable) */
  GBytes *bytes; /* (nullable): values, [product of shape], which others can have, too */
  int n_dims;
  gsize shape[PRISM_NPY_MAX_DIMS];

  /* Of an array that was spilled, as it stands in an archive. */
  int fd;
  guint64 offset; /* in the file */
  guint64 size;   /* bytes, 0 for all others */
  guint64 at;     /* bytes read so far */
} Item;

struct _PrismBundle
{
  GPtrArray *items; /* of Item, in the order in which they were added */
  int fd;           /* of the arrays that were spilled, or -1 */
};

PRISM_FREE (Item, item_free, g_free, name, g_free, text, g_bytes_unref, bytes)

static Item *
add_item (PrismBundle *self,
          const char *name)
{
  Item *item = g_new0 (Item, 1);

  item->name = g_strdup (name);
  g_ptr_array_add (self->items, item);
  return item;
}

static void
add_values (PrismBundle *self,
            const char *name,
            int n_dims,
            const gsize *shape,
            GBytes *bytes)
{
  Item *item = add_item (self, name);

  item->bytes = g_bytes_ref (bytes);
  item->n_dims = n_dims;
  memcpy (item->shape, shape, n_dims * sizeof *shape);
}

static Item *
find_item (PrismBundle *self,
           const char *name)
{
  PRISM_FOR_EACH_POINTER (Item, item, self->items)
    {
      if (strcmp (item->name, name) == 0)
        return item;
    }
  return NULL;
}

/**
 * prism_bundle_new:
 *
 * Returns: (transfer full): an empty bundle
 */
PrismBundle *
prism_bundle_new (void)
{
  PrismBundle *self = g_new0 (PrismBundle, 1);

  self->items = g_ptr_array_new_with_free_func ((GDestroyNotify) item_free);
  self->fd = -1;
  return self;
}

/**
 * prism_bundle_free:
 * @self: (nullable): a bundle
 *
 * Frees it with what it holds.
 */
void
prism_bundle_free (PrismBundle *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->items);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self);
}

/**
 * prism_bundle_add_array:
 * @name: of the array, with ".npy"
 * @n_dims: number of dimensions
 * @shape: (array length=n_dims): sizes
 *
 * Makes room for an array, for the caller to fill in.
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer none) (nullable): the values, C order
 */
float *
prism_bundle_add_array (PrismBundle *self,
                        const char *name,
                        int n_dims,
                        const gsize *shape,
                        GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gsize n_bytes = sizeof (float);
  float *values;

  for (int i = 0; i < n_dims; i++)
    n_bytes *= shape[i];
  values = prism_arena_new_array (n_bytes, "a copy of the run for its file", error);
  if (values == NULL)
    return NULL;
  bytes = g_bytes_new_with_free_func (values, n_bytes, prism_arena_free_array, values);
  add_values (self, name, n_dims, shape, bytes);
  return values;
}

/**
 * prism_bundle_add_plane:
 * @name: of the array, with ".npy"
 * @values: (array) (nullable): what it holds; copied. NULL adds nothing
 * @size: m
 *
 * Adds a square image.
 *
 * Shape: @values [m][m].
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_bundle_add_plane (PrismBundle *self,
                        const char *name,
                        const float *values,
                        gsize size,
                        GError **error)
{
  float *copy;

  if (values == NULL)
    return TRUE;
  copy = prism_bundle_add_array (self, name, 2, (const gsize[]) { size, size }, error);
  if (copy != NULL)
    memcpy (copy, values, size * size * sizeof *copy);
  return copy != NULL;
}

/**
 * prism_bundle_add_image:
 * @name: of the array, with ".npy"
 * @image: (nullable): a square image; NULL adds nothing
 *
 * Errors: PRISM_ERROR_MEMORY.
 *
 * Returns: whether there was memory for it
 */
gboolean
prism_bundle_add_image (PrismBundle *self,
                        const char *name,
                        const PrismImage *image,
                        GError **error)
{
  return image == NULL || prism_bundle_add_plane (self, name, image->pixels, image->width, error);
}

/**
 * prism_bundle_add_bundle:
 * @other: a bundle that was not spilled; what it holds must stay as it is
 * @from: how the names begin that are wanted, "" for all
 * @to: how they begin here instead
 *
 * Adds what another one holds, arrays without a copy.
 */
void
prism_bundle_add_bundle (PrismBundle *self,
                         PrismBundle *other,
                         const char *from,
                         const char *to)
{
  PRISM_FOR_EACH_POINTER (Item, item, other->items)
    {
      g_autofree char *name = NULL;

      if (!g_str_has_prefix (item->name, from))
        continue;
      name = g_strconcat (to, item->name + strlen (from), NULL);
      if (item->text != NULL)
        prism_bundle_take_text (self, name, g_strdup (item->text));
      else
        add_values (self, name, item->n_dims, item->shape, item->bytes);
    }
}

/**
 * prism_bundle_take_text:
 * @name: of the text
 * @text: (transfer full) (nullable): what it says, UTF-8; %NULL where there was no memory for it
 *
 * Adds a text.
 */
void
prism_bundle_take_text (PrismBundle *self,
                        const char *name,
                        char *text)
{
  add_item (self, name)->text = text;
}

/**
 * prism_bundle_has:
 * @name: of an array or a text
 *
 * Returns: whether it is there
 */
gboolean
prism_bundle_has (PrismBundle *self,
                  const char *name)
{
  return find_item (self, name) != NULL;
}

/**
 * prism_bundle_get_array:
 * @name: of an array
 * @n_dims: expected number of dimensions
 * @shape: (array length=n_dims): expected sizes
 *
 * Errors: PRISM_ERROR_FORMAT when it is missing or has another shape.
 *
 * Returns: (transfer none) (nullable): the values
 */
const float *
prism_bundle_get_array (PrismBundle *self,
                        const char *name,
                        int n_dims,
                        const gsize *shape,
                        GError **error)
{
  Item *item = find_item (self, name);

  if (item == NULL || item->bytes == NULL)
    {
      prism_error_format (error, _ ("The run cannot be restored: its part “%s” is missing."), name);
      return NULL;
    }
  if (item->n_dims != n_dims || memcmp (item->shape, shape, n_dims * sizeof *shape) != 0)
    {
      prism_error_format (error,
                          _ ("The run cannot be restored: its part “%s” has not the size that"
                             " the configuration asks for."),
                          name);
      return NULL;
    }
  return g_bytes_get_data (item->bytes, NULL);
}

/**
 * prism_bundle_copy_plane:
 * @name: of a square image
 * @values: (out caller-allocates): where to
 * @size: m
 *
 * Copies an image out of the bundle.
 *
 * Shape: @values [m][m].
 * Errors: PRISM_ERROR_FORMAT when it is missing or has another size.
 *
 * Returns: whether it was there
 */
gboolean
prism_bundle_copy_plane (PrismBundle *self,
                         const char *name,
                         float *values,
                         gsize size,
                         GError **error)
{
  const float *held
      = prism_bundle_get_array (self, name, 2, (const gsize[]) { size, size }, error);

  if (held != NULL)
    memcpy (values, held, size * size * sizeof *values);
  return held != NULL;
}

/**
 * prism_bundle_load_image:
 * @name: of a square image that not every bundle has
 * @size: m
 * @image: (inout): replaced by the image; NULL where there is none
 *
 * Shape: @image [m][m].
 * Errors: PRISM_ERROR_FORMAT when it has another size, PRISM_ERROR_MEMORY.
 *
 * Returns: FALSE with an error
 */
gboolean
prism_bundle_load_image (PrismBundle *self,
                         const char *name,
                         gsize size,
                         PrismImage **image,
                         GError **error)
{
  g_clear_pointer (image, prism_image_unref);
  if (!prism_bundle_has (self, name))
    return TRUE;
  *image = prism_image_new ((int) size, (int) size, error);
  return *image != NULL && prism_bundle_copy_plane (self, name, (*image)->pixels, size, error);
}

/**
 * prism_bundle_get_text:
 * @name: of a text
 *
 * Errors: PRISM_ERROR_FORMAT when it is missing.
 *
 * Returns: (transfer none) (nullable): the text
 */
const char *
prism_bundle_get_text (PrismBundle *self,
                       const char *name,
                       GError **error)
{
  Item *item = find_item (self, name);

  if (item != NULL && item->text != NULL)
    return item->text;
  prism_error_format (error, _ ("The run cannot be restored: its part “%s” is missing."), name);
  return NULL;
}

/**
 * prism_bundle_get_size:
 *
 * Units: bytes.
 *
 * Returns: what its arrays take, in memory or on the disk
 */
guint64
prism_bundle_get_size (PrismBundle *self)
{
  guint64 size = 0;

  PRISM_FOR_EACH_POINTER (Item, item, self->items)
    size += item->bytes != NULL ? g_bytes_get_size (item->bytes) : item->size;
  return size;
}

static gboolean
spill_item (Item *item,
            int fd,
            guint64 offset)
{
  g_autoptr (GBytes) header = prism_npy_new_header (item->n_dims, item->shape);
  const gsize n_head = g_bytes_get_size (header);
  gsize n_bytes;
  gconstpointer values = g_bytes_get_data (item->bytes, &n_bytes);

  if (!prism_temporary_store_write (fd, g_bytes_get_data (header, NULL), n_head, offset)
      || !prism_temporary_store_write (fd, values, n_bytes, offset + n_head))
    return FALSE;
  item->fd = fd;
  item->offset = offset;
  item->size = n_head + n_bytes;
  g_clear_pointer (&item->bytes, g_bytes_unref);
  return TRUE;
}

/**
 * prism_bundle_spill:
 *
 * Moves the arrays from memory into a temporary file without a name. From then on the bundle can be
 * saved and freed, and no more.
 *
 * Returns: whether there was room for them; otherwise the bundle is of no use
 */
gboolean
prism_bundle_spill (PrismBundle *self)
{
  guint64 offset = 0;

  self->fd = prism_temporary_store_open (0);
  if (self->fd < 0)
    return FALSE;
  PRISM_FOR_EACH_POINTER (Item, item, self->items)
    {
      if (item->bytes != NULL && !spill_item (item, self->fd, offset))
        return FALSE;
      offset += item->size;
    }
  return TRUE;
}

static void
rewind_item (gpointer data)
{
  Item *item = data;

  item->at = 0;
}

/* A #PrismReadFunc. */
static gssize
read_item (gpointer data,
           char *buffer,
           gsize length,
           GError **error)
{
  Item *item = data;
  gsize n = MIN (length, item->size - item->at);

  if (!prism_temporary_store_read (item->fd, buffer, n, item->offset + item->at))
    {
      prism_error_io (
          error,
          _ ("A state of the run, which waits in a temporary file, cannot be read: %s. Choose"
             " another directory for temporary files (TMPDIR)."),
          errno != 0 ? g_strerror (errno) : _ ("it is too short"));
      return -1;
    }
  item->at += n;
  return (gssize) n;
}

/**
 * prism_bundle_save:
 * @self: a bundle, which must stay until the archive is finished
 * @writer: an archive under way
 * @prefix: of the members' names: "snapshots/3/"
 *
 * Adds everything to an archive. What fails is reported when that is finished.
 */
void
prism_bundle_save (PrismBundle *self,
                   PrismArchiveWriter *writer,
                   const char *prefix)
{
  PRISM_FOR_EACH_POINTER (Item, item, self->items)
    {
      g_autofree char *name = g_strconcat (prefix, item->name, NULL);

      if (item->size > 0)
        {
          const PrismArchiveStream stream
              = { .size = item->size, .read = read_item, .rewind = rewind_item, .data = item };

          prism_archive_writer_add_stream (writer, name, &stream);
        }
      else if (item->bytes != NULL)
        prism_archive_writer_add_array (writer, name, g_bytes_get_data (item->bytes, NULL),
                                        item->n_dims, item->shape);
      else
        prism_archive_writer_add_text (writer, name, item->text);
    }
}

static gboolean
load_array (PrismBundle *self,
            PrismArchive *archive,
            const char *member,
            const char *name,
            GError **error)
{
  gsize shape[PRISM_NPY_MAX_DIMS];
  int n_dims;
  g_autoptr (GBytes) bytes = prism_archive_load_array (archive, member, &n_dims, shape, error);

  if (bytes != NULL)
    add_values (self, name, n_dims, shape, bytes);
  return bytes != NULL;
}

static gboolean
load_text (PrismBundle *self,
           PrismArchive *archive,
           const char *member,
           const char *name,
           GError **error)
{
  char *text = prism_archive_load_text (archive, member, error);

  if (text != NULL)
    prism_bundle_take_text (self, name, text);
  return text != NULL;
}

/**
 * prism_bundle_load:
 * @archive: an archive
 * @prefix: of the members' names
 *
 * Reads all members whose names begin with @prefix and have no further "/".
 *
 * Errors: PRISM_ERROR_FORMAT, naming the member; PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the bundle
 */
PrismBundle *
prism_bundle_load (PrismArchive *archive,
                   const char *prefix,
                   GError **error)
{
  g_autoptr (PrismBundle) self = prism_bundle_new ();
  const char *const *names = prism_archive_get_names (archive);

  PRISM_FOR_EACH_STRING (one, names)
    {
      const char *name = *one + strlen (prefix);

      if (!g_str_has_prefix (*one, prefix) || *name == '\0' || strchr (name, '/') != NULL
          || prism_bundle_has (self, name))
        continue;
      if (!(g_str_has_suffix (name, ".npy") ? load_array : load_text) (self, archive, *one,
                                                                       name, error))
        return NULL;
    }
  return g_steal_pointer (&self);
}
