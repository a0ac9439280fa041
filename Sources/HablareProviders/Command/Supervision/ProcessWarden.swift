#if os(macOS) || os(Linux)
import Foundation
#if canImport(System)
import System
#else
import SystemPackage
#endif
import Subprocess

/// An actor that keeps one small helper process, which kills the programs if this process is killed.
///
/// A process that gets SIGKILL cannot clean up. Therefore the helper starts before the first program, in its own
/// session. This process and the helper are connected by a pair of sockets, through which this process reports which
/// process groups begin and end. When this process ends in any way, the kernel closes the socket, and the helper kills
/// the remaining groups. This needs one helper for each supervisor and two short messages for each run. The alternative
/// `setpriv --pdeathsig` needs an `exec` for each run, and kills only the program, not what the program started.
actor ProcessWarden {
    private enum State {
        case idle
        case starting([CheckedContinuation<Void, Never>])
        case ready(OrphanProtection)
    }

    /// The helper's script. Its text is constant. From this process it reads only `+` or `-` and decimal numbers.
    ///
    /// The first shell exits at once, which shows that the helper works. It leaves a shell in the background, which no
    /// parent has to reap. The background shell ignores the signals that end the programs of a terminal, because it
    /// must run longer than this process.
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

    /// Creates a warden without starting a process.
    ///
    /// - Parameters:
    ///   - shell: The path of a POSIX shell.
    ///   - setpriv: The path of `setpriv`, which is used if there is no shell; `nil` if `setpriv` does not exist.
    init(shell: String, setpriv: String?) {
        self.shell = shell
        self.setpriv = setpriv
    }

    /// Returns the protection of this process's programs. Starts the helper if it is not running.
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
                // A cancelled start says nothing about the machine, so the next caller tries again.
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
            return nil  // No shell, descriptor or directory: use the next best protection, which `diagnose()` reports
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

    /// Returns the path of `setpriv` if it supports the option `--pdeathsig`. BusyBox's `setpriv` does not.
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
