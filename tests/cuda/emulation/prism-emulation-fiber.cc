#include "prism-emulation-fiber.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

extern "C" {
__attribute__ ((weak)) void __sanitizer_start_switch_fiber (void **fake_stack,
                                                            const void *stack,
                                                            size_t size);
__attribute__ ((weak)) void __sanitizer_finish_switch_fiber (void *fake_stack,
                                                             const void **stack,
                                                             size_t *size);
}

void
prism_emulation_fiber_allocate (PrismEmulationFiber *self)
{
  const size_t page = sysconf (_SC_PAGESIZE), size = PRISM_EMULATION_STACK_SIZE;
  void *memory = mmap (nullptr, size + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (memory == MAP_FAILED || mprotect (memory, page, PROT_NONE) != 0)
    {
      perror ("emulation: stacks of threads");
      abort ();
    }
  self->stack = static_cast<char *> (memory) + page;
  self->stack_size = size;
}

static void
announce_switch (PrismEmulationFiber *from,
                 PrismEmulationFiber *to,
                 bool leaving)
{
  if (__sanitizer_start_switch_fiber != nullptr)
    __sanitizer_start_switch_fiber (leaving ? nullptr : &from->fake_stack, to->stack, to->stack_size);
}

static void
announce_arrival (PrismEmulationFiber *self)
{
  if (__sanitizer_finish_switch_fiber != nullptr)
    __sanitizer_finish_switch_fiber (self->fake_stack, nullptr, nullptr);
}

void
prism_emulation_fiber_entered (PrismEmulationFiber *self)
{
  self->fake_stack = nullptr;
  announce_arrival (self);
}

#if defined(__x86_64__)

extern "C" void prism_emulation_switch_stack (void **from,
                                              void *to);

/* What a function may not change, then the stack, then the same from there. */
asm (".text\n"
     ".globl prism_emulation_switch_stack\n"
     ".hidden prism_emulation_switch_stack\n"
     ".type prism_emulation_switch_stack, @function\n"
     "prism_emulation_switch_stack:\n"
     "  pushq %rbp\n"
     "  pushq %rbx\n"
     "  pushq %r12\n"
     "  pushq %r13\n"
     "  pushq %r14\n"
     "  pushq %r15\n"
     "  movq %rsp, (%rdi)\n"
     "  movq %rsi, %rsp\n"
     "  popq %r15\n"
     "  popq %r14\n"
     "  popq %r13\n"
     "  popq %r12\n"
     "  popq %rbx\n"
     "  popq %rbp\n"
     "  ret\n"
     ".size prism_emulation_switch_stack, .-prism_emulation_switch_stack\n");

void
prism_emulation_fiber_prepare (PrismEmulationFiber *self,
                               void (*entry) (void))
{
  void **top = reinterpret_cast<void **> (static_cast<char *> (self->stack) + self->stack_size);

  /* As if entry had been called: the stack is 8 bytes off 16 there. */
  *--top = nullptr;
  *--top = reinterpret_cast<void *> (entry);
  for (int i = 0; i < 6; i++)
    *--top = nullptr;
  self->stack_pointer = top;
}

void
prism_emulation_fiber_switch (PrismEmulationFiber *from,
                              PrismEmulationFiber *to,
                              bool leaving)
{
  announce_switch (from, to, leaving);
  prism_emulation_switch_stack (&from->stack_pointer, to->stack_pointer);
  announce_arrival (from);
}

#else

static ucontext_t *
get_context (PrismEmulationFiber *self)
{
  if (self->context == nullptr)
    self->context = calloc (1, sizeof (ucontext_t));
  return static_cast<ucontext_t *> (self->context);
}

void
prism_emulation_fiber_prepare (PrismEmulationFiber *self,
                               void (*entry) (void))
{
  ucontext_t *context = get_context (self);

  getcontext (context);
  context->uc_stack.ss_sp = self->stack;
  context->uc_stack.ss_size = self->stack_size;
  context->uc_link = nullptr;
  makecontext (context, entry, 0);
}

void
prism_emulation_fiber_switch (PrismEmulationFiber *from,
                              PrismEmulationFiber *to,
                              bool leaving)
{
  announce_switch (from, to, leaving);
  swapcontext (get_context (from), get_context (to));
  announce_arrival (from);
}

#endif
