#include "config.h"

#include "reconstruction/prism-finding-view.h"

#include "charts/prism-chart-plot.h"
#include "prism-finding-draw.h"
#include "prism-scale.h"
#include "support/prism-ui-text.h"
#include "support/prism-widget.h"

#define INTERVAL 200      /* ms between two pictures while something is found */
#define MAX_CIRCLES 400   /* of pupils; with more one sees nothing else */
#define FAINTEST -5.0f    /* of a spectrum that is shown, log10 */
#define WHEEL_RADIUS 16.0 /* px, of the colours of phases */
#define WHEEL_WIDTH 9
#define WHEEL_PARTS 48

/* What is asked for, and what comes of it. */
typedef struct
{
  PrismFinding *finding;
  PrismFindingPicture picture;
  PrismImage *image;       /* (nullable): not yet, or there was no memory */
  cairo_surface_t *colors; /* (nullable) [S][S], shown in place of the image's */
} Answer;

struct _PrismFindingView
{
  PrismView parent_instance;

  PrismFindingPicture picture;
  PrismFinding *finding; /* (nullable) */
  gboolean in_tiles;     /* the field is */
  PrismWorker *worker;
  GtkLabel *aberrations; /* (nullable): below a pupil */
};

G_DEFINE_FINAL_TYPE (PrismFindingView, prism_finding_view, PRISM_TYPE_VIEW)

/* How each picture is shown. */
typedef struct
{
  const char *label;
  PrismColormap colormap;
  PrismLevels levels;
  float black;
  float white;
  const char *unit; /* (nullable) */
} Look;

static const Look looks[PRISM_FINDING_N_PICTURES] = {
  { N_ ("Amplitude"), PRISM_COLORMAP_GREY, PRISM_LEVELS_PERCENTILE, 0, 1, NULL },
  { N_ ("Phase"), PRISM_COLORMAP_COOLWARM, PRISM_LEVELS_MANUAL, -(float) G_PI, (float) G_PI,
    "rad" },
  { N_ ("Phase, unwrapped"), PRISM_COLORMAP_VIRIDIS, PRISM_LEVELS_PERCENTILE, 0, 1, "rad" },
  { N_ ("Phase without ramp"), PRISM_COLORMAP_VIRIDIS, PRISM_LEVELS_PERCENTILE, 0, 1,
    "rad" },
  { N_ ("Amplitude as brightness, phase as hue"), PRISM_COLORMAP_GREY, PRISM_LEVELS_MANUAL, 0, 1,
    NULL },
  { N_ ("Bright field"), PRISM_COLORMAP_GREY, PRISM_LEVELS_PERCENTILE, 0, 1, NULL },
  { N_ ("Dark field"), PRISM_COLORMAP_GREY, PRISM_LEVELS_PERCENTILE, 0, 1, NULL },
  { N_ ("Phase contrast"), PRISM_COLORMAP_GREY, PRISM_LEVELS_PERCENTILE, 0, 1, NULL },
  { N_ ("Interference contrast"), PRISM_COLORMAP_GREY, PRISM_LEVELS_PERCENTILE, 0, 1, NULL },
  { N_ ("Spectrum with pupils"), PRISM_COLORMAP_INFERNO, PRISM_LEVELS_MANUAL, FAINTEST, 0, NULL },
  { N_ ("Pupil amplitude"), PRISM_COLORMAP_GREY, PRISM_LEVELS_MIN_MAX, 0, 1, NULL },
  { N_ ("Pupil phase"), PRISM_COLORMAP_COOLWARM, PRISM_LEVELS_SYMMETRIC, -1, 1,
    N_ ("waves") },
};

PRISM_FREE (Answer,
            answer_free,
            prism_finding_unref,
            finding,
            prism_image_unref,
            image,
            cairo_surface_destroy,
            colors)

/* What was drawn with it may hold the surface longer than the answer: it owns its pixels. */
static cairo_surface_t *
make_colors (const PrismFinding *finding)
{
  static const cairo_user_data_key_t key;
  const int width = finding->object_width;
  guint32 *colors = prism_finding_picture_dup_colors (finding, NULL);
  cairo_surface_t *surface;

  if (colors == NULL)
    return NULL;
  surface = cairo_image_surface_create_for_data ((guchar *) colors, CAIRO_FORMAT_ARGB32, width,
                                                 finding->object_height, 4 * width);
  cairo_surface_set_user_data (surface, &key, colors, prism_arena_free_array);
  return surface;
}

static Answer *
answer_new (PrismFinding *finding,
            PrismFindingPicture picture)
{
  return PRISM_NEW (Answer, prism_finding_ref (finding), picture);
}

/* Another thread. */
static gpointer
answer (gpointer input)
{
  const Answer *question = input;
  Answer *self = answer_new (question->finding, question->picture);

  self->image = prism_finding_picture_new (self->finding, self->picture, NULL);
  if (self->picture == PRISM_FINDING_COMPLEX)
    self->colors = make_colors (self->finding);
  return self;
}

/* A pixel of the spectrum is no length. */
static double
get_metres (const Answer *answer)
{
  return answer->picture < PRISM_FINDING_SPECTRUM && isfinite (answer->finding->pixel_size)
             ? answer->finding->pixel_size
             : 0;
}

static void
show_aberrations (PrismFindingView *self,
                  const PrismFinding *finding)
{
  g_autofree char *text = finding != NULL ? prism_finding_text_dup_aberrations (finding) : NULL;

  if (self->aberrations == NULL && text == NULL)
    return;
  if (self->aberrations == NULL)
    {
      self->aberrations = GTK_LABEL (prism_label_new (NULL, NULL, -1));
      g_object_set (self->aberrations, "ellipsize", PANGO_ELLIPSIZE_END, "wrap", TRUE, "lines", 2,
                    NULL);
      prism_view_set_footer (PRISM_VIEW (self), GTK_WIDGET (self->aberrations));
    }
  gtk_label_set_label (self->aberrations, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->aberrations), text);
}

static void
on_answered (PrismFindingView *self)
{
  const Answer *found = self->worker->result;

  if (found == NULL)
    {
      show_aberrations (self, NULL);
      prism_view_set_image (PRISM_VIEW (self), NULL);
      return;
    }
  prism_view_set_scale (PRISM_VIEW (self), get_metres (found), 0);
  show_aberrations (self, found->picture >= PRISM_FINDING_PUPIL_AMPLITUDE ? found->finding : NULL);
  prism_view_set_notice (PRISM_VIEW (self),
                         found->image == NULL ? _ ("There is not enough memory for this picture.")
                                              : NULL);
  prism_view_set_image (PRISM_VIEW (self), found->image);
  prism_canvas_redraw (PRISM_VIEW (self)->canvas);
}

static void
ask (PrismFindingView *self)
{
  prism_worker_submit (self->worker, self->finding != NULL
                                         ? answer_new (self->finding, self->picture)
                                         : NULL);
}

/* Which hue is which phase: 0 to the right, a quarter of a turn down, as rows go. */
static void
draw_wheel (cairo_t *cr,
            double x,
            double y)
{
  cairo_set_line_width (cr, WHEEL_WIDTH);
  for (int i = 0; i < WHEEL_PARTS; i++)
    {
      const double phase = 2 * G_PI * i / WHEEL_PARTS;
      double color[3];

      for (int k = 0; k < 3; k++)
        color[k] = 0.5 + 0.45 * cos (phase - 2 * G_PI * k / 3);
      cairo_arc (cr, x, y, WHEEL_RADIUS, phase - G_PI / WHEEL_PARTS - 0.01,
                 phase + G_PI / WHEEL_PARTS + 0.01);
      cairo_set_source_rgb (cr, color[0], color[1], color[2]);
      cairo_stroke (cr);
    }
}

static void
draw_colors (cairo_surface_t *colors,
             PrismPaint *paint,
             const PrismFrame *frame)
{
  cairo_t *cr = paint->cr;
  const double edge = 2 * WHEEL_RADIUS;

  cairo_save (cr);
  cairo_translate (cr, frame->x0, frame->y0);
  cairo_scale (cr, frame->scale, frame->scale);
  cairo_rectangle (cr, 0, 0, frame->image_width, frame->image_height);
  cairo_clip (cr);
  prism_paint_set_pixels (cr, colors,
                          frame->scale * frame->device_scale > 2 ? CAIRO_FILTER_NEAREST
                                                                 : CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_restore (cr);
  if (frame->area_width < 4 * edge || frame->area_height < 4 * edge)
    return;
  cairo_save (cr);
  draw_wheel (cr, MAX (frame->x0, 0) + edge,
              MIN (frame->y0 + frame->scale * frame->image_height, frame->area_height) - edge);
  cairo_restore (cr);
}

/* Where the pupil of each frame lies: orange as found, where it was never used dashed. */
static void
draw_pupils (const PrismFinding *finding,
             PrismPaint *paint,
             const PrismFrame *frame)
{
  static const double dashes[] = { 3, 3 };
  cairo_t *cr = paint->cr;
  const double middle = (MIN (finding->object_height, finding->object_width) / 2) + 0.5;

  if (finding->n_frames > MAX_CIRCLES || !isfinite (finding->radius))
    return;
  cairo_save (cr);
  cairo_set_line_width (cr, 1);
  for (guint j = 0; j < finding->n_frames; j++)
    {
      const PrismFindingFrame *one = &finding->frames[j];

      if (!isfinite (one->found[0]) || !isfinite (one->found[1]))
        continue;
      cairo_new_sub_path (cr);
      cairo_arc (cr, frame->x0 + (middle + one->found[0]) * frame->scale,
                 frame->y0 + (middle + one->found[1]) * frame->scale,
                 finding->radius * frame->scale, 0, 2 * G_PI);
      cairo_set_dash (cr, dashes, one->held ? 2 : 0, 0);
      cairo_set_source_rgba (cr, 1, 0.65, 0.1, one->held ? 0.9 : 0.35);
      cairo_stroke (cr);
    }
  cairo_restore (cr);
}

static void
prism_finding_view_draw_overlay (PrismView *view,
                                 PrismPaint *paint,
                                 const PrismFrame *frame)
{
  PrismFindingView *self = PRISM_FINDING_VIEW (view);
  const Answer *found = self->worker->result;

  if (found == NULL || found->image == NULL)
    return;
  if (found->colors != NULL)
    draw_colors (found->colors, paint, frame);
  if (found->picture == PRISM_FINDING_SPECTRUM)
    draw_pupils (found->finding, paint, frame);
}

/* Places of the object are lengths where a pixel is known. */
static char *
dup_place_text (const Answer *found,
                const PrismProbe *probe,
                const char *value)
{
  const double micrometres = 1e6 * get_metres (found);

  if (micrometres > 0)
    return g_strdup_printf ("x %.2f µm, y %.2f µm:  %s", micrometres * probe->x,
                            micrometres * probe->y, value);
  return g_strdup_printf ("x %d, y %d:  %s", probe->x, probe->y, value);
}

/* Of the object where it is and how much; of spectra the place from the centre. */
static char *
prism_finding_view_dup_probe_text (PrismView *view,
                                   const PrismProbe *probe)
{
  PrismFindingView *self = PRISM_FINDING_VIEW (view);
  const Answer *found = self->worker->result;
  g_autofree char *value = prism_ticks_dup_value (probe->value);
  g_autofree char *text = NULL;
  const char *unit;

  if (found == NULL)
    return NULL;
  unit = looks[found->picture].unit;
  if (isnan (probe->value))
    return dup_place_text (found, probe, _ ("nothing is known here"));
  if (found->picture == PRISM_FINDING_COMPLEX)
    {
      const gsize i = 2 * ((gsize) probe->y * found->finding->object_width + probe->x);
      const float *field = found->finding->object + i;
      g_autofree char *phase = prism_ticks_dup_value ((double) atan2f (field[1], field[0]));
      g_autofree char *both = g_strdup_printf (_ ("%s, phase %s rad"), value, phase);

      return dup_place_text (found, probe, both);
    }
  if (found->picture >= PRISM_FINDING_SPECTRUM)
    {
      const int middle = found->image != NULL ? found->image->width / 2 : 0;

      return g_strdup_printf ("kx %d, ky %d:  %s%s%s", probe->x - middle, probe->y - middle, value,
                              unit != NULL ? " " : "", unit != NULL ? gettext (unit) : "");
    }
  text = g_strdup_printf ("%s%s%s", value, unit != NULL ? " " : "",
                          unit != NULL ? gettext (unit) : "");
  return dup_place_text (found, probe, text);
}

/* Of a field in tiles the pupil is that of the middle one. */
static void
update_title (PrismFindingView *self)
{
  const char *label = gettext (looks[self->picture].label);
  const gboolean is_of_tile = self->picture >= PRISM_FINDING_PUPIL_AMPLITUDE && self->in_tiles;
  /* TRANSLATORS: the title of a picture: “Pupil phase, middle tile” */
  g_autofree char *title = is_of_tile ? g_strdup_printf (_ ("%s, middle tile"), label)
                                      : g_strdup (label);

  g_object_set (self, "title", title, NULL);
}

static void
apply_look (PrismFindingView *self)
{
  const Look *look = &looks[self->picture];

  PRISM_VIEW (self)->centered = self->picture >= PRISM_FINDING_SPECTRUM;
  update_title (self);
  g_object_set (self, "colormap", look->colormap, "levels", look->levels, "black", look->black,
                "white", look->white, NULL);
  ask (self);
  prism_worker_hurry (self->worker);
}

static void
prism_finding_view_class_init (PrismFindingViewClass *klass)
{
  PRISM_DISPOSE (klass, PrismFindingView, g_object_unref, worker);
  PRISM_DISPOSE (klass, PrismFindingView, prism_finding_unref, finding);
  PRISM_FIELD (klass, PrismFindingView, picture, G_TYPE_INT, apply_look);
  PRISM_VIEW_CLASS (klass)->draw_overlay = prism_finding_view_draw_overlay;
  PRISM_VIEW_CLASS (klass)->dup_probe_text = prism_finding_view_dup_probe_text;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-image-view");
  gtk_widget_class_install_property_action (GTK_WIDGET_CLASS (klass), "panel.picture", "picture");
}

static void
prism_finding_view_init (PrismFindingView *self)
{
  self->worker = prism_worker_new (answer, answer_free, answer_free, INTERVAL);
  PRISM_CONNECT (self->worker, "changed", on_answered, self);
}

/**
 * prism_finding_view_offer:
 * @view: a view
 * @first: of the pictures that it can show
 * @last: of them
 * @shown: the one that it shows first
 *
 * Lets the title choose which picture of a finding the view shows.
 */
void
prism_finding_view_offer (PrismFindingView *view,
                          PrismFindingPicture first,
                          PrismFindingPicture last,
                          PrismFindingPicture shown)
{
  GtkWidget *title = GTK_WIDGET (PRISM_VIEW (view)->title_label);
  GtkWidget *chooser = gtk_menu_button_new ();
  const char *help = _ ("Choose another picture, such as bright or dark field");
  g_autoptr (GMenu) menu = g_menu_new ();

  for (PrismFindingPicture i = first; i <= last; i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (gettext (looks[i].label), NULL);

      g_menu_item_set_action_and_target (item, "panel.picture", "i", (gint32) i);
      g_menu_append_item (menu, item);
    }
  gtk_widget_insert_before (chooser, gtk_widget_get_parent (title), title);
  gtk_widget_unparent (title);
  gtk_menu_button_set_child (GTK_MENU_BUTTON (chooser), title);
  gtk_menu_button_set_always_show_arrow (GTK_MENU_BUTTON (chooser), TRUE);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (chooser), G_MENU_MODEL (menu));
  gtk_widget_add_css_class (chooser, "prism-menu");
  gtk_widget_set_tooltip_text (chooser, help);
  prism_widget_set_name (chooser, help);
  g_object_set (view, "picture", shown, NULL);
}

/**
 * prism_finding_view_set_snapshot:
 * @snapshot: what is on the screen
 *
 * Shows another finding as soon as its picture is made. A run that stands still needs no processor:
 * its picture is made at once.
 */
void
prism_finding_view_set_snapshot (PrismFindingView *self,
                                 PrismSnapshot *snapshot)
{
  const gboolean in_tiles = prism_snapshot_is_in_tiles (snapshot);

  if (in_tiles != self->in_tiles)
    {
      self->in_tiles = in_tiles;
      update_title (self);
    }
  if (prism_keep (&self->finding, snapshot->finding, prism_finding_ref, prism_finding_unref))
    ask (self);
  if (snapshot->state != PRISM_STATE_RUNNING)
    prism_worker_hurry (self->worker);
}

struct _PrismLightPanel
{
  GtkBox parent_instance;

  PrismFinding *finding; /* (nullable) */
  gboolean in_tiles;
  char *gap; /* (nullable): why there is no finding */
  GtkDropDown *kind;
  GtkMenuButton *doubts_button;
  GtkLabel *doubts; /* in its popover */
  PrismChartPlot *map;
  GtkLabel *text;
};

G_DEFINE_FINAL_TYPE (PrismLightPanel, prism_light_panel, GTK_TYPE_BOX)

static void
show_text (PrismLightPanel *self)
{
  const char *tip = self->map->hover_text != NULL ? self->map->hover_text
                                                  : _ ("Choose an LED to see its frame.");
  g_autofree char *text = self->in_tiles ? g_strdup_printf (_ ("Middle tile: %s"), tip)
                                         : g_strdup (tip);

  gtk_label_set_label (self->text, text);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text), text);
}

/* They stay, whatever light is looked at, and are read as a whole behind their button. */
static void
show_doubts (PrismLightPanel *self)
{
  g_autoptr (GPtrArray) doubts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *label = NULL, *short_label = NULL, *text = NULL, *shown = NULL;

  if (self->finding != NULL)
    prism_finding_tell (self->finding, doubts);
  label = g_strdup_printf (ngettext ("%u warning", "%u warnings", doubts->len), doubts->len);
  short_label = g_strdup_printf ("⚠ %u", doubts->len);
  gtk_widget_set_visible (GTK_WIDGET (self->doubts_button), doubts->len > 0);
  g_ptr_array_add (doubts, NULL);
  text = g_strjoinv ("\n\n", (char **) doubts->pdata);
  shown = prism_ui_text_dup_sentence (text);
  gtk_label_set_label (self->doubts, shown);
  prism_widget_set_name (self->doubts_button, label);
  gtk_menu_button_set_label (self->doubts_button, short_label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->doubts_button), shown);
}

static void
on_chosen (PrismLightPanel *self,
           guint frame)
{
  g_signal_emit_by_name (self, "frame-chosen", frame);
}

/* The frame that is chosen stays where there is one of its number. */
static void
update (PrismLightPanel *self)
{
  const guint chosen = self->map->chosen;
  g_autoptr (PrismChartData) data
      = prism_light_chart_new (self->finding, gtk_drop_down_get_selected (self->kind));

  data->empty_text = g_strdup (self->gap);
  prism_chart_plot_set_data (self->map, data);
  prism_chart_plot_set_chosen (self->map,
                               chosen < data->items->len ? chosen : PRISM_CHART_NO_ITEM);
  show_text (self);
  show_doubts (self);
}

static void
prism_light_panel_class_init (PrismLightPanelClass *klass)
{
  PRISM_DISPOSE (klass, PrismLightPanel, prism_finding_unref, finding);
  PRISM_DISPOSE (klass, PrismLightPanel, g_free, gap);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "prism-light-panel");
  g_type_ensure (PRISM_TYPE_CHART_PLOT);
  PRISM_TEMPLATE (klass, PrismLightPanel, "prism-light-panel.ui", kind, doubts_button, doubts, map,
                  text);
  PRISM_TEMPLATE_CALLBACKS (klass, update, on_chosen, show_text);
  prism_signal_new (klass, "frame-chosen", 1, G_TYPE_UINT);
}

static void
prism_light_panel_init (PrismLightPanel *self)
{
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint k = 0; k < PRISM_LIGHT_N_KINDS; k++)
    gtk_string_list_append (labels, prism_light_kind_get_label (k));
  gtk_drop_down_set_model (self->kind, G_LIST_MODEL (labels));
  update (self);
}

/**
 * prism_light_panel_get_map:
 *
 * Returns: (transfer none): what it shows, for figures
 */
PrismChartPlot *
prism_light_panel_get_map (PrismLightPanel *self)
{
  return self->map;
}

/**
 * prism_light_panel_set_finding:
 * @finding: (nullable): what is known
 * @in_tiles: whether the field is
 * @gap: (nullable): why nothing is known
 *
 * Shows other frames.
 */
void
prism_light_panel_set_finding (PrismLightPanel *self,
                               PrismFinding *finding,
                               gboolean in_tiles,
                               const char *gap)
{
  gboolean changes = prism_keep (&self->finding, finding, prism_finding_ref, prism_finding_unref);

  changes |= g_strcmp0 (gap, self->gap) != 0 || in_tiles != self->in_tiles;
  if (!changes)
    return;
  prism_keep_text (&self->gap, gap);
  self->in_tiles = in_tiles;
  update (self);
}
