# Shared by the Makefiles of the schedulers: the library, which is built when it is missing or old, the sources of the engine,
# and surefill-cycle, which decides recorded cycles again.
SUREFILL ?= ../..
ENGINE := ../engine
LIBRARY := $(SUREFILL)/build/libsurefill.a
CC ?= cc
CFLAGS ?= -O2 -g
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Werror
ENGINE_SOURCES := $(ENGINE)/engine.c $(ENGINE)/record.c $(ENGINE)/files.c
.DEFAULT_GOAL := all

$(LIBRARY): FORCE
	@$(MAKE) --no-print-directory -s -C $(SUREFILL) BUILD=build lib

$(BUILD)/surefill-cycle: $(ENGINE)/cycle.c $(ENGINE_SOURCES) $(wildcard $(ENGINE)/*.h) $(SUREFILL)/include/surefill.h $(LIBRARY)
	@mkdir -p $(BUILD)
	$(CC) $(WARNINGS) $(CFLAGS) -I$(SUREFILL)/include -o $@ $(filter %.c %.a,$^) -Wl,--gc-sections -lm

FORCE:
.PHONY: FORCE
