/* Preloaded beside prism-fault.c: says where a signal that ends the program came from, in one line
 * on the standard error stream,
 *
 *   prism-crash: signal 11 without stack in libglib-2.0.so.0 g_logv < libglib-2.0.so.0 g_log < …
 *
 * the innermost function first, with the offset in the file where it has no public name. A stack
 * that is used up has no room for a handler, so that each thread gets another one. */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "prism-crash.h"

#define MAX_THREADS 32
#define MAX_DEPTH 48
#define STACK_BYTES 65536
/* How far beyond the end of its stack a function reaches whose variables have no room there. */
#define REACH 65536

typedef struct
{
  void *(*run) (void *);
  void *data;
  char stack[STACK_BYTES];
} Thread;

static Thread threads[MAX_THREADS];
static atomic_int n_threads;

/* One line, written at once: another thread may have something to say, too. */
static char line[16384];
static atomic_flag is_told = ATOMIC_FLAG_INIT;

static void
tell (const char *text)
{
  size_t length = strlen (line);

  snprintf (line + length, sizeof line - length, "%s", text);
}

static void
tell_frame (void *address)
{
  Dl_info info;
  char text[512];

  if (dladdr (address, &info) == 0 || info.dli_fname == NULL)
    {
      tell ("? ?");
      return;
    }
  const char *name = strrchr (info.dli_fname, '/');
  name = name != NULL ? name + 1 : info.dli_fname;
  if (info.dli_sname != NULL)
    snprintf (text, sizeof text, "%.100s %.100s", name, info.dli_sname);
  else
    snprintf (text, sizeof text, "%.100s +0x%zx", name,
              (size_t) ((char *) address - (char *) info.dli_fbase));
  tell (text);
}

/* Where a signal struck. */
static void
find_place (const ucontext_t *context, intptr_t *code, intptr_t *stack)
{
#if defined __x86_64__
  *code = (intptr_t) context->uc_mcontext.gregs[REG_RIP];
  *stack = (intptr_t) context->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
  *code = (intptr_t) context->uc_mcontext.pc;
  *stack = (intptr_t) context->uc_mcontext.sp;
#else
#error "Say where this processor has its program counter and its stack pointer."
#endif
}

static int
is_near (intptr_t a, intptr_t b)
{
  return a - b > -REACH && a - b < REACH;
}

static void
on_signal (int number, siginfo_t *info, void *context)
{
  void *frames[MAX_DEPTH];
  char text[64];
  intptr_t code, stack;
  int n, first = 0;

  /* The first to end ends all. */
  while (atomic_flag_test_and_set (&is_told))
    pause ();
  prism_fault_end ();
  find_place (context, &code, &stack);
  n = backtrace (frames, MAX_DEPTH);
  /* This function and the kernel's way back from it come first. */
  while (first < n && (intptr_t) frames[first] != code)
    first++;
  if (first == n)
    first = 0;
  snprintf (text, sizeof text, "prism-crash: signal %d%s in ", number,
            number == SIGSEGV && is_near ((intptr_t) info->si_addr, stack) ? " without stack" : "");
  tell (text);
  for (int i = first; i < n; i++)
    {
      tell_frame (frames[i]);
      tell (i + 1 < n ? " < " : "\n");
    }
  if (write (STDERR_FILENO, line, strlen (line)) < 0)
    _exit (1);
  signal (number, SIG_DFL);
  raise (number);
}

static void
take_stack (Thread *thread)
{
  stack_t stack = { .ss_sp = thread->stack, .ss_size = sizeof thread->stack };

  sigaltstack (&stack, NULL);
}

static void *
begin (void *data)
{
  Thread *thread = data;

  take_stack (thread);
  return thread->run (thread->data);
}

int
pthread_create (pthread_t *id, const pthread_attr_t *attributes, void *(*run) (void *), void *data)
{
  int (*real) (pthread_t *, const pthread_attr_t *, void *(*) (void *), void *)
      = dlsym (RTLD_NEXT, "pthread_create");
  int i = atomic_fetch_add (&n_threads, 1);

  if (i >= MAX_THREADS)
    return real (id, attributes, run, data);
  threads[i].run = run;
  threads[i].data = data;
  return real (id, attributes, begin, &threads[i]);
}

/* Before anything may fail: the first backtrace loads a library. */
void
prism_crash_watch (void)
{
  static const int numbers[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT };
  struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  void *frames[1];

  backtrace (frames, 1);
  take_stack (&threads[atomic_fetch_add (&n_threads, 1)]);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    sigaction (numbers[i], &action, NULL);
}
