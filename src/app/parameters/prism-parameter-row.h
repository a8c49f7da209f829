/* prism-parameter-row: one parameter in the sidebar: name, range, control, help, reset. The control
 * is a PrismParameterEditor, chosen by the type of the parameter. */
#pragma once

#include <adwaita.h>

#include "session/prism-session.h"

G_BEGIN_DECLS

#define PRISM_TYPE_PARAMETER_EDITOR (prism_parameter_editor_get_type ())

G_DECLARE_FINAL_TYPE (PrismParameterEditor,
                      prism_parameter_editor,
                      PRISM,
                      PARAMETER_EDITOR,
                      GtkWidget)

struct _PrismParameterEditor
{
  GtkWidget parent_instance;

  const PrismParam *param;
  GtkWidget *control; /* what is edited and focused */
  GtkWidget *slider;  /* (nullable) */
  char *other;        /* (nullable): the value, where the list has it not of itself */
  gboolean recorded;  /* choices of recorded frames */
  double held;        /* value of the control while it shows what is none; otherwise NAN */
  gboolean updating;  /* the control is being set, not edited */
};

GtkWidget *prism_parameter_editor_new         (const PrismParam *param);
void       prism_parameter_editor_set_text    (PrismParameterEditor *self,
                                               const char           *text);
void       prism_parameter_editor_set_slider  (PrismParameterEditor *self,
                                               double                low,
                                               double                high);
void       prism_parameter_editor_set_recorded (PrismParameterEditor *self,
                                                gboolean              recorded);
void       prism_parameter_editor_set_slim    (PrismParameterEditor *self);

#define PRISM_TYPE_PARAMETER_ROW (prism_parameter_row_get_type ())

G_DECLARE_FINAL_TYPE (PrismParameterRow, prism_parameter_row, PRISM, PARAMETER_ROW, AdwActionRow)

/* A row of what one plays with: one parameter, or two beside each other. */
typedef struct
{
  const char *keys[3];                  /* one or two, %NULL at the end */
  const char *joint;                    /* (nullable): between the two */
  double low;                           /* of a slider; 0: none */
  double high;                          /* 0: an eighth of the field */
  const char *title;                    /* (nullable): of both; of the first */
} PrismEssential;

struct _PrismParameterRow
{
  AdwActionRow parent_instance;

  GtkButton *reset_button;
  GtkMenuButton *help_button;
  GtkLabel *help_label;
  GtkLabel *detail_label;
  GtkButton *open_button;

  PrismSession *session;
  PrismDraft *draft;
  const PrismEssential *essential; /* (nullable) */
  const PrismParam *param;
  PrismParameterEditor *editor;
  const PrismParam *second; /* (nullable) */
  PrismParameterEditor *second_editor;
  GtkWidget *joint; /* (nullable): between the two */
  char *range;      /* (nullable): "1 – 2048 px"; of a narrow row "dB" */
};

GtkWidget        *prism_parameter_row_new           (PrismSession         *session,
                                                     const PrismParam     *param,
                                                     const PrismEssential *essential);
guint             prism_parameter_row_rank          (PrismParameterRow *self,
                                                     const char        *words);

G_END_DECLS
