#include "config.h"

#include "formats/prism-npy.h"

#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-fields-readers.h"
#include "formats/prism-rows-private.h"

#define MAX_HEADER_BYTES 65536
#define MAX_TEXT_BYTES 65536
#define PIECE_BYTES 16384
#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)       /* of a file of which parts are read, */
#define MAX_WHOLE_BYTES (G_GUINT64_CONSTANT (4) << 30) /* and that is read at once */
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
  gsize start;   /* byte of the first item */
} NpyLayout;

/* The header is a dictionary of literals of Python, its keys in any order. A type is a text, or of
 * records a list, in which nothing is of interest. */
#define KEY(name) "['\"]" name "['\"]\\s*:\\s*"
#define TYPE "['\"](?<order>[<>|=])(?<kind>.)(?<size>\\d*)(\\[[^'\"]*)?['\"]|(?<list>\\[.*\\])"
#define SIZES "\\((?<shape>\\s*(\\d+L?\\s*(,\\s*|(?=\\))))*)\\)"
#define VALUE   \
  KEY ("descr") \
  "(" TYPE ")|" KEY ("fortran_order") "(?<fortran>True|False)|" KEY ("shape") SIZES
static const char dictionary[] = "\\A\\s*\\{(\\s*(" VALUE ")\\s*(,|(?=\\})))*\\s*\\}";

/* Why the items cannot be read; NULL: they can be. */
static const char *
find_obstacle (const NpyLayout *layout)
{
  const gsize size = layout->item_size;

  switch (layout->kind)
    {
    case 'f':
    case 'c':
      return size == 4 || size == 8 || (size == 2 && layout->kind == 'f')
                 ? NULL
                 : "its numbers have more than 64 bits";
    case 'b':
    case 'i':
    case 'u':
      if (size == 1 || (layout->kind != 'b' && (size == 2 || size == 4 || size == 8)))
        return NULL;
      break;
    case 'U':
    case 'S':
      if (size <= MAX_TEXT_BYTES)
        return NULL;
      break;
    case 'V':
      return "its elements are records, of which one field has to be chosen";
    case 'O':
      return "its elements are objects of Python's";
    case 'M':
    case 'm':
      return "its elements are dates or times";
    default:
      break;
    }
  return "its element type is not a plain number or text";
}

static gboolean
read_dictionary (const char *header,
                 gsize length,
                 NpyLayout *layout)
{
  g_autoptr (GRegex) regex = g_regex_new (dictionary, G_REGEX_RAW | G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *order = NULL, *kind = NULL, *digits = NULL, *fortran = NULL, *shape = NULL;
  guint64 size;
  int begin = -1;

  if (!g_regex_match_full (regex, header, (gssize) length, 0, 0, &match, NULL))
    return FALSE;
  order = g_match_info_fetch_named (match, "order");
  kind = g_match_info_fetch_named (match, "kind");
  digits = g_match_info_fetch_named (match, "size");
  fortran = g_match_info_fetch_named (match, "fortran");
  shape = g_match_info_fetch_named (match, "shape");
  size = g_ascii_strtoull (digits, NULL, 10);
  g_match_info_fetch_named_pos (match, "list", &begin, NULL);
  layout->kind = begin >= 0 ? 'V' : *kind;
  layout->n_components = *kind == 'c' ? 2 : 1;
  layout->item_size = *kind == 'U' ? size * 4 : size / layout->n_components;
  layout->swap = *order == (NATIVE_ORDER == '<' ? '>' : '<');
  layout->fortran = strcmp (fortran, "True") == 0;
  g_match_info_fetch_named_pos (match, "shape", &begin, NULL);
  for (const char *at = shape + strspn (shape, " "); *at != '\0'; at += strspn (at, ", L"))
    {
      if (layout->n_dims == PRISM_NPY_MAX_DIMS)
        return FALSE;
      layout->shape[layout->n_dims++] = g_ascii_strtoull (at, (char **) &at, 10);
    }
  return layout->kind != '\0' && *fortran != '\0' && begin >= 0 && size <= MAX_TEXT_BYTES;
}

static gboolean
set_format_error (GError **error,
                  const char *name,
                  const char *reason)
{
  return prism_error_format (error,
                             _ ("“%s” cannot be read as a NumPy array: %s. Save it again with"
                                " numpy.save."),
                             name, reason);
}

/* The text of the header, and where the items begin. */
static char *
load_header (const PrismSource *source,
             gsize *length,
             gsize *start)
{
  guint8 p[12] = { 0 };
  g_autofree char *header = NULL;

  if (!prism_source_read (source, 0, p, 10) || memcmp (p, magic, sizeof magic) != 0 || p[6] < 1
      || p[6] > 3 || (p[6] > 1 && !prism_source_read (source, 0, p, 12)))
    return NULL;
  *length = p[8] | (gsize) p[9] << 8 | (gsize) p[10] << 16 | (gsize) p[11] << 24;
  *start = (p[6] == 1 ? 10 : 12) + *length;
  if (*length > MAX_HEADER_BYTES)
    return NULL;
  header = g_malloc (*length + 1);
  return prism_source_read (source, *start - *length, header, *length) ? g_steal_pointer (&header)
                                                                       : NULL;
}

static gboolean
read_layout (NpyLayout *layout,
             const PrismSource *source,
             const char *name,
             GError **error)
{
  gsize length = 0, start = 0, n_bytes;
  gboolean fits = TRUE;
  const char *obstacle;
  g_autofree char *header = load_header (source, &length, &start);

  *layout = (NpyLayout) { 0 };
  if (header == NULL || !read_dictionary (header, length, layout))
    return set_format_error (error, name, _ ("its header is damaged or it is not a .npy file"));
  obstacle = find_obstacle (layout);
  if (obstacle != NULL)
    return set_format_error (error, name, obstacle);
  layout->start = start;
  layout->n_items = 1;
  for (int i = 0; i < layout->n_dims && fits; i++)
    fits = g_size_checked_mul (&layout->n_items, layout->n_items, layout->shape[i]);
  if (!fits
      || !g_size_checked_mul (&n_bytes, layout->n_items, layout->item_size * layout->n_components))
    return set_format_error (error, name, _ ("its shape is too large"));
  return n_bytes <= source->size - start
         || set_format_error (error, name,
                              _ ("it is truncated, the shape asks for more bytes than there are"));
}

/* Index of the item in the file that is the i-th in C order. */
static gsize
find_item (const NpyLayout *layout,
           gsize i)
{
  gsize item = 0, stride = layout->n_items;

  for (int k = layout->n_dims - 1; k >= 0; k--)
    {
      stride /= layout->shape[k];
      item += i % layout->shape[k] * stride;
      i /= layout->shape[k];
    }
  return item;
}

/* Reads some items, in C order, as doubles; values: [n][n_components] */
static gboolean
decode (const NpyLayout *layout,
        const PrismSource *source,
        gsize first,
        gsize n,
        double *values)
{
  const gsize size = layout->item_size, n_parts = layout->n_components;
  const char kind = layout->kind == 'c' ? 'f' : layout->kind;
  guint8 piece[PIECE_BYTES];

  for (gsize some; n > 0; n -= some, first += some)
    {
      some = layout->fortran ? 1 : MIN (n, PIECE_BYTES / (size * n_parts));
      if (!prism_source_read (source,
                              layout->start
                                  + (layout->fortran ? find_item (layout, first) : first) * size
                                        * n_parts,
                              piece, some * size * n_parts))
        return FALSE;
      for (gsize i = 0; i < some * n_parts; i++)
        *values++ = kind == 'b' ? piece[i] != 0
                                : prism_source_get (piece + i * size, kind, size, layout->swap);
    }
  return TRUE;
}

static char *
dup_text (const NpyLayout *layout,
          const PrismSource *source)
{
  const gsize size = layout->item_size, n = size / 4;
  g_autofree guint8 *bytes = g_malloc0 (size + 1);
  g_autofree gunichar *letters = g_new0 (gunichar, n + 1);

  prism_source_read (source, layout->start, bytes, size);
  if (layout->kind == 'S')
    return g_utf8_make_valid ((const char *) bytes, -1);
  for (gsize i = 0; i < n; i++)
    letters[i] = (gunichar) prism_source_get_bits (bytes + 4 * i, 4, layout->swap);
  return g_ucs4_to_utf8 (letters, -1, NULL, NULL, NULL);
}

static gboolean
is_text (const NpyLayout *layout)
{
  return layout->kind == 'U' || layout->kind == 'S';
}

/* A text that is a number with its unit is this number, any other the label of what has none. */
static gboolean
add_text (PrismFields *self,
          const char *name,
          const NpyLayout *layout,
          const PrismSource *source)
{
  g_autofree char *text = layout->n_items == 1 ? dup_text (layout, source) : NULL;

  if (text != NULL && prism_fields_add_text (self, name, text) == NULL)
    prism_fields_add (self, name, PRISM_FIELD_OTHER, layout->n_dims, layout->shape)->labels
        = g_strdupv ((char **) (const char *const[]) { text, NULL });
  return text != NULL;
}

/**
 * prism_npy_list:
 * @self: (inout): gets the array
 * @name: of the array there
 * @shown: what to call it in an error message
 * @bytes: a whole .npy file, versions 1 to 3
 *
 * Reads an array of f2, f4, f8, i1…i8, u1…u8, b1, c8, c16 in either byte order, C or Fortran order;
 * or a single string (<U, |S). Every number becomes a double: integers above 2⁵³ lose their last
 * digits.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether it is there
 */
gboolean
prism_npy_list (PrismFields *self,
                const char *name,
                const char *shown,
                GBytes *bytes,
                GError **error)
{
  g_autofree char *what = g_strdup_printf ("the array “%s”", shown);
  gsize size, n_bytes;
  PrismSource source = { .data = g_bytes_get_data (bytes, &size) };
  NpyLayout layout;
  double *values;

  source.size = size;
  if (!read_layout (&layout, &source, shown, error))
    return FALSE;
  if (is_text (&layout))
    return add_text (self, name, &layout, &source)
           || set_format_error (error, shown, _ ("of text only a single valid string can be"
                                                 " read"));
  if (!g_size_checked_mul (&n_bytes, layout.n_items, layout.n_components * sizeof *values))
    return set_format_error (error, shown, _ ("its shape is too large"));
  values = prism_arena_new_array (n_bytes, what, error);
  if (values == NULL)
    return FALSE;
  decode (&layout, &source, 0, layout.n_items, values);
  prism_fields_add_values (self, name,
                           layout.n_components == 2 ? PRISM_FIELD_COMPLEX : PRISM_FIELD_REAL,
                           layout.n_dims, layout.shape, values);
  return TRUE;
}

/**
 * prism_fields_load_npy:
 * @path: name of a .npy file of at most 4 GiB
 *
 * The one array of a .npy file, called “frames”. It is read at once, see prism_npy_list().
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_npy (const char *path,
                       GError **error)
{
  g_autoptr (GBytes) bytes = prism_file_load (path, MAX_WHOLE_BYTES, error);
  g_autoptr (PrismFields) self = prism_fields_new (path, "NumPy");

  if (bytes == NULL || !prism_npy_list (self, "frames", path, bytes, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* A file whose numbers are read when somebody asks for them. */
typedef struct
{
  PrismSource source;
  NpyLayout layout;
} NpyFile;

static void
free_file (gpointer data)
{
  NpyFile *self = data;

  close (self->source.fd);
  g_free (self);
}

static gboolean
read_run (PrismFields *fields,
          const PrismField *field,
          gsize first,
          gsize n,
          double *values,
          GError **error)
{
  const NpyFile *self = fields->data;

  return decode (&self->layout, &self->source, first, n, values)
         || set_format_error (error, fields->name,
                              _ ("it is truncated, the shape asks for more bytes than there are"));
}

/**
 * prism_fields_open_npy:
 * @path: name of a .npy file
 *
 * The one array of a .npy file, called “frames”, of which parts are read. What is no number, and
 * what is in the order of Fortran, whose parts lie all over the file, is read at once, as
 * prism_fields_load_npy() does.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open_npy (const char *path,
                       GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_new (path, "NumPy");
  PrismSource source = { 0 };
  NpyFile *self;

  source.fd = prism_file_open (path, MAX_BYTES, &source.size, error);
  if (source.fd < 0)
    return NULL;
  fields->data = self = g_new0 (NpyFile, 1);
  fields->free_data = free_file;
  self->source = source;
  if (!read_layout (&self->layout, &source, path, error))
    return NULL;
  if (is_text (&self->layout) || self->layout.fortran || self->layout.n_items == 0)
    return prism_fields_load_npy (path, error);
  fields->read_run = read_run;
  prism_fields_add (fields, "frames",
                    self->layout.n_components == 2 ? PRISM_FIELD_COMPLEX : PRISM_FIELD_REAL,
                    self->layout.n_dims, self->layout.shape);
  return g_steal_pointer (&fields);
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
 * prism_npy_read_shape:
 * @bytes: a whole .npy file
 * @shape: (out caller-allocates): its sizes
 *
 * Returns: number of dimensions, -1: it is no such file
 */
int
prism_npy_read_shape (GBytes *bytes,
                      gsize shape[PRISM_NPY_MAX_DIMS])
{
  gsize size;
  PrismSource source = { .data = g_bytes_get_data (bytes, &size) };
  NpyLayout layout;

  source.size = size;
  if (!read_layout (&layout, &source, "", NULL))
    return -1;
  memcpy (shape, layout.shape, sizeof layout.shape);
  return layout.n_dims;
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

/* Of a picture: [height][width], the same with one leading dimension of 1, or colour
 * [height][width][3 or 4]. */
typedef struct
{
  NpyLayout layout;
  gsize n_channels;
  double *values; /* [width][n_channels] */
} NpyRows;

static void
close_rows (PrismRows *rows)
{
  NpyRows *self = rows->state;

  prism_arena_free_array (self->values);
  g_free (self);
}

static gboolean
read_row (PrismRows *rows,
          guint64 y,
          float *row,
          GError **error)
{
  const NpyRows *self = rows->state;
  const gsize n = self->n_channels, n_values = rows->width * n;

  if (!decode (&self->layout, &rows->source, y * n_values, n_values, self->values))
    return prism_rows_damaged (rows, "the file ends before its pixels do", error);
  for (gsize x = 0; x < rows->width; x++)
    {
      const double *v = self->values + x * n;

      row[x] = n > 1 ? prism_rows_mix (rows, v[0], v[1], v[2]) : prism_rows_narrow (v[0]);
    }
  return TRUE;
}

/**
 * prism_rows_open_npy:
 *
 * A NumPy array of two dimensions, or three with 3 or 4 channels; values stay as they are. Where
 * there is no room for the whole picture its rows have to follow each other.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_rows_open_npy (PrismRows *rows,
                     GError **error)
{
  NpyRows *self = g_new0 (NpyRows, 1);
  const NpyLayout *layout = &self->layout;
  const gsize *s = layout->shape;
  int first;

  rows->state = self;
  rows->read = read_row;
  rows->close = close_rows;
  rows->is_real = TRUE;
  if (!read_layout (&self->layout, &rows->source, rows->name, error))
    return FALSE;
  if (layout->n_components == 2)
    return prism_rows_fail (rows, _ ("its values are complex: take numpy.abs of them"), error);
  if (is_text (layout))
    return prism_rows_fail (rows, _ ("it is text"), error);
  first = layout->n_dims == 3 && s[0] == 1 ? 1 : 0;
  self->n_channels = layout->n_dims == 3 && first == 0 ? s[2] : 1;
  if (layout->n_dims < 2 || layout->n_dims > 3
      || (self->n_channels != 1 && self->n_channels != 3 && self->n_channels != 4)
      || (first == 0 && layout->n_dims == 3 && self->n_channels == 1))
    {
      g_autofree char *reason = NULL;
      g_autoptr (GString) sizes = g_string_new (NULL);

      for (int i = 0; i < layout->n_dims; i++)
        g_string_append_printf (sizes, "%s%" G_GSIZE_FORMAT, i > 0 ? " × " : "", layout->shape[i]);
      if (layout->n_dims > 2)
        reason = g_strdup_printf (
            _ ("its shape is %s, an image has two dimensions: take one plane"), sizes->str);
      return prism_rows_fail (
          rows, reason != NULL ? reason : _ ("it is not an array of two dimensions"), error);
    }
  rows->height = s[first];
  rows->width = s[first + 1];
  if (rows->is_strip && layout->fortran)
    return prism_error_format (error,
                               _ ("“%s” cannot be read in strips: its columns, not its rows,"
                                  " follow each other. Save numpy.ascontiguousarray of the"
                                  " array."),
                               rows->name);
  if (!prism_rows_check_size (rows, error))
    return FALSE;
  if (self->n_channels > 1)
    {
      rows->origin.n_channels = self->n_channels;
      rows->origin.n_colors = 3;
    }
  self->values
      = prism_arena_new_array (rows->width * self->n_channels * sizeof (double), "a row", error);
  return self->values != NULL;
}
