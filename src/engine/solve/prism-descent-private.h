/* prism-descent-private: what the files of a descent do for each other. Thread: engine. */
#pragma once

#include "solve/prism-descent.h"

G_BEGIN_DECLS

/* Measurements of one step. */
#define PRISM_DESCENT_FEW_VISITS 32
#define PRISM_DESCENT_MOST_VISITS 2048

gboolean prism_descent_uses_samples    (PrismDescent *self);
guint    prism_descent_count_visits    (PrismDescent *self);
void     prism_descent_choose_samples  (PrismDescent *self);

gboolean prism_descent_allocate_planes (PrismDescent  *self,
                                        GError       **error);
void     prism_descent_set_planes      (PrismDescent *self,
                                        const float  *image);
void     prism_descent_restart         (PrismDescent *self);
gboolean prism_descent_put             (PrismDescent  *self,
                                        GError       **error);
gboolean prism_descent_fetch           (PrismDescent  *self,
                                        GError       **error);
gboolean prism_descent_note_pass       (PrismDescent  *self,
                                        GError       **error);
void     prism_descent_leave_device    (PrismDescent *self);

G_END_DECLS
