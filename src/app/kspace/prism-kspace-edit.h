/* prism-kspace-edit: pointer and keyboard of the k-space view while positions are placed by hand.
 *
 * Emits "preview" when something looks different, "edited" (what, merge key or NULL) when a change
 * is complete, "refused" (sentence) and "leave". */
#pragma once

#include "canvas/prism-canvas.h"
#include "model/prism-pattern.h"

G_BEGIN_DECLS

/* Positions while they are placed by hand, and which of them is held. Knows
 * nothing of widgets. */

typedef struct
{
  GArray *points; /* of PrismPoint */
  int image_size; /* n */
  int selected;   /* -1 for none */
} PrismPointList;

PrismPointList   *prism_point_list_new          (void);
void              prism_point_list_free         (PrismPointList *self);
void              prism_point_list_set          (PrismPointList   *self,
                                                 const PrismPoint *points,
                                                 guint             n_points,
                                                 int               image_size);
const PrismPoint *prism_point_list_get          (const PrismPointList *self,
                                                 guint                 i);
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

/* What the pointer and the keys do. */

#define PRISM_TYPE_KSPACE_EDIT (prism_kspace_edit_get_type ())

G_DECLARE_FINAL_TYPE (PrismKspaceEdit, prism_kspace_edit, PRISM, KSPACE_EDIT, GObject)

struct _PrismKspaceEdit
{
  GObject parent_instance;

  PrismCanvas *canvas; /* not owned: it owns the controllers */
  GtkEventController *controllers[4];
  PrismPointList *list;
  gboolean active;
  gboolean hovering;
  PrismPoint hover;
  gboolean added; /* the position that is dragged came with this press */
  gboolean moved;
  PrismPoint grip; /* of the position that is dragged, when the drag began */
};

PrismKspaceEdit *prism_kspace_edit_new        (PrismCanvas *canvas);
void             prism_kspace_edit_set_active (PrismKspaceEdit *self,
                                               gboolean         active);
void             prism_kspace_edit_move_crosshair (PrismKspaceEdit *self);

G_END_DECLS
