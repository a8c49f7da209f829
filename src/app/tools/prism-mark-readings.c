#include "config.h"

#include "tools/prism-mark-readings.h"

#include "base/prism-csv.h"
#include "base/prism-each.h"
#include "charts/prism-chart.h"
#include "prism-mark-draw.h"
#include "support/prism-overflow-box.h"
#include "support/prism-widget.h"

#include <inttypes.h>

#define ALL_ROWS_DELAY 250 /* ms, of the numbers of marks that are not held */

typedef struct
{
  guint64 step;
  double mean;
  double deviation;
} Moment;

/* What becomes of an area in the course of a run. */
typedef struct
{
  PrismMark mark;
  PrismFrames *frames;
  PrismImage *reference; /* (nullable) */
} Course;

struct _PrismMarkReadings
{
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkListBox *list;
  GtkToggleButton *time_button;
  GtkToggleButton *keep_button;
  GtkBox *place;

  PrismView *view; /* (unowned): whose marks these are */
  PrismMarkBook *book;
  gboolean camera;
  GPtrArray *sources;      /* of PrismView, unowned: what a profile is of */
  PrismPlayback *playback; /* (nullable) */
  PrismChart *profile;     /* along a line */
  PrismChart *course;      /* over the run */
  PrismImage *kept;        /* (nullable): picture of a moment that stays in the chart */
  guint64 kept_step;
  GArray *moments; /* (nullable): of Moment, what the course shows */
  gboolean computing;
  gboolean outdated; /* another course is wanted */
  gboolean selecting;
  guint frame_id;
  guint rows_id;
  guint sight_id; /* until the row of the mark that is held is looked for */
};

G_DEFINE_FINAL_TYPE (PrismMarkReadings, prism_mark_readings, GTK_TYPE_WIDGET)

static void start_course (PrismMarkReadings *self);

static const PrismMark *
get_held (PrismMarkReadings *self)
{
  const PrismMark *held = prism_mark_book_get_held (self->book);

  return held != NULL && held->camera == self->camera ? held : NULL;
}

/* The newest picture of the run while an earlier one is shown. */
static PrismImage *
get_newest (PrismMarkReadings *self)
{
  PrismSnapshot *snapshot;

  if (self->camera || self->playback == NULL
      || self->playback->moment == NULL)
    return NULL;
  snapshot = self->playback->snapshot;
  return snapshot != NULL ? snapshot->reconstruction : NULL;
}

static void
show_curve (PrismMarkReadings *self,
            guint series,
            const PrismLineProfile *line,
            const PrismImage *image,
            const PrismImage *reference)
{
  guint n = prism_line_profile_count (line);
  g_autofree double *values = NULL;

  prism_chart_set_listed (self->profile, series, image != NULL);
  if (image == NULL)
    {
      prism_chart_replace (self->profile, series, NULL, 0);
      return;
    }
  values = g_new (double, n);
  prism_line_profile_compute (line, image, reference, values);
  prism_chart_replace (self->profile, series, values, n);
}

static void
show_profile (PrismMarkReadings *self,
              const PrismMark *mark)
{
  PrismLineProfile line;

  prism_mark_get_line (mark, &line);
  for (guint i = 0; i < self->sources->len; i++)
    {
      PrismView *source = self->sources->pdata[i];

      show_curve (self, i, &line, source->image,
                  prism_view_get_reference (source));
    }
  if (self->camera)
    return;
  show_curve (self, self->sources->len, &line, get_newest (self), NULL);
  show_curve (self, self->sources->len + 1, &line, self->kept, NULL);
}

static GtkWidget *
create_chart (const char *title,
              const char *x_title)
{
  g_autoptr (PrismChartData) data = prism_chart_data_new_titled (title, x_title);
  GtkWidget *chart = prism_chart_new_for (data);

  prism_chart_data_set_axis (data, PRISM_CHART_LEFT, _ ("Value"), FALSE, NAN, NAN);
  gtk_widget_set_hexpand (chart, TRUE);
  return chart;
}

/* Its name comes with its values. */
static void
add_curve (PrismMarkReadings *self,
           const char *name)
{
  prism_chart_set_listed (self->profile,
                          prism_chart_add_series (self->profile, name, PRISM_CHART_LEFT), FALSE);
}

/* Series are there from the start: the marks change while a pointer moves. */
static void
create_charts (PrismMarkReadings *self)
{
  GtkWidget *profile = create_chart (_ ("Profile"), _ ("Distance / px"));
  GtkWidget *course = create_chart (_ ("Area over the run"), _ ("Step"));

  self->profile = PRISM_CHART (profile);
  self->course = PRISM_CHART (course);
  prism_chart_set_empty_text (self->profile, _ ("Draw or choose a line."));
  PRISM_FOR_EACH_POINTER (PrismView, view, self->sources)
    add_curve (self, prism_view_get_title (view));
  if (!self->camera)
    {
      add_curve (self, _ ("Newest"));
      add_curve (self, _ ("Kept moment"));
    }
  prism_chart_add_series (self->course, _ ("Mean"), PRISM_CHART_LEFT);
  prism_chart_add_series (self->course, _ ("Mean + sd"), PRISM_CHART_LEFT);
  prism_chart_add_series (self->course, _ ("Mean − sd"), PRISM_CHART_LEFT);
  prism_chart_set_empty_text (self->course, _ ("No moments of the run are kept."));
  gtk_box_append (self->place, profile);
  gtk_box_append (self->place, course);
}

PRISM_FREE (Course, course_free, prism_frames_unref, frames, prism_image_unref, reference)

/* Reads the area in the picture of each moment that is kept, in order of their steps. Another
 * thread. */
static gpointer
compute_course (const Course *course,
                GError **error)
{
  const PrismImage *reference = course->reference;
  GArray *moments = g_array_new (FALSE, FALSE, sizeof (Moment));
  PrismArea area;

  prism_mark_get_area (&course->mark, &area);
  for (guint i = 0; i < course->frames->n_moments; i++)
    {
      const PrismImage *image = course->frames->moments[i]->image;
      gboolean same = reference != NULL && reference->width == image->width
                      && reference->height == image->height;
      PrismAreaValues values;
      Moment moment;

      prism_area_compute (&area, image, same ? reference : NULL, &values);
      moment = (Moment) { course->frames->moments[i]->step, values.mean, values.deviation };
      g_array_append_val (moments, moment);
    }
  return moments;
}

static void
on_course_computed (PrismMarkReadings *self,
                    gpointer course,
                    gpointer result,
                    const GError *error)
{
  self->computing = FALSE;
  g_clear_pointer (&self->moments, g_array_unref);
  self->moments = result;
  if (self->view == NULL)
    return;
  prism_chart_clear (self->course);
  if (self->moments != NULL)
    PRISM_FOR_EACH (const Moment, moment, self->moments)
      {
        const double means[]
            = { moment->mean, moment->mean + moment->deviation, moment->mean - moment->deviation };

        for (guint j = 0; j < G_N_ELEMENTS (means); j++)
          prism_chart_append (self->course, j, (double) moment->step, means[j]);
      }
  if (self->outdated)
    start_course (self);
}

static void
start_course (PrismMarkReadings *self)
{
  static const PrismJob job = { "area over the run", compute_course, on_course_computed,
                                course_free, g_array_unref };
  const PrismMark *held = get_held (self);
  PrismFrames *frames
      = self->playback != NULL ? prism_playback_get_frames (self->playback) : NULL;
  PrismImage *reference = prism_view_get_reference (self->view);

  self->outdated = self->computing;
  if (self->computing || frames == NULL || held == NULL || !prism_mark_is_area (held))
    return;
  self->computing = TRUE;
  prism_job_start (
      &job, self,
      PRISM_NEW (Course, *held, prism_frames_ref (frames), prism_image_ref (reference)), NULL);
}

static void
update_chart (PrismMarkReadings *self)
{
  const PrismMark *held = get_held (self);
  gboolean over_time;

  if (self->profile == NULL || self->view == NULL)
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->time_button),
                            held != NULL && prism_mark_is_area (held) && !self->camera);
  gtk_widget_set_sensitive (GTK_WIDGET (self->keep_button), !self->camera);
  over_time = gtk_widget_get_sensitive (GTK_WIDGET (self->time_button))
              && gtk_toggle_button_get_active (self->time_button);
  /* Numbers of an area have its room, where there is no curve to draw. */
  gtk_widget_set_visible (GTK_WIDGET (self->place),
                          over_time || held == NULL || !prism_mark_is_area (held));
  gtk_widget_set_visible (GTK_WIDGET (self->profile), !over_time);
  gtk_widget_set_visible (GTK_WIDGET (self->course), over_time);
  if (over_time)
    start_course (self);
  else if (held != NULL && !prism_mark_is_area (held))
    show_profile (self, held);
  else
    prism_chart_clear (self->profile);
}

static void
on_keep_toggled (PrismMarkReadings *self)
{
  PrismView *source = self->sources->len > 0 ? self->sources->pdata[0] : NULL;
  PrismImage *image = source != NULL ? source->image : NULL;
  PrismSnapshot *shown = self->playback != NULL ? self->playback->shown : NULL;
  g_autofree char *tip = NULL;

  g_clear_pointer (&self->kept, prism_image_unref);
  if (gtk_toggle_button_get_active (self->keep_button) && image != NULL)
    {
      self->kept = prism_image_ref (image);
      self->kept_step = shown != NULL ? shown->step : 0;
      tip = g_strdup_printf (_ ("The chart keeps step %" PRIu64), self->kept_step);
    }
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (self->keep_button),
      tip != NULL ? tip : _ ("Leave the profile of the moment that is shown in the chart"));
  update_chart (self);
}

static GtkWidget *
create_row (guint index)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  for (int i = 0; i < 2; i++)
    {
      gtk_box_append (GTK_BOX (box), prism_label_new (NULL, i == 1 ? "numbers" : NULL, 0));
    }
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  g_object_set_data (G_OBJECT (row), "index", GUINT_TO_POINTER (index));
  return row;
}

static guint
get_index (GtkListBoxRow *row)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "index"));
}

/* Returns: (nullable): what it measures on the object of recorded frames, while that is known */
static const PrismMarkReading *
find_reading (PrismMarkReadings *self,
              guint index)
{
  const GArray *readings = self->playback != NULL && !self->camera
                               ? prism_playback_get_readings (self->playback)
                               : NULL;
  const PrismMark *mark
      = &g_array_index (self->book->marks, PrismMark, index);
  const PrismMarkReading *reading = readings != NULL && index < readings->len
                                        ? &g_array_index (readings, PrismMarkReading, index)
                                        : NULL;

  return reading != NULL && memcmp (&reading->mark, mark, sizeof *mark) == 0 ? reading : NULL;
}

static void
update_row (PrismMarkReadings *self,
            GtkListBoxRow *row)
{
  const GArray *marks = self->book->marks;
  GtkWidget *title = gtk_widget_get_first_child (gtk_list_box_row_get_child (row));
  GtkWidget *numbers = gtk_widget_get_next_sibling (title);
  guint index = get_index (row);
  const PrismMark *mark = &g_array_index (marks, PrismMark, index);
  double metres = self->view->metres;
  g_autofree char *size = prism_mark_text_dup_size (mark, metres);
  g_autofree char *heading
      = g_strdup_printf ("%u  %s  %s", index + 1, prism_mark_text_get_kind (mark->kind), size);
  g_autofree char *reading
      = prism_mark_text_dup_reading (mark, self->view->image,
                                     prism_view_get_reference (self->view), metres);
  const PrismMarkReading *measured = find_reading (self, index);

  if (measured != NULL && mark->kind != PRISM_MARK_RULER)
    {
      g_autofree char *first = g_steal_pointer (&reading);
      g_autofree char *second = prism_mark_text_dup_measured (measured);

      reading = g_strconcat (first, "\n", second, NULL);
    }
  gtk_label_set_label (GTK_LABEL (title), heading);
  gtk_widget_set_tooltip_text (title, prism_error_of_get_text (PRISM_ERROR_OF_ENDS));
  gtk_widget_set_tooltip_text (
      numbers, measured != NULL ? prism_error_of_get_text (PRISM_ERROR_OF_HALVES) : NULL);
  gtk_label_set_label (GTK_LABEL (numbers), reading);
}

/* Whether there is a row for each mark of this picture, and none for one that is gone: marks may
 * have been taken back since. */
static gboolean
rows_fit (PrismMarkReadings *self)
{
  const GArray *marks = self->book->marks;
  GtkListBoxRow *row;
  int n = 0;

  for (guint i = 0; i < marks->len; i++)
    if (g_array_index (marks, PrismMark, i).camera == self->camera)
      {
        row = gtk_list_box_get_row_at_index (self->list, n++);
        if (row == NULL || get_index (row) != i)
          return FALSE;
      }
  return gtk_list_box_get_row_at_index (self->list, n) == NULL;
}

static void
rebuild_rows (PrismMarkReadings *self)
{
  const GArray *marks = self->book->marks;
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (self->list, 0)) != NULL)
    gtk_list_box_remove (self->list, GTK_WIDGET (row));
  for (guint i = 0; i < marks->len; i++)
    if (g_array_index (marks, PrismMark, i).camera == self->camera)
      gtk_list_box_append (self->list, create_row (i));
}

/* A new row has its place once the list was laid out. */
static void
on_sight (PrismMarkReadings *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);
  GtkAdjustment *scroll = gtk_list_box_get_adjustment (self->list);
  graphene_rect_t bounds;

  if (row != NULL && scroll != NULL
      && gtk_widget_compute_bounds (GTK_WIDGET (row), GTK_WIDGET (self->list), &bounds))
    gtk_adjustment_clamp_page (scroll, bounds.origin.y, bounds.origin.y + bounds.size.height);
}

/* @all: with those that are not held. */
static void
update_rows (PrismMarkReadings *self,
             gboolean all)
{
  int held = self->book->selected;
  GtkListBoxRow *row;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->list, i)) != NULL; i++)
    {
      if (all || (int) get_index (row) == held)
        update_row (self, row);
      if ((int) get_index (row) == held && row != gtk_list_box_get_selected_row (self->list))
        {
          gtk_list_box_select_row (self->list, row);
          prism_later (&self->sight_id, 0, on_sight, self);
        }
    }
  if (get_held (self) == NULL)
    gtk_list_box_unselect_all (self->list);
}

/* Returns: whether there are other rows now */
static gboolean
refill_rows (PrismMarkReadings *self,
             gboolean all)
{
  const gboolean others = !rows_fit (self);

  self->selecting = TRUE;
  if (others)
    rebuild_rows (self);
  update_rows (self, all || others);
  self->selecting = FALSE;
  return others;
}

static void
update_all_rows (PrismMarkReadings *self)
{
  refill_rows (self, TRUE);
}

/* Once a frame, however often the pointer or the run tells something. */
static gboolean
update (GtkWidget *widget,
        GdkFrameClock *clock,
        gpointer data)
{
  PrismMarkReadings *self = PRISM_MARK_READINGS (widget);

  self->frame_id = 0;
  if (!refill_rows (self, FALSE) && self->rows_id == 0)
    prism_later (&self->rows_id, ALL_ROWS_DELAY, update_all_rows, self);
  update_chart (self);
  return G_SOURCE_REMOVE;
}

static void
queue_update (PrismMarkReadings *self)
{
  if (self->frame_id == 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    self->frame_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), update, NULL, NULL);
}

/* Without marks the picture has the room, until a tool is chosen: did the room go with the first
 * mark, the picture would become another one below the pointer that draws it. */
static void
on_marks_changed (PrismMarkReadings *self)
{
  const GArray *marks = self->book->marks;
  gboolean any = self->book->tool != PRISM_MARK_BOOK_NO_TOOL;

  PRISM_FOR_EACH (const PrismMark, mark, marks)
    any |= mark->camera == self->camera;
  gtk_widget_set_visible (self->content, any);
  queue_update (self);
}

static void
on_row_selected (PrismMarkReadings *self,
                 GtkListBoxRow *row)
{
  if (row != NULL && !self->selecting)
    prism_mark_book_select (self->book, (int) get_index (row));
}

static void
prism_mark_readings_unmap (GtkWidget *widget)
{
  PrismMarkReadings *self = PRISM_MARK_READINGS (widget);

  if (self->frame_id != 0)
    gtk_widget_remove_tick_callback (widget, self->frame_id);
  self->frame_id = 0;
  g_clear_handle_id (&self->rows_id, g_source_remove);
  GTK_WIDGET_CLASS (prism_mark_readings_parent_class)->unmap (widget);
}

static void
prism_mark_readings_dispose (PrismMarkReadings *self)
{
  self->view = NULL;
}

static void
prism_mark_readings_class_init (PrismMarkReadingsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  PRISM_ON_DISPOSE (klass, prism_mark_readings_dispose);
  PRISM_DISPOSE (klass, PrismMarkReadings, g_source_remove, rows_id, sight_id);
  PRISM_DISPOSE (klass, PrismMarkReadings, gtk_widget_unparent, content);
  PRISM_DISPOSE (klass, PrismMarkReadings, g_ptr_array_unref, sources);
  PRISM_DISPOSE (klass, PrismMarkReadings, g_array_unref, moments);
  PRISM_DISPOSE (klass, PrismMarkReadings, prism_image_unref, kept);
  PRISM_DISPOSE (klass, PrismMarkReadings, g_object_unref, book, playback);
  g_type_ensure (PRISM_TYPE_ADAPTIVE_BOX);
  widget_class->unmap = prism_mark_readings_unmap;
  PRISM_TEMPLATE (klass, PrismMarkReadings, "prism-mark-readings.ui", content, list, time_button,
                  keep_button, place);
  PRISM_TEMPLATE_CALLBACKS (klass, update_chart, on_keep_toggled, on_row_selected,
                            on_marks_changed);
}

static void
prism_mark_readings_init (PrismMarkReadings *self)
{
  self->sources = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * prism_mark_readings_new:
 * @view: whose canvas has marks, and which outlives the bench
 * @camera: whether it shows what the camera sees
 *
 * Returns: (transfer floating): what the marks over it tell
 */
GtkWidget *
prism_mark_readings_new (PrismView *view,
                         gboolean camera)
{
  PrismMarkReadings *self = g_object_new (PRISM_TYPE_MARK_READINGS, NULL);
  PrismCanvas *canvas = view->canvas;

  self->view = view;
  self->camera = camera;
  self->book = g_object_ref (canvas->book);
  PRISM_CONNECT (self->book, "changed", on_marks_changed, self);
  PRISM_CONNECT (self->book, "notify::tool", on_marks_changed, self);
  PRISM_CONNECT (canvas->rasters[PRISM_LAYER_IMAGE], "changed", queue_update,
                 self);
  gtk_widget_set_visible (self->content, FALSE);
  return GTK_WIDGET (self);
}

/**
 * prism_mark_readings_add_source:
 * @self: a bench, before its playback is set
 * @view: another picture of the same size
 *
 * Adds a curve to the profiles.
 */
void
prism_mark_readings_add_source (PrismMarkReadings *self,
                                PrismView *view)
{
  g_ptr_array_add (self->sources, view);
}

/**
 * prism_mark_readings_set_playback:
 * @self: a bench with all its sources
 * @playback: the moments of the run
 *
 * Makes the charts, which know the past then, too.
 */
void
prism_mark_readings_set_playback (PrismMarkReadings *self,
                                  PrismPlayback *playback)
{
  g_return_if_fail (self->profile == NULL);

  self->playback = g_object_ref (playback);
  create_charts (self);
  PRISM_CONNECT (playback, "notify::shown", queue_update, self);
  update_chart (self);
}

/* Files have a point whatever the locale, and nothing for what is no number. */
static void
append_value (GString *text,
              double value)
{
  g_string_append_c (text, ',');
  prism_csv_append_number (text, value);
}

static char *
dup_profile (PrismMarkReadings *self)
{
  PrismChartData *data = self->profile->data;
  double metres = self->view->metres;
  PrismLineProfile line;
  GString *text = g_string_new ("distance_px,distance_m");
  guint n;

  prism_mark_get_line (get_held (self), &line);
  n = prism_line_profile_count (&line);
  for (guint i = 0; i < data->series->len; i++)
    g_string_append_printf (
        text, ",\"%s\"", prism_chart_data_get_series (data, i)->label);
  for (guint k = 0; k < n; k++)
    {
      double distance = n > 1 ? prism_line_profile_get_length (&line) * k / (n - 1) : 0;

      g_string_append_c (text, '\n');
      prism_csv_append_number (text, distance);
      append_value (text, metres > 0 ? distance * metres : NAN);
      PRISM_FOR_EACH_POINTER (PrismChartSeries, series, data->series)
        {
          append_value (text, k < prism_chart_series_get_n_points (series)
                                  ? prism_chart_series_get_y (series, k, FALSE)
                                  : NAN);
        }
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static char *
dup_course (PrismMarkReadings *self)
{
  GString *text = g_string_new ("step,mean,sd\n");

  if (self->moments != NULL)
    PRISM_FOR_EACH (const Moment, moment, self->moments)
      {
        g_string_append_printf (text, "%" PRIu64, moment->step);
        append_value (text, moment->mean);
        append_value (text, moment->deviation);
        g_string_append_c (text, '\n');
      }
  return g_string_free (text, FALSE);
}

/* A row for each mark on the picture: where it is, its length, or what is in it. */
static char *
dup_table (PrismMarkReadings *self)
{
  const GArray *marks = self->book->marks;
  const PrismImage *image = self->view->image;
  const PrismImage *reference = prism_view_get_reference (self->view);
  const double metres = self->view->metres;
  GString *text = g_string_new ("number,kind,x0,y0,x1,y1,length_px,length_m,count,mean,sd,min,max,"
                                "snr,contrast,length_error_px,length_error_m");

  for (PrismMeasure k = 0; k < PRISM_MEASURE_N; k++)
    g_string_append_printf (text, ",object_%s,object_%s_error", prism_measure_get_name (k),
                            prism_measure_get_name (k));
  g_string_append_c (text, '\n');
  for (guint i = 0; i < marks->len; i++)
    {
      const PrismMark *mark = &g_array_index (marks, PrismMark, i);
      const PrismMarkReading *reading = find_reading (self, i);

      if (mark->camera != self->camera)
        continue;
      g_string_append_printf (text, "%u,%s,%d,%d,%d,%d", i + 1, prism_mark_get_name (mark->kind),
                              mark->x0, mark->y0, mark->x1, mark->y1);
      if (prism_mark_is_area (mark))
        {
          PrismAreaValues values = { 0, NAN, NAN, NAN, NAN, NAN, NAN };
          PrismArea area;

          prism_mark_get_area (mark, &area);
          if (image != NULL)
            prism_area_compute (&area, image, reference, &values);
          g_string_append_printf (text, ",,,%d", values.count);
          append_value (text, values.mean);
          append_value (text, values.deviation);
          append_value (text, values.minimum);
          append_value (text, values.maximum);
          append_value (text, values.snr);
          append_value (text, values.contrast);
          g_string_append (text, ",,");
        }
      else
        {
          PrismLineProfile line;
          double length;

          prism_mark_get_line (mark, &line);
          length = prism_line_profile_get_length (&line);
          append_value (text, length);
          append_value (text, metres > 0 ? length * metres : NAN);
          g_string_append (text, ",,,,,,,");
          append_value (text, PRISM_LINE_PROFILE_ERROR);
          append_value (text, metres > 0 ? PRISM_LINE_PROFILE_ERROR * metres : NAN);
        }
      for (PrismMeasure k = 0; k < PRISM_MEASURE_N; k++)
        {
          append_value (text, reading != NULL ? reading->measured[k].value : NAN);
          append_value (text, reading != NULL ? reading->measured[k].error : NAN);
        }
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

/**
 * prism_mark_readings_dup_csv:
 * @self: a bench
 *
 * Writes down what it shows: the profile of a line that is held, the course of an area, or else a
 * row for each mark.
 *
 * Returns: (transfer full): a table
 */
char *
prism_mark_readings_dup_csv (PrismMarkReadings *self)
{
  const PrismMark *held = get_held (self);

  if (held != NULL && held->kind == PRISM_MARK_LINE)
    {
      show_profile (self, held);
      return dup_profile (self);
    }
  if (held != NULL && prism_mark_is_area (held)
      && gtk_toggle_button_get_active (self->time_button) && self->moments != NULL)
    return dup_course (self);
  return dup_table (self);
}
