#include "config.h"

#include "support/prism-renderer.h"

#include <epoxy/gl.h>
#include <string.h>

/* Where no graphics processor draws (remote desktops, virtual machines, bare drivers) GL is a
 * program: Mesa's takes every processor for each frame, those of the run with them, and frames come
 * late. cairo draws the same windows on one thread, and less of them anew. */

/* GTK looks here first for the name of a renderer, since 4.0. */
#define GTK_KEY "gsk-renderer"

/**
 * prism_renderer_is_software:
 * @name: what GL says of itself, GL_RENDERER
 *
 * Returns: whether the processor does the work
 */
gboolean
prism_renderer_is_software (const char *name)
{
  /* Mesa's, by itself, behind Vulkan (zink, lavapipe) or behind a virtual card (virgl); Google's;
   * Windows' and Apple's, which are passed on to virtual machines. */
  static const char *const programs[] = {
    "llvmpipe",
    "lavapipe",
    "softpipe",
    "swrast",
    "software",
    "swiftshader",
    "basic render",
  };
  g_autofree char *lower = g_ascii_strdown (name, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (programs); i++)
    if (strstr (lower, programs[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* What GL says of itself, NULL where there is none. The context is one that GTK makes anyhow when
 * it draws by GL. */
static char *
dup_name (GdkDisplay *display)
{
  g_autoptr (GdkGLContext) context = gdk_display_create_gl_context (display, NULL);
  char *name;

  if (context == NULL || !gdk_gl_context_realize (context, NULL))
    return NULL;
  gdk_gl_context_make_current (context);
  name = g_strdup ((const char *) glGetString (GL_RENDERER));
  gdk_gl_context_clear_current ();
  return name;
}

/**
 * prism_renderer_choose:
 * @display: where windows will be shown
 *
 * Before the first window: lets cairo draw them where GL would be software. What the user has set
 * (GSK_RENDERER) stands, and where there is no GL GTK finds out by itself.
 */
void
prism_renderer_choose (GdkDisplay *display)
{
  g_autofree char *name = NULL;

  if (g_getenv ("GSK_RENDERER") != NULL)
    return;
  name = dup_name (display);
  if (name != NULL && prism_renderer_is_software (name))
    g_object_set_data (G_OBJECT (display), GTK_KEY, (gpointer) "cairo");
}
