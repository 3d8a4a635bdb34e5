# packaging.mk - install, man pages, completions, release, amalgamation, Debian packages; included by
# the Makefile.  What it makes lies in $(BUILD); nothing here needs more than `make` does, but for
# the targets that say so.

# == Where things go ==
# LIBDIR is the multiarch folder, as on Debian, where PREFIX is the system's own
EXEC_PREFIX ?= $(PREFIX)
MULTIARCH   ?= $(shell $(CC) -print-multiarch 2>/dev/null)
BINDIR      ?= $(EXEC_PREFIX)/bin
LIBDIR      ?= $(EXEC_PREFIX)/lib$(if $(filter /usr,$(PREFIX)),$(MULTIARCH:%=/%))
INCLUDEDIR  ?= $(PREFIX)/include
DATADIR     ?= $(PREFIX)/share
MANDIR      ?= $(DATADIR)/man
DOCDIR      ?= $(DATADIR)/doc/bareking
BASHDIR     ?= $(DATADIR)/bash-completion/completions
ZSHDIR      ?= $(DATADIR)/zsh/site-functions
# strips what is installed; `make install STRIP=` keeps symbols and lines
STRIP       ?= strip

PACKAGING = probe/packaging
STAGE     = $(BUILD)/stage

# the day that pages and packages bear: the last commit's, so that they come out the same again
EPOCH := $(or $(SOURCE_DATE_EPOCH),$(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md))

# == Man pages ==
# From the texts that say it already: --help, bareking.h, docs/*.md; by way of Markdown
man: $(BUILD)/man/done ## man pages
$(BUILD)/man/done: $(BUILD)/bareking $(BUILD)/bareking-engine probe/bareking.h docs/variant-files.md docs/format.md docs/study.md \
                   $(wildcard $(PACKAGING)/man/*)
	@echo "  MAN $(@D)"
	$(Q)VERSION=$(VERSION) EPOCH=$(EPOCH) sh $(PACKAGING)/man/pages.sh $(BUILD)/bareking $(@D)
	@touch $@

# == Completions ==
completions: $(BUILD)/completions/done ## completions for bash and zsh
$(BUILD)/completions/done: $(BUILD)/bareking $(wildcard $(PACKAGING)/complete*)
	@echo "  SH $(@D)"
	$(Q)sh $(PACKAGING)/complete.sh $(BUILD)/bareking $(@D)
	@touch $@

# == Install ==
# The whole tree is laid out in $(STAGE) first: install copies it, uninstall takes away what is in it
stage: all man completions ## what would be installed, in $(BUILD)/stage
	@BUILD=$(BUILD) STAGE=$(STAGE) VERSION=$(VERSION) SONAME=$(SONAME) STRIP='$(STRIP)' \
	    PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' \
	    MANDIR='$(MANDIR)' EPOCH='$(EPOCH)' DOCDIR='$(DOCDIR)' BASHDIR='$(BASHDIR)' ZSHDIR='$(ZSHDIR)' \
	    LIBS_PRIVATE='$(LIBS_LIB) -lpthread' sh $(PACKAGING)/stage.sh
install: stage ## as root: command, library, man pages, completions, desktop entry, XBoard plugin
	@sh $(PACKAGING)/install.sh $(STAGE) '$(DESTDIR)'
uninstall: stage ## takes them away
	@sh $(PACKAGING)/install.sh -u $(STAGE) '$(DESTDIR)'

# an installation under DESTDIR is found and used without this tree
test-install: all man completions
	@sh tests/install.sh $(BUILD)
# a desktop's menu and XBoard find it
test-desktop: all man completions
	@sh tests/desktop.sh $(BUILD)

# == The library in one file ==
# which objects the public functions need is the linker's to say
XXHASH_H = $(shell $(CC) -E -include xxhash.h - </dev/null 2>/dev/null | sed -n 's/^\# 1 "\(.*xxhash\.h\)".*/\1/p' | head -n 1)
UNITS    = $(BUILD)/embedded.c $(CORE:%=src/core/%.c) \
           $(foreach n,$(SETS),src/core/facts/width.c:width_$n:BK_SET_BITS=$n,BK_FACT_WIDTH=bk_fact_width_$n) $(TABLE:%=src/table/%.c) $(PROBE:%=probe/%.c)
AMALGAM  = $(BUILD)/amalgamation
amalgamation: $(AMALGAM)/bareking.c ## the library as one file
$(AMALGAM)/bareking.c: $(BUILD)/libbareking.a LICENSE $(wildcard $(PACKAGING)/amalgam*) src/core/windows.h
	@mkdir -p $(@D)
	@echo "  AWK $@"
	$(Q)awk -f $(PACKAGING)/amalgamate.awk -v version=$(VERSION) -v xxhash=$(XXHASH_H) \
	    -v opening=$(PACKAGING)/amalgamation_opening.c.in \
	    -v objects="$$($(LD) -r -t -t -o /dev/null $(PROBE_O) $(BUILD)/libbareking.a | sed 's/.*)//')" \
	    $(foreach unit,$(UNITS),'$(unit)') >$@.new
	$(Q)cp probe/bareking.h probe/example.c LICENSE $(@D)
	$(Q)mv $@.new $@

# what the compiler says of it lies beside, and should be nothing (tests/amalgamation.sh)
$(AMALGAM)/bareking.o: $(AMALGAM)/bareking.c
	@echo "  CC $@"
	$(Q)$(CC) -O2 -std=c11 -Wall -Wextra -Wpedantic -Wshadow -c $< -o $@ 2>$(AMALGAM)/bareking.said || { cat $(AMALGAM)/bareking.said; exit 1; }
# tests of the library with the one file in its place; what it leaves out they take from the archive
$(AMALGAM)/test_%: $(BUILD)/tests/test_%.o $(PROOF_O) $(TB_O) $(AMALGAM)/bareking.o $(BUILD)/libbareking.a
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# Does it compile as people will compile it, without a word, and answer like the library?
test-amalgamation: all $(AMALGAM)/bareking.o $(AMALGAM)/test_golden $(if $(FULL),$(AMALGAM)/test_probe)
	@sh tests/amalgamation.sh $(BUILD)

# Do the library and the one file compile for musl and for Windows?  ZSTD_MUSL=DIR, ZSTD_WINDOWS=DIR: and
# does the one file answer there?
test-portable: $(AMALGAM)/bareking.c $(BUILD)/example
	@BUILD=$(BUILD) AMALGAM=$(AMALGAM) UNITS='$(UNITS)' \
	    ZSTD_MUSL='$(ZSTD_MUSL)' ZSTD_WINDOWS='$(ZSTD_WINDOWS)' sh tests/portable.sh

# == The engine for Windows ==
# by mingw-w64 and the ordinary rules, into a folder of its own; ZSTD_WINDOWS=DIR has zstd.h and libzstd.a made for
# Windows, which Debian has not.  The engine does without what makes tables and explains games.
WINDOWS    = $(BUILD)/windows
WINDOWS_CC = x86_64-w64-mingw32-gcc-posix
windows: ## bareking-engine for Windows
	@command -v $(WINDOWS_CC) >/dev/null || { echo "no $(WINDOWS_CC): apt-get install gcc-mingw-w64-x86-64-posix" >&2; exit 1; }
	@[ -f '$(ZSTD_WINDOWS)/zstd.h' ] && [ -f '$(ZSTD_WINDOWS)/libzstd.a' ] || \
	    { echo "make windows ZSTD_WINDOWS=DIR: a folder with zstd.h and libzstd.a for Windows" >&2; exit 1; }
	@mkdir -p $(WINDOWS)/include
	@cp '$(ZSTD_WINDOWS)'/zstd*.h $(dir $(XXHASH_H))xxh*.h $(WINDOWS)/include
	@$(MAKE) --no-print-directory BUILD=$(WINDOWS) CC=$(WINDOWS_CC) HARDEN= SAN= LDFLAGS='-static -s' \
	    CFLAGS='-O2 -include core/windows.h -DXXH_INLINE_ALL= -idirafter $(WINDOWS)/include' \
	    CORE='$(filter-out explain,$(CORE))' TABLE='$(filter-out write,$(TABLE))' \
	    LIBS_LIB='$(ZSTD_WINDOWS)/libzstd.a' $(WINDOWS)/bareking-engine
# it plays and answers as the one here does; by wine
test-windows: windows all
	@sh tests/windows.sh $(BUILD)

# == The Python package ==
# wheel and sdist, in $(BUILD)/python; PACK=1: a wheel that has the library in it
python: $(BUILD)/libbareking.so ## wheel and sdist
	@PYTHON='$(PYTHON)' SOURCE_DATE_EPOCH=$(EPOCH) sh $(PACKAGING)/python.sh $(BUILD) $(if $(PACK),$(BUILD)/libbareking.so)
	@ls $(BUILD)/python/*.whl $(if $(PACK),,$(BUILD)/python/*.tar.gz)
# its tests, from the wheel; FULL=1: more of them
test-python: all $(BUILD)/more-packages
	@PYTHON='$(PYTHON)' FULL='$(FULL)' sh tests/python.sh $(BUILD)

# == Debian packages ==
deb: probe/bareking.h ## Debian packages
	@sh $(PACKAGING)/deb.sh $(BUILD) $(VERSION) $(EPOCH)
# they install, are used and purged in a Debian that has nothing else; DIR: such a one, which is changed
test-deb: deb
	@sh tests/deb.sh $(BUILD) $(DIR)

# == Release ==
# Stripped, with what a debugger wants in files of their own beside: found by build-id, or when put into
# /usr/lib/debug.  The paths of this machine are not in it; make test-release builds it twice.
RELEASE = $(BUILD)/release
release: ## archives
	@$(MAKE) BUILD=$(RELEASE) CFLAGS='$(CFLAGS) -ffile-prefix-map=$(CURDIR)=.' LDFLAGS='$(LDFLAGS) -Wl,--build-id=sha1' STRIP= stage
	@BUILD=$(RELEASE) PREFIX='$(PREFIX)' VERSION=$(VERSION) EPOCH=$(EPOCH) STRIP='$(or $(STRIP),strip)' ARCH=$(shell $(CC) -dumpmachine) \
	    sh $(PACKAGING)/release.sh
test-release:
	@sh tests/release.sh $(BUILD)

# == The binary interface ==
# against what was written down for the last version, or with another libbareking.so: ABI=LIBRARY, not stripped;
# ABI=record writes it down
abi: $(BUILD)/libbareking.so ## the binary interface beside the last release
	@sh tests/abi.sh $(BUILD) $(ABI)

.PHONY: man completions stage install uninstall test-install test-desktop amalgamation test-amalgamation test-portable windows test-windows \
        python test-python deb test-deb release test-release abi
