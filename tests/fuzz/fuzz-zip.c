#include "fuzz-zip.h"

#include <zlib.h>

#define MANIFEST "manifest.json"
#define LOCAL "PK\3\4"
#define CENTRAL "PK\1\2"
#define END "PK\5\6"
#define LOCAL_BYTES 30
#define CENTRAL_BYTES 46
#define END_BYTES 22
#define VERSION 20
#define IS_UTF8 0x0800
#define STORED 0
#define DEFLATED 8
#define MAX_UNPACKED (1 << 16)
#define SPARE 4096 /* bytes that a copy grows by before it moves */

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
  guint16 flags, method;
  const guint8 *packed;
  gsize n_packed, n_unpacked;
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

static guint8 *
put (guint8 *to, guint32 value, guint n_bytes)
{
  for (guint i = 0; i < n_bytes; i++)
    to[i] = (guint8) (value >> 8 * i);
  return to + n_bytes;
}

static guint32
compute_crc (gconstpointer data, gsize size)
{
  return (guint32) crc32 (crc32 (0, NULL, 0), data, (uInt) size);
}

/* What the header of a part and its entry in the directory have in common. */
static guint8 *
put_part (guint8 *to, const Part *part)
{
  to = put (to, VERSION, 2);
  to = put (to, part->flags, 2);
  to = put (to, part->method, 2);
  to = put (to, 0, 2);
  to = put (to, 0x21, 2); /* the first day of 1980 */
  to = put (to, part->crc, 4);
  to = put (to, (guint32) part->n_packed, 4);
  to = put (to, (guint32) part->n_unpacked, 4);
  to = put (to, (guint32) part->n_name, 2);
  return put (to, 0, 2);
}

static gboolean
is_plain (guint8 c)
{
  return c >= ' ' && c != '"' && c != '\\';
}

static void
list_part (FuzzZip *self, const Part *part)
{
  gsize n_plain;

  g_string_append (self->manifest, self->n_parts > 0 ? ",\"" : "\"");
  for (gsize i = 0; i < part->n_name; i += n_plain)
    {
      for (n_plain = 0; i + n_plain < part->n_name && is_plain (part->name[i + n_plain]); n_plain++)
        ;
      g_string_append_len (self->manifest, (const char *) part->name + i, (gssize) n_plain);
      if (n_plain == 0)
        g_string_append_printf (self->manifest, "\\u%04x", part->name[i]);
      n_plain = MAX (n_plain, 1);
    }
  g_string_append_printf (self->manifest, "\":%" G_GSIZE_FORMAT, part->n_unpacked);
}

static void
add_part (FuzzZip *self, const Part *part)
{
  guint8 local[LOCAL_BYTES] = LOCAL, central[CENTRAL_BYTES] = CENTRAL;

  put_part (local + strlen (LOCAL), part);
  put (central + strlen (CENTRAL), VERSION, 2);
  put_part (central + strlen (CENTRAL) + 2, part);
  put (central + CENTRAL_BYTES - 4, self->bytes->len, 4);

  g_byte_array_append (self->central, central, sizeof central);
  g_byte_array_append (self->central, part->name, (guint) part->n_name);
  g_byte_array_append (self->bytes, local, sizeof local);
  g_byte_array_append (self->bytes, part->name, (guint) part->n_name);
  g_byte_array_append (self->bytes, part->packed, (guint) part->n_packed);
  list_part (self, part);
  self->n_parts++;
}

FuzzZip *
fuzz_zip_new (void)
{
  FuzzZip *self = g_new0 (FuzzZip, 1);

  self->bytes = g_byte_array_new ();
  self->central = g_byte_array_new ();
  self->manifest = g_string_new ("{");
  return self;
}

static GByteArray *
dup_bytes (const GByteArray *bytes)
{
  GByteArray *copy = g_byte_array_sized_new (bytes->len + SPARE);

  return g_byte_array_append (copy, bytes->data, bytes->len);
}

/* What many files have in common. */
FuzzZip *
fuzz_zip_dup (const FuzzZip *self)
{
  FuzzZip *copy = g_new0 (FuzzZip, 1);

  copy->bytes = dup_bytes (self->bytes);
  copy->central = dup_bytes (self->central);
  copy->manifest = g_string_new_len (self->manifest->str, self->manifest->len);
  copy->n_parts = self->n_parts;
  return copy;
}

/* A part, not compressed. */
void
fuzz_zip_add (FuzzZip *self, const char *name, gconstpointer data, gsize size)
{
  Part part = { .name = (const guint8 *) name, .n_name = strlen (name), .flags = IS_UTF8 };

  part.packed = data;
  part.n_packed = part.n_unpacked = size;
  part.crc = compute_crc (data, size);
  add_part (self, &part);
}

/* The part that names those before it. */
void
fuzz_zip_add_manifest (FuzzZip *self)
{
  g_autofree char *text = g_strconcat (self->manifest->str, "}", NULL);

  fuzz_zip_add (self, MANIFEST, text, strlen (text));
}

/* self: (transfer full). Adds the directory; returns the whole file. */
GByteArray *
fuzz_zip_finish (FuzzZip *self)
{
  GByteArray *bytes = self->bytes;
  guint8 end[END_BYTES] = END, *to = end + 8;

  to = put (to, self->n_parts, 2);
  to = put (to, self->n_parts, 2);
  to = put (to, self->central->len, 4);
  put (to, bytes->len, 4);
  g_byte_array_append (bytes, self->central->data, self->central->len);
  g_byte_array_append (bytes, end, sizeof end);
  g_byte_array_unref (self->central);
  g_string_free (self->manifest, TRUE);
  g_free (self);
  return bytes;
}

static gsize
find_end (const guint8 *data, gsize from, gsize size)
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

/* Takes the parts whose headers can still be found for a file that is in order, so that what they
 * hold reaches its reader. renews_manifest: whether its list of parts shall be right, too. Returns
 * (transfer full) (nullable): the file; NULL where there is no part. */
GByteArray *
fuzz_zip_repair (const guint8 *data, gsize size, gboolean renews_manifest)
{
  gsize at = 0;

  if (size < LOCAL_BYTES || memcmp (data, LOCAL, 4) != 0)
    return NULL;
  FuzzZip *zip = fuzz_zip_new ();
  while (at + LOCAL_BYTES <= size && memcmp (data + at, LOCAL, 4) == 0)
    {
      const guint8 *header = data + at;
      gsize n_names = get_16 (header + 26) + get_16 (header + 28);
      gsize begin = MIN (at + LOCAL_BYTES + n_names, size), n_packed = get_32 (header + 18);
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
