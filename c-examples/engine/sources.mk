# The library, which the Makefiles of the schedulers share; it is built when it is missing or old.
SUREFILL ?= ../..
ENGINE := ../engine
LIBRARY := $(SUREFILL)/build/libsurefill.a
.DEFAULT_GOAL := all

$(LIBRARY): FORCE
	@$(MAKE) --no-print-directory -s -C $(SUREFILL) BUILD=build lib

FORCE:
.PHONY: FORCE
