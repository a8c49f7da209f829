#include "config.h"

#include "recording/prism-matlab-check.h"

#include "base/prism-temporary.h"
#include "recording/prism-fields.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define HEADER_BYTES 128
#define MOST_DEPTH 8  /* of cells and structures in each other */
#define MOST_NAME 256 /* bytes of the name of a field */
#define NAMELESS "?"  /* what has no name that can be read */

enum
{
  MI_INT8 = 1,
  MI_INT32 = 5,
  MI_UINT32 = 6,
  MI_MATRIX = 14,
  MI_COMPRESSED = 15
};

enum
{
  MX_CELL = 1,
  MX_STRUCTURE = 2,
  MX_TEXT = 4,
  MX_SPARSE = 5,
  MX_DOUBLE = 6,
  MX_UINT64 = 15,
  MX_OPAQUE = 17
};

/* What an element is. */
typedef struct
{
  gboolean is_array;  /* of numbers or letters */
  gboolean is_nested; /* a cell or a structure */
  char name[129];
} Found;

/* The first bytes of an element. */
typedef struct
{
  guint8 bytes[512]; /* of flags, dimensions and name */
  gsize n;
  gsize at;
  gboolean swap; /* the file's byte order is the other one */
} Head;

static guint32
get_word (const Head *self,
          gsize at)
{
  guint32 word;

  memcpy (&word, self->bytes + at, sizeof word);
  return self->swap ? GUINT32_SWAP_LE_BE (word) : word;
}

/* The tag of the next part, whose data stand at *data; small ones lie in the tag itself. */
static gboolean
read_tag (Head *self,
          guint32 *type,
          guint32 *n_bytes,
          gsize *data)
{
  guint32 word;

  if (self->n - self->at < 8)
    return FALSE;
  word = get_word (self, self->at);
  if (word >> 16 != 0)
    {
      *type = word & 0xffff;
      *n_bytes = word >> 16;
      *data = self->at + 4;
      self->at += 8;
      return *n_bytes <= 4;
    }
  *type = word;
  *n_bytes = get_word (self, self->at + 4);
  *data = self->at + 8;
  if (*n_bytes > self->n - *data)
    return FALSE;
  self->at = *data + ((gsize) *n_bytes + 7) / 8 * 8;
  return self->at <= self->n;
}

static gboolean
read_name (Head *self,
           Found *found)
{
  guint32 type, size;
  gsize data;

  if (!read_tag (self, &type, &size, &data) || type != MI_INT8 || size == 0
      || size >= sizeof found->name)
    return FALSE;
  memcpy (found->name, self->bytes + data, size);
  return TRUE;
}

/* A cell, a structure, an object or something sparse: no more than its name. */
static void
read_other (Head *self,
            guint32 class,
            Found *found)
{
  guint32 type, size;
  gsize data;

  if (class == MX_OPAQUE || read_tag (self, &type, &size, &data))
    read_name (self, found);
}

/* Flags, dimensions and name of a matrix, of which n_bytes are there. */
static const char *
check_matrix (Head *self,
              guint64 n_bytes,
              Found *found)
{
  guint32 type, size, class;
  guint64 n_values = 1;
  gsize data;

  if (!read_tag (self, &type, &size, &data) || type != MI_UINT32 || size != 8)
    return "the flags of a variable are damaged";
  class = get_word (self, data) & 0xff;
  if (class < MX_CELL || class > MX_OPAQUE)
    return "the class of a variable is unknown";
  found->is_nested = class == MX_CELL || class == MX_STRUCTURE;
  found->is_array = class == MX_TEXT || (class >= MX_DOUBLE && class <= MX_UINT64);
  if (!found->is_array)
    {
      read_other (self, class, found);
      return NULL;
    }
  if (!read_tag (self, &type, &size, &data) || type != MI_INT32 || size % 4 != 0 || size < 8
      || size > 4 * PRISM_FIELDS_MAX_DIMS)
    return "the dimensions of a variable are damaged, or more than 8";
  for (guint i = 0; i < size / 4; i++)
    {
      guint32 length = get_word (self, data + 4 * i);

      if (length > G_MAXINT32 || (length > 0 && n_values > G_MAXUINT64 / 64 / length))
        return "the shape of a variable is too large";
      n_values *= length;
    }
  if (n_values > n_bytes)
    return "a variable's shape asks for more values than its bytes can hold; is it cut off?";
  return read_name (self, found) ? NULL : "the name of a variable is damaged";
}

/* Makes the head of what is packed, and how many bytes it says to have. */
static const char *
unpack_head (Head *head,
             const guint8 *packed,
             gsize n_packed,
             guint64 n_element,
             guint64 *n_bytes)
{
  z_stream stream = { 0 };
  int status;

  if (inflateInit (&stream) != Z_OK)
    return "a variable cannot be unpacked";
  stream.next_in = (Bytef *) packed;
  stream.avail_in = (uInt) n_packed;
  stream.next_out = head->bytes;
  stream.avail_out = sizeof head->bytes;
  status = inflate (&stream, Z_SYNC_FLUSH);
  inflateEnd (&stream);
  head->n = sizeof head->bytes - stream.avail_out;
  head->at = 8;
  if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || head->n < 8)
    return "a variable cannot be unpacked";
  *n_bytes = get_word (head, 4);
  if (get_word (head, 0) != MI_MATRIX || *n_bytes / PRISM_MATLAB_MAX_EXPANSION > n_element)
    return "a packed variable has a size that cannot be";
  return NULL;
}

/* One element at offset; *next is where the one after it begins. */
static const char *
check_element (int fd,
               guint64 size,
               guint64 offset,
               gboolean swap,
               guint64 *next,
               Found *found)
{
  Head head = { .swap = swap };
  guint8 packed[1024];
  gssize n = pread (fd, packed, sizeof packed, (off_t) offset);
  const char *reason;
  guint32 type, n_element;
  guint64 n_bytes;

  if (n < 8)
    return "it is cut off";
  memcpy (head.bytes, packed, 8);
  type = get_word (&head, 0);
  n_element = get_word (&head, 4);
  if (n_element > size - offset - 8)
    return "it is cut off, or the size of a variable is damaged";
  *next = offset + 8 + n_element;
  n_bytes = n_element;
  n = MIN (n - 8, (gssize) n_element);
  if (type == MI_COMPRESSED)
    {
      reason = unpack_head (&head, packed + 8, (gsize) n, n_element, &n_bytes);
      return reason != NULL ? reason : check_matrix (&head, n_bytes, found);
    }
  if (type != MI_MATRIX)
    return "it has something that is no variable";
  head.n = MIN ((gsize) n, sizeof head.bytes);
  memcpy (head.bytes, packed + 8, head.n);
  head.at = 0;
  return check_matrix (&head, n_bytes, found);
}

/* Where MATLAB keeps what objects and handles share: a variable without a name. 0: nowhere. */
static guint64
get_subsystem (const guint8 *header,
               gboolean swap)
{
  guint64 offset;

  memcpy (&offset, header + 116, sizeof offset);
  return swap ? GUINT64_SWAP_LE_BE (offset) : offset;
}

/**
 * prism_matlab_check:
 * @fd: a file of MATLAB 5 to 7.2
 * @size: its bytes
 * @arrays: (element-type PrismMatlabPart): gets the variables that are arrays of numbers or text
 * @nested: (element-type PrismMatlabPart): gets cells and structures
 * @others: (element-type utf8): gets the names of the others, one for each
 *
 * Looks at the tags of all variables. Of a complex one of bytes there are two for each value, so
 * that no shape is larger than the bytes of its variable. Of the others nothing is looked at but
 * the name.
 *
 * Returns: (transfer full) (nullable): what cannot be, without a full stop; %NULL where all can
 */
char *
prism_matlab_check (int fd,
                    guint64 size,
                    GArray *arrays,
                    GArray *nested,
                    GPtrArray *others)
{
  PrismMatlabPart part = { HEADER_BYTES, HEADER_BYTES, "" };
  guint8 header[HEADER_BYTES];
  gboolean swap;

  if (pread (fd, header, sizeof header, 0) != HEADER_BYTES)
    return g_strdup ("it is cut off");
  swap = header[126] == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'M' : 'I');
  for (guint i = 0; part.begin + 8 <= size; i++, part.begin = part.end)
    {
      Found found = { 0 };
      const char *reason = i == PRISM_FIELDS_MAX ? "it has more than 4096 variables"
                                                 : check_element (fd, size, part.begin, swap,
                                                                  &part.end, &found);

      if (part.begin == get_subsystem (header, swap) && part.end > part.begin
          && others->len + nested->len > 0)
        continue;
      if (reason != NULL)
        return g_strdup (reason);
      g_strlcpy (part.name, found.name, sizeof part.name);
      if (found.is_array || found.is_nested)
        g_array_append_val (found.is_array ? arrays : nested, part);
      else
        g_ptr_array_add (others, g_strdup (found.name[0] != '\0' ? found.name : NAMELESS));
    }
  if (part.begin == HEADER_BYTES)
    return g_strdup ("it has no variable");
  return arrays->len + nested->len > 0
             ? NULL
             : g_strdup ("it has objects or sparse matrices alone, which are not read; save the"
                         " arrays themselves (save -v7 FILE frames …)");
}

static gboolean
copy_part (int to,
           guint64 *at,
           int from,
           const PrismMatlabPart *part)
{
  const gsize most = 1 << 20;
  g_autofree guint8 *buffer = g_malloc (most);
  guint64 offset = part->begin;

  while (offset < part->end)
    {
      const gsize n = (gsize) MIN (part->end - offset, most);

      if (!prism_spill_read (from, buffer, n, offset) || !prism_spill_write (to, buffer, n, *at))
        return FALSE;
      offset += n;
      *at += n;
    }
  return TRUE;
}

/* What is written while cells and structures are gone through. */
typedef struct
{
  int from;
  int to;
  guint64 at;
  gboolean swap;
  guint n;       /* arrays that were found */
  gboolean good; /* all could be written */
} Walk;

/* Reads flags, dimensions and name of the matrix at an offset, of which n_bytes are there. */
static gboolean
read_matrix (const Walk *walk,
             guint64 offset,
             guint64 n_bytes,
             Head *head,
             guint32 *class,
             guint64 *n_values,
             gsize *dims_end)
{
  guint32 type, size;
  gsize data;

  *head = (Head) { .swap = walk->swap, .n = MIN (n_bytes, sizeof head->bytes) };
  *n_values = 1;
  if (!prism_spill_read (walk->from, head->bytes, head->n, offset)
      || !read_tag (head, &type, &size, &data) || type != MI_UINT32 || size != 8)
    return FALSE;
  *class = get_word (head, data) & 0xff;
  if (!read_tag (head, &type, &size, &data) || type != MI_INT32 || size % 4 != 0 || size < 8
      || size > 4 * PRISM_FIELDS_MAX_DIMS)
    return FALSE;
  for (guint i = 0; i < size / 4; i++)
    {
      const guint32 length = get_word (head, data + 4 * i);

      if (length > G_MAXINT32 || (length > 0 && *n_values > G_MAXUINT64 / 64 / length))
        return FALSE;
      *n_values *= length;
    }
  *dims_end = head->at;
  return read_tag (head, &type, &size, &data) && type == MI_INT8;
}

static void
put_word (const Walk *walk,
          guint8 *bytes,
          guint32 word)
{
  word = walk->swap ? GUINT32_SWAP_LE_BE (word) : word;
  memcpy (bytes, &word, sizeof word);
}

/* Writes an array as a variable of its own, of this name. */
static void
write_array (Walk *walk,
             guint64 offset,
             guint64 n_bytes,
             const Head *head,
             gsize dims_end,
             const char *name)
{
  const gsize n_name = strlen (name), padded = (n_name + 7) / 8 * 8;
  const PrismMatlabPart rest = { offset + head->at, offset + n_bytes, "" };
  const guint64 n_new = dims_end + 8 + padded + (n_bytes - head->at);
  guint8 tag[8], bytes[8 + 1024] = { 0 };

  if (n_new > G_MAXUINT32 || n_name > 1024 - 8)
    return;
  put_word (walk, tag, MI_MATRIX);
  put_word (walk, tag + 4, (guint32) n_new);
  put_word (walk, bytes, MI_INT8);
  put_word (walk, bytes + 4, (guint32) n_name);
  memcpy (bytes + 8, name, n_name);
  walk->good = prism_spill_write (walk->to, tag, sizeof tag, walk->at)
               && prism_spill_write (walk->to, head->bytes, dims_end, walk->at + 8)
               && prism_spill_write (walk->to, bytes, 8 + padded, walk->at + 8 + dims_end);
  walk->at += 8 + dims_end + 8 + padded;
  walk->good = walk->good && copy_part (walk->to, &walk->at, walk->from, &rest);
  walk->n++;
}

/* Names of a structure's fields, each as long as the others with what fills it up. */
static char *
read_fields (const Walk *walk,
             Head *head,
             guint64 *offset,
             guint64 end,
             guint *length,
             guint *n)
{
  guint32 type, size;
  gsize data;
  guint8 tag[8];
  Head names = { .swap = walk->swap, .n = 8 };
  char *text;

  if (!read_tag (head, &type, &size, &data) || type != MI_INT32 || size != 4)
    return NULL;
  *length = get_word (head, data);
  *offset += head->at;
  if (*length == 0 || *length > MOST_NAME || *offset + 8 > end
      || !prism_spill_read (walk->from, tag, 8, *offset))
    return NULL;
  memcpy (names.bytes, tag, 8);
  size = get_word (&names, 4);
  if (get_word (&names, 0) >> 16 != 0)
    {
      /* One of at most four letters. */
      size = get_word (&names, 0) >> 16;
      text = g_strndup ((char *) names.bytes + 4, MIN (size, 4));
      *n = 1;
      *offset += 8;
      return text;
    }
  *n = size / *length;
  *offset += 8;
  if (get_word (&names, 0) != MI_INT8 || *n == 0 || *n > PRISM_FIELDS_MAX || *offset + size > end)
    return NULL;
  text = g_malloc0 ((gsize) size + 1);
  if (!prism_spill_read (walk->from, text, size, *offset))
    g_clear_pointer (&text, g_free);
  *offset += ((guint64) size + 7) / 8 * 8;
  return text;
}

/* The matrix at an offset and what is in it, by its name and those of its parts. */
static void
walk_matrix (Walk *walk,
             guint64 offset,
             guint64 n_bytes,
             const char *name,
             guint depth)
{
  const guint64 end = offset + n_bytes;
  g_autofree char *fields = NULL;
  guint64 n_values;
  guint32 class;
  guint length = 0, n_fields = 1;
  gsize dims_end;
  Head head;

  if (walk->n >= PRISM_FIELDS_MAX || depth > MOST_DEPTH || !walk->good
      || !read_matrix (walk, offset, n_bytes, &head, &class, &n_values, &dims_end))
    return;
  if (class == MX_TEXT || (class >= MX_DOUBLE && class <= MX_UINT64))
    {
      if (n_values > 0 && n_values <= n_bytes)
        write_array (walk, offset, n_bytes, &head, dims_end, name);
      return;
    }
  if (class == MX_STRUCTURE)
    fields = read_fields (walk, &head, &offset, end, &length, &n_fields);
  else
    offset += head.at;
  if ((class != MX_STRUCTURE || fields == NULL) && class != MX_CELL)
    return;
  for (guint64 i = 0; i < n_values && offset + 8 <= end; i++)
    for (guint k = 0; k < n_fields && offset + 8 <= end; k++)
      {
        g_autofree char *number = n_values > 1 || class == MX_CELL
                                      ? g_strdup_printf ("%" G_GUINT64_FORMAT, i + 1)
                                      : NULL;
        g_autofree char *field
            = fields != NULL ? g_strndup (fields + (gsize) k * length, length) : NULL;
        g_autofree char *part = g_strconcat (name, number != NULL ? "/" : "",
                                             number != NULL ? number : "",
                                             field != NULL ? "/" : "", field, NULL);
        Head tag = { .swap = walk->swap, .n = 8 };
        guint32 size;

        if (!prism_spill_read (walk->from, tag.bytes, 8, offset))
          return;
        size = get_word (&tag, 4);
        if (get_word (&tag, 0) != MI_MATRIX || size > end - offset - 8)
          return;
        if (size > 0)
          walk_matrix (walk, offset + 8, size, part, depth + 1);
        offset += 8 + size;
      }
}

/* A packed element, unpacked into a temporary file; -1 where that cannot be. */
static int
unpack_part (int from,
             const PrismMatlabPart *part,
             guint64 *n_bytes)
{
  const gsize most = 1 << 18;
  g_autofree guint8 *packed = g_malloc (most);
  g_autofree guint8 *plain = g_malloc (most);
  int to = prism_spill_open ();
  z_stream stream = { 0 };
  guint64 offset = part->begin + 8;
  int status = Z_OK;

  *n_bytes = 0;
  if (to < 0 || inflateInit (&stream) != Z_OK)
    status = Z_MEM_ERROR;
  while (status == Z_OK && offset < part->end)
    {
      const gsize n = (gsize) MIN (part->end - offset, most);

      if (!prism_spill_read (from, packed, n, offset))
        break;
      offset += n;
      stream.next_in = packed;
      stream.avail_in = (uInt) n;
      do
        {
          gsize n_plain;

          stream.next_out = plain;
          stream.avail_out = (uInt) most;
          status = inflate (&stream, Z_NO_FLUSH);
          n_plain = most - stream.avail_out;
          if (!prism_spill_write (to, plain, n_plain, *n_bytes))
            status = Z_MEM_ERROR;
          *n_bytes += n_plain;
        }
      while (status == Z_OK && stream.avail_out == 0);
      if (status == Z_BUF_ERROR)
        status = Z_OK;
    }
  inflateEnd (&stream);
  if (status == Z_STREAM_END)
    return to;
  if (to >= 0)
    close (to);
  return -1;
}

/* Writes the arrays of a cell or a structure. Returns whether there are some, or none is damaged */
static gboolean
flatten (Walk *walk,
         int fd,
         const PrismMatlabPart *part)
{
  Head tag = { .swap = walk->swap, .n = 8 };
  const guint before = walk->n;
  guint64 offset = part->begin, n_bytes = part->end - part->begin;

  walk->from = fd;
  if (!prism_spill_read (fd, tag.bytes, 8, offset))
    return FALSE;
  if (get_word (&tag, 0) == MI_COMPRESSED)
    {
      walk->from = unpack_part (fd, part, &n_bytes);
      offset = 0;
      if (walk->from < 0)
        return FALSE;
    }
  if (n_bytes > 8)
    walk_matrix (walk, offset + 8, n_bytes - 8, part->name, 0);
  if (walk->from != fd)
    close (walk->from);
  return walk->n > before;
}

/**
 * prism_matlab_extract:
 * @fd: a file that has been checked
 * @arrays: (element-type PrismMatlabPart): some of its variables
 * @nested: (element-type PrismMatlabPart): its cells and structures
 * @others: (element-type utf8): gets the names of those in which there is no array
 *
 * Makes a temporary file of MATLAB that has arrays alone, for a library that would read all: those
 * of structures and cells are variables of their own, “data/imlow”, “imgs/3” from 1 on.
 *
 * Returns: its descriptor, for close(); -1 where there is no room for it
 */
int
prism_matlab_extract (int fd,
                      const GArray *arrays,
                      const GArray *nested,
                      GPtrArray *others)
{
  static const guint8 nowhere[8] = { 0 };
  const PrismMatlabPart header = { 0, HEADER_BYTES, "" };
  Walk walk = { .from = fd, .to = prism_spill_open (), .good = TRUE };
  guint8 order = 0;
  gboolean good = walk.to >= 0 && copy_part (walk.to, &walk.at, fd, &header)
                  && prism_spill_write (walk.to, nowhere, sizeof nowhere, 116)
                  && prism_spill_read (fd, &order, 1, 126);

  walk.swap = order == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'M' : 'I');
  for (guint i = 0; good && i < arrays->len; i++)
    good = copy_part (walk.to, &walk.at, fd, &g_array_index (arrays, PrismMatlabPart, i));
  for (guint i = 0; good && i < nested->len; i++)
    {
      const PrismMatlabPart *part = &g_array_index (nested, PrismMatlabPart, i);

      if (!flatten (&walk, fd, part))
        g_ptr_array_add (others, g_strdup (*part->name != '\0' ? part->name : NAMELESS));
      good = walk.good;
    }
  if (good)
    return walk.to;
  if (walk.to >= 0)
    close (walk.to);
  return -1;
}
