/* prism-file-saver: writes a file on another thread, whatever it holds. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* On the other thread: writes @data to @path; FALSE with an error when it could not. */
typedef gboolean (*PrismFileSaverFunc) (gpointer     data,
                                        const char  *path,
                                        GError     **error);

void     prism_file_saver_save_async  (PrismFileSaverFunc   func,
                                       gpointer             data,
                                       GDestroyNotify       destroy,
                                       const char          *path,
                                       GAsyncReadyCallback  callback,
                                       gpointer             callback_data);
gboolean prism_file_saver_save_finish (GAsyncResult  *result,
                                       char         **path,
                                       GError       **error);

G_END_DECLS
