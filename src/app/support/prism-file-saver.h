/* prism-file-saver: writes a file on another thread, whatever it holds. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* On the other thread: writes @data to @path; FALSE with an error when it could not. */
typedef gboolean (*PrismFileSaverFunc) (gpointer     data,
                                        const char  *path,
                                        GError     **error);
/* Main thread: without an error everything is on the disk. */
typedef void     (*PrismFileSaverDone) (const char   *path,
                                        const GError *error,
                                        gpointer      data);

void prism_file_saver_save (PrismFileSaverFunc  func,
                            gpointer            data,
                            GDestroyNotify      destroy,
                            const char         *path,
                            PrismFileSaverDone  done,
                            gpointer            done_data);

G_END_DECLS
