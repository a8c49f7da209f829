#include "formats/prism-animation.h"
#include "formats/prism-image.h"
#include "../support/test-remove-tree.h"
#include "prism-test.h"

#include <gif_lib.h>

#define HEIGHT 137
#define WIDTH 153
#define N_FRAMES 5
#define N_PIXELS (HEIGHT * WIDTH)

FOLDER_FIXTURE ((const char *) data)

/* Greys that no row repeats, another picture in each frame. */
static void
draw (guint32 *pixels, guint frame)
{
  for (guint i = 0; i < N_PIXELS; i++)
    {
      guint32 x = i + 7919 * frame, level = (x * x / 3 + x * 31) % 256;

      pixels[i] = 0xff000000 | level << 16 | level << 8 | level;
    }
}

static void
write_animation (const char *path, int rate, guint n_frames)
{
  const PrismAnimationSpec spec = { HEIGHT, WIDTH, n_frames, rate, TRUE };
  g_autoptr (PrismAnimation) animation = MUST (prism_animation_new (path, &spec, &error));
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);

  for (guint i = 0; i < n_frames; i++)
    {
      draw (pixels, i);
      g_assert_true (MUST (prism_animation_add (animation, pixels, &error)));
    }
  g_assert_true (MUST (prism_animation_finish (animation, &error)));
}

static guint32
get_32 (const guint8 *bytes)
{
  return (guint32) bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* Whether an image is frame i, whose levels an image has as 0…1. */
static void
assert_frame (const PrismImage *image, guint i)
{
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);

  g_assert_cmpint (image->height, ==, HEIGHT);
  g_assert_cmpint (image->width, ==, WIDTH);
  draw (pixels, i);
  for (guint k = 0; k < N_PIXELS; k++)
    g_assert_cmpfloat_with_epsilon (image->pixels[k] * 255.0f, (float) (pixels[k] & 255), 0.01f);
}

/* The data of one frame as a PNG of its own, for libpng to read. The checksum of the data's chunk
 * is that of its new name. */
static GBytes *
extract_png (const guint8 *file, const guint8 *chunk)
{
  static const guint8 tail[] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
  GByteArray *png = g_byte_array_new ();
  gboolean numbered = memcmp (chunk + 4, "fdAT", 4) == 0;
  guint32 length = get_32 (chunk) - (numbered ? 4 : 0), sum = 0xffffffff;
  guint8 head[8] = { length >> 24, length >> 16, length >> 8, length, 'I', 'D', 'A', 'T' }, end[4];

  g_byte_array_append (png, file, 33); /* signature and IHDR */
  guint start = png->len + 4;
  g_byte_array_append (png, head, 8);
  g_byte_array_append (png, chunk + 8 + (numbered ? 4 : 0), length);
  for (guint i = start; i < png->len; i++)
    {
      sum ^= png->data[i];
      for (int k = 0; k < 8; k++)
        sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
    }
  for (int i = 0; i < 4; i++)
    end[i] = ~sum >> (24 - 8 * i);
  g_byte_array_append (png, end, 4);
  g_byte_array_append (png, tail, sizeof tail);
  return g_byte_array_free_to_bytes (png);
}

TEST_WITH (apng, "/engine/animation/apng", "x.apng")
{
  g_autofree char *bytes = NULL;
  guint n_frames = 0, n_controls = 0, sequence = 0;
  gsize length;

  write_animation (self->path, 12, N_FRAMES);
  g_autoptr (PrismImage) first = MUST (prism_image_load (self->path, &error));
  assert_frame (first, 0);
  g_assert_true (g_file_get_contents (self->path, &bytes, &length, NULL));
  for (gsize at = 8; at < length; at += get_32 ((guint8 *) bytes + at) + 12)
    {
      const guint8 *chunk = (const guint8 *) bytes + at;
      gboolean is_data = memcmp (chunk + 4, "IDAT", 4) == 0 || memcmp (chunk + 4, "fdAT", 4) == 0;

      if (memcmp (chunk + 4, "acTL", 4) == 0)
        g_assert_cmpuint (get_32 (chunk + 8), ==, N_FRAMES);
      if (memcmp (chunk + 4, "fcTL", 4) == 0)
        {
          g_assert_cmpuint (get_32 (chunk + 8), ==, sequence++);
          g_assert_cmpuint (get_32 (chunk + 12), ==, WIDTH);
          g_assert_cmpuint (chunk[8 + 21], ==, 1);
          g_assert_cmpuint (chunk[8 + 23], ==, 12);
          n_controls++;
        }
      if (memcmp (chunk + 4, "fdAT", 4) == 0)
        g_assert_cmpuint (get_32 (chunk + 8), ==, sequence++);
      if (is_data)
        {
          g_autoptr (GBytes) png = extract_png ((const guint8 *) bytes, chunk);
          g_autoptr (PrismImage) image = MUST (prism_image_load_bytes (png, "frame", &error));

          assert_frame (image, n_frames++);
        }
    }
  g_assert_cmpuint (n_frames, ==, N_FRAMES);
  g_assert_cmpuint (n_controls, ==, N_FRAMES);
}

/* Each pixel of a picture of a GIF, as the library reads it, 0xRRGGBB. */
static guint32
get_color (const SavedImage *picture, guint i)
{
  const GifColorType *color = &picture->ImageDesc.ColorMap->Colors[picture->RasterBits[i]];

  return (guint32) color->Red << 16 | color->Green << 8 | color->Blue;
}

TEST_WITH (gif, "/engine/animation/gif", "x.gif")
{
  g_autofree guint32 *pixels = g_new (guint32, N_PIXELS);
  int delays = 0;

  write_animation (self->path, 15, N_FRAMES);
  g_autofree char *bytes = file_text (self->path);
  g_assert_cmpint (memcmp (bytes, "GIF89a", 6), ==, 0);
  g_assert_cmpint (memcmp (bytes + 13, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19), ==, 0);
  GifFileType *gif = DGifOpenFileName (self->path, NULL);
  g_assert_cmpint (DGifSlurp (gif), ==, GIF_OK);
  g_assert_cmpint (gif->SWidth, ==, WIDTH);
  g_assert_cmpint (gif->SHeight, ==, HEIGHT);
  g_assert_cmpint (gif->ImageCount, ==, N_FRAMES);
  for (guint i = 0; i < N_FRAMES; i++)
    {
      GraphicsControlBlock control;

      DGifSavedExtensionToGCB (gif, (int) i, &control);
      delays += control.DelayTime;
      draw (pixels, i);
      for (guint k = 0; k < N_PIXELS; k++)
        g_assert_cmpuint (get_color (&gif->SavedImages[i], k), ==, pixels[k] & 0xffffff);
    }
  g_assert_cmpint (delays, ==, 33); /* five fifteenths of a second */
  DGifCloseFile (gif, NULL);
}

TEST_WITH (folder, "/engine/animation/folder", "x")
{
  g_autofree char *last = g_strdup_printf ("frame-%05u.png", N_FRAMES + 1);
  g_autofree char *older = g_build_filename (self->directory, last, NULL);

  /* Of a longer animation that was there before. */
  g_assert_true (g_file_set_contents (older, "older", -1, NULL));
  write_animation (self->directory, 15, N_FRAMES);
  g_assert_false (g_file_test (older, G_FILE_TEST_EXISTS));
  for (guint i = 0; i < N_FRAMES; i++)
    {
      g_autofree char *file = g_strdup_printf ("frame-%05u.png", i + 1);
      g_autofree char *path = g_build_filename (self->directory, file, NULL);
      g_autoptr (PrismImage) image = MUST (prism_image_load (path, &error));

      assert_frame (image, i);
    }
}

/* What is broken off leaves nothing, and the old file as it was. */
TEST_WITH (broken_off, "/engine/animation/broken-off", "x.gif")
{
  const PrismAnimationSpec spec = { HEIGHT, WIDTH, N_FRAMES, 10, TRUE };
  g_autoptr (GError) error = NULL;
  g_autofree guint32 *pixels = g_new0 (guint32, N_PIXELS);

  g_assert_true (g_file_set_contents (self->path, "old", -1, NULL));
  PrismAnimation *animation = MUST (prism_animation_new (self->path, &spec, &error));
  g_assert_true (prism_animation_add (animation, pixels, &error));
  prism_animation_free (animation);
  SAYS (file_text (self->path), "old");
}

TEST (refused, "/engine/animation/refused")
{
  const PrismAnimationSpec good = { HEIGHT, WIDTH, 1, 10, TRUE };
  const PrismAnimationSpec bad[] = { { 0, 1, 1, 10, TRUE },
                                     { 1, 1, 0, 10, TRUE },
                                     { 1, 1, 1, 0, TRUE },
                                     { 1, 1, 1, 61, TRUE },
                                     { 1, 100000, 1, 10, TRUE } };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    FAILS (prism_animation_new ("/tmp/x.gif", &bad[i], &error), CONFIG, "");
  FAILS (prism_animation_new ("x.mp4", &good, &error), CONFIG, "");
  FAILS (prism_animation_new ("/nonexistent/x.gif", &good, &error), IO, "");
}

/* Colours by the thousand: none is far from the one that stands for it. */
TEST_WITH (palette, "/engine/animation/palette", "x.gif")
{
  const PrismAnimationSpec spec = { 256, 256, 1, 10, FALSE };
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismAnimation) animation = prism_animation_new (self->path, &spec, &error);
  g_autofree guint32 *pixels = g_new (guint32, 65536);
  guint64 sum = 0;

  for (guint i = 0; i < 65536; i++)
    pixels[i] = (i & 255) << 16 | (i >> 8) << 8 | (255 - (i & 255));
  g_assert_true (MUST (prism_animation_add (animation, pixels, &error)));
  g_assert_true (MUST (prism_animation_finish (animation, &error)));
  GifFileType *gif = DGifOpenFileName (self->path, NULL);
  g_assert_cmpint (DGifSlurp (gif), ==, GIF_OK);
  for (guint i = 0; i < 65536; i++)
    for (int shift = 0; shift < 24; shift += 8)
      {
        int difference = (int) (pixels[i] >> shift & 255)
                         - (int) (get_color (&gif->SavedImages[0], i) >> shift & 255);

        g_assert_cmpint (ABS (difference), <, 40);
        sum += (guint) ABS (difference);
      }
  g_assert_cmpfloat ((double) sum / (3 * 65536), <, 8.0);
  DGifCloseFile (gif, NULL);
}

static gboolean
save_video (const char *path, GError **error)
{
  const PrismAnimationSpec spec = { 47, 65, 12, 10, FALSE };
  g_autofree guint32 *pixels = g_new0 (guint32, 47 * 65);
  g_autoptr (PrismAnimation) animation = prism_animation_new (path, &spec, error);

  for (guint i = 0; animation != NULL && i < spec.n_frames; i++)
    {
      for (guint k = 0; k < 47 * 65; k++)
        pixels[k] = 20 * i << 16 | (k & 255);
      if (!prism_animation_add (animation, pixels, error))
        return FALSE;
    }
  return animation != NULL && prism_animation_finish (animation, error);
}

/* The first bytes are those of a Matroska file. */
TEST_WITH (webm, "/engine/animation/webm", "x.webm")
{
  static const char magic[] = { 0x1a, 0x45, (char) 0xdf, (char) 0xa3 };
  g_autofree char *content = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  if (!prism_video_is_possible () || !save_video (self->path, &error))
    {
      g_test_skip (error != NULL ? error->message : "GStreamer's tools are not installed.");
      return;
    }
  g_assert_true (g_file_get_contents (self->path, &content, &length, &error));
  g_assert_cmpuint (length, >, 500);
  g_assert_cmpmem (content, sizeof magic, magic, sizeof magic);
  g_assert_nonnull (memmem (content, length, "webm", 4));
}

/* A GStreamer that ends at once, as without plug-ins, is one sentence; no file is left. */
TEST_WITH (webm_fails, "/engine/animation/webm-fails", "x.webm")
{
  g_autofree char *directory = g_path_get_dirname (self->path);
  g_autofree char *program = g_build_filename (directory, "gst-launch-1.0", NULL);
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents_full (program, "#!/bin/sh\nexit 1\n", -1,
                                           G_FILE_SET_CONTENTS_NONE, 0755, NULL));
  g_setenv ("PATH", directory, TRUE);
  g_assert_false (save_video (self->path, &error));
  g_setenv ("PATH", before, TRUE);
  g_assert_error (error, PRISM_ERROR, PRISM_ERROR_IO);
  HAS (error->message, "vp8enc");
  g_assert_false (g_file_test (self->path, G_FILE_TEST_EXISTS));
  g_unlink (program);
}
