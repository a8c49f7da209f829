#include "config.h"

#include "model/prism-stroke-font.h"

#include "base/prism-each.h"

#define FIRST_LETTER 32
#define N_LETTERS 95
#define HALF_STROKE 0.65
#define LETTER_GAP 2.6
#define SPACE_WIDTH 3.0
#define LINE_HEIGHT 13.5
#define DEGREES_PER_PIECE 15.0

/* One letter: M x y starts a stroke, L x y draws a line, O cx cy rx ry a b continues with an
 * elliptic arc from angle a to b, and o starts a stroke with one. Degrees, clockwise from the
 * right, y downwards: capitals from 2 to the baseline 10, small letters from 5.2, descenders to
 * 13. */
static const char *const letters[N_LETTERS] = {
  "",
  "M0 2 L0 7.2 M0 10 L0 10",
  "M0 2 L0 4.2 M2 2 L2 4.2",
  "M2 2.5 L1 9.5 M5 2.5 L4 9.5 M0.5 4.7 L6 4.7 M0 7.3 L5.5 7.3",
  "o2.8 4.2 2.8 1.8 -30 -270 O2.8 7.8 2.8 1.8 -90 150 M2.8 1 L2.8 11",
  "o1.5 3.7 1.5 1.7 0 360 o6.5 8.3 1.5 1.7 0 360 M6.5 2 L1.5 10",
  "M7 10 L1.8 4.8 O3 3.6 1.6 1.6 135 405 L1 6.6 O2.7 7.9 2.5 2.1 -135 -320 L6.6 6",
  "M0 2 L0 4.2",
  "o3 6.7 3 6.5 230 130",
  "o-1 6.7 3 6.5 -50 50",
  "M2.5 3 L2.5 8 M0.3 4.2 L4.7 6.8 M4.7 4.2 L0.3 6.8",
  "M3 3.5 L3 9.5 M0 6.5 L6 6.5",
  "M1 9.8 L0 12",
  "M0 6.8 L3.5 6.8",
  "M0 10 L0 10",
  "M0 11 L4.5 1.5",
  "o3 6 3 4 0 360",
  "M0 3.6 L2.2 2 L2.2 10",
  "o2.8 4.6 2.8 2.6 195 400 L0 10 L5.8 10",
  "o2.6 4 2.5 2 200 450 o2.6 8 2.9 2 -90 160",
  "M4.5 10 L4.5 2 L0 7.6 L6 7.6",
  "M5 2 L0.8 2 L0.4 5.6 O2.7 7.2 2.9 2.8 -140 140",
  "o2.8 7.4 2.8 2.6 0 360 M0 7.4 O4.8 7.4 4.8 5.2 180 265",
  "M0 2 L5.6 2 L2 10",
  "o2.8 4 2.4 2 0 360 o2.8 8 2.8 2 0 360",
  "o2.8 4.6 2.8 2.6 0 360 M5.6 4.6 O0.8 4.6 4.8 5.2 0 85",
  "M0 5.8 L0 5.8 M0 10 L0 10",
  "M1 5.8 L1 5.8 M1 9.8 L0 12",
  "M5 3.5 L0 6.5 L5 9.5",
  "M0 5.2 L5 5.2 M0 8 L5 8",
  "M0 3.5 L5 6.5 L0 9.5",
  "o2.4 4.3 2.4 2.3 195 420 L2.4 7.6 M2.4 10 L2.4 10",
  "o5 7 2 2.1 0 360 M7 4.9 L7 8 O8.2 8 1.2 1.3 180 0 O5 7 4.4 4.6 5 -295",
  "M0 10 L3.6 2 L7.2 10 M1.3 7.2 L5.9 7.2",
  "M0 6 L0 2 L3 2 O3 4 2.3 2 -90 90 L0 6 L0 10 L3.2 10 O3.2 8 2.7 2 90 -90",
  "o4 6 4 4 -45 -315",
  "M0 2 L0 10 L2.8 10 O2.8 6 4 4 90 -90 L0 2",
  "M5 2 L0 2 L0 10 L5.2 10 M0 6 L4.4 6",
  "M5 2 L0 2 L0 10 M0 6 L4.4 6",
  "o4 6 4 4 -45 -360 L4.8 6",
  "M0 2 L0 10 M6 2 L6 10 M0 6 L6 6",
  "M0 2 L0 10",
  "M3.6 2 L3.6 7.5 O1.8 7.5 1.8 2.5 0 160",
  "M0 2 L0 10 M5.6 2 L0 7 M2 5.2 L6 10",
  "M0 2 L0 10 L5 10",
  "M0 10 L0 2 L3.8 8 L7.6 2 L7.6 10",
  "M0 10 L0 2 L6.2 10 L6.2 2",
  "o4 6 4 4 0 360",
  "M0 10 L0 2 L3 2 O3 4.3 2.5 2.3 -90 90 L0 6.6",
  "o4 6 4 4 0 360 M5 7.5 L8 10.8",
  "M0 10 L0 2 L3 2 O3 4.3 2.5 2.3 -90 90 L0 6.6 M2.8 6.6 L5.8 10",
  "o2.8 4 2.7 2 -30 -270 O2.8 8 2.9 2 -90 155",
  "M0 2 L6.4 2 M3.2 2 L3.2 10",
  "M0 2 L0 7 O3 7 3 3 180 0 L6 2",
  "M0 2 L3.4 10 L6.8 2",
  "M0 2 L2.4 10 L5 3.5 L7.6 10 L10 2",
  "M0 2 L6 10 M6 2 L0 10",
  "M0 2 L3.2 6.2 L6.4 2 M3.2 6.2 L3.2 10",
  "M0 2 L5.8 2 L0 10 L6 10",
  "M2 1.6 L0 1.6 L0 11.8 L2 11.8",
  "M0 1.5 L4.5 11",
  "M0 1.6 L2 1.6 L2 11.8 L0 11.8",
  "M0 5 L2.5 2 L5 5",
  "M0 11.6 L6 11.6",
  "M0 2 L1.6 3.6",
  "o2.4 7.6 2.4 2.4 0 360 M4.8 5.2 L4.8 10",
  "M0 2 L0 10 o2.4 7.6 2.4 2.4 0 360",
  "o2.4 7.6 2.4 2.4 -50 -310",
  "o2.4 7.6 2.4 2.4 0 360 M4.8 2 L4.8 10",
  "M0 7.6 L4.8 7.6 O2.4 7.6 2.4 2.4 0 -310",
  "M1.2 10 L1.2 3.9 O3.1 3.9 1.9 1.9 180 290 M0 5.2 L3 5.2",
  "o2.4 7.6 2.4 2.4 0 360 M4.8 5.2 L4.8 10.6 O2.4 10.6 2.4 2.4 0 145",
  "M0 2 L0 10 M0 7.4 O2.2 7.4 2.2 2.2 180 360 L4.4 10",
  "M0 5.2 L0 10 M0 2.8 L0 2.8",
  "M1.6 5.2 L1.6 11 O-0.2 11 1.8 2 0 110 M1.6 2.8 L1.6 2.8",
  "M0 2 L0 10 M4 5.2 L0 8.2 M1.6 7 L4.4 10",
  "M0 2 L0 10",
  "M0 5.2 L0 10 M0 7.1 O1.9 7.1 1.9 1.9 180 360 L3.8 10 M3.8 7.1 O5.7 7.1 1.9 1.9 180 360 L7.6 10",
  "M0 5.2 L0 10 M0 7.4 O2.2 7.4 2.2 2.2 180 360 L4.4 10",
  "o2.4 7.6 2.4 2.4 0 360",
  "M0 5.2 L0 13 o2.4 7.6 2.4 2.4 0 360",
  "o2.4 7.6 2.4 2.4 0 360 M4.8 5.2 L4.8 13",
  "M0 5.2 L0 10 M0 7.6 O2.2 7.6 2.2 2.4 180 290",
  "o2 6.4 1.9 1.2 -30 -270 O2 8.8 2 1.2 -90 150",
  "M1.2 2.6 L1.2 8.2 O3 8.2 1.8 1.8 180 75 M0 5.2 L3.2 5.2",
  "M0 5.2 L0 7.8 O2.2 7.8 2.2 2.2 180 0 M4.4 5.2 L4.4 10",
  "M0 5.2 L2.3 10 L4.6 5.2",
  "M0 5.2 L1.9 10 L3.8 5.8 L5.7 10 L7.6 5.2",
  "M0 5.2 L4.2 10 M4.2 5.2 L0 10",
  "M0 5.2 L2.4 10 M4.8 5.2 L0.9 13",
  "M0 5.2 L4.2 5.2 L0 10 L4.4 10",
  "o2.6 3.4 1.4 1.8 270 180 L1.2 5.2 O0 5.2 1.2 1.5 0 90 O0 8.2 1.2 1.5 -90 0 L1.2 10 "
  "O2.6 10 1.4 1.8 180 90",
  "M0 1 L0 12.5",
  "o0 3.4 1.4 1.8 270 360 L1.4 5.2 O2.6 5.2 1.2 1.5 180 90 O2.6 8.2 1.2 1.5 270 180 L1.4 10 "
  "O0 10 1.4 1.8 0 90",
  "o1.4 7 1.4 1.2 190 360 O4.2 7 1.4 1.2 180 10",
};

/* Stands for every letter that the font does not have. */
static const char *const unknown_letter = "M0 2 L5 2 L5 10 L0 10 L0 2";

typedef struct
{
  double y0;
  double x0;
  double y1;
  double x1;
} StrokePiece;

struct _PrismStrokeText
{
  GArray *pieces; /* of StrokePiece: straight pieces of all strokes */
  double top;     /* bounding box with the width of the strokes */
  double bottom;
  double left;
  double right;
};

/* Where the pen is while the strokes of a text are laid out. */
typedef struct
{
  GArray *pieces;
  double y;
  double x;
} StrokePen;

static void
draw_line (StrokePen *pen,
           double y,
           double x)
{
  StrokePiece piece = { pen->y, pen->x, y, x };

  g_array_append_val (pen->pieces, piece);
  pen->y = y;
  pen->x = x;
}

static void
draw_arc (StrokePen *pen,
          const double numbers[6],
          gboolean joined)
{
  int n = MAX (1, (int) ceil (fabs (numbers[5] - numbers[4]) / DEGREES_PER_PIECE));

  for (int i = 0; i <= n; i++)
    {
      double angle = (numbers[4] + (numbers[5] - numbers[4]) * i / n) * G_PI / 180.0;
      double y = numbers[1] + numbers[3] * sin (angle);
      double x = numbers[0] + numbers[2] * cos (angle);
      if (i == 0 && !joined)
        {
          pen->y = y;
          pen->x = x;
        }
      else
        draw_line (pen, y, x);
    }
}

static const char *
read_numbers (const char *at,
              double *numbers,
              int n)
{
  for (int i = 0; i < n; i++)
    {
      char *end;
      numbers[i] = g_ascii_strtod (at, &end);
      at = end;
    }
  return at;
}

/* Moves the pieces from first on so that the leftmost point is at x; returns where they end. */
static double
place_pieces (GArray *pieces,
              guint first,
              double x,
              double y)
{
  double left = INFINITY;
  double right = -INFINITY;

  for (guint i = first; i < pieces->len; i++)
    {
      const StrokePiece *piece = &g_array_index (pieces, StrokePiece, i);
      left = MIN (left, MIN (piece->x0, piece->x1));
      right = MAX (right, MAX (piece->x0, piece->x1));
    }
  for (guint i = first; i < pieces->len; i++)
    {
      StrokePiece *piece = &g_array_index (pieces, StrokePiece, i);
      piece->x0 += x - left;
      piece->x1 += x - left;
      piece->y0 += y;
      piece->y1 += y;
    }
  return first == pieces->len ? x + SPACE_WIDTH : x + right - left;
}

static void
draw_text_line (GArray *pieces,
                const char *text,
                double y)
{
  guint line = pieces->len;
  double x = 0.0;

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);
      guint letter = pieces->len;
      gboolean known = c >= FIRST_LETTER && c < FIRST_LETTER + N_LETTERS;
      const char *at = known ? letters[c - FIRST_LETTER] : unknown_letter;
      StrokePen pen = { pieces, 0.0, 0.0 };

      while (*at != '\0')
        {
          double numbers[6];
          char command = *at++;

          if (command == ' ')
            continue;
          at = read_numbers (at, numbers, command == 'M' || command == 'L' ? 2 : 6);
          if (command == 'L')
            draw_line (&pen, numbers[1], numbers[0]);
          else if (command == 'M')
            {
              pen.y = numbers[1];
              pen.x = numbers[0];
            }
          else
            draw_arc (&pen, numbers, command == 'O');
        }
      x = place_pieces (pieces, letter, x, y) + LETTER_GAP;
    }
  /* Lines are centred on x = 0. */
  if (pieces->len > line)
    place_pieces (pieces, line, -(x - LETTER_GAP) / 2, 0.0);
}

static void
compute_bounds (PrismStrokeText *self)
{
  self->top = self->left = INFINITY;
  self->bottom = self->right = -INFINITY;
  PRISM_FOR_EACH (const StrokePiece, piece, self->pieces)
    {
      self->top = MIN (self->top, MIN (piece->y0, piece->y1) - HALF_STROKE);
      self->bottom = MAX (self->bottom, MAX (piece->y0, piece->y1) + HALF_STROKE);
      self->left = MIN (self->left, MIN (piece->x0, piece->x1) - HALF_STROKE);
      self->right = MAX (self->right, MAX (piece->x0, piece->x1) + HALF_STROKE);
    }
}

/**
 * prism_stroke_text_new:
 * @text: UTF-8, lines apart by newlines
 *
 * Lays a text out in a font of ASCII letters; any other letter is a box.
 *
 * Returns: (transfer full): the text
 */
PrismStrokeText *
prism_stroke_text_new (const char *text)
{
  PrismStrokeText *self = g_new0 (PrismStrokeText, 1);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);

  self->pieces = g_array_new (FALSE, FALSE, sizeof (StrokePiece));
  for (int i = 0; lines[i] != NULL; i++)
    draw_text_line (self->pieces, lines[i], i * LINE_HEIGHT);
  compute_bounds (self);
  return self;
}

/**
 * prism_stroke_text_free:
 * @self: (nullable): a text
 */
PRISM_FREE_FOR_ALL (PrismStrokeText, prism_stroke_text_free, g_array_unref, pieces)

/**
 * prism_stroke_text_get_width:
 *
 * Units: of the font.
 *
 * Returns: the width of what will be drawn, 0 for nothing
 */
double
prism_stroke_text_get_width (const PrismStrokeText *self)
{
  return self->pieces->len == 0 ? 0.0 : self->right - self->left;
}

/**
 * prism_stroke_text_get_height:
 *
 * Units: of the font.
 *
 * Returns: the height of what will be drawn, 0 for nothing
 */
double
prism_stroke_text_get_height (const PrismStrokeText *self)
{
  return self->pieces->len == 0 ? 0.0 : self->bottom - self->top;
}

static double
get_distance (const StrokePiece *piece,
              double y,
              double x)
{
  double dy = piece->y1 - piece->y0;
  double dx = piece->x1 - piece->x0;
  double square = dy * dy + dx * dx;
  double t = square > 0.0 ? ((y - piece->y0) * dy + (x - piece->x0) * dx) / square : 0.0;

  t = CLAMP (t, 0.0, 1.0);
  return hypot (y - piece->y0 - t * dy, x - piece->x0 - t * dx);
}

/* The part of a pixel that a stroke covers is taken from the distance of its centre. */
static void
draw_piece (PrismImage *image,
            const StrokePiece *piece,
            double half_stroke)
{
  double reach = half_stroke + 1.0;
  double full = MIN (1.0, 2.0 * half_stroke);
  int y0 = (int) CLAMP (floor (MIN (piece->y0, piece->y1) - reach), 0, image->height);
  int y1 = (int) CLAMP (ceil (MAX (piece->y0, piece->y1) + reach), 0, image->height);
  int x0 = (int) CLAMP (floor (MIN (piece->x0, piece->x1) - reach), 0, image->width);
  int x1 = (int) CLAMP (ceil (MAX (piece->x0, piece->x1) + reach), 0, image->width);

  for (int y = y0; y < y1; y++)
    for (int x = x0; x < x1; x++)
      {
        float *pixel = &image->pixels[(gsize) y * image->width + x];
        double covered = half_stroke + 0.5 - get_distance (piece, y + 0.5, x + 0.5);
        *pixel = MAX (*pixel, (float) CLAMP (covered, 0.0, full));
      }
}

/**
 * prism_stroke_text_draw:
 * @image: what to draw into
 * @y: upper edge of the text
 * @x: left edge of the text
 * @scale: pixels per unit of the font
 *
 * Draws the text in white, antialiased, over what is there; what lies outside is left out.
 *
 * Units: px from the upper left corner.
 */
void
prism_stroke_text_draw (const PrismStrokeText *self,
                        PrismImage *image,
                        double y,
                        double x,
                        double scale)
{
  PRISM_FOR_EACH (const StrokePiece, piece, self->pieces)
    {
      const StrokePiece placed = {
        y + (piece->y0 - self->top) * scale,
        x + (piece->x0 - self->left) * scale,
        y + (piece->y1 - self->top) * scale,
        x + (piece->x1 - self->left) * scale,
      };
      draw_piece (image, &placed, HALF_STROKE * scale);
    }
}
