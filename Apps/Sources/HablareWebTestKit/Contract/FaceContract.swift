public import HablareWeb

/// The rules that every app's face must keep. Any test framework can run the rules.
///
/// ```swift
/// @Test(arguments: FaceContract.rules, FaceTransport.allCases)
/// func keeps(_ rule: FaceContract.Rule, over transport: FaceTransport) async throws {
///     try await FaceContract(over: transport) { try await makeFace() }.check(rule)
/// }
/// ```
///
/// If a rule is broken, ``check(_:)`` throws a ``FaceContractViolation`` that names the rule and the problem.
public struct FaceContract: Sendable {
    /// A rule of the contract.
    public struct Rule: Sendable, CustomStringConvertible {
        /// The rule as a sentence.
        public let name: String
        let body: @Sendable (FaceClient, Face) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (FaceClient, Face) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// The rule as a sentence.
        public var description: String { name }
    }

    private let transport: FaceTransport
    private let makeFace: @Sendable () async throws -> Face

    /// Creates the contract of one face.
    ///
    /// - Parameters:
    ///   - transport: The way to the face.
    ///   - makeFace: Makes a face with its own data. It is called once for each rule.
    public init(over transport: FaceTransport, makeFace: @escaping @Sendable () async throws -> Face) {
        self.transport = transport
        self.makeFace = makeFace
    }

    /// All rules.
    public static let rules: [Rule] = strangers + pages + states + commands + files

    /// Checks the face against a rule.
    ///
    /// - Throws: ``FaceContractViolation`` if the rule is broken.
    public func check(_ rule: Rule) async throws {
        let face = try await makeFace()
        do {
            try await withFace(face, over: transport) { client in try await rule.body(client, face) }
        } catch let violation as FaceContractViolation {
            throw FaceContractViolation(description: "\(rule.name): \(violation.description)")
        }
    }
}

/// A broken rule of a face.
public struct FaceContractViolation: Error, Sendable, CustomStringConvertible {
    /// The rule, what was expected and what happened.
    public let description: String
}

/// Throws a violation if two values differ.
func require<Value: Equatable>(_ what: String, _ value: Value, is expected: Value) throws {
    guard value == expected else {
        throw FaceContractViolation(description: "\(what) is \(value), but must be \(expected).")
    }
}

/// Throws a violation if a condition does not hold.
func require(_ condition: Bool, _ fault: @autoclosure () -> String) throws {
    guard condition else { throw FaceContractViolation(description: fault()) }
}
