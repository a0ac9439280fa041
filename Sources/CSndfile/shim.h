#ifndef HABLARE_CSNDFILE_H
#define HABLARE_CSNDFILE_H

#include <sndfile.h>

#endif
