/* Makes writes to files whose name contains "tables.db" fail with EIO while the file that MAINSPRING_TEST_EIO names
   is there. For tests, by LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd) {
    const char *flag = getenv("MAINSPRING_TEST_EIO");
    char name[32], path[PATH_MAX];
    if (!flag || access(flag, F_OK) != 0) return 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, "tables.db")) return 0;
    errno = EIO;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t count) {
    return fails(fd) ? -1 : REAL(write)(fd, bytes, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) {
    return fails(fd) ? -1 : REAL(pwrite)(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t at) {
    return fails(fd) ? -1 : REAL(pwrite64)(fd, bytes, count, at);
}

int fdatasync(int fd) {
    return fails(fd) ? -1 : REAL(fdatasync)(fd);
}

int fsync(int fd) {
    return fails(fd) ? -1 : REAL(fsync)(fd);
}
