/* prism-point-list: positions while they are placed by hand, and which of them is held. Knows
 * nothing of widgets. */
#pragma once

#include "model/prism-pattern.h"

G_BEGIN_DECLS

typedef struct _PrismPointList PrismPointList;

PrismPointList   *prism_point_list_new          (void);
void              prism_point_list_free         (PrismPointList *self);
void              prism_point_list_set          (PrismPointList   *self,
                                                 const PrismPoint *points,
                                                 guint             n_points,
                                                 int               image_size);
guint             prism_point_list_get_n_points (const PrismPointList *self);
const PrismPoint *prism_point_list_get          (const PrismPointList *self,
                                                 guint                 i);
int               prism_point_list_get_selected (const PrismPointList *self);
void              prism_point_list_select       (PrismPointList *self,
                                                 int             i);
void              prism_point_list_select_next  (PrismPointList *self,
                                                 int             direction);
int               prism_point_list_find         (const PrismPointList *self,
                                                 double                y,
                                                 double                x,
                                                 double                radius);
gboolean          prism_point_list_add          (PrismPointList  *self,
                                                 double           y,
                                                 double           x,
                                                 GError         **error);
gboolean          prism_point_list_move         (PrismPointList *self,
                                                 double          y,
                                                 double          x);
gboolean          prism_point_list_remove       (PrismPointList *self);
char             *prism_point_list_to_text      (const PrismPointList *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismPointList, prism_point_list_free)

G_END_DECLS
