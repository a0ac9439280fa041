#include "sift_imaging.h"
