/* prism-library-window: all runs that are kept, to be found again, named, compared and thrown away.
 * Signals: open-run, with a path; compare-runs, with several. */
#pragma once

#include "run/prism-run-index.h"
#include "library/prism-library-row.h"
#include "library/prism-library-index.h"
#include <adwaita.h>

G_BEGIN_DECLS

#define PRISM_TYPE_LIBRARY_WINDOW (prism_library_window_get_type ())

G_DECLARE_FINAL_TYPE (PrismLibraryWindow, prism_library_window, PRISM, LIBRARY_WINDOW, AdwWindow)

struct _PrismLibraryWindow
{
  AdwWindow parent_instance;

  AdwWindowTitle *window_title;
  GtkLabel *empty_label;
  GtkToggleButton *starred_button;
  GtkDropDown *order;
  GtkEditable *search;
  GtkLabel *problem;
  GtkListView *list;
  GtkEditable *name_entry;
  GtkEditable *tags_entry;
  GtkWidget *open_button;
  GtkWidget *compare_button;
  GtkWidget *trash_button;

  PrismRunCatalogue *catalogue; /* (nullable): where it cannot be made */
  PrismLibraryIndex *index;     /* (nullable): as the catalogue is */
  char *runs;                   /* folder that the program saves runs in */
  GListStore *store;            /* of PrismLibraryItem */
  GHashTable *items;            /* card → its item, which the store keeps */
  GHashTable *folders;          /* path → how many of its runs have a setting */
  GHashTable *pictures;         /* path → small GdkTexture */
  GtkFilter *filter;
  GtkSorter *sorter;
  GtkSelectionModel *selection;
  gboolean filling; /* what stands in the entries comes from the run that is chosen */
  guint n_chosen;   /* how many runs are, G_MAXUINT in the beginning, and the first of them */
  gpointer chosen;
  GStrv words;         /* of prism_library_item_split() */
  GHashTable *wanted;  /* paths to be read, besides those of the folder */
  GHashTable *refused; /* paths that could not be read */
  gboolean reading;
  gboolean outdated; /* files are to be looked for once more when that is over */
  gboolean away;     /* the user has been at another window */
};

GtkWidget  *prism_library_window_new       (const char *catalogue,
                                            const char *runs);
void        prism_library_window_refresh   (PrismLibraryWindow *self);

G_END_DECLS
