#include "config.h"

#include "recording/prism-matlab-check.h"

#include "base/prism-spill.h"
#include "recording/prism-fields.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define HEADER_BYTES 128
#define NAMELESS "?" /* what has no name that can be read */

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
  MX_TEXT = 4,
  MX_SPARSE = 5,
  MX_DOUBLE = 6,
  MX_UINT64 = 15,
  MX_OPAQUE = 17
};

/* What an element is. */
typedef struct
{
  gboolean is_array; /* of numbers or letters */
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

/* A cell, a structure, an object or something sparse: nobody reads more of it than its name. */
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
 * @others: (element-type utf8): gets the names of the others, one for each
 *
 * Looks at the tags of all variables. Of a complex one of bytes there are two for each value, so
 * that no shape is larger than the bytes of its variable. Of cells, structures, objects and sparse
 * matrices nothing is looked at but the name.
 *
 * Returns: (transfer full) (nullable): what cannot be, without a full stop; %NULL where all can
 */
char *
prism_matlab_check (int fd,
                    guint64 size,
                    GArray *arrays,
                    GPtrArray *others)
{
  PrismMatlabPart part = { HEADER_BYTES, HEADER_BYTES };
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

      if (part.begin == get_subsystem (header, swap) && part.end > part.begin && others->len > 0)
        continue;
      if (reason != NULL)
        return g_strdup (reason);
      if (found.is_array)
        g_array_append_val (arrays, part);
      else
        g_ptr_array_add (others, g_strdup (found.name[0] != '\0' ? found.name : NAMELESS));
    }
  if (part.begin == HEADER_BYTES)
    return g_strdup ("it has no variable");
  return arrays->len > 0 ? NULL
                         : g_strdup ("it has cells, structures, objects or sparse matrices alone,"
                                     " which are not read; save the arrays themselves (save -v7"
                                     " FILE frames …)");
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

/**
 * prism_matlab_extract:
 * @fd: a file that has been checked
 * @arrays: (element-type PrismMatlabPart): some of its variables
 *
 * Makes a temporary file of MATLAB that has no others, for a library that would read them all.
 *
 * Returns: its descriptor, for close(); -1 where there is no room for it
 */
int
prism_matlab_extract (int fd,
                      const GArray *arrays)
{
  static const guint8 nowhere[8] = { 0 };
  const PrismMatlabPart header = { 0, HEADER_BYTES };
  guint64 at = 0;
  int to = prism_spill_open ();
  gboolean good = to >= 0 && copy_part (to, &at, fd, &header)
                  && prism_spill_write (to, nowhere, sizeof nowhere, 116);

  for (guint i = 0; good && i < arrays->len; i++)
    good = copy_part (to, &at, fd, &g_array_index (arrays, PrismMatlabPart, i));
  if (good)
    return to;
  if (to >= 0)
    close (to);
  return -1;
}
