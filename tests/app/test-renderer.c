#include "prism-test.h"
#include "support/prism-widget.h"
#include "widget-test.h"
#include "window/prism-application.h"

TEST (names, "/app/renderer/names")
{
  static const char *const software[] = {
    "llvmpipe (LLVM 15.0.6, 256 bits)",
    "softpipe",
    "Software Rasterizer",
    "Mesa DRI swrast",
    "virgl (LLVMPIPE (LLVM 17.0.6, 256 bits))",
    "zink Vulkan 1.3(llvmpipe (LLVM 19.1.7, 256 bits) (LLVMPIPE))",
    "D3D12 (Microsoft Basic Render Driver)",
    "ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)",
    "Apple Software Renderer",
  };
  static const char *const hardware[] = {
    "Mesa Intel(R) UHD Graphics 620 (KBL GT2)",
    "AMD Radeon Graphics (radeonsi, renoir, LLVM 15.0.6, DRM 3.49, 6.1.0-18-amd64)",
    "NVIDIA GeForce RTX 3060/PCIe/SSE2",
    "SVGA3D; build: RELEASE;  LLVM;",
    "virgl (Mesa Intel(R) Xe Graphics (TGL GT2))",
    "V3D 4.2",
    "",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (software); i++)
    g_assert_true (prism_renderer_is_software (software[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (hardware); i++)
    g_assert_false (prism_renderer_is_software (hardware[i]));
}

/* What draws a window that is shown now. */
static char *
dup_renderer (void)
{
  GtkWidget *window = gtk_window_new ();

  gtk_widget_realize (window);
  char *name = g_strdup (G_OBJECT_TYPE_NAME (gtk_native_get_renderer (GTK_NATIVE (window))));
  gtk_window_destroy (GTK_WINDOW (window));
  return name;
}

/* The display of the tests has no graphics processor: either no GL at all, or Mesa's program. */
TEST (window, "/app/renderer/window")
{
  g_autofree char *before = dup_renderer (), *after = NULL;

  g_autoptr (PrismApplication) application = prism_application_new ();
  MUST (g_application_register (G_APPLICATION (application), NULL, &error));
  after = dup_renderer ();
  g_test_message ("%s, then %s", before, after);
  g_assert_cmpstr (after, ==, "GskCairoRenderer");
  if (g_str_equal (before, after))
    g_test_skip ("There is no GL here.");
}

int
main (int argc,
      char **argv)
{
  /* As users have it. */
  g_unsetenv ("GSK_RENDERER");
  g_unsetenv ("GDK_DEBUG");
  widget_test_init (&argc, &argv);
  return prism_test_run ();
}
