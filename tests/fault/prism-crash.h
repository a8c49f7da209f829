#pragma once

/* From now on nothing fails any more. */
void prism_fault_end   (void);

void prism_crash_watch (void);
