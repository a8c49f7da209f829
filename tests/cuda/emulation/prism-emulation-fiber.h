/* prism-emulation-fiber: a stack and a place to go on from: what lets one thread of the processor
 * run all threads of a block in turn. Annotated for the address sanitizer where that is loaded. */
#pragma once

#include <stddef.h>

struct PrismEmulationFiber
{
  void *stack_pointer;
  void *stack;                          /* of the fiber; NULL for the thread's own */
  size_t stack_size;
  void *fake_stack;                     /* the address sanitizer's */
  void *context;                        /* where there is no switch of our own: ucontext_t */
};

/* Bytes that a kernel's thread may use; a page beyond them is forbidden. */
#define PRISM_EMULATION_STACK_SIZE (128 * 1024)

void prism_emulation_fiber_allocate (PrismEmulationFiber *self);
/* The next switch to self calls entry, which must not return. */
void prism_emulation_fiber_prepare (PrismEmulationFiber *self,
                                    void (*entry) (void));
/* Goes on in to; returns when somebody switches back. leaving: from is never gone back to. */
void prism_emulation_fiber_switch (PrismEmulationFiber *from,
                                   PrismEmulationFiber *to,
                                   bool leaving);
/* The first thing in entry. */
void prism_emulation_fiber_entered (PrismEmulationFiber *self);
