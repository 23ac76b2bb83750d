#include "navigation-interface.h"
