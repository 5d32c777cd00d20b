// Preloaded into every process of a compile: writes down each file that is opened for reading, and each
// one that is looked for and not there, with the file's state at that moment.
//
// One record per look-up, ended by a NUL:  kind TAB program TAB dev TAB ino TAB size TAB mtime TAB ctime
// TAB now TAB path.  Kind is R (regular file), D (folder opened like a file), N (not there), E (cannot
// be told: the trace is incomplete).  Times are nanoseconds since 1970.
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
// Not <fcntl.h> and <sys/stat.h>: with them, some C libraries have inline versions of what is defined here.
#include <asm/stat.h>  // the kernel's own struct stat, for system calls that every kernel has
#include <dlfcn.h>
#include <errno.h>
#include <linux/fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_PATH 4096
#define OWN_DESCRIPTOR 700  // far from those that shell scripts use

static int trace_fd = -1;

__attribute__((constructor)) static void start(void) {
  const char* file = getenv("OPWRIGHT_TRACE");
  if (file == NULL) return;
  // A killed builder takes its compilers with it.
  pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(137);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return;
  int high = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OWN_DESCRIPTOR);
  if (high < 0) {
    trace_fd = fd;
    return;
  }
  syscall(SYS_close, fd);
  trace_fd = high;
}

// The path as an absolute one; 0 if that cannot be told.
static int absolute(int folder, const char* path, char* out) {
  size_t used = 0;
  if (path[0] != '/') {
    if (folder == AT_FDCWD) {
      if (getcwd(out, LONGEST_PATH) == NULL) return 0;
      used = strlen(out);
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t length = readlink(link, out, LONGEST_PATH - 1);
      if (length <= 0) return 0;
      used = (size_t)length;
    }
    out[used++] = '/';
    while (path[0] == '.' && path[1] == '/') path += 2;
  }
  size_t length = strlen(path);
  if (used + length >= LONGEST_PATH) return 0;
  memcpy(out + used, path, length + 1);
  return 1;
}

static long long nanoseconds(long long seconds, long long part) { return seconds * 1000000000LL + part; }

static void emit(char kind, const struct stat* at, int folder, const char* path) {
  char full[LONGEST_PATH], record[LONGEST_PATH + 512];
  if (!absolute(folder, path, full)) {
    kind = 'E';
    full[0] = '\0';
  }
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  static const struct stat nothing;
  if (at == NULL) at = &nothing;
  int length = snprintf(record, sizeof record, "%c\t%s\t%llu\t%llu\t%llu\t%lld\t%lld\t%lld\t%s", kind,
                        program_invocation_short_name,
                        (unsigned long long)at->st_dev, (unsigned long long)at->st_ino,
                        (unsigned long long)at->st_size,
                        nanoseconds((long long)at->st_mtime, (long long)at->st_mtime_nsec),
                        nanoseconds((long long)at->st_ctime, (long long)at->st_ctime_nsec),
                        nanoseconds(now.tv_sec, now.tv_nsec), full);
  if (length > 0 && (size_t)length < sizeof record) syscall(SYS_write, trace_fd, record, (size_t)length + 1);
}

// Write down a look-up that ended with `found` and `errno`. `fd` is the open file, or -1 for a mere look.
static void note(int found, int fd, int folder, const char* path) {
  if (trace_fd < 0 || path == NULL || path[0] == '\0') return;
  int kept = errno;
  struct stat at;
  if (!found) {
    if (kept == ENOENT || kept == ENOTDIR) emit('N', NULL, folder, path);
  } else if (fd >= 0 ? syscall(SYS_fstat, fd, &at) != 0 : syscall(SYS_newfstatat, folder, path, &at, 0) != 0) {
    emit(errno == ENOENT ? 'N' : 'E', NULL, folder, path);  // a link that leads nowhere is not there
  } else if ((at.st_mode & 0170000) == 0100000) {
    emit('R', &at, folder, path);
  } else if ((at.st_mode & 0170000) == 0040000 && fd >= 0) {
    emit('D', &at, folder, path);
  }
  errno = kept;
}

#define NEXT(name) \
  static __typeof__(&name) next; \
  if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define MODE(flags, mode) \
  unsigned mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, unsigned); \
    va_end(list); \
  }

#define READS(flags) (((flags) & (O_ACCMODE | O_CREAT | O_TRUNC)) == O_RDONLY && !((flags) & O_DIRECTORY))

#define DEFINE_OPEN(name) \
  int name(const char* path, int flags, ...) { \
    NEXT(name); \
    MODE(flags, mode) \
    int fd = next(path, flags, mode); \
    if (READS(flags)) note(fd >= 0, fd, AT_FDCWD, path); \
    return fd; \
  }
DEFINE_OPEN(open)
DEFINE_OPEN(open64)

#define DEFINE_OPENAT(name) \
  int name(int folder, const char* path, int flags, ...) { \
    NEXT(name); \
    MODE(flags, mode) \
    int fd = next(folder, path, flags, mode); \
    if (READS(flags)) note(fd >= 0, fd, folder, path); \
    return fd; \
  }
DEFINE_OPENAT(openat)
DEFINE_OPENAT(openat64)

#define DEFINE_CHECKED_OPEN(name) \
  int name(const char* path, int flags) { \
    NEXT(name); \
    int fd = next(path, flags); \
    if (READS(flags)) note(fd >= 0, fd, AT_FDCWD, path); \
    return fd; \
  }
DEFINE_CHECKED_OPEN(__open_2)
DEFINE_CHECKED_OPEN(__open64_2)

#define DEFINE_FOPEN(name) \
  FILE* name(const char* path, const char* mode) { \
    NEXT(name); \
    FILE* file = next(path, mode); \
    if (mode[0] == 'r' && strchr(mode, '+') == NULL) note(file != NULL, file ? fileno(file) : -1, AT_FDCWD, path); \
    return file; \
  }
DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

#define DEFINE_STAT(name) \
  int name(const char* path, void* status) { \
    NEXT(name); \
    int result = next(path, status); \
    note(result == 0, -1, AT_FDCWD, path); \
    return result; \
  }
DEFINE_STAT(stat)
DEFINE_STAT(stat64)
DEFINE_STAT(lstat)
DEFINE_STAT(lstat64)

#define DEFINE_XSTAT(name) \
  int name(int version, const char* path, void* status) { \
    NEXT(name); \
    int result = next(version, path, status); \
    note(result == 0, -1, AT_FDCWD, path); \
    return result; \
  }
DEFINE_XSTAT(__xstat)
DEFINE_XSTAT(__xstat64)
DEFINE_XSTAT(__lxstat)
DEFINE_XSTAT(__lxstat64)

#define DEFINE_FSTATAT(name) \
  int name(int folder, const char* path, void* status, int flags) { \
    NEXT(name); \
    int result = next(folder, path, status, flags); \
    note(result == 0, -1, folder, path); \
    return result; \
  }
DEFINE_FSTATAT(fstatat)
DEFINE_FSTATAT(fstatat64)

int statx(int folder, const char* path, int flags, unsigned mask, void* status) {
  NEXT(statx);
  int result = next(folder, path, flags, mask, status);
  note(result == 0, -1, folder, path);
  return result;
}

int access(const char* path, int mode) {
  NEXT(access);
  int result = next(path, mode);
  note(result == 0, -1, AT_FDCWD, path);
  return result;
}

int faccessat(int folder, const char* path, int mode, int flags) {
  NEXT(faccessat);
  int result = next(folder, path, mode, flags);
  note(result == 0, -1, folder, path);
  return result;
}
