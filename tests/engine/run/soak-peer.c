#include "soak-peer.h"

#include "base/prism-error.h"
#include "stall-process.h"

#include <sys/wait.h>

/* One byte orders a run; the answer is a line with its milliseconds. */
#define ORDER '\n'

/**
 * soak_peer_start:
 * @self: a peer that has not begun or has been ended
 * @words: the program and its arguments, which make it call soak_peer_serve()
 *
 * It has the processors that this thread may use.
 *
 * Returns: whether it runs
 */
gboolean
soak_peer_start (SoakPeer *self, char **words, GError **error)
{
  int orders, answers;

  if (!g_spawn_async_with_pipes (NULL, words, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &self->pid, &orders, &answers, NULL, error))
    return FALSE;
  /* A peer that has gone is told by its missing answer. */
  signal (SIGPIPE, SIG_IGN);
  self->orders = fdopen (orders, "w");
  self->answers = fdopen (answers, "r");
  self->n_runs = 0;
  return TRUE;
}

/**
 * soak_peer_order:
 *
 * Has it do a run, without waiting for that.
 */
void
soak_peer_order (SoakPeer *self)
{
  self->n_runs++;
  putc (ORDER, self->orders);
  fflush (self->orders);
}

/**
 * soak_peer_receive:
 * @computed: (out): ms that its run needed
 *
 * Waits for the end of the run that has been ordered.
 */
gboolean
soak_peer_receive (SoakPeer *self, double *computed, GError **error)
{
  if (fscanf (self->answers, "%lf", computed) == 1)
    return TRUE;
  g_set_error_literal (error, PRISM_ERROR, PRISM_ERROR_IO,
                       "The process to compare with has ended by itself.");
  return FALSE;
}

/**
 * soak_peer_end:
 *
 * Waits until it has gone; nothing where there is none.
 */
void
soak_peer_end (SoakPeer *self)
{
  if (self->pid == 0)
    return;
  fclose (self->orders);
  fclose (self->answers);
  waitpid (self->pid, NULL, 0);
  g_spawn_close_pid (self->pid);
  self->pid = 0;
}

/**
 * soak_peer_serve:
 * @func: does a run
 *
 * What the other process does: a run for each order, until there is nobody who could give one.
 */
gboolean
soak_peer_serve (SoakPeerFunc func, gpointer data, GError **error)
{
  while (getchar () == ORDER)
    {
      double before = stall_process_get_computed ();

      if (!func (data, error))
        return FALSE;
      printf ("%.3f\n", stall_process_get_computed () - before);
      fflush (stdout);
    }
  return TRUE;
}
