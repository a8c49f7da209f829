/* prism-fault: preloaded into a program, lets one call of one kind fail, or every one from then on,
 * and counts the calls. From the environment:
 *
 *   PRISM_FAULT_CALL    open, write, short, fsync, rename, close, alloc, crash, or kill
 *   PRISM_FAULT_AT      which call of that kind fails, from 1; 0 = none
 *   PRISM_FAULT_STAYS   1: all of that kind after it fail, too
 *   PRISM_FAULT_ERRNO   what it says: 28 is a full disk, 5 a broken one
 *   PRISM_FAULT_FOLDER  calls on files elsewhere are left alone and not counted
 *   PRISM_FAULT_BYTES   allocations of fewer bytes are left alone and not counted
 *   PRISM_FAULT_REPORT  a file that gets "KIND NUMBER" lines when the program ends
 *
 * “write” are all ways to write: write, pwrite, fwrite, fflush. “short” writes half and says so,
 * “crash” is a wild pointer in the place of a write, “kill” a SIGKILL before a rename, mkdir,
 * unlink or rmdir. A close that fails has closed, as Linux does it. Where a signal ends the program
 * is told by prism-crash.c. */
/* Both names of a function are wanted here, not one in the place of the other. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "prism-crash.h"

#define MAX_FILES 4096

typedef enum
{
  KIND_OPEN,
  KIND_WRITE,
  KIND_SHORT,
  KIND_FSYNC,
  KIND_RENAME,
  KIND_CLOSE,
  KIND_ALLOC,
  KIND_CRASH,
  KIND_KILL,
  N_KINDS,
} Kind;

static const char *const names[N_KINDS]
    = { "open", "write", "short", "fsync", "rename", "close", "alloc", "crash", "kill" };
static atomic_long counts[N_KINDS];
static atomic_char is_watched[MAX_FILES];
static int chosen = -1, stays, code;
static long at;
static size_t least_bytes;
static char folder[PATH_MAX];
static int *volatile nowhere;

static void *
find (const char *symbol)
{
  return dlsym (RTLD_NEXT, symbol);
}

__attribute__ ((constructor)) static void
read_environment (void)
{
  const char *call = getenv ("PRISM_FAULT_CALL"), *where = getenv ("PRISM_FAULT_FOLDER");

  prism_crash_watch ();
  for (int i = 0; i < N_KINDS; i++)
    if (call != NULL && strcmp (call, names[i]) == 0)
      chosen = i;
  const char *text = getenv ("PRISM_FAULT_AT");
  at = text != NULL ? atol (text) : 0;
  text = getenv ("PRISM_FAULT_STAYS");
  stays = text != NULL && atoi (text);
  text = getenv ("PRISM_FAULT_ERRNO");
  code = text != NULL ? atoi (text) : EIO;
  text = getenv ("PRISM_FAULT_BYTES");
  least_bytes = text != NULL ? (size_t) atol (text) : 65536;
  if (where != NULL)
    snprintf (folder, sizeof folder, "%s", where);
  /* For programs that this one starts. */
  unsetenv ("LD_PRELOAD");
}

__attribute__ ((destructor)) static void
report (void)
{
  const char *path = getenv ("PRISM_FAULT_REPORT");

  chosen = -1;
  FILE *stream = path != NULL ? fopen (path, "w") : NULL;
  for (int i = 0; stream != NULL && i < N_KINDS; i++)
    fprintf (stream, "%s %ld\n", names[i], atomic_load (&counts[i]));
  if (stream != NULL)
    fclose (stream);
}

void
prism_fault_end (void)
{
  chosen = -1;
}

/* Counts a call; whether it is to fail. */
static int
strike (Kind kind)
{
  long n = atomic_fetch_add (&counts[kind], 1) + 1;

  if ((int) kind != chosen || at == 0 || (stays ? n < at : n != at))
    return 0;
  errno = kind == KIND_ALLOC ? ENOMEM : code;
  return 1;
}

static int
is_in_folder (const char *path)
{
  char absolute[2 * PATH_MAX];
  size_t length = strlen (folder);

  if (length == 0 || path == NULL)
    return 0;
  if (path[0] == '/')
    snprintf (absolute, sizeof absolute, "%s", path);
  else
    {
      char here[PATH_MAX];

      if (getcwd (here, sizeof here) == NULL)
        return 0;
      snprintf (absolute, sizeof absolute, "%s/%s", here, path);
    }
  return strncmp (absolute, folder, length) == 0;
}

static void
may_be_killed (const char *path)
{
  if (is_in_folder (path) && strike (KIND_KILL))
    raise (SIGKILL);
}

static int
watch (int fd)
{
  if (fd >= 0 && fd < MAX_FILES)
    atomic_store (&is_watched[fd], 1);
  return fd;
}

static int
watches (int fd)
{
  return fd >= 0 && fd < MAX_FILES && atomic_load (&is_watched[fd]);
}

static int
is_for_writing (int flags)
{
  return (flags & O_ACCMODE) != O_RDONLY;
}

#define OPEN_FUNCTION(NAME)                                            \
  int NAME (const char *path, int flags, ...)                          \
  {                                                                    \
    int (*real) (const char *, int, ...) = find (#NAME);               \
    va_list rest;                                                      \
    int mode;                                                          \
                                                                       \
    va_start (rest, flags);                                            \
    mode = va_arg (rest, int);                                         \
    va_end (rest);                                                     \
    if (!is_in_folder (path) || !is_for_writing (flags))               \
      return real (path, flags, mode);                                 \
    return strike (KIND_OPEN) ? -1 : watch (real (path, flags, mode)); \
  }
OPEN_FUNCTION (open)
OPEN_FUNCTION (open64)

#define FOPEN_FUNCTION(NAME)                                   \
  FILE *NAME (const char *path, const char *mode)              \
  {                                                            \
    FILE *(*real) (const char *, const char *) = find (#NAME); \
    FILE *stream;                                              \
                                                               \
    if (!is_in_folder (path) || strpbrk (mode, "wa+") == NULL) \
      return real (path, mode);                                \
    if (strike (KIND_OPEN))                                    \
      return NULL;                                             \
    stream = real (path, mode);                                \
    if (stream != NULL)                                        \
      watch (fileno (stream));                                 \
    return stream;                                             \
  }
FOPEN_FUNCTION (fopen)
FOPEN_FUNCTION (fopen64)

#define MKSTEMP_FUNCTION(NAME)                            \
  int NAME (char *path)                                   \
  {                                                       \
    int (*real) (char *) = find (#NAME);                  \
                                                          \
    if (!is_in_folder (path))                             \
      return real (path);                                 \
    return strike (KIND_OPEN) ? -1 : watch (real (path)); \
  }
MKSTEMP_FUNCTION (mkstemp)
MKSTEMP_FUNCTION (mkstemp64)

ssize_t
write (int fd, const void *data, size_t length)
{
  ssize_t (*real) (int, const void *, size_t) = find ("write");

  if (!watches (fd))
    return real (fd, data, length);
  if (strike (KIND_CRASH))
    *nowhere = 0;
  if (strike (KIND_WRITE))
    return -1;
  return real (fd, data, strike (KIND_SHORT) ? (length + 1) / 2 : length);
}

#define PWRITE_FUNCTION(NAME, TYPE)                                                    \
  ssize_t NAME (int fd, const void *data, size_t length, TYPE offset)                  \
  {                                                                                    \
    ssize_t (*real) (int, const void *, size_t, TYPE) = find (#NAME);                  \
                                                                                       \
    return watches (fd) && strike (KIND_WRITE) ? -1 : real (fd, data, length, offset); \
  }
PWRITE_FUNCTION (pwrite, off_t)
PWRITE_FUNCTION (pwrite64, off64_t)

size_t
fwrite (const void *data, size_t size, size_t n, FILE *stream)
{
  size_t (*real) (const void *, size_t, size_t, FILE *) = find ("fwrite");

  if (watches (fileno (stream)) && strike (KIND_WRITE))
    return 0;
  return real (data, size, n, stream);
}

int
fflush (FILE *stream)
{
  int (*real) (FILE *) = find ("fflush");

  if (stream != NULL && watches (fileno (stream)) && strike (KIND_WRITE))
    return EOF;
  return real (stream);
}

#define SYNC_FUNCTION(NAME)                                 \
  int NAME (int fd)                                         \
  {                                                         \
    int (*real) (int) = find (#NAME);                       \
                                                            \
    /* Directories are opened for reading. */               \
    if (folder[0] != '\0' && fd > 2 && strike (KIND_FSYNC)) \
      return -1;                                            \
    return real (fd);                                       \
  }
SYNC_FUNCTION (fsync)
SYNC_FUNCTION (fdatasync)

int
rename (const char *from, const char *to)
{
  int (*real) (const char *, const char *) = find ("rename");

  if (is_in_folder (to) && strike (KIND_RENAME))
    return -1;
  may_be_killed (to);
  return real (from, to);
}

int
mkdir (const char *path, mode_t mode)
{
  int (*real) (const char *, mode_t) = find ("mkdir");

  may_be_killed (path);
  return real (path, mode);
}

#define REMOVE_FUNCTION(NAME)                  \
  int NAME (const char *path)                  \
  {                                            \
    int (*real) (const char *) = find (#NAME); \
                                               \
    may_be_killed (path);                      \
    return real (path);                        \
  }

REMOVE_FUNCTION (unlink)
REMOVE_FUNCTION (rmdir)

int
close (int fd)
{
  int (*real) (int) = find ("close");
  int watched = watches (fd), result;

  if (!watched)
    return real (fd);
  atomic_store (&is_watched[fd], 0);
  result = real (fd);
  return strike (KIND_CLOSE) ? -1 : result;
}

int
fclose (FILE *stream)
{
  int (*real) (FILE *) = find ("fclose");
  int fd = fileno (stream), watched = watches (fd), result;

  if (!watched)
    return real (stream);
  atomic_store (&is_watched[fd], 0);
  result = real (stream);
  return strike (KIND_CLOSE) ? EOF : result;
}

/* dlsym() itself allocates a little; those calls are small and go straight to glibc. */
extern void *__libc_malloc (size_t bytes);
extern void *__libc_calloc (size_t n, size_t bytes);
extern void *__libc_realloc (void *block, size_t bytes);
extern void *__libc_memalign (size_t alignment, size_t bytes);

/* libhdf5 overwrites its own memory when it gets none (1.10.8, H5AC_create): whoever writes with it
 * asks for that memory before, and that may fail. */
static int
is_libhdf5 (void *caller)
{
  Dl_info info;

  return dladdr (caller, &info) != 0 && info.dli_fname != NULL
         && strstr (info.dli_fname, "libhdf5") != NULL;
}

#define FAILS(BYTES)                                                                       \
  ((BYTES) >= least_bytes && least_bytes > 0 && !is_libhdf5 (__builtin_return_address (0)) \
   && strike (KIND_ALLOC))

void *
malloc (size_t bytes)
{
  return FAILS (bytes) ? NULL : __libc_malloc (bytes);
}

void *
calloc (size_t n, size_t bytes)
{
  return FAILS (n * bytes) ? NULL : __libc_calloc (n, bytes);
}

void *
realloc (void *block, size_t bytes)
{
  return FAILS (bytes) ? NULL : __libc_realloc (block, bytes);
}

int
posix_memalign (void **block, size_t alignment, size_t bytes)
{
  if (FAILS (bytes))
    return ENOMEM;
  *block = __libc_memalign (alignment, bytes);
  return *block != NULL ? 0 : ENOMEM;
}

void *
aligned_alloc (size_t alignment, size_t bytes)
{
  return bytes >= least_bytes && least_bytes > 0 && strike (KIND_ALLOC)
             ? NULL
             : __libc_memalign (alignment, bytes);
}

#define MMAP_FUNCTION(NAME, TYPE)                                                           \
  void *NAME (void *address, size_t length, int protection, int flags, int fd, TYPE offset) \
  {                                                                                         \
    void *(*real) (void *, size_t, int, int, int, TYPE) = find (#NAME);                     \
                                                                                            \
    if ((flags & MAP_ANONYMOUS) && length >= least_bytes && least_bytes > 0                 \
        && strike (KIND_ALLOC))                                                             \
      return MAP_FAILED;                                                                    \
    return real (address, length, protection, flags, fd, offset);                           \
  }
MMAP_FUNCTION (mmap, off_t)
MMAP_FUNCTION (mmap64, off64_t)
