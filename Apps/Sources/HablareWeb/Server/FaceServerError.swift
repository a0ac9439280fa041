import Foundation
import NIOCore

/// The reason why a server cannot listen.
public struct FaceServerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public struct Code: Sendable, Hashable {
        private let name: String

        /// Another program uses the port.
        public static let portTaken = Code(name: "portTaken")
        /// This machine does not have the address.
        public static let noSuchAddress = Code(name: "noSuchAddress")
        /// The user may not use the port.
        public static let notPermitted = Code(name: "notPermitted")
        /// Another problem.
        public static let failed = Code(name: "failed")
    }

    /// The kind of problem.
    public let code: Code
    /// The text that says what is wrong and what to do.
    public let description: String

    init(_ error: any Error, host: String, port: Int) {
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            code = .portTaken
            description =
                "Port \(port) of \(host) is in use. Stop the other program, or pass --port with another number."
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            code = .noSuchAddress
            description = "This machine does not have the address \(host). Pass --listen with one that it has."
        case EACCES, EPERM:
            code = .notPermitted
            description = "You may not use port \(port). Pass --port with a number above 1023."
        default:
            code = .failed
            description = "Cannot listen on port \(port) of \(host): \(error)."
        }
    }
}
