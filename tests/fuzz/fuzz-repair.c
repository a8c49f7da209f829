#include "fuzz-repair.h"

#include "fuzz-zip.h"

#include <zlib.h>

#define PNG_MAGIC "\x89PNG\r\n\x1a\n"
#define PNG_HEAD 8
#define CHUNK_BYTES 12 /* length, name and checksum of a chunk */

static void
put_32 (guint8 *p, guint32 value)
{
  for (int i = 0; i < 4; i++)
    p[i] = (guint8) (value >> (24 - 8 * i));
}

static guint32
get_32 (const guint8 *p)
{
  return (guint32) p[0] << 24 | (guint32) p[1] << 16 | (guint32) p[2] << 8 | p[3];
}

/* A chunk that would reach beyond the end ends there. */
static void
repair_png (guint8 *data, gsize size)
{
  gsize at = PNG_HEAD;

  while (size - at >= CHUNK_BYTES)
    {
      gsize length = get_32 (data + at);

      if (length > size - at - CHUNK_BYTES)
        {
          length = size - at - CHUNK_BYTES;
          put_32 (data + at, (guint32) length);
        }
      put_32 (data + at + 8 + length,
              (guint32) crc32 (crc32 (0, NULL, 0), data + at + 4, (uInt) length + 4));
      at += length + CHUNK_BYTES;
    }
}

/**
 * fuzz_repair:
 * @data: (inout) (array length=size): a mutated file
 * @size: of it
 * @max_size: room at @data
 * @choice: any number, which chooses how
 *
 * Makes the checksums of PNG and ZIP files right, which a mutation has broken: otherwise nothing
 * behind them ever sees one. Other files stay as they are.
 *
 * Units: @size and @max_size in bytes.
 *
 * Returns: the new size
 */
gsize
fuzz_repair (guint8 *data, gsize size, gsize max_size, guint choice)
{
  if (size >= PNG_HEAD && memcmp (data, PNG_MAGIC, PNG_HEAD) == 0)
    {
      repair_png (data, size);
      return size;
    }
  g_autoptr (GByteArray) zip = fuzz_zip_repair (data, size, choice % 2 == 0);
  if (zip == NULL || zip->len > max_size)
    return size;
  memcpy (data, zip->data, zip->len);
  return zip->len;
}
