#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Returns the first 12 hexadecimal digits of the commit that the program was built from, as a number; 0 if it is
/// unknown.
uint64_t hablare_build_commit(void);

/// Returns whether the sources had changes that are not in the commit.
bool hablare_build_is_changed(void);
