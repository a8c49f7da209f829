#include "config.h"

#include "window/prism-about.h"

#include <adwaita.h>
#include <glib/gi18n.h>

/**
 * prism_about_show:
 * @parent: (nullable): the window it belongs to
 *
 * Shows the about window.
 *
 * Thread: main.
 */
void
prism_about_show (GtkWindow *parent)
{
  const char *comments = _ ("Progressive Reconstruction from Imaging with Sparse Measurements: a "
                            "decoder is trained until its output explains what the camera saw.");

  adw_show_about_window (parent,
                         "application-name", _ ("PRISM Studio"),
                         "application-icon", PRISM_APP_ID,
                         "version", PRISM_VERSION,
                         "developer-name", _ ("The PRISM Studio developers"),
                         "comments", comments,
                         "website", "https://github.com/prism-studio/prism-studio",
                         "license-type", GTK_LICENSE_GPL_3_0,
                         /* Translators: put your names here, one per line. */
                         "translator-credits", _ ("translator-credits"),
                         NULL);
}
