#include "config.h"

#include "base/prism-gzip.h"

#include "base/prism-arena.h"

#include <zlib.h>

#define FIRST_BYTES ((gsize) 1 << 20) /* of what is unpacked, doubled until it is enough */
#define GZIP_WINDOW (16 + MAX_WBITS)  /* zlib's word for gzip's head and checksum */

/**
 * prism_gzip_is:
 * @bytes: a file
 *
 * Returns: whether it begins as gzip makes it
 */
gboolean
prism_gzip_is (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static guint8 *
grow (guint8 *data,
      gsize n,
      gsize size)
{
  guint8 *larger = prism_arena_new_array (size, "an unpacked file", NULL);

  if (larger != NULL && data != NULL)
    memcpy (larger, data, n);
  prism_arena_free_array (data);
  return larger;
}

/**
 * prism_gzip_unpack:
 * @bytes: a file of gzip
 * @most: bytes that it may become
 *
 * Returns: (transfer full) (nullable): what it was; %NULL where it is damaged, cut off or more
 */
GBytes *
prism_gzip_unpack (GBytes *bytes,
                   gsize most)
{
  gsize n_packed, n = 0, size = 0;
  const guint8 *packed = g_bytes_get_data (bytes, &n_packed);
  guint8 *data = NULL;
  z_stream stream = { 0 };
  int status = n_packed > G_MAXUINT32 ? Z_DATA_ERROR : inflateInit2 (&stream, GZIP_WINDOW);

  stream.next_in = (Bytef *) packed;
  stream.avail_in = (uInt) n_packed;
  while (status == Z_OK)
    {
      gsize step;

      if (n == size)
        {
          size = size == 0 ? FIRST_BYTES : 2 * size;
          data = size <= 2 * most ? grow (data, n, size) : NULL;
        }
      if (data == NULL)
        break;
      step = MIN (size - n, G_MAXUINT32 / 2);
      stream.next_out = data + n;
      stream.avail_out = (uInt) step;
      status = inflate (&stream, Z_NO_FLUSH);
      n += step - stream.avail_out;
    }
  inflateEnd (&stream);
  if (status == Z_STREAM_END && n > 0 && n <= most)
    return g_bytes_new_with_free_func (data, n, prism_arena_free_array, data);
  prism_arena_free_array (data);
  return NULL;
}
