#include "config.h"

#include "formats/prism-fields-readers.h"
#include "formats/prism-rows-private.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-file.h"

/* FITS: the first image of a file, as a picture or as a cube of frames. Read here rather than with
 * cfitsio, whose memory driver (4.2.0) reads past the end of the buffer for truncated files and for
 * descriptors that point outside.
 *
 * Source: FITS Standard 4.0, sections 3, 4.4 and 5; ROWORDER: a convention of cameras' programs and
 * Siril, 'TOP-DOWN' or 'BOTTOM-UP'. */

#define BLOCK_BYTES 2880
#define CARD_BYTES 80
#define PIECE_BYTES (1 << 18)
#define MAX_BYTES (G_GUINT64_CONSTANT (64) << 30)
#define MAX_AXES 999

/* What one header says. */
typedef struct
{
  gboolean is_image;
  gboolean is_compressed; /* an image packed into a table */
  int bitpix;             /* 8, 16, 32, 64, -32 or -64 */
  int n_axes;
  gint64 axes[MAX_AXES]; /* the width first */
  double scale;
  double zero;
  gboolean has_blank;
  gint64 blank;         /* the raw value that means NaN */
  gint64 n_parameters;  /* PCOUNT */
  gint64 n_groups;      /* GCOUNT */
  gboolean is_top_down; /* ROWORDER: the first row is the one on top */
  double steps[2];      /* CDELT: of the world along a pixel; 0 where not said */
  char name[69];        /* EXTNAME */
  guint64 head;         /* of the header in the file */
  guint64 start;        /* of the data in the file */
} FitsHeader;

/* The file, and its first image, or all of them. */
typedef struct
{
  PrismSource source;
  FitsHeader header;
  GArray *headers; /* (nullable): of FitsHeader, by the handles of fields */
  guint8 *piece;
  double full_range; /* of a picture: what becomes 1 */
} FitsFile;

static gboolean
has_key (const guint8 *card,
         const char *key)
{
  gsize length = strlen (key);

  if (memcmp (card, key, length) != 0)
    return FALSE;
  for (gsize i = length; i < 8; i++)
    if (card[i] != ' ')
      return FALSE;
  return TRUE;
}

static char *
dup_value (const guint8 *card)
{
  char *value;

  if (memcmp (card + 8, "= ", 2) != 0)
    return g_strdup ("");
  value = g_strstrip (g_strndup ((const char *) card + 10, CARD_BYTES - 10));
  /* Behind a number, too, a comment may have quotes. */
  if (*value != '\'' && strchr (value, '/') != NULL)
    *strchr (value, '/') = '\0';
  return g_strchomp (value);
}

static gboolean
read_integer (const char *text,
              gint64 minimum,
              gint64 maximum,
              gint64 *number)
{
  return g_ascii_string_to_signed (text, 10, minimum, maximum, number, NULL);
}

static gboolean
read_real (char *text,
           double *number)
{
  char *end;

  g_strdelimit (text, "Dd", 'E');
  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*number);
}

/* NAXISn, n from 1. */
static gboolean
read_axis (FitsHeader *header,
           const guint8 *card,
           const char *value)
{
  g_autofree char *digits = g_strndup ((const char *) card + 5, 3);
  gint64 axis;

  if (!read_integer (g_strchomp (digits), 1, MAX_AXES, &axis))
    return FALSE;
  return read_integer (value, 0, G_MAXINT64, &header->axes[axis - 1]);
}

/* A card without interest is no error. */
static gboolean
read_card (FitsHeader *header,
           const guint8 *card)
{
  g_autofree char *value = dup_value (card);
  gint64 number = 0;
  gboolean ok = TRUE;

  if (has_key (card, "SIMPLE"))
    header->is_image = TRUE;
  else if (has_key (card, "XTENSION"))
    header->is_image = g_str_has_prefix (value, "'IMAGE ") || g_str_has_prefix (value, "'IMAGE'");
  else if (has_key (card, "ZIMAGE"))
    header->is_compressed = *value == 'T';
  else if (has_key (card, "BITPIX"))
    {
      ok = read_integer (value, -64, 64, &number);
      header->bitpix = (int) number;
    }
  else if (has_key (card, "NAXIS"))
    {
      ok = read_integer (value, 0, MAX_AXES, &number);
      header->n_axes = (int) number;
    }
  else if (memcmp (card, "NAXIS", 5) == 0)
    ok = read_axis (header, card, value);
  else if (has_key (card, "PCOUNT"))
    ok = read_integer (value, 0, G_MAXINT64, &header->n_parameters);
  else if (has_key (card, "GCOUNT"))
    ok = read_integer (value, 0, G_MAXINT64, &header->n_groups);
  else if (has_key (card, "BSCALE"))
    ok = read_real (value, &header->scale);
  else if (has_key (card, "BZERO"))
    ok = read_real (value, &header->zero);
  else if (has_key (card, "ROWORDER"))
    header->is_top_down = g_str_has_prefix (value, "'TOP-DOWN");
  else if (has_key (card, "CDELT1") || has_key (card, "CDELT2"))
    read_real (value, &header->steps[card[5] - '1']);
  else if (has_key (card, "EXTNAME") && *value == '\'')
    g_strlcpy (header->name, value + 1, strcspn (value + 1, "' ") + 1);
  else if (has_key (card, "BLANK"))
    header->has_blank = read_integer (value, G_MININT64, G_MAXINT64, &header->blank);
  return ok;
}

static gsize
get_pixel_bytes (const FitsHeader *header)
{
  return (gsize) abs (header->bitpix) / 8;
}

/* Card after card from a place on, which is a whole number of blocks. */
static gboolean
read_header (FitsHeader *header,
             const PrismSource *source,
             guint64 offset)
{
  guint8 block[BLOCK_BYTES];

  memset (header, 0, sizeof *header);
  header->scale = 1.0;
  header->n_groups = 1;
  header->head = offset;
  for (guint64 at = offset; prism_source_read (source, at, block, BLOCK_BYTES); at += BLOCK_BYTES)
    for (const guint8 *card = block; card < block + BLOCK_BYTES; card += CARD_BYTES)
      {
        const int n = abs (header->bitpix);

        header->start = at + BLOCK_BYTES;
        if (has_key (card, "END"))
          return header->bitpix == 8 || header->bitpix == 16 || n == 32 || n == 64;
        if (!read_card (header, card))
          return FALSE;
      }
  return FALSE;
}

/* |BITPIX|/8·GCOUNT·(PCOUNT + NAXIS1·…·NAXISn), up to a whole block. */
static gboolean
get_data_size (const FitsHeader *header,
               gsize *size)
{
  gsize n = header->n_axes > 0 ? 1 : 0;

  for (int i = 0; i < header->n_axes; i++)
    if (!g_size_checked_mul (&n, n, (gsize) header->axes[i]))
      return FALSE;
  if (!g_size_checked_add (&n, n, (gsize) header->n_parameters)
      || !g_size_checked_mul (&n, n, (gsize) header->n_groups)
      || !g_size_checked_mul (&n, n, (gsize) ABS (header->bitpix) / 8)
      || !g_size_checked_add (&n, n, BLOCK_BYTES - 1))
    return FALSE;
  *size = n / BLOCK_BYTES * BLOCK_BYTES;
  return TRUE;
}

/* An axis of no length means that there are no pixels: what follows is another part. */
static gboolean
is_usable (const FitsHeader *header)
{
  for (int i = 0; i < header->n_axes; i++)
    if (header->axes[i] <= 0)
      return FALSE;
  return header->is_image && header->n_axes >= 2;
}

/* The header behind one and its data. */
static gboolean
find_next (FitsHeader *header,
           const PrismSource *source,
           gboolean *is_damaged)
{
  gsize n_bytes;
  guint64 offset;

  *is_damaged = FALSE;
  if (!get_data_size (header, &n_bytes) || n_bytes > source->size - header->start)
    return FALSE;
  offset = header->start + n_bytes;
  *is_damaged = source->size - offset >= CARD_BYTES && !read_header (header, source, offset);
  return source->size - offset >= CARD_BYTES && !*is_damaged;
}

/* Finds the first image of a file. Returns why there is none */
static const char *
find_image (FitsFile *self,
            gboolean *is_damaged)
{
  gboolean seen_compressed = FALSE;
  gboolean more = read_header (&self->header, &self->source, 0);

  *is_damaged = !more && self->source.size >= CARD_BYTES;
  while (more && !is_usable (&self->header))
    {
      seen_compressed |= self->header.is_compressed;
      more = find_next (&self->header, &self->source, is_damaged);
    }
  if (more)
    return NULL;
  if (*is_damaged)
    return "no valid header";
  return seen_compressed ? "its image is compressed; unpack it with funpack"
                         : "it has no image of two or more dimensions";
}

/* What a picture shows, in which unit, and where in the world its pixels are, as far as their own
 * header alone says it. */
#define NAMES "OBJECT|ROWORDER"
#define UNIT "BUNIT"
#define WORLD                                                                                      \
  "WCSNAME|RADESYS|RADECSYS|EQUINOX|EPOCH|LONPOLE|LATPOLE"                                         \
  "|(CTYPE|CRVAL|CRPIX|CDELT|CUNIT|CROTA|CNAME)[12][A-Z]?|(PC|CD)[12]_[12][A-Z]?|P[VS][12]_[0-9]+" \
  "|[AB]P?_ORDER|[AB]P?_[0-9]_[0-9]"

/* Picks the cards that hold for every image on the same grid, whatever its values: name, unit where
 * values are in that of the file, and coordinates. Returns cards of 80 bytes, without an end */
static char *
dup_world (const FitsFile *self,
           gboolean has_unit)
{
  const char *names = has_unit ? "^(" NAMES "|" UNIT "|" WORLD ")$" : "^(" NAMES "|" WORLD ")$";
  g_autoptr (GRegex) regex = g_regex_new (names, 0, 0, NULL);
  GString *cards = g_string_new (NULL);
  char card[CARD_BYTES + 1] = "";

  for (guint64 at = self->header.head;
       at < self->header.start && prism_source_read (&self->source, at, card, CARD_BYTES)
       && !has_key ((const guint8 *) card, "END");
       at += CARD_BYTES)
    {
      g_autofree char *key = g_strchomp (g_strndup (card, 8));

      if (strlen (card) == CARD_BYTES && g_str_is_ascii (card)
          && g_regex_match (regex, key, 0, NULL))
        g_string_append (cards, card);
    }
  return g_string_free (cards, FALSE);
}

/* The physical value of a raw pixel; NAN where it is blank. */
static inline double
get_pixel (const FitsHeader *header,
           const guint8 *p)
{
  const gboolean swap = G_BYTE_ORDER == G_LITTLE_ENDIAN;
  const gsize size = get_pixel_bytes (header);
  const char kind = header->bitpix < 0 ? 'f' : size == 1 ? 'u'
                                                         : 'i';

  if (kind != 'f')
    {
      const guint64 bits = prism_source_get_bits (p, size, swap);
      const guint unused = 64 - 8 * (guint) size;

      if (header->has_blank
          && (kind == 'u' ? (gint64) bits : (gint64) (bits << unused) >> unused) == header->blank)
        return NAN;
      /* Unsigned numbers of 64 bits: small ones would not survive the sum in doubles. */
      if (size == 8 && header->zero == 0x1p63 && header->scale == 1.0)
        return (double) (bits ^ G_GUINT64_CONSTANT (1) << 63);
    }
  return header->zero + header->scale * prism_source_get (p, kind, size, swap);
}

PRISM_FREE (FitsFile, free_file, prism_arena_free_array, piece, g_array_unref, headers)

/* Integers are divided by their full range unless the header gives them a physical scale. A BZERO
 * of half the range is how FITS stores the other signedness. */
static double
get_full_range (const FitsHeader *header)
{
  double half = ldexp (1.0, header->bitpix - 1);
  gboolean is_byte = header->bitpix == 8;

  if (header->bitpix < 0 || header->scale != 1.0)
    return 1.0;
  if (header->zero == 0.0)
    return is_byte ? 2.0 * half - 1.0 : half - 1.0;
  if (header->zero == (is_byte ? -half : half))
    return is_byte ? half - 1.0 : 2.0 * half - 1.0;
  return 1.0;
}

static void
close_rows (PrismRows *rows)
{
  free_file (rows->state);
}

static gboolean
read_row (PrismRows *rows,
          guint64 y,
          float *row,
          GError **error)
{
  const FitsFile *self = rows->state;
  const FitsHeader *header = &self->header;
  const gsize size = get_pixel_bytes (header), n_bytes = (gsize) rows->width * size;
  const guint64 place = header->is_top_down ? y : rows->height - 1 - y;

  if (!prism_source_read (&rows->source, header->start + place * n_bytes, self->piece, n_bytes))
    return prism_rows_damaged (rows, "the file ends before its pixels do", error);
  for (gsize x = 0; x < rows->width; x++)
    row[x] = prism_rows_narrow (get_pixel (header, self->piece + x * size) / self->full_range);
  return TRUE;
}

/* The planes of the image and the images that follow it. What is damaged there is no matter. */
static void
count_parts (const FitsFile *self,
             PrismImageOrigin *origin)
{
  g_autofree FitsHeader *header = g_memdup2 (&self->header, sizeof *header);
  gboolean is_damaged;

  origin->n_planes = 1;
  for (int i = 2; i < header->n_axes; i++)
    origin->n_planes = header->axes[i] < G_MAXINT32 && origin->n_planes < G_MAXINT32
                           ? origin->n_planes * (guint64) header->axes[i]
                           : G_MAXINT32;
  origin->n_images = 1;
  while (find_next (header, &self->source, &is_damaged))
    origin->n_images += is_usable (header);
}

/**
 * prism_rows_open_fits:
 *
 * The first plane of the first image of a FITS file, which counts its rows from the bottom
 * unless ROWORDER says otherwise, and counts the others.
 * Scale, offset and blanks of the header are applied; blanks are NaN.
 *
 * Errors: PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: whether rows can be read
 */
gboolean
prism_rows_open_fits (PrismRows *rows,
                      GError **error)
{
  FitsFile *self = g_new0 (FitsFile, 1);
  const FitsHeader *header = &self->header;
  gboolean is_damaged;
  const char *reason;
  guint64 n_bytes;

  rows->state = self;
  rows->read = read_row;
  rows->close = close_rows;
  self->source = rows->source;
  reason = find_image (self, &is_damaged);
  if (reason != NULL)
    return (is_damaged ? prism_rows_damaged : prism_rows_fail) (rows, reason, error);
  rows->width = (guint64) header->axes[0];
  rows->height = (guint64) header->axes[1];
  if (!prism_rows_check_size (rows, error))
    return FALSE;
  n_bytes = rows->width * get_pixel_bytes (header);
  if (rows->height * n_bytes > self->source.size - header->start)
    return prism_rows_damaged (rows, "the file ends before its pixels do", error);
  self->full_range = get_full_range (header);
  rows->is_real = self->full_range == 1.0;
  if (rows->is_strip)
    rows->world = dup_world (self, rows->is_real);
  else
    count_parts (self, &rows->origin);
  if (header->steps[0] != 0 && header->steps[1] != 0)
    rows->origin.pixel_ratio = fabs (header->steps[1] / header->steps[0]);
  self->piece = prism_arena_new_array (n_bytes, "a row", error);
  return self->piece != NULL;
}

static void
free_fields (gpointer data)
{
  FitsFile *self = data;

  if (self->source.fd >= 0)
    close (self->source.fd);
  free_file (self);
}

static gboolean
read_run (PrismFields *fields,
          const PrismField *field,
          gsize first,
          gsize n,
          double *values,
          GError **error)
{
  const FitsFile *self = fields->data;
  const FitsHeader *header = &g_array_index (self->headers, FitsHeader, field->handle);
  const gsize size = get_pixel_bytes (header);

  for (gsize some; n > 0; n -= some, first += some)
    {
      some = MIN (n, PIECE_BYTES / size);
      if (!prism_source_read (&self->source, header->start + first * size, self->piece,
                              some * size))
        {
          prism_fields_set_error (error, fields->name, fields->format,
                                  "the file ends before its pixels do");
          return FALSE;
        }
      for (gsize i = 0; i < some; i++)
        *values++ = get_pixel (header, self->piece + i * size);
    }
  return TRUE;
}

/* Images that follow each other can be a frame each. */
static void
add_image (PrismFields *fields,
           const FitsHeader *header)
{
  FitsFile *self = fields->data;
  g_autofree char *number = g_strdup_printf ("image_%u", self->headers->len);
  const char *name = *header->name != '\0' ? header->name : number;
  gsize shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  PrismField *field;

  /* The longest distance between two values is the plane. */
  for (int i = 0; i < header->n_axes && i < PRISM_FIELDS_MAX_DIMS; i++)
    shape[i] = (gsize) header->axes[MIN (header->n_axes, PRISM_FIELDS_MAX_DIMS) - 1 - i];
  field = prism_fields_add (fields, name, PRISM_FIELD_REAL, header->n_axes, shape);
  field->handle = (int) self->headers->len;
  if (field->obstacle == NULL
      && field->n_values > (self->source.size - header->start) / get_pixel_bytes (header))
    field->obstacle = g_strdup ("the file ends before its pixels do");
  g_array_append_vals (self->headers, header, 1);
}

/**
 * prism_fields_load_fits:
 * @path: file name
 *
 * The images of a FITS file: the only cube with frames one after the other is called “frames”,
 * others have the name of their extension, or image_0 and so on. Rows are taken in the order of the
 * file.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_load_fits (const char *path,
                        GError **error)
{
  g_autoptr (PrismFields) fields = prism_fields_new (path, "FITS");
  FitsFile *self = g_new0 (FitsFile, 1);
  PrismField *cube = NULL;
  guint n_cubes = 0;
  const char *reason;
  gboolean is_damaged;

  fields->data = self;
  fields->free_data = free_fields;
  fields->read_run = read_run;
  self->headers = g_array_new (FALSE, FALSE, sizeof (FitsHeader));
  self->source.fd = prism_file_open (path, MAX_BYTES, &self->source.size, error);
  if (self->source.fd < 0)
    return NULL;
  reason = find_image (self, &is_damaged);
  if (reason != NULL)
    {
      prism_fields_set_error (error, path, "FITS", reason);
      return NULL;
    }
  self->piece = prism_arena_new_array (PIECE_BYTES, "a FITS file", error);
  if (self->piece == NULL)
    return NULL;
  add_image (fields, &self->header);
  while (self->headers->len < PRISM_FIELDS_MAX
         && find_next (&self->header, &self->source, &is_damaged))
    if (is_usable (&self->header))
      add_image (fields, &self->header);
  PRISM_FOR_EACH_POINTER (PrismField, field, fields->fields)
    if (field->n_dims > 2)
      {
        cube = field;
        n_cubes++;
      }
  if (n_cubes == 1)
    {
      g_free (cube->name);
      cube->name = g_strdup ("frames");
    }
  if (is_damaged)
    fields->note = g_strdup_printf (_ ("The file is damaged behind image %u: what follows is left"
                                       " out."),
                                    self->headers->len);
  return g_steal_pointer (&fields);
}
