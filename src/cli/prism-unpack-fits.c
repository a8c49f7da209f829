/* Reads a FITS file from its standard input, and writes it with images instead of compressed tiles.
 *
 * usage: prism-unpack-fits BYTES [SECONDS] <FILE >FILE
 *
 * Exit status: 0; 1: the file is damaged; 2: it is cut off; 3: there is no memory for it.
 *
 * A program of its own, because cfitsio may crash on damaged files: it has the memory and the time
 * that it may take, and nothing but these two files. BYTES: how large the result may be. */
#include "config.h"

#include <fitsio.h>
#include <sys/resource.h>

#define SECONDS 300

static void
limit (int resource,
       rlim_t most)
{
  const struct rlimit limits = { most, most };

  setrlimit (resource, &limits);
}

int
main (int argc,
      char **argv)
{
  const rlim_t most = argc > 1 ? strtoull (argv[1], NULL, 10) : 0;
  fitsfile *in = NULL, *out = NULL;
  int status = 0, type;

  alarm (argc > 2 ? (unsigned) atoi (argv[2]) : SECONDS);
  limit (RLIMIT_CORE, 0);
#ifndef __SANITIZE_ADDRESS__ /* which sets aside more than there is */
  limit (RLIMIT_AS, 3 * most);
#endif
  limit (RLIMIT_FSIZE, most);
  fits_open_diskfile (&in, "/proc/self/fd/0", READONLY, &status);
  fits_create_file (&out, "-", &status);
  while (status == 0)
    {
      /* The image that comes next, of which each HDU has one or none. */
      if (fits_is_compressed_image (in, &status))
        fits_img_decompress (in, out, &status);
      else
        fits_copy_hdu (in, out, 0, &status);
      if (status == 0 && fits_movrel_hdu (in, 1, &type, &status) == END_OF_FILE)
        {
          status = 0;
          break;
        }
    }
  fits_close_file (out, &status);
  return status == 0                                     ? 0
         : status == MEMORY_ALLOCATION                   ? 3
         : status == READ_ERROR || status == END_OF_FILE ? 2
                                                         : 1;
}
