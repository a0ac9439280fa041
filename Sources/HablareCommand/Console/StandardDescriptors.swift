#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// Sees to it that the descriptors 0, 1 and 2 can be used in any case, before anything is opened.
///
/// Somebody may start us with standard output closed (`hablare … >&-`). The next file that is opened gets the free
/// number then, and what is meant for the person is written into the database.
enum StandardDescriptors {
    /// Puts the null device on those of the three that are closed: for reading where one would write and the other way
    /// round, so that using it still fails as it would on a closed one.
    static func occupy() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // Gets the lowest free number, which is this one: those below it are taken by now.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Makes a write to a pipe without a reader fail, where it would end the process on the spot: what is under way
    /// is put in order first. Programs that we run get back what is usual.
    static func surviveBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}
