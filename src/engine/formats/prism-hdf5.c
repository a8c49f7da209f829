#include "config.h"

#include "formats/prism-hdf5.h"

#include "base/prism-pool.h"
#include "formats/prism-fields.h"
#include "formats/prism-source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#define LZF 32000                    /* number of the filter */
#define MOST_BYTES ((gsize) 1 << 30) /* of a chunk */
#define FIRST_BYTES 65536            /* of one whose size the file does not say */

/**
 * prism_hdf5_lzf_unpack:
 * @packed: (array length=n_packed): what LZF made
 * @bytes: (array length=n_bytes) (out caller-allocates): gets what it was made of
 *
 * Runs of bytes: below 32 the next n + 1 bytes, else a repetition of what stands up to 8 KiB
 * before.
 * Source: M. Lehmann, LibLZF.
 *
 * Returns: how many bytes there are; 0 where they are damaged or more than @n_bytes
 */
gsize
prism_hdf5_lzf_unpack (const guint8 *packed,
                       gsize n_packed,
                       guint8 *bytes,
                       gsize n_bytes)
{
  gsize in = 0, out = 0;

  while (in < n_packed)
    {
      const guint control = packed[in++];
      gsize length = control < 32 ? control + 1 : (control >> 5) + 2, back;

      if (control < 32)
        {
          if (length > n_packed - in || length > n_bytes - out)
            return 0;
          memcpy (bytes + out, packed + in, length);
          in += length;
          out += length;
          continue;
        }
      if (length == 9 && in < n_packed)
        length += packed[in++];
      if (in >= n_packed)
        return 0;
      back = ((gsize) (control & 31) << 8) + packed[in++] + 1;
      if (back > out || length > n_bytes - out)
        return 0;
      /* One byte after the other: they may be what is written just now. */
      for (gsize i = 0; i < length; i++, out++)
        bytes[out] = bytes[out - back];
    }
  return out;
}

/* Called by the library for each chunk; its memory is malloc's. */
static size_t
filter (unsigned flags,
        size_t n_values,
        const unsigned values[],
        size_t n_packed,
        size_t *size,
        void **buffer)
{
  /* h5py writes the bytes of a chunk as the third number. */
  gsize n = n_values >= 3 && values[2] > 0 ? values[2] : FIRST_BYTES;

  for (; (flags & H5Z_FLAG_REVERSE) != 0 && n <= MOST_BYTES; n *= 2)
    {
      guint8 *bytes = malloc (n);
      const gsize found = bytes != NULL ? prism_hdf5_lzf_unpack (*buffer, n_packed, bytes, n) : 0;

      if (found > 0)
        {
          free (*buffer);
          *buffer = bytes;
          *size = n;
          return found;
        }
      free (bytes);
      if (bytes == NULL || (n_values >= 3 && values[2] > 0))
        break;
    }
  return 0;
}

/**
 * prism_hdf5_init:
 *
 * Keeps the library from printing what goes wrong, and from tidying up when the program ends: a
 * file that it could not write to its end stays open in it, and it falls over such a file then.
 * It reads what LZF has compressed; nothing is written so.
 * Belongs before everything else that is asked of the library. Thread: any.
 */
void
prism_hdf5_init (void)
{
  static const H5Z_class2_t class = { H5Z_CLASS_T_VERS, LZF, 0, 1, "lzf", NULL, NULL, filter };
  static gsize is_known;

  if (g_once_init_enter (&is_known))
    {
      H5dont_atexit ();
      H5Zregister (&class);
      g_once_init_leave (&is_known, 1);
    }
  H5Eset_auto2 (H5E_DEFAULT, NULL, NULL);
}

/* A file must not grow to any size everywhere (RLIMIT_FSIZE). */
static gboolean
may_grow (int file,
          off_t n_bytes)
{
  struct stat status;

  if (fstat (file, &status) < 0)
    return FALSE;
  if (status.st_size >= n_bytes)
    return TRUE;
  return ftruncate (file, n_bytes) == 0 && ftruncate (file, status.st_size) == 0;
}

/* File systems that cannot set room aside are believed to have it. */
static gboolean
set_room_aside (int file,
                guint64 n_bytes)
{
  int status;

  if (!may_grow (file, (off_t) n_bytes))
    return FALSE;
  do
    status = fallocate (file, FALLOC_FL_KEEP_SIZE, 0, (off_t) n_bytes);
  while (status < 0 && errno == EINTR);
  return status == 0 || errno == EOPNOTSUPP || errno == ENOSYS;
}

/* Sees to it that a file, which is made if need be, has room on its disk for so many bytes of
 * arrays. The library does not survive a disk that gets full: it cannot close what it cannot write.
 * Returns whether there is room, or nobody can tell */
static gboolean
reserve (const char *path,
         guint64 n_bytes)
{
  const int file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  /* The library writes names, shapes, and blocks of which it uses a part, too. */
  const gboolean ok = file >= 0 && set_room_aside (file, n_bytes + 32 * 1024);

  return file >= 0 && close (file) == 0 && ok;
}

#define LIBRARY_BYTES (4 << 20) /* its index of a file, and buffers */

/**
 * prism_hdf5_create:
 * @path: file name; what is there is lost
 * @n_bytes: of all arrays that will be written
 * @n_before: that stand before HDF5's own, 0 or 512
 *
 * Makes a file that has room on its disk, where there is memory for the library, too: it overwrites
 * its own when it gets none (1.10.8).
 *
 * Returns: the file, below 0 where it cannot be made
 */
hid_t
prism_hdf5_create (const char *path,
                   guint64 n_bytes,
                   gsize n_before)
{
  hid_t file = -1, plist, access;
  gpointer room = g_try_malloc (LIBRARY_BYTES);

  if (room == NULL)
    return -1;
  g_free (room);
  prism_hdf5_init ();
  plist = H5Pcreate (H5P_FILE_CREATE);
  H5Pset_userblock (plist, n_before);
  /* Else small arrays are written as late as they are closed, where nobody looks. */
  access = H5Pcreate (H5P_FILE_ACCESS);
  H5Pset_sieve_buf_size (access, 0);
  if (reserve (path, n_bytes))
    file = H5Fcreate (path, H5F_ACC_TRUNC, plist, access);
  H5Pclose (access);
  H5Pclose (plist);
  /* Making the file may have given the room back. */
  if (file < 0 || reserve (path, n_bytes))
    return file;
  H5Fclose (file);
  return -1;
}

/* Some chunks of an array, each of which is what one index of its first dimension has. */
typedef struct
{
  hid_t dataset;
  int n_dims;
  char kind;  /* of a number, as prism_source_get() has it */
  gsize size; /* its bytes */
  gboolean shuffled;
  gsize n_items;      /* of a chunk */
  guint8 *packed[32]; /* those that are read together */
  gsize n_packed[32];
  gboolean good[32];
  double *values; /* [n][n_items] */
} Chunks;

static gboolean
find_type (Chunks *self)
{
  const hid_t types[]
      = { H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_UINT8, H5T_NATIVE_UINT16 };
  prism_auto_hid type = H5Dget_type (self->dataset);

  for (gsize i = 0; i < G_N_ELEMENTS (types) && type >= 0; i++)
    if (H5Tequal (types[i], type) > 0)
      {
        self->kind = i < 2 ? 'f' : 'u';
        self->size = H5Tget_size (type);
        return TRUE;
      }
  return FALSE;
}

/* Whether a chunk is all of one index, and of a size that can be asked for. */
static gboolean
has_planes (Chunks *self,
            hid_t plist)
{
  prism_auto_hid space = H5Dget_space (self->dataset);
  hsize_t chunk[PRISM_FIELDS_MAX_DIMS] = { 0 }, shape[PRISM_FIELDS_MAX_DIMS] = { 0 };
  gboolean good;

  if (space < 0)
    return FALSE;
  self->n_dims = H5Sget_simple_extent_ndims (space);
  good = self->n_dims > 1 && self->n_dims <= PRISM_FIELDS_MAX_DIMS
         && H5Sget_simple_extent_dims (space, shape, NULL) == self->n_dims
         && H5Pget_layout (plist) == H5D_CHUNKED
         && H5Pget_chunk (plist, PRISM_FIELDS_MAX_DIMS, chunk) == self->n_dims && chunk[0] == 1;
  self->n_items = 1;
  for (int i = 1; i < self->n_dims && good; i++)
    {
      good = chunk[i] == shape[i] && chunk[i] > 0
             && self->n_items <= (1 << 30) / self->size / chunk[i];
      self->n_items *= good ? chunk[i] : 1;
    }
  return good;
}

/* Whether a filter of the pipeline is this one; value: (out): its first number */
static gboolean
is_filter (hid_t plist,
           int number,
           H5Z_filter_t expected,
           unsigned *value)
{
  unsigned flags, config, values[16] = { 0 };
  gsize n_values = G_N_ELEMENTS (values);
  char name[64] = "";
  const H5Z_filter_t filter = H5Pget_filter2 (plist, (unsigned) number, &flags, &n_values, values,
                                              sizeof name, name, &config);

  *value = values[0];
  return filter == expected;
}

/* Deflate, or bytes that are shuffled before. */
static gboolean
has_filters (Chunks *self,
             hid_t plist)
{
  const int n = H5Pget_nfilters (plist);
  unsigned value;

  self->shuffled = n == 2;
  if (n < 1 || n > 2 || !is_filter (plist, n - 1, H5Z_FILTER_DEFLATE, &value))
    return FALSE;
  return n == 1
         || (is_filter (plist, 0, H5Z_FILTER_SHUFFLE, &value)
             && value == self->size);
}

/* The bytes of a chunk, as they lie in the file. One that was never written, whose filters were
 * left out, or that is larger than deflate makes it is for the library. */
static gboolean
read_packed (Chunks *self,
             guint64 index,
             guint k)
{
  const hsize_t offset[PRISM_FIELDS_MAX_DIMS] = { index };
  const gsize n_bytes = self->n_items * self->size;
  hsize_t n_packed = 0;
  uint32_t left_out = 0;

  g_clear_pointer (&self->packed[k], g_free);
  if (H5Dget_chunk_storage_size (self->dataset, offset, &n_packed) < 0 || n_packed == 0
      || n_packed > n_bytes + n_bytes / 500 + 64)
    return FALSE;
  self->packed[k] = g_try_malloc (n_packed);
  self->n_packed[k] = n_packed;
  return self->packed[k] != NULL
         && H5Dread_chunk (self->dataset, H5P_DEFAULT, offset, &left_out, self->packed[k]) >= 0
         && left_out == 0;
}

/* Shuffled are first all first bytes of the numbers, then all second ones. */
static void
unpack (gpointer data,
        guint k)
{
  Chunks *self = data;
  const gsize n = self->n_items, size = self->size;
  const gsize step = self->shuffled ? n : 1, next = self->shuffled ? 1 : size;
  double *values = self->values + k * n;
  g_autofree guint8 *bytes = g_try_malloc (n * size);
  uLongf n_unpacked = n * size;

  self->good[k] = bytes != NULL
                  && uncompress (bytes, &n_unpacked, self->packed[k], self->n_packed[k]) == Z_OK
                  && n_unpacked == n * size;
  for (gsize i = 0; self->good[k] && i < n; i++)
    {
      guint8 number[8] = { 0 };

      for (gsize b = 0; b < size; b++)
        number[b] = bytes[i * next + b * step];
      values[i] = prism_source_get (number, self->kind, size, FALSE);
    }
}

static gboolean
read_some (Chunks *self,
           guint64 first,
           guint n)
{
  gboolean good = TRUE;

  for (guint k = 0; k < n && good; k++)
    good = read_packed (self, first + k, k);
  if (good)
    prism_parallel_run (n, n * self->n_items, unpack, self);
  for (guint k = 0; k < n && good; k++)
    good = self->good[k];
  self->values += n * self->n_items;
  return good;
}

/**
 * prism_hdf5_chunks_read:
 * @dataset: an array
 * @first: index of its first dimension
 * @n: how many indices
 * @values: (out caller-allocates): all values that they have
 *
 * Reads an array of which each index of the first dimension is one chunk of floats, doubles or
 * unsigned integers of 8 or 16 bits, compressed by deflate, shuffled or not. They are read one
 * after the other, and decompressed on all processors. Values are those of H5Dread().
 *
 * Returns: whether they were read; else H5Dread() has to, and says what is wrong, if anything is
 */
gboolean
prism_hdf5_chunks_read (hid_t dataset,
                        guint64 first,
                        guint64 n,
                        double *values)
{
  Chunks chunks = { .dataset = dataset, .values = values };
  const guint most = G_N_ELEMENTS (chunks.packed);
  prism_auto_hid plist = H5Dget_create_plist (dataset);
  gboolean good = plist >= 0 && find_type (&chunks) && has_planes (&chunks, plist)
                  && has_filters (&chunks, plist);

  for (guint64 i = 0; i < n && good; i += most)
    good = read_some (&chunks, first + i, (guint) MIN (most, n - i));
  for (guint k = 0; k < most; k++)
    g_free (chunks.packed[k]);
  return good;
}
