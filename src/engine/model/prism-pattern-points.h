/* prism-pattern-points: positions as text: a table in a CSV file, or a list within a setting.
 *
 * A line or an entry is "y, x" (px from the origin of k-space); separators are comma, semicolon,
 * tab or blanks; a first line of names ("x,y", "y,x") sets the order of the columns, others are
 * ignored; lines that are empty or begin with # are skipped. Thread: any. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A position that the aperture visits in k-space. */

typedef struct
{
  double y;                             /* px from the origin of k-space */
  double x;
  double angle;                         /* of its line, radians from the x axis towards y */
} PrismPoint;

#define PRISM_PATTERN_MAX_POINTS 100000

PrismPoint *prism_pattern_points_read     (const char  *data,
                                           gsize        length,
                                           const char  *name,
                                           int          image_size,
                                           guint       *n_points,
                                           GError     **error);
PrismPoint *prism_pattern_points_load     (const char  *path,
                                           int          image_size,
                                           guint       *n_points,
                                           GError     **error);
PrismPoint *prism_pattern_points_parse    (const char  *text,
                                           const char  *name,
                                           int          image_size,
                                           guint       *n_points,
                                           GError     **error);
char       *prism_pattern_points_to_csv   (const PrismPoint *points,
                                           guint             n_points);
char       *prism_pattern_points_to_text  (const PrismPoint *points,
                                           guint             n_points);

G_END_DECLS
