#include "config.h"

#include "recording/prism-matlab-check.h"

#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define HEADER_BYTES 128
#define HEAD_BYTES 512 /* of an element: flags, dimensions and name */
#define PACKED_BYTES 1024
#define MAX_ELEMENTS 4096
#define MAX_EXPANSION 1032 /* of deflate */
#define MAX_DIMS 8
#define MAX_NAME 128

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
  MX_UINT64 = 15
};

/* The first bytes of an element. */
typedef struct
{
  guint8 bytes[HEAD_BYTES];
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

/* Flags, dimensions and name of a matrix, of which n_bytes are there. */
static const char *
check_matrix (Head *self,
              guint64 n_bytes)
{
  guint32 type, size, class;
  guint64 n_values = 1;
  gsize data;

  if (!read_tag (self, &type, &size, &data) || type != MI_UINT32 || size != 8)
    return "the flags of a variable are damaged";
  class = get_word (self, data) & 0xff;
  if (class < MX_CELL || class > MX_UINT64 + 2)
    return "the class of a variable is unknown";
  if (class < MX_DOUBLE && class != MX_TEXT)
    return "it has cells, structures, objects or sparse matrices, which are not read; save the"
           " arrays alone (save -v7 FILE frames …)";
  if (!read_tag (self, &type, &size, &data) || type != MI_INT32 || size % 4 != 0 || size < 8
      || size > 4 * MAX_DIMS)
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
  if (!read_tag (self, &type, &size, &data) || type != MI_INT8 || size == 0 || size > MAX_NAME)
    return "the name of a variable is damaged";
  return NULL;
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
  stream.avail_out = HEAD_BYTES;
  status = inflate (&stream, Z_SYNC_FLUSH);
  inflateEnd (&stream);
  head->n = HEAD_BYTES - stream.avail_out;
  head->at = 8;
  if ((status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) || head->n < 8)
    return "a variable cannot be unpacked";
  *n_bytes = get_word (head, 4);
  if (get_word (head, 0) != MI_MATRIX || *n_bytes / MAX_EXPANSION > n_element)
    return "a packed variable has a size that cannot be";
  return NULL;
}

/* One element at offset; *next is where the one after it begins. */
static const char *
check_element (int fd,
               guint64 size,
               guint64 offset,
               gboolean swap,
               guint64 *next)
{
  Head head = { .swap = swap };
  guint8 packed[PACKED_BYTES];
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
      return reason != NULL ? reason : check_matrix (&head, n_bytes);
    }
  if (type != MI_MATRIX)
    return "it has something that is no variable";
  head.n = MIN ((gsize) n, HEAD_BYTES);
  memcpy (head.bytes, packed + 8, head.n);
  head.at = 0;
  return check_matrix (&head, n_bytes);
}

/**
 * prism_matlab_check:
 * @fd: a file of MATLAB 5 to 7.2
 * @size: its bytes
 *
 * Looks at the tags of all variables. Of a complex one of bytes there are two for each value, so
 * that no shape is larger than the bytes of its variable.
 *
 * Returns: (transfer full) (nullable): what cannot be, without a full stop; %NULL where all can
 */
char *
prism_matlab_check (int fd,
                    guint64 size)
{
  guint64 offset = HEADER_BYTES;
  guint8 header[HEADER_BYTES];
  gboolean swap;

  if (pread (fd, header, sizeof header, 0) != HEADER_BYTES)
    return g_strdup ("it is cut off");
  swap = header[126] == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'M' : 'I');
  for (guint i = 0; offset + 8 <= size; i++)
    {
      const char *reason = i == MAX_ELEMENTS ? "it has more than 4096 variables"
                                             : check_element (fd, size, offset, swap, &offset);

      if (reason != NULL)
        return g_strdup (reason);
    }
  return offset == HEADER_BYTES ? g_strdup ("it has no variable") : NULL;
}
