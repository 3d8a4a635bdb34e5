# bareking - make, make test, make demo, make bench, make install; see README.md

# == Knobs ==
CC     ?= gcc
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
BUILD  ?= build
SAN    ?=
# against faults of our own; `make HARDEN=` leaves it out (docs/security.md: what it costs)
HARDEN ?= -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
V      ?=
# for the Python package and its tests
PYTHON ?= python3

$(if $(word 2,$(BUILD)),$(error BUILD=$(BUILD): names of folders that make makes have no blanks))

MAKEFLAGS += -r -j$(shell nproc 2>/dev/null || echo 1)
MAKEFLAGS += --output-sync=line
Q := $(if $(V),,@)

# == The house, lowest floor first == what a folder has is compiled; tests/floors.sh knows who may include whom
names   = $(patsubst $(1)/%.c,%,$(wildcard $(1)/*.c $(2:%=$(1)/%/*.c)))
# compiled by rules of their own: for each width of a set, each instruction set, in the place of another
APART   = facts/width kernel/passes kernel/kings encode/columns encode/eliminate encode/eliminate_avx2 encode/eliminate_gfni \
          encode/filter transport_mpi example
CORE    := $(filter-out $(APART),$(call names,src/core,facts))
TABLE   := $(call names,src/table)
TB      := $(filter-out $(APART),$(call names,tb,memory kernel solve encode make))
PROBE   := $(filter-out $(APART),$(call names,probe))
STUDY   := $(call names,src/study)
EXPLORE := $(call names,src/explore)
CLI     := $(call names,src/cli)
ENGINE  := $(call names,src/engine)
TESTS   := $(filter test_%,$(call names,tests))
FUZZ    := $(patsubst fuzz_%,%,$(filter fuzz_%,$(call names,tests/fuzz)))
# what test programs share: all that is not a program
PROOF   := $(filter-out test_% bandwidth bench_% clock compare cputime explore_client inject mpi_wire processes soak starve,$(call names,tests))

# == Nothing below changes when a file is added ==
PACKAGES  = gcc libc6-dev make libzstd-dev libxxhash-dev libjansson-dev nettle-dev libmicrohttpd-dev libcurl4-openssl-dev
# what tests and `make format` need besides
TEST_PACKAGES = $(if $(PACKAGES),git pkg-config libcmocka-dev time clang-format)
# what tests may do without: that of C++, Python, several processes and the binary interface
MORE_PACKAGES = $(if $(PACKAGES),g++ python3-pytest python3-numpy python3-build python3-setuptools python3-wheel python3-venv \
                openmpi-bin libopenmpi-dev abigail-tools)
# the version is that of probe/bareking.h, and stands nowhere else but in the Python package (test_library.py)
VERSION  := $(shell v=$$(sed -n 's/^\#define BK_LIB_VERSION \(0x[0-9a-f]*\).*/\1/p' probe/bareking.h); \
              echo $$((v >> 16)).$$((v >> 8 & 255)).$$((v & 255)))
SONAME   := libbareking.so.$(firstword $(subst ., ,$(VERSION)))
# sanitizers see more than fortified functions do; those need an optimizer
GUARD     = $(if $(SAN)$(filter -O0,$(CFLAGS)),,$(HARDEN))
GUARD_LD  = $(if $(GUARD),-Wl$(comma)-z$(comma)relro -Wl$(comma)-z$(comma)now)
comma     = ,
BK_CFLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi -fPIC -fvisibility=hidden \
            -Isrc -I. -MMD -MP $(GUARD) $(SAN) $(CFLAGS)
LIBS_LIB  = -lxxhash -lzstd
LIBS      = $(LIBS_LIB) -ljansson -lnettle -lpthread

SETS = 64 128 256
PASSES = $(SETS:%=kernel/kernel_portable%) $(SETS:%=kernel/kings_portable%) encode/columns_portable encode/eliminate_portable \
         encode/filter_portable
# where the compiler is still to be installed, this machine's
ifneq (,$(findstring x86_64,$(shell $(CC) -dumpmachine 2>/dev/null || uname -m)))
PASSES += $(SETS:%=kernel/kernel_avx2_%) $(SETS:%=kernel/kernel_avx512_%) \
          $(SETS:%=kernel/kings_avx2_%) $(SETS:%=kernel/kings_avx512_%) \
          encode/columns_avx2 encode/columns_avx512 encode/eliminate_avx2 encode/eliminate_avx512 \
          encode/eliminate_gfni encode/filter_avx512
endif

CORE_O  = $(CORE:%=$(BUILD)/src/core/%.o) $(SETS:%=$(BUILD)/src/core/facts/width_%.o) $(BUILD)/embedded.o
TABLE_O = $(TABLE:%=$(BUILD)/src/table/%.o)
TB_O    = $(TB:%=$(BUILD)/tb/%.o) $(PASSES:%=$(BUILD)/tb/%.o) $(BUILD)/known.o
PROBE_O = $(PROBE:%=$(BUILD)/probe/%.o)
STUDY_O = $(STUDY:%=$(BUILD)/src/study/%.o) $(BUILD)/pieces.o
EXPLORE_O = $(EXPLORE:%=$(BUILD)/src/explore/%.o) $(BUILD)/pages.o
CLI_O   = $(CLI:%=$(BUILD)/src/cli/%.o)
ENGINE_O = $(ENGINE:%=$(BUILD)/src/engine/%.o)
PROOF_O = $(PROOF:%=$(BUILD)/tests/%.o)
LIB_O   = $(CORE_O) $(TABLE_O) $(PROBE_O)
TEST_X  = $(TESTS:%=$(BUILD)/tests/%)
# what packaging.mk makes for tests of it
PACKED_X = $(BUILD)/amalgamation/bareking.o $(BUILD)/amalgamation/test_golden

all: $(BUILD)/bareking $(BUILD)/bareking-engine $(BUILD)/libbareking.a $(BUILD)/libbareking.so $(BUILD)/example ## the command, the engine, the library (also plain make)

$(BUILD)/bareking: $(CLI_O) $(EXPLORE_O) $(STUDY_O) $(TB_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $(if $(GUARD),-pie) $^ $(GUARD_LD) $(LDFLAGS) $(LIBS) -o $@

# several processes that make a table together: where Open MPI is (docs/distributed.md)
mpi: $(BUILD)/bareking-mpi ## bareking-mpi: several processes
mpi_flags = $(subst -I/,-isystem /,$(shell mpicc --showme:$(1) 2>/dev/null))
$(BUILD)/bareking-mpi: $(CLI_O) $(EXPLORE_O) $(STUDY_O) $(filter-out %/transport.o,$(TB_O)) $(BUILD)/tb/transport_mpi.o $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $(if $(GUARD),-pie) $^ $(GUARD_LD) $(LDFLAGS) $(call mpi_flags,link) $(LIBS) -o $@
$(BUILD)/tb/transport_mpi.o: tb/transport_mpi.c | $(BUILD)/packages
	@command -v mpicc >/dev/null || { echo "make mpi: no mpicc; Debian has it in libopenmpi-dev" >&2; exit 1; }
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $(call mpi_flags,compile) -c $< -o $@

$(BUILD)/bareking-engine: $(ENGINE_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $(if $(GUARD),-pie) $^ $(GUARD_LD) $(LDFLAGS) $(LIBS_LIB) -lpthread -lm -o $@

$(BUILD)/libbareking.a: $(LIB_O)
	@echo "  AR $@"
	$(Q)rm -f $@
	$(Q)ar rcsD $@ $^

$(BUILD)/libbareking.so: $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -shared -Wl,-soname,$(SONAME) $^ $(GUARD_LD) $(LDFLAGS) $(LIBS_LIB) -o $(@D)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

$(BUILD)/example: probe/example.c probe/bareking.h $(BUILD)/libbareking.a
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $< $(BUILD)/libbareking.a $(LDFLAGS) $(LIBS_LIB) -o $@

$(BUILD)/bandwidth: tests/bandwidth.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $< -o $@

# asks `bareking explore`
$(BUILD)/explore_client: tests/explore_client.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $< -lpthread -o $@

$(BUILD)/bench_facts: $(BUILD)/tests/bench_facts.o $(BUILD)/tests/random_variant.o $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS_LIB) -o $@

$(BUILD)/bench_probe: $(BUILD)/tests/bench_probe.o $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS_LIB) -lpthread -o $@

$(BUILD)/compare: $(BUILD)/tests/compare.o $(PROOF_O) $(TB_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

$(BUILD)/soak: $(BUILD)/tests/soak.o $(BUILD)/tests/lines.o $(BUILD)/tests/random_variant.o $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS_LIB) -lpthread -o $@

$(BUILD)/embedded.c: src/variants/embed.sh $(wildcard src/variants/*.ini) \
		$(wildcard src/variants/counted/*.ini) src/variants/fairy/built-in.ini
	@mkdir -p $(@D)
	$(Q)sh $< $@ $(filter %.ini,$^)

# sizes of files that have been made, likewise
$(BUILD)/known.c: src/variants/sizes.sh src/variants/sizes.tsv
	@mkdir -p $(@D)
	$(Q)sh $< $@ $(filter %.tsv,$^)

# pictures of men, likewise
$(BUILD)/pieces.c: src/study/pieces.sh src/study/pieces.svg
	@mkdir -p $(@D)
	$(Q)sh $< $@ $(filter %.svg,$^)

# the page, likewise
PAGE = $(wildcard src/explore/page/*) $(wildcard $(BUILD)/wasm/bareking.wasm)
$(BUILD)/pages.c: src/explore/embed.sh $(PAGE) src/study/pieces.svg
	@mkdir -p $(@D)
	$(Q)sh $< $@ $(PAGE) src/study/pieces.svg

# the prober for pages without a server; where it has been made it is one of the page's files
WASM_C = $(CORE:%=src/core/%.c) $(BUILD)/embedded.c $(TABLE:%=src/table/%.c) $(PROBE:%=probe/%.c) \
         $(addprefix src/explore/,$(addsuffix .c,json query reply kept games ask far))
wasm: $(BUILD)/embedded.c ## the prober as WebAssembly, for pages without a server
	@sh src/explore/wasm.sh $(BUILD) $(WASM_C)
	@$(MAKE) --no-print-directory $(BUILD)/bareking

$(BUILD)/embedded.o $(BUILD)/known.o $(BUILD)/pieces.o $(BUILD)/pages.o: $(BUILD)/%.o: $(BUILD)/%.c | $(BUILD)/packages
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -c $< -o $@

$(BUILD)/%.o: %.c | $(BUILD)/packages
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -c $< -o $@

$(BUILD)/tests/%.o: tests/%.c | $(BUILD)/test-packages
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -c $< -o $@

# one kernel source, compiled for each width of a set and each instruction set
kernel = @mkdir -p $(@D); echo "  CC $@"; $(CC) $(BK_CFLAGS) $(1) -DBK_SET_BITS=$* -DBK_KERNEL=$(2)$* -c $< -o $@
# tuned so that gcc copies vectors by 32 bytes: what is copied by 16 and read by 32 is waited for
AVX2 = -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt -mtune=skylake-avx512
AVX512 = -march=skylake-avx512
$(BUILD)/tb/kernel/kernel_portable%.o: tb/kernel/passes.c | $(BUILD)/packages
	$(call kernel,,portable)
$(BUILD)/tb/kernel/kernel_avx2_%.o: tb/kernel/passes.c | $(BUILD)/packages
	$(call kernel,$(AVX2),avx2_)
$(BUILD)/tb/kernel/kernel_avx512_%.o: tb/kernel/passes.c | $(BUILD)/packages
	$(call kernel,$(AVX512),avx512_)
$(BUILD)/tb/kernel/kings_portable%.o: tb/kernel/kings.c | $(BUILD)/packages
	$(call kernel,,portable)
$(BUILD)/tb/kernel/kings_avx2_%.o: tb/kernel/kings.c | $(BUILD)/packages
	$(call kernel,$(AVX2),avx2_)
$(BUILD)/tb/kernel/kings_avx512_%.o: tb/kernel/kings.c | $(BUILD)/packages
	$(call kernel,$(AVX512),avx512_)

# the AVX-512 ones emulated, in the place of AVX2's, for tests on machines that lack it
$(BUILD)/avx512/kernel_%.o: tb/kernel/passes.c tests/emulate.h | $(BUILD)/packages
	$(call kernel,$(AVX2) -include tests/emulate.h,avx2_)
$(BUILD)/avx512/kings_%.o: tb/kernel/kings.c tests/emulate.h | $(BUILD)/packages
	$(call kernel,$(AVX2) -include tests/emulate.h,avx2_)
$(BUILD)/avx512/test_fuzz: $(BUILD)/tests/test_fuzz.o $(PROOF_O) $(filter-out $(BUILD)/tb/kernel/%_avx2_64.o $(BUILD)/tb/kernel/%_avx2_128.o \
                           $(BUILD)/tb/kernel/%_avx2_256.o,$(TB_O)) $(SETS:%=$(BUILD)/avx512/kernel_%.o) $(SETS:%=$(BUILD)/avx512/kings_%.o) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# facts, likewise for each width
$(BUILD)/src/core/facts/width_%.o: src/core/facts/width.c | $(BUILD)/packages
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -DBK_SET_BITS=$* -DBK_FACT_WIDTH=bk_fact_width_$* -c $< -o $@

columns = @mkdir -p $(@D); echo "  CC $@"; $(CC) $(BK_CFLAGS) $(1) -DBK_COLUMNS=$(2) -c $< -o $@
$(BUILD)/tb/encode/columns_portable.o: tb/encode/columns.c | $(BUILD)/packages
	$(call columns,,portable)
$(BUILD)/tb/encode/columns_avx2.o: tb/encode/columns.c | $(BUILD)/packages
	$(call columns,-mbmi2 -mpopcnt -mavx2,avx2)
$(BUILD)/tb/encode/columns_avx512.o: tb/encode/columns.c | $(BUILD)/packages
	$(call columns,-mbmi2 -mpopcnt -mavx512f -mavx512vpopcntdq -mprefer-vector-width=512,avx512)

eliminate = @mkdir -p $(@D); echo "  CC $@"; $(CC) $(BK_CFLAGS) $(1) -DBK_ELIMINATE=bk_eliminate_$(2) -c $< -o $@
$(BUILD)/tb/encode/eliminate_portable.o: tb/encode/eliminate.c | $(BUILD)/packages
	$(call eliminate,,portable)
$(BUILD)/tb/encode/eliminate_avx2.o: tb/encode/eliminate_avx2.c | $(BUILD)/packages
	$(call eliminate,-mavx2 -mbmi,avx2)
$(BUILD)/tb/encode/eliminate_avx512.o: tb/encode/eliminate.c | $(BUILD)/packages
	$(call eliminate,-mavx512f -mavx512bw -mprefer-vector-width=512,avx512)
$(BUILD)/tb/encode/eliminate_gfni.o: tb/encode/eliminate_gfni.c | $(BUILD)/packages
	$(call eliminate,-mavx512f -mavx512bw -mavx512dq -mavx512vbmi -mavx512vbmi2 -mgfni -mpopcnt -mbmi -mbmi2 -mprefer-vector-width=512,gfni)

filters = @mkdir -p $(@D); echo "  CC $@"; $(CC) $(BK_CFLAGS) $(1) -DBK_FILTER=bk_filter_$(2) -c $< -o $@
$(BUILD)/tb/encode/filter_portable.o: tb/encode/filter.c | $(BUILD)/packages
	$(call filters,,portable)
$(BUILD)/tb/encode/filter_avx512.o: tb/encode/filter.c | $(BUILD)/packages
	$(call filters,-mavx512f -mavx512dq -mavx512vpopcntdq,avx512)

# with the library alone, as a program that uses it; for tables it asks the program
$(BUILD)/tests/test_needs: $(BUILD)/tests/test_needs.o $(BUILD)/libbareking.a | $(BUILD)/bareking
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS_LIB) -lpthread -lcmocka -o $@

# and with what that allocates in the test's hands
$(BUILD)/tests/test_memory: $(BUILD)/tests/test_memory.o $(BUILD)/libbareking.a
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup $^ $(LDFLAGS) $(LIBS_LIB) -lpthread -lcmocka -o $@

# with a transport of their own
$(BUILD)/tests/test_ranks $(BUILD)/tests/test_several: $(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(BUILD)/tests/processes.o $(PROOF_O) $(filter-out %/transport.o,$(TB_O)) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# of the study of tables
$(BUILD)/tests/test_study $(BUILD)/tests/test_written: $(BUILD)/tests/%: $(BUILD)/tests/%.o $(PROOF_O) $(STUDY_O) $(TB_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# and of the server
$(BUILD)/tests/test_explore: $(BUILD)/tests/test_explore.o $(EXPLORE_O) $(STUDY_O) $(TB_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# with parts of the engine
$(BUILD)/tests/test_trap: LIBS += -lm
$(BUILD)/tests/test_%: $(BUILD)/tests/test_%.o $(PROOF_O) $(TB_O) $(LIB_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -lcmocka -o $@

# == Fuzzing == the targets of tests/fuzz: by replay.c with any compiler, by clang's libFuzzer
$(BUILD)/fuzz/main.o: src/cli/main.c | $(BUILD)/packages
	@mkdir -p $(@D)
	$(Q)$(CC) $(BK_CFLAGS) -Dmain=bareking_main -c $< -o $@
FUZZ_O = $(BUILD)/tests/fuzz/fuzz.o $(BUILD)/tests/forge.o $(BUILD)/fuzz/main.o $(filter-out %/main.o,$(CLI_O)) $(EXPLORE_O) $(STUDY_O) $(TB_O) $(LIB_O)
$(BUILD)/fuzz/replay_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/replay.o $(FUZZ_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $^ $(LDFLAGS) $(LIBS) -o $@
$(BUILD)/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(FUZZ_O)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -fsanitize=fuzzer $^ $(LDFLAGS) $(LIBS) -o $@

REPLAY_X = $(FUZZ:%=$(BUILD)/fuzz/replay_%)
fuzz-replay: $(REPLAY_X) ## the inputs that fuzzers have kept
	@sh tests/fuzz/replay.sh $(BUILD)
# libFuzzer notes what is compared with what: two thirds of the time that solving and coding then take,
# and no text is read there
$(addprefix $(BUILD)/,tb/solve/%.o tb/kernel/%.o tb/encode/%.o tb/memory/%.o src/core/facts/%.o): BK_CFLAGS += $(UNNOTED)
# each target for so many minutes, with clang, under ASan and UBSan; what it finds stays in $(BUILD)/fuzzer
fuzz-inputs: ## MINUTES=3 of libFuzzer for each of TARGETS
	@$(MAKE) BUILD=$(BUILD)/fuzzer CC=clang CFLAGS='-O1 -g' \
	    SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' \
	    UNNOTED=-fno-sanitize-coverage=trace-cmp \
	    $(FUZZ:%=$(BUILD)/fuzzer/fuzz/fuzz_%)
	@sh tests/fuzz/run.sh $(BUILD)/fuzzer $(or $(MINUTES),3) $(or $(TARGETS),$(FUZZ))

# builds with 4 threads, and questions to the library, watched for races
tsan: ## builds and questions watched for races
	@$(MAKE) BUILD=$(BUILD)/tsan CFLAGS='-O1 -g' SAN=-fsanitize=thread $(BUILD)/tsan/bareking $(BUILD)/tsan/soak
	@sh tests/tsan.sh $(BUILD)/tsan/bareking
	@TSAN_OPTIONS=halt_on_error=1 $(BUILD)/tsan/soak 30000

# N questions of every kind to the library by 4 threads, under each sanitizer
probe-soak: ## N questions by four threads, under each sanitizer
	@$(MAKE) BUILD=$(BUILD)/tsan CFLAGS='-O1 -g' SAN=-fsanitize=thread $(BUILD)/tsan/soak
	@$(MAKE) BUILD=$(BUILD)/asan CFLAGS='-O1 -g' \
	    SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined' $(BUILD)/asan/soak
	TSAN_OPTIONS=halt_on_error=1 $(BUILD)/tsan/soak $(or $(N),10000000) 4 $(SEED)
	$(BUILD)/asan/soak $(or $(N),10000000) 4 $(SEED)

# lists of root moves beside the slow generator's, N of them over all games
probe-roots: $(BUILD)/tests/test_root ## N lists of root moves beside the slow generator
	ROOTS=$$(( ($(or $(N),100000) + 21) / 22 )) CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/test_root

# == Checks ==
# `test-all` has all of `test` and forms that take longer, in one run of tests/run.sh.  `+` lets its lines through as
# they come (--output-sync); that -n does not hold for such a line is made good
TESTED = all $(TEST_X) $(BUILD)/explore_client $(REPLAY_X) $(BUILD)/soak floors format-check \
         $(if $(SAN),,$(BUILD)/starve.so $(BUILD)/man/done $(BUILD)/completions/done $(BUILD)/more-packages)
run_tests = +@$(if $(findstring n,$(firstword -$(MAKEFLAGS))),echo )env PYTHON='$(PYTHON)' SAN='$(SAN)' AMALGAM='$(AMALGAM)' \
            UNITS='$(UNITS)' sh tests/run.sh $(BUILD)
test: $(TESTED) ## builds, and runs the tests, side by side
	$(run_tests)
test-all: $(TESTED) $(if $(SAN),,$(PACKED_X)) ## all tests, and the long forms of those of make test
	@if command -v mpicc >/dev/null && [ -z '$(SAN)' ]; then $(MAKE) $(BUILD)/bareking-mpi $(BUILD)/tests/mpi_wire.so; fi
	$(run_tests) all

# several processes make the bytes of one, in full: some half an hour on four cores
test-mpi: all $(BUILD)/bareking-mpi $(BUILD)/tests/test_fuzz $(BUILD)/inject $(BUILD)/tests/mpi_wire.so | $(BUILD)/test-packages ## several processes make the bytes of one
	@sh tests/mpi.sh $(BUILD) long
	@sh tests/mpi_plan.sh $(BUILD) long
	@sh tests/mpi_tcp.sh $(BUILD) long
$(BUILD)/tests/mpi_wire.so: tests/mpi_wire.c | $(BUILD)/packages
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $(call mpi_flags,compile) -shared $< $(call mpi_flags,link) -o $@
# N drawn games, small ones, by two to four processes and by one
fuzz-mpi: all $(BUILD)/bareking-mpi $(BUILD)/tests/test_fuzz ## N=500 drawn games by two to four processes
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
	    OMPI_MCA_mpi_yield_when_idle=1 BAREKING_FUZZ_MPI=$(BUILD)/bareking-mpi \
	    $(BUILD)/tests/test_fuzz $(or $(N),500) $(SEED)
# programs for other machines, under qemu: some ten minutes
test-machines: all ## programs for other machines, under qemu
	@CCACHE='$(filter %ccache,$(CC))' MAKE='$(MAKE)' sh tests/machines.sh $(BUILD) $(N)
# the jobs of `plan --slurm` by a real Slurm on this machine, as root
test-slurm: all $(BUILD)/bareking-mpi ## the jobs of plan --slurm, by a Slurm here
	@sh tests/slurm.sh $(BUILD)

# N cases by AVX-512's kernels, emulated where the machine has none (tests/emulate.h: Debian's libsimde-dev)
test-emulated: $(BUILD)/avx512/test_fuzz ## the kernels of AVX-512, emulated
	$< $(or $(N),400) $(SEED)

fuzz: all $(BUILD)/tests/test_fuzz $(BUILD)/tests/test_nmove ## N=20000 drawn games against the slow solver
	$(BUILD)/tests/test_fuzz $(or $(N),20000) $(SEED)
	$(BUILD)/tests/test_nmove $(or $(N),20000) $(SEED)

# every byte of three files changed, every length, forged heads: classified
damage: $(BUILD)/tests/test_damage ## every byte of three files changed
	DAMAGE_ALL=1 CMOCKA_MESSAGE_OUTPUT=STDOUT $(BUILD)/tests/test_damage

# builders among faults: full disks, limits, kills, signals, clocks; PAIRS of them racing
$(BUILD)/inject: tests/inject.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) $< -o $@
$(BUILD)/clock.so $(BUILD)/cputime.so $(BUILD)/starve.so: $(BUILD)/%.so: tests/%.c
	@mkdir -p $(@D)
	@echo "  CC $@"
	$(Q)$(CC) $(BK_CFLAGS) -fvisibility=default -shared $< -o $@
faults: all $(BUILD)/inject $(BUILD)/clock.so ## builders among faults
	@sh tests/faults.sh $(BUILD) $(or $(PAIRS),200)
# the command and the engine without memory, each allocation in turn
starve: all $(BUILD)/starve.so ## the command and the engine without memory
	@sh tests/starve.sh $(BUILD)

# sessions with bareking-engine; N decided positions; and real clients under Xvfb, where they are
test-engine: all ## sessions with bareking-engine
	@sh tests/engine.sh $(BUILD) $(N)
test-clients: all ## real front ends under Xvfb
	@sh tests/clients.sh $(BUILD) $(N)

# tables fetched from servers that err, N times, some of it killed
test-pulls: all ## N=1000 pulls among faults and kills
	@PYTHON='$(PYTHON)' sh tests/pull.sh $(BUILD) $(or $(N),1000)

# what an engine gives away that has no tables, alone and behind ours: half an hour
behind: all ## how an engine fares, alone and behind ours
	@$(PYTHON) tests/behind.py $(BUILD) $(WHAT)

# the server of `bareking explore` among friends and others, in full; its page in a browser (docs/testing.md)
test-explore: all $(BUILD)/explore_client ## the server of bareking explore, in full
	@FULL=1 sh tests/explore.sh $(BUILD)
test-browser: all ## its page in a browser
	@sh tests/browser/run.sh $(BUILD)

# games of Fairy-Stockfish, against ffish; INI, CPP: its files, to count what is taken (docs/testing.md)
test-reach: all ## games of Fairy-Stockfish, against ffish
	@sh tests/reach.sh $(BUILD) $(INI) $(CPP)

floors: ## includes point down, and in no circle
	@sh tests/floors.sh

# clang-format has the last word on white space; `make format-check` says where it differs
SOURCES = $(or $(shell git ls-files '*.c' '*.h' 2>/dev/null),$(shell find src tb probe tests -name '*.[ch]'))
format: | $(BUILD)/test-packages ## white space by clang-format
	$(Q)clang-format -i $(SOURCES)
format-check: | $(BUILD)/test-packages
	$(Q)clang-format --dry-run -Werror $(SOURCES)

# clang-tidy with the checks of .clang-tidy, of tb/.clang-tidy there, which must be clean
TIDY = $(CORE:%=src/core/%.c) $(TABLE:%=src/table/%.c) $(PROBE:%=probe/%.c) $(CLI:%=src/cli/%.c) \
       $(STUDY:%=src/study/%.c) $(EXPLORE:%=src/explore/%.c) $(ENGINE:%=src/engine/%.c) $(TB:%=tb/%.c)
tidy: $(TIDY:%=tidy-%) ## clang-tidy
$(TIDY:%=tidy-%): tidy-%: %
	$(Q)clang-tidy --quiet $< -- -std=c11 -D_GNU_SOURCE -Isrc -I. 2>/dev/null

demo: all ## small tables, and the Diamond answered
	@sh tests/demo.sh $(BUILD)/bareking $(or $(DIR),$(BUILD)/demo)

# how well the bar of builds foretells their end: some minutes
eta: all $(BUILD)/cputime.so ## how well times are foretold
	@sh tests/eta.sh $(BUILD)

verify-list: all ## builds and verifies a list of tables
	@sh tests/verify_list.sh $(BUILD)/bareking $(DIR)

# every position of files against the solver's own arrays; DIR keeps the tables
compare: all $(BUILD)/compare ## files against the arrays of the solver
	@sh tests/compare.sh $(BUILD) $(DIR)

bench: all $(BUILD)/bandwidth $(BUILD)/bench_facts | $(BUILD)/test-packages ## how fast tables are made
	@sh tests/bench.sh $(BUILD)
	@$(BUILD)/bench_facts

# files that are read for ever after, written anew: tests/golden.sh says when
golden: all ## the files that are read for ever, written anew
	@sh tests/golden.sh $(BUILD)/bareking

# probes, warm and cold; DIR keeps the tables
bench-probe: all $(BUILD)/bench_probe ## how fast probes are
	@sh tests/bench_probe.sh $(BUILD) $(DIR)

# docs/gallery.md from commands; DIR has the tables, or gets them: hours
gallery: all ## docs/gallery.md from commands
	@sh tests/gallery.sh $(BUILD)/bareking $(or $(DIR),$(BUILD)/gallery) docs $(GAMES)

# bytes of files beside another generator's; DIR keeps the tables
bench-files: all | $(BUILD)/test-packages ## bytes of files beside another generator
	@sh tests/bench_files.sh $(BUILD) $(DIR)

# == The rest ==
$(BUILD)/packages: Makefile tests/packages.sh
	@mkdir -p $(@D)
	@sh tests/packages.sh $(PACKAGES)
	@touch $@

# one after the other: two apt-gets at once are refused
$(BUILD)/test-packages: Makefile tests/packages.sh | $(BUILD)/packages
	@mkdir -p $(@D)
	@sh tests/packages.sh $(TEST_PACKAGES)
	@touch $@

$(BUILD)/more-packages: Makefile tests/packages.sh | $(BUILD)/test-packages
	@mkdir -p $(@D)
	@sh tests/packages.sh -o $(MORE_PACKAGES)
	@touch $@

include probe/packaging/packaging.mk

# what there is: the words behind ## of each target
help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):.* ## \(.*\)/\1|\2/p' Makefile probe/packaging/packaging.mk | sort | \
	    awk -F '|' '{ printf "    make %-16s %s\n", $$1, $$2 }'

# needs universal-ctags
figures: ## what a reader meets: files, headers, exports, lengths
	@$(PYTHON) tests/figures.py

# for editors: how each file is compiled
compile_commands.json: $(BUILD)/embedded.c $(BUILD)/known.c $(BUILD)/pieces.c $(BUILD)/pages.c
	@$(MAKE) -nB --no-print-directory PACKAGES= V=1 all | $(PYTHON) tests/compile_commands.py >$@

clean: ## removes $(BUILD)
	rm -rf $(BUILD)


.PHONY: all help figures wasm mpi test test-all test-emulated test-mpi fuzz-mpi test-machines test-slurm test-engine behind test-clients test-pulls test-explore test-browser test-reach damage faults starve fuzz fuzz-replay fuzz-inputs tsan probe-soak probe-roots floors tidy format format-check demo eta verify-list compare bench bench-probe bench-files golden gallery install clean
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
