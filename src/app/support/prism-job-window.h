/* prism-job-window: a window that starts a job, shows how it gets on, and stops it. Closed while
 * it runs it is only hidden: the job goes on. A window of this kind fills it: its template has
 * children with the names of the members. Thread: main. */
#pragma once

#include "support/prism-widget.h"

#include <adwaita.h>

G_BEGIN_DECLS

typedef struct
{
  AdwWindow parent_instance;

  AdwToastOverlay *toast_overlay;       /* NULL once the window is closed, as the others */
  GtkLabel *problem_label;
  GtkProgressBar *progress_bar;
  GtkWidget *run_button;
  GtkWidget *stop_button;
  GtkWidget *plan;                      /* (nullable): what is not to be changed meanwhile */
  gboolean busy;
  gboolean stopping;                    /* Stop was pressed, and Run not since */
  char *directory;                      /* (nullable): that it writes into */
} PrismJobWindow;

/* What a window of a kind does. Its actions are "sweep.run", by its button and F5, "sweep.stop", by
 * its button and Ctrl+., and for one that opens folders "sweep.show-folder" in the file manager
 * and "sweep.open". */
typedef struct
{
  const char *prefix;                   /* "sweep" */
  gpointer run;                         /* void (self) */
  gpointer stop;                        /* void (self) */
  gpointer finish;                      /* void (self): sees whether the job is over, outside of
                                         * what told of it */
  gpointer open_folder;                 /* (nullable): gboolean (self, const char *path,
                                         * GError **): shows what is in it, while nothing runs */
  const char *open_title;               /* of its dialog, to be translated */
} PrismJobKind;

typedef struct
{
  AdwWindowClass parent_class;

  PrismJobKind kind;
} PrismJobWindowClass;

#define PRISM_TYPE_JOB_WINDOW (prism_job_window_get_type ())
#define PRISM_JOB_WINDOW(object)                                                                   \
  G_TYPE_CHECK_INSTANCE_CAST (object, PRISM_TYPE_JOB_WINDOW, PrismJobWindow)
#define PRISM_JOB_WINDOW_GET_CLASS(object)                                                         \
  G_TYPE_INSTANCE_GET_CLASS (object, PRISM_TYPE_JOB_WINDOW, PrismJobWindowClass)

GType prism_job_window_get_type (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismJobWindow, g_object_unref)

/* The template of a class and its actions, then the members of @Type that are further children. */
#define PRISM_JOB_TEMPLATE(klass, Type, file, ...)                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    PRISM_TEMPLATE (klass, Type, file, __VA_ARGS__);                                               \
    prism_job_window_class_set_up (GTK_WIDGET_CLASS (klass));                                      \
  }                                                                                                \
  G_STMT_END

void  prism_job_window_class_set_up (GtkWidgetClass *klass);
void  prism_job_window_show_problem (gpointer        self,
                                     const char     *sentence);
char *prism_job_window_find_program (gpointer        self,
                                     const char     *missing);
void  prism_job_window_set_busy     (gpointer        self,
                                     gboolean        busy,
                                     gboolean        stoppable);
void  prism_job_window_finish_soon  (gpointer        self);
PrismJobWindow *prism_job_window_find (gpointer parent,
                                       GType    type);

G_END_DECLS
