import CSiftImaging
import Foundation

/// A worker's process and its socket. Used by the one thread that made it, except for ``kill()``.
final class WorkerProcess {
    private let process: Int32
    private let socket: Int32
    var channel: Channel

    /// Starts the process, and waits until it is ready.
    init(_ command: WorkerCommand, limits: ImagingLimits) throws(WorkerFailure) {
        var sockets: [Int32] = [-1, -1]
        guard sift_socket_pair(&sockets) == 0 else { throw WorkerFailure(.notStarted("no socket: errno \(errno)")) }
        defer { close(sockets[1]) }
        let words = [command.executable] + command.arguments
        let variables = WorkerCommand.environment(of: ProcessInfo.processInfo.environment)
        var process: Int32 = 0
        let error = Self.withStrings(words) { arguments in
            Self.withStrings(variables) { environment in
                sift_spawn(command.executable, arguments, environment, sockets[1], false, &process)
            }
        }
        guard error == 0 else {
            close(sockets[0])
            throw WorkerFailure(.notStarted("cannot start the program: errno \(error)"))
        }
        self.process = process
        socket = sockets[0]
        channel = Channel(input: socket, output: socket, maximumFrame: ImagingLimits.maximumFrame)
        do throws(Channel.Failure) {
            try channel.sender.send(limits.encoded)
            // The first frame says that libvips has started.
            let frame = try channel.receive(until: .now + limits.startTimeout)
            guard frame.isEmpty else { throw .violated("the first message is not empty") }
        } catch {
            end()
            throw WorkerFailure(.notStarted("the program is no worker, or cannot start libvips: \(error)"))
        }
    }

    /// The number of the process.
    var number: Int32 { process }

    /// Ends the process and waits for its end. A worker keeps nothing that would have to be saved.
    func end() {
        channel.closeDescriptors()
        close(socket)
        kill(process, SIGKILL)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}

/// Why a worker process ended.
struct WorkerFailure: Error {
    let end: PoolMachine.End

    init(_ end: PoolMachine.End) { self.end = end }
}
