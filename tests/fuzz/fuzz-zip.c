#include "config.h"

#include "fuzz-zip.h"

#include <string.h>
#include <zlib.h>

#define MANIFEST "manifest.json"
#define LOCAL "PK\3\4"
#define CENTRAL "PK\1\2"
#define END "PK\5\6"
#define LOCAL_BYTES 30
#define CENTRAL_BYTES 46
#define VERSION 20
#define IS_UTF8 0x0800
#define STORED 0
#define DEFLATED 8
#define MAX_UNPACKED (1 << 16)

struct _FuzzZip
{
  GByteArray *bytes;   /* what comes before the directory */
  GByteArray *central; /* the directory */
  GString *manifest;   /* names and sizes so far */
  guint n_parts;
};

/* A part as it lies in a file. */
typedef struct
{
  const guint8 *name;
  gsize n_name;
  guint16 flags;
  guint16 method;
  const guint8 *packed;
  gsize n_packed;
  gsize n_unpacked;
  guint32 crc;
} Part;

static guint16
get_16 (const guint8 *p)
{
  return (guint16) (p[0] | p[1] << 8);
}

static guint32
get_32 (const guint8 *p)
{
  return get_16 (p) | (guint32) get_16 (p + 2) << 16;
}

static void
put (GByteArray *to,
     guint32 value,
     guint n_bytes)
{
  guint8 bytes[4];

  for (guint i = 0; i < n_bytes; i++)
    bytes[i] = (guint8) (value >> 8 * i);
  g_byte_array_append (to, bytes, n_bytes);
}

static guint32
compute_crc (gconstpointer data,
             gsize size)
{
  return (guint32) crc32 (crc32 (0, NULL, 0), data, (uInt) size);
}

/* What the header of a part and its entry in the directory have in common. */
static void
put_part (GByteArray *to,
          const Part *part)
{
  put (to, VERSION, 2);
  put (to, part->flags, 2);
  put (to, part->method, 2);
  put (to, 0, 2);
  put (to, 0x21, 2); /* the first day of 1980 */
  put (to, part->crc, 4);
  put (to, (guint32) part->n_packed, 4);
  put (to, (guint32) part->n_unpacked, 4);
  put (to, (guint32) part->n_name, 2);
  put (to, 0, 2);
}

static void
list_part (FuzzZip *self,
           const Part *part)
{
  g_string_append (self->manifest, self->n_parts > 0 ? ",\"" : "\"");
  for (gsize i = 0; i < part->n_name; i++)
    {
      guint8 c = part->name[i];

      if (c < ' ' || c == '"' || c == '\\')
        g_string_append_printf (self->manifest, "\\u%04x", c);
      else
        g_string_append_c (self->manifest, (char) c);
    }
  g_string_append_printf (self->manifest, "\":%" G_GSIZE_FORMAT, part->n_unpacked);
}

static void
add_part (FuzzZip *self,
          const Part *part)
{
  guint32 offset = self->bytes->len;

  g_byte_array_append (self->bytes, (const guint8 *) LOCAL, 4);
  put_part (self->bytes, part);
  g_byte_array_append (self->bytes, part->name, (guint) part->n_name);
  g_byte_array_append (self->bytes, part->packed, (guint) part->n_packed);

  g_byte_array_append (self->central, (const guint8 *) CENTRAL, 4);
  put (self->central, VERSION, 2);
  put_part (self->central, part);
  put (self->central, 0, 2); /* comment */
  put (self->central, 0, 2); /* disk */
  put (self->central, 0, 2);
  put (self->central, 0, 4); /* attributes */
  put (self->central, offset, 4);
  g_byte_array_append (self->central, part->name, (guint) part->n_name);
  list_part (self, part);
  self->n_parts++;
}

/**
 * fuzz_zip_new:
 *
 * Begins a file.
 *
 * Returns: (transfer full): it, for fuzz_zip_finish()
 */
FuzzZip *
fuzz_zip_new (void)
{
  FuzzZip *self = g_new0 (FuzzZip, 1);

  self->bytes = g_byte_array_new ();
  self->central = g_byte_array_new ();
  self->manifest = g_string_new ("{");
  return self;
}

/**
 * fuzz_zip_add:
 * @self: a file
 * @name: of a part
 * @data: (array length=size): what it holds
 * @size: of it
 *
 * Adds a part, not compressed.
 */
void
fuzz_zip_add (FuzzZip *self,
              const char *name,
              gconstpointer data,
              gsize size)
{
  Part part = { .name = (const guint8 *) name, .n_name = strlen (name), .flags = IS_UTF8 };

  part.packed = data;
  part.n_packed = part.n_unpacked = size;
  part.crc = compute_crc (data, size);
  add_part (self, &part);
}

/**
 * fuzz_zip_add_manifest:
 * @self: a file
 *
 * Adds the part that names those before it.
 */
void
fuzz_zip_add_manifest (FuzzZip *self)
{
  g_autofree char *text = g_strconcat (self->manifest->str, "}", NULL);

  fuzz_zip_add (self, MANIFEST, text, strlen (text));
}

/**
 * fuzz_zip_finish:
 * @self: (transfer full): a file
 *
 * Adds the directory.
 *
 * Returns: (transfer full): the whole file
 */
GByteArray *
fuzz_zip_finish (FuzzZip *self)
{
  GByteArray *bytes = self->bytes;
  guint32 offset = bytes->len;

  g_byte_array_append (bytes, self->central->data, self->central->len);
  g_byte_array_append (bytes, (const guint8 *) END, 4);
  put (bytes, 0, 4);
  put (bytes, self->n_parts, 2);
  put (bytes, self->n_parts, 2);
  put (bytes, self->central->len, 4);
  put (bytes, offset, 4);
  put (bytes, 0, 2);
  g_byte_array_unref (self->central);
  g_string_free (self->manifest, TRUE);
  g_free (self);
  return bytes;
}

static gsize
find_end (const guint8 *data,
          gsize from,
          gsize size)
{
  for (gsize i = from; i + 4 <= size; i++)
    if (memcmp (data + i, LOCAL, 4) == 0 || memcmp (data + i, CENTRAL, 4) == 0)
      return i;
  return size;
}

/* Makes sizes and checksum what the bytes say; those that cannot be unpacked are left as bytes. */
static void
measure_part (Part *part)
{
  static guint8 unpacked[MAX_UNPACKED];
  z_stream stream = { .next_in = (Bytef *) part->packed, .avail_in = (uInt) part->n_packed };

  part->n_unpacked = part->n_packed;
  part->crc = compute_crc (part->packed, part->n_packed);
  if (part->method != DEFLATED)
    return;
  stream.next_out = unpacked;
  stream.avail_out = sizeof unpacked;
  if (inflateInit2 (&stream, -MAX_WBITS) != Z_OK)
    return;
  if (inflate (&stream, Z_FINISH) == Z_STREAM_END)
    {
      part->n_unpacked = stream.total_out;
      part->n_packed -= stream.avail_in;
      part->crc = compute_crc (unpacked, stream.total_out);
    }
  inflateEnd (&stream);
}

/**
 * fuzz_zip_repair:
 * @data: (array length=size): what may have been a ZIP file once
 * @size: of it
 * @renews_manifest: whether its list of parts shall be right, too
 *
 * Takes the parts whose headers can still be found for a file that is in order, so that what they
 * hold reaches its reader.
 *
 * Returns: (transfer full) (nullable): the file; %NULL where there is no part
 */
GByteArray *
fuzz_zip_repair (const guint8 *data,
                 gsize size,
                 gboolean renews_manifest)
{
  FuzzZip *zip;
  gsize at = 0;

  if (size < LOCAL_BYTES || memcmp (data, LOCAL, 4) != 0)
    return NULL;
  zip = fuzz_zip_new ();
  while (at + LOCAL_BYTES <= size && memcmp (data + at, LOCAL, 4) == 0)
    {
      const guint8 *header = data + at;
      gsize n_names = get_16 (header + 26) + get_16 (header + 28);
      gsize begin = MIN (at + LOCAL_BYTES + n_names, size);
      gsize n_packed = get_32 (header + 18);
      Part part = { .name = header + LOCAL_BYTES, .flags = get_16 (header + 6) & IS_UTF8 };

      at = find_end (data, MIN (n_packed, size - begin) + begin, size);
      if (at == size)
        at = find_end (data, begin, size);
      part.n_name = MIN (get_16 (header + 26), size - (gsize) (part.name - data));
      part.method = get_16 (header + 8) == DEFLATED ? DEFLATED : STORED;
      part.packed = data + begin;
      part.n_packed = at - begin;
      measure_part (&part);
      if (!renews_manifest || part.n_name != strlen (MANIFEST)
          || memcmp (part.name, MANIFEST, part.n_name) != 0)
        add_part (zip, &part);
    }
  if (renews_manifest)
    fuzz_zip_add_manifest (zip);
  return fuzz_zip_finish (zip);
}
