#include "config.h"

#include "base/prism-file.h"

#include "base/prism-arena.h"
#include "base/prism-each.h"
#include "base/prism-error.h"
#include "base/prism-temporary.h"
#include "base/prism-text.h"

#include <fcntl.h>
#include <sys/stat.h>

#define MAX_LINKS 40 /* as many as the kernel follows */
#define STREAM_BYTES 16384

/* What a file will hold: data, or what read gives. */
typedef struct
{
  const char *data; /* [length] */
  gsize length;
  PrismReadFunc read; /* (nullable) */
  gpointer user;
  GError *failure; /* (nullable): of read */
} Content;

static const char *
get_advice (int code)
{
  switch (code)
    {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return _ ("Free some space or choose another directory.");
    case EACCES:
    case EPERM:
    case EROFS:
      return _ ("Choose a place where you have the permission.");
    case ENOENT:
    case ENOTDIR:
      return _ ("Check the name and that its directory exists.");
    case ENAMETOOLONG:
      return _ ("Choose a shorter name.");
    default:
      return _ ("Try again or choose another file.");
    }
}

static void
set_error (GError **error,
           const char *path,
           const char *verb,
           int code)
{
  prism_error_io (error, _ ("“%s” cannot be %s: %s. %s"), path, verb, g_strerror (code),
                  get_advice (code));
}

/* Each of the following returns 0 or an errno, so that no code is lost on the way out. */

static int
write_all (int fd,
           const char *data,
           gsize length)
{
  gsize done = 0;

  while (done < length)
    {
      gssize n = write (fd, data + done, MIN (length - done, G_MAXINT32));
      if (n < 0 && errno != EINTR)
        return errno;
      done += MAX (n, 0);
    }
  return 0;
}

static int
sync_descriptor (int fd)
{
  struct stat status;
  int result, code;

  do
    result = fsync (fd);
  while (result != 0 && errno == EINTR);

  /* Pipes, terminals and some network file systems have nothing to sync. A device says EROFS then;
   * a file or a directory, where the kernel has given its file system up after an error, and what
   * was written is lost. */
  code = result != 0 ? errno : 0;
  if (code == EINVAL || code == ENOTSUP
      || (code == EROFS && fstat (fd, &status) == 0 && !S_ISREG (status.st_mode)
          && !S_ISDIR (status.st_mode)))
    return 0;
  return code;
}

static int
close_descriptor (int fd,
                  int code)
{
  if (close (fd) != 0 && code == 0 && errno != EINTR)
    return errno;
  return code;
}

static int
write_stream (int fd,
              Content *content)
{
  char block[STREAM_BYTES];
  gssize n = 1;
  int code = 0;

  while (code == 0 && n > 0)
    {
      n = content->read (content->user, block, STREAM_BYTES, &content->failure);
      code = n < 0 ? EIO : write_all (fd, block, n);
    }
  return code;
}

static int
write_descriptor (int fd,
                  Content *content)
{
  int code = content->read != NULL ? write_stream (fd, content)
                                   : write_all (fd, content->data, content->length);

  if (code == 0)
    code = sync_descriptor (fd);
  return close_descriptor (fd, code);
}

/**
 * prism_file_sync_directory:
 * @directory: its name
 *
 * Brings to the disk which files it has.
 *
 * Returns: 0 or an errno
 */
int
prism_file_sync_directory (const char *directory)
{
  int fd = g_open (directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

  /* A directory that may be written but not read cannot be synced; the file itself is safe. */
  if (fd < 0)
    return errno == EACCES ? 0 : errno;
  return close_descriptor (fd, sync_descriptor (fd));
}

static int
write_temporary (const char *temporary,
                 int fd,
                 int mode,
                 Content *content)
{
  int code = 0;

  if (mode >= 0 && fchmod (fd, (mode_t) mode) != 0)
    code = errno;
  if (code != 0)
    return close_descriptor (fd, code);
  return write_descriptor (fd, content);
}

static gboolean
is_regular_or_missing (const char *path)
{
  struct stat status;

  return stat (path, &status) != 0 || S_ISREG (status.st_mode) || S_ISDIR (status.st_mode);
}

static char *
dup_resolved (const char *path)
{
  char *real = realpath (path, NULL);
  char *copy = g_strdup (real);

  free (real);
  return copy;
}

/* Where a link that leads nowhere leads; the name itself where it is none. */
static char *
dup_last_target (const char *path)
{
  char *name = g_strdup (path);

  for (int i = 0; i < MAX_LINKS; i++)
    {
      g_autofree char *target = g_file_read_link (name, NULL);
      g_autofree char *directory = g_path_get_dirname (name);

      if (target == NULL)
        break;
      g_free (name);
      name = g_path_is_absolute (target) ? g_strdup (target)
                                         : g_build_filename (directory, target, NULL);
    }
  return name;
}

/**
 * prism_file_dup_real:
 * @path: file name, any bytes
 *
 * Follows links, so that a file has one name and is replaced where it lies. The file need not be
 * there; a device or pipe keeps the name that it was given.
 *
 * Returns: (transfer full): the name
 */
char *
prism_file_dup_real (const char *path)
{
  g_autofree char *real = is_regular_or_missing (path) ? dup_resolved (path) : g_strdup (path);
  g_autofree char *target = NULL;
  g_autofree char *base = NULL;
  g_autofree char *directory = NULL;
  g_autofree char *place = NULL;

  if (real != NULL || !is_regular_or_missing (path))
    return real != NULL ? g_steal_pointer (&real) : g_strdup (path);
  target = dup_last_target (path);
  directory = g_path_get_dirname (target);
  base = g_path_get_basename (target);
  place = strcmp (directory, target) != 0 ? prism_file_dup_real (directory) : g_strdup (path);
  return g_build_filename (place, base, NULL);
}

/* code: of writing temporary, which is gone afterwards in any case. */
static int
put_in_place (const char *temporary,
              const char *path,
              int code)
{
  g_autofree char *directory = g_path_get_dirname (path);

  if (code == 0 && g_rename (temporary, path) != 0)
    code = errno;
  if (code == 0)
    return prism_file_sync_directory (directory);
  g_unlink (temporary);
  return code;
}

static int
replace_file (const char *path,
              int mode,
              Content *content)
{
  g_autofree char *temporary = NULL;
  int fd = prism_temporary_open (path, &temporary);

  if (fd < 0)
    return errno;
  return put_in_place (temporary, path, write_temporary (temporary, fd, mode, content));
}

/* Returns 0 or an errno. */
static int
probe_place (const char *path)
{
  g_autofree char *real = prism_file_dup_real (path);
  g_autofree char *directory = g_path_get_dirname (real);
  g_autofree char *name = g_path_get_basename (real);
  g_autofree char *temporary = NULL;
  int fd, code;

  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return EISDIR;
  if (!is_regular_or_missing (path))
    return g_access (path, W_OK) == 0 ? 0 : errno;
  prism_temporary_remove_unused (directory, (const char *const[]) { name, NULL });
  fd = prism_temporary_open (real, &temporary);
  if (fd < 0)
    return errno;
  code = close_descriptor (fd, 0);
  return g_unlink (temporary) == 0 || code != 0 ? code : errno;
}

static gboolean
check_name (const char *path,
            GError **error)
{
  if (*path == '\0')
    prism_error_io (error, _ ("The file to be written has no name. Give one."));
  else if (strcmp (path, "-") == 0)
    prism_error_io (error, _ ("“-” is not the standard output here: that is /dev/stdout. A file of"
                              " this name is ./-"));
  else
    return TRUE;
  return FALSE;
}

/**
 * prism_file_check_place:
 * @path: file name, any bytes
 *
 * Finds out before the work whether prism_file_save() can write a file of that name, and removes
 * what a program that was killed while it wrote one has left.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: whether it can
 */
gboolean
prism_file_check_place (const char *path,
                        GError **error)
{
  int code;

  if (!check_name (path, error))
    return FALSE;
  code = probe_place (path);
  if (code != 0)
    set_error (error, path, _ ("written"), code);
  return code == 0;
}

static gboolean
save (const char *path,
      Content *content,
      GError **error)
{
  g_autofree char *real = dup_resolved (path);
  const char *resolved = real != NULL ? real : path; /* a link that leads nowhere is replaced */
  struct stat status;
  int code;

  if (g_stat (resolved, &status) != 0)
    code = replace_file (resolved, -1, content);
  else if (S_ISDIR (status.st_mode))
    code = EISDIR;
  else if (S_ISREG (status.st_mode))
    code = replace_file (resolved, status.st_mode & 0777, content);
  else
    {
      const int fd = g_open (resolved, O_WRONLY | O_CLOEXEC, 0);

      code = fd < 0 ? errno : write_descriptor (fd, content);
    }

  if (content->failure != NULL)
    g_propagate_error (error, g_steal_pointer (&content->failure));
  else if (code != 0)
    set_error (error, path, _ ("written"), code);
  return code == 0;
}

/**
 * prism_file_save:
 * @path: file name, any bytes
 * @data: (array length=length): what the file will hold
 * @length: its size
 *
 * Writes a whole file so that at any moment, also after a power failure, either the old or the new
 * one is there: temporary file in the same directory, write, fsync, rename, fsync of the directory.
 * A symbolic link stays and its target is replaced; a device or pipe is written in place; the
 * permissions of an old file are kept.
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_IO; the old file is then untouched.
 *
 * Returns: whether the file is safely on the disk
 */
gboolean
prism_file_save (const char *path,
                 gconstpointer data,
                 gsize length,
                 GError **error)
{
  Content content = { .data = data, .length = length };

  g_return_val_if_fail (path != NULL && (data != NULL || length == 0), FALSE);

  return save (path, &content, error);
}

/**
 * prism_file_save_stream:
 * @path: file name, any bytes
 * @read: gives what the file will hold
 * @data: for @read
 *
 * Writes a file as prism_file_save() does, as its contents come into being: of any size in little
 * memory.
 *
 * Errors: PRISM_ERROR_IO, those of @read; the old file is then untouched.
 *
 * Returns: whether the file is safely on the disk
 */
gboolean
prism_file_save_stream (const char *path,
                        PrismReadFunc read,
                        gpointer data,
                        GError **error)
{
  Content content = { .read = read, .user = data };

  g_return_val_if_fail (path != NULL && read != NULL, FALSE);

  return save (path, &content, error);
}

/**
 * prism_file_dup_temporary:
 * @path: the file that is to be replaced
 *
 * Makes an empty file beside @path for a library that writes by name. Give it to
 * prism_file_commit(), or unlink it. A device or a pipe cannot be replaced.
 *
 * Errors: PRISM_ERROR_IO.
 *
 * Returns: (transfer full) (nullable): its name
 */
char *
prism_file_dup_temporary (const char *path,
                          GError **error)
{
  g_autofree char *real = prism_file_dup_real (path);
  g_autofree char *temporary = NULL;
  int fd, code;

  if (!is_regular_or_missing (real))
    {
      prism_error_io (error,
                      _ ("“%s” is a device or a pipe, where no file can be kept. Choose the name of"
                         " a file."),
                      path);
      return NULL;
    }
  fd = prism_temporary_open (real, &temporary);
  code = fd < 0 ? errno : close_descriptor (fd, 0);
  if (code == 0)
    return g_steal_pointer (&temporary);
  if (fd >= 0)
    g_unlink (temporary);
  set_error (error, path, _ ("written"), code);
  return NULL;
}

/**
 * prism_file_commit_if:
 * @temporary: of prism_file_dup_temporary(), written and closed; gone afterwards in any case
 * @path: the file to be replaced
 * @guard: (nullable) (scope call): whether the file may be replaced, asked at the last moment
 * @data: for @guard
 *
 * Brings a finished file to the disk, which may take long, and puts it in the place of the old one
 * as prism_file_save() does, unless that must not go.
 *
 * Errors: PRISM_ERROR_IO; PRISM_ERROR_CANCELLED by @guard. The old file is then untouched.
 *
 * Returns: whether the file is safely on the disk
 */
gboolean
prism_file_commit_if (const char *temporary,
                      const char *path,
                      GSourceFunc guard,
                      gpointer data,
                      GError **error)
{
  g_autofree char *real = prism_file_dup_real (path);
  int fd = g_open (temporary, O_RDONLY | O_CLOEXEC, 0);
  int code = fd < 0 ? errno : close_descriptor (fd, sync_descriptor (fd));

  if (code == 0 && guard != NULL && !guard (data))
    {
      g_unlink (temporary);
      prism_error_set (error, PRISM_ERROR_CANCELLED,
                       _ ("“%s” is another file now and stays as it is. Choose another name."),
                       path);
      return FALSE;
    }
  code = put_in_place (temporary, real, code);
  if (code != 0)
    set_error (error, path, _ ("written"), code);
  return code == 0;
}

/**
 * prism_file_commit:
 * @temporary: of prism_file_dup_temporary(), written and closed; gone afterwards in any case
 * @path: the file to be replaced
 *
 * Brings a finished file to the disk and puts it in the place of the old one, as prism_file_save()
 * does.
 *
 * Errors: PRISM_ERROR_IO; the old file is then untouched.
 *
 * Returns: whether the file is safely on the disk
 */
gboolean
prism_file_commit (const char *temporary,
                   const char *path,
                   GError **error)
{
  return prism_file_commit_if (temporary, path, NULL, NULL, error);
}

static int
read_all (int fd,
          char *data,
          gsize length,
          gsize *n_read)
{
  *n_read = 0;
  while (*n_read < length)
    {
      gssize n = read (fd, data + *n_read, MIN (length - *n_read, G_MAXINT32));
      if (n == 0)
        return 0;
      if (n < 0 && errno != EINTR)
        return errno;
      *n_read += MAX (n, 0);
    }
  return 0;
}

static gboolean
check_status (const char *path,
              const struct stat *status,
              guint64 max_bytes,
              GError **error)
{
  if (S_ISDIR (status->st_mode))
    prism_error_io (error, _ ("“%s” is a directory. Choose a file in it."), path);
  else if (!S_ISREG (status->st_mode))
    prism_error_io (error, _ ("“%s” is a device or a pipe, not a file. Choose a file."), path);
  else if ((guint64) status->st_size > max_bytes)
    {
      g_autofree char *size = g_format_size_full (status->st_size, G_FORMAT_SIZE_IEC_UNITS);
      g_autofree char *limit = g_format_size_full (max_bytes, G_FORMAT_SIZE_IEC_UNITS);
      prism_error_format (error, _ ("“%s” has %s; at most %s can be read. Choose a smaller file."),
                          path, size, limit);
    }
  else
    return TRUE;
  return FALSE;
}

/**
 * prism_file_open:
 * @path: file name, any bytes
 * @max_bytes: limit
 * @size: (out) (optional): bytes that it has
 *
 * Opens a regular file for reading; a pipe is not waited for.
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT for a file above the limit.
 *
 * Returns: a descriptor for close(), -1 on errors
 */
int
prism_file_open (const char *path,
                 guint64 max_bytes,
                 guint64 *size,
                 GError **error)
{
  struct stat status;
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);

  if (fd < 0)
    {
      set_error (error, path, _ ("opened"), errno);
      return -1;
    }
  if (fstat (fd, &status) != 0)
    set_error (error, path, _ ("read"), errno);
  else if (check_status (path, &status, max_bytes, error))
    {
      if (size != NULL)
        *size = (guint64) status.st_size;
      return fd;
    }
  close (fd);
  return -1;
}

typedef struct
{
  const char *path;
  int fd;
} Source;

static gssize
read_source (gpointer data,
             char *buffer,
             gsize length,
             GError **error)
{
  const Source *source = data;
  gssize n;

  do
    n = read (source->fd, buffer, length);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    set_error (error, source->path, _ ("read"), errno);
  return n;
}

/**
 * prism_file_copy:
 * @source: file name, any bytes
 * @path: of the copy
 *
 * Copies a file, of any size in little memory, as prism_file_save() writes.
 *
 * Errors: PRISM_ERROR_IO; what @path was is then untouched.
 *
 * Returns: whether the copy is safely on the disk
 */
gboolean
prism_file_copy (const char *source,
                 const char *path,
                 GError **error)
{
  Source from = { source, prism_file_open (source, G_MAXUINT64, NULL, error) };
  gboolean ok;

  if (from.fd < 0)
    return FALSE;
  ok = prism_file_save_stream (path, read_source, &from, error);
  close (from.fd);
  return ok;
}

static GBytes *
load_descriptor (const char *path,
                 int fd,
                 guint64 size,
                 GError **error)
{
  g_autofree char *what = g_strdup_printf ("the file “%s”", path);
  gsize n_read;
  int code;
  char *data = prism_arena_new_array (size, what, error);

  if (data == NULL)
    return NULL;

  code = read_all (fd, data, size, &n_read);
  if (code != 0)
    {
      set_error (error, path, _ ("read"), code);
      prism_arena_free_array (data);
      return NULL;
    }
  return g_bytes_new_with_free_func (data, n_read, prism_arena_free_array, data);
}

/**
 * prism_file_load:
 * @path: file name, any bytes
 * @max_bytes: limit, checked before anything is allocated
 *
 * Reads a whole regular file. It is copied rather than mapped, because a file that another program
 * shortens would otherwise end the process with SIGBUS.
 *
 * Units: bytes.
 * Errors: PRISM_ERROR_IO, PRISM_ERROR_FORMAT for a file above the limit, PRISM_ERROR_MEMORY.
 *
 * Returns: (transfer full) (nullable): the contents, possibly empty
 */
GBytes *
prism_file_load (const char *path,
                 guint64 max_bytes,
                 GError **error)
{
  GBytes *bytes;
  guint64 size;
  int fd;

  g_return_val_if_fail (path != NULL, NULL);

  fd = prism_file_open (path, max_bytes, &size, error);
  if (fd < 0)
    return NULL;
  bytes = load_descriptor (path, fd, size, error);
  close (fd);
  return bytes;
}

/**
 * prism_file_dup_place:
 * @directory: where results are written, any bytes; may be a link itself
 * @name: of a file that the program names, not the user
 *
 * Puts a name together for writing. A link, pipe or device that lies there under this name is
 * removed, so that nothing outside of @directory is written and nobody waits for a reader.
 *
 * Returns: (transfer full): the path
 */
char *
prism_file_dup_place (const char *directory,
                      const char *name)
{
  char *path = g_build_filename (directory, name, NULL);
  struct stat status;

  if (g_lstat (path, &status) == 0 && !S_ISREG (status.st_mode) && !S_ISDIR (status.st_mode))
    g_unlink (path);
  return path;
}

/**
 * prism_file_dup_display_name:
 * @path: file name, any bytes
 *
 * Makes a file name fit for a message: valid UTF-8 on one line.
 *
 * Returns: (transfer full): the name
 */
char *
prism_file_dup_display_name (const char *path)
{
  g_autofree char *place = prism_text_dup_without_folder (path);
  g_autofree char *name = g_filename_display_name (place);

  return prism_printable_dup (name);
}

/**
 * prism_file_to_text:
 * @path: file name, any bytes
 *
 * Writes a file name where there must be UTF-8: in a configuration, in JSON. One that is no UTF-8
 * becomes a URI, from the root.
 *
 * Returns: (transfer full): the text
 */
char *
prism_file_to_text (const char *path)
{
  g_autofree char *whole = NULL;

  if (g_utf8_validate (path, -1, NULL))
    return g_strdup (path);
  whole = g_canonicalize_filename (path, NULL);
  return g_filename_to_uri (whole, NULL, NULL);
}

/**
 * prism_file_from_text:
 * @text: of prism_file_to_text(), a URI of a file manager, or a file name with any bytes
 *
 * Returns: (transfer full): the file name
 */
char *
prism_file_from_text (const char *text)
{
  char *path = g_str_has_prefix (text, "file:///") ? g_filename_from_uri (text, NULL, NULL) : NULL;

  return path != NULL ? path : g_strdup (text);
}

/**
 * prism_file_matches:
 * @name: of a file, without its folder
 * @patterns: with “|” between them
 *
 * Returns: whether it is of one of them
 */
gboolean
prism_file_matches (const char *name,
                    const char *patterns)
{
  g_auto (GStrv) all = g_strsplit (patterns, "|", -1);
  gboolean found = FALSE;

  PRISM_FOR_EACH_STRING (pattern, all)
    found |= g_pattern_match_simple (*pattern, name);
  return found;
}
