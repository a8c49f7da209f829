/* prism-recipe: how a file of somebody's is to be understood: which array is which, in which unit,
 * turned which way. A text file of lines “key = value” below [recording]. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PrismRecipe PrismRecipe;

typedef enum
{
  PRISM_RECIPE_NAME,                    /* of an array of the file, or another file */
  PRISM_RECIPE_LENGTH,                  /* "630 nm", or the name of an array with one value in m */
  PRISM_RECIPE_NUMBER,                  /* or the name of an array with one value */
  PRISM_RECIPE_ANGLE,                   /* degrees, or the name of an array with one value */
  PRISM_RECIPE_INTEGER,
  PRISM_RECIPE_SWITCH,                  /* yes or no */
  PRISM_RECIPE_CHOICE,
  PRISM_RECIPE_BOX,                     /* column row width height, pixels */
} PrismRecipeType;

typedef struct
{
  const char *key;
  PrismRecipeType type;
  double minimum;                       /* of numbers, m for lengths */
  double maximum;
  const char *choices;                  /* (nullable): "xy|yx" */
  const char *help;
} PrismRecipeKey;

PrismRecipe          *prism_recipe_new        (void);
PrismRecipe          *prism_recipe_dup        (const PrismRecipe *self);
void                  prism_recipe_free       (PrismRecipe *self);
PrismRecipe          *prism_recipe_load       (const char  *path,
                                               GError     **error);
PrismRecipe          *prism_recipe_parse      (const char  *text,
                                               gsize        length,
                                               const char  *name,
                                               GError     **error);
gboolean              prism_recipe_save       (const PrismRecipe  *self,
                                               const char         *path,
                                               GError            **error);
char                 *prism_recipe_to_text    (const PrismRecipe *self);
gboolean              prism_recipe_set        (PrismRecipe  *self,
                                               const char   *key,
                                               const char   *value,
                                               GError      **error);
gboolean              prism_recipe_set_typed  (PrismRecipe  *self,
                                               const char   *key,
                                               const char   *typed,
                                               GError      **error);
const char           *prism_recipe_get        (const PrismRecipe *self,
                                               const char        *key);
gboolean              prism_recipe_is         (const PrismRecipe *self,
                                               const char        *key,
                                               const char        *value);
gboolean              prism_recipe_get_number (const PrismRecipe *self,
                                               const char        *key,
                                               double            *number);
const PrismRecipeKey *prism_recipe_get_keys   (gsize *n_keys);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PrismRecipe, prism_recipe_free)

G_END_DECLS
