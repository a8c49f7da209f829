#include "config.h"

#include "formats/prism-npy.h"

#include "base/prism-arena.h"
#include "base/prism-error.h"
#include "base/prism-file.h"

#include <math.h>
#include <string.h>

#define MAX_FILE_BYTES (G_GUINT64_CONSTANT (4) << 30)
#define MAX_HEADER_BYTES 65536
#define MAX_TEXT_BYTES 65536
#define SAVE_ALIGNMENT 64

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define NATIVE_ORDER '<'
#else
#define NATIVE_ORDER '>'
#endif

static const char magic[6] = { (char) 0x93, 'N', 'U', 'M', 'P', 'Y' };

/* What the header's dictionary says. */
typedef struct
{
  char kind;          /* f, i, u, b, c, U or S; those that cannot be read: V, O, M or m */
  gsize item_size;    /* bytes; of one component for c */
  gsize n_components; /* 2 for c, else 1 */
  gboolean swap;
  gboolean fortran;
  int n_dims;
  gsize shape[PRISM_NPY_MAX_DIMS];
  gsize n_items; /* product of shape */
} NpyLayout;

/* Cursor over the header, which is a Python dictionary of literals. */
typedef struct
{
  const char *at;
  const char *end;
} NpyReader;

static void
skip_spaces (NpyReader *reader)
{
  while (reader->at < reader->end && g_ascii_isspace (*reader->at))
    reader->at++;
}

static gboolean
accept (NpyReader *reader,
        const char *token)
{
  gsize length = strlen (token);

  skip_spaces (reader);
  if ((gsize) (reader->end - reader->at) < length || memcmp (reader->at, token, length) != 0)
    return FALSE;
  reader->at += length;
  return TRUE;
}

static char *
read_string (NpyReader *reader)
{
  const char *start;
  char quote;

  skip_spaces (reader);
  if (reader->at == reader->end || (*reader->at != '\'' && *reader->at != '"'))
    return NULL;
  quote = *reader->at++;
  start = reader->at;
  while (reader->at < reader->end && *reader->at != quote)
    reader->at++;
  if (reader->at == reader->end)
    return NULL;
  return g_strndup (start, reader->at++ - start);
}

static gboolean
read_size (NpyReader *reader,
           gsize *size)
{
  gsize value = 0;
  const char *start;

  skip_spaces (reader);
  start = reader->at;
  while (reader->at < reader->end && g_ascii_isdigit (*reader->at))
    {
      if (!g_size_checked_mul (&value, value, 10)
          || !g_size_checked_add (&value, value, *reader->at - '0'))
        return FALSE;
      reader->at++;
    }
  *size = value;
  return reader->at > start;
}

static gboolean
read_shape (NpyReader *reader,
            NpyLayout *layout)
{
  layout->n_dims = 0;
  if (!accept (reader, "("))
    return FALSE;

  while (!accept (reader, ")"))
    {
      if (layout->n_dims == PRISM_NPY_MAX_DIMS
          || !read_size (reader, &layout->shape[layout->n_dims++]))
        return FALSE;
      accept (reader, "L");
      if (!accept (reader, ",") && (reader->at == reader->end || *reader->at != ')'))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_bool (NpyReader *reader,
           gboolean *value)
{
  *value = accept (reader, "True");
  return *value || accept (reader, "False");
}

/* The fields of a record, a list of literals: nothing in it is of interest. */
static gboolean
skip_list (NpyReader *reader)
{
  int depth = 0;

  do
    {
      g_autofree char *text = read_string (reader);

      if (text != NULL)
        continue;
      skip_spaces (reader);
      if (reader->at == reader->end)
        return FALSE;
      depth += (*reader->at == '[') - (*reader->at == ']');
      reader->at++;
    }
  while (depth > 0);
  return TRUE;
}

static gboolean
read_type (NpyReader *reader,
           NpyLayout *layout)
{
  g_autofree char *type = NULL;
  guint64 size;
  char *end;

  skip_spaces (reader);
  if (reader->at < reader->end && *reader->at == '[')
    {
      layout->kind = 'V';
      return skip_list (reader);
    }
  type = read_string (reader);
  if (type == NULL || strlen (type) < 2 || strchr ("<>|=", type[0]) == NULL)
    return FALSE;
  size = g_ascii_strtoull (type + 2, &end, 10);
  if (size > MAX_TEXT_BYTES || (*end != '\0' && *end != '['))
    return FALSE;

  layout->kind = type[1];
  layout->n_components = type[1] == 'c' ? 2 : 1;
  layout->item_size = type[1] == 'U' ? size * 4 : size / layout->n_components;
  layout->swap = (type[0] == '<' || type[0] == '>') && type[0] != NATIVE_ORDER;
  return TRUE;
}

static gboolean
is_type_known (const NpyLayout *layout)
{
  gsize size = layout->item_size;

  switch (layout->kind)
    {
    case 'f':
      return size == 2 || size == 4 || size == 8;
    case 'c':
      return size == 4 || size == 8;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'b':
      return size == 1;
    case 'U':
    case 'S':
      return size <= MAX_TEXT_BYTES;
    default:
      return FALSE;
    }
}

static const char *
get_type_reason (const NpyLayout *layout)
{
  switch (layout->kind)
    {
    case 'V':
      return "its elements are records, of which one field has to be chosen";
    case 'O':
      return "its elements are objects of Python's";
    case 'M':
    case 'm':
      return "its elements are dates or times";
    case 'f':
    case 'c':
      return "its numbers have more than 64 bits";
    default:
      return "its element type is not a plain number or text";
    }
}

static gboolean
read_dictionary (NpyReader *reader,
                 NpyLayout *layout)
{
  guint found = 0;

  if (!accept (reader, "{"))
    return FALSE;

  while (!accept (reader, "}"))
    {
      g_autofree char *key = read_string (reader);
      if (key == NULL || !accept (reader, ":"))
        return FALSE;
      if (g_str_equal (key, "descr") && read_type (reader, layout))
        found |= 1;
      else if (g_str_equal (key, "fortran_order") && read_bool (reader, &layout->fortran))
        found |= 2;
      else if (g_str_equal (key, "shape") && read_shape (reader, layout))
        found |= 4;
      else
        return FALSE;
      if (!accept (reader, ",") && (reader->at == reader->end || *reader->at != '}'))
        return FALSE;
    }
  return found == 7;
}

static gboolean
compute_n_items (NpyLayout *layout)
{
  gsize n = 1;

  for (int i = 0; i < layout->n_dims; i++)
    if (!g_size_checked_mul (&n, n, layout->shape[i]))
      return FALSE;
  layout->n_items = n;
  return TRUE;
}

static void
set_format_error (GError **error,
                  const char *name,
                  const char *reason)
{
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "“%s” cannot be read as a NumPy array: %s. Save it again with numpy.save.",
               name, reason);
}

/* Finds the header and leaves the bytes after it in reader. */
static gboolean
split_header (NpyReader *reader,
              NpyReader *header)
{
  gsize present = reader->end - reader->at;
  const guint8 *p = (const guint8 *) reader->at;
  gsize start, length;

  if (present < 10 || memcmp (p, magic, sizeof magic) != 0 || p[6] < 1 || p[6] > 3)
    return FALSE;

  start = p[6] == 1 ? 10 : 12;
  if (present < start)
    return FALSE;
  length = p[8] | (gsize) p[9] << 8;
  if (p[6] > 1)
    length |= (gsize) p[10] << 16 | (gsize) p[11] << 24;
  if (length > MAX_HEADER_BYTES || present - start < length)
    return FALSE;

  header->at = reader->at + start;
  header->end = header->at + length;
  reader->at = header->end;
  return TRUE;
}

static gboolean
read_layout (NpyReader *reader,
             NpyLayout *layout,
             const char *name,
             GError **error)
{
  NpyReader header;
  gsize n_bytes;

  memset (layout, 0, sizeof *layout);
  if (!split_header (reader, &header) || !read_dictionary (&header, layout))
    set_format_error (error, name, "its header is damaged or it is not a .npy file");
  else if (!is_type_known (layout))
    set_format_error (error, name, get_type_reason (layout));
  else if (layout->n_dims + (layout->n_components == 2) > PRISM_NPY_MAX_DIMS)
    set_format_error (error, name, "it has more than 8 dimensions");
  else if (!compute_n_items (layout)
           || !g_size_checked_mul (&n_bytes, layout->n_items,
                                   layout->item_size * layout->n_components))
    set_format_error (error, name, "its shape is too large");
  else if (n_bytes > (gsize) (reader->end - reader->at))
    set_format_error (error, name, "it is truncated, the shape asks for more bytes than there are");
  else
    return TRUE;
  return FALSE;
}

static guint64
read_bits (const guint8 *p,
           gsize size,
           gboolean swap)
{
  guint16 two;
  guint32 four;
  guint64 eight;

  switch (size)
    {
    case 1:
      return *p;
    case 2:
      memcpy (&two, p, 2);
      return swap ? GUINT16_SWAP_LE_BE (two) : two;
    case 4:
      memcpy (&four, p, 4);
      return swap ? GUINT32_SWAP_LE_BE (four) : four;
    default:
      memcpy (&eight, p, 8);
      return swap ? GUINT64_SWAP_LE_BE (eight) : eight;
    }
}

/* Half precision: a sign, 5 bits of exponent, 10 of the fraction. */
static double
read_half (guint32 bits)
{
  int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value = exponent == 0 ? ldexp (fraction, -24) : ldexp (1024 + fraction, exponent - 25);

  if (exponent == 0x1f)
    value = fraction == 0 ? INFINITY : NAN;
  return bits >> 15 & 1 ? -value : value;
}

static double
read_value (const guint8 *p,
            const NpyLayout *layout)
{
  guint64 bits = read_bits (p, layout->item_size, layout->swap);
  guint unused_bits = 64 - 8 * layout->item_size;
  guint32 half = (guint32) bits;
  double wide;
  float narrow;

  switch (layout->kind)
    {
    case 'b':
      return bits != 0;
    case 'u':
      return (double) bits;
    case 'i':
      return (double) ((gint64) (bits << unused_bits) >> unused_bits);
    default:
      memcpy (&wide, &bits, sizeof wide);
      memcpy (&narrow, &half, sizeof narrow);
      if (layout->item_size == 2)
        return read_half (half);
      return layout->item_size == 4 ? narrow : wide;
    }
}

/* Index of the item in the file that comes next in C order; digits counts through the shape. */
static gsize
get_next_item (const NpyLayout *layout,
               gsize *digits)
{
  gsize item = 0;
  int i;

  for (i = layout->n_dims - 1; i >= 0; i--)
    item = item * layout->shape[i] + digits[i];

  for (i = layout->n_dims - 1; i >= 0 && ++digits[i] == layout->shape[i]; i--)
    digits[i] = 0;
  return item;
}

static void
read_values (double *values,
             const guint8 *data,
             const NpyLayout *layout)
{
  gsize digits[PRISM_NPY_MAX_DIMS] = { 0 };
  gsize n = layout->n_components;

  for (gsize i = 0; i < layout->n_items; i++)
    {
      gsize item = layout->fortran ? get_next_item (layout, digits) : i;
      for (gsize k = 0; k < n; k++)
        values[i * n + k] = read_value (data + (item * n + k) * layout->item_size, layout);
    }
}

static char *
dup_text (const guint8 *data,
          const NpyLayout *layout)
{
  g_autofree gunichar *letters = NULL;
  gsize n = layout->item_size / 4;

  if (layout->kind == 'S')
    return g_utf8_make_valid ((const char *) data,
                              strnlen ((const char *) data, layout->item_size));

  letters = g_new0 (gunichar, n + 1);
  for (gsize i = 0; i < n; i++)
    letters[i] = (gunichar) read_bits (data + 4 * i, 4, layout->swap);
  return g_ucs4_to_utf8 (letters, -1, NULL, NULL, NULL);
}

static gboolean
read_array (PrismNpy *self,
            const guint8 *data,
            const NpyLayout *layout,
            const char *name,
            GError **error)
{
  g_autofree char *what = g_strdup_printf ("the array “%s”", name);
  gsize n_bytes;

  self->n_dims = layout->n_dims;
  memcpy (self->shape, layout->shape, sizeof self->shape);
  self->is_complex = layout->n_components == 2;
  if (self->is_complex)
    self->shape[self->n_dims++] = 2;
  self->n_values = layout->n_items * layout->n_components;

  if (!g_size_checked_mul (&n_bytes, self->n_values, sizeof *self->values))
    {
      set_format_error (error, name, "its shape is too large");
      return FALSE;
    }
  self->values = prism_arena_new_array (n_bytes, what, error);
  if (self->values == NULL)
    return FALSE;
  read_values (self->values, data, layout);
  return TRUE;
}

static gboolean
read_text (PrismNpy *self,
           const guint8 *data,
           const NpyLayout *layout,
           const char *name,
           GError **error)
{
  self->n_dims = layout->n_dims;
  memcpy (self->shape, layout->shape, sizeof self->shape);
  self->n_values = 1;
  self->text = layout->n_items == 1 ? dup_text (data, layout) : NULL;
  if (self->text != NULL)
    return TRUE;

  set_format_error (error, name, "of text only a single valid string can be read");
  return FALSE;
}

/**
 * prism_npy_load_bytes:
 * @bytes: a whole .npy file, versions 1 to 3
 * @name: what to call it in an error message
 *
 * Reads an array of f2, f4, f8, i1…i8, u1…u8, b1, c8, c16 (an extra last dimension of 2) in either
 * byte order, C or Fortran order; or a single string (<U, |S). Every number becomes a double:
 * integers above 2⁵³ lose their last digits.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_npy_load_bytes (GBytes *bytes,
                      const char *name,
                      GError **error)
{
  g_autoptr (PrismNpy) self = g_new0 (PrismNpy, 1);
  gsize size;
  NpyReader reader;
  NpyLayout layout;
  gboolean ok;

  g_return_val_if_fail (bytes != NULL && name != NULL, NULL);

  reader.at = g_bytes_get_data (bytes, &size);
  if (reader.at == NULL)
    reader.at = "";
  reader.end = reader.at + size;
  if (!read_layout (&reader, &layout, name, error))
    return NULL;

  ok = layout.kind == 'U' || layout.kind == 'S'
           ? read_text (self, (const guint8 *) reader.at, &layout, name, error)
           : read_array (self, (const guint8 *) reader.at, &layout, name, error);
  return ok ? g_steal_pointer (&self) : NULL;
}

/**
 * prism_npy_load:
 * @path: file name
 *
 * Reads a .npy file of at most 4 GiB, see prism_npy_load_bytes().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the array
 */
PrismNpy *
prism_npy_load (const char *path,
                GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_FILE_BYTES, error);

  return bytes == NULL ? NULL : prism_npy_load_bytes (bytes, name, error);
}

/**
 * prism_npy_free:
 * @self: (nullable): an array
 */
void
prism_npy_free (PrismNpy *self)
{
  if (self == NULL)
    return;
  prism_arena_free_array (self->values);
  g_free (self->text);
  g_free (self);
}

/**
 * prism_npy_dup_floats:
 * @self: an array of numbers
 *
 * Shape: [n_values], C order.
 *
 * Returns: (transfer full) (nullable): a copy for prism_arena_free_array(); %NULL without memory
 */
float *
prism_npy_dup_floats (const PrismNpy *self)
{
  float *floats;

  if (self->values == NULL)
    return NULL;
  floats = prism_arena_new_array (self->n_values * sizeof *floats, "an array", NULL);
  if (floats == NULL)
    return NULL;
  for (gsize i = 0; i < self->n_values; i++)
    floats[i] = (float) self->values[i];
  return floats;
}

static GBytes *
make_header (const char *type,
             int n_dims,
             const gsize *shape)
{
  GString *header = g_string_new (NULL);
  gsize length;

  g_string_append_printf (header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                          NATIVE_ORDER, type);
  for (int i = 0; i < n_dims; i++)
    g_string_append_printf (header, "%" G_GSIZE_FORMAT ", ", shape[i]);
  g_string_append (header, "), }");

  while ((10 + header->len + 1) % SAVE_ALIGNMENT != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');

  length = header->len;
  g_string_prepend_len (header, (const char[]) { 1, 0, (char) length, (char) (length >> 8) }, 4);
  g_string_prepend_len (header, magic, sizeof magic);
  return g_string_free_to_bytes (header);
}

/**
 * prism_npy_new_header:
 * @n_dims: number of dimensions, 0 to PRISM_NPY_MAX_DIMS
 * @shape: (array length=n_dims): sizes
 *
 * What stands before the values of a .npy file of single precision.
 *
 * Returns: (transfer full): the header, a multiple of 64 bytes
 */
GBytes *
prism_npy_new_header (int n_dims,
                      const gsize *shape)
{
  return make_header ("f4", n_dims, shape);
}

static gboolean
save (const char *path,
      const float *values,
      gboolean is_complex,
      int n_dims,
      const gsize *shape,
      GError **error)
{
  gsize n_bytes = is_complex ? 2 * sizeof *values : sizeof *values;
  g_autoptr (GBytes) header = NULL;
  gconstpointer head;
  gsize n_head;
  char *block;
  gboolean ok;

  g_return_val_if_fail (n_dims >= 0 && n_dims <= PRISM_NPY_MAX_DIMS, FALSE);
  for (int i = 0; i < n_dims; i++)
    g_return_val_if_fail (g_size_checked_mul (&n_bytes, n_bytes, shape[i]), FALSE);

  header = make_header (is_complex ? "c8" : "f4", n_dims, shape);
  head = g_bytes_get_data (header, &n_head);
  block = prism_arena_new_array (n_head + n_bytes, "an array to be saved", error);
  if (block != NULL)
    {
      memcpy (block, head, n_head);
      memcpy (block + n_head, values, n_bytes);
    }
  ok = block != NULL && prism_file_save (path, block, n_head + n_bytes, error);

  prism_arena_free_array (block);
  return ok;
}

/**
 * prism_npy_save:
 * @path: file name
 * @values: (array): what to write
 * @n_dims: number of dimensions, 0 to PRISM_NPY_MAX_DIMS
 * @shape: (array length=n_dims): sizes
 *
 * Writes a .npy file of single precision, safely as prism_file_save() does.
 *
 * Shape: values has the product of shape, C order.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_npy_save (const char *path,
                const float *values,
                int n_dims,
                const gsize *shape,
                GError **error)
{
  return save (path, values, FALSE, n_dims, shape, error);
}

/**
 * prism_npy_save_complex:
 * @path: file name
 * @values: (array): real and imaginary part in turn
 * @n_dims: number of dimensions, 0 to PRISM_NPY_MAX_DIMS
 * @shape: (array length=n_dims): sizes
 *
 * Writes a .npy file of complex numbers of single precision.
 *
 * Shape: values has the product of shape, times 2, C order.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: whether the file is on the disk
 */
gboolean
prism_npy_save_complex (const char *path,
                        const float *values,
                        int n_dims,
                        const gsize *shape,
                        GError **error)
{
  return save (path, values, TRUE, n_dims, shape, error);
}

/**
 * prism_npy_find_rows:
 * @rows: (out): where they are
 * @head: the beginning of a .npy file
 * @name: what to call it in an error message
 *
 * For arrays that are too large to be read as a whole.
 *
 * Errors: PRISM_ERROR_FORMAT when it is no array of two dimensions of real numbers in C order.
 *
 * Returns: whether its rows can be read
 */
gboolean
prism_npy_find_rows (PrismNpyRows *rows,
                     GBytes *head,
                     const char *name,
                     GError **error)
{
  NpyLayout layout = { 0 };
  gsize size;
  const char *data = g_bytes_get_data (head, &size);
  NpyReader reader = { data, data + size }, header;

  if (!split_header (&reader, &header) || !read_dictionary (&header, &layout)
      || !is_type_known (&layout))
    set_format_error (error, name, "its header is damaged or its values are no plain numbers");
  else if (layout.n_dims != 2 || layout.n_components != 1
           || strchr ("fiub", layout.kind) == NULL)
    set_format_error (error, name, "it is not an array of two dimensions of real numbers");
  else if (layout.fortran)
    g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
                 "“%s” cannot be read in strips: its columns, not its rows, follow each other. Save"
                 " numpy.ascontiguousarray of the array.",
                 name);
  else
    {
      *rows = (PrismNpyRows) { layout.shape[0], layout.shape[1], (gsize) (reader.at - data),
                               layout.item_size, g_memdup2 (&layout, sizeof layout) };
      return TRUE;
    }
  return FALSE;
}

/**
 * prism_npy_decode_row:
 * @rows: of prism_npy_find_rows()
 * @bytes: of a row
 * @row: (out): its values
 *
 * Shape: bytes is [width][n_bytes], row is [width].
 */
void
prism_npy_decode_row (const PrismNpyRows *rows,
                      const guint8 *bytes,
                      float *row)
{
  for (gsize x = 0; x < rows->width; x++)
    row[x] = (float) read_value (bytes + x * rows->n_bytes, rows->layout);
}
