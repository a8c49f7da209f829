#include "config.h"

#include "reconstruction/prism-finding-pages.h"

#include "canvas/prism-image-view.h"
#include "output/prism-figure.h"
#include "prism-finding-text.h"
#include "reconstruction/prism-finding-view.h"
#include "reconstruction/prism-light-map.h"
#include "support/prism-file-dialog.h"
#include "support/prism-wording.h"
#include "tools/prism-picture-copy.h"

#include <glib/gi18n.h>
#include <math.h>

struct _PrismFindingPages
{
  AdwBin parent_instance;

  GtkStack *stack;
  GtkBox *object_box;
  GtkBox *pupil_box;
  GtkLabel *aberrations;
  GtkDropDown *kind;
  GtkBox *map_box;
  GtkLabel *map_text;
  GtkBox *frame_box;
  GMenuModel *view_menu;

  PrismFindingView *views[4]; /* two of the object, two of the pupil */
  PrismLightMap *map;
  PrismView *recorded;
  PrismView *predicted;
  PrismFinding *finding; /* (nullable) */
  gboolean alone;        /* nobody can predict a frame */
};

enum
{
  LOOK_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static const char *const figure_patterns[] = { "*.pdf", "*.svg", "*.png", NULL };

G_DEFINE_FINAL_TYPE (PrismFindingPages, prism_finding_pages, ADW_TYPE_BIN)

static void
on_figure_chosen (const char *path,
                  gpointer data)
{
  PrismFigureOptions options;
  g_autoptr (GError) error = NULL;

  prism_figure_options_init (&options);
  if (!prism_figure_save_view (data, path, &options, &error))
    prism_view_set_notice (data, error->message);
}

static void
on_save_figure (GSimpleAction *action,
                GVariant *parameter,
                gpointer data)
{
  PrismView *view = data;
  const PrismFileDialog dialog
      = { PRISM_FILE_DIALOG_SAVE, _ ("Save figure: .png, .svg or .pdf"), _ ("_Save"),
          "figure.png", _ ("Figures"), figure_patterns };

  if (prism_view_get_image (view) != NULL)
    prism_file_dialog_show (&dialog, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (view))),
                            on_figure_chosen, g_object_ref (view), g_object_unref);
}

static void
on_copy (GSimpleAction *action,
         GVariant *parameter,
         gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdkTexture) texture = NULL;

  if (prism_view_get_image (data) == NULL)
    return;
  texture = prism_picture_copy_new_texture (data, &error);
  if (texture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (data), texture);
  else
    prism_view_set_notice (data, error->message);
}

static void
on_whole (GSimpleAction *action,
          GVariant *parameter,
          gpointer data)
{
  prism_viewport_reset (prism_view_get_viewport (data));
}

/* Each view has its menu, whose actions are about this view. */
static void
equip (PrismFindingPages *self,
       PrismView *view)
{
  static const GActionEntry entries[]
      = { { "save-figure", on_save_figure }, { "copy", on_copy }, { "whole", on_whole } };
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();

  g_action_map_add_action_entries (G_ACTION_MAP (group), entries, G_N_ELEMENTS (entries), view);
  gtk_widget_insert_action_group (GTK_WIDGET (view), "finding", G_ACTION_GROUP (group));
  g_object_set (view, "menu-model", self->view_menu, NULL);
}

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem *item,
          gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem *item,
         gpointer data)
{
  const char *text = gtk_string_object_get_string (gtk_list_item_get_item (item));

  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), text);
}

/* In a narrow window the button shows the beginning of a long name, the list all of it. */
static void
let_shrink (GtkDropDown *list)
{
  g_autoptr (GtkListItemFactory) whole = g_object_ref (gtk_drop_down_get_factory (list));
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  gtk_drop_down_set_list_factory (list, whole);
  gtk_drop_down_set_factory (list, factory);
  g_object_unref (factory);
}

static GtkWidget *
make_drop_down (const char *name,
                const char *const *labels)
{
  GtkWidget *list = gtk_drop_down_new_from_strings (labels);

  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  let_shrink (GTK_DROP_DOWN (list));
  return list;
}

static void
on_picture_chosen (GtkDropDown *list,
                   GParamSpec *property,
                   PrismFindingView *view)
{
  prism_finding_view_set_picture (view, gtk_drop_down_get_selected (list));
}

/* One side of the object's page, which can show any of its pictures. */
static void
add_object_view (PrismFindingPages *self,
                 guint i,
                 PrismFindingPicture picture,
                 const char *name)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *view = prism_finding_view_new (picture), *list;
  const char *labels[PRISM_FINDING_SPECTRUM + 2] = { NULL };

  for (guint k = 0; k <= PRISM_FINDING_SPECTRUM; k++)
    labels[k] = prism_finding_view_get_label (k);
  list = make_drop_down (name, labels);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (list), picture);
  g_signal_connect (list, "notify::selected", G_CALLBACK (on_picture_chosen), view);
  gtk_box_append (GTK_BOX (box), list);
  gtk_box_append (GTK_BOX (box), view);
  gtk_box_append (self->object_box, box);
  self->views[i] = PRISM_FINDING_VIEW (view);
}

static void
link_views (PrismView *first,
            PrismView *second)
{
  prism_view_set_viewport (second, prism_view_get_viewport (first));
}

static void
make_views (PrismFindingPages *self)
{
  static const PrismFindingPicture of_pupil[]
      = { PRISM_FINDING_PUPIL_AMPLITUDE, PRISM_FINDING_PUPIL_PHASE };

  add_object_view (self, 0, PRISM_FINDING_AMPLITUDE, _ ("Left picture"));
  add_object_view (self, 1, PRISM_FINDING_FLAT, _ ("Right picture"));
  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *view = prism_finding_view_new (of_pupil[i]);

      gtk_box_append (self->pupil_box, view);
      self->views[2 + i] = PRISM_FINDING_VIEW (view);
    }
  for (guint i = 0; i < 4; i++)
    equip (self, PRISM_VIEW (self->views[i]));
  link_views (PRISM_VIEW (self->views[0]), PRISM_VIEW (self->views[1]));
  link_views (PRISM_VIEW (self->views[2]), PRISM_VIEW (self->views[3]));
}

static void
make_frame_views (PrismFindingPages *self)
{
  PrismView **const views[] = { &self->recorded, &self->predicted };
  const char *const titles[] = { _ ("Measured"), _ ("Predicted") };

  for (guint i = 0; i < 2; i++)
    {
      GtkWidget *view = prism_image_view_new ();

      g_object_set (view, "title", titles[i], "hexpand", TRUE, "vexpand", TRUE, "empty-text",
                    _ ("Choose a light"), NULL);
      gtk_box_append (self->frame_box, view);
      *views[i] = PRISM_VIEW (view);
      equip (self, PRISM_VIEW (view));
    }
  link_views (self->recorded, self->predicted);
}

static void
show_text (PrismFindingPages *self)
{
  g_autofree char *text = prism_light_map_dup_text (self->map);
  g_autofree char *both
      = self->alone ? g_strdup_printf ("%s\n%s", text,
                                       _ ("A result that was opened has no frames: reconstruct"
                                          " them to compare each with its prediction."))
                    : g_strdup (text);

  gtk_label_set_label (self->map_text, both);
}

static void
on_frame_chosen (PrismFindingPages *self,
                 guint frame)
{
  show_text (self);
  g_signal_emit (self, signals[LOOK_WANTED], 0, frame);
}

static void
on_kind_chosen (PrismFindingPages *self)
{
  prism_light_map_set_kind (self->map, gtk_drop_down_get_selected (self->kind));
}

static void
make_map (PrismFindingPages *self)
{
  const char *labels[PRISM_LIGHT_N_KINDS + 1] = { NULL };
  g_autoptr (GtkStringList) model = NULL;

  for (guint k = 0; k < PRISM_LIGHT_N_KINDS; k++)
    labels[k] = prism_light_draw_get_label (k);
  model = gtk_string_list_new (labels);
  gtk_drop_down_set_model (self->kind, G_LIST_MODEL (model));
  self->map = PRISM_LIGHT_MAP (prism_light_map_new ());
  gtk_box_insert_child_after (self->map_box, GTK_WIDGET (self->map), GTK_WIDGET (self->kind));
  g_signal_connect_swapped (self->map, "frame-chosen", G_CALLBACK (on_frame_chosen), self);
  g_signal_connect_swapped (self->kind, "notify::selected", G_CALLBACK (on_kind_chosen), self);
}

static void
prism_finding_pages_dispose (GObject *object)
{
  PrismFindingPages *self = PRISM_FINDING_PAGES (object);

  g_clear_pointer (&self->finding, prism_finding_unref);
  G_OBJECT_CLASS (prism_finding_pages_parent_class)->dispose (object);
}

static void
prism_finding_pages_class_init (PrismFindingPagesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = prism_finding_pages_dispose;
  signals[LOOK_WANTED]
      = g_signal_new ("look-wanted", PRISM_TYPE_FINDING_PAGES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               PRISM_RESOURCE ("prism-finding-pages.ui"));
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, stack);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, object_box);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, pupil_box);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, aberrations);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, kind);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, map_box);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, map_text);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, frame_box);
  gtk_widget_class_bind_template_child (widget_class, PrismFindingPages, view_menu);
}

static void
prism_finding_pages_init (PrismFindingPages *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  make_views (self);
  make_map (self);
  make_frame_views (self);
  show_text (self);
}

static void
show_aberrations (PrismFindingPages *self)
{
  g_autofree char *text
      = self->finding != NULL ? prism_finding_text_dup_aberrations (self->finding) : NULL;

  gtk_label_set_label (self->aberrations, text != NULL ? text : "");
}

/**
 * prism_finding_pages_set_finding:
 * @finding: (nullable): what is known
 *
 * Shows another finding. The frame that is chosen is compared again.
 */
void
prism_finding_pages_set_finding (PrismFindingPages *self,
                                 PrismFinding *finding)
{
  guint frame;

  if (finding == self->finding)
    return;
  prism_finding_unref (self->finding);
  self->finding = finding != NULL ? prism_finding_ref (finding) : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (self->views); i++)
    prism_finding_view_set_finding (self->views[i], finding);
  prism_light_map_set_finding (self->map, finding);
  show_aberrations (self);
  show_text (self);
  if (finding == NULL)
    prism_finding_pages_set_look (self, NULL);
  else if (prism_light_map_get_chosen (self->map, &frame))
    g_signal_emit (self, signals[LOOK_WANTED], 0, frame);
}

/**
 * prism_finding_pages_set_look:
 * @look: (nullable): a frame and what is predicted of it
 *
 * Shows both on one scale.
 */
void
prism_finding_pages_set_look (PrismFindingPages *self,
                              const PrismPtychographyLook *look)
{
  PrismMapping mapping;
  g_autofree char *title = NULL;

  prism_mapping_init (&mapping);
  mapping.levels = PRISM_LEVELS_MIN_MAX;
  if (look != NULL)
    {
      prism_mapping_compute_levels (&mapping, look->recorded, NULL);
      mapping.levels = PRISM_LEVELS_MANUAL;
      title = g_strdup_printf (_ ("Measured, frame %u"), look->frame);
    }
  g_object_set (self->recorded, "title", title != NULL ? title : _ ("Measured"), NULL);
  prism_view_set_mapping (self->recorded, &mapping);
  prism_view_set_mapping (self->predicted, &mapping);
  prism_view_set_image (self->recorded, look != NULL ? look->recorded : NULL);
  prism_view_set_image (self->predicted, look != NULL ? look->predicted : NULL);
}

/**
 * prism_finding_pages_set_alone:
 * @alone: whether nobody can predict a frame
 *
 * Says so where frames would be compared.
 */
void
prism_finding_pages_set_alone (PrismFindingPages *self,
                               gboolean alone)
{
  self->alone = alone;
  gtk_widget_set_visible (GTK_WIDGET (self->frame_box), !alone);
  show_text (self);
}

/**
 * prism_finding_pages_hurry:
 *
 * Lets pictures be made without rests, as nothing is computed any more.
 */
void
prism_finding_pages_hurry (PrismFindingPages *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->views); i++)
    prism_finding_view_hurry (self->views[i]);
}

/**
 * prism_finding_pages_is_busy:
 *
 * Returns: whether a picture is not yet that of the newest finding
 */
gboolean
prism_finding_pages_is_busy (PrismFindingPages *self)
{
  gboolean busy = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (self->views); i++)
    busy = busy || prism_finding_view_is_busy (self->views[i]);
  return busy;
}
