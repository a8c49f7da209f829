/* prism-window-private: what the files of the window share. */
#pragma once

#include "kspace/prism-pattern-editor.h"
#include "lessons/prism-lesson-panel.h"
#include "parameters/prism-parameter-panel.h"
#include "session/prism-forecaster.h"
#include "session/prism-last-run.h"
#include "session/prism-run-list.h"
#include "support/prism-class.h"
#include "support/prism-file-dialog.h"
#include "support/prism-overflow-box.h"
#include "support/prism-job.h"
#include "support/prism-notice.h"
#include "window/prism-spotlight.h"
#include "window/prism-status-bar.h"
#include "window/prism-time-bar.h"
#include "window/prism-window.h"

G_BEGIN_DECLS

struct _PrismWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toast_overlay;
  GtkWidget *run_button;
  GtkWidget *forecast_label;
  GtkWidget *pause_button;
  GtkWidget *step_button;
  GtkWidget *stop_button;
  GtkWidget *open_button;
  GMenu *recent_menu;
  GtkWidget *recent_button;
  GMenu *preset_menu;
  PrismNotice *notice;
  PrismNotice *run_notice;              /* about a run from a file, or one to resume */
  PrismNotice *result_notice;           /* that the pictures are not of what is edited */
  PrismNotice *wide_result_notice;      /* the same where the parameters are hidden */
  GtkWidget *flap;
  GtkWidget *parameters;                /* what a lesson takes the place of */
  PrismParameterPanel *parameter_panel;
  PrismLessonPanel *lesson_panel;
  GMenu *lesson_menu;
  PrismDashboard *dashboard;
  PrismStatusBar *status_bar;
  PrismTimeBar *time_bar;
  PrismSpotlight *spotlight;
  GtkLabel *sentence;                   /* for a projector */
  GtkWidget *rival_line;                /* below the reconstruction */

  PrismSession *session;
  PrismDraft *draft;                    /* of the session */
  PrismPatternEditor *pattern_desk;
  PrismForecaster *forecaster;
  PrismFollow *follow;
  PrismLastRun *previous;
  gboolean gave_room;        /* the panel of k-space is alone because positions are placed */
  GCancellable *filming;                /* (nullable): of the animation that is saved */
  AdwToast *edit_toast;                 /* (nullable): the one toast about changes */
  AdwToast *kept_toast;                 /* (nullable): about the last run, until the next begins */
  GCancellable *reading;                /* (nullable): of the file that is being read */
  char *opened;                         /* (nullable): file name of the configuration */
  char *interrupted;                    /* (nullable): file of a run that is offered */
  char *interrupted_link;               /* (nullable): what stands for it in the program's folder */
  char *saving_run;                     /* (nullable): where a run is being moved */
  guint n_saving;                       /* files that are being written */
  char *saved_name;                     /* (nullable): of the newest of them */
  AdwToast *saving;                     /* (nullable): says that one is */
  guint saving_id;
  AdwToast *opening;                    /* (nullable): says that a run is opened */
  gboolean save_problem;                /* the notice says that the run is not saved */
  gboolean forking;                     /* as soon as the run has paused */
  char *forked_from;                    /* (nullable): file of the run that it was forked from */
  char *fork_file;                      /* (nullable): the fork's own */
  PrismState last_state;
  guint tick_id;                        /* frame-clock callback, only while a snapshot waits */
  guint fallback_id;                    /* collects when the frame clock stands still */
  gboolean profiling;                   /* the run is being profiled */
  gboolean quitting;                    /* asked for: save, then close */
  gboolean deserted;                    /* nobody is there to be asked */
  gboolean leaving;                     /* as soon as the run has paused in its file */
  GtkWindow *quit_question; /* (nullable): whether to leave a run that is under way */
  guint quit_id;

  gboolean projecting;
  gboolean arranging;                   /* charts follow the arrangement, not the user */
  gboolean had_sidebar;                 /* before the projector */
  double font_size;                     /* px, without the projector */
  double font_line;                     /* px, height of its lines */
  GtkCssProvider *projector_style;
  PrismThrottle *projector_throttle;    /* of the sentence */
  guint projector_id;                   /* fits the sizes to the window */

  PrismRunList *runs;
  GtkWindow *compare_window;            /* (nullable) */
  GtkWindow *import_window;             /* (nullable): of recorded frames; it may be hidden */
  char *exporting;                      /* (nullable): folder that the engine writes */
  GtkWindow *library;                   /* (nullable) */
  GtkWindow *gallery;                   /* (nullable): of patterns */
  GtkWindow *handbook;                  /* (nullable) */
  char *lesson;                         /* (nullable): of the program, by its name */
  char *left_run;                       /* (nullable): file of the run before the lessons */
};

/* An action of the window, called with the window or an object of it, and then with its parameter
 * or new state where it has one, and the number. */
typedef struct
{
  const char *name;
  gpointer call;
  const char *type;                     /* (nullable): "s" or "i" of the parameter; "b": a switch */
  gintptr number;
  gsize of;                             /* offset of the object in the window; 0: the window */
  PrismFileDialog dialog;               /* (optional): asks for a path, which is the parameter */
  gboolean of_run;                      /* the name begins with that of the run on the screen */
} PrismWindowAction;

void prism_window_add_actions      (PrismWindow             *self,
                                    const PrismWindowAction *actions,
                                    gsize                    n_actions);
#define PRISM_WINDOW_ACTIONS(self, ...)                                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    static const PrismWindowAction own_actions[] = { __VA_ARGS__ };                                \
    prism_window_add_actions (self, own_actions, G_N_ELEMENTS (own_actions));                      \
  }                                                                                                \
  G_STMT_END

void prism_window_add_property     (PrismWindow *self,
                                    const char  *name,
                                    gpointer     object,
                                    const char  *property);
void prism_window_open_child       (PrismWindow *self,
                                    gpointer     window,
                                    GtkWindow  **slot);
gboolean prism_window_open_again   (PrismWindow *self,
                                    GType        type);
void prism_window_set_opened       (PrismWindow *self,
                                    const char  *path);
void prism_window_bind_title       (GtkWidgetClass *widget_class);
void prism_window_install_actions  (PrismWindow *self);
void prism_window_install_compare  (PrismWindow *self);
void prism_window_install_export   (PrismWindow *self);
char *prism_window_dup_file_name   (PrismWindow *self,
                                    const char  *what);
void prism_window_ask_place        (const PrismFileDialog *dialog,
                                    gpointer               self,
                                    gpointer               func,
                                    gpointer               data,
                                    gpointer               destroy);
void prism_window_save             (PrismWindow        *self,
                                    gpointer  func,
                                    gpointer            data,
                                    gpointer      destroy,
                                    const char         *path);
void prism_window_install_kspace   (PrismWindow *self);
void prism_window_install_follow   (PrismWindow *self);
void prism_window_compare_last     (PrismWindow *self);
void prism_window_install_layout   (PrismWindow *self);
gboolean prism_window_leave_projector (PrismWindow *self);
void prism_window_drop_projector   (PrismWindow *self);
void prism_window_install_files    (PrismWindow *self);
void prism_window_install_runs     (PrismWindow *self);
void prism_window_install_lessons  (PrismWindow *self);
void prism_window_open_lesson      (PrismWindow *self,
                                    const char  *path);
void prism_window_install_picture  (PrismWindow *self);
void prism_window_install_presets  (PrismWindow *self);
void prism_window_compare_folder    (PrismWindow *self,
                                     const char  *path);
void prism_window_install_profile  (PrismWindow *self);
void prism_window_drop_profile     (PrismWindow *self);
void prism_window_open_profile     (PrismWindow *self,
                                    const char  *path);
void prism_window_show_resting     (PrismWindow *self);
void prism_window_open_run         (PrismWindow *self,
                                    const char  *path);
void prism_window_return_to_run    (PrismWindow *self,
                                    const char  *path);
void prism_window_remember         (const char  *path,
                                    const char  *mime_type);
void prism_window_show_offers      (PrismWindow *self,
                                    int          code,
                                    gboolean     failed);
void prism_window_enable          (PrismWindow *self,
                                   const char  *name,
                                   ...) G_GNUC_NULL_TERMINATED;
void prism_window_show_toast       (PrismWindow *self,
                                    const char  *text);
void prism_window_show_saved       (PrismWindow  *self,
                                    const char   *path,
                                    const GError *error);
void prism_window_show_problem     (PrismWindow *self,
                                    const char  *sentence);
void prism_window_hide_problem     (PrismWindow *self);
GCancellable *prism_window_begin_reading (PrismWindow *self);
void prism_window_end_reading      (PrismWindow *self);
gboolean prism_window_refuse_recorded (PrismWindow *self,
                                       const char  *sentence);

G_END_DECLS
