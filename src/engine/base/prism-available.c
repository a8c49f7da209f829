#include "config.h"

#include "base/prism-available.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
read_machine (const char *root)
{
  g_autofree char *text = load_text (root, "proc/meminfo");
  guint64 kilobytes = find_number (text, "MemAvailable", G_MAXUINT64);

  return kilobytes < G_MAXUINT64 / 1024 ? kilobytes * 1024 : G_MAXUINT64;
}

/* What is cached of files gives way. */
static guint64
count_cached (const char *directory,
              const Hierarchy *hierarchy)
{
  g_autofree char *text = load_text (directory, "memory.stat");
  gboolean total = *hierarchy->controller != '\0';

  return find_number (text, total ? "total_inactive_file" : "inactive_file", 0)
         + find_number (text, total ? "total_active_file" : "active_file", 0);
}

static guint64
read_group (const char *directory,
            const Hierarchy *hierarchy)
{
  g_autofree char *limit = load_text (directory, hierarchy->limit);
  g_autofree char *usage = load_text (directory, hierarchy->usage);
  guint64 most, taken, cached;

  if (limit == NULL || usage == NULL || !g_ascii_isdigit (*limit))
    return G_MAXUINT64;
  most = g_ascii_strtoull (limit, NULL, 10);
  taken = g_ascii_strtoull (usage, NULL, 10);
  cached = count_cached (directory, hierarchy);
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

  for (gsize i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ":", 3);
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
    least = MIN (least, read_groups (root, each));
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
  return MIN (read_machine (root), read_all (root, memory_hierarchies));
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
  return MIN (prism_available_read_system ("/"), read_limits ());
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
  return (guint) CLAMP (read_all (root, processor_hierarchies), 1, MAX (n_assigned, 1));
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
  return prism_available_read_processors ("/", count_assigned ());
}
