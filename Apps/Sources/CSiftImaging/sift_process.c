#define _GNU_SOURCE
#include "sift_imaging.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

// The kernel's calls around a worker process. Swift cannot use the macros of control messages, and the types of limits
// differ between C libraries.

int sift_send(int socket, const uint8_t *bytes, size_t length, int descriptor) {
    if (length == 0) { return EINVAL; }
    size_t sent = 0;
    while (sent < length) {
        struct iovec part = {.iov_base = (void *)(bytes + sent), .iov_len = length - sent};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        union {
            struct cmsghdr header;
            char space[CMSG_SPACE(sizeof(int))];
        } control;
        if (descriptor >= 0 && sent == 0) {
            memset(&control, 0, sizeof(control));
            message.msg_control = control.space;
            message.msg_controllen = sizeof(control.space);
            struct cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
        }
        ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (count < 0) {
            if (errno == EINTR) { continue; }
            return errno;
        }
        sent += (size_t)count;
    }
    return 0;
}

int sift_receive(int socket, uint8_t *bytes, size_t capacity, int milliseconds, size_t *received, int *descriptor) {
    *received = 0;
    *descriptor = -1;
    if (capacity == 0) { return EINVAL; }
    if (milliseconds >= 0) {
        struct pollfd wait = {.fd = socket, .events = POLLIN};
        int ready = poll(&wait, 1, milliseconds);
        if (ready == 0) { return ETIMEDOUT; }
        if (ready < 0) { return errno; }
    }
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    union {
        struct cmsghdr header;
        // Room for more than one, so that a peer who sends several is seen and its descriptors are closed.
        char space[CMSG_SPACE(sizeof(int) * 8)];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof(control.space)};
    ssize_t count;
    do { count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC); } while (count < 0 && errno == EINTR);
    if (count < 0) { return errno == ECONNRESET ? 0 : errno; }
    *received = (size_t)count;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) { continue; }
        size_t number = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < number; index++) {
            int passed;
            memcpy(&passed, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
            if (*descriptor < 0) {
                *descriptor = passed;
            } else {
                close(passed);
            }
        }
    }
    return 0;
}

int sift_socket_pair(int sockets[2]) {
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : errno;
}

int sift_spawn(const char *path, char *const arguments[], char *const environment[], int socket, bool keeps_error,
               int *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) { return error; }
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    // A thread of the parent may have blocked or ignored signals, which a program inherits.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    pid_t child = 0;
    if ((error = posix_spawn_file_actions_adddup2(&actions, socket, 0)) == 0 &&
        (error = posix_spawn_file_actions_adddup2(&actions, socket, 1)) == 0 &&
        (keeps_error ||
         (error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)) == 0) &&
        (error = posix_spawn_file_actions_addclosefrom_np(&actions, 3)) == 0 &&
        (error = posix_spawnattr_setsigmask(&attributes, &none)) == 0 &&
        (error = posix_spawnattr_setsigdefault(&attributes, &all)) == 0 &&
        (error = posix_spawnattr_setflags(&attributes,
                                          POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP)) == 0) {
        error = posix_spawn(&child, path, &actions, &attributes, arguments, environment);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    *process = error == 0 ? child : 0;
    return error;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIFT_HAS_SHADOW_MEMORY true
#endif
#endif
#ifndef SIFT_HAS_SHADOW_MEMORY
#define SIFT_HAS_SHADOW_MEMORY false
#endif

static int limit(int resource, rlim_t value) {
    struct rlimit limits = {.rlim_cur = value, .rlim_max = value};
    return setrlimit(resource, &limits) == 0 ? 0 : errno;
}

int sift_limit_process(uint64_t data_bytes, uint64_t descriptors) {
    int error = 0;
    // A write beyond the limit fails with EFBIG instead of ending the process.
    signal(SIGXFSZ, SIG_IGN);
    if ((error = limit(RLIMIT_CORE, 0)) != 0 || (error = limit(RLIMIT_FSIZE, 0)) != 0 ||
        (error = limit(RLIMIT_NOFILE, (rlim_t)descriptors)) != 0) {
        return error;
    }
    // Private writable memory, which the kernel counts since 4.7. The address space itself is no measure: the runtime
    // and the allocator reserve much more of it than they use.
    // The thread sanitizer maps terabytes for itself, which would exceed each limit.
    if (!SIFT_HAS_SHADOW_MEMORY && data_bytes != 0 && (error = limit(RLIMIT_DATA, (rlim_t)data_bytes)) != 0) { return error; }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? 0 : errno;
}

#if defined(__x86_64__)
#define SIFT_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SIFT_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define ALLOW(number)                                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

// Allows a call if its first argument is a value, and refuses it otherwise.
#define ALLOW_IF_FIRST(number, value)                                                                                  \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 4),                                                               \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),                                    \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),              \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

int sift_confine_process(void) {
#ifdef SIFT_ARCHITECTURE
    // What a decoder calls once it is loaded: memory, threads, time, the descriptors it was given, and its socket. All
    // else is refused, also the calls of kernels to come.
    struct sock_filter rules[] = {
        // Numbers mean other calls under another architecture, so those are refused as a whole.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIFT_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // The most frequent first: each call runs through this list.
        ALLOW(__NR_futex),
        ALLOW(__NR_pread64),
        ALLOW(__NR_brk),
        ALLOW(__NR_mmap),
        ALLOW(__NR_munmap),
        ALLOW(__NR_mremap),
        ALLOW(__NR_mprotect),
        ALLOW(__NR_madvise),
        ALLOW(__NR_read),
        ALLOW(__NR_lseek),
        ALLOW(__NR_fstat),
        ALLOW(__NR_newfstatat),
        ALLOW(__NR_close),
        ALLOW(__NR_sendmsg),
        ALLOW(__NR_recvmsg),
#if defined(__x86_64__)
        ALLOW(__NR_poll),
#endif
        ALLOW(__NR_ppoll),
        // To its error output: no other file is open for writing.
        ALLOW(__NR_write),
        ALLOW(__NR_writev),
        ALLOW(__NR_getrusage),
        ALLOW(__NR_clock_gettime),
        ALLOW(__NR_clock_getres),
        ALLOW(__NR_clock_nanosleep),
        ALLOW(__NR_nanosleep),
        ALLOW(__NR_gettimeofday),
        ALLOW(__NR_getrandom),
        ALLOW(__NR_getpid),
        ALLOW(__NR_gettid),
        ALLOW(__NR_sched_getaffinity),
        ALLOW(__NR_sched_yield),
        ALLOW(__NR_sysinfo),
        ALLOW(__NR_umask),
        ALLOW(__NR_rt_sigaction),
        ALLOW(__NR_rt_sigprocmask),
        ALLOW(__NR_rt_sigreturn),
        ALLOW(__NR_sigaltstack),
        ALLOW(__NR_restart_syscall),
        ALLOW(__NR_membarrier),
        ALLOW(__NR_rseq),
        ALLOW(__NR_set_robust_list),
        ALLOW(__NR_set_tid_address),
        ALLOW(__NR_exit),
        ALLOW(__NR_exit_group),
        // The names of threads. Other settings of a process stay as they are.
        ALLOW_IF_FIRST(__NR_prctl, PR_SET_NAME),
        // Its own limits, which each job's processor time needs, but no other process's.
        ALLOW_IF_FIRST(__NR_prlimit64, 0),
        // Its own threads, which abort needs.
        ALLOW_IF_FIRST(__NR_tgkill, (uint32_t)getpid()),
        // A filter cannot look at the flags of clone3; with ENOSYS the C library takes clone.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        // Threads, but no processes.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    };
    struct sock_fprog filter = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0) { return 0; }
    return errno == 0 ? EPERM : errno == EINVAL ? ENOSYS : errno;
#else
    return ENOSYS;
#endif
}

int sift_allow_processor_time(uint64_t seconds) {
    struct rusage usage;
    struct rlimit limits;
    if (getrusage(RUSAGE_SELF, &usage) != 0 || getrlimit(RLIMIT_CPU, &limits) != 0) { return errno; }
    limits.rlim_cur = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1) + (rlim_t)seconds;
    if (limits.rlim_max != RLIM_INFINITY && limits.rlim_cur > limits.rlim_max) { limits.rlim_cur = limits.rlim_max; }
    return setrlimit(RLIMIT_CPU, &limits) == 0 ? 0 : errno;
}

int sift_wait_for_hangup(int socket) {
    for (;;) {
        struct pollfd wait = {.fd = socket, .events = POLLRDHUP};
        int ready = poll(&wait, 1, -1);
        if (ready < 0 && errno != EINTR) { return errno; }
        if (ready > 0 && (wait.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0) { return 0; }
    }
}

void sift_limit_memory(void) {
    // Refused settings leave the defaults, with which a program works too. Other C libraries have no such settings.
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    mallopt(M_TRIM_THRESHOLD, 512 * 1024);
#endif
}
