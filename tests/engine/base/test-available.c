#include "../support/test-remove-tree.h"
#include "base/prism-system.h"
#include "prism-test.h"

#include <sys/resource.h>

/* What a program may still take, from files as kernels write them. */

#define MIB (G_GUINT64_CONSTANT (1) << 20)

static void
write_file (const char *root, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  g_autofree char *directory = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (directory, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static const char *
make_root (const char *groups)
{
  const char *root = OWN (test_folder_free, test_folder_new ());

  write_file (root, "proc/meminfo", "MemTotal:  8192000 kB\nMemAvailable:  4096000 kB\n");
  write_file (root, "proc/self/cgroup", groups);
  return root;
}

/* The group above it is the narrower one; what is cached of files gives way. */
TEST (unified, "/engine/available/unified")
{
  const char *root = make_root ("0::/job/step\n");

  g_assert_cmpuint (prism_available_read_system (root), ==, 4000 * MIB);
  write_file (root, "sys/fs/cgroup/job/step/memory.max", "max\n");
  write_file (root, "sys/fs/cgroup/job/step/memory.current", "1048576\n");
  g_assert_cmpuint (prism_available_read_system (root), ==, 4000 * MIB);
  write_file (root, "sys/fs/cgroup/job/memory.max", "419430400\n");
  write_file (root, "sys/fs/cgroup/job/memory.current", "104857600\n");
  write_file (root, "sys/fs/cgroup/job/memory.stat",
              "anon 62914560\nfile 41943040\ninactive_file 31457280\nactive_file 10485760\n");
  g_assert_cmpuint (prism_available_read_system (root), ==, 340 * MIB);
}

TEST (first_version, "/engine/available/first-version")
{
  const char *root = make_root ("5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");

  write_file (root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "209715200\n");
  write_file (root, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "314572800\n");
  g_assert_cmpuint (prism_available_read_system (root), ==, 0);
  write_file (root, "sys/fs/cgroup/memory/job/memory.stat",
              "inactive_file 0\ntotal_inactive_file 209715200\ntotal_active_file 0\n");
  g_assert_cmpuint (prism_available_read_system (root), ==, 100 * MIB);
}

TEST (unknown, "/engine/available/unknown")
{
  g_assert_cmpuint (prism_available_read_system ("/nonexistent"), ==, G_MAXUINT64);
}

/* Time in a container is a quota of each period, and half a processor is one. */
TEST (processors, "/engine/available/processors")
{
  const char *root = make_root ("0::/job/step\n");
  const char *first = make_root ("5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");

  g_assert_cmpuint (prism_available_read_processors (root, 8), ==, 8);
  write_file (root, "sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  g_assert_cmpuint (prism_available_read_processors (root, 8), ==, 8);
  write_file (root, "sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  g_assert_cmpuint (prism_available_read_processors (root, 8), ==, 3);
  g_assert_cmpuint (prism_available_read_processors (root, 2), ==, 2);
  write_file (root, "sys/fs/cgroup/job/step/cpu.max", "50000 100000\n");
  g_assert_cmpuint (prism_available_read_processors (root, 8), ==, 1);

  write_file (first, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "-1\n");
  write_file (first, "sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "100000\n");
  g_assert_cmpuint (prism_available_read_processors (first, 8), ==, 8);
  write_file (first, "sys/fs/cgroup/cpu/x/cpu.cfs_quota_us", "400000\n");
  g_assert_cmpuint (prism_available_read_processors (first, 8), ==, 4);
  write_file (first, "sys/fs/cgroup/cpu/x/cpu.cfs_period_us", "0\n");
  g_assert_cmpuint (prism_available_read_processors (first, 8), ==, 8);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/* ulimit -v */
TEST (address_space, "/engine/available/address-space")
{
  struct rlimit before, limit;

  g_assert_cmpint (getrlimit (RLIMIT_AS, &before), ==, 0);
  limit = before;
  limit.rlim_cur = 1000 * MIB;
  g_assert_cmpint (setrlimit (RLIMIT_AS, &limit), ==, 0);
  guint64 available = prism_available_get_memory ();
  g_assert_cmpint (setrlimit (RLIMIT_AS, &before), ==, 0);
  g_assert_cmpuint (available, <, 1000 * MIB);
}

#endif
