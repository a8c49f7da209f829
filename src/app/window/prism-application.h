/* prism-application: the program as the desktop sees it. */
#pragma once

#include "window/prism-window.h"

G_BEGIN_DECLS

#define PRISM_TYPE_APPLICATION (prism_application_get_type ())

G_DECLARE_FINAL_TYPE (PrismApplication, prism_application, PRISM, APPLICATION, AdwApplication)

PrismApplication *prism_application_new        (void);
PrismWindow      *prism_application_get_window (PrismApplication *self);

/* Who made the program, and under which licence. */

/* The window of the user's preferences. */

#define PRISM_TYPE_PREFERENCES (prism_preferences_get_type ())

G_DECLARE_FINAL_TYPE (PrismPreferences, prism_preferences, PRISM, PREFERENCES, AdwPreferencesWindow)


G_END_DECLS
