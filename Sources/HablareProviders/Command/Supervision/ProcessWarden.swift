#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif
import Subprocess

/// Keeps one small helper process that ends our programs when this process is killed.
///
/// A process that gets SIGKILL can do nothing any more. So a helper, started before the first program and in a session
/// of its own, holds the other end of a socket over which it is told the process groups that begin and end. When this
/// process goes, however it goes, the kernel closes the socket, and the helper kills the groups that are left.
/// That costs one helper per supervisor and two short messages per run, where `setpriv --pdeathsig` costs an `exec` per
/// run and ends only the program, not what it started.
actor ProcessWarden {
    private enum State {
        case idle
        case starting([CheckedContinuation<Void, Never>])
        case ready(OrphanProtection)
    }

    /// The helper. Its text is constant; what it reads from us is `+` or `-` and decimal numbers.
    ///
    /// The first shell ends at once, which tells us that it works; the one it leaves behind belongs to no-one who
    /// would have to wait for it. It ignores the signals that end a terminal's programs, for it must outlive us.
    static let script = """
        trap '' HUP INT QUIT TERM
        exec 3<&0
        {
          groups=' '
          while read -r sign group; do
            case $sign$groups in
              -*" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
              +*) groups="$groups$group " ;;
            esac
          done <&3
          for group in $groups; do kill -s KILL -- "-$group"; done
          rm -rf -- "$1"
        } </dev/null &
        """

    private struct NoHelper: Error {}

    private let shell: String
    private let setpriv: String?
    private var state = State.idle

    /// Creates a warden. Starts nothing.
    ///
    /// - Parameters:
    ///   - shell: The path of a POSIX shell.
    ///   - setpriv: The path of `setpriv`, for want of a shell; `nil` where there is none.
    init(shell: String, setpriv: String?) {
        self.shell = shell
        self.setpriv = setpriv
    }

    /// What protects the programs of this process from outliving it, starting the helper if it does not run.
    func protection() async -> OrphanProtection {
        while true {
            switch state {
            case .ready(let protection) where protection.link?.isOpen ?? true:
                return protection
            case .starting(let others):
                await withCheckedContinuation { state = .starting(others + [$0]) }
            case .idle, .ready:
                state = .starting([])
                let protection = await start()
                guard case .starting(let others) = state else { continue }
                // A cancelled start says nothing about the machine: whoever comes next tries again.
                state = Task.isCancelled && protection.link == nil ? .idle : .ready(protection)
                for other in others { other.resume() }
                return protection
            }
        }
    }

    private func start() async -> OrphanProtection {
        if let link = await startHelper() { return OrphanProtection(link: link) }
        return OrphanProtection(setpriv: await usableSetpriv())
    }

    private func startHelper() async -> WardenLink? {
        do {
            let directory = try PrivateDirectory(in: PrivateDirectory.temporary, prefix: "hablare")
            do {
                return try await startHelper(directory)
            } catch {
                _ = directory.remove()
                throw error
            }
        } catch {
            return nil  // no shell, no descriptors, no directory: the next best protection, and `diagnose()` says so
        }
    }

    private func startHelper(_ directory: PrivateDirectory) async throws -> WardenLink {
        let sockets = try SocketPair()
        defer { close(sockets.theirs) }
        let link = WardenLink(descriptor: sockets.ours, directory: directory)
        var options = PlatformOptions()
        options.createSession = true
        let result = try await run(
            .path(FilePath(shell)), arguments: ["-c", Self.script, "hablare-warden", directory.path],
            platformOptions: options,
            input: .fileDescriptor(FileDescriptor(rawValue: sockets.theirs), closeAfterSpawningProcess: false),
            output: .discarded, error: .discarded)
        guard result.terminationStatus.isSuccess else { throw NoHelper() }
        return link
    }

    /// `setpriv`, if it knows the option: BusyBox's does not.
    private func usableSetpriv() async -> String? {
        guard let setpriv else { return nil }
        do {
            let result = try await run(
                .path(FilePath(setpriv)), arguments: ["--pdeathsig", "KILL", "--", setpriv, "--version"],
                output: .discarded, error: .discarded)
            return result.terminationStatus.isSuccess ? setpriv : nil
        } catch {
            return nil
        }
    }
}
#endif
