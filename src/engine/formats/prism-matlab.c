#include "config.h"

#include "formats/prism-fields-readers.h"

#include "base/prism-arena.h"
#include "base/prism-file.h"
#include "base/prism-temporary.h"
#include "formats/prism-source.h"

#include <zlib.h>

/* Files of MATLAB 5 to 7.2: behind 128 bytes of header one element after the other, each a tag
 * (type and bytes) and what it has. A matrix is an element of elements: flags with its class,
 * dimensions, name, then numbers, or for cells and structures further matrices. An element can be
 * packed by zlib as a whole. Sizes are checked before memory is asked for by them.
 *
 * Source: MATLAB, MAT-File Format, version 5. */

#define HEADER_BYTES 128
#define HEAD_BYTES 520 /* of what is packed: enough to know what it is */
#define PIECE_BYTES (1 << 18)
#define MAX_EXPANSION 1032 /* bytes that deflate makes of one at most */
#define MAX_BYTES (G_GUINT64_CONSTANT (64) << 30)
#define MOST_DEPTH 8  /* of cells and structures in each other */
#define MOST_NAME 128 /* bytes of the name of a variable */
#define MOST_FIELD_NAME 256
#define MOST_TEXT 64 /* letters of a text that can be a number with its unit */
#define NAMELESS "?" /* what has no name that can be read */

enum
{
  MI_INT8 = 1,
  MI_INT32 = 5,
  MI_UINT32 = 6,
  MI_MATRIX = 14,
  MI_COMPRESSED = 15,
  MI_UTF8 = 16,
  MI_UTF16 = 17
};

enum
{
  MX_CELL = 1,
  MX_STRUCTURE = 2,
  MX_TEXT = 4,
  MX_DOUBLE = 6,
  MX_UINT64 = 15,
  MX_OPAQUE = 17
};

/* Numbers by the types of their elements. */
static const struct
{
  char kind;
  guint8 size;
} types[] = {
  [MI_INT8] = { 'i', 1 },
  [2] = { 'u', 1 },
  [3] = { 'i', 2 },
  [4] = { 'u', 2 },
  [MI_INT32] = { 'i', 4 },
  [MI_UINT32] = { 'u', 4 },
  [7] = { 'f', 4 },
  [9] = { 'f', 8 },
  [12] = { 'i', 8 },
  [13] = { 'u', 8 },
  [MI_UTF8] = { 'u', 1 },
  [MI_UTF16] = { 'u', 2 },
};

/* The file, and what was unpacked last. */
typedef struct
{
  int fd;
  guint64 size;
  gboolean swap;  /* its byte order is the other one */
  GArray *places; /* of Cursor: where the numbers of a field begin */
  guint64 packed; /* where that begins which bytes is made of; 0: nothing */
  guint8 *bytes;
  gsize n_bytes;
} MatlabFile;

/* Where one is, in the file or in an element of it that is packed. */
typedef struct
{
  guint64 packed; /* where that begins; 0: in the file itself */
  guint64 packed_end;
  guint64 at;
  guint64 end;
} Cursor;

typedef struct
{
  guint32 class;
  gboolean is_complex;
  int n_dims;
  gsize dims[PRISM_FIELDS_MAX_DIMS];
  guint64 n_values;
  char name[MOST_NAME + 1];
} Matrix;

static void
free_file (gpointer data)
{
  MatlabFile *self = data;

  if (self->fd >= 0)
    close (self->fd);
  prism_arena_free_array (self->bytes);
  g_array_unref (self->places);
  g_free (self);
}

static guint32
get_word (const MatlabFile *self,
          const guint8 *p)
{
  return (guint32) prism_source_get_bits (p, 4, self->swap);
}

/* Unpacks the element that a cursor is in, its head alone or all of it. Returns what cannot be */
static const char *
unpack (MatlabFile *self,
        const Cursor *cursor,
        gboolean head)
{
  const guint64 at = cursor->packed + 8, n_packed = cursor->packed_end - at;
  const gsize n_in = head ? MIN (n_packed, PIECE_BYTES) : n_packed;
  prism_autofree_array guint8 *packed
      = prism_arena_new_array (MAX (n_in, 1), "a packed variable", NULL);
  guint8 tag[8];
  z_stream stream = { .next_in = packed,
                      .avail_in = (uInt) n_in,
                      .next_out = tag,
                      .avail_out = sizeof tag };
  const char *reason = "a variable cannot be unpacked";

  prism_arena_free_array (g_steal_pointer (&self->bytes));
  self->packed = 0;
  if (packed == NULL || !prism_temporary_store_read (self->fd, packed, n_in, at)
      || inflateInit (&stream) != Z_OK)
    return reason;
  if (inflate (&stream, Z_SYNC_FLUSH) >= 0 && stream.avail_out == 0)
    {
      const guint32 n = get_word (self, tag + 4);
      /* With a byte to spare the end is seen, and with it the checksum. */
      const gsize n_bytes = MIN (head ? HEAD_BYTES : G_MAXSIZE, (gsize) n + 9);
      const gboolean good = get_word (self, tag) == MI_MATRIX && n / MAX_EXPANSION <= n_packed;

      if (good)
        self->bytes = prism_arena_new_array (n_bytes, "a packed variable", NULL);
      else
        reason = "a packed variable has a size that cannot be";
      if (self->bytes != NULL)
        {
          int status;

          memcpy (self->bytes, tag, 8);
          stream.next_out = self->bytes + 8;
          stream.avail_out = (uInt) (n_bytes - 8);
          status = inflate (&stream, Z_SYNC_FLUSH);
          self->n_bytes = (gsize) (stream.next_out - self->bytes);
          /* What is damaged behind the head is not looked for before it is read. */
          if (head ? status >= 0 || status == Z_BUF_ERROR : status == Z_STREAM_END)
            {
              self->packed = cursor->packed;
              reason = NULL;
            }
        }
    }
  inflateEnd (&stream);
  return reason;
}

static gboolean
read_bytes (MatlabFile *self,
            const Cursor *cursor,
            guint64 at,
            gpointer to,
            gsize n)
{
  const guint64 end = at + n;

  if (end > cursor->end)
    return FALSE;
  if (cursor->packed == 0)
    return prism_temporary_store_read (self->fd, to, n, at);
  if ((self->packed != cursor->packed || end > self->n_bytes)
      && unpack (self, cursor, end <= HEAD_BYTES) != NULL)
    return FALSE;
  if (self->packed != cursor->packed || end > self->n_bytes)
    return FALSE;
  memcpy (to, self->bytes + at, n);
  return TRUE;
}

/* The next element, whose data begin at *data; small ones lie in the tag itself. */
static gboolean
read_tag (MatlabFile *self,
          Cursor *cursor,
          guint32 *type,
          guint32 *size,
          guint64 *data)
{
  guint8 tag[8];

  if (!read_bytes (self, cursor, cursor->at, tag, sizeof tag))
    return FALSE;
  *type = get_word (self, tag);
  *size = get_word (self, tag + 4);
  *data = cursor->at + 8;
  if (*type >> 16 != 0)
    {
      *size = *type >> 16;
      *type &= 0xffff;
      *data -= 4;
      cursor->at += 8;
      return *size <= 4;
    }
  cursor->at = *data + ((guint64) *size + 7) / 8 * 8;
  return *size <= cursor->end - *data;
}

static gboolean
is_array (const Matrix *matrix)
{
  return matrix->class == MX_TEXT || (matrix->class >= MX_DOUBLE && matrix->class <= MX_UINT64);
}

/* Flags, dimensions and name of a matrix. Of what is no array no more than the class may be known,
 * without dimensions and name. Returns what cannot be */
static const char *
read_matrix (MatlabFile *self,
             Cursor *cursor,
             Matrix *matrix)
{
  const guint64 n_bytes = cursor->end - cursor->at;
  guint8 bytes[4 * PRISM_FIELDS_MAX_DIMS];
  guint32 type, size;
  guint64 data;

  *matrix = (Matrix) { .n_values = 1 };
  if (!read_tag (self, cursor, &type, &size, &data) || type != MI_UINT32 || size != 8
      || !read_bytes (self, cursor, data, bytes, 4))
    return "the flags of a variable are damaged";
  matrix->class = get_word (self, bytes) & 0xff;
  matrix->is_complex = (get_word (self, bytes) & 0x800) != 0;
  if (matrix->class < MX_CELL || matrix->class > MX_OPAQUE)
    return "the class of a variable is unknown";
  if (matrix->class != MX_OPAQUE)
    {
      if (!read_tag (self, cursor, &type, &size, &data) || type != MI_INT32 || size % 4 != 0
          || size < 8 || size > sizeof bytes || !read_bytes (self, cursor, data, bytes, size))
        return is_array (matrix) ? "the dimensions of a variable are damaged, or more than 8"
                                 : NULL;
      for (guint i = 0; i < size / 4; i++)
        {
          const gsize length = get_word (self, bytes + 4 * i);

          if (length > G_MAXINT32
              || (length > 0 && matrix->n_values > G_MAXUINT64 / 64 / length))
            return is_array (matrix) ? "the shape of a variable is too large" : NULL;
          matrix->dims[i] = length;
          matrix->n_values *= length;
        }
      if (is_array (matrix) && matrix->n_values > n_bytes)
        return "a variable's shape asks for more values than its bytes can hold; is it cut off?";
      matrix->n_dims = (int) size / 4;
    }
  if (read_tag (self, cursor, &type, &size, &data) && type == MI_INT8 && size <= MOST_NAME
      && read_bytes (self, cursor, data, matrix->name, size))
    return NULL;
  matrix->n_dims = 0;
  return is_array (matrix) ? "the name of a variable is damaged" : NULL;
}

/* The next element of numbers, of which there are so many. Returns where they are; 0: nowhere */
static guint64
find_numbers (MatlabFile *self,
              Cursor *cursor,
              gsize n,
              guint32 *type)
{
  guint32 size;
  guint64 data;

  return read_tag (self, cursor, type, &size, &data) && *type < G_N_ELEMENTS (types)
                 && types[*type].size > 0 && size / types[*type].size >= n
             ? data
             : 0;
}

/* Values that follow each other, of both parts of complex ones. */
static gboolean
read_run (PrismFields *fields,
          const PrismField *field,
          gsize first,
          gsize n,
          double *values,
          GError **error)
{
  MatlabFile *self = fields->data;
  Cursor cursor = g_array_index (self->places, Cursor, field->handle);
  const guint n_parts = field->kind == PRISM_FIELD_COMPLEX ? 2 : 1;
  g_autofree guint8 *piece = g_malloc (PIECE_BYTES);
  g_autofree char *reason = NULL;

  for (guint part = 0; part < n_parts; part++)
    {
      guint32 type;
      const guint64 data = find_numbers (self, &cursor, field->n_values, &type);
      const gsize size = data > 0 ? types[type].size : 1, most = PIECE_BYTES / size;
      gsize done = 0;

      for (gsize some; data > 0 && done < n; done += some)
        {
          some = MIN (n - done, most);
          if (!read_bytes (self, &cursor, data + (first + done) * size, piece, some * size))
            break;
          for (gsize i = 0; i < some; i++)
            values[(done + i) * n_parts + part]
                = prism_source_get (piece + i * size, types[type].kind, size, self->swap);
        }
      if (done < n)
        {
          reason = g_strdup_printf ("the values of “%s” are damaged or cut off", field->name);
          prism_fields_set_error (error, fields->name, fields->format, reason);
          return FALSE;
        }
    }
  return TRUE;
}

/* A text of one line that is a number with its unit. */
static gboolean
add_text (PrismFields *fields,
          Cursor cursor,
          const Matrix *matrix,
          const char *name)
{
  MatlabFile *self = fields->data;
  const gsize n = matrix->n_dims == 2 && matrix->dims[0] == 1 ? matrix->dims[1] : 0;
  g_autoptr (GString) text = g_string_new (NULL);
  guint8 bytes[4 * MOST_TEXT + 1] = { 0 };
  guint32 type, size;
  guint64 data;

  if (n == 0 || n > MOST_TEXT || !read_tag (self, &cursor, &type, &size, &data)
      || type >= G_N_ELEMENTS (types) || size / MAX (types[type].size, 1) < n
      || size >= sizeof bytes || !read_bytes (self, &cursor, data, bytes, size))
    return FALSE;
  for (gsize i = 0; i < n && type != MI_UTF8 && types[type].kind == 'u'; i++)
    g_string_append_unichar (text, (gunichar) prism_source_get_bits (bytes + i * types[type].size,
                                                                     types[type].size, self->swap));
  return prism_fields_add_text (fields, name, type == MI_UTF8 ? (char *) bytes : text->str) != NULL;
}

/* cursor: behind the name */
static void
add_array (PrismFields *fields,
           Cursor cursor,
           const Matrix *matrix,
           const char *name)
{
  MatlabFile *self = fields->data;
  const gboolean is_text = matrix->class == MX_TEXT;
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  PrismField *field;

  if (is_text && add_text (fields, cursor, matrix, name))
    return;
  for (int i = 0; i < matrix->n_dims; i++)
    shape[i] = matrix->dims[matrix->n_dims - 1 - i];
  field = prism_fields_add (fields, name,
                            is_text              ? PRISM_FIELD_OTHER
                            : matrix->is_complex ? PRISM_FIELD_COMPLEX
                                                 : PRISM_FIELD_REAL,
                            is_text ? 0 : matrix->n_dims, shape);
  field->handle = (int) self->places->len;
  g_array_append_val (self->places, cursor);
  if (field->obstacle == NULL && field->n_values == 0)
    field->obstacle = g_strdup ("it is empty");
  if (field->obstacle == NULL && field->n_values / MAX_EXPANSION > self->size)
    field->obstacle = g_strdup ("its shape asks for more values than its bytes can hold");
}

/* Names of a structure's fields, each as long as the others with what fills it up. */
static char *
read_names (MatlabFile *self,
            Cursor *cursor,
            guint32 *length,
            guint32 *n)
{
  g_autofree char *names = NULL;
  guint32 type, size;
  guint64 data;
  guint8 word[4];

  if (!read_tag (self, cursor, &type, &size, &data) || type != MI_INT32 || size != 4
      || !read_bytes (self, cursor, data, word, 4))
    return NULL;
  *length = get_word (self, word);
  if (*length == 0 || *length > MOST_FIELD_NAME || !read_tag (self, cursor, &type, &size, &data))
    return NULL;
  /* A single one may be cut where its letters end. */
  *n = MAX (size / *length, 1);
  if (type != MI_INT8 || size == 0 || *n > PRISM_FIELDS_MAX)
    return NULL;
  names = g_malloc0 (MAX ((gsize) *n * *length, size) + 1);
  return read_bytes (self, cursor, data, names, size) ? g_steal_pointer (&names) : NULL;
}

/* The arrays in a cell or a structure, by its name and those of its parts, counted from 1 on:
 * “data/imlow”, “imgs/3”. What is damaged is left out. cursor: behind the name of the matrix */
static void
walk (PrismFields *fields,
      Cursor cursor,
      const Matrix *matrix,
      const char *name,
      guint depth)
{
  MatlabFile *self = fields->data;
  const gboolean is_cell = matrix->class == MX_CELL;
  g_autofree char *names = NULL;
  guint32 length = 0, n_fields = 1;

  if (is_array (matrix) && matrix->n_values > 0)
    add_array (fields, cursor, matrix, name);
  if (depth > MOST_DEPTH || matrix->n_dims == 0)
    return;
  if (matrix->class == MX_STRUCTURE)
    names = read_names (self, &cursor, &length, &n_fields);
  if (names == NULL && !is_cell)
    return;
  for (guint64 i = 0; i < matrix->n_values * n_fields; i++)
    {
      const guint64 number = i / n_fields + 1, k = i % n_fields;
      g_autoptr (GString) part = g_string_new (name);
      Cursor inner = cursor;
      Matrix found;
      guint32 type, size;

      if (fields->fields->len >= PRISM_FIELDS_MAX
          || !read_tag (self, &cursor, &type, &size, &inner.at) || type != MI_MATRIX)
        return;
      if (matrix->n_values > 1 || is_cell)
        g_string_append_printf (part, "/%" G_GUINT64_FORMAT, number);
      if (names != NULL)
        g_string_append_printf (part, "/%.*s", (int) length, names + k * length);
      inner.end = inner.at + size;
      if (size > 0 && read_matrix (self, &inner, &found) == NULL)
        walk (fields, inner, &found, part->str, depth + 1);
    }
}

/* The variable at a cursor, which goes on to the next one. Returns what cannot be */
static const char *
read_variable (MatlabFile *self,
               Cursor *file,
               Cursor *cursor,
               Matrix *matrix)
{
  guint8 tag[8];
  guint32 n;

  if (!read_bytes (self, file, file->at, tag, sizeof tag))
    return "it is cut off";
  n = get_word (self, tag + 4);
  *cursor = (Cursor) { .at = file->at + 8, .end = file->at + 8 + n };
  if (cursor->end > self->size)
    return "it is cut off, or the size of a variable is damaged";
  if (get_word (self, tag) == MI_COMPRESSED)
    {
      const char *reason;

      *cursor = (Cursor) { file->at, cursor->end, 8, G_MAXUINT64 };
      reason = unpack (self, cursor, TRUE);
      file->at = cursor->packed_end;
      if (reason != NULL)
        return reason;
      cursor->end = 8 + (guint64) get_word (self, self->bytes + 4);
    }
  else if (get_word (self, tag) != MI_MATRIX)
    return "it has something that is no variable";
  else
    file->at = cursor->end;
  return read_matrix (self, cursor, matrix);
}

/* Lists the variables: arrays and what is in cells and structures, then the names of others.
 * Returns what cannot be */
static const char *
list_variables (PrismFields *fields)
{
  MatlabFile *self = fields->data;
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  guint8 header[HEADER_BYTES];
  Cursor file = { .at = HEADER_BYTES, .end = self->size };
  guint64 subsystem;
  guint n = 0, n_nested = 0;

  if (!prism_temporary_store_read (self->fd, header, sizeof header, 0))
    return "it is cut off";
  self->swap = header[126] == (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'M' : 'I');
  /* Where MATLAB keeps what objects and handles share: a variable without a name. */
  subsystem = prism_source_get_bits (header + 116, 8, self->swap);
  for (; file.at + 8 <= self->size; n++)
    {
      const guint64 begin = file.at;
      const guint before = fields->fields->len;
      Cursor cursor;
      Matrix matrix;
      const char *reason = n == PRISM_FIELDS_MAX ? "it has more than 4096 variables"
                                                 : read_variable (self, &file, &cursor, &matrix);

      if (begin == subsystem && file.at > begin && others->len + n_nested > 0)
        continue;
      if (reason != NULL)
        return reason;
      if (is_array (&matrix) && matrix.name[0] == '\0')
        return "the name of a variable is damaged";
      if (is_array (&matrix))
        add_array (fields, cursor, &matrix, matrix.name);
      else if (matrix.class == MX_CELL || matrix.class == MX_STRUCTURE)
        {
          n_nested++;
          if (cursor.packed == 0 || unpack (self, &cursor, FALSE) == NULL)
            walk (fields, cursor, &matrix, matrix.name, 0);
        }
      if (fields->fields->len == before)
        g_ptr_array_add (others, g_strdup (matrix.name[0] != '\0' ? matrix.name : NAMELESS));
    }
  if (n == 0)
    return "it has no variable";
  if (fields->fields->len + n_nested == 0)
    return "it has objects or sparse matrices alone, which are not read; save the arrays themselves"
           " (save -v7 FILE frames …)";
  if (fields->fields->len == 0)
    return "it has cells, structures, objects or sparse matrices alone, without an array that can"
           " be read; save the arrays themselves (save -v7 FILE frames …)";
  /* They are listed, but never read. */
  for (guint i = 0; i < others->len && fields->fields->len < PRISM_FIELDS_MAX; i++)
    prism_fields_add_obstacle (fields, g_ptr_array_index (others, i),
                               "it is an object or sparse, or a structure or cell without an"
                               " array");
  return NULL;
}

/**
 * prism_fields_load_matlab:
 * @path: file name
 *
 * Lists the variables of a file of MATLAB 5 to 7.2. The arrays in structures and cells are
 * listed by the names of their places, texts that are numbers with a unit as numbers; objects and
 * sparse matrices are no arrays here. The file stays open; what is packed is unpacked in memory,
 * one variable at a time.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_matlab (const char *path,
                          GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_new (path, "MATLAB 5");
  MatlabFile *self = g_new0 (MatlabFile, 1);
  const char *reason;

  fields->column_major = TRUE;
  fields->data = self;
  fields->free_data = free_file;
  fields->read_run = read_run;
  self->places = g_array_new (FALSE, FALSE, sizeof (Cursor));
  self->fd = prism_file_open (path, MAX_BYTES, &self->size, error);
  if (self->fd < 0)
    return NULL;
  reason = list_variables (fields);
  if (reason == NULL)
    return g_steal_pointer (&fields);
  prism_fields_set_error (error, path, "MATLAB 5", reason);
  return NULL;
}
