/* prism-test: a test says its path where it is written; main() of prism-test-main.c runs them all.
 *
 *   TEST (sums, "/engine/sum/all") { … }
 *   SET_UP { self->path = … }   TEAR_DOWN { g_free (self->path); }   of each test with a Fixture:
 *   TEST_FIXTURE (sums, "/engine/sum/file") { … self->path … }
 *   TEST_WITH (sums, "/engine/sum/two", "a b") { … data … }   the same, of a value
 *   TEST_ALSO (sums, "/engine/sum/three", "a b c")            once more, of another value
 *   TEST_ROWS (sums, "/engine/sum", rows) { const Row *row = data; … }   "/engine/sum/NAME" of each
 *                                           row of an array whose first member is its name
 *   TEST_NUMBERS (sums, "/engine/sum/%d", 64, 128) { … GPOINTER_TO_INT (data) … }
 *   TEST_DATA (sums, "/engine/sum/four", "a b") { … data … }   of a value, without a fixture
 *   TEST_DATA_ALSO (sums, "/engine/sum/five", "a b c")         once more
 *   TESTS { for (…) g_test_add_data_func (…); }                   what is made of other rows
 */
#pragma once

#include "config.h"

#include "base/prism-error.h"

typedef struct _PrismTestList
{
  void (*add) (void);
  struct _PrismTestList *next;
} PrismTestList;

void prism_test_list (PrismTestList *list);
int  prism_test_run  (void);
void prism_test_parts (const char *text, gboolean has, const char *const *parts);
void prism_test_numbers (const char *format, const int *numbers, gsize n, GTestDataFunc run);
void prism_test_rows (const char *path, gconstpointer rows, gsize size, gsize n, GTestDataFunc run);

/* ADD, a statement, is executed by prism_test_run(), in the order in which they are written. */
#define PRISM_TEST_ADD(name, ADD)                                    \
  static void prism_add_##name (void) { ADD; }                             \
  static __attribute__ ((constructor)) void prism_list_##name (void)       \
  {                                                                  \
    static PrismTestList list = { prism_add_##name, NULL };                \
    prism_test_list (&list);                                         \
  }

#define TEST(name, path)                                             \
  static void test_##name (void);                                    \
  PRISM_TEST_ADD (name, g_test_add_func (path, test_##name))         \
  static void test_##name (void)

#define SET_UP static void set_up (Fixture *self, gconstpointer data)
#define TEAR_DOWN static void tear_down (Fixture *self, gconstpointer data)

#define TEST_FIXTURE(name, path) TEST_WITH (name, path, NULL)

#define TEST_WITH(name, path, value)                                                               \
  static void test_##name (Fixture *self, gconstpointer data);                                     \
  PRISM_TEST_ADD (name, g_test_add (path, Fixture, value, set_up, test_##name, tear_down))         \
  static void test_##name (Fixture *self, gconstpointer data)

/* Another name, so that a test can be added more than once. */
#define TEST_ALSO(name, path, value) TEST_ALSO_AT (name, path, value, __COUNTER__)
#define TEST_ALSO_AT(name, path, value, n) TEST_ALSO_AS (name, path, value, n)
#define TEST_ALSO_AS(name, path, value, n)                                                         \
  PRISM_TEST_ADD (name##n, g_test_add (path, Fixture, value, set_up, test_##name, tear_down))

#define TEST_ROWS(name, path, rows)                                                                \
  static void test_##name (gconstpointer data);                                                    \
  PRISM_TEST_ADD (name, prism_test_rows (path, rows, sizeof *(rows), G_N_ELEMENTS (rows),          \
                                         test_##name))                                             \
  static void test_##name (gconstpointer data)

#define TEST_NUMBERS(name, path, ...)                                                              \
  static void test_##name (gconstpointer data);                                                    \
  PRISM_TEST_ADD (name, prism_test_numbers (path, ((const int[]) { __VA_ARGS__ }),                 \
                                            G_N_ELEMENTS (((const int[]) { __VA_ARGS__ })),        \
                                            test_##name))                                          \
  static void test_##name (gconstpointer data)

#define TEST_DATA(name, path, value)                                                               \
  static void test_##name (gconstpointer data);                                                    \
  PRISM_TEST_ADD (name, g_test_add_data_func (path, value, test_##name))                           \
  static void test_##name (gconstpointer data)

#define TEST_DATA_ALSO(name, path, value) TEST_DATA_AT (name, path, value, __COUNTER__)
#define TEST_DATA_AT(name, path, value, n) TEST_DATA_AS (name, path, value, n)
#define TEST_DATA_AS(name, path, value, n)                                                         \
  PRISM_TEST_ADD (name##n, g_test_add_data_func (path, value, test_##name))

#define TESTS                                                        \
  static void add_tests (void);                                      \
  PRISM_TEST_ADD (rows, add_tests ())                                \
  static void add_tests (void)

/* The value of a call that takes &error and must not fail. */
#define MUST(CALL)                                                   \
  ({                                                                 \
    g_autoptr (GError) error = NULL;                                 \
    __auto_type value_ = (CALL);                                     \
    g_assert_no_error (error);                                       \
    value_;                                                          \
  })

/* A call that takes &error and must fail: with PRISM_ERROR_CODE, and each part in the message. */
#define FAILS(CALL, CODE, ...)                                       \
  G_STMT_START                                                       \
  {                                                                  \
    g_autoptr (GError) error = NULL;                                 \
    g_assert_true (!(CALL));                                         \
    g_assert_error (error, PRISM_ERROR, PRISM_ERROR_##CODE);         \
    HAS (error->message, __VA_ARGS__);                               \
  }                                                                  \
  G_STMT_END

/* TEXT has each part, or none of them. */
#define HAS(TEXT, ...) prism_test_parts (TEXT, TRUE, (const char *[]) { __VA_ARGS__, NULL })
#define LACKS(TEXT, ...) prism_test_parts (TEXT, FALSE, (const char *[]) { __VA_ARGS__, NULL })

/* A text that the caller gets is this one. */
#define SAYS(CALL, EXPECTED)                                         \
  G_STMT_START                                                       \
  {                                                                  \
    g_autofree char *text_ = (CALL);                                 \
    g_assert_cmpstr (text_, ==, EXPECTED);                           \
  }                                                                  \
  G_STMT_END

/* Lets the main loop work until CONDITION holds. */
#define UNTIL(CONDITION)                                             \
  while (!(CONDITION))                                               \
    g_main_context_iteration (NULL, TRUE)

/* A value that FREE takes when the test is over, the newest one first, before tear_down(). */
#define OWN(FREE, VALUE)                                             \
  ({                                                                 \
    __auto_type own_ = (VALUE);                                      \
    g_test_queue_destroy ((GDestroyNotify) FREE, (gpointer) own_);   \
    own_;                                                            \
  })

/* The path of what has these names, one in the other; it goes when the test is over. */
#define in_folder(...) in_folder_of ((const char *[]) { __VA_ARGS__, NULL })

static inline const char *
in_folder_of (const char *const *names)
{
  char *path = g_build_filenamev ((char **) names);

  g_test_queue_free (path);
  return path;
}

/* (transfer full): what a file has, which must be there. */
static inline char *
file_text (const char *path)
{
  char *text = NULL;

  MUST (g_file_get_contents (path, &text, NULL, &error));
  return text;
}
