#include "config.h"

#include "formats/prism-animation.h"

#include "base/prism-arena.h"
#include "base/prism-directory.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "formats/prism-png-stream.h"

#include <fcntl.h>
#include <gif_lib.h>
#include <gio/gio.h>
#include <sys/socket.h>
#include <zlib.h>

/* Dimensions of this file: h, w = height and width. */

#define LAUNCH "gst-launch-1.0"
/* Descriptor of the file in the other process; 0 are the pictures. */
#define FILE_FD 3
#define TRIAL_SIDE 16

typedef struct
{
  GSubprocess *process;
  int fd; /* a socket, -1 when all pictures are in it */
  gsize size;
} PrismVideo;

static void
prism_video_free (PrismVideo *self)
{
  if (self == NULL)
    return;
  if (self->fd >= 0)
    close (self->fd);
  if (self->process != NULL)
    {
      g_subprocess_force_exit (self->process);
      g_subprocess_wait (self->process, NULL, NULL);
      g_object_unref (self->process);
    }
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismVideo, prism_video_free)

/**
 * prism_video_is_possible:
 *
 * Thread: any.
 *
 * Returns: whether GStreamer's tools are installed; plug-ins may still be missing
 */
gboolean
prism_video_is_possible (void)
{
  g_autofree char *path = g_find_program_in_path (LAUNCH);

  return path != NULL;
}

/* What went wrong in another program is told by what it needs. */
static gboolean
refuse (GError **error)
{
  return prism_error_io (
      error,
      "GStreamer could not write the WebM file. It needs %s with the plug-ins"
      " rawvideoparse, videoconvert, vp8enc and webmmux (Debian: gstreamer1.0-tools,"
      " -plugins-base, -good and -bad), and room on the disk: or choose GIF or animated"
      " PNG.",
      LAUNCH);
}

static GSubprocess *
launch (int input,
        int output,
        int height,
        int width,
        int rate)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autofree char *w = g_strdup_printf ("width=%d", width);
  g_autofree char *h = g_strdup_printf ("height=%d", height);
  g_autofree char *r = g_strdup_printf ("framerate=%d/1", rate);
  const char *format = G_BYTE_ORDER == G_LITTLE_ENDIAN ? "format=bgrx" : "format=xrgb";

  g_subprocess_launcher_take_stdin_fd (launcher, input);
  g_subprocess_launcher_take_fd (launcher, output, FILE_FD);
  return g_subprocess_launcher_spawn (
      launcher, NULL, LAUNCH, "-q", "fdsrc", "fd=0", "!", "rawvideoparse", format, w, h, r, "!",
      "videoconvert", "!", "vp8enc", "end-usage=cq", "cq-level=8", "max-quantizer=40",
      "target-bitrate=20000000", "deadline=100000", "!", "webmmux", "!", "fdsink",
      "fd=" G_STRINGIFY (FILE_FD), NULL);
}

/* A film of so many pictures a second, through GStreamer. Takes the path of the file. */
static PrismVideo *
prism_video_new (const char *path,
                 int height,
                 int width,
                 int rate,
                 GError **error)
{
  g_autoptr (PrismVideo) self = g_new0 (PrismVideo, 1);
  int ends[2], output;

  self->fd = -1;
  output = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (output < 0 || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    {
      if (output >= 0)
        close (output);
      prism_error_io (error, _ ("The video cannot be begun: %s."),
                      g_strerror (errno));
      return NULL;
    }
  self->fd = ends[0];
  self->size = (gsize) height * (gsize) width * sizeof (guint32);
  self->process = launch (ends[1], output, height, width, rate);
  if (self->process == NULL)
    {
      refuse (error);
      return NULL;
    }
  return g_steal_pointer (&self);
}

/* pixels: [h][w] */
static gboolean
prism_video_add (PrismVideo *self,
                 const guint32 *pixels,
                 GError **error)
{
  const char *at = (const char *) pixels;
  gsize left = self->size;

  while (left > 0)
    {
      /* A program that has ended is no reason to end this one. */
      gssize n = send (self->fd, at, left, MSG_NOSIGNAL);

      if (n < 0 && errno != EINTR)
        return refuse (error);
      n = MAX (n, 0);
      at += n;
      left -= (gsize) n;
    }
  return TRUE;
}

static gboolean
prism_video_finish (PrismVideo *self,
                    GError **error)
{
  close (self->fd);
  self->fd = -1;
  return g_subprocess_wait_check (self->process, NULL, NULL) || refuse (error);
}

#define MAX_SIDE 16384

struct _PrismAnimation
{
  PrismAnimationKind kind;
  PrismAnimationSpec spec;
  char *path;
  char *temporary;         /* (nullable): what is written to */
  FILE *file;              /* (nullable) */
  guint32 sequence;        /* of the next chunk of an APNG that is numbered */
  GifFileType *gif;        /* (nullable) */
  guint time;              /* of the next picture of a GIF, 1/100 s */
  PrismVideo *video;       /* (nullable) */
  PrismExchange *exchange; /* (nullable): of the pictures in a folder */
  GByteArray *bytes;       /* that are not written yet */
  guint n_frames;          /* added so far */
};

/* The extension decides: .png or .apng, .gif, .webm, none for a folder. */
static gboolean
get_kind (const char *path,
          PrismAnimationKind *kind,
          GError **error)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *lower = g_ascii_strdown (name, -1);
  const char *dot = strrchr (lower, '.');

  if (dot == NULL || dot == lower || g_file_test (path, G_FILE_TEST_IS_DIR))
    *kind = PRISM_ANIMATION_FOLDER;
  else if (strcmp (dot, ".png") == 0 || strcmp (dot, ".apng") == 0)
    *kind = PRISM_ANIMATION_APNG;
  else if (strcmp (dot, ".gif") == 0)
    *kind = PRISM_ANIMATION_GIF;
  else if (strcmp (dot, ".webm") == 0)
    *kind = PRISM_ANIMATION_WEBM;
  else
    {

      return prism_error_config (error,
                                 _ ("“%s” cannot become an animation: end its name in .apng,"
                                    " .png, .gif or .webm, or in no extension for a folder of"
                                    " pictures."),
                                 path);
    }
  return TRUE;
}

/**
 * prism_animation_check:
 * @path: a file or a folder
 *
 * Finds out beforehand whether there can be an animation.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: whether its kind can be made here and its place can be written
 */
gboolean
prism_animation_check (const char *path,
                       GError **error)
{
  static const guint32 picture[TRIAL_SIDE * TRIAL_SIDE];
  g_autoptr (PrismVideo) trial = NULL;
  PrismAnimationKind kind;

  if (!get_kind (path, &kind, error))
    return FALSE;
  /* A film can be made where a small one could be. */
  if (kind == PRISM_ANIMATION_WEBM
      && ((trial = prism_video_new ("/dev/null", TRIAL_SIDE, TRIAL_SIDE, 1, error)) == NULL
          || !prism_video_add (trial, picture, error) || !prism_video_finish (trial, error)))
    return FALSE;
  return kind == PRISM_ANIMATION_FOLDER
             ? prism_exchange_check_place (path, (const char *const[]) { NULL }, TRUE, error)
             : prism_file_check_place (path, error);
}

static gboolean
fail (PrismAnimation *self,
      int code,
      GError **error)
{
  return prism_error_io (error,
                         _ ("“%s” cannot be written: %s. Free some space or choose another"
                            " directory."),
                         self->path, g_strerror (code));
}

/* Writes what has come together. */
static gboolean
flush (PrismAnimation *self,
       GError **error)
{
  gsize n = self->bytes->len;

  errno = 0;
  if (fwrite (self->bytes->data, 1, n, self->file) != n)
    return fail (self, errno != 0 ? errno : EIO, error);
  g_byte_array_set_size (self->bytes, 0);
  return TRUE;
}

/* GIF. Programs that show it take a shorter time for a mistake and wait a tenth of a second. */
#define LEAST_DELAY 2
#define N_COLOURS 256
#define N_SLOTS 1024

static int
write_gif (GifFileType *gif,
           const GifByteType *bytes,
           int n)
{
  g_byte_array_append (gif->UserData, bytes, (guint) n);
  return n;
}

/* What stands before the first picture: the size, and Netscape's word for loops. */
static gboolean
begin_gif (PrismAnimation *self,
           GError **error)
{
  self->gif = EGifOpen (self->bytes, write_gif, NULL);
  if (self->gif == NULL)
    return fail (self, ENOMEM, error);
  EGifSetGifVersion (self->gif, TRUE);
  EGifPutScreenDesc (self->gif, self->spec.width, self->spec.height, 8, 0, NULL);
  if (self->spec.loop)
    {
      EGifPutExtensionLeader (self->gif, APPLICATION_EXT_FUNC_CODE);
      EGifPutExtensionBlock (self->gif, 11, "NETSCAPE2.0");
      EGifPutExtensionBlock (self->gif, 3, "\1\0\0");
      EGifPutExtensionTrailer (self->gif);
    }
  return flush (self, error);
}

/* Pictures of one colour table have no more colours than that: they are kept exactly. */
static gboolean
find_exact (GifColorType colors[N_COLOURS],
            const guint32 *pixels,
            gsize n_pixels,
            guint8 *indices)
{
  gint16 slots[N_SLOTS];
  guint32 found[N_COLOURS];
  guint n = 0;

  memset (slots, -1, sizeof slots);
  for (gsize i = 0; i < n_pixels; i++)
    {
      const guint32 color = pixels[i] & 0xffffff;
      guint slot = (color * 2654435761u) >> 22;

      while (slots[slot] >= 0 && found[slots[slot]] != color)
        slot = (slot + 1) % N_SLOTS;
      if (slots[slot] < 0)
        {
          if (n == N_COLOURS)
            return FALSE;
          slots[slot] = (gint16) n;
          colors[n] = (GifColorType) { color >> 16, color >> 8 & 255, color & 255 };
          found[n++] = color;
        }
      indices[i] = (guint8) slots[slot];
    }
  return TRUE;
}

/* The colour of each pixel, of a table of 256: all colours where these suffice, else those that
 * giflib chooses. Returns whether there was memory for it */
static gboolean
find_colors (PrismAnimation *self,
             const guint32 *pixels,
             ColorMapObject *map,
             guint8 *indices,
             GError **error)
{
  const gsize n = (gsize) self->spec.height * self->spec.width;
  prism_autofree_array guint8 *channels = NULL;

  if (find_exact (map->Colors, pixels, n, indices))
    return TRUE;
  channels = prism_arena_new_array (3 * n, "a picture", error);
  for (gsize i = 0; channels != NULL && i < 3 * n; i++)
    channels[i] = pixels[i % n] >> (16 - 8 * (i / n)) & 255;
  return channels != NULL
         && (GifQuantizeBuffer (self->spec.width, self->spec.height, &map->ColorCount, channels,
                                channels + n, channels + 2 * n, indices, map->Colors)
                 == GIF_OK
             || fail (self, ENOMEM, error));
}

/* A picture with a table of its own 256 colours, which stays. Hundredths of a second are coarse:
 * what one is too long another is too short. */
static gboolean
append_gif (PrismAnimation *self,
            const guint32 *pixels,
            GError **error)
{
  const int height = self->spec.height, width = self->spec.width, rate = self->spec.rate;
  const guint next = (100 * (self->n_frames + 1) + rate / 2) / rate;
  const guint delay = MAX (next - MIN (next, self->time), LEAST_DELAY);
  const GraphicsControlBlock control = { DISPOSE_DO_NOT, FALSE, delay, NO_TRANSPARENT_COLOR };
  prism_autofree_array guint8 *indices
      = prism_arena_new_array ((gsize) height * width, "a picture", error);
  ColorMapObject *map = GifMakeMapObject (N_COLOURS, NULL);
  GifByteType block[4];
  gboolean ok = indices != NULL && (map != NULL || fail (self, ENOMEM, error))
                && find_colors (self, pixels, map, indices, error);

  EGifGCBToExtension (&control, block);
  self->time += delay;
  if (ok
      && (EGifPutExtension (self->gif, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) != GIF_OK
          || EGifPutImageDesc (self->gif, 0, 0, width, height, FALSE, map) != GIF_OK
          || EGifPutLine (self->gif, indices, height * width) != GIF_OK))
    ok = fail (self, ENOMEM, error);
  if (map != NULL)
    GifFreeMapObject (map);
  return ok && flush (self, error);
}

static gboolean
open_file (PrismAnimation *self,
           GError **error)
{
  if (self->kind == PRISM_ANIMATION_FOLDER)
    {
      self->exchange = prism_exchange_new (self->path, error);
      return self->exchange != NULL;
    }
  self->temporary = prism_file_dup_temporary (self->path, error);
  if (self->temporary == NULL)
    return FALSE;
  if (self->kind == PRISM_ANIMATION_WEBM)
    {
      self->video = prism_video_new (self->temporary, self->spec.height, self->spec.width,
                                     self->spec.rate, error);
      return self->video != NULL;
    }
  self->file = g_fopen (self->temporary, "wbe");
  if (self->file == NULL)
    return fail (self, errno, error);
  return self->kind == PRISM_ANIMATION_APNG || begin_gif (self, error);
}

static gboolean
check_spec (const PrismAnimationSpec *spec,
            GError **error)
{
  if (spec->height >= 1 && spec->width >= 1 && MAX (spec->height, spec->width) <= MAX_SIDE
      && spec->n_frames >= 1 && spec->rate >= 1 && spec->rate <= 60)
    return TRUE;
  return prism_error_config (error,
                             _ ("An animation of %u pictures of %d × %d pixels at %d per second"
                                " cannot be made: it needs one picture at least, sides of 1…%d"
                                " pixels and 1…60 pictures per second."),
                             spec->n_frames, spec->width, spec->height, spec->rate, MAX_SIDE);
}

/**
 * prism_animation_new:
 * @path: what to write; see prism_animation_check()
 * @spec: size, number and speed
 *
 * Begins an animation. A file of that name stays until the new one is complete.
 *
 * Errors: PRISM_ERROR_CONFIG, PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: (transfer full) (nullable): the animation
 */
PrismAnimation *
prism_animation_new (const char *path,
                     const PrismAnimationSpec *spec,
                     GError **error)
{
  g_autoptr (PrismAnimation) self = g_new0 (PrismAnimation, 1);

  if (!check_spec (spec, error) || !get_kind (path, &self->kind, error))
    return NULL;
  self->spec = *spec;
  self->path = g_strdup (path);
  self->bytes = g_byte_array_new ();
  if (!open_file (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * prism_animation_free:
 * @self: (nullable): an animation
 *
 * Frees it; what was not finished disappears.
 */
void
prism_animation_free (PrismAnimation *self)
{
  if (self == NULL)
    return;
  if (self->file != NULL)
    fclose (self->file);
  if (self->gif != NULL)
    EGifCloseFile (self->gif, NULL);
  prism_video_free (self->video);
  prism_exchange_free (self->exchange);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  g_clear_pointer (&self->bytes, g_byte_array_unref);
  g_free (self->temporary);
  g_free (self->path);
  g_free (self);
}

/* In its own file. */
static char *
dup_picture_name (guint number)
{
  return g_strdup_printf ("frame-%05u.png", number);
}

/* A picture as a PNG file of red, green and blue. */
static PrismPngStream *
encode (const PrismAnimation *self,
        const guint32 *pixels,
        GError **error)
{
  static const char *const text[] = { "Software", "PRISM Studio " PRISM_VERSION, NULL };
  const PrismPngFormat format = { self->spec.width, self->spec.height, 0, text };
  g_autoptr (PrismPngStream) stream = prism_png_stream_new (&format, error);

  return stream != NULL
                 && prism_png_stream_add (stream, (const guint8 *) pixels,
                                          sizeof *pixels * (gsize) self->spec.width,
                                          self->spec.height, error)
             ? g_steal_pointer (&stream)
             : NULL;
}

static gboolean
save_picture (PrismAnimation *self,
              const guint32 *pixels,
              GError **error)
{
  g_autofree char *name = dup_picture_name (self->n_frames + 1);
  g_autofree char *path
      = g_build_filename (prism_exchange_get_directory (self->exchange), name, NULL);
  g_autoptr (PrismPngStream) stream = encode (self, pixels, error);

  return stream != NULL && prism_png_stream_save (stream, path, error);
}

/* A chunk of PNG: how many bytes, its type, they, and a checksum. numbers: what stands before the
 * other bytes, 32 bits each */
static void
append_chunk (PrismAnimation *self,
              const char *type,
              const guint32 *numbers,
              guint n_numbers,
              const char *data,
              guint n_data)
{
  const guint32 length = GUINT32_TO_BE (4 * n_numbers + n_data);
  const guint start = self->bytes->len + 4;
  guint32 sum;

  g_byte_array_append (self->bytes, (const guint8 *) &length, 4);
  g_byte_array_append (self->bytes, (const guint8 *) type, 4);
  for (guint i = 0; i < n_numbers; i++)
    {
      const guint32 number = GUINT32_TO_BE (numbers[i]);

      g_byte_array_append (self->bytes, (const guint8 *) &number, 4);
    }
  g_byte_array_append (self->bytes, (const guint8 *) data, n_data);
  sum = GUINT32_TO_BE ((guint32) crc32 (0, self->bytes->data + start, self->bytes->len - start));
  g_byte_array_append (self->bytes, (const guint8 *) &sum, 4);
}

/* The picture of a PNG file goes in as a frame; the first is what readers show that know no
 * animations, and what stands before it stands before all. Source: PNG, third edition, 11.3. */
static gboolean
append_apng (PrismAnimation *self,
             const guint32 *pixels,
             GError **error)
{
  const PrismAnimationSpec *spec = &self->spec;
  const gboolean is_first = self->n_frames == 0;
  g_autoptr (PrismPngStream) stream = encode (self, pixels, error);
  gboolean has_control = FALSE;
  gsize length, at = 8;
  const char *png = stream != NULL ? prism_png_stream_end (stream, &length, error) : NULL;
  guint32 n;

  if (png == NULL)
    return FALSE;
  if (is_first)
    g_byte_array_append (self->bytes, (const guint8 *) png, 8);
  for (; memcmp (png + at + 4, "IEND", 4) != 0; at += 12 + (gsize) n)
    {
      const gboolean is_data = memcmp (png + at + 4, "IDAT", 4) == 0;

      memcpy (&n, png + at, 4);
      n = GUINT32_FROM_BE (n);
      if (is_data && !has_control)
        {
          if (is_first)
            append_chunk (self, "acTL", (guint32[]) { spec->n_frames, spec->loop ? 0 : 1 }, 2, "",
                          0);
          append_chunk (self, "fcTL",
                        (guint32[]) { self->sequence++, (guint32) spec->width,
                                      (guint32) spec->height, 0, 0, 1 << 16 | spec->rate },
                        6, "\0", 2);
          has_control = TRUE;
        }
      if (is_first)
        g_byte_array_append (self->bytes, (const guint8 *) png + at, 12 + n);
      else if (is_data)
        append_chunk (self, "fdAT", (guint32[]) { self->sequence++ }, 1, png + at + 8, n);
    }
  return flush (self, error);
}

/**
 * prism_animation_add:
 * @pixels: (array): 0xRRGGBB, the upper byte is not looked at
 *
 * Adds the next picture.
 *
 * Shape: [h][w].
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_MEMORY.
 * Thread: any.
 *
 * Returns: whether it was written
 */
gboolean
prism_animation_add (PrismAnimation *self,
                     const guint32 *pixels,
                     GError **error)
{
  gboolean ok;

  g_return_val_if_fail (self->n_frames < self->spec.n_frames, FALSE);

  switch (self->kind)
    {
    case PRISM_ANIMATION_FOLDER:
      ok = save_picture (self, pixels, error);
      break;
    case PRISM_ANIMATION_GIF:
      ok = append_gif (self, pixels, error);
      break;
    case PRISM_ANIMATION_WEBM:
      ok = prism_video_add (self->video, pixels, error);
      break;
    case PRISM_ANIMATION_APNG:
    default:
      ok = append_apng (self, pixels, error);
      break;
    }
  self->n_frames += ok;
  return ok;
}

/* The last bytes of the file. */
static gboolean
close_file (PrismAnimation *self,
            GError **error)
{
  FILE *file;

  if (self->kind == PRISM_ANIMATION_WEBM)
    return prism_video_finish (self->video, error);
  if (self->kind == PRISM_ANIMATION_GIF)
    EGifCloseFile (g_steal_pointer (&self->gif), NULL);
  else
    append_chunk (self, "IEND", NULL, 0, "", 0);
  if (!flush (self, error))
    return FALSE;
  file = g_steal_pointer (&self->file);
  return fclose (file) == 0 || fail (self, errno, error);
}

/**
 * prism_animation_finish:
 * @self: an animation to which all pictures were added
 *
 * Brings the file to the disk and puts it in its place; the pictures in a folder all at once.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: whether it is there
 */
gboolean
prism_animation_finish (PrismAnimation *self,
                        GError **error)
{
  g_autofree char *temporary = NULL;

  g_return_val_if_fail (self->n_frames == self->spec.n_frames, FALSE);

  if (self->kind == PRISM_ANIMATION_FOLDER)
    {
      g_autoptr (GPtrArray) older = g_ptr_array_new_with_free_func (g_free);
      gboolean is_there = TRUE;

      /* Those that an older and longer animation has left behind the last one go. */
      for (guint number = self->n_frames + 1; is_there; number++)
        {
          g_autofree char *name = dup_picture_name (number);
          g_autofree char *path = g_build_filename (self->path, name, NULL);

          is_there = g_file_test (path, G_FILE_TEST_IS_REGULAR);
          g_ptr_array_add (older, is_there ? g_steal_pointer (&name) : NULL);
        }
      return prism_exchange_commit (self->exchange, (const char *const *) older->pdata, error);
    }
  if (!close_file (self, error))
    return FALSE;
  temporary = g_steal_pointer (&self->temporary);
  return prism_file_commit (temporary, self->path, error);
}
