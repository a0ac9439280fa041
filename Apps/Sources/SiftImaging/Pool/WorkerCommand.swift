import Foundation

/// How to start a worker: the executable whose hidden subcommand calls ``ImagingWorker/run(input:output:)``.
public struct WorkerCommand: Sendable, Hashable {
    /// The absolute path of the executable.
    public var executable: String
    /// The arguments without the name of the program.
    public var arguments: [String]

    /// Creates a command.
    public init(executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// This process's own executable with a hidden subcommand.
    public static func thisExecutable(subcommand: String) -> WorkerCommand {
        WorkerCommand(executable: "/proc/self/exe", arguments: [subcommand])
    }

    /// The environment of a worker: nothing of the app's, so no key or password can leak, but what the loader needs.
    static func environment(of own: [String: String]) -> [String] {
        var environment = ["SWIFT_BACKTRACE=enable=no", "LC_ALL=C.UTF-8", "MALLOC_ARENA_MAX=2"]
        if let libraries = own["LD_LIBRARY_PATH"] { environment.append("LD_LIBRARY_PATH=\(libraries)") }
        return environment
    }
}
