/* prism-export: a snapshot as files: PNG, CSV, JSON, .npy. Thread: any. */
#pragma once

#include "formats/prism-bundle.h"
#include "history/prism-snapshot.h"

G_BEGIN_DECLS

/* Finds out before a run whether a directory takes a result; creates it where it is missing. */
gboolean prism_export_check_directory (const char  *directory,
                                       gboolean     replaces,
                                       GError     **error);
/* Of a snapshot from a run file: makes what export writes as decoder.npz. */
gboolean prism_export_fold_decoder    (PrismSnapshot  *snapshot,
                                       PrismBundle    *state,
                                       GError        **error);
/* reconstruction.png, metrics.csv, summary.json, reconstruction.npy, target.npy, coverage.npy, … */
gboolean prism_export_save            (PrismSnapshot  *snapshot,
                                       const char     *directory,
                                       gboolean        brief,
                                       GError        **error);
char    *prism_export_dup_summary     (PrismSnapshot *snapshot);
/* Key and value in turn, NULL at the end, for the text chunks of a PNG: every parameter, seed,
 * step, version. (transfer full) */
char   **prism_export_dup_png_text    (PrismSnapshot *snapshot);

/* The command line that computes a result again. Thread: any. */

char *prism_command_dup_run (const PrismSnapshot *snapshot);

G_END_DECLS
