/* window-test: a main window with a session of its own, for tests of what the window does. */
#pragma once

#include "widget-test.h"
#include "window/prism-window.h"

G_BEGIN_DECLS

typedef struct
{
  PrismSession *session;
  PrismWindow *window;
} WindowTest;

/* Shows a window and waits until the scene of @config is on it. */
void window_test_open (WindowTest *self,
                       const PrismConfig *config);
void window_test_close (WindowTest *self);
/* One of its own, for g_auto; @config: (nullable): that of a short run. */
WindowTest window_test_new (const PrismConfig *config);
/* Deletes the runs of a test's home, which the next window would offer to resume. */
void window_test_forget_runs (void);
void window_test_activate (WindowTest *self,
                           const char *action);
gboolean window_test_is_enabled (WindowTest *self,
                                 const char *action);
/* Conditions on a session. */
gboolean window_test_is_idle (gpointer session);
gboolean window_test_is_active (gpointer session);
gboolean window_test_has_paused (gpointer session);
gboolean window_test_has_finished (gpointer session);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WindowTest, window_test_close)

G_END_DECLS
