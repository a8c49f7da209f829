/* prism-file-dialog: asks for a file or a folder. The one place that knows which dialog of GTK
 * does it. */
#pragma once

#include <gtk/gtk.h>

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

G_END_DECLS
