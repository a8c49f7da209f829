#include "config.h"

#include "formats/prism-strip-writer.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-number.h"
#include "formats/prism-npy.h"
#include "formats/prism-png-stream.h"

#include <tiffio.h>

/* From here on a TIFF file needs offsets of 64 bits. */
#define MAX_CLASSIC_BYTES (G_GUINT64_CONSTANT (4000) << 20)
#define FITS_BLOCK_BYTES 2880

typedef struct _Kind Kind;

struct _PrismStripWriter
{
  char *path;
  char *temporary; /* (nullable): gone once it is in its place */
  const Kind *kind;
  int height; /* of a page */
  int width;
  int n_pages;
  int n_dims; /* FITS: 3 of a stack */
  float black;
  float white;
  int next; /* row, of all pages */
  FILE *file;
  TIFF *tiff;
  PrismPngStream *png;
  guint8 *bytes;        /* of a row */
  gsize n_header;       /* FITS: bytes before the first pixel */
  gboolean is_top_down; /* FITS */
  char detail[128];
  GError *failure; /* (nullable): of a PNG */
};

struct _Kind
{
  const char *ending;
  gboolean (*begin) (PrismStripWriter *self);
  gboolean (*add) (PrismStripWriter *self,
                   const float *row);
  gboolean (*end) (PrismStripWriter *self);
};

static gboolean
note_errno (PrismStripWriter *self)
{
  g_strlcpy (self->detail, g_strerror (errno), sizeof self->detail);
  return FALSE;
}

static gboolean
put (PrismStripWriter *self,
     gconstpointer data,
     gsize length)
{
  return fwrite (data, 1, length, self->file) == length || note_errno (self);
}

static int
on_tiff_error (TIFF *tiff,
               void *data,
               const char *module,
               const char *format,
               va_list arguments)
{
  PrismStripWriter *self = data;

  if (*self->detail == '\0')
    g_vsnprintf (self->detail, sizeof self->detail, format, arguments);
  return 1;
}

static gboolean
set_tiff_fields (PrismStripWriter *self)
{
  return TIFFSetField (self->tiff, TIFFTAG_IMAGEWIDTH, self->width)
         && TIFFSetField (self->tiff, TIFFTAG_IMAGELENGTH, self->height)
         && TIFFSetField (self->tiff, TIFFTAG_BITSPERSAMPLE, 32)
         && TIFFSetField (self->tiff, TIFFTAG_SAMPLESPERPIXEL, 1)
         && TIFFSetField (self->tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP)
         && TIFFSetField (self->tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK)
         && TIFFSetField (self->tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
         && TIFFSetField (self->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT)
         && TIFFSetField (self->tiff, TIFFTAG_SOFTWARE, "PRISM Studio " PRISM_VERSION)
         && TIFFSetField (self->tiff, TIFFTAG_ROWSPERSTRIP, MAX (1, 65536 / self->width));
}

static gboolean
begin_tiff (PrismStripWriter *self)
{
  const guint64 n_rows = (guint64) self->height * (guint64) self->n_pages;
  gboolean big = n_rows * (guint64) self->width * 4 > MAX_CLASSIC_BYTES;
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();

  if (options == NULL)
    return FALSE;
  TIFFOpenOptionsSetErrorHandlerExtR (options, on_tiff_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR (options, on_tiff_error, self);
  self->tiff = TIFFOpenExt (self->temporary, big ? "w8" : "w", options);
  TIFFOpenOptionsFree (options);
  return self->tiff != NULL && set_tiff_fields (self);
}

static gboolean
add_tiff (PrismStripWriter *self,
          const float *row)
{
  const int y = self->next % self->height;

  if (y == 0 && self->next > 0
      && (TIFFWriteDirectory (self->tiff) != 1 || !set_tiff_fields (self)))
    return FALSE;
  memcpy (self->bytes, row, (gsize) self->width * sizeof *row);
  return TIFFWriteScanline (self->tiff, self->bytes, (guint32) y, 0) >= 0;
}

/* What is still in memory is written here; closing alone would not say that it failed. */
static gboolean
end_tiff (PrismStripWriter *self)
{
  gboolean ok = TIFFFlush (self->tiff) == 1;

  TIFFClose (self->tiff);
  self->tiff = NULL;
  return ok && *self->detail == '\0';
}

static gboolean
begin_file (PrismStripWriter *self)
{
  self->file = fopen (self->temporary, "wbe");
  return self->file != NULL || note_errno (self);
}

static gboolean
end_file (PrismStripWriter *self)
{
  FILE *file = g_steal_pointer (&self->file);

  return fclose (file) == 0 || note_errno (self);
}

static gboolean
begin_npy (PrismStripWriter *self)
{
  g_autoptr (GBytes) header
      = prism_npy_new_header (2, (const gsize[]) { (gsize) self->height, (gsize) self->width });
  gsize size;
  gconstpointer data = g_bytes_get_data (header, &size);

  return begin_file (self) && put (self, data, size);
}

static gboolean
add_npy (PrismStripWriter *self,
         const float *row)
{
  return put (self, row, (gsize) self->width * sizeof *row);
}

/* world: (nullable): further cards */
static gboolean
put_fits_header (PrismStripWriter *self,
                 const char *world)
{
  const int sizes[] = { self->width, self->height, self->n_pages };
  g_autoptr (GString) header = g_string_new (NULL);

  g_string_append_printf (header, "%-8s= %20s%50s%-8s= %20d%50s%-8s= %20d%50s", "SIMPLE", "T", "",
                          "BITPIX", -32, "", "NAXIS", self->n_dims, "");
  for (int i = 0; i < self->n_dims; i++)
    g_string_append_printf (header, "NAXIS%d  = %20d%50s", i + 1, sizes[i], "");
  g_string_append_printf (header, "%-80s%s%-80s", "CREATOR = 'PRISM Studio'",
                          world != NULL ? world : "", "END");
  while (header->len % FITS_BLOCK_BYTES != 0)
    g_string_append_c (header, ' ');
  self->n_header = header->len;
  return put (self, header->str, header->len);
}

static gboolean
begin_fits (PrismStripWriter *self)
{
  return begin_file (self) && put_fits_header (self, NULL);
}

/* FITS counts rows from the bottom, unless it says otherwise. */
static gboolean
add_fits (PrismStripWriter *self,
          const float *row)
{
  gint64 length = (gint64) self->width * 4;
  gint64 place = self->is_top_down ? self->next : self->height - 1 - self->next;

  for (int x = 0; x < self->width; x++)
    {
      guint32 bits;

      memcpy (&bits, &row[x], sizeof bits);
      bits = GUINT32_TO_BE (bits);
      memcpy (self->bytes + 4 * (gsize) x, &bits, sizeof bits);
    }
  if (fseeko (self->file, (gint64) self->n_header + place * length, SEEK_SET))
    return note_errno (self);
  return put (self, self->bytes, (gsize) length);
}

static gboolean
end_fits (PrismStripWriter *self)
{
  static const char zeros[FITS_BLOCK_BYTES];
  guint64 length = (guint64) self->width * (guint64) self->height * (guint64) self->n_pages * 4;
  gsize rest = (gsize) ((FITS_BLOCK_BYTES - length % FITS_BLOCK_BYTES) % FITS_BLOCK_BYTES);
  gboolean ok = fseeko (self->file, 0, SEEK_END) == 0 || note_errno (self);

  ok = ok && put (self, zeros, rest);
  return end_file (self) && ok;
}

static gboolean
begin_png (PrismStripWriter *self)
{
  if (!begin_file (self))
    return FALSE;
  self->png = prism_png_stream_new (
      &(const PrismPngFormat) { self->width, self->height, 16, NULL, self->file }, &self->failure);
  return self->png != NULL;
}

static gboolean
add_png (PrismStripWriter *self,
         const float *row)
{
  return prism_png_stream_add_grey (self->png, row, self->black, self->white, &self->failure);
}

static gboolean
end_png (PrismStripWriter *self)
{
  gsize length;

  return prism_png_stream_end (self->png, &length, &self->failure) != NULL && end_file (self);
}

static const Kind kinds[] = {
  { ".tif", begin_tiff, add_tiff, end_tiff },
  { ".tiff", begin_tiff, add_tiff, end_tiff },
  { ".npy", begin_npy, add_npy, end_file },
  { ".fits", begin_fits, add_fits, end_fits },
  { ".fit", begin_fits, add_fits, end_fits },
  { ".png", begin_png, add_png, end_png },
};

static const Kind *
find_kind (const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  PRISM_FOR_EACH_OF (kind, kinds)
    if (g_str_has_suffix (lower, kind->ending))
      return kind;
  return NULL;
}

/**
 * prism_strip_writer_check_path:
 * @path: file name
 *
 * Errors: PRISM_ERROR_CONFIG where its ending names no format.
 *
 * Returns: whether a picture can be written there by its name
 */
gboolean
prism_strip_writer_check_path (const char *path,
                               GError **error)
{
  if (find_kind (path) != NULL)
    return TRUE;
  return prism_error_config (error,
                             _ ("“%s” is no name for a large picture: end it in .tif, .npy,"
                                " .fits or .png."),
                             path);
}

static gboolean
fail (PrismStripWriter *self,
      GError **error)
{
  g_autofree char *detail
      = g_utf8_make_valid (self->failure != NULL ? self->failure->message : self->detail, -1);

  return prism_error_io (
      error, _ ("“%s” cannot be written: %s. Make room or choose another place, and try again."),
      self->path, *detail != '\0' ? detail : g_strerror (EIO));
}

/**
 * prism_strip_writer_new:
 * @path: file name; its ending says the format
 * @height: rows, of a page
 * @width: columns
 * @n_pages: of a stack, .tif or .fits, whose rows follow each other; 0: a picture
 * @black: what is black in a PNG
 * @white: what is white there
 *
 * Begins a picture: TIFF of 32-bit floats (BigTIFF where it is large), .npy, FITS, or PNG of 16
 * bits; or a stack: pages of TIFF, or one FITS array of three dimensions, whose first row comes
 * first. It is written beside the old file and takes its place at the end.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the writer
 */
PrismStripWriter *
prism_strip_writer_new (const char *path,
                        int height,
                        int width,
                        int n_pages,
                        float black,
                        float white,
                        GError **error)
{
  g_autoptr (PrismStripWriter) self = NULL;

  if (!prism_strip_writer_check_path (path, error))
    return NULL;
  self = g_new0 (PrismStripWriter, 1);
  self->path = g_strdup (path);
  self->kind = find_kind (path);
  self->height = height;
  self->width = width;
  self->n_pages = MAX (n_pages, 1);
  self->n_dims = n_pages > 0 ? 3 : 2;
  self->is_top_down = n_pages > 0;
  self->black = black;
  self->white = white > black ? white : black + 1.0f;
  self->bytes = prism_arena_new_array ((gsize) width * sizeof (float), "a row", error);
  self->temporary = self->bytes != NULL ? prism_file_dup_temporary (path, error) : NULL;
  if (self->temporary == NULL)
    return NULL;
  if (!self->kind->begin (self))
    {
      fail (self, error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/**
 * prism_strip_writer_new_ome:
 * @path: file name that ends in .tif
 * @height: rows of a page
 * @width: columns
 * @n_depths: how many depths there are, each with a page of amplitudes and one of phases
 * @pixel: m
 * @first: of the depths, m
 * @step: from depth to depth, m; not looked at where there is one
 *
 * Begins an OME-TIFF of a complex object, whose pages follow each other row by row.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 * Source: OME data model 2016-06.
 *
 * Returns: (transfer full) (nullable): the writer
 */
PrismStripWriter *
prism_strip_writer_new_ome (const char *path,
                            int height,
                            int width,
                            int n_depths,
                            double pixel,
                            double first,
                            double step,
                            GError **error)
{
  PrismStripWriter *self = prism_strip_writer_new (path, height, width, 2 * n_depths, 0, 1, error);
  g_autoptr (GString) planes = g_string_new (NULL);
  const char *size = prism_digits ("%.9g", 1e6 * pixel);
  g_autofree char *sizes = NULL;
  g_autofree char *depths = NULL;
  g_autofree char *text = NULL;

  if (self == NULL)
    return NULL;
  if (pixel > 0)
    sizes = g_strdup_printf (" PhysicalSizeX=\"%s\" PhysicalSizeXUnit=\"&#181;m\""
                             " PhysicalSizeY=\"%s\" PhysicalSizeYUnit=\"&#181;m\"",
                             size, size);
  if (n_depths > 1)
    depths = g_strdup_printf (" PhysicalSizeZ=\"%s\" PhysicalSizeZUnit=\"&#181;m\"",
                              prism_digits ("%.9g", 1e6 * fabs (step)));
  for (int i = 0; depths != NULL && i < 2 * n_depths; i++)
    g_string_append_printf (planes,
                            "<Plane TheZ=\"%d\" TheC=\"%d\" TheT=\"0\" PositionZ=\"%s\""
                            " PositionZUnit=\"&#181;m\"/>",
                            i / 2, i % 2, prism_digits ("%.9g", 1e6 * (first + i / 2 * step)));
  text = g_strdup_printf (
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">"
      "<Image ID=\"Image:0\" Name=\"object\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\""
      " Type=\"float\" SizeX=\"%d\" SizeY=\"%d\" SizeC=\"2\" SizeZ=\"%d\" SizeT=\"1\"%s%s>"
      "<Channel ID=\"Channel:0:0\" Name=\"amplitude\" SamplesPerPixel=\"1\"/>"
      "<Channel ID=\"Channel:0:1\" Name=\"phase, rad\" SamplesPerPixel=\"1\"/>"
      "<TiffData/>%s</Pixels></Image></OME>",
      width, height, n_depths, sizes != NULL ? sizes : "", depths != NULL ? depths : "",
      planes->str);
  TIFFSetField (self->tiff, TIFFTAG_IMAGEDESCRIPTION, text);
  prism_strip_writer_set_pixel_size (self, pixel);
  return self;
}

/**
 * prism_strip_writer_set_pixel_size:
 * @self: a writer without rows
 * @size: m
 *
 * Notes how large a pixel is, in TIFF alone: as pixels per centimetre.
 */
void
prism_strip_writer_set_pixel_size (PrismStripWriter *self,
                                   double size)
{
  if (self->tiff == NULL || !(size > 0.0))
    return;
  TIFFSetField (self->tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER);
  TIFFSetField (self->tiff, TIFFTAG_XRESOLUTION, 0.01 / size);
  TIFFSetField (self->tiff, TIFFTAG_YRESOLUTION, 0.01 / size);
}

/**
 * prism_strip_writer_set_world:
 * @self: a writer without rows
 * @cards: (nullable): of prism_strips_get_world()
 *
 * Keeps, in FITS alone, the name, the unit and the coordinates that a picture on the same grid has.
 */
void
prism_strip_writer_set_world (PrismStripWriter *self,
                              const char *cards)
{
  if (self->kind->begin != begin_fits || cards == NULL || fseeko (self->file, 0, SEEK_SET) != 0)
    return;
  self->is_top_down = strstr (cards, "ROWORDER= 'TOP-DOWN") != NULL;
  /* What fails here fails again with the first row. */
  put_fits_header (self, cards);
}

/**
 * prism_strip_writer_free:
 * @self: (nullable): a writer; what it has not saved goes
 */
void
prism_strip_writer_free (PrismStripWriter *self)
{
  if (self == NULL)
    return;
  if (self->tiff != NULL)
    TIFFClose (self->tiff);
  g_clear_pointer (&self->png, prism_png_stream_free);
  if (self->file != NULL)
    fclose (self->file);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  prism_arena_free_array (self->bytes);
  g_clear_error (&self->failure);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}

/**
 * prism_strip_writer_add:
 * @rows: the next rows
 * @n_rows: how many
 *
 * Shape: [n_rows][width].
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether they are written
 */
gboolean
prism_strip_writer_add (PrismStripWriter *self,
                        const float *rows,
                        int n_rows,
                        GError **error)
{
  g_return_val_if_fail (self->next + n_rows <= self->height * self->n_pages, FALSE);

  for (int y = 0; y < n_rows; y++, self->next++)
    if (!self->kind->add (self, rows + (gsize) y * self->width))
      return fail (self, error);
  return TRUE;
}

/**
 * prism_strip_writer_save:
 * @self: a writer that has all its rows
 *
 * Brings the picture to the disk and into its place.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is there
 */
gboolean
prism_strip_writer_save (PrismStripWriter *self,
                         GError **error)
{
  g_autofree char *temporary = NULL;

  g_return_val_if_fail (self->next == self->height * self->n_pages, FALSE);

  if (!self->kind->end (self))
    return fail (self, error);
  temporary = g_steal_pointer (&self->temporary);
  return prism_file_commit (temporary, self->path, error);
}
