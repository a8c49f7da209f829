/* prism-draft: the configuration that is being edited: changes, their undo, and what is wrong with
 * it. Recorded frames travel with the configuration that they are for: an undo brings both back.
 * Nothing here knows of a run. */
#pragma once

#include <glib-object.h>

#include "measure/prism-scene.h"

G_BEGIN_DECLS

#define PRISM_TYPE_DRAFT (prism_draft_get_type ())

G_DECLARE_FINAL_TYPE (PrismDraft, prism_draft, PRISM, DRAFT, GObject)

struct _PrismDraft
{
  GObject parent_instance;

  PrismConfig *config; /* always within the ranges of the table */
  PrismScene *frames;  /* (nullable): recorded ones that it is for; none of a telescope, nor of a
                        * run from a file or another recording before they are read */
  char *display;       /* (nullable): how its runs are looked at */
  PrismConfig *first;  /* what it began with */
  GPtrArray *past;     /* of Step: what was there before each change */
  GPtrArray *future;   /* and after each that was taken back */
  GHashTable *readings; /* path → how frames that are not held are read again, see
                         * prism_problem_to_text() */
  GHashTable *refused; /* key → text in a row that is not a value */
  char *mismatch;      /* (nullable): why the parameters do not fit together */
  const char *wrong;   /* (nullable): the key that should change for that */
  char *problem;       /* (nullable): the sentence shown for either */
};

gboolean           prism_draft_find_frames     (PrismDraft  *self,
                                                const char  *object,
                                                PrismScene **frames);
void               prism_draft_fill_frames     (PrismDraft *self,
                                                const char *object,
                                                PrismScene *frames);
char              *prism_draft_dup_problem_of  (PrismDraft       *self,
                                                const PrismParam *param);
gboolean           prism_draft_set_parameter   (PrismDraft        *self,
                                                const PrismParam  *param,
                                                const char        *text,
                                                GError           **error);
void               prism_draft_reset_parameter (PrismDraft       *self,
                                                const PrismParam *param);
gboolean           prism_draft_set_several     (PrismDraft         *self,
                                                const char *const  *values,
                                                const char         *label,
                                                const char         *merge_key,
                                                GError            **error);
void               prism_draft_open            (PrismDraft        *self,
                                                const PrismConfig *config,
                                                const char        *display,
                                                const char        *label);
void               prism_draft_open_frames     (PrismDraft        *self,
                                                const PrismConfig *config,
                                                PrismScene        *frames,
                                                const char        *display,
                                                const char        *label);
void               prism_draft_take_run        (PrismDraft        *self,
                                                const PrismConfig *config,
                                                const char        *display,
                                                const char        *label);
void               prism_draft_set_display     (PrismDraft *self,
                                                const char *key,
                                                const char *value,
                                                const char *merge_key);
void               prism_draft_leave_run       (PrismDraft *self);
void               prism_draft_load            (PrismDraft        *self,
                                                const PrismConfig *config);
void               prism_draft_set_config      (PrismDraft        *self,
                                                const PrismConfig *config,
                                                const char        *label);
void               prism_draft_set_preset      (PrismDraft        *self,
                                                const PrismConfig *config,
                                                gboolean           is_scene,
                                                const char        *label);
void               prism_draft_undo            (PrismDraft *self);
void               prism_draft_redo            (PrismDraft *self);

G_END_DECLS
