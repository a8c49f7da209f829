#include "config.h"

#include "base/prism-system.h"

#include "base/prism-json.h"

#include <fftw3.h>
#include <png.h>
#include <stdio.h>
#include <jpeglib.h>
#include <string.h>
#include <sys/utsname.h>
#include <tiffio.h>
#include <unistd.h>
#include <zip.h>

static void
library_free (PrismLibrary *library)
{
  g_free (library->version);
  g_free (library);
}

static void
add_library (GPtrArray *libraries,
             const char *name,
             char *version)
{
  PrismLibrary *library = g_new (PrismLibrary, 1);

  library->name = name;
  library->version = version;
  g_ptr_array_add (libraries, library);
}

/* "LIBTIFF, Version 4.5.0\nCopyright …" */
static char *
dup_tiff_version (void)
{
  const char *start = strstr (TIFFGetVersion (), "Version ");

  if (start == NULL)
    return g_strdup ("?");
  start += strlen ("Version ");
  return g_strndup (start, strcspn (start, "\n "));
}

/**
 * prism_system_dup_libraries:
 *
 * Returns: (transfer full) (element-type PrismLibrary): those that are loaded, with their versions
 */
GPtrArray *
prism_system_dup_libraries (void)
{
  GPtrArray *libraries = g_ptr_array_new_with_free_func ((GDestroyNotify) library_free);
  const char *fftw = fftwf_version;

  add_library (libraries, "GLib",
               g_strdup_printf ("%u.%u.%u", glib_major_version, glib_minor_version,
                                glib_micro_version));
  add_library (libraries, "FFTW", g_strdup (g_str_has_prefix (fftw, "fftw-") ? fftw + 5 : fftw));
  add_library (libraries, "libjpeg", g_strdup_printf ("API %d", JPEG_LIB_VERSION));
  add_library (libraries, "libpng", g_strdup (png_get_libpng_ver (NULL)));
  add_library (libraries, "libtiff", dup_tiff_version ());
  add_library (libraries, "libzip", g_strdup (zip_libzip_version ()));
  add_library (libraries, "compiler", g_strdup (__VERSION__));
  return libraries;
}

/**
 * prism_system_dup_processor:
 *
 * Returns: (transfer full): the processor's name as the kernel gives it
 */
char *
prism_system_dup_processor (void)
{
  g_autofree char *text = NULL;
  struct utsname system;
  const char *line;

  if (g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL)
      && (line = strstr (text, "model name")) != NULL && (line = strchr (line, ':')) != NULL)
    return g_strstrip (g_strndup (line + 1, strcspn (line + 1, "\n")));
  return g_strdup (uname (&system) == 0 ? system.machine : "unknown");
}

/**
 * prism_system_get_memory:
 *
 * Units: bytes.
 *
 * Returns: the machine's memory
 */
guint64
prism_system_get_memory (void)
{
  return (guint64) sysconf (_SC_PHYS_PAGES) * sysconf (_SC_PAGESIZE);
}

/**
 * prism_system_get_peak_memory:
 *
 * Units: bytes.
 *
 * Returns: the most memory that this process has had in the machine's (VmHWM), libraries included;
 *   0 where the system does not tell
 */
guint64
prism_system_get_peak_memory (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL)
      || (line = strstr (text, "\nVmHWM:")) == NULL)
    return 0;
  return g_ascii_strtoull (line + strlen ("\nVmHWM:"), NULL, 10) << 10;
}

/**
 * prism_system_add_versions:
 * @builder: what writes JSON, inside an object
 *
 * Adds the program's and the libraries' versions as the object "versions".
 */
void
prism_system_add_versions (JsonBuilder *builder)
{
  g_autoptr (GPtrArray) libraries = prism_system_dup_libraries ();

  prism_json_begin_object (builder, "versions");
  prism_json_add_string (builder, "PRISM Studio", PRISM_VERSION);
  for (guint i = 0; i < libraries->len; i++)
    {
      const PrismLibrary *library = libraries->pdata[i];

      prism_json_add_string (builder, library->name, library->version);
    }
  json_builder_end_object (builder);
}
