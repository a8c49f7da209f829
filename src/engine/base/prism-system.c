#include "config.h"

#include "base/prism-system.h"

#include "base/prism-clock.h"
#include "base/prism-each.h"
#include "base/prism-text.h"

#include <fcntl.h>
#include <fftw3.h>
#include <jpeglib.h>
#include <png.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <tiffio.h>
#include <yaml.h>
#include <zip.h>

PRISM_FREE (PrismLibrary, library_free, g_free, version)

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
  add_library (libraries, "libyaml", g_strdup (yaml_get_version_string ()));
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

  prism_json_add (builder, "versions: {%s: %s", "PRISM Studio", PRISM_VERSION);
  PRISM_FOR_EACH_POINTER (const PrismLibrary, library, libraries)
    {
      prism_json_add (builder, "%s: %s", library->name, library->version);
    }
  prism_json_add (builder, "}");
}

#define MOST_PROCESSORS (1u << 20)

typedef struct _Hierarchy Hierarchy;

/* What a group of processes may take: G_MAXUINT64 where nothing is said. */
typedef guint64 (*ReadGroup) (const char *directory,
                              const Hierarchy *hierarchy);

/* Where the kernel says it. */
struct _Hierarchy
{
  const char *mount;
  const char *controller; /* in /proc/self/cgroup */
  const char *limit;
  const char *usage; /* what the group has taken; of processors the period, where it is apart */
  ReadGroup read;
};

static char *
load_text (const char *directory,
           const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* The number behind a name at the beginning of a line. */
static guint64
find_number (const char *text,
             const char *name,
             guint64 otherwise)
{
  gsize length = strlen (name);

  for (const char *line = text; line != NULL; line = strchr (line, '\n'))
    {
      line += *line == '\n';
      if (strncmp (line, name, length) == 0 && (line[length] == ' ' || line[length] == ':'))
        return g_ascii_strtoull (line + length + 1, NULL, 10);
    }
  return otherwise;
}

static guint64
read_group (const char *directory,
            const Hierarchy *hierarchy)
{
  g_autofree char *limit = load_text (directory, hierarchy->limit);
  g_autofree char *usage = load_text (directory, hierarchy->usage);
  g_autofree char *usages = load_text (directory, "memory.stat");
  const gboolean total = *hierarchy->controller != '\0';
  guint64 most, taken, cached;

  if (limit == NULL || usage == NULL || !g_ascii_isdigit (*limit))
    return G_MAXUINT64;
  most = g_ascii_strtoull (limit, NULL, 10);
  taken = g_ascii_strtoull (usage, NULL, 10);
  /* What is cached of files gives way. */
  cached = find_number (usages, total ? "total_inactive_file" : "inactive_file", 0)
           + find_number (usages, total ? "total_active_file" : "active_file", 0);
  taken -= MIN (taken, cached);
  return most - MIN (most, taken);
}

/* "4:memory,other:/path", or "0::/path" of the unified hierarchy. */
static char *
dup_group_path (const char *root,
                const Hierarchy *hierarchy)
{
  g_autofree char *text = load_text (root, "proc/self/cgroup");
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);

  PRISM_FOR_EACH_STRING (line, lines)
    {
      g_auto (GStrv) fields = g_strsplit (*line, ":", 3);
      g_auto (GStrv) names = NULL;

      if (g_strv_length (fields) != 3)
        continue;
      names = g_strsplit (fields[1], ",", -1);
      if (*hierarchy->controller == '\0' ? *fields[1] == '\0'
                                         : g_strv_contains ((const char *const *) names,
                                                            hierarchy->controller))
        return g_strdup (fields[2]);
    }
  return NULL;
}

/* Time on processors, as whole ones: the limit is a quota of each period, "150000 100000". */
static guint64
read_quota (const char *directory,
            const Hierarchy *hierarchy)
{
  g_autofree char *limit = load_text (directory, hierarchy->limit);
  g_autofree char *apart
      = hierarchy->usage != NULL ? load_text (directory, hierarchy->usage) : NULL;
  guint64 quota, period;
  char *end;

  if (limit == NULL || !g_ascii_isdigit (*limit))
    return G_MAXUINT64;
  quota = g_ascii_strtoull (limit, &end, 10);
  period = g_ascii_strtoull (apart != NULL ? apart : end, NULL, 10);
  return period > 0 ? quota / period + (quota % period > 0) : G_MAXUINT64;
}

static const Hierarchy memory_hierarchies[] = {
  { "sys/fs/cgroup", "", "memory.max", "memory.current", read_group },
  { "sys/fs/cgroup/memory", "memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
    read_group },
  { NULL },
};

static const Hierarchy processor_hierarchies[] = {
  { "sys/fs/cgroup", "", "cpu.max", NULL, read_quota },
  { "sys/fs/cgroup/cpu", "cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us", read_quota },
  { NULL },
};

/* A group may take no more than those that it lies in. */
static guint64
read_groups (const char *root,
             const Hierarchy *hierarchy)
{
  g_autofree char *path = dup_group_path (root, hierarchy);
  guint64 least = G_MAXUINT64;

  while (path != NULL)
    {
      g_autofree char *directory = g_build_filename (root, hierarchy->mount, path, NULL);
      char *end = strrchr (path, '/');

      least = MIN (least, hierarchy->read (directory, hierarchy));
      if (end == NULL || path[1] == '\0')
        break;
      end[end == path ? 1 : 0] = '\0';
    }
  return least;
}

/* Of either version of the groups. */
static guint64
read_all (const char *root,
          const Hierarchy *hierarchies)
{
  guint64 least = G_MAXUINT64;

  for (const Hierarchy *each = hierarchies; each->mount != NULL; each++)
    {
      const guint64 amount = read_groups (root, each);

      least = MIN (least, amount);
    }
  return least;
}

static guint64
get_rest (int resource,
          guint64 n_pages)
{
  guint64 taken = n_pages * sysconf (_SC_PAGESIZE);
  struct rlimit limit;

  if (getrlimit (resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return G_MAXUINT64;
  return limit.rlim_cur - MIN (limit.rlim_cur, taken);
}

/* ulimit -v and -d. */
static guint64
read_limits (void)
{
  g_autofree char *text = load_text ("/proc/self", "statm");
  unsigned long size = 0, data = 0;

  if (text == NULL || sscanf (text, "%lu %*u %*u %*u %*u %lu", &size, &data) != 2)
    return G_MAXUINT64;
  return MIN (get_rest (RLIMIT_AS, size), get_rest (RLIMIT_DATA, data));
}

/**
 * prism_available_get_resident:
 *
 * What of the process lies in the machine's memory.
 *
 * Units: bytes.
 *
 * Returns: the amount, 0 where it is not known
 */
guint64
prism_available_get_resident (void)
{
  g_autofree char *text = load_text ("/proc/self", "statm");
  unsigned long n_pages = 0;

  if (text == NULL || sscanf (text, "%*u %lu", &n_pages) != 1)
    return 0;
  return (guint64) n_pages * sysconf (_SC_PAGESIZE);
}

/**
 * prism_available_read_system:
 * @root: directory with proc and sys: "/"
 *
 * What the machine can still give without swapping (MemAvailable of /proc/meminfo), or the control
 * groups of the process, of either version, where they allow less.
 *
 * Units: bytes.
 *
 * Returns: the amount, G_MAXUINT64 where it is not known
 */
guint64
prism_available_read_system (const char *root)
{
  g_autofree char *text = load_text (root, "proc/meminfo");
  const guint64 most = G_MAXUINT64 / 1024;
  const guint64 kilobytes = find_number (text, "MemAvailable", G_MAXUINT64);
  const guint64 allowed = read_all (root, memory_hierarchies);

  return kilobytes < most ? MIN (kilobytes * 1024, allowed) : allowed;
}

/**
 * prism_available_get_memory:
 *
 * What the process may still take: prism_available_read_system(), or what its own limits (ulimit
 * -v, -d) leave.
 *
 * Units: bytes.
 *
 * Returns: the amount, G_MAXUINT64 where it is not known
 */
guint64
prism_available_get_memory (void)
{
  const guint64 system = prism_available_read_system ("/"), own = read_limits ();

  return MIN (system, own);
}

/* Processors that the process may run on; GLib counts all that are there. The kernel refuses a set
 * that has no room for all of the machine's. */
static guint
count_assigned (void)
{
  guint n = g_get_num_processors ();

  for (guint room = CPU_SETSIZE; room <= MOST_PROCESSORS; room *= 2)
    {
      const gsize size = CPU_ALLOC_SIZE (room);
      cpu_set_t *set = CPU_ALLOC (room);
      const gboolean fits = set != NULL && sched_getaffinity (0, size, set) == 0;

      if (fits)
        n = (guint) CPU_COUNT_S (size, set);
      CPU_FREE (set);
      if (fits)
        break;
    }
  return n;
}

/**
 * prism_available_read_processors:
 * @root: directory with proc and sys: "/"
 * @n_assigned: processors that the process may run on
 *
 * Where the control groups of the process give it time on fewer, more threads would only wait.
 *
 * Returns: how many threads can compute at a time, at least 1
 */
guint
prism_available_read_processors (const char *root,
                                 guint n_assigned)
{
  const guint64 n_given = read_all (root, processor_hierarchies);

  return (guint) CLAMP (n_given, 1, MAX (n_assigned, 1));
}

/**
 * prism_available_get_processors:
 *
 * What the process has been given of the machine's processors: by taskset or a batch system, or as
 * time in a container.
 *
 * Returns: how many threads can compute at a time, at least 1
 */
guint
prism_available_get_processors (void)
{
  static gsize given; /* its files take a millisecond */

  if (g_once_init_enter (&given))
    g_once_init_leave (&given, prism_available_read_processors ("/", G_MAXUINT16));
  return MIN ((guint) given, MAX (count_assigned (), 1));
}

/* user, nice, system, idle, iowait, irq, softirq, steal; what the guests of a host take is in user
 * already. */
#define N_KINDS 8
#define IDLE 3
#define WAITING 4

static void
read_load (PrismLoad *self)
{
  unsigned long long ticks[N_KINDS] = { 0 };
  FILE *file = fopen ("/proc/stat", "r");
  const double second = (double) sysconf (_SC_CLK_TCK);
  int n = 0;

  *self = (PrismLoad) { prism_clock_get_processor_seconds (), 0.0, 0.0 };
  if (file != NULL)
    {
      n = fscanf (file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                  &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);
      fclose (file);
    }
  for (int i = 0; i < N_KINDS; i++)
    {
      self->all += (double) ticks[i] / second;
      self->busy += i == IDLE || i == WAITING ? 0.0 : (double) ticks[i] / second;
    }
  if (n < N_KINDS)
    self->busy = self->all = NAN;
}

/**
 * prism_load_begin:
 * @self: (out): for prism_load_end()
 *
 * Notes how much the processors have done so far.
 */
void
prism_load_begin (PrismLoad *self)
{
  read_load (self);
}

/**
 * prism_load_end:
 * @self: from prism_load_begin()
 *
 * Leaves what they have done since then.
 */
void
prism_load_end (PrismLoad *self)
{
  PrismLoad now;

  read_load (&now);
  self->own = now.own - self->own;
  self->busy = now.busy - self->busy;
  self->all = now.all - self->all;
}

/**
 * prism_load_get_left:
 * @self: from prism_load_end()
 *
 * Units: 0…1 of all processors.
 *
 * Returns: what other programs have left; NAN where that is not known
 */
double
prism_load_get_left (const PrismLoad *self)
{
  if (!(self->all > 0.0))
    return NAN;
  return 1.0 - CLAMP (self->busy - self->own, 0.0, self->all) / self->all;
}

static gint64 start_time; /* µs of the real time */

/* A file that takes the number of a stream that is closed would get what is printed there. */
static void
fill_streams (void)
{
  while (TRUE)
    {
      int fd = open ("/dev/null", O_RDONLY);

      if (fd > STDERR_FILENO)
        close (fd);
      if (fd < 0 || fd > STDERR_FILENO)
        return;
    }
}

/**
 * prism_process_init:
 *
 * A standard stream that is closed becomes one that cannot be written. A limit on the size of
 * files (ulimit -f, a batch system) becomes an error of the one write, EFBIG, that is told like a
 * full disk: SIGXFSZ would end the process in the middle of a file. One heap serves all threads.
 *
 * Thread: main, before any other.
 */
void
prism_process_init (void)
{
  start_time = g_get_real_time ();
  fill_streams ();
  signal (SIGXFSZ, SIG_IGN);
  prism_heap_init ();
}

/**
 * prism_process_get_start:
 *
 * Units: µs of the real time.
 * Thread: any.
 *
 * Returns: when prism_process_init() was called; 0 where it was not
 */
gint64
prism_process_get_start (void)
{
  return start_time;
}

#ifdef __GLIBC__
#include <malloc.h>
#endif

/**
 * prism_heap_init:
 *
 * Has all threads share one heap. glibc gives a thread that comes while the heaps of others are in
 * use one of its own, and never gives back the end of such a heap: a program that starts threads
 * for hours needs more by steps, of which each is as large as the most that such a thread has held.
 *
 * Thread: main, before any other.
 */
void
prism_heap_init (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, 1);
#endif
}

/**
 * prism_heap_give_back:
 *
 * Gives back to the system what lies free between blocks that stay, such as results. Without it a
 * process that does hundreds of runs grows, although it holds no more. Takes less than a
 * millisecond.
 *
 * Thread: any.
 */
void
prism_heap_give_back (void)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
}

/**
 * prism_program_find:
 * @name: of a program of this project
 *
 * Looks beside this program, where it is installed, or in the tree where it was built.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
prism_program_find (const char *name)
{
  static const char *const places[] = { ".", "../cli", "../../src/cli", "../../../src/cli" };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : g_strdup (".");

  PRISM_FOR_EACH_OF (place, places)
    {
      g_autofree char *path = g_build_filename (folder, *place, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_find_program_in_path (name);
}

/**
 * prism_child_end_with_parent:
 * @signal: GINT_TO_POINTER of the signal that ends it
 *
 * A child's set-up (#GSpawnChildSetupFunc): it must not outlive who wants it.
 */
void
prism_child_end_with_parent (gpointer signal)
{
  prctl (PR_SET_PDEATHSIG, GPOINTER_TO_INT (signal));
}

/**
 * prism_child_get_end:
 * @process: one that has ended
 *
 * Returns: how
 */
PrismChildEnd
prism_child_get_end (GSubprocess *process)
{
  const gboolean killed = g_subprocess_get_if_signaled (process);

  return (PrismChildEnd) { killed ? 0 : g_subprocess_get_exit_status (process),
                           killed ? g_subprocess_get_term_sig (process) : 0 };
}

/**
 * prism_child_was_asked:
 *
 * Returns: whether somebody asked for its end, as a terminal asks all programs that it has started
 */
gboolean
prism_child_was_asked (const PrismChildEnd *self)
{
  const int number = self->signal != 0 ? self->signal : self->status - 128;

  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM;
}

/**
 * prism_child_dup_message:
 * @self: the end of a run of prism-cli
 * @errors: (nullable): what it wrote to its standard error stream
 *
 * Returns: (transfer full): the last line of @errors without the program's name, or how it ended
 */
char *
prism_child_dup_message (const PrismChildEnd *self,
                         const char *errors)
{
  g_autofree char *text = g_strchomp (g_strdup (errors != NULL ? errors : ""));
  const char *line = strrchr (text, '\n');

  line = line != NULL ? line + 1 : text;
  if (*line != '\0')
    return g_strdup (g_str_has_prefix (line, "prism-cli: ") ? line + strlen ("prism-cli: ") : line);
  if (self->signal != 0)
    return g_strdup_printf (_ ("The run was ended by signal %d."), self->signal);
  return g_strdup_printf (_ ("The run ended with exit status %d and no message."), self->status);
}
