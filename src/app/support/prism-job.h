/* prism-job: something that takes place on another thread while the window goes on. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A kind of job. What has nothing to give but success gives any pointer that is not NULL. */
typedef struct
{
  const char *name;                     /* static; for debuggers */
  /* Other thread: NULL, with an error where something failed. */
  gpointer (*run)  (gpointer   data,
                    GError   **error);
  /* (nullable) Main thread: owns @result, which is NULL when there is an error. */
  void     (*done) (gpointer      data,
                    gpointer      result,
                    const GError *error);
  GDestroyNotify free_data;             /* main thread */
  GDestroyNotify free_result;           /* (nullable) */
} PrismJob;

void prism_job_start (const PrismJob *self,
                      gpointer        data,
                      GCancellable   *cancellable);

G_END_DECLS
