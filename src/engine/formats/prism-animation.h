/* prism-animation: pictures in a row as one file that moves, APNG, GIF or WebM, or as a folder of
 * PNG.
 *
 * h, w = height and width of all pictures. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_ANIMATION_APNG,                 /* .png, .apng */
  PRISM_ANIMATION_GIF,                  /* .gif */
  PRISM_ANIMATION_FOLDER,               /* no extension: frame-00001.png, … */
  PRISM_ANIMATION_WEBM,                 /* .webm, where GStreamer is installed */
} PrismAnimationKind;

typedef struct
{
  int height;
  int width;
  guint n_frames;                       /* how many will be added */
  int rate;                             /* per second, 1…60 */
  gboolean loop;                        /* over and over, or once */
} PrismAnimationSpec;

typedef struct _PrismAnimation PrismAnimation;

gboolean        prism_video_is_possible  (void);
gboolean        prism_animation_check    (const char  *path,
                                          GError     **error);
PrismAnimation *prism_animation_new      (const char                *path,
                                          const PrismAnimationSpec  *spec,
                                          GError                   **error);
void            prism_animation_free     (PrismAnimation *self);
gboolean        prism_animation_add      (PrismAnimation  *self,
                                          const guint32   *pixels,
                                          GError         **error);
gboolean        prism_animation_finish   (PrismAnimation  *self,
                                          GError         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismAnimation, prism_animation_free)

G_END_DECLS
