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
  const char *filter_label;             /* (nullable); as title and accept, translated here */
  const char *patterns;                 /* (nullable): "*.png *.jpg"; what is saved ends so */
  const char *name;                     /* (nullable): suggested file name */
  const char *accept;                   /* (nullable): label of the button, _Save or _Open */
} PrismFileDialog;

/* An action that asks. Its function is void (widget, const char *path, data); it is not called when
 * the dialog was cancelled, nor for a place that is on no disk of this computer. */
typedef struct
{
  const char *action;
  PrismFileDialog dialog;
  gpointer func;
  gpointer data;
} PrismAsk;

void prism_file_dialog_ask  (const PrismFileDialog *dialog,
                             gpointer               widget,
                             gpointer               func,
                             gpointer               data,
                             gpointer               destroy);
void prism_file_dialog_add_actions (gpointer        klass,
                                    const PrismAsk *asks,
                                    gsize           n_asks);
#define PRISM_ASK(klass, ...)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    static const PrismAsk own_asks[] = { __VA_ARGS__ };                                            \
    prism_file_dialog_add_actions (klass, own_asks, G_N_ELEMENTS (own_asks));                      \
  }                                                                                                \
  G_STMT_END

/* Writes a file on another thread, whatever it holds. */

/* @func: gboolean (data, const char *path, GError **), on the other thread: writes the data; FALSE
 * with an error when it could not.
 * @done: void (owner, const char *path, const GError *), main thread: without an error everything
 * is on the disk. */

void prism_file_saver_save (gpointer    func,
                            gpointer    data,
                            gpointer    destroy,
                            const char *path,
                            gpointer    done,
                            gpointer    owner);

/* Folders that many runs write into: named, shown in the file manager. */

gboolean prism_folder_show (const char  *directory,
                            GError     **error);
char *prism_folder_dup_new (const char *kind,
                            const char *format);

G_END_DECLS
