#include "config.h"

#include "backend/prism-backend.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-file.h"
#include "base/prism-system.h"
#include "config/prism-device-list.h"
#include "cpu/prism-cpu-backend.h"
#include "device/prism-registry.h"
#include "model/prism-decoder.h"
#include "prism-cli-engine.h"
#include "prism-cli-output.h"
#include "prism-cli.h"
#include "run/prism-run-folder.h"

#include <gmodule.h>
#include <locale.h>
#include <sys/utsname.h>

/* What works on this machine: facts, and for people who ask why something does not, sentences. */

#define SCHEMA "io.github.prism_studio.PrismStudio"
#define LITTLE_MEMORY (G_GUINT64_CONSTANT (2) << 30) /* a large field may not fit */
#define LITTLE_DISK (G_GUINT64_CONSTANT (1) << 30)
#define WINDOW_SECONDS "20" /* that libraries and drivers may take */

/* What is known about the device of a module. */
typedef struct
{
  const PrismChoice *choice;
  char *device;    /* (nullable): name of the GPU */
  char *reason;    /* (nullable): why there is none that can be used */
  char *self_test; /* (nullable): "passed", or what differs; NULL without a GPU */
} Module;

typedef struct
{
  char *processor;
  char *cpu; /* "CPU, 2 threads, AVX-512" */
  Module modules[PRISM_DEVICE_LIST_LENGTH - PRISM_BACKEND_FIRST_MODULE];
  char *choice;      /* what a run takes when nothing is asked for, and why */
  guint64 memory;    /* bytes */
  guint64 available; /* bytes */
} Facts;

static void
facts_clear (Facts *self)
{
  g_free (self->processor);
  g_free (self->cpu);
  PRISM_FOR_EACH_OF (module, self->modules)
    {
      g_free (module->device);
      g_free (module->reason);
      g_free (module->self_test);
    }
  g_free (self->choice);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Facts, facts_clear)

/* A device tells its name when it is open; the smallest task will do. */
static char *
dup_device_name (const PrismBackendOps *ops,
                 GError **error)
{
  PrismBackendSpec spec = { .image_size = 64, .object_size = 16, .n_slots = 1 };
  g_autoptr (PrismBackend) backend = NULL;

  if (!prism_decoder_plan_init (&spec.decoder, spec.image_size, spec.object_size, PRISM_EDGE_SAME,
                                error))
    return NULL;
  backend = ops->open (&spec, error);
  return backend != NULL ? ops->dup_device_name (backend) : NULL;
}

static void
collect_module (Module *self,
                int number)
{
  g_autofree char *reason = NULL;
  g_autoptr (GError) error = NULL;
  const PrismBackendOps *ops = prism_registry_choose (number, &reason, &error);

  self->choice = &prism_device_list[number];
  if (ops != NULL)
    self->device = dup_device_name (ops, &error);
  if (self->device == NULL)
    {
      self->reason = g_strdup (error->message);
      return;
    }
  self->self_test = prism_backend_check (ops, &error) ? g_strdup ("passed")
                                                      : g_strdup (error->message);
}

static gboolean
collect_facts (Facts *self,
               GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->modules); i++)
    collect_module (&self->modules[i], PRISM_BACKEND_FIRST_MODULE + i);
  self->cpu = dup_device_name (&prism_cpu_backend_ops, error);
  if (self->cpu == NULL)
    return FALSE;
  if (prism_registry_choose (PRISM_BACKEND_AUTO, &self->choice, error) == NULL)
    return FALSE;
  self->processor = prism_system_dup_processor ();
  self->memory = prism_system_get_memory ();
  self->available = prism_available_get_memory ();
  return TRUE;
}

static void
print_module (const Module *self)
{
  g_autofree char *label = g_strdup_printf ("%s device", self->choice->label);

  printf ("%-11s %s\n", label, self->device != NULL ? self->device : self->reason);
  if (self->device == NULL)
    printf ("%-11s Graphics processors of other makers are not used.\n", "");
  if (self->self_test != NULL)
    printf ("%-11s %s\n", "Self-test", self->self_test);
}

static void
print_facts (const Facts *self)
{
  g_autoptr (GPtrArray) libraries = prism_system_dup_libraries ();
  g_autofree char *memory = g_format_size_full (self->memory, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *available = g_format_size_full (self->available, G_FORMAT_SIZE_IEC_UNITS);

  printf ("PRISM Studio %s\n", PRISM_VERSION);
  printf ("%-11s %s, %u to compute with\n", "Processor", self->processor,
          prism_available_get_processors ());
  printf ("%-11s %s\n", "CPU device", self->cpu);
  PRISM_FOR_EACH_OF (module, self->modules)
    print_module (module);
  printf ("%-11s %s\n", "By default", self->choice);
  printf ("%-11s %s, %s available\n", "Memory", memory, available);
  printf ("%-11s", "Libraries");
  for (guint i = 0; i < libraries->len; i++)
    {
      const PrismLibrary *library = libraries->pdata[i];
      printf ("%s %s %s", i == 0 ? "" : ",", library->name, library->version);
    }
  putchar ('\n');
}

static void
print_json_info (const Facts *self)
{
  const char *self_test = NULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  prism_json_add (builder, "{version: %s, processor: %s, processors: %u, cpu: %s", PRISM_VERSION,
                  self->processor, prism_available_get_processors (), self->cpu);
  PRISM_FOR_EACH_OF (module, self->modules)
    {
      g_autofree char *reason = g_strdup_printf ("%s_reason", module->choice->name);

      prism_json_add (builder, "%s: %s, %s: %s", module->choice->name, module->device, reason,
                      module->reason);
      /* Of the device that is tried first. */
      self_test = self_test != NULL ? self_test : module->self_test;
    }
  prism_json_add (builder, "self_test: %s, default: %s, memory_bytes: %lu, available_bytes: %lu",
                  self_test, self->choice, self->memory, self->available);
  prism_system_add_versions (builder);
  prism_json_add (builder, "}");
  prism_cli_print_json (builder);
}

/**
 * prism_cli_info:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli info: shows the devices, why a GPU is or is not used, memory and library versions.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_info (int argc,
                char **argv,
                GError **error)
{
  gboolean json = FALSE;
  const PrismCliOption entries[] = {
    PRISM_CLI_JSON_ENTRY (&json),
    { NULL },
  };
  g_auto (Facts) facts = { 0 };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error)
      || !collect_facts (&facts, error))
    return PRISM_EXIT_FAILED;
  if (json)
    print_json_info (&facts);
  else
    print_facts (&facts);
  return PRISM_EXIT_OK;
}

/* Sentences, as they are found. */
typedef struct
{
  GString *text;
  guint n_problems;
} Report;

/* One sentence; what needs attention begins with a mark. */
static void G_GNUC_PRINTF (3, 4)
    tell (Report *self,
          gboolean good,
          const char *format,
          ...)
{
  va_list arguments;
  g_autofree char *sentence = NULL;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self->n_problems += !good;
  g_string_append_printf (self->text, "%s %s\n", good ? "  " : "! ", sentence);
}

static void
tell_system (Report *self)
{
  g_autofree char *name = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  struct utsname kernel = { 0 };

  uname (&kernel);
  tell (self, TRUE, "System: %s, Linux %s, %s%s.", name != NULL ? name : "unknown", kernel.release,
        kernel.machine, g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS) ? ", in a Flatpak" : "");
}

static void
tell_memory (Report *self,
             const Facts *facts)
{
  g_autofree char *memory = g_format_size_full (facts->memory, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *available = g_format_size_full (facts->available, G_FORMAT_SIZE_IEC_UNITS);
  gboolean good = facts->available >= LITTLE_MEMORY;

  tell (self, good, "Memory: %s, of which %s are free%s.", memory, available,
        good ? "" : "; large fields may not fit: close other programs");
}

/* Whether files can be written into a folder, or where it will be made, and how much of them. */
static void
tell_folder (Report *self,
             const char *what,
             const char *folder)
{
  g_autofree char *place = g_strdup (folder);
  g_autoptr (GFileInfo) info = NULL;
  g_autofree char *free_size = NULL;
  guint64 n_free;

  while (!g_file_test (place, G_FILE_TEST_EXISTS) && strcmp (place, "/") != 0)
    {
      char *above = g_path_get_dirname (place);

      g_free (place);
      place = above;
    }
  if (g_access (place, W_OK | X_OK) != 0)
    {
      tell (self, FALSE, "%s: nothing can be written into %s.", what, folder);
      return;
    }
  {
    g_autoptr (GFile) file = g_file_new_for_path (place);

    info = g_file_query_filesystem_info (file, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);
  }
  n_free = info != NULL
               ? g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE)
               : 0;
  free_size = g_format_size_full (n_free, G_FORMAT_SIZE_IEC_UNITS);
  tell (self, n_free >= LITTLE_DISK, "%s: %s are free in %s%s.", what, free_size, folder,
        n_free >= LITTLE_DISK ? "" : ", which a run with a file may need");
}

static void
tell_disk (Report *self)
{
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *runs = prism_run_folder_dup_path ();

  tell_folder (self, "Results", here);
  tell_folder (self, "Kept runs", runs);
  tell_folder (self, "Temporary files", g_get_tmp_dir ());
  tell_folder (self, "Caches", g_get_user_cache_dir ());
}

/* Of the language of this terminal. */
static void
tell_language (Report *self)
{
  const char *folder = g_getenv ("PRISM_LOCALE_DIR") != NULL ? g_getenv ("PRISM_LOCALE_DIR")
                                                             : LOCALEDIR;
  const char *const *languages = g_get_language_names ();

  PRISM_FOR_EACH_STRING (one, languages)
    {
      g_autofree char *path
          = g_build_filename (folder, *one, "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);

      if (g_str_equal (*one, "C") || g_str_has_prefix (*one, "en"))
        break;
      if (g_file_test (path, G_FILE_TEST_EXISTS))
        {
          tell (self, TRUE, "Language: %s, translations are found.", *one);
          return;
        }
    }
  tell (self, TRUE, "Language: English; no translation for %s in %s.", languages[0], folder);
}

static void
tell_schema (Report *self)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  GSettingsSchema *schema
      = source != NULL ? g_settings_schema_source_lookup (source, SCHEMA, TRUE) : NULL;

  tell (self, schema != NULL, "Settings of the window: the schema " SCHEMA " %s.",
        schema != NULL ? "is found" : "is not found, so that the window does not start: install the"
                                      " package again, or set GSETTINGS_SCHEMA_DIR");
  g_clear_pointer (&schema, g_settings_schema_unref);
}

/* Who is asked for files where the window may not look for them itself. */
static void
tell_portals (Report *self)
{
  g_autoptr (GDBusConnection) bus = NULL;
  g_autoptr (GVariant) names = NULL;
  g_autofree const char **list = NULL;

  if (g_getenv ("DBUS_SESSION_BUS_ADDRESS") != NULL)
    bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  if (bus != NULL)
    names = g_dbus_connection_call_sync (bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                         "org.freedesktop.DBus", "ListActivatableNames", NULL, NULL,
                                         G_DBUS_CALL_FLAGS_NONE, 2000, NULL, NULL);
  if (names == NULL)
    {
      tell (self, TRUE, "Desktop: there is no session bus, which only the window would need.");
      return;
    }
  g_variant_get (names, "(^a&s)", &list);
  tell (self, TRUE, "Desktop: portals for files and links are %s.",
        g_strv_contains (list, "org.freedesktop.portal.Desktop")
            ? "there"
            : "missing; the window shows dialogs of its own");
}

/* EGL without its headers: the names of its functions, and what of them is needed here. */
typedef void *(*EglGetDisplay) (void *native);
typedef unsigned (*EglInitialize) (void *display, int *major, int *minor);
typedef unsigned (*EglBindApi) (unsigned api);
typedef void *(*EglCreateContext) (void *display, void *config, void *share, const int *attributes);
typedef unsigned (*EglMakeCurrent) (void *display, void *draw, void *read, void *context);
typedef void *(*EglGetProcAddress) (const char *name);
typedef const char *(*GlGetString) (unsigned name);

/* (nullable): who draws. Source: EGL 1.5, 3.2 and 3.7; OpenGL 4.6, 22.2. */
static const char *
find_renderer (GModule *library)
{
  EglGetDisplay get_display;
  EglInitialize initialize;
  EglBindApi bind_api;
  EglCreateContext create_context;
  EglMakeCurrent make_current;
  EglGetProcAddress get_address;
  GlGetString get_string;
  void *display, *context;

  if (!g_module_symbol (library, "eglGetDisplay", (gpointer *) &get_display)
      || !g_module_symbol (library, "eglInitialize", (gpointer *) &initialize)
      || !g_module_symbol (library, "eglBindAPI", (gpointer *) &bind_api)
      || !g_module_symbol (library, "eglCreateContext", (gpointer *) &create_context)
      || !g_module_symbol (library, "eglMakeCurrent", (gpointer *) &make_current)
      || !g_module_symbol (library, "eglGetProcAddress", (gpointer *) &get_address))
    return NULL;
  display = get_display (NULL);
  if (display == NULL || !initialize (display, NULL, NULL) || !bind_api (0x30A2 /* OpenGL */))
    return NULL;
  context = create_context (display, NULL, NULL, NULL);
  if (context == NULL || !make_current (display, NULL, NULL, context))
    return NULL;
  get_string = (GlGetString) get_address ("glGetString");
  return get_string != NULL ? get_string (0x1F01 /* GL_RENDERER */) : NULL;
}

/* What only the window needs; in a process of its own, because drivers may crash. */
static void
tell_window (Report *self)
{
  static const char *const libraries[][2] = {
    { "libgtk-4.so.1", "libgtk-4-1" },
    { "libadwaita-1.so.0", "libadwaita-1-0" },
    { "librsvg-2.so.2", "librsvg2-2, librsvg2-common" },
    { "libepoxy.so.0", "libepoxy0" },
  };
  GModule *egl;
  const char *renderer;

  PRISM_FOR_EACH_OF (one, libraries)
    {
      GModule *library = g_module_open ((*one)[0], G_MODULE_BIND_LAZY);

      if (library == NULL)
        tell (self, FALSE, "Window: %s cannot be loaded; on Debian the package is %s.",
              (*one)[0], (*one)[1]);
    }
  if (self->n_problems == 0)
    tell (self, TRUE, "Window: its libraries are there.");
  egl = g_module_open ("libEGL.so.1", G_MODULE_BIND_LAZY);
  renderer = egl != NULL ? find_renderer (egl) : NULL;
  if (renderer != NULL)
    tell (self, TRUE, "OpenGL: %s draws.", renderer);
  else
    tell (self, TRUE, "OpenGL: there is none%s, so that the window is drawn by the processor.",
          egl == NULL ? " (libEGL.so.1 is missing)" : "");
  if (g_getenv ("WAYLAND_DISPLAY") == NULL && g_getenv ("DISPLAY") == NULL)
    tell (self, TRUE, "Display: there is none here, so that only prism-cli can be used.");
  else
    tell (self, TRUE, "Display: %s.", g_getenv ("WAYLAND_DISPLAY") != NULL ? "Wayland" : "X11");
}

static void
ask_child (Report *self)
{
  g_autofree char *program = prism_cli_dup_program (), *output = NULL;
  char *argv[] = { (char *) "timeout", (char *) WINDOW_SECONDS, program, (char *) "doctor",
                   (char *) "--window", NULL };
  int status;

  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                     &output, NULL, &status, NULL)
      || !g_spawn_check_wait_status (status, NULL))
    tell (self, FALSE, "Window: its libraries or the driver of OpenGL crash, or take more than %s"
                       " s: install them again. prism-cli does not need them.",
          WINDOW_SECONDS);
  g_string_append (self->text, output != NULL ? output : "");
  for (const char *at = output; at != NULL && (at = strstr (at, "! ")) != NULL; at += 2)
    self->n_problems += at == output || at[-1] == '\n';
}

/* What somebody who helps would ask next. Names of users stay here. */
static char *
dup_attachment (const Report *self)
{
  GString *text = g_string_new ("PRISM Studio " PRISM_VERSION "\n");
  g_autoptr (GPtrArray) libraries = prism_system_dup_libraries ();
  g_auto (GStrv) variables = g_listenv ();
  const char *home = g_get_home_dir ();

  g_string_append (text, self->text->str);
  g_string_append (text, "\nLibraries:\n");
  PRISM_FOR_EACH_POINTER (const PrismLibrary, library, libraries)
    {
      g_string_append_printf (text, "  %s %s\n", library->name, library->version);
    }
  g_string_append (text, "\nEnvironment:\n");
  PRISM_FOR_EACH_STRING (variable, variables)
    if (g_str_has_prefix (*variable, "PRISM_") || g_str_has_prefix (*variable, "LC_")
        || g_str_has_prefix (*variable, "GDK_") || g_str_has_prefix (*variable, "GSK_")
        || g_str_has_prefix (*variable, "XDG_") || g_str_equal (*variable, "LANG"))
      g_string_append_printf (text, "  %s=%s\n", *variable, g_getenv (*variable));
  if (strlen (home) > 1)
    g_string_replace (text, home, "~", 0);
  return g_string_free (text, FALSE);
}

static gboolean
examine (const char *output,
         Report *report,
         GError **error)
{
  g_auto (Facts) facts = { 0 };
  g_autofree char *attachment = NULL;

  if (!collect_facts (&facts, error))
    return FALSE;
  tell_system (report);
  tell (report, TRUE, "Processor: %s, %u to compute with (%s).", facts.processor,
        prism_available_get_processors (), facts.cpu);
  PRISM_FOR_EACH_OF (module, facts.modules)
    {
      gboolean passed = g_strcmp0 (module->self_test, "passed") == 0;

      if (module->device == NULL)
        tell (report, TRUE, "Graphics processor: none is used. %s", module->reason);
      else if (passed)
        tell (report, TRUE, "Graphics processor: %s computes what the processor computes.",
              module->device);
      else
        tell (report, FALSE, "Graphics processor: %s is not trusted. %s", module->device,
              module->self_test);
    }
  tell (report, TRUE, "A run takes: %s", facts.choice);
  tell_memory (report, &facts);
  tell_disk (report);
  tell_language (report);
  tell_schema (report);
  tell_portals (report);
  ask_child (report);
  if (output == NULL)
    return TRUE;
  attachment = dup_attachment (report);
  return prism_file_save (output, attachment, strlen (attachment), error);
}

/**
 * prism_cli_doctor:
 * @argc: number of arguments
 * @argv: arguments, the command's name first
 *
 * prism-cli doctor: says in sentences what works on this machine and what to do about the rest.
 *
 * Returns: the exit code
 */
PrismExit
prism_cli_doctor (int argc,
                  char **argv,
                  GError **error)
{
  char *output = NULL;
  gboolean window = FALSE;
  const PrismCliOption entries[] = {
    { "output", 'o', PRISM_CLI_OUTPUT, &output,
      "Write what to attach when you ask for help", "FILE" },
    { "window", 0, PRISM_CLI_SWITCH, &window, "Say only what concerns the window" },
    { NULL },
  };
  g_autoptr (GString) text = g_string_new (NULL);
  Report report = { .text = text };

  if (!prism_cli_parse (entries, NULL, &argc, &argv, error))
    return PRISM_EXIT_FAILED;
  if (window)
    tell_window (&report);
  else if (!examine (output, &report, error))
    return PRISM_EXIT_FAILED;
  fputs (text->str, stdout);
  if (!window && report.n_problems == 0)
    prism_cli_say ("Everything that is needed is there.");
  else if (!window)
    prism_cli_say ("%u of this needs attention: see the lines with a mark.",
                   report.n_problems);
  if (output != NULL)
    prism_cli_say ("%s: what to attach when you ask for help", output);
  return PRISM_EXIT_OK;
}
