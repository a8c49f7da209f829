#include "config.h"

#include "formats/prism-hdf5-lzf.h"

#include "formats/prism-hdf5.h"

#include <stdlib.h>
#include <string.h>

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
 * prism_hdf5_lzf_register:
 *
 * Lets the library read what LZF has compressed; nothing is written so.
 */
void
prism_hdf5_lzf_register (void)
{
  static const H5Z_class2_t class
      = { H5Z_CLASS_T_VERS, PRISM_HDF5_LZF, 0, 1, "lzf", NULL, NULL, filter };

  if (H5Zfilter_avail (PRISM_HDF5_LZF) <= 0)
    H5Zregister (&class);
}
