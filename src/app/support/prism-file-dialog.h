/* prism-file-dialog: asks for a file or a folder. The one place that knows which dialog of GTK
 * does it. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

typedef enum
{
  PRISM_FILE_DIALOG_OPEN,
  PRISM_FILE_DIALOG_SAVE,
  PRISM_FILE_DIALOG_FOLDER,
} PrismFileDialogMode;

typedef struct
{
  PrismFileDialogMode mode;
  const char *title;
  const char *accept;                   /* label of the button */
  const char *name;                     /* (nullable): suggested file name */
  const char *filter_label;             /* (nullable) */
  const char *const *patterns;          /* (nullable): "*.png" …, ends with NULL */
} PrismFileDialog;

/* Not called when the dialog was cancelled, nor for a place that is on no disk of this computer. */
typedef void (*PrismFileDialogFunc) (const char *path,
                                     gpointer    data);

void prism_file_dialog_show (const PrismFileDialog *dialog,
                             GtkWindow             *parent,
                             PrismFileDialogFunc    func,
                             gpointer               data,
                             GDestroyNotify         destroy);
void prism_file_dialog_ask  (const PrismFileDialog *dialog,
                             gpointer               widget,
                             PrismFileDialogFunc    func);

/* Writes a file on another thread, whatever it holds. */

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
void prism_file_saver_ask  (const PrismFileDialog *dialog,
                            gpointer               window,
                            AdwToastOverlay       *toasts,
                            PrismFileSaverFunc     func,
                            gpointer             (*dup) (gpointer window),
                            GDestroyNotify         destroy);

/* Folders that many runs write into: named, shown in the file manager. */

gboolean prism_folder_show (const char  *directory,
                            GError     **error);
gboolean prism_folder_is_result (const char *path);
char *prism_folder_dup_new (const char *kind,
                            const char *format);

G_END_DECLS
