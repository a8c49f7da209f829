/* prism-camera-window: a folder that a camera writes frames into, while it is followed: how many
 * are there, how well each was predicted, and what files and lights say. The picture is the main
 * window's: the signal “frames” has a PrismProblem of what is there, and whether it is the last. */
#pragma once

#include "ptychography/prism-problem.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_CAMERA_WINDOW (prism_camera_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismCameraWindow, prism_camera_window, PRISM, CAMERA_WINDOW, AdwWindow)

GtkWidget *prism_camera_window_new (const char *folder,
                                    const char *positions);
void       prism_camera_window_ask (PrismCameraWindow *self);

G_END_DECLS
