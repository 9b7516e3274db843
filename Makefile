# surefill: the library for C and Fortran, the demonstration, and everything that tests.
#
#   make            build/libsurefill.a and build/libsurefill.so
#   make demo       see it decide backfills on a workload that comes with it
#   make test       the Rust tests of core, C interface and simulator: two minutes once built, no root, nothing installed
#   make check      every test, C, Fortran, packages and resource managers included; make check STEPS="C Fortran" some steps,
#                   make check STEPS=list their names
#   make check-all  the same before a release: the release build, other processors, compilers and vector units too
#   make packages   installs what make check needs on a Debian machine (root)
#   make install    PREFIX=/usr/local DESTDIR=; install-lib and install-tool are its halves
#   make install-slurm      Slurm's scheduler plugin for the slurmctld that is installed (c-examples/slurm/OPERATING.md)
#   make deb        Debian packages of the library, its development files and the command, in build/deb
#   make deb-slurm  Debian packages of the Slurm plugin and the programs beside it, for the Slurm installed here, in build/deb
#   make dist       the files of a release in build/dist: sources with crates, Debian packages, Python's, checksums
#   make wheels     Python's alone, for x86-64 and aarch64: make dist PART=wheel
#   make abi-accept abi/ again, after a change of the binary interface that is meant (make check compares with it)
#   make docs       the pages of docs/ as a book and the reference of the crates, in build/docs; links are checked
#   make coverage   lines that the Rust tests run, a table and pages in build/coverage; some tests: ARGS="-p surefill"
#   make bench      wall times;  make instructions: instruction counts (valgrind)
#   make results    results/ again (needs the traces in SUREFILL_TRACES or ../shared/traces; about two hours);
#                   some of its parts: make results PART="speed hmm"
#   make csv        the wide tables of results/ as CSV, in build/csv

VERSION := $(shell sed -n 's/^version = "\([0-9.]*\)"$$/\1/p' Cargo.toml)
# The number in the library's name: SUREFILL_ABI_VERSION. It changes when old programs would break.
ABI := $(shell sed -n 's/^pub const SUREFILL_ABI_VERSION: i32 = \([0-9]*\);$$/\1/p' src/capi/status.rs)

# Tests and results are of tables in full width.
unexport COLUMNS

# Property tests draw the same cases in every run. Other and more cases: make test PROPTEST_RNG_SEED=7 PROPTEST_CASES=2000.
export PROPTEST_RNG_SEED ?= 1

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
CC ?= cc
STRIP ?= strip
CARGO ?= cargo
QUIET ?= --quiet
HAVE_CARGO := $(shell command -v $(CARGO) 2> /dev/null)
BUILD := build
CARGO_TARGET_DIR ?= target
export CARGO_TARGET_DIR
# Cargo's profile of the command that is installed. make check takes the one of its tests, which is built already.
TOOL_PROFILE ?= release
TOOL := $(CARGO_TARGET_DIR)/$(patsubst dev,debug,$(TOOL_PROFILE))/surefill

SONAME := libsurefill.so.$(ABI)
HEADERS := include/surefill.h include/surefill_parts.h include/surefill.f90 include/surefill_parts.f90
# Cargo's profile of the libraries; for small memories: make lib LIB_PROFILE=small BUILD=build/small.
LIB_PROFILE ?= capi
# With types in the debug information, which scripts/check-abi.sh compares; what is installed has none.
RUSTC_LIB := $(CARGO) rustc --quiet --lib --profile $(LIB_PROFILE) --features capi --crate-type staticlib -- -C debuginfo=2
LINK_SHARED = $(CC) -shared -nostartfiles -nodefaultlibs -o $@ -Wl,-soname,$(SONAME) -Wl,--version-script=$(BUILD)/surefill.map \
	-Wl,-u,surefill_abi_version -Wl,--gc-sections -Wl,-z,relro,-z,now $< -lc
WARNINGS := -std=c11 -Wall -Wextra -Wpedantic -Werror
# A static library of Rust's brings sections along that nothing uses.
STATIC := -Wl,--gc-sections

.PHONY: lib tool demo test check check-all packages abi-accept install install-lib install-tool install-slurm uninstall deb deb-slurm dist wheels coverage bench instructions results csv docs clean
# For processors with AVX2: the C library's loader takes this one there by itself. The same bits in fewer instructions.
WIDE := $(if $(filter x86_64,$(shell uname -m)),glibc-hwcaps/x86-64-v3)
lib: $(BUILD)/libsurefill.a $(BUILD)/libsurefill.so $(WIDE:%=$(BUILD)/%/$(SONAME)) $(BUILD)/surefill.pc

ifneq ($(HAVE_CARGO),)
# Cargo knows what changed, flags included; what it made again is copied only when it differs.
$(BUILD)/libsurefill.a: FORCE
	@mkdir -p $(BUILD)
	$(RUSTC_LIB)
	@cmp -s $(CARGO_TARGET_DIR)/$(LIB_PROFILE)/libsurefill.a $@ || cp $(CARGO_TARGET_DIR)/$(LIB_PROFILE)/libsurefill.a $@

$(BUILD)/wide.a: FORCE
	@mkdir -p $(BUILD)
	CARGO_TARGET_DIR=$(CARGO_TARGET_DIR)/wide $(RUSTC_LIB) -C target-cpu=x86-64-v3
	@cmp -s $(CARGO_TARGET_DIR)/wide/$(LIB_PROFILE)/libsurefill.a $@ || cp $(CARGO_TARGET_DIR)/wide/$(LIB_PROFILE)/libsurefill.a $@

# A program that was linked with a library of another interface is not begun: each symbol has the interface's number.
$(BUILD)/surefill.map: src/capi/status.rs Makefile
	@mkdir -p $(BUILD)
	printf 'SUREFILL_%s { global: surefill_*; local: *; };\n' $(ABI) > $@

# The shared library is what the static one holds; memcpy comes from the C library.
$(BUILD)/$(SONAME): $(BUILD)/libsurefill.a $(BUILD)/surefill.map
	$(LINK_SHARED)

$(BUILD)/glibc-hwcaps/x86-64-v3/$(SONAME): $(BUILD)/wide.a $(BUILD)/surefill.map
	@mkdir -p $(@D)
	$(LINK_SHARED)
else
# Root often has no Cargo (sudo make install): then what has been built is taken as it is.
$(BUILD)/libsurefill.a $(BUILD)/$(SONAME) $(BUILD)/glibc-hwcaps/x86-64-v3/$(SONAME): FORCE
	@test -f $@ || { echo 'No $(CARGO) here, and no $@: run make first, where there is one.' >&2; exit 1; }
endif

FORCE:

$(BUILD)/libsurefill.so: $(BUILD)/$(SONAME)
	ln -sf $(SONAME) $@

# A folder below the prefix is written so, and pkg-config --define-prefix can move the whole.
in-prefix = $(patsubst $(PREFIX)/%,$${prefix}/%,$(1))

$(BUILD)/surefill.pc: include/surefill.pc.in Makefile
	mkdir -p $(BUILD)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(call in-prefix,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(call in-prefix,$(INCLUDEDIR))|' \
	    -e 's|@VERSION@|$(VERSION)|' $< > $@

$(BUILD)/%: c-examples/%.c $(BUILD)/libsurefill.a $(HEADERS)
	$(CC) $(WARNINGS) -O2 -Iinclude -o $@ $< $(BUILD)/libsurefill.a $(STATIC) -lm

$(BUILD)/workload.swf: demo/workload.swf.gz
	mkdir -p $(BUILD)
	gzip -dc $< > $@

# The simulator of the demonstration is built for a short build, not for speed, and as `make test` builds it.
demo: $(BUILD)/backfill $(BUILD)/whole_scheduler $(BUILD)/workload.swf
	@echo "Building the simulator: a minute or two the first time"
	$(CARGO) build -p surefill-simulator
	@echo
	@echo "== One scheduling pass, in C (c-examples/backfill.c) =="
	$(BUILD)/backfill
	@echo
	@echo "== 5,000 jobs under the scheduler engine in C: EASY, then its presets (c-examples/whole_scheduler.c) =="
	$(BUILD)/whole_scheduler preset=easy $(BUILD)/workload.swf
	$(BUILD)/whole_scheduler preset=fair $(BUILD)/workload.swf
	$(BUILD)/whole_scheduler preset=fast $(BUILD)/workload.swf
	@echo
	@echo "== The simulator on the same workload: EASY, EASY++, the delay rule (delay, delay-fast) and the engine's plan (fair, fast) =="
	@echo
	$(CARGO_TARGET_DIR)/debug/surefill compare demo/workload.swf.gz --policies easy,easy++,delay,delay-fast,fair,fast --html $(BUILD)/demo.html \
	    > $(BUILD)/demo.txt
	@sed '$$d' $(BUILD)/demo.txt
	@echo "The page with the figures: $(BUILD)/demo.html"
	@echo
	@echo "What was gained: $$(tail -n 1 $(BUILD)/demo.txt)"

# One after the other: together the simulator would be compiled with the C interface, and its command once more without.
test:
	@status=0; for tested in '-p surefill --features capi' '-p surefill-simulator'; do \
	    echo "$(CARGO) test $$tested"; $(CARGO) test $(QUIET) --no-fail-fast $$tested || status=1; done; exit $$status

# A variable's value, for scripts: make -s print-VERSION, make -s print-ABI.
print-%:
	@echo '$($*)'

check:
	./scripts/check.sh $(STEPS)

check-all:
	SUREFILL_ALL=1 ./scripts/check.sh

packages:
	./scripts/packages.sh

abi-accept: $(BUILD)/libsurefill.so
	./scripts/check-abi.sh --accept

# The package-configuration file names the folders, so it is made again for every installation.
install: install-lib install-tool

install-lib: $(BUILD)/libsurefill.a $(BUILD)/libsurefill.so $(WIDE:%=$(BUILD)/%/$(SONAME))
	rm -f $(BUILD)/surefill.pc
	$(MAKE) --no-print-directory $(BUILD)/surefill.pc PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)'
	install -d '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig'
	install -m 644 $(HEADERS) '$(DESTDIR)$(INCLUDEDIR)'
	install -m 644 $(BUILD)/libsurefill.a '$(DESTDIR)$(LIBDIR)'
	$(STRIP) --strip-debug '$(DESTDIR)$(LIBDIR)/libsurefill.a'
	install -m 755 $(BUILD)/$(SONAME) '$(DESTDIR)$(LIBDIR)/libsurefill.so.$(VERSION)'
	$(STRIP) --strip-unneeded '$(DESTDIR)$(LIBDIR)/libsurefill.so.$(VERSION)'
	ln -sf libsurefill.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(SONAME)'
	ln -sf $(SONAME) '$(DESTDIR)$(LIBDIR)/libsurefill.so'
ifneq ($(WIDE),)
	install -d '$(DESTDIR)$(LIBDIR)/$(WIDE)'
	install -m 755 $(BUILD)/$(WIDE)/$(SONAME) '$(DESTDIR)$(LIBDIR)/$(WIDE)/libsurefill.so.$(VERSION)'
	$(STRIP) --strip-unneeded '$(DESTDIR)$(LIBDIR)/$(WIDE)/libsurefill.so.$(VERSION)'
	ln -sf libsurefill.so.$(VERSION) '$(DESTDIR)$(LIBDIR)/$(WIDE)/$(SONAME)'
endif
	install -m 644 $(BUILD)/surefill.pc '$(DESTDIR)$(LIBDIR)/pkgconfig'

install-tool: tool
	install -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(MANDIR)/man1' '$(DESTDIR)$(BASHDIR)' '$(DESTDIR)$(ZSHDIR)' '$(DESTDIR)$(FISHDIR)'
# Without symbols, which are nine tenths of it.
	install -m 755 $(TOOL) '$(DESTDIR)$(BINDIR)'
	$(STRIP) '$(DESTDIR)$(BINDIR)/surefill'
	install -m 644 $(BUILD)/packaging/man1/*.1 '$(DESTDIR)$(MANDIR)/man1'
	install -m 644 $(BUILD)/packaging/completions/surefill.bash '$(DESTDIR)$(BASHDIR)/surefill'
	install -m 644 $(BUILD)/packaging/completions/_surefill '$(DESTDIR)$(ZSHDIR)'
	install -m 644 $(BUILD)/packaging/completions/surefill.fish '$(DESTDIR)$(FISHDIR)'

# Slurm's scheduler plugin, built for the slurmctld that is installed. Elsewhere than on Debian: SLURM_SOURCE, unpacked sources of
# exactly that release, and SLURM_PLUGINDIR, a folder of slurm.conf's PluginDir.
install-slurm:
	@c-examples/slurm/prerequisites.sh '$(SLURM_SOURCE)' '$(SLURM_PLUGINDIR)' # before anything is built for minutes
	@$(MAKE) --no-print-directory -s $(BUILD)/libsurefill.a
	@set -e; source='$(SLURM_SOURCE)'; [ -n "$$source" ] || source=$$(c-examples/slurm/source.sh $(BUILD)/slurm-source); \
	folder='$(SLURM_PLUGINDIR)'; [ -n "$$folder" ] || folder=$$(dirname "$$(dpkg -L slurm-wlm-basic-plugins | grep /sched_builtin.so)"); \
	$(MAKE) --no-print-directory -s -C c-examples/slurm SLURM_SOURCE="$$(realpath "$$source")" all; \
	install -d '$(DESTDIR)'"$$folder"; \
	install -m 644 $(BUILD)/slurm/sched_surefill.so '$(DESTDIR)'"$$folder"; \
	install -D -m 755 -t '$(DESTDIR)$(BINDIR)' $(BUILD)/slurm/surefill-cycle; \
	echo "$(DESTDIR)$$folder/sched_surefill.so: for $$(sed -n 's/^ *Version:[[:space:]]*/Slurm /p' "$$source/META" | head -n 1)"

# The command with its manual pages and completions, which it writes itself.
ifneq ($(HAVE_CARGO),)
tool:
	$(CARGO) build --quiet --profile $(TOOL_PROFILE) -p surefill-simulator
	rm -rf $(BUILD)/packaging
	$(TOOL) packaging $(BUILD)/packaging
else
tool:
	@test -d $(BUILD)/packaging && test -x $(TOOL) || { echo 'No $(CARGO) here, and no $(TOOL) with $(BUILD)/packaging: run make tool first, where there is one.' >&2; exit 1; }
endif

uninstall:
	rm -f $(patsubst include/%,'$(DESTDIR)$(INCLUDEDIR)/%',$(HEADERS))
	rm -f '$(DESTDIR)$(LIBDIR)/libsurefill.a' '$(DESTDIR)$(LIBDIR)'/libsurefill.so*
	rm -f $(WIDE:%='$(DESTDIR)$(LIBDIR)/%'/libsurefill.so*)
	rm -f '$(DESTDIR)$(LIBDIR)/pkgconfig/surefill.pc'
	rm -f '$(DESTDIR)$(BINDIR)/surefill' '$(DESTDIR)$(MANDIR)/man1/surefill.1' '$(DESTDIR)$(MANDIR)'/man1/surefill-*.1
	rm -f '$(DESTDIR)$(BASHDIR)/surefill' '$(DESTDIR)$(ZSHDIR)/_surefill' '$(DESTDIR)$(FISHDIR)/surefill.fish'

# Debian packages in build/deb: libsurefill0, libsurefill-dev, surefill.
deb:
	./scripts/deb.sh $(BUILD)/deb

deb-slurm: $(BUILD)/libsurefill.a
	./scripts/deb-slurm.sh $(BUILD)/deb

coverage:
	./scripts/coverage.sh $(ARGS)

# Some parts: make dist PART="source deb".
dist:
	./scripts/dist.sh $(PART)

wheels:
	./scripts/dist.sh wheel

bench:
	./scripts/bench.sh

instructions: $(BUILD)/libsurefill.a
	./scripts/instructions.sh
	./scripts/instructions-calls.sh

results:
	./scripts/results.sh $(PART)

csv:
	python3 scripts/tables-as-csv.py $(BUILD)/csv results/*.md

docs:
	scripts/docs.sh $(BUILD)

clean:
	rm -rf $(BUILD)
	$(CARGO) clean
