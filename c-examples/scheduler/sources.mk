# What the Makefiles of the schedulers share: the sources here, and the library, which is built when it is missing or old.
SUREFILL ?= ../..
SCHEDULER := ../scheduler
PLAIN := clock pool refusals settings beliefs delays starts waits markov books pack state order decide share share_pass foretell share_foretell
LIBRARY := $(SUREFILL)/build/libsurefill.a
.DEFAULT_GOAL := all

$(LIBRARY): FORCE
	@$(MAKE) --no-print-directory -s -C $(SUREFILL) BUILD=build lib

FORCE:
.PHONY: FORCE
