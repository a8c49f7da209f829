#include "config.h"

#include "kspace/prism-pattern-gallery.h"

#include "results/prism-survey.h"
#include "support/prism-overflow-box.h"
#include "support/prism-widget.h"

#define TILE 152  /* logical px */
#define DRAWN 304 /* px: sharp on a screen with twice as many */
#define PAUSE 100 /* ms between two drawings */

struct _PrismPatternGallery
{
  AdwWindow parent_instance;

  GtkFlowBox *box;

  PrismDraft *draft;
  PrismWorker *worker; /* from configurations to arrays of Entry */
  GPtrArray *tiles;    /* of Tile, by kind */
  gboolean updating;   /* the buttons follow the draft */
};

/* What is seen of a kind. */
typedef struct
{
  GtkToggleButton *button;
  GtkImage *picture;
  GtkLabel *numbers;
  const char *name;  /* of the value of the parameter */
  const char *label; /* translated */
} Tile;

/* What the worker found out about a kind. */
typedef struct
{
  PrismImage *image; /* (nullable) [DRAWN][DRAWN] */
  char *numbers;     /* or why there is no pattern */
} Entry;

G_DEFINE_FINAL_TYPE (PrismPatternGallery, prism_pattern_gallery, ADW_TYPE_WINDOW)

PRISM_FREE (Entry, entry_free, prism_image_unref, image, g_free, numbers)

static Entry *
create_entry (const PrismConfig *config)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PrismSurvey) survey = prism_survey_new (config, &error);
  Entry *entry = g_new0 (Entry, 1);

  if (survey == NULL)
    {
      entry->numbers = g_strdup (error->message);
      return entry;
    }
  entry->image = prism_gallery_draw_tile (survey, config, DRAWN, NULL);
  entry->numbers
      = survey->pattern->n_points == 1
            ? g_strdup_printf (_ ("%.3g %% covered"), 100 * survey->coverage)
            : g_strdup_printf (_ ("%.3g %% covered, overlap %.0f %%\nspacing %.1f px"),
                               100 * survey->coverage, 100 * survey->neighbour_overlap,
                               survey->spacing_mean);
  return entry;
}

/* Worker thread. */
static gpointer
draw_all (gpointer input)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (entry_free);

  for (guint kind = 0; kind < prism_gallery_get_n_kinds (); kind++)
    {
      g_autoptr (PrismConfig) config = prism_gallery_dup_config (input, kind);

      g_ptr_array_add (entries, create_entry (config));
    }
  return entries;
}

static GdkTexture *
create_texture (const PrismImage *image)
{
  gsize n = (gsize) image->width * image->height;
  guint8 *pixels = g_malloc (3 * n);
  g_autoptr (GBytes) bytes = NULL;

  for (gsize i = 0; i < n; i++)
    for (int c = 0; c < 3; c++)
      pixels[3 * i + c] = (guint8) lrintf (255.0f * CLAMP (image->pixels[i], 0.0f, 1.0f));
  bytes = g_bytes_new_take (pixels, 3 * n);
  return gdk_memory_texture_new (image->width, image->height, GDK_MEMORY_R8G8B8, bytes,
                                 3 * (gsize) image->width);
}

/* Without a file that can be read the tile opens one. */
static gboolean
asks_file (const Tile *tile)
{
  return strcmp (tile->name, "file") == 0
         && gtk_image_get_storage_type (tile->picture) == GTK_IMAGE_EMPTY;
}

/* No line ends between a number and its unit. */
static char *
dup_bound (const char *text)
{
  GString *bound = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p++)
    if (*p == ' ' && p > text && g_ascii_isdigit (p[-1]))
      g_string_append (bound, "\u00a0");
    else
      g_string_append_c (bound, *p);
  return g_string_free (bound, FALSE);
}

static void
show_entry (Tile *tile,
            const Entry *entry)
{
  g_autofree char *numbers = prism_ui_text_dup_sentence (entry->numbers);
  g_autofree char *name = g_strdup_printf ("%s: %s", tile->label, numbers);
  g_autofree char *bound = dup_bound (numbers);

  g_strdelimit (name, "\n", ',');
  gtk_label_set_label (tile->numbers, bound);
  prism_widget_set_name (tile->button, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (tile->button), entry->image != NULL ? NULL : numbers);
  if (entry->image != NULL)
    {
      g_autoptr (GdkTexture) texture = create_texture (entry->image);
      gtk_image_set_from_paintable (tile->picture, GDK_PAINTABLE (texture));
    }
  else
    gtk_image_clear (tile->picture);
  gtk_widget_set_sensitive (GTK_WIDGET (tile->button), entry->image != NULL || asks_file (tile));
}

static void
on_drawn (PrismPatternGallery *self)
{
  GPtrArray *entries = self->worker->result;

  for (guint i = 0; entries != NULL && i < entries->len; i++)
    show_entry (self->tiles->pdata[i], entries->pdata[i]);
}

/* The button of the edited pattern is down. */
static void
on_draft_changed (PrismPatternGallery *self)
{
  const PrismConfig *config = self->draft->config;
  const Tile *tile = self->tiles->pdata[config->pattern];

  self->updating = TRUE;
  gtk_toggle_button_set_active (tile->button, TRUE);
  self->updating = FALSE;
  prism_worker_submit (self->worker, prism_config_dup (config));
}

static void
on_toggled (PrismPatternGallery *self,
            GtkToggleButton *button)
{
  const Tile *tile = g_object_get_data (G_OBJECT (button), "prism-tile");
  const char *values[] = { "pattern", tile->name, NULL };
  g_autofree char *what = NULL;

  if (self->updating || !gtk_toggle_button_get_active (button))
    return;
  if (asks_file (tile))
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.open-positions", NULL);
      on_draft_changed (self);
      return;
    }
  what = g_strdup_printf (_ ("Pattern: %s"), tile->label);
  prism_draft_set_several (self->draft, values, what, NULL, NULL);
}

static GtkWidget *
create_content (Tile *tile)
{
  GtkWidget *content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *label = gtk_label_new (tile->label);
  GtkWidget *picture = gtk_image_new ();
  GtkWidget *numbers = gtk_label_new ("");

  gtk_widget_set_size_request (picture, TILE, TILE);
  gtk_image_set_pixel_size (GTK_IMAGE (picture), TILE);
  gtk_label_set_wrap (GTK_LABEL (numbers), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (numbers), 22);
  gtk_label_set_lines (GTK_LABEL (numbers), 4);
  gtk_label_set_ellipsize (GTK_LABEL (numbers), PANGO_ELLIPSIZE_END);
  gtk_label_set_justify (GTK_LABEL (numbers), GTK_JUSTIFY_CENTER);
  gtk_widget_add_css_class (label, "heading");
  gtk_widget_add_css_class (numbers, "prism-info");
  gtk_box_append (GTK_BOX (content), picture);
  gtk_box_append (GTK_BOX (content), label);
  gtk_box_append (GTK_BOX (content), numbers);
  tile->picture = GTK_IMAGE (picture);
  tile->numbers = GTK_LABEL (numbers);
  return content;
}

static void
add_tile (PrismPatternGallery *self,
          const PrismChoice *choice)
{
  Tile *tile;
  Tile *first = self->tiles->len > 0 ? self->tiles->pdata[0] : NULL;

  tile = PRISM_NEW (Tile, GTK_TOGGLE_BUTTON (gtk_toggle_button_new ()), .name = choice->name,
                    .label = gettext (choice->label));
  gtk_button_set_child (GTK_BUTTON (tile->button), create_content (tile));
  gtk_widget_add_css_class (GTK_WIDGET (tile->button), "flat");
  prism_widget_set_name (tile->button, tile->label);
  if (first != NULL)
    gtk_toggle_button_set_group (tile->button, first->button);
  g_object_set_data (G_OBJECT (tile->button), "prism-tile", tile);
  PRISM_CONNECT (tile->button, "toggled", on_toggled, self);
  g_ptr_array_add (self->tiles, tile);
  gtk_flow_box_append (self->box, GTK_WIDGET (tile->button));
  /* The button takes the keyboard, not the place that holds it. */
  gtk_widget_set_focusable (gtk_widget_get_parent (GTK_WIDGET (tile->button)), FALSE);
}

static void
prism_pattern_gallery_class_init (PrismPatternGalleryClass *klass)
{
  PRISM_DISPOSE (klass, PrismPatternGallery, g_object_unref, worker, draft);
  PRISM_FINALIZE (klass, PrismPatternGallery, g_ptr_array_unref, tiles);
  PRISM_TEMPLATE (klass, PrismPatternGallery, "prism-pattern-gallery.ui", box);
}

static void
prism_pattern_gallery_init (PrismPatternGallery *self)
{
  const PrismParam *param = prism_config_get_param ("pattern");

  gtk_widget_init_template (GTK_WIDGET (self));
  self->tiles = g_ptr_array_new_with_free_func (g_free);
  self->worker = prism_worker_new (draw_all, prism_config_free,
                                   g_ptr_array_unref, PAUSE);
  PRISM_CONNECT (self->worker, "changed", on_drawn, self);
  for (const PrismChoice *choice = param->choices; choice->name != NULL; choice++)
    add_tile (self, choice);
}

/**
 * prism_pattern_gallery_new:
 * @draft: whose pattern is chosen
 *
 * Makes a window that follows the draft: what changes there is drawn anew, on another thread.
 *
 * Returns: (transfer floating): the window
 */
GtkWidget *
prism_pattern_gallery_new (PrismDraft *draft)
{
  PrismPatternGallery *self = g_object_new (PRISM_TYPE_PATTERN_GALLERY, NULL);

  self->draft = g_object_ref (draft);
  PRISM_CONNECT (draft, "changed", on_draft_changed, self);
  on_draft_changed (self);
  return GTK_WIDGET (self);
}

#define N_PARTS 4

struct _PrismPatternBar
{
  GtkWidget parent_instance;

  GtkWidget *edit_button;
  GtkWidget *patterns_button;
  GtkWidget *box;
  GtkLabel *labels[N_PARTS]; /* the most important first; what does not fit is left out */
};

G_DEFINE_FINAL_TYPE (PrismPatternBar, prism_pattern_bar, GTK_TYPE_WIDGET)

static void
prism_pattern_bar_class_init (PrismPatternBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_widget_drop_template);
  g_type_ensure (PRISM_TYPE_OVERFLOW_BOX);
  PRISM_TEMPLATE (klass, PrismPatternBar, "prism-pattern-bar.ui", edit_button, patterns_button,
                  box);
  for (int i = 0; i < N_PARTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("label_%d", i + 1);

      gtk_widget_class_bind_template_child_full (
          widget_class, name, FALSE, G_STRUCT_OFFSET (PrismPatternBar, labels[i]));
    }
  gtk_widget_class_set_css_name (widget_class, "prism-pattern-bar");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
prism_pattern_bar_init (PrismPatternBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  /* GTK 4.8 reads the label inside as well as the name of the button. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->edit_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (self->patterns_button),
                                 GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

/* One label for each part, so that a narrow panel cuts none in two. */
static void
on_summary_changed (PrismPatternBar *self,
                    GParamSpec *pspec,
                    PrismPatternEditor *desk)
{
  g_auto (GStrv) parts = g_strsplit (desk->summary, " · ", N_PARTS);
  guint n_parts = g_strv_length (parts);

  for (guint i = 0; i < N_PARTS; i++)
    {
      gtk_label_set_text (self->labels[i], i < n_parts ? parts[i] : "");
      gtk_widget_set_visible (GTK_WIDGET (self->labels[i]), i < n_parts);
    }
}

/**
 * prism_pattern_bar_new:
 * @desk: what it shows
 *
 * Returns: (transfer floating): a bar, whose buttons activate actions of the window
 */
GtkWidget *
prism_pattern_bar_new (PrismPatternEditor *desk)
{
  PrismPatternBar *self = g_object_new (PRISM_TYPE_PATTERN_BAR, NULL);

  PRISM_CONNECT (desk, "notify::summary", on_summary_changed, self);
  on_summary_changed (self, NULL, desk);
  g_object_bind_property (desk, "details", self->box, "tooltip-text", G_BINDING_SYNC_CREATE);
  return GTK_WIDGET (self);
}
