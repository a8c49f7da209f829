#include "config.h"

#include "formats/prism-video.h"

#include "base/prism-error.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <sys/socket.h>
#include <unistd.h>

/* Dimensions of this file: h, w = height and width. */

#define LAUNCH "gst-launch-1.0"
/* Descriptor of the file in the other process; 0 are the pictures. */
#define FILE_FD 3
#define TRIAL_SIDE 16

struct _PrismVideo
{
  GSubprocess *process;
  int fd; /* a socket, -1 when all pictures are in it */
  gsize size;
};

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
  g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO,
               "GStreamer could not write the WebM file. It needs %s with the plug-ins"
               " rawvideoparse, videoconvert, vp8enc and webmmux (Debian: gstreamer1.0-tools,"
               " -plugins-base, -good and -bad), and room on the disk: or choose GIF or animated"
               " PNG.",
               LAUNCH);
  return FALSE;
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

/**
 * prism_video_new:
 * @path: file name, which is replaced
 * @height: h
 * @width: w
 * @rate: pictures per second
 * @error: return location
 *
 * Begins a file.
 *
 * Errors: PRISM_ERROR_IO, also without GStreamer.
 *
 * Returns: (transfer full) (nullable): the video
 */
PrismVideo *
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
      g_set_error (error, PRISM_ERROR, PRISM_ERROR_IO, "The video cannot be begun: %s.",
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

/**
 * prism_video_check:
 * @error: return location
 *
 * Makes a video of one picture, which is not kept: plug-ins may be missing where the program is
 * there.
 *
 * Errors: PRISM_ERROR_IO.
 * Thread: any.
 *
 * Returns: whether there can be videos here
 */
gboolean
prism_video_check (GError **error)
{
  static const guint32 picture[TRIAL_SIDE * TRIAL_SIDE];
  g_autoptr (PrismVideo) trial = prism_video_new ("/dev/null", TRIAL_SIDE, TRIAL_SIDE, 1, error);

  return trial != NULL && prism_video_add (trial, picture, error)
         && prism_video_finish (trial, error);
}

/**
 * prism_video_free:
 * @self: (nullable): a video
 *
 * Frees it; one that was not finished is broken off.
 */
void
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

/**
 * prism_video_add:
 * @self: a video
 * @pixels: (array): 0xRRGGBB, the upper byte is not looked at
 * @error: return location
 *
 * Hands on the next picture.
 *
 * Shape: [h][w].
 * Errors: PRISM_ERROR_IO where the other program has ended.
 *
 * Returns: whether it was taken
 */
gboolean
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

/**
 * prism_video_finish:
 * @self: a video with all its pictures
 * @error: return location
 *
 * Waits until the file is written.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it is
 */
gboolean
prism_video_finish (PrismVideo *self,
                    GError **error)
{
  close (self->fd);
  self->fd = -1;
  return g_subprocess_wait_check (self->process, NULL, NULL) || refuse (error);
}
