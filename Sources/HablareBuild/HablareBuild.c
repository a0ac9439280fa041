// In C, because only a definition of a C target can have a value. `make install` sets HABLARE_COMMIT, and Package.swift
// passes it on.
#include "HablareBuild.h"

#ifndef HABLARE_COMMIT
#define HABLARE_COMMIT 0
#endif

uint64_t hablare_build_commit(void) { return HABLARE_COMMIT; }

bool hablare_build_is_changed(void) {
#ifdef HABLARE_CHANGED
    return true;
#else
    return false;
#endif
}
