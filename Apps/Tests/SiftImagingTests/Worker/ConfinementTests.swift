import CSiftImaging
import Foundation
import Testing

#if canImport(Glibc)
import Glibc

@Suite("A confined process") struct ConfinementTests {
    @Test("It can neither open, change or name files, nor reach other processes or the network")
    func refusesCalls() async {
        await #expect(processExitsWith: .exitCode(0)) {
            guard sift_limit_process(0, 64) == 0 else { exit(70) }
            let confinement = sift_confine_process()
            guard confinement == 0 else { exit(confinement == ENOSYS ? 0 : 71) }
            let parent = getppid()
            let attempts: [() -> Int] = [
                { Int(open("/etc/passwd", O_RDONLY)) },
                { Int(creat("/tmp/sift-confined", 0o600)) },
                { Int(unlink("/tmp/sift-confined")) },
                { Int(rename("/tmp/sift-confined", "/tmp/sift-confined-2")) },
                { Int(mkdir("/tmp/sift-confined", 0o700)) },
                { Int(symlink("/tmp", "/tmp/sift-confined")) },
                { Int(truncate("/tmp/sift-confined", 0)) },
                { Int(chmod("/tmp/sift-confined", 0o777)) },
                { Int(fchmodat(AT_FDCWD, "/tmp/sift-confined", 0o777, AT_SYMLINK_NOFOLLOW)) },
                { Int(chown("/tmp/sift-confined", 0, 0)) },
                { Int(utimensat(AT_FDCWD, "/tmp/sift-confined", nil, 0)) },
                { Int(chdir("/")) },
                { Int(chroot("/")) },
                { Int(mount("none", "/tmp", "tmpfs", 0, nil)) },
                { Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) },
                { Int(kill(parent, 0)) },
                { Int(sigqueue(parent, 0, sigval(sival_int: 0))) },
                { Int(fcntl(0, F_SETOWN, parent)) },
                { Int(nice(1)) },
                { execve("/bin/true", [nil], [nil]) == 0 ? 0 : -1 },
            ]
            for (index, attempt) in attempts.enumerated() {
                errno = 0
                guard attempt() == -1, errno == EPERM else { exit(Int32(index + 1)) }
            }
            // What a decoder needs stays.
            guard let memory = malloc(1 << 20) else { exit(80) }
            free(memory)
            guard time(nil) > 0 else { exit(81) }
            exit(0)
        }
    }
}
#endif
