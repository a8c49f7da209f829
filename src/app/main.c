#include "config.h"

#include "base/prism-isa.h"
#include "base/prism-system.h"
#include "window/prism-application.h"

#include <locale.h>

int
main (int argc,
      char *argv[])
{
  const char *folder = g_getenv ("PRISM_LOCALE_DIR"); /* in the build directory */
  g_autoptr (PrismApplication) application = NULL;
  g_autofree char *notice = NULL;

  prism_process_init ();
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, folder != NULL ? folder : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
  g_set_application_name (_ ("PRISM Studio"));
  notice = prism_isa_dup_notice ();
  if (notice != NULL)
    g_printerr ("prism-studio: %s\n", notice);

  application = prism_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
