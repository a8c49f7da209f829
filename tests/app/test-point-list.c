#include "kspace/prism-kspace-edit.h"
#include "prism-test.h"

#define N 64

static PrismPointList *
create_list (void)
{
  static const PrismPoint points[] = { { 0, 0 }, { -10.126, 4 }, { 20, 20.5 } };
  PrismPointList *list = prism_point_list_new ();

  prism_point_list_set (list, points, G_N_ELEMENTS (points), N);
  return list;
}

static void
assert_point (PrismPointList *list,
              guint i,
              double y,
              double x)
{
  g_assert_cmpfloat (prism_point_list_get (list, i)->y, ==, y);
  g_assert_cmpfloat (prism_point_list_get (list, i)->x, ==, x);
}

TEST (text, "/app/point-list/text")
{
  g_autoptr (PrismPointList) list = create_list ();
  g_autofree char *text = prism_point_list_to_text (list);
  guint n;

  g_assert_cmpstr (text, ==, "0, 0; -10.13, 4; 20, 20.5");
  g_autofree PrismPoint *points = prism_pattern_points_parse (text, "text", N, &n, NULL);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpfloat (points[1].y, ==, -10.13);
}

/* What is held moves, within the field; nothing else does. */
TEST (move, "/app/point-list/move")
{
  g_autoptr (PrismPointList) list = create_list ();

  g_assert_cmpint (list->selected, ==, -1);
  g_assert_false (prism_point_list_move (list, 1, 1));
  prism_point_list_select (list, 1);
  g_assert_true (prism_point_list_move (list, 3, -100));
  g_assert_false (prism_point_list_move (list, 3.001, -100));
  assert_point (list, 0, 0, 0);
  assert_point (list, 1, 3, -32);
  assert_point (list, 2, 20, 20.5);
}

TEST (find, "/app/point-list/find")
{
  g_autoptr (PrismPointList) list = create_list ();

  g_assert_cmpint (prism_point_list_find (list, 0.5, 0.5, 1), ==, 0);
  g_assert_cmpint (prism_point_list_find (list, 0.5, 0.5, 0.7), ==, -1);
  g_assert_cmpint (prism_point_list_find (list, 12, 12, 100), ==, 2);
}

TEST (select_next, "/app/point-list/select-next")
{
  g_autoptr (PrismPointList) list = create_list ();

  prism_point_list_select_next (list, -1);
  g_assert_cmpint (list->selected, ==, 2);
  prism_point_list_select_next (list, 1);
  g_assert_cmpint (list->selected, ==, 0);
  prism_point_list_select_next (list, 1);
  g_assert_cmpint (list->selected, ==, 1);
}

TEST (add_and_remove, "/app/point-list/add-and-remove")
{
  g_autoptr (PrismPointList) list = create_list ();

  g_assert_true (prism_point_list_add (list, 7, -8, NULL));
  g_assert_cmpuint (list->points->len, ==, 4);
  g_assert_cmpint (list->selected, ==, 3);
  prism_point_list_select (list, 0);
  g_assert_true (prism_point_list_remove (list));
  g_assert_false (prism_point_list_remove (list)); /* nothing is held */
  assert_point (list, 2, 7, -8);
  for (guint i = 0; i < 3; i++)
    {
      prism_point_list_select (list, 0);
      g_assert_cmpint (prism_point_list_remove (list), ==, i < 2); /* the last one stays */
    }
  assert_point (list, 0, 7, -8);
}

/* As many as the parameter can hold, whatever their digits. */
TEST (full, "/app/point-list/full")
{
  g_autoptr (PrismPointList) list = create_list ();
  g_autoptr (PrismConfig) config = prism_config_new ();
  g_autofree PrismPoint *points = g_new (PrismPoint, PRISM_PATTERN_MAX_POINTS);

  for (guint i = 0; i < PRISM_PATTERN_MAX_POINTS; i++)
    points[i] = (PrismPoint) { -1999.99, -1999.99 };
  prism_point_list_set (list, points, PRISM_PATTERN_MAX_POINTS - 1, 4096);
  g_assert_true (MUST (prism_point_list_add (list, -1999.99, -1999.99, &error)));
  g_autofree char *text = prism_point_list_to_text (list);
  g_assert_true (MUST (prism_config_set_text (config, "pattern_points", text, &error)));
  FAILS (prism_point_list_add (list, 0, 0, &error), CONFIG, "");
  g_assert_cmpuint (list->points->len, ==, PRISM_PATTERN_MAX_POINTS);
}
