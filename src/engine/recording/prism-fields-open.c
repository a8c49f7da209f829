#include "config.h"

#include "recording/prism-fields-open.h"

#include "recording/prism-fields-folder.h"
#include "recording/prism-fields-hdf5.h"
#include "recording/prism-fields-readers.h"

#include "base/prism-error.h"
#include "base/prism-file.h"

#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 1024
#define MAX_BYTES (G_GUINT64_CONSTANT (1) << 40)

typedef struct
{
  const char *magic;
  gsize length;
  gsize offset;
  PrismFields *(*load) (const char *path,
                        GError **error);
} Reader;

static const Reader readers[] = {
  { "\211HDF\r\n\032\n", 8, 0, prism_fields_load_hdf5 },
  { "\211HDF\r\n\032\n", 8, 512, prism_fields_load_hdf5 }, /* behind MATLAB 7.3's own text */
  { "MATLAB 5.0 MAT", 14, 0, prism_fields_load_matlab },
  { "\223NUMPY", 6, 0, prism_fields_load_npy },
  { "PK\003\004", 4, 0, prism_fields_load_npz },
  { "II*\0", 4, 0, prism_fields_load_tiff },
  { "MM\0*", 4, 0, prism_fields_load_tiff },
  { "II+\0", 4, 0, prism_fields_load_tiff },
  { "MM\0+", 4, 0, prism_fields_load_tiff },
  { "SIMPLE  =", 9, 0, prism_fields_load_fits },
};

/* What people have besides, and what to do with it. */
static const struct
{
  const char *magic;
  gsize length;
  const char *what;
} others[] = {
  { "\211PNG\r\n\032\n", 8, "a single picture (PNG): give the folder with all frames" },
  { "\377\330\377", 3, "a single picture (JPEG): give the folder with all frames" },
  { "GIF8", 4, "a GIF: save the frames as a TIFF stack" },
  { "BM", 2, "a single picture (BMP): save the frames as a TIFF stack" },
  { "RIFF", 4, "a film: save its frames as a TIFF stack" },
  { "MATLAB", 6, "a file of MATLAB that is older than 5 or damaged: save it with -v7.3" },
};

/* The first bytes of a file. */
static gboolean
read_head (const char *path,
           char head[HEAD_BYTES],
           gsize *n_head,
           GError **error)
{
  guint64 size;
  int fd = prism_file_open (path, MAX_BYTES, &size, error);
  gssize n;

  if (fd < 0)
    return FALSE;
  n = pread (fd, head, HEAD_BYTES, 0);
  close (fd);
  *n_head = MAX (n, 0);
  return TRUE;
}

/**
 * prism_fields_open:
 * @path: file name
 *
 * Lists the arrays of a file whose kind is found by its first bytes, or of a folder.
 *
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the arrays
 */
PrismFields *
prism_fields_open (const char *path,
                   GError **error)
{
  g_autofree char *name = prism_file_dup_display_name (path);
  char head[HEAD_BYTES];
  gsize n_head;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return prism_fields_load_folder (path, error);
  if (!read_head (path, head, &n_head, error))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (readers); i++)
    if (n_head >= readers[i].offset + readers[i].length
        && memcmp (head + readers[i].offset, readers[i].magic, readers[i].length) == 0)
      return readers[i].load (path, error);
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    if (n_head >= others[i].length && memcmp (head, others[i].magic, others[i].length) == 0)
      {
        g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT, "“%s” is %s.", name, others[i].what);
        return NULL;
      }
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_FORMAT,
               "“%s” is no recording that can be read: expected is HDF5 (PtyLab, CXI), MATLAB 5 or"
               " 7.3, NumPy (.npy, .npz), a TIFF stack, a FITS cube, or a folder with a file for"
               " each frame.",
               name);
  return NULL;
}
