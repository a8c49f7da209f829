/* What the tests of the image formats share: comparison of pixels and hostile input. */
#pragma once

#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-image.h"
#include "prism-test.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

static inline GBytes *
load_file (const char *path)
{
  return MUST (prism_file_load (path, 1 << 24, &error));
}

/* expected: [height][width] */
static inline void
check_pixels (GBytes *bytes, int height, int width, const double *expected, double tolerance)
{
  g_autoptr (PrismImage) image = MUST (prism_image_load_bytes (bytes, "sample", &error));

  g_assert_cmpint (image->height, ==, height);
  g_assert_cmpint (image->width, ==, width);
  for (int i = 0; i < height * width; i++)
    g_assert_cmpfloat_with_epsilon (image->pixels[i], expected[i], tolerance);
}

static inline void
check_error (GBytes *bytes, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_load_bytes (bytes, "a %s file", &error);

  g_assert_null (image);
  g_assert_nonnull (error);
  g_assert_true (error->domain == PRISM_ERROR);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_true (g_str_has_prefix (error->message, "“a %s file”"));
  g_assert_true (g_str_has_suffix (error->message, "."));
  g_assert_null (strchr (error->message, '\n'));
  HAS (error->message, part != NULL ? part : "");
}

/* The sentences about what the image does not show; NULL: it shows everything. */
static inline void
check_notice (GBytes *bytes, const char *notice)
{
  g_autoptr (PrismImage) image = MUST (prism_image_load_bytes (bytes, "sample", &error));

  SAYS (prism_image_origin_dup_notice (&image->origin), notice);
}

/* An error, or an image all of whose pixels are numbers. */
static inline gboolean
check_error_or_image (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismImage) image = prism_image_load_bytes (bytes, "hostile", &error);
  float sum = 0;

  if (image == NULL)
    {
      g_assert_true (error != NULL && error->domain == PRISM_ERROR);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return FALSE;
    }
  g_assert_no_error (error);
  for (gsize i = 0; i < (gsize) image->height * image->width; i++)
    sum += isfinite (image->pixels[i]) ? 0 : 1;
  g_assert_cmpfloat (sum, ==, 0);
  return TRUE;
}

/* Redirects the standard error to a file; libraries must not write there. */
static inline int
begin_silence (const char *path)
{
  int fd = g_open (path, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup (STDERR_FILENO);

  dup2 (fd, STDERR_FILENO);
  close (fd);
  return saved;
}

static inline void
end_silence (const char *path, int saved)
{
  struct stat status;

  dup2 (saved, STDERR_FILENO);
  close (saved);
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (status.st_size, ==, 0);
  g_unlink (path);
}

/* Every length (of large files a sample) and random flips of bits. last_bytes: how many may be
 * missing at the end without damage to the pixels. */
static inline void
check_hostile (GBytes *bytes, gsize last_bytes, int n_flips)
{
  g_autofree char *path = g_strdup_printf ("%s/prism-stderr-%d", g_get_tmp_dir (), (int) getpid ());
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  int saved = begin_silence (path);

  for (gsize length = 0; length < size; length += length < 1024 || size - length < 64 ? 1 : 61)
    {
      g_autoptr (GBytes) part = g_bytes_new (data, length);
      gboolean loaded = check_error_or_image (part);
      g_assert_true (!loaded || size - length <= last_bytes);
    }
  for (int i = 0; i < n_flips; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      int n = g_rand_int_range (random, 1, 5);
      while (n-- > 0)
        {
          gsize end = n % 2 == 0 ? MIN (size, 256) : size;
          copy[g_rand_int_range (random, 0, end)] ^= 1 << g_rand_int_range (random, 0, 8);
        }
      g_autoptr (GBytes) flipped = g_bytes_new (copy, size);
      check_error_or_image (flipped);
    }
  end_silence (path, saved);
}
